// What can be said about a plan before any GPU sees it, and where its scratch buffers will lie. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "run/run.hpp"

namespace warpgrade::gpu {

/// Why a plan can't run: `end` is never completed.
struct Refusal {
  run::End end = run::End::launch_error;
  std::string message;
  bool operator==(const Refusal &) const = default;
};

/// Every id in range, every copy and memset inside its buffer, allocations within `scratch_bytes` at one
/// time. Pointers that a launch passes may lie anywhere: what a kernel does with them is for the GPU to find
/// out.
std::optional<Refusal> check_plan(const plan::LaunchPlan &plan, std::uint64_t scratch_bytes);

/// Which piece of memory each student buffer uses. Two buffers of one size share a slot when the first is
/// freed before the second is allocated, as they well might with cudaMalloc; so a loop of allocations needs
/// one piece.
struct Slots {
  std::vector<std::optional<std::uint32_t>> of_buffer;  ///< set for allocated student buffers
  std::vector<std::uint64_t> bytes;                     ///< of each slot
  bool operator==(const Slots &) const = default;
};
/// plan  one that check_plan() has nothing against
Slots assign_slots(const plan::LaunchPlan &plan);

}  // namespace warpgrade::gpu
