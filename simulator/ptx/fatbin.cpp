#include "ptx/fatbin.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#ifdef WARPGRADE_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef WARPGRADE_HAVE_ZSTD
#include <zstd.h>
#endif

namespace warpgrade::ptx {
namespace {

constexpr std::uint32_t magic = 0xBA55ED50;
constexpr std::uint64_t max_decompressed = 1ull << 30;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw FormatError("fat binary: truncated");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

[[noreturn]] [[maybe_unused]] void refuse_compression(const char *name) {
  throw FormatError("fat binary: compressed with " + std::string(name) +
                    ", which this build cannot read; compile with nvcc -no-compress");
}

std::vector<std::byte> decode_zstd([[maybe_unused]] std::span<const std::byte> frame,
                                   [[maybe_unused]] std::size_t size) {
#ifdef WARPGRADE_HAVE_ZSTD
  // A block of at most 128 KiB takes at least 4 bytes: a hostile size must not allocate by itself.
  if (size / (128 << 10) > frame.size() / 4) throw FormatError("fat binary: damaged zstd frame");
  std::vector<std::byte> out(size);
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) throw FormatError("fat binary: damaged zstd frame");
  return out;
#else
  refuse_compression("zstd");
#endif
}

std::vector<std::byte> decode_lz4([[maybe_unused]] std::span<const std::byte> block,
                                  [[maybe_unused]] std::size_t size) {
#ifdef WARPGRADE_HAVE_LZ4
  // A byte of a length stands for at most 255 bytes: a hostile size must not allocate by itself.
  if (size / 256 > block.size()) throw FormatError("fat binary: damaged LZ4 block");
  std::vector<std::byte> out(size);
  const int got =
      LZ4_decompress_safe(reinterpret_cast<const char *>(block.data()), reinterpret_cast<char *>(out.data()),
                          static_cast<int>(block.size()), static_cast<int>(size));
  if (got < 0 || static_cast<std::size_t>(got) != size) throw FormatError("fat binary: damaged LZ4 block");
  return out;
#else
  refuse_compression("LZ4");
#endif
}

std::vector<std::byte> payload_of(std::span<const std::byte> stored, std::uint32_t compressed,
                                  std::uint64_t flags, std::uint64_t size) {
  if (compressed == 0 || size == 0) return {stored.begin(), stored.end()};
  if (compressed > stored.size()) throw FormatError("fat binary: truncated entry");
  if (size > max_decompressed) throw FormatError("fat binary: an entry of more than 1 GiB");
  const auto packed = stored.first(compressed);
  if (flags & flag_zstd) return decode_zstd(packed, size);
  if (flags & flag_lz4) return decode_lz4(packed, size);
  throw FormatError("fat binary: unknown compression; compile with nvcc -no-compress");
}

Image image_of(std::span<const std::byte> entry, std::uint32_t header) {
  Image image;
  image.kind = read_at<std::uint16_t>(entry, 0) == 1 ? Image::Kind::ptx : Image::Kind::elf;
  image.sm = static_cast<int>(read_at<std::uint32_t>(entry, 28));
  const auto name_at = read_at<std::uint32_t>(entry, 32), name_size = read_at<std::uint32_t>(entry, 36);
  if (name_size != 0) {
    if (name_at > header || name_size > header - name_at) throw FormatError("fat binary: bad name");
    image.name.assign(reinterpret_cast<const char *>(entry.data()) + name_at, name_size);
    image.name.resize(std::strlen(image.name.c_str()));
  }
  image.bytes = payload_of(entry.subspan(header), read_at<std::uint32_t>(entry, 16),
                           read_at<std::uint64_t>(entry, 40), read_at<std::uint64_t>(entry, 56));
  if (image.kind == Image::Kind::ptx)
    while (!image.bytes.empty() && image.bytes.back() == std::byte{0}) image.bytes.pop_back();
  return image;
}

void read_entries(std::span<const std::byte> payload, std::vector<Image> &images, std::uint64_t &total) {
  while (!payload.empty()) {
    const auto kind = read_at<std::uint16_t>(payload, 0);
    const auto header = read_at<std::uint32_t>(payload, 4);
    const auto size = read_at<std::uint64_t>(payload, 8);
    if (header < 64 || header > payload.size() || size > payload.size() - header)
      throw FormatError("fat binary: truncated entry");
    if (kind == 1 || kind == 2) {
      images.push_back(image_of(payload.first(header + size), header));
      total += images.back().bytes.size();
      if (total > max_decompressed) throw FormatError("fat binary: more than 1 GiB decompressed");
    }
    payload = payload.subspan(header + size);
  }
}

/// 7 and 1 of ".version 7.1"; 0 and 0 where there is none.
std::pair<std::uint16_t, std::uint16_t> version_of(std::span<const std::byte> ptx) {
  const std::string_view text(reinterpret_cast<const char *>(ptx.data()), ptx.size());
  constexpr std::string_view sign = ".version ";
  std::uint16_t major = 0, minor = 0;
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos) return {0, 0};
  const char *const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + at + sign.size(), end, major);
  if (read.ptr != end && *read.ptr == '.') std::from_chars(read.ptr + 1, end, minor);
  return {major, minor};
}

}  // namespace

