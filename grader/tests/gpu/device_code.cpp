#include "tests/gpu/device_code.hpp"

#define WARPGRADE_EMBED(name, file) \
  asm(".section .rodata\n"          \
      ".balign 16\n" name           \
      ":\n"                         \
      ".incbin \"" file "\"\n" name \
      "_end:\n"                     \
      ".byte 0\n"                   \
      ".previous\n")
WARPGRADE_EMBED("warpgrade_test_fatbin", WARPGRADE_TEST_FATBIN);
WARPGRADE_EMBED("warpgrade_tensor_fatbin", WARPGRADE_TENSOR_FATBIN);
WARPGRADE_EMBED("warpgrade_hopper_fatbin", WARPGRADE_HOPPER_FATBIN);

extern "C" {
extern const std::byte warpgrade_test_fatbin[];
extern const std::byte warpgrade_test_fatbin_end[];
extern const std::byte warpgrade_tensor_fatbin[];
extern const std::byte warpgrade_tensor_fatbin_end[];
extern const std::byte warpgrade_hopper_fatbin[];
extern const std::byte warpgrade_hopper_fatbin_end[];
}

namespace warpgrade::gpu {

std::vector<std::byte> test_fat_binary() {
  return {warpgrade_test_fatbin, warpgrade_test_fatbin_end};
}

std::vector<std::byte> tensor_fat_binary() {
  return {warpgrade_tensor_fatbin, warpgrade_tensor_fatbin_end};
}

std::vector<std::byte> hopper_fat_binary() {
  return {warpgrade_hopper_fatbin, warpgrade_hopper_fatbin_end};
}

}  // namespace warpgrade::gpu
