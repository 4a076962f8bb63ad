#include "report/fill_in.hpp"

#include <gtest/gtest.h>

#include "report/plot.hpp"

namespace warpgrade::report {
namespace {

const std::string text =
    "# Mine\n\nmy words\n\n<!-- measured: peaks step=matmul sizes=256,512 -->\nold figures\n<!-- end -->\n"
    "more words\n";

std::string name_it(const Mark &mark) {
  return mark.name + " of " + mark.wanted.at("step");
}

std::string error_of(const std::string &wrong) {
  int called = 0;
  try {
    fill_in(wrong, "report.md", [&](const Mark &) {
      ++called;
      return std::string();
    });
  } catch (const MarkError &e) {
    EXPECT_EQ(called, 0) << "nothing is measured for a report that cannot be filled";
    return e.what();
  }
  return "no error";
}

TEST(FillIn, ReplacesOnlyTheTextBetweenMarks) {
  EXPECT_EQ(fill_in(text, "report.md", name_it),
            "# Mine\n\nmy words\n\n<!-- measured: peaks step=matmul sizes=256,512 -->\n\npeaks of matmul\n"
            "<!-- end -->\nmore words\n");
}

TEST(FillIn, GivesTheSameWhenItIsRunAgain) {
  const std::string once = fill_in(text, "report.md", name_it);
  EXPECT_EQ(fill_in(once, "report.md", name_it), once);
}

TEST(FillIn, ReadsValuesInQuotes) {
  fill_in("<!-- measured: sweep geometry=\"BX=8 BY=8; BX=16 BY=4\" step=a -->\n<!-- end -->\n", "r",
          [](const Mark &mark) {
            EXPECT_EQ(mark.wanted.at("geometry"), "BX=8 BY=8; BX=16 BY=4");
            EXPECT_EQ(mark.wanted.at("step"), "a");
            EXPECT_EQ(mark.line, 1);
            return std::string();
          });
}

TEST(FillIn, NamesTheLineOfAMarkThatItCannotRead) {
  EXPECT_EQ(error_of("\n<!-- measured: peaks sizes -->\n<!-- end -->\n").rfind("report.md:2: say ", 0), 0u);
  EXPECT_EQ(error_of("<!-- measured: a x=1 x=2 -->\n<!-- end -->\n"), "report.md:1: x appears twice");
  EXPECT_EQ(error_of("words\n<!-- measured: a x=1 -->\n"), "report.md:2: this mark has no <!-- end -->");
  EXPECT_EQ(error_of("<!-- end -->\n"), "report.md:1: <!-- end --> without a mark");
  EXPECT_EQ(error_of("<!-- measured: a x=1 -->\n<!-- measured: b x=1 -->\n<!-- end -->\n"),
            "report.md:2: the mark of line 1 has no <!-- end --> above this one");
}

TEST(MarkdownTable, HasARowForEach) {
  EXPECT_EQ(markdown_table({"N", "GFLOPS"}, {{"256", "1468"}}),
            "| N | GFLOPS |\n|:--|--:|\n| 256 | 1468 |\n");
}

TEST(Plot, DrawsEveryPointAndEscapesItsWords) {
  const std::string svg =
      plot_to_svg({"a < b", "N", "GFLOPS", {{"x & y", {{256, 10}, {512, 20}}}, {"other", {{256, 5}}}}});
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++circles;
  EXPECT_EQ(circles, 3u);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("x &amp; y"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Plot, DrawsASinglePointAndAZero) {
  EXPECT_EQ(plot_to_svg({"t", "N", "y", {{"l", {{64, 0}}}}}).find("nan"), std::string::npos);
  EXPECT_EQ(plot_to_svg({"t", "N", "y", {{"l", {{64, 1}}}}, true}).find("inf"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::report