std::vector<Image> read_fatbin(std::span<const std::byte> bytes) {
  std::vector<Image> images;
  std::uint64_t total = 0;
  if (bytes.empty()) throw FormatError("fat binary: empty");
  while (!bytes.empty()) {
    if (bytes.front() == std::byte{0}) {  // padding between two fat binaries
      bytes = bytes.subspan(1);
      continue;
    }
    if (read_at<std::uint32_t>(bytes, 0) != magic) throw FormatError("fat binary: wrong magic number");
    if (read_at<std::uint16_t>(bytes, 4) != 1) throw FormatError("fat binary: unknown version");
    const auto header = read_at<std::uint16_t>(bytes, 6);
    const auto size = read_at<std::uint64_t>(bytes, 8);
    if (header < 16 || header > bytes.size() || size > bytes.size() - header)
      throw FormatError("fat binary: truncated");
    read_entries(bytes.subspan(header, size), images, total);
    bytes = bytes.subspan(header + size);
  }
  return images;
}

// Laid out as nvcc 13 does, since a driver reads all of it: one that finds no place for options ends with a
// segmentation fault.
std::vector<std::byte> wrap_ptx(std::span<const std::byte> ptx, int sm) {
  constexpr std::size_t container = 16, header = 80, options = 64, option_text = 72;
  const std::size_t padded = (ptx.size() + 1 + 7) / 8 * 8;  // a NUL at least: it is a text
  std::vector<std::byte> out(container + header + padded);
  const auto put = [&](std::size_t offset, auto value) { std::memcpy(&out[offset], &value, sizeof value); };
  put(0, magic);
  put(4, std::uint16_t{1});
  put(6, static_cast<std::uint16_t>(container));
  put(8, static_cast<std::uint64_t>(header + padded));
  put(container, std::uint16_t{1});  // PTX
  put(container + 2, std::uint16_t{0x0101});
  put(container + 4, static_cast<std::uint32_t>(header));
  put(container + 8, static_cast<std::uint64_t>(padded));
  put(container + 20, static_cast<std::uint32_t>(options));
  const auto [major, minor] = version_of(ptx);
  put(container + 24, minor);
  put(container + 26, major);
  put(container + 28, static_cast<std::uint32_t>(sm));
  put(container + 40, std::uint64_t{0x11});  // 64 bit, Linux
  put(container + options, static_cast<std::uint32_t>(option_text));
  put(container + options + 4, std::uint32_t{0});  // bytes of text
  std::copy(ptx.begin(), ptx.end(), out.begin() + container + header);
  return out;
}

}  // namespace warpgrade::ptx
