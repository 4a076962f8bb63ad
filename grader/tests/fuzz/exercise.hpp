// What the fuzzers do with one input, and what the tests repeat with everything the fuzzers once found. Each
// returns for any bytes whatever, in bounded time and memory; a refusal is an answer, an exception of another
// kind escapes.
#pragma once

#include <cstddef>
#include <span>

namespace warpgrade::fuzz {

/// Parses the bytes as PTX, then queries everything that ptx/ can say about a module.
void exercise_ptx(std::span<const std::byte>);

/// Reads the bytes as a fat binary and parses each PTX image in it.
void exercise_fatbin(std::span<const std::byte>);

/// Parses the bytes as PTX, then launches each kernel (the first eight) with two small blocks, 8 MiB of
/// device memory and at most 3000 warp instructions; each 8-byte parameter points to 4 KiB, the others are 8.
void exercise_simt(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
