// Cells that a spreadsheet shows unchanged, and other programs' files, of which every other byte stays.
#include "base/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpgrade {
namespace {

using ::testing::HasSubstr;

TEST(Csv, PlainTextStaysAsItIs) {
  for (const char *text : {"", "20261234", "a.b-c", "größer", "a - b", "O'Neill"})
    EXPECT_EQ(csv_text(text), text);
}

TEST(Csv, AFormulaIsDisarmedEvenAfterBlanks) {
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

TEST(Csv, ControlCharactersAndInvalidBytesBecomeEscapes) {
  EXPECT_EQ(csv_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(csv_text("a\rb\x1b"), "a\\x0db\\x1b");
  EXPECT_EQ(csv_text("\r=1"), "'\\x0d=1");
  EXPECT_EQ(csv_text("\xff"), "\\xff");
  EXPECT_EQ(csv_text("\u202Ecba"), "\\u202ecba");  // text that would run backwards
}

TEST(Csv, RowsEndAsTheStandardSays) {
  EXPECT_EQ(csv_row({"a", "", "c"}), "a,,c\r\n");
}

TEST(CsvTable, BytesOutsideSetCellsStay) {
  for (const std::string text : {"a,b\r\nc,d\r\n", "a,b\nc,d", "\"a \"\"q\"\"\",\"x\r\ny\"\n",
                                 "\xef\xbb\xbf\"a\";b;c\n1;;\n", "", "\n\n", "a,\"b\"tail\r\n", "a\rb\r"})
    EXPECT_EQ(CsvTable(text).text(), text);
}

TEST(CsvTable, CellsAreReadWithoutTheirQuotes) {
  const CsvTable table("\"a \"\"q\"\"\",\"x,\r\ny\"\r\n\xc3\xa4,\r\n");
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.cell(0, 0), "a \"q\"");
  EXPECT_EQ(table.cell(0, 1), "x,\r\ny");
  EXPECT_EQ(table.cell(1, 0), "\xc3\xa4");
  EXPECT_EQ(table.cell(1, 9), "");
}

TEST(CsvTable, SemicolonsPartCellsWhereThereAreMoreOfThem) {
  EXPECT_EQ(CsvTable("a;b;c\n\"1,2,3,4\";2;3\n").columns(0), 3u);
  EXPECT_EQ(CsvTable("a,b,c;d\n").columns(0), 3u);
}

TEST(CsvTable, AQuoteThatIsNeverClosedIsNamedWithItsLine) {
  try {
    CsvTable("a,b\nc,\"d\ne\n");
    FAIL();
  } catch (const CsvError &e) {
    EXPECT_THAT(e.what(), HasSubstr("line 2"));
  }
}

TEST(CsvTable, TheDelimiterOfTheHeaderAloneCanDecide) {
  const CsvFormat roster{.delimiters = ",;\t", .lines = 1, .trimmed = true};
  EXPECT_EQ(CsvTable("a\tb\n1,2,3;4\n", roster).cells(1), (std::vector<std::string>{"1,2,3;4"}));
}

TEST(CsvTable, TrimmedCellsMayHaveBlanksBeforeTheirQuotes) {
  const CsvTable table("a , \"b, c\" ,d\n", {.trimmed = true});
  EXPECT_EQ(table.cells(0), (std::vector<std::string>{"a", "b, c", "d"}));
  EXPECT_EQ(table.text(), "a , \"b, c\" ,d\n");
}

TEST(CsvTable, RowsKnowTheLineOnWhichTheyBegin) {
  const CsvTable table("a\n\"b\nb\"\r\nc\n");
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.line(0), 1);
  EXPECT_EQ(table.line(1), 2);
  EXPECT_EQ(table.line(2), 4);
}

}  // namespace
}  // namespace warpgrade
