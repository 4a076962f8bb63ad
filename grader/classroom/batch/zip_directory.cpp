#include "batch/zip_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "batch/archive.hpp"
#include "batch/names.hpp"

namespace warpgrade::batch {

namespace {

constexpr const char *truncated =
    "The zip is incomplete: its directory, which is at the end, is missing or damaged. Was the upload cut "
    "off? "
    "Hand it in again.";

[[noreturn]] void damaged(const std::string &what) {
  throw Refused(fmt::format("The zip is damaged: {}.", what));
}

/// A little-endian number of `size` bytes.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

std::string bytes_at(const Bytes &zip, std::uint64_t offset, std::uint64_t size) {
  if (offset > zip.size() || size > zip.size() - offset) throw Refused(truncated);
  std::string bytes(size, '\0');
  if (zip.read(offset, bytes) != size) throw Refused(truncated);
  return bytes;
}

struct Directory {
  std::uint64_t entries = 0, size = 0, offset = 0;
};

constexpr std::uint64_t end_size = 22, locator_size = 20, end64_size = 56, header_size = 46, local_size = 30;

Directory find_directory(const Bytes &zip) {
  if (zip.size() < end_size) throw Refused(truncated);
  const std::uint64_t tail_size = std::min<std::uint64_t>(zip.size(), end_size + 0xffff);
  const std::string tail = bytes_at(zip, zip.size() - tail_size, tail_size);
  // The record has a comment behind it, and the comment could hold what looks like such a record: it counts
  // only where its own comment reaches exactly the end.
  std::optional<std::size_t> at;
  for (std::size_t i = tail.size() - end_size + 1; i-- > 0 && !at;)
    if (tail.compare(i, 4, "PK\5\6") == 0 && i + end_size + number(tail, i + 20, 2) == tail.size()) at = i;
  if (!at) throw Refused(truncated);
  const std::string_view end = std::string_view(tail).substr(*at);
  if (number(end, 4, 2) != 0 || number(end, 6, 2) != 0 || number(end, 8, 2) != number(end, 10, 2))
    throw Refused("The zip is one of several volumes. Hand in a single archive.");
  Directory directory{number(end, 10, 2), number(end, 12, 4), number(end, 16, 4)};
  std::uint64_t directory_end = zip.size() - tail_size + *at;

  if (directory_end >= locator_size + end64_size) {
    const std::string locator = bytes_at(zip, directory_end - locator_size, locator_size);
    if (locator.starts_with("PK\6\7")) {
      const std::uint64_t place = number(locator, 8, 8);
      if (place > directory_end - locator_size - end64_size) throw Refused(truncated);
      const std::string end64 = bytes_at(zip, place, end64_size);
      if (!end64.starts_with("PK\6\6")) throw Refused(truncated);
      directory = {number(end64, 32, 8), number(end64, 40, 8), number(end64, 48, 8)};
      directory_end = place;
    }
  }
  if (directory.size > directory_end || directory.offset != directory_end - directory.size)
    damaged("its directory is not where its end says");
  return directory;
}

struct Span {
  std::uint64_t begin = 0, end = 0;
  std::string name;
};

/// Where an entry could not know its sizes and checksum when it began, they follow its data.
constexpr std::uint64_t trailed_flag = 8;

std::uint64_t trailed_checksum(const Bytes &zip, std::uint64_t at, const Directory &directory) {
  if (directory.offset - at < 8) damaged("an entry is outside of it");
  const std::string bytes = bytes_at(zip, at, 8);
  return number(bytes, bytes.starts_with("PK\7\10") ? 4 : 0, 4);  // the signature may be left out
}

/// libarchive believes the entry where the directory says something else, and says so in a warning at most.
void check_checksum(const Bytes &zip, std::string_view header, std::string_view local, std::uint64_t data_end,
                    const Directory &directory, const std::string &name) {
  const std::uint64_t crc = number(header, 16, 4), own = number(local, 14, 4);
  const bool trailed = own == 0 && crc != 0 && (number(local, 6, 2) & trailed_flag) != 0;
  if ((trailed ? trailed_checksum(zip, data_end, directory) : own) == crc) return;
  damaged(fmt::format("its directory has another checksum for {} than the entry itself", shown(name)));
}

/// The sizes and the place of an entry, with the 64-bit ones of its extra field where the others are full.
Span span_of(const Bytes &zip, std::string_view header, const std::string &name, std::string_view extra,
             const Directory &directory) {
  std::uint64_t packed = number(header, 20, 4), unpacked = number(header, 24, 4),
                offset = number(header, 42, 4);
  for (std::string_view rest = extra; rest.size() >= 4;) {
    const std::uint64_t id = number(rest, 0, 2), size = number(rest, 2, 2);
    if (size > rest.size() - 4) break;
    std::string_view field = rest.substr(4, size);
    if (id == 1)
      for (std::uint64_t *value : {&unpacked, &packed, &offset})
        if (*value == 0xffffffff && field.size() >= 8) {
          *value = number(field, 0, 8);
          field.remove_prefix(8);
        }
    rest.remove_prefix(4 + size);
  }
  if (offset > directory.offset || directory.offset - offset < local_size)
    damaged("an entry is outside of it");
  const std::string local = bytes_at(zip, offset, local_size);
  if (!local.starts_with("PK\3\4")) damaged("an entry does not begin where the directory says");
  const std::uint64_t name_size = number(local, 26, 2);
  if (bytes_at(zip, offset + local_size, name_size) != name)
    damaged(
        fmt::format("its directory calls an entry {}, and the entry itself has another name", shown(name)));
  const std::uint64_t data = offset + local_size + name_size + number(local, 28, 2);
  if (data > directory.offset || packed > directory.offset - data) damaged("an entry is outside of it");
  check_checksum(zip, header, local, data + packed, directory, name);
  return {offset, data + packed, name};
}

/// What is neither a file, a folder nor a link, for a system that has such.
bool is_special(std::string_view header) {
  const std::uint64_t system = number(header, 5, 1), type = number(header, 40, 2) & 0170000;
  constexpr std::uint64_t from_unix = 3, from_macos = 19;
  return (system == from_unix || system == from_macos) && type != 0 && type != 0100000 && type != 0040000 &&
         type != 0120000;
}

}  // namespace

std::set<std::string> check_zip(const Bytes &zip, std::uint64_t most_entries) {
  std::set<std::string> special;
  const Directory directory = find_directory(zip);
  if (directory.entries > most_entries)
    throw Refused(
        fmt::format("The archive has {} entries, at most {} are accepted. Hand in only the step files.",
                    directory.entries, most_entries));
  std::vector<Span> spans;
  std::uint64_t at = directory.offset;
  const std::uint64_t end = directory.offset + directory.size;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (end - at < header_size) damaged("its directory ends too early");
    const std::string header = bytes_at(zip, at, header_size);
    if (!header.starts_with("PK\1\2")) damaged("its directory ends too early");
    const std::uint64_t name_size = number(header, 28, 2), extra_size = number(header, 30, 2),
                        comment_size = number(header, 32, 2);
    if (end - at - header_size < name_size + extra_size + comment_size)
      damaged("its directory ends too early");
    const std::string rest = bytes_at(zip, at + header_size, name_size + extra_size);
    const std::string name = rest.substr(0, name_size);
    if (name.find('\0') != std::string::npos)  // every reader in C takes it for another name
      throw Refused(fmt::format("{} in the archive has a control character in its name.", shown(name)));
    spans.push_back(span_of(zip, header, name, std::string_view(rest).substr(name_size), directory));
    if (is_special(header)) special.insert(fmt::format("{}", fmt::join(parts_of(name), "/")));
    at += header_size + name_size + extra_size + comment_size;
  }
  if (at != end) damaged("its directory holds more than its end says");
  std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].begin < spans[i - 1].end)
      throw Refused(
          fmt::format("The entries {} and {} of the zip overlap, as in an archive made to fill a disk.",
                      shown(spans[i - 1].name), shown(spans[i].name)));
  return special;
}

}  // namespace warpgrade::batch
