// What compiles student files.
#pragma once

#include <cstdint>

namespace warpgrade::course {

/// The compiler for student files.
enum class Toolchain : std::uint8_t {
  automatic,  ///< nvcc if it is installed, else clang
  nvcc,
  clang,
};

}  // namespace warpgrade::course
