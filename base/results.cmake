# What is the same for whatever compiles the stages: this folder, and tools/arm for another machine.
# Options that results depend on:
add_compile_options(-fno-math-errno -ffp-contract=off)
# Away from x86-64, GCC 12 may walk two arrays in one loop by addresses without a base, takes these for null pointers, the
# function for one that does nothing, and drops the calls to it: `store_lane` in machine/access.cpp stored nothing on Arm.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fno-delete-null-pointer-checks)
endif()
# Files whose helpers have names that others in their folder use too.
function(compiled_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
# places_of(TARGET HEADER NAME PATH ...): a file of TARGET that defines the constants of HEADER, such as `const char *const
# place::root`. So the paths of this build are in one file, and the compiler cache serves all others in another clone too.
function(places_of target header)
  set(text "#include \"${header}\"\n")
  while(ARGN)
    list(POP_FRONT ARGN name path)
    string(APPEND text "const char *const ${name} = \"${path}\";\n")
  endwhile()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_places.cpp)
  file(GENERATE OUTPUT ${file} CONTENT "${text}")
  set_source_files_properties(${file} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${file})
endfunction()
