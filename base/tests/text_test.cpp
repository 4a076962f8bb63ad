// Text from outside, as each place may show it.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace warpgrade {
namespace {

TEST(Text, OnlyValidUtf8IsText) {
  for (const char *text : {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char *text :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "a\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Text, ControlsAndCharactersThatReorderBecomeVisible) {
  EXPECT_EQ(for_terminal("a\x1b[31m\xe2\x80\xae\xff\tb\nc"), "a\\x1b[31m\\u202e\\xff  b\\x0ac");
  EXPECT_EQ(for_terminal("a\nb", true), "a\nb");
  EXPECT_EQ(for_json("a\tb\n\x01"), "a\tb\n\\x01");
}

TEST(Text, MarkupIsEscapedForXml) {
  EXPECT_EQ(for_xml("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&apos;");
}

TEST(Text, AShellWordRoundTrips) {
  for (const char *word :
       {"plain", "", "two words", "it's", "$(false)", "a\nb", "*", "-x", "~", "\\", "größer"}) {
    const std::string command = "test " + shell_word("x" + std::string(word)) + " = \"$WORD\"";
    ::setenv("WORD", ("x" + std::string(word)).c_str(), 1);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  EXPECT_EQ(shell_word("a/b-c.d"), "a/b-c.d");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Text, IsTrimmedFoldedAndDividedIntoLines) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(folded("AbC \xc3\x84"), "abc \xc3\x84");
  EXPECT_EQ(lines_of("a\n\nb"), (std::vector<std::string>{"a", "", "b"}));
}

TEST(Text, PointsHaveNoNeedlessDigits) {
  for (const auto &[value, text] : std::initializer_list<std::pair<double, const char *>>{
           {14, "14"}, {13.5, "13.5"}, {0, "0"}, {-0.0, "0"}, {-0.001, "0"}, {100, "100"}, {3.333, "3.33"}})
    EXPECT_EQ(points(value), text);
}

TEST(Text, ATextIsCutBetweenCharactersAndMarkedOnlyThen) {
  EXPECT_EQ(cut_to("abc", 3, "..."), "abc");
  EXPECT_EQ(cut_to("abcd", 3, "..."), "abc...");
  EXPECT_EQ(cut_to("a\xc3\xbc", 2, "..."), "a...") << "half of a character would stay";
  EXPECT_EQ(cut_to("\xc3\xbc", 1), "");
  EXPECT_EQ(cut_to("", 0, "..."), "");
}

TEST(Text, AWholeNumberIsAllDigits) {
  EXPECT_EQ(whole_number("42"), 42);
  EXPECT_EQ(whole_number("-7"), -7);
  for (const char *wrong : {"", "4x", " 4", "4 ", "+4", "1e3", "99999999999999999999"})
    EXPECT_FALSE(whole_number(wrong)) << wrong;
}

TEST(Text, PercentEncodingKeepsLettersDigitsAndWhatTheCallerNames) {
  EXPECT_EQ(percent_encoded("aZ09 -_.~/\xc3\xbc", "-_."), "aZ09%20-_.%7E%2F%C3%BC");
  EXPECT_EQ(percent_encoded("", "-"), "");
}

}  // namespace
}  // namespace warpgrade
