// Bytes as base64 text (RFC 4648, section 4), and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgrade {

std::string base64(std::string_view bytes);
/// RFC 4648, section 5, for URLs and JSON Web Tokens: without padding.
std::string base64url(std::string_view bytes);
/// Nothing unless the text is padded base64, without line ends or blanks.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace warpgrade
