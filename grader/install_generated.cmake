# Runs when Warpgrade is installed: what is not a file of the repository or of the build.
#   repository, programs   folders, which install.cmake sets
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

foreach(program grade gradebook simt)
  message(STATUS "Installing: ${prefix}/bin/${program} (a link)")
  file(MAKE_DIRECTORY "${prefix}/bin")
  file(REMOVE "${prefix}/bin/${program}")
  file(CREATE_LINK "../lib/warpgrade/bin/${program}" "${prefix}/bin/${program}" SYMBOLIC)
endforeach()

message(STATUS "Installing: manual pages and completions")
execute_process(COMMAND "${repository}/tools/make-man" "${programs}" "${prefix}/share/man/man1" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "tools/make-man did not write the manual pages; it says why above")
endif()
foreach(shell bash zsh fish)
  execute_process(COMMAND "${programs}/grade" completion ${shell} OUTPUT_VARIABLE completion_${shell} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "'${programs}/grade completion ${shell}' failed")
  endif()
endforeach()
file(WRITE "${prefix}/share/bash-completion/completions/grade" "${completion_bash}")
# zsh runs this file when the completion is first needed, so it also has to answer that time.
file(WRITE "${prefix}/share/zsh/site-functions/_grade" "#compdef grade\n${completion_zsh}_warpgrade_grade \"$@\"\n")
file(WRITE "${prefix}/share/fish/vendor_completions.d/grade.fish" "${completion_fish}")
