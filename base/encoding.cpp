#include "base/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace warpgrade {

namespace {

constexpr const char *how_to_save =
    "Save it as UTF-8: in Excel, 'Save As' and the type 'CSV UTF-8'; in LibreOffice, 'Save As' with 'Edit "
    "filter settings' and the character set 'Unicode (UTF-8)'";

int line_at(std::string_view bytes, std::size_t at) {
  return 1 +
         static_cast<int>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

void append(std::string &text, std::uint32_t c) {
  const auto byte = [&](std::uint32_t b) { text += static_cast<char>(b); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) return byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f));
  if (c < 0x10000) return byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f));
  byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f));
}

std::string from_utf16(std::string_view bytes, bool big) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<std::uint8_t>(bytes[at]),
               second = static_cast<std::uint8_t>(bytes[at + 1]);
    return static_cast<std::uint32_t>(big ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  const auto fail = [&](std::size_t at) {
    throw EncodingError(fmt::format("this is UTF-16 that is damaged at byte {}. {}", at, how_to_save),
                        line_at(text, text.size()));
  };
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    if (at + 1 == bytes.size()) fail(at);
    std::uint32_t c = unit(at);
    if (c >= 0xdc00 && c < 0xe000) fail(at);
    if (c >= 0xd800 && c < 0xdc00) {
      if (at + 3 >= bytes.size() || unit(at + 2) < 0xdc00 || unit(at + 2) >= 0xe000) fail(at);
      c = 0x10000 + ((c - 0xd800) << 10) + (unit(at + 2) - 0xdc00);
      at += 2;
    }
    append(text, c);
  }
  return text;
}

/// Which of two neighbouring bytes is nearly always 0, as in UTF-16 of Latin letters: 0, 1; else 2. The other may
/// sometimes be 0, as in the second half of an emoji.
std::size_t place_of_zeros(std::string_view bytes) {
  std::array<std::size_t, 2> zeros{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    if (bytes[at] == '\0') ++zeros[at % 2];
  const std::size_t pairs = bytes.size() / 2;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}})
    if (pairs > 0 && 2 * zeros[place] > pairs && 8 * zeros[1 - place] < zeros[place]) return place;
  return 2;
}

[[noreturn]] void fail_at(std::string_view bytes, std::size_t at) {
  const std::size_t line = bytes.substr(0, at).find_last_of("\r\n");
  const std::string_view before = bytes.substr(line == std::string_view::npos ? 0 : line + 1,
                                               at - (line == std::string_view::npos ? 0 : line + 1));
  throw EncodingError(
      fmt::format("this is not UTF-8: the byte 0x{:02x} follows '{}'. It may be Windows-1252, Latin-1 or "
                  "another encoding of letters with accents. {}",
                  static_cast<std::uint8_t>(bytes[at]),
                  for_terminal(before.substr(before.size() - std::min<std::size_t>(before.size(), 30))),
                  how_to_save),
      line_at(bytes, at));
}

}  // namespace

std::string utf8_of(std::string_view bytes) {
  using std::operator""sv;
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
    throw EncodingError(fmt::format("this is UTF-32. {}", how_to_save), 1);
  if (bytes.starts_with("PK\x03\x04"sv))
    throw EncodingError(
        fmt::format("this is a spreadsheet or another zip file (it begins with 'PK'), not CSV. {}",
                    how_to_save),
        1);
  if (bytes.starts_with("\xff\xfe"sv)) return from_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xfe\xff"sv)) return from_utf16(bytes.substr(2), true);
  if (bytes.starts_with("\xef\xbb\xbf"sv)) bytes.remove_prefix(3);
  if (const std::size_t zeros = place_of_zeros(bytes); zeros < 2) return from_utf16(bytes, zeros == 0);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto c = code_point(bytes, at);
    if (!c) fail_at(bytes, at);
    if (c->first == 0)
      throw EncodingError(fmt::format("this is not text: byte {} is 0. {}", at, how_to_save),
                          line_at(bytes, at));
    at += c->second;
  }
  return std::string(bytes);
}

}  // namespace warpgrade
