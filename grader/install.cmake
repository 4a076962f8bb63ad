# `cmake --install build/grader --prefix DIR`, with DESTDIR. The programs find what belongs to them by the folder that they
# are in, so everything is in lib/warpgrade, and bin/ has links. Components: `warpgrade`, and `course` with the assignments,
# hidden cases and solutions included, which do not belong on a machine where students log in.
set(repository ${WARPGRADE_ROOT})
set(home lib/warpgrade)
install(TARGETS grade gradebook simt DESTINATION ${home}/bin COMPONENT warpgrade)
foreach(other gradebook-http warpgrade_cub warpgrade_problems)
  if(TARGET ${other})
    install(TARGETS ${other} DESTINATION ${home}/bin COMPONENT warpgrade)
  endif()
endforeach()
install(PROGRAMS ${repository}/tools/make-starter DESTINATION ${home}/tools COMPONENT warpgrade)
install(FILES make_starter.awk DESTINATION ${home}/grader COMPONENT warpgrade)
install(DIRECTORY ${repository}/templates DESTINATION ${home} COMPONENT warpgrade)
install(FILES ${repository}/README.md ${repository}/CHANGELOG.md ${repository}/LICENSE DESTINATION share/doc/warpgrade COMPONENT warpgrade)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/service/editor/licences.txt DESTINATION share/doc/warpgrade RENAME editor-licences.txt COMPONENT warpgrade OPTIONAL)  # of the npm packages in the workspace
install(DIRECTORY ${repository}/docs DESTINATION share/doc/warpgrade COMPONENT warpgrade)
install(DIRECTORY ${repository}/tools/service DESTINATION share/warpgrade COMPONENT warpgrade)
foreach(folder assignments starter solutions)
  install(DIRECTORY ${repository}/${folder} DESTINATION ${home} COMPONENT course
          PATTERN build EXCLUDE PATTERN "*.o" EXCLUDE PATTERN "*.worker" EXCLUDE)
endforeach()
# Links, manual pages and completions. What the programs say of themselves is asked of the programs, so it is never old.
install(CODE "set(repository \"${repository}\")\nset(programs \"${PROJECT_BINARY_DIR}/bin\")" COMPONENT warpgrade)
install(SCRIPT install_generated.cmake COMPONENT warpgrade)
