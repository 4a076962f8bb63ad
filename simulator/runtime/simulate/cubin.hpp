// The one fact that is taken from machine code: how many registers ptxas gave each kernel.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace warpgrade::cuda {

/// By mangled name of the kernel; empty if the bytes are not a readable ELF image. Never throws for its
/// contents.
std::map<std::string, int> registers_in(std::span<const std::byte> elf);

}  // namespace warpgrade::cuda
