#include "base/wire.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace warpgrade {
namespace {

TEST(Wire, RoundTrips) {
  Writer to;
  to.put<std::uint32_t>(7);
  to.put(-2.5);
  to.put_string("two words");
  Reader from(to.bytes());
  EXPECT_EQ(from.get<std::uint32_t>(), 7u);
  EXPECT_EQ(from.get<double>(), -2.5);
  EXPECT_EQ(from.get_string(), "two words");
  EXPECT_TRUE(from.at_end());
}

TEST(Wire, EveryTruncationIsAnErrorAndNothingElse) {
  Writer to;
  to.put<std::uint64_t>(1);
  to.put_string("abc");  // 8 + 8 + 3 bytes
  ASSERT_EQ(to.bytes().size(), 19u);
  for (std::size_t length = 0; length < 19; ++length) {
    Reader from(std::span(to.bytes()).first(length));
    EXPECT_THROW(
        {
          from.get<std::uint64_t>();
          from.get_string();
        },
        WireError)
        << length;
  }
}

TEST(Wire, ALengthBeyondTheEndIsRefusedBeforeAnyoneAllocates) {
  Writer to;
  to.put<std::uint64_t>(~std::uint64_t{0});
  EXPECT_THROW(Reader(to.bytes()).get_bytes(), WireError);
  EXPECT_THROW(Reader(to.bytes()).get_count(1), WireError);
}

TEST(Wire, PlainStructuresRoundTrip) {
  struct Pair {
    std::int32_t first = 0;
    std::array<double, 2> second{};
  };
  Writer to;
  to.put(Pair{3, {0.5, -0.0}}).put(std::uint8_t{9});
  Reader from(to.bytes());
  const auto pair = from.get<Pair>();
  EXPECT_EQ(pair.first, 3);
  EXPECT_EQ(pair.second[0], 0.5);
  EXPECT_TRUE(std::signbit(pair.second[1]));
  EXPECT_EQ(from.get<std::uint8_t>(), 9);
}

TEST(Wire, CopiedBytesOutliveWhatTheyWereReadFrom) {
  std::vector<std::byte> copy;
  {
    Writer to;
    to.put_bytes(std::vector<std::byte>(3, std::byte{7}));
    copy = Reader(to.bytes()).copy_bytes();
  }
  EXPECT_EQ(copy, std::vector<std::byte>(3, std::byte{7}));
}

}  // namespace
}  // namespace warpgrade
