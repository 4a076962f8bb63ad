#include "build/source_text.hpp"

#include <gtest/gtest.h>

namespace warpgrade::build {
namespace {

/// "name:line" of each, with a question mark where an #if may hide it; quotes around what is not in <>.
std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> all;
  for (const Include &i : includes_of(text))
    all.push_back((i.angled ? i.name : '"' + i.name + '"') + ":" + std::to_string(i.line) +
                  (i.certain ? "" : "?"));
  return all;
}
using Names = std::vector<std::string>;

TEST(Includes, AreFoundWithTheirLines) {
  EXPECT_EQ(found("#include <a.h>\n  #  include \"b.h\" // <c.h>\nint x;\r\n#include<thrust/sort.h>\r\n"),
            (Names{"a.h:1", "\"b.h\":2", "thrust/sort.h:4"}));
}

TEST(Includes, InCommentsAndLiteralsDoNotCount) {
  EXPECT_EQ(found("// #include <a.h>\n/*\n#include <b.h>\n*/\nauto s = \"/*\";\n#include <c.h>\n"
                  "auto r = R\"x(\n#include <d.h>\n)\" \n)x\";\nint n = 1'000; // '\n#include <e.h>\n"
                  "char q = '\"';\n// \\\n#include <f.h>\n#include <g.h>\n"),
            (Names{"c.h:6", "e.h:12", "g.h:16"}));
}

TEST(Includes, BelowAnIfAreNotCertain) {
  EXPECT_EQ(found("#if 0\n#include <a.h>\n#ifdef X\n#endif\n#include <b.h>\n#endif\n#include <c.h>\n"),
            (Names{"a.h:2?", "b.h:5?", "c.h:7"}));
}

TEST(Includes, OfDamagedTextTerminate) {
  for (const char *text : {"", "#", "#include", "#include <a", "/*", "\"", "'", "R\"", "R\"x(", "\\",
                           "#include \"", "R\"0123456789012345678901234567890(\n#include <a.h>"})
    EXPECT_LE(found(text).size(), 1u) << text;
}

std::optional<std::string> encoding(const std::string &bytes) {
  return foreign_encoding(std::as_bytes(std::span(bytes)));
}

TEST(Encoding, OfUtf16IsSeenWithAndWithoutAMark) {
  using std::string_literals::operator""s;
  EXPECT_EQ(encoding("\xff\xfe/\0/\0"s), "UTF-16");
  EXPECT_EQ(encoding("\xfe\xff\0/\0/"s), "UTF-16");
  EXPECT_EQ(encoding("/\0/\0 \0a\0b\0c\0"s), "UTF-16");
  EXPECT_EQ(encoding("\0/\0/\0 \0a\0b\0c"s), "UTF-16");
}

TEST(Encoding, IsNotNamedForTextThatCompilersRead) {
  using std::string_literals::operator""s;
  EXPECT_EQ(encoding(""), std::nullopt);
  EXPECT_EQ(encoding("// text\n"), std::nullopt);
  EXPECT_EQ(encoding("\xef\xbb\xbf// with UTF-8's mark\n"), std::nullopt);
  EXPECT_EQ(encoding("// \xea\xb0\x80\xed\x9f\xbf\n"), std::nullopt);
  EXPECT_EQ(encoding(std::string(100, '\0')), std::nullopt) << "no text at all";
}

}  // namespace
}  // namespace warpgrade::build
