// libFuzzer: see docs/fuzzing.md.
#include <cstdint>

#include "exercise_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  warpgrade::fuzz::exercise_message(std::as_bytes(std::span(data, size)));
  return 0;
}
