// Cells that a spreadsheet shows as they are.
#include "report/csv.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

TEST(Csv, PlainTextStaysAsItIs) {
  for (const char *text : {"", "20261234", "a.b-c", "größer", "a - b", "O'Neill"})
    EXPECT_EQ(csv_text(text), text);
}

TEST(Csv, AFormulaIsDisarmedAlsoBehindBlanks) {
  for (const char *text : {"=1+1", "+1", "-1", "@SUM(A1)", "|calc", "%0A"})
    EXPECT_EQ(csv_text(text), std::string("'") + text);
  EXPECT_EQ(csv_text("  =1"), "'  =1");
  EXPECT_EQ(csv_text("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(csv_text("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
}

TEST(Csv, CommasQuotesAndLineEndsAreQuoted) {
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("a;b"), "\"a;b\"");  // what some spreadsheets take for a comma
  EXPECT_EQ(csv_text("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_text("a\nb"), "\"a\nb\"");
}

TEST(Csv, ControlCharactersAndBytesThatAreNoTextAreWrittenAsEscapes) {
  EXPECT_EQ(csv_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(csv_text("a\rb\x1b"), "a\\x0db\\x1b");
  EXPECT_EQ(csv_text("\r=1"), "'\\x0d=1");
  EXPECT_EQ(csv_text("\xff"), "\\xff");
  EXPECT_EQ(csv_text("\u202Ecba"), "\\u202ecba");  // text that would run backwards
}

TEST(Csv, PointsHaveNoNeedlessDigits) {
  EXPECT_EQ(csv_points(14), "14");
  EXPECT_EQ(csv_points(13.5), "13.5");
  EXPECT_EQ(csv_points(0), "0");
  EXPECT_EQ(csv_points(-0.0), "0");
  EXPECT_EQ(csv_points(100), "100");
  EXPECT_EQ(csv_points(3.333), "3.33");
}

TEST(Csv, RowsEndAsTheStandardSays) {
  EXPECT_EQ(csv_row({"a", "", "c"}), "a,,c\r\n");
}

}  // namespace
}  // namespace warpgrade::report
