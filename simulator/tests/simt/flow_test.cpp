// Sets of registers, which the decoder's analyses join for every block.
#include "decode/flow.hpp"

#include <gtest/gtest.h>

namespace warpgrade::simt {
namespace {

std::vector<std::size_t> members(const RegisterSet &set) {
  std::vector<std::size_t> all;
  set.for_each([&](std::size_t reg) { all.push_back(reg); });
  return all;
}

TEST(RegisterSet, HoldsRegistersOnBothSidesOfAWord) {
  RegisterSet set(130);
  for (const std::int32_t reg : {129, 64, 63, 0, 64}) set.add(reg);
  EXPECT_EQ(members(set), (std::vector<std::size_t>{0, 63, 64, 129}));
  set.remove(63);
  set.remove(1);
  EXPECT_FALSE(set.has(63));
  EXPECT_EQ(members(set), (std::vector<std::size_t>{0, 64, 129}));
}

TEST(RegisterSet, OfAllHasNoneBeyondTheLast) {
  for (const std::size_t registers : {0U, 1U, 63U, 64U, 65U, 128U})
    EXPECT_EQ(members(RegisterSet(registers, true)).size(), registers);
}

TEST(RegisterSet, IntersectsAndSaysWhetherItChanged) {
  RegisterSet set(100, true), some(100);
  some.add(7);
  some.add(70);
  EXPECT_TRUE(set.keep(some));
  EXPECT_FALSE(set.keep(some));
  EXPECT_EQ(set, some);
  RegisterSet other(100);
  other.add(99);
  set.add(other);
  EXPECT_EQ(members(set), (std::vector<std::size_t>{7, 70, 99}));
}

}  // namespace
}  // namespace warpgrade::simt
