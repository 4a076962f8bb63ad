// What is kept of files: their hash, and their bytes made small.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgrade::batch {

/// SHA-256, in hexadecimal: what `sha256sum` prints.
std::string hash_of(std::string_view bytes);

/// zstd. compressed() of the same bytes is the same.
std::string compressed(std::string_view bytes);
/// Throws std::runtime_error for anything else, and for more than 1 GiB.
std::string expanded(std::string_view bytes);

}  // namespace warpgrade::batch
