# `cmake --install build --prefix DIR`: libraries, headers and the program, for those who use the simulator by itself.
install(TARGETS simt DESTINATION bin)
install(TARGETS warpgrade_base warpgrade_ptx warpgrade_prove warpgrade_simt warpgrade_cases warpgrade_links warpgrade_cudart DESTINATION lib)
if(NOT fmt_VERSION VERSION_GREATER_EQUAL 11)
  install(TARGETS warpgrade_fmt DESTINATION lib)
endif()
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/links/topologies DESTINATION share/warpgrade)
foreach(room base simulator/ptx simulator/prove simulator/counters simulator/trace simulator/decode simulator/machine simulator/cases)
  get_filename_component(name ${room} NAME)
  install(DIRECTORY ${WARPGRADE_ROOT}/${room}/ DESTINATION include/warpgrade/${name}
          FILES_MATCHING PATTERN "*.hpp" PATTERN tests EXCLUDE PATTERN libraries EXCLUDE PATTERN hot EXCLUDE)
endforeach()
