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
