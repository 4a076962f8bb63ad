# Programs that go to students run where glibc is as old as 2.27 (Ubuntu 18.04; RHEL 8 has 2.28), wherever they are built:
# see make-stubs. This costs half a second of a build and nothing of a run.
option(WARPGRADE_OLD_GLIBC "programs for students run where glibc is as old as 2.27" ON)
if(WARPGRADE_SANITIZE)  # a sanitizer's library needs this system's glibc anyhow
  set(WARPGRADE_OLD_GLIBC OFF)
endif()
if(WARPGRADE_OLD_GLIBC)
  set(stubs ${PROJECT_BINARY_DIR}/old_glibc)
  set(make_stubs ${CMAKE_CURRENT_LIST_DIR}/make-stubs)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
  add_custom_command(OUTPUT ${stubs}/libc.so COMMAND ${make_stubs} ${stubs} 2.27 ${CMAKE_CXX_COMPILER}
                     DEPENDS ${make_stubs} ${libc} COMMENT "Writing stubs of an older glibc" VERBATIM)
  add_custom_target(old_glibc_stubs DEPENDS ${stubs}/libc.so)
  add_library(old_glibc_compat OBJECT ${CMAKE_CURRENT_LIST_DIR}/compat.cpp)
  add_library(old_glibc_start OBJECT ${CMAKE_CURRENT_LIST_DIR}/start.cpp)
  set_target_properties(old_glibc_compat old_glibc_start PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
endif()

# The program or shared library asks for nothing of glibc that 2.27 lacks.
function(runs_on_old_glibc target)
  if(WARPGRADE_OLD_GLIBC)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:old_glibc_compat>)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:old_glibc_start>)
      target_link_options(${target} PRIVATE -Wl,--wrap=__libc_start_main)
    endif()
    add_dependencies(${target} old_glibc_stubs)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_BINARY_DIR}/old_glibc/libc.so)
    # Before 2.34, threads and dlopen were in libraries of their own; newer releases keep these names for old programs.
    target_link_options(${target} PRIVATE "-L${PROJECT_BINARY_DIR}/old_glibc"
      -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state -Wl,--allow-shlib-undefined)
  endif()
endfunction()
