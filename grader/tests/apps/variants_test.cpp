#include "apps/variants.hpp"

#include <gtest/gtest.h>

#include "apps/course_root.hpp"

namespace warpgrade::apps {
namespace {

TEST(Choices, AreANameAndItsValuesEachOnce) {
  EXPECT_EQ(parse_choice("BM=64,128,64"), (Choice{"BM", {"64", "128"}}));
  for (const char *bad : {"BM", "BM=", "=64", "BM=64,", "BM=a", "BM=64;x", "B M=64", "BM=12345678"})
    EXPECT_THROW(parse_choice(bad), UsageError) << bad;
}

TEST(Combinations, AreAllOfThemWithTheLastChoiceFastest) {
  const auto all = combinations({{"A", {"1", "2"}}, {"B", {"3", "4"}}});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(name_of(all[0]), "A=1 B=3");
  EXPECT_EQ(name_of(all[1]), "A=1 B=4");
  EXPECT_EQ(name_of(all[3]), "A=2 B=4");
}

TEST(Constants, AreReplacedWhereTheyAreDefined) {
  EXPECT_EQ(with_value("constexpr int BM = 128;", "BM", "64"), "constexpr int BM = 64;");
  EXPECT_EQ(with_value("constexpr int BM = 128, BN = 8;  // BN = 8", "BN", "16"),
            "constexpr int BM = 128, BN = 16;  // BN = 8");
  EXPECT_EQ(with_value("#define BK 8\nint x = BK;", "BK", "16"), "#define BK 16\nint x = BK;");
  EXPECT_EQ(with_value("static constexpr unsigned T = A / B;", "T", "4"), "static constexpr unsigned T = 4;");
}

TEST(Constants, AreNotConfusedWithOthers) {
  EXPECT_FALSE(with_value("int BM = 128;", "BM", "64")) << "a variable may change";
  EXPECT_FALSE(with_value("constexpr int ABM = 128;", "BM", "64"));
  EXPECT_FALSE(with_value("if (x == BM) y = 1;", "BM", "64"));
  EXPECT_EQ(with_value("constexpr int A = 1;\nint B = 2;\nconstexpr int B = 3;", "B", "9"),
            "constexpr int A = 1;\nint B = 2;\nconstexpr int B = 9;");
}

}  // namespace
}  // namespace warpgrade::apps
