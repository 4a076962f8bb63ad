#include "tune/variants.hpp"

#include <gtest/gtest.h>

#include "setup/course_root.hpp"

namespace warpgrade::tune {
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

TEST(Settings, AreNamesWithOneValueEach) {
  const Setting wanted = {{"BX", "32"}, {"BY", "8"}};
  for (const char *text : {"BX=32 BY=8", "BX=32,BY=8", "  BX=32,  BY=8 "})
    EXPECT_EQ(parse_setting(text), wanted);
  for (const char *bad : {"", " ", "BX", "BX=", "BX=a", "BX=8;BY=8"})
    EXPECT_THROW(parse_setting(bad), UsageError) << bad;
}

TEST(Constants, AreListedWithTheirNumbersAndWithoutThoseThatAreComputed) {
  const Setting wanted = {{"BX", "32"}, {"BY", "8"}, {"TILE", "64"}};
  EXPECT_EQ(
      constants_of("#pragma once\nconstexpr int BX = 32, BY = 8;\n// constexpr\nconstexpr int TILE = 64;\n"
                   "constexpr int THREADS = BX * BY;\nint other = 3;\n"),
      wanted);
}

TEST(Constants, InCommentsDoNotCount) {
  const std::string source =
      "// constexpr int A = 1;\n/* constexpr int A = 2;\n*/ constexpr int A = 3; // A = 4\n";
  EXPECT_EQ(constants_of(source), (Setting{{"A", "3"}}));
  EXPECT_EQ(with_value(source, "A", "9"),
            "// constexpr int A = 1;\n/* constexpr int A = 2;\n*/ constexpr int A = 9; // A = 4\n");
  EXPECT_FALSE(with_value("/* constexpr int A = 2;", "A", "9")) << "a comment that never ends";
  EXPECT_EQ(with_value("const char *a = \"// \"; constexpr int A = 2;", "A", "9"),
            "const char *a = \"// \"; constexpr int A = 9;");
}

TEST(Constants, OfTheSameEndingAreDifferent) {
  const std::string source = "constexpr int SMALL_BX = 16, BX = 32;\n";
  EXPECT_EQ(with_value(source, "BX", "8"), "constexpr int SMALL_BX = 16, BX = 8;\n");
  EXPECT_EQ(with_value(source, "SMALL_BX", "8"), "constexpr int SMALL_BX = 8, BX = 32;\n");
}

}  // namespace
}  // namespace warpgrade::tune
