#include "report/highlight.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warpgrade::report {
namespace {

using Pieces = std::vector<Piece>;

Pieces line(std::string_view source) {
  const auto lines = highlight(source);
  return lines.size() == 1 ? lines.front() : Pieces{};
}

TEST(Highlight, TellsWordsNumbersTextAndComments) {
  EXPECT_EQ(line("int x = 1'000u; // one \"word\""), (Pieces{{Token::keyword, "int"},
                                                             {Token::plain, " x = "},
                                                             {Token::number, "1'000u"},
                                                             {Token::plain, "; "},
                                                             {Token::comment, "// one \"word\""}}));
  EXPECT_EQ(line("f(\"a\\\"b\", 'c', .5e-3f, a-3)"), (Pieces{{Token::plain, "f("},
                                                             {Token::text, "\"a\\\"b\""},
                                                             {Token::plain, ", "},
                                                             {Token::text, "'c'"},
                                                             {Token::plain, ", "},
                                                             {Token::number, ".5e-3f"},
                                                             {Token::plain, ", a-"},
                                                             {Token::number, "3"},
                                                             {Token::plain, ")"}}));
}

TEST(Highlight, KnowsTheWordsOfCuda) {
  EXPECT_EQ(line("__syncthreads(); threadIdx.x"), (Pieces{{Token::cuda, "__syncthreads"},
                                                          {Token::plain, "(); "},
                                                          {Token::cuda, "threadIdx"},
                                                          {Token::plain, ".x"}}));
}

TEST(Highlight, ADirectiveBeginsALine) {
  EXPECT_EQ(line("  # define N 4"), (Pieces{{Token::plain, "  "},
                                            {Token::directive, "# define"},
                                            {Token::plain, " N "},
                                            {Token::number, "4"}}));
  EXPECT_EQ(line("a # define"), (Pieces{{Token::plain, "a # define"}}));
}

TEST(Highlight, TokensOverSeveralLinesKeepTheirColour) {
  const auto lines = highlight("a /* b\n\nc */ d\n// e \\\nf\nR\"x(\"g\nh)\" i)x\" j\n");
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], (Pieces{{Token::plain, "a "}, {Token::comment, "/* b"}}));
  EXPECT_TRUE(lines[1].empty());
  EXPECT_EQ(lines[2], (Pieces{{Token::comment, "c */"}, {Token::plain, " d"}}));
  EXPECT_EQ(lines[4], (Pieces{{Token::comment, "f"}}));
  EXPECT_EQ(lines[6], (Pieces{{Token::text, "h)\" i)x\""}, {Token::plain, " j"}}));
}

TEST(Highlight, UnterminatedTokensEndWithTheirLine) {
  const auto lines = highlight("\"open\nint");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], (Pieces{{Token::text, "\"open"}}));
  EXPECT_EQ(lines[1], (Pieces{{Token::keyword, "int"}}));
}

TEST(Highlight, LineEndsOfWindowsAreNoPartOfALine) {
  EXPECT_EQ(highlight("int\r\n// a\r\n\r\n"),
            (std::vector<Pieces>{{{Token::keyword, "int"}}, {{Token::comment, "// a"}}, {}}));
}

TEST(Highlight, LosesAndInventsNothingWhateverTheBytes) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::string_view alphabet = "\n\n \"'\\/*#R()ab0._xu8\xc3\xa9<>__";
    std::string source;
    for (unsigned i = 0; i < 60; ++i) source += alphabet[random() % alphabet.size()];
    std::string again;
    for (const Pieces &pieces : highlight(source)) {
      for (const Piece &piece : pieces) again += piece.text;
      again += '\n';
    }
    if (!source.ends_with('\n')) source += '\n';
    EXPECT_EQ(again, source);
  }
}

TEST(Highlight, MarkupIsEscapedAndCutWithoutLosingASpan) {
  const Pieces pieces = {{Token::plain, "a<b "}, {Token::comment, "// <i>&"}};
  EXPECT_EQ(markup_of(pieces, 100), "a&lt;b <span class=\"tc\">// &lt;i&gt;&amp;</span>");
  EXPECT_EQ(markup_of(pieces, 6), "a&lt;b <span class=\"tc\">// ...</span>");
}

}  // namespace
}  // namespace warpgrade::report
