// From a checked launch to its result. Internal to simt.
#pragma once

#include "machine/block_run.hpp"

namespace warpgrade::simt {

/// Why the driver would refuse the launch, in a sentence; empty if it would not. max_dynamic: bytes allowed
/// beyond 48 KiB
std::string why_not(const Launch &, const ptx::KernelFacts &, std::uint32_t max_dynamic);

LaunchResult run_launch(LaunchState &);
/// From the start, in the order that the state says. The caller has put memory back.
LaunchResult run_again(LaunchState &);

}  // namespace warpgrade::simt
