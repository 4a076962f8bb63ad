// Text as code points, for those who must know whether bytes are text at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace warpgrade::json {

/// The code point at `at` and its length, or nothing when the bytes there are no valid UTF-8.
std::optional<std::pair<char32_t, std::size_t>> code_point(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);

}  // namespace warpgrade::json
