// Syntax colours for a source file in a page: which characters are comments, strings, keywords. A tokenizer,
// not a parser: it knows nothing about macros or types. Internal to report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::report {

enum class Token { plain, comment, text, number, keyword, cuda, directive };

struct Piece {
  Token token = Token::plain;
  std::string text;
  bool operator==(const Piece &) const = default;
};

/// C++ and CUDA source as lines without their ends, each cut into pieces; the pieces of a line together are
/// the line. Accepts any bytes: open tokens end at the end of the line or the file. Linear in the size.
std::vector<std::vector<Piece>> highlight(std::string_view source);

/// A line as markup: escaped, and each piece that is not plain in a span with a class of style.css.
/// most   bytes of source; what is longer is cut and ends in " ..."
std::string markup_of(const std::vector<Piece> &line, std::size_t most);

}  // namespace warpgrade::report
