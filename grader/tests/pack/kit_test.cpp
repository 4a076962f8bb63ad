// What the command that packs a kit says about the program in it.
#include "pack/kit.hpp"

#include <gtest/gtest.h>

namespace warpgrade::pack {
namespace {

TEST(Kit, KnowsTheNewestGlibcThatAProgramAsksFor) {
  EXPECT_EQ(glibc_of(std::string("\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.14\0", 35)), "2.34");
  EXPECT_EQ(glibc_of("GLIBC_PRIVATE, and GLIBC_2."), "");
  EXPECT_EQ(glibc_of(""), "");
}

}  // namespace
}  // namespace warpgrade::pack
