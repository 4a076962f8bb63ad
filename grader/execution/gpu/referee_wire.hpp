// Messages between the referee's process and its parent, in addition to running a product.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/arena_damage.hpp"
#include "gpu/wire.hpp"

namespace warpgrade::gpu {

/// The result of checking a run, with its numbers.
enum class Found : std::uint32_t { nothing, a_changed, b_changed, wrong_cell, wrong_row };

struct Finding {
  std::uint32_t found = 0;           ///< Found
  std::int64_t row = 0, column = 0;  ///< of C
  double got = 0, want = 0, allowed = 0;
  std::array<GuardDamage, 3> damage{};  ///< around A, B, C
};

/// How cuBLAS computes the product.
struct MultiplyRequest {
  std::uint8_t flush = 0, check = 0, download = 0;
  double spin_seconds = 0, energy_seconds = 0;
  std::uint64_t seed = 0;  ///< of the check
};

/// How another routine is run. Operands travel through the shared memory, or are the arrays that were dealt.
struct RoutineRequest {
  std::uint8_t flush = 0, upload = 0, download = 0;
  std::uint8_t dealt = 0, look = 0;  ///< dealt: new operands are what was dealt; look: at what is left
  double spin_seconds = 0, energy_seconds = 0;
  std::uint64_t random = 0;  ///< decides where the operands are
};

}  // namespace warpgrade::gpu
