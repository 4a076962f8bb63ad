// What the fuzzer of launch plans does with one input; the tests repeat it with everything the fuzzer once
// found.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace warpgrade::fuzz {

/// The call that every input is an answer to: sgemm with M, N, K = 5, 4, 3 and the kernels of
/// plan/kernels.ptx.
const plan::CallRequest &call_of_the_harness();

/// An input whose first byte is 'a' is what the record server answers; else the rest is what a worker wrote.
/// A plan in it is held to the promises of plan/decode.hpp, put into words, checked as for a GPU, and
/// replayed on the simulator, twice in turn. Aborts when a promise is broken.
void exercise_plan(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
