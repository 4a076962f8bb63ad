#include "base/zip.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace warpgrade {

namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
    table[byte] = crc;
  }
  return table;
}();

std::uint32_t crc32(const std::string &bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ crc_table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

void put(std::string &to, std::size_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Shared by the header before the content and the entry of the directory.
std::string facts(const std::string &name, const std::string &content) {
  std::string out;
  put(out, 20, 2);                       // the version needed to read it: 2.0
  put(out, 0x800, 2);                    // names are UTF-8
  put(out, 0, 2);                        // stored
  put(out, 0, 2);                        // 0:00
  put(out, (0 << 9) | (1 << 5) | 1, 2);  // 1980-01-01, the earliest date
  put(out, crc32(content), 4);
  put(out, content.size(), 4);
  put(out, content.size(), 4);
  put(out, name.size(), 2);
  put(out, 0, 2);  // nothing extra
  return out;
}

}  // namespace

std::string zip(const std::vector<ZipEntry> &entries) {
  std::string out, directory;
  if (entries.size() >= std::numeric_limits<std::uint16_t>::max())
    throw std::invalid_argument("too many files for a zip");
  for (const auto &[name, content, executable] : entries) {
    if (out.size() + content.size() >= std::numeric_limits<std::uint32_t>::max() - 65536)
      throw std::invalid_argument("too much for a zip");
    const std::string common = facts(name, content);
    directory += "PK\1\2";
    put(directory, (3 << 8) | 20, 2);  // made on Unix
    directory += common;
    put(directory, 0, 2);  // no comment
    put(directory, 0, 2);  // the first disk
    put(directory, 0, 2);  // no text
    put(directory, std::size_t{executable ? 0100755u : 0100644u} << 16, 4);
    put(directory, out.size(), 4);
    directory += name;
    out += "PK\3\4" + common + name + content;
  }
  const std::size_t begin = out.size();
  out += directory;
  out += "PK\5\6";
  put(out, 0, 4);  // of one disk
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

std::optional<std::vector<ZipEntry>> stored_entries(std::string_view zip) {
  constexpr std::size_t end_bytes = 22, directory_bytes = 46, header_bytes = 30;
  const auto number = [&](std::size_t at, int bytes) {
    std::size_t value = 0;
    for (int i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(zip[at + static_cast<std::size_t>(i)]);
    return value;
  };
  const auto begins = [&](std::size_t at, std::size_t bytes, std::string_view mark) {
    return at <= zip.size() && zip.size() - at >= bytes && zip.substr(at, 4) == mark;
  };
  if (zip.size() < end_bytes) return std::nullopt;
  const std::size_t end = zip.size() - end_bytes;
  if (!begins(end, end_bytes, "PK\5\6")) return std::nullopt;
  std::vector<ZipEntry> entries;
  std::size_t at = number(end + 16, 4), content_begin = 0;  // in the order in which they were written
  for (std::size_t left = number(end + 10, 2); left > 0; --left) {
    if (!begins(at, directory_bytes, "PK\1\2")) return std::nullopt;
    const std::size_t size = number(at + 24, 4), name_bytes = number(at + 28, 2), header = number(at + 42, 4);
    const std::size_t more = name_bytes + number(at + 30, 2) + number(at + 32, 2);
    const bool stored = number(at + 10, 2) == 0 && (number(at + 8, 2) & 1) == 0 && number(at + 20, 4) == size;
    if (!stored || header < content_begin || zip.size() - at < directory_bytes + more ||
        !begins(header, header_bytes, "PK\3\4"))
      return std::nullopt;
    const std::size_t begin = header + header_bytes + number(header + 26, 2) + number(header + 28, 2);
    if (begin > end || end - begin < size) return std::nullopt;
    ZipEntry entry{std::string(zip.substr(at + directory_bytes, name_bytes)),
                   std::string(zip.substr(begin, size))};
    if (crc32(entry.content) != number(at + 16, 4)) return std::nullopt;
    entries.push_back(std::move(entry));
    content_begin = begin + size;
    at += directory_bytes + more;
  }
  return entries;
}

}  // namespace warpgrade
