// libFuzzer: see docs/fuzzing.md.
#include <cstdint>

#include "exercise_service.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  warpgrade::fuzz::exercise_service(std::as_bytes(std::span(data, size)));
  return 0;
}
