// The logs are those of nvcc 13.0 and clang 14; the fixtures of hw6/build_error compile the same mistakes.
#include "build/beginners.hpp"

#include <gtest/gtest.h>

#include <string>

#include "build/source_text.hpp"

namespace warpgrade::build {
namespace {

std::string words_on(const std::string &log, const std::string &source = "") {
  return in_plain_words(log, source, "a.cu");
}

TEST(Beginners, GetTheSameAdviceWithNvccAndClang) {
  const struct {
    const char *nvcc, *clang, *words;
  } mistakes[] = {
      {"a.cu(5): error: identifier \"printf\" is undefined\n",
       "a.cu:5:16: error: use of undeclared identifier 'printf'\n",
       "Line 5: printf is not declared: add `#include <cstdio>` at the top of the file."},
      {"a.cu(5): error: identifier \"cout\" is undefined\n",
       "a.cu:5:16: error: use of undeclared identifier 'cout'\n",
       "Line 5: a kernel cannot use cout: call printf, and add `#include <cstdio>` at the top of the file."},
      {"a.cu(5): error: namespace \"std\" has no member \"cout\"\n",
       "a.cu:5:21: error: no member named 'cout' in namespace 'std'\n",
       "Line 5: a kernel cannot use cout: call printf, and add `#include <cstdio>` at the top of the file."},
      {"a.cu(3): error: identifier \"threadidx\" is undefined\n",
       "a.cu:3:37: error: use of undeclared identifier 'threadidx'; did you mean 'threadIdx'?\n",
       "Line 3: 'threadidx' is not declared; did you mean threadIdx?"},
      {"a.cu(6): error: expected a \";\"\nclang says: a.cu:5:14: error: expected ';' at end of declaration\n",
       "a.cu:5:14: error: expected ';' at end of declaration\n",
       "Line 5: a `;` is missing at the end of this statement."},
  };
  for (const auto &m : mistakes) {
    EXPECT_EQ(words_on(m.nvcc), m.words);
    EXPECT_EQ(words_on(m.clang), m.words);
  }
}

TEST(Beginners, ReadWhatALaunchNeeds) {
  EXPECT_EQ(words_on("a.cu:10:4: error: call to global function 'k' not configured\n"),
            "Line 10: a kernel is called like a function. A launch says how many blocks and threads run it: "
            "`k<<<blocks, threads>>>(...)`.");
  EXPECT_TRUE(words_on("a.cu(10): error: a __global__ function call must be configured\n")
                  .ends_with("`kernel<<<blocks, threads>>>(...)`."));
  EXPECT_EQ(words_on("a.cu(10): error: a host function call cannot be configured\n"),
            "Line 10: a function is launched with <<<...>>>, but is not a kernel: write `__global__` before "
            "its `void`.");
}

TEST(Beginners, GetNoAdviceOnUnknownErrorsOrOtherFiles) {
  EXPECT_EQ(words_on("a.cu(5): error: identifier \"sum\" is undefined\n"), "");
  EXPECT_EQ(words_on("b.cu(5): error: identifier \"printf\" is undefined\n"), "");
  EXPECT_EQ(words_on("a.cu(99999999999): error: identifier \"printf\" is undefined\n"), "");
  EXPECT_EQ(words_on("a.cu(5): error: identifier \"" + std::string(100000, 'x') + "\" is undefined\n"), "");
  EXPECT_EQ(words_on(""), "");
}

TEST(Beginners, ReadWhichBraceIsNotClosed) {
  EXPECT_EQ(words_on("At end of source: error: expected a \"}\"\n", "void k() {\n  f();\n"),
            "Line 1: this `{` is never closed; its `}` is missing.");
}

TEST(UnclosedBrace, IsTheOneThatTheIndentationShows) {
  EXPECT_EQ(unclosed_brace("void k() {\n  for (;;) {\n    f();\n}\nvoid l() {\n}\n"), 2);
  EXPECT_EQ(unclosed_brace("void k() {\n  f();\nvoid l() {\n}\n"), 1);
  EXPECT_EQ(unclosed_brace("void k() { // }\n  g(\"}\", '}');\n"), 1);
  EXPECT_EQ(unclosed_brace("void k() {\n  f();\n}\n}\n"), std::nullopt);
  EXPECT_EQ(unclosed_brace(""), std::nullopt);
}

TEST(StrangeCharacter, IsNamedWithItsPlace) {
  const auto found = strange_character("int a;\n  float\xC2\xA0s = 0;\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "a no-break space (U+00A0)");
  EXPECT_EQ(found->instead, "a space");
  EXPECT_EQ(found->line, 2);
  EXPECT_EQ(found->column, 8);  // two blanks and the five letters of float
  EXPECT_EQ(strange_character("\xC3\xA9 = s\xE2\x80\x8B;")->column, 6)
      << "a letter of two bytes is one column";
}

TEST(StrangeCharacter, MayBeInCommentsLiteralsPartsThatAreNotReadAndAtTheBeginning) {
  for (const char *text : {"// it\xE2\x80\x99s\n", "printf(\"\xE2\x80\x9C\");", "\xEF\xBB\xBFint a;",
                           "#if 0\n\xC2\xA0\n#endif\n", "int \xC3\xA9;", "\xC2", "\xE2\x80", ""})
    EXPECT_FALSE(strange_character(text)) << text;
  EXPECT_TRUE(strange_character("#if 0\n#endif\nint\xC2\xA0z;"));
}

}  // namespace
}  // namespace warpgrade::build
