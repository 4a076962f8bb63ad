# The standard library and fmt, and whatever else is named: compiled once, by a target of this name.
function(add_precompiled_headers name)
  add_library(${name} OBJECT ${WARPGRADE_BASE}/libraries/headers/headers.cpp)
  target_link_libraries(${name} PRIVATE warpgrade_fmt)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND WARPGRADE_UNITY)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory>
      <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <variant> <vector>
      <fmt/format.h> ${ARGN})
  endif()
endfunction()

# with_precompiled_headers(FOLDER NAME): the targets of FOLDER, a full path, use them, unless DISABLE_PRECOMPILE_HEADERS is
# set or they are position independent, which needs a copy of its own. Other compilers than g++ ask for exactly the same
# options everywhere, and go without. -DWARPGRADE_UNITY=OFF compiles each file alone and without them, which finds missing
# includes.
function(with_precompiled_headers folder name)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT WARPGRADE_UNITY)
    return()
  endif()
  if(NOT EXISTS ${folder}/CMakeLists.txt)
    return()
  endif()
  get_target_property(libraries ${name} LINK_LIBRARIES)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(without ${target} DISABLE_PRECOMPILE_HEADERS)
    get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
    if(type MATCHES "STATIC_LIBRARY|EXECUTABLE" AND NOT independent AND NOT without)
      target_precompile_headers(${target} REUSE_FROM ${name})
      foreach(library ${libraries})  # a header is taken only where it would read the same
        target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
        target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_OPTIONS>)
      endforeach()
      set_target_properties(${target} PROPERTIES PCH_WARN_INVALID ${WARPGRADE_WERROR})
    endif()
  endforeach()
endfunction()
