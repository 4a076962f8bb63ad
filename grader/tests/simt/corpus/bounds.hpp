// How far an approximation may be from the hardware's result: what the PTX manual promises of the instruction, or
// of the function that is made of such instructions, and half a unit more, because the simulator rounds correctly.
// Every other result of the corpus is equal bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpgrade::corpus {

/// |got - want| <= relative * |want| + absolute, or both are the same NaN or infinity.
struct Bound {
  std::string_view name;  ///< the instruction begins with this; or the kernel is called so
  double relative, absolute;
};

constexpr Bound instruction_bounds[] = {
    {"none", 0, 0},
};

}  // namespace warpgrade::corpus
