// Checks of a plan before any GPU sees it, and the placement of its scratch buffers. Pure functions.
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

/// How many devices a plan is for.
std::size_t devices_of(const plan::LaunchPlan &plan);

/// Every id in range, every copy and memset inside its buffer, allocations within `scratch_bytes` at any
/// time; streams, events and devices that exist. Pointers that a launch passes may point anywhere: the GPU finds
/// out what a kernel does with them.
std::optional<Refusal> check_plan(const plan::LaunchPlan &plan, std::uint64_t scratch_bytes);

/// Which piece of memory each student buffer uses. Two buffers of the same size share a slot if the first is
/// freed before the second is allocated, as may happen with cudaMalloc; so a loop of allocations needs one
/// piece. A slot is on one device.
struct Slots {
  std::vector<std::optional<std::uint32_t>> of_buffer;  ///< set for allocated student buffers
  std::vector<std::uint64_t> bytes;                     ///< of each slot
  std::vector<std::uint8_t> device;                     ///< likewise
  bool operator==(const Slots &) const = default;
};
/// plan  one that check_plan() accepts
Slots assign_slots(const plan::LaunchPlan &plan);

}  // namespace warpgrade::gpu
