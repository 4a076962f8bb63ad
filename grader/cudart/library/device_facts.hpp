// The simulated device as programs are told of it: limits of compute capability 9.0, which the simulator has
// too, with fewer multiprocessors, so that programs that fill the device stay small.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::cudart {

struct DeviceFacts {
  const char *name = "Warpgrade simulated GPU";
  int major = 9, minor = 0, sm = 90;
  std::uint64_t global_bytes = 8ull << 30;
  std::size_t constant_bytes = 64 << 10;
  int multiprocessors = 16;
  int threads_per_block = 1024, threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
  int registers = 65536;  ///< of a block, of a multiprocessor
  std::size_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10;
  std::size_t shared_per_multiprocessor = 228 << 10, reserved_shared_per_block = 1 << 10;
  int clock_khz = 1'000'000, memory_clock_khz = 1'000'000;  ///< round, since time means nothing
  int memory_bus_bits = 4096, l2_bytes = 32 << 20;
  int warp = 32;
  std::size_t alignment = 512;  ///< of allocations, pitches and textures
};
inline constexpr DeviceFacts device_facts;

/// Registers a thread where the program holds no machine code to tell.
inline constexpr int assumed_registers = 32;

}  // namespace warpgrade::cudart
