// What is stored of files: their hash, and their bytes compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpgrade::batch {

/// SHA-256, in hexadecimal, like the output of `sha256sum`.
std::string hash_of(std::string_view bytes);

/// The seed of a file's inputs, in a class whose seed no student knows: a report that reveals it reveals
/// nothing about other files' seeds. Below 2^53, so that every JSON reader keeps it.
std::uint64_t seed_of(std::uint64_t class_seed, std::string_view step, std::string_view file);

/// zstd, with a checksum. compressed() of the same bytes is the same.
std::string compressed(std::string_view bytes);
/// Throws std::runtime_error for anything else, for bytes that changed since, and for more than 1 GiB.
std::string expanded(std::string_view bytes);

}  // namespace warpgrade::batch
