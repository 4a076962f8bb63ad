// libFuzzer: see docs/fuzzing.md.
#include <cstdint>

#include "exercise_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  warpgrade::fuzz::exercise_plan(std::as_bytes(std::span(data, size)));
  return 0;
}
