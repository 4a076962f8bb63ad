#include "base/json_fields.hpp"

#include <limits>

#include "base/text.hpp"

namespace warpgrade::json {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string bytes_of(const std::string &text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == digits.npos || low == digits.npos) unexpected("no hexadecimal digits: " + text);
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace

void unexpected(const std::string &what) {
  throw Json::other_error::create(501, what, nullptr);
}

Json write_text(const std::string &text) {
  if (is_utf8(text)) return text;
  return {{"bytes", hexadecimal(text)}};
}

std::string read_text(const Json &from) {
  return from.is_object() ? bytes_of(from.at("bytes").get<std::string>()) : from.get<std::string>();
}

Json write_real(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double read_real(const Json &from) {
  if (!from.is_string()) return from.get<double>();
  const std::string &name = from.get_ref<const std::string &>();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  unexpected("no number: " + name);
}

}  // namespace warpgrade::json
