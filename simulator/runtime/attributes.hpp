// What a program can query about a device and its kernels: the table of attributes, and occupancy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/backend.hpp"

namespace warpgrade::cuda {

inline constexpr int warp_size = 32;
/// Of allocations, pitches and textures, bytes.
inline constexpr std::size_t memory_alignment = 512;
/// Registers per thread if there is no machine code.
inline constexpr std::uint32_t assumed_registers = 32;

/// cudaDeviceGetAttribute: nothing for a number that no attribute has, 0 for what this device lacks.
std::optional<int> attribute(const Device &, int which);

std::uint64_t reserved_shared_bytes(const Device &);  ///< of each block, by the system
std::uint32_t registers_of(const Kernel &);           ///< per thread, as programs see them
int max_threads_of(const Device &, const Kernel &);   ///< of a block of this kernel
std::uint64_t max_dynamic_shared_of(const Device &, const Kernel &);
/// How many blocks fit on one multiprocessor.
int active_blocks(const Device &, const Kernel &, int block_threads, std::uint64_t dynamic_shared);
/// Dynamic shared memory in bytes that each of `blocks` blocks on a multiprocessor can have; nothing if so
/// many do not fit even without.
std::optional<std::uint64_t> available_dynamic_shared(const Device &, const Kernel &, int blocks,
                                                      int block_threads);

}  // namespace warpgrade::cuda
