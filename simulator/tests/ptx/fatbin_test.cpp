#include "ptx/fatbin.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace warpgrade::ptx {
namespace {

std::vector<std::byte> bytes_of(const std::string &text) {
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {first, first + text.size()};
}

void put(std::vector<std::byte> &out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

/// One entry as nvcc 13 writes it; compressed is 0 for a plain payload.
std::vector<std::byte> entry(int kind, std::uint32_t sm, std::vector<std::byte> payload,
                             std::uint64_t flags = 0x11, std::uint32_t compressed = 0,
                             std::uint64_t size = 0) {
  std::vector<std::byte> out;
  put(out, static_cast<std::uint64_t>(kind), 2), put(out, 0x0101, 2), put(out, 64, 4),
      put(out, payload.size(), 8);
  put(out, compressed, 4), put(out, 0x40, 4), put(out, 0, 2), put(out, 9, 2), put(out, sm, 4);
  put(out, 0, 4), put(out, 0, 4), put(out, flags, 8), put(out, 0, 8), put(out, size, 8);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

std::vector<std::byte> fatbin(const std::vector<std::vector<std::byte>> &entries) {
  std::vector<std::byte> payload, out;
  for (const auto &one : entries) payload.insert(payload.end(), one.begin(), one.end());
  put(out, 0xBA55ED50, 4), put(out, 1, 2), put(out, 16, 2), put(out, payload.size(), 8);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

std::string text_of(const Image &image) {
  return {reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()};
}

TEST(Fatbin, GivesPlainPtxWithoutItsPaddingAndTheElf) {
  const auto images = read_fatbin(
      fatbin({entry(2, 90, bytes_of("ELF.")), entry(1, 80, bytes_of(std::string("ptx\0\0\0\0\0", 8)))}));
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].kind, Image::Kind::elf);
  EXPECT_EQ(images[0].sm, 90);
  EXPECT_EQ(text_of(images[1]), "ptx");
  EXPECT_EQ(images[1].sm, 80);
}

TEST(Fatbin, MayBeConcatenated) {
  auto bytes = fatbin({entry(1, 75, bytes_of("one"))});
  bytes.resize(bytes.size() + 8);
  const auto more = fatbin({entry(1, 80, bytes_of("two"))});
  bytes.insert(bytes.end(), more.begin(), more.end());
  EXPECT_EQ(read_fatbin(bytes).size(), 2u);
}

// token 0x35: 3 literals "abc", then 5 + 4 bytes from 3 back; token 0x50: the last 5 literals, which LZ4 asks for
const std::string lz4_block = std::string(
    "\x35"
    "abc\x03\0\x50"
    "hello",
    12);

#ifdef WARPGRADE_HAVE_LZ4
TEST(Fatbin, DecodesLz4WithOverlappingMatches) {
  const auto images = read_fatbin(fatbin({entry(1, 80, bytes_of(lz4_block), 0x2011, 12, 17)}));
  EXPECT_EQ(text_of(images.at(0)), "abcabcabcabchello");
}
#else
TEST(Fatbin, SaysWhatToDoWhereLz4CannotBeRead) {
  try {
    read_fatbin(fatbin({entry(1, 80, bytes_of(lz4_block), 0x2011, 12, 17)}));
    ADD_FAILURE() << "it was read";
  } catch (const FormatError &e) {
    EXPECT_NE(std::string(e.what()).find("compile with nvcc -no-compress"), std::string::npos) << e.what();
  }
}
#endif

TEST(Fatbin, RefusesDamagedLz4) {
  std::string far = lz4_block;
  far[4] = 9;  // 9 bytes back, where there are 3
  EXPECT_THROW(read_fatbin(fatbin({entry(1, 80, bytes_of(far), 0x2011, 12, 17)})), FormatError);
  EXPECT_THROW(read_fatbin(fatbin({entry(1, 80, bytes_of(lz4_block), 0x2011, 12, 18)})), FormatError);
  EXPECT_THROW(read_fatbin(fatbin({entry(1, 80, bytes_of("\xF0"), 0x2011, 1, 1u << 30)})), FormatError);
}

TEST(Fatbin, EveryTruncationIsAnErrorAndNothingWorse) {
  const auto whole = fatbin({entry(1, 80, bytes_of("some text")), entry(2, 80, bytes_of("more"))});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(read_fatbin(std::span(whole).first(size)), FormatError) << size;
}

TEST(Fatbin, EveryFlippedByteIsReadOrRefused) {
  const auto whole =
      fatbin({entry(1, 80, bytes_of("some text"), 0x2011, 9, 20), entry(2, 80, bytes_of("more"))});
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int value : {0, 1, 127, 128, 255}) {
      auto damaged = whole;
      damaged[i] = static_cast<std::byte>(value);
      try {
        read_fatbin(damaged);
      } catch (const FormatError &) {
      }
    }
}

}  // namespace
}  // namespace warpgrade::ptx
