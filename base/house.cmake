# What both houses, the simulator and the grader, are built with. Each includes this once, right after its project().
include_guard(GLOBAL)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # no -DNDEBUG: an assertion that holds costs nothing worth having back
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
option(WARPGRADE_WERROR "treat warnings as errors" OFF)
add_compile_options(-Wall -Wextra -Wshadow)
include(${CMAKE_CURRENT_LIST_DIR}/results.cmake)
if(WARPGRADE_WERROR)
  add_compile_options(-Werror)
endif()
# `make test-asan`, see docs/sanitizers.md. What is linked statically or into a student's program has no room for a
# run-time library: there undefined behaviour ends the program at once.
option(WARPGRADE_SANITIZE "build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(WARPGRADE_SANITIZE)
  set(sanitizers -fsanitize=address,undefined,float-cast-overflow)
  add_compile_options(${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(${sanitizers})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
function(without_sanitizer_runtime target)
  if(WARPGRADE_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=address -fsanitize-undefined-trap-on-error)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  elseif(WARPGRADE_FUZZ)
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()
# A program may hand the runtime's C functions any number for an enum, and is to get an error code for it.
function(with_any_enum target)
  if(WARPGRADE_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=enum)
  endif()
endfunction()
include(${CMAKE_CURRENT_LIST_DIR}/libraries/old_glibc/old_glibc.cmake)

# Headers are named by their room: "base/text.hpp", "machine/device.hpp", "plan/plan.hpp".
get_filename_component(WARPGRADE_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(WARPGRADE_BASE ${WARPGRADE_ROOT}/base)
set(WARPGRADE_SIMULATOR ${WARPGRADE_ROOT}/simulator)
include_directories(${WARPGRADE_SIMULATOR} ${WARPGRADE_ROOT})

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 11)  # the releases that libraries/fmt.cpp fits
  add_library(warpgrade_fmt STATIC ${WARPGRADE_BASE}/libraries/fmt.cpp)
  set_target_properties(warpgrade_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(warpgrade_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
else()  # compiles more slowly, and fits every release
  add_library(warpgrade_fmt INTERFACE)
  target_link_libraries(warpgrade_fmt INTERFACE fmt::fmt-header-only)
  if(fmt_VERSION VERSION_GREATER_EQUAL 11)
    target_include_directories(warpgrade_fmt BEFORE INTERFACE ${WARPGRADE_BASE}/libraries/fmt11)
  endif()
endif()

# Most of the time of a build goes into headers and templates that many files share, so files of a room are
# compiled together, some at a time: names of file scope are unique in a room.
option(WARPGRADE_UNITY "compile the files of a room together" ON)
set(CMAKE_UNITY_BUILD ${WARPGRADE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

enable_testing()
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest REQUIRED)
endif()

# Programs go to students: they do not tell where they were built. Tests do, for whoever looks for a failure.
get_property(plain_options DIRECTORY PROPERTY COMPILE_OPTIONS)
add_compile_options(-ffile-prefix-map=${WARPGRADE_ROOT}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

# The standard library and fmt cost each batch a second; precompiled, a fifth of it.
include(${WARPGRADE_BASE}/libraries/headers/headers.cmake)
add_subdirectory(${WARPGRADE_BASE}/libraries/headers ${PROJECT_BINARY_DIR}/libraries/headers)

# For what waits for compilers, files and people.
set(cold_flags -O1)
# g++ reads a precompiled header only where all settings for the machine agree. Some are on at -O2 alone.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.3)
    string(APPEND cold_flags " -mvzeroupper")
  endif()
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    string(APPEND cold_flags " -munroll-only-small-loops")
  endif()
endif()

# add_rooms(FOLDER ROOM...): the rooms in FOLDER. What one leaves in the build is in a folder with the room's
# name, whatever FOLDER is. A room in `not_here` is left out.
function(add_rooms folder)
  foreach(room ${ARGN})
    if(NOT room IN_LIST not_here)
      add_subdirectory(${folder}/${room} ${PROJECT_BINARY_DIR}/${room})
      set_property(GLOBAL APPEND PROPERTY WARPGRADE_ROOMS ${folder}/${room})
    endif()
  endforeach()
endfunction()
# Once all rooms are there and their targets have their options. Rooms that a shared library takes part of do without: they
# are position independent where the CUDA Toolkit is, and are to be the same everywhere.
function(finish_rooms)
  foreach(target warpgrade_base warpgrade_ptx warpgrade_prove warpgrade_simt warpgrade_streams warpgrade_cudart)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endforeach()
  get_property(rooms GLOBAL PROPERTY WARPGRADE_ROOMS)
  foreach(room ${rooms})
    with_precompiled_headers(${room} warpgrade_headers)
  endforeach()
endfunction()

# What tests share: they need no optimization, and say where they were built. Call these in the folder that holds a house's
# tests; each folder in it is a suite, one program.
macro(begin_tests)
  include(GoogleTest)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)  # more of them are built anew after a small change
  set_property(DIRECTORY PROPERTY COMPILE_OPTIONS ${plain_options})
  add_compile_options(-O0)  # half the compile time; what is tested is compiled as it ships
  # For tests that compile with it; where there is no CUDA Toolkit, clang is all there is to compile student files.
  find_program(WARPGRADE_CLANG NAMES clang++ clang++-23 clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
  if(NOT TARGET test_headers)
    add_precompiled_headers(test_headers <gmock/gmock.h> <gtest/gtest.h>)
    target_link_libraries(test_headers PRIVATE GTest::gmock GTest::gtest)
  endif()
endmacro()
function(add_suites)
  foreach(suite ${ARGN})
    add_subdirectory(${suite} ${PROJECT_BINARY_DIR}/tests/${suite})
    with_precompiled_headers(${CMAKE_CURRENT_SOURCE_DIR}/${suite} test_headers)
  endforeach()
endfunction()
# Tests that need the CUDA Toolkit are not there without it; how many that are is said once.
function(left_out)
  foreach(file ${ARGN})
    file(STRINGS ${file} tests REGEX "^TEST(_F|_P)?\\(")
    list(LENGTH tests number)
    get_property(so_far GLOBAL PROPERTY WARPGRADE_LEFT_OUT)
    math(EXPR so_far "0${so_far} + ${number}")
    set_property(GLOBAL PROPERTY WARPGRADE_LEFT_OUT ${so_far})
  endforeach()
endfunction()
function(say_what_is_left_out)
  get_property(number GLOBAL PROPERTY WARPGRADE_LEFT_OUT)
  if(number)
    message(STATUS "no CUDA Toolkit: ${number} tests are left out, those of nvcc, of its programs on the simulator and of the GPU's processes")
  endif()
endfunction()
