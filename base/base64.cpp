#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace warpgrade {

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= here ? base64_digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string base64url(std::string_view bytes) {
  std::string text = base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::string_view four = text.substr(at, 4);
    const std::size_t padding = four[3] != '=' ? 0 : four[2] != '=' ? 1 : 2;
    if (padding > 0 && at + 4 != text.size()) return std::nullopt;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t digit = i < 4 - padding ? base64_digits.find(four[i]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    if ((padding == 1 && (bits & 0xffu) != 0) || (padding == 2 && (bits & 0xffffu) != 0)) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i) bytes += static_cast<char>(bits >> (16 - 8 * i) & 255);
  }
  return bytes;
}

}  // namespace warpgrade
