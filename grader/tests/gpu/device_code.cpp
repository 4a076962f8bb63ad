#include "tests/gpu/device_code.hpp"

asm(".section .rodata\n"
    ".balign 16\n"
    "warpgrade_test_fatbin:\n"
    ".incbin \"" WARPGRADE_TEST_FATBIN
    "\"\n"
    "warpgrade_test_fatbin_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const std::byte warpgrade_test_fatbin[];
extern const std::byte warpgrade_test_fatbin_end[];
}

namespace warpgrade::gpu {

std::vector<std::byte> test_fat_binary() {
  return {warpgrade_test_fatbin, warpgrade_test_fatbin_end};
}

}  // namespace warpgrade::gpu
