// Facts about a student's text before a compiler has seen it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::build {

/// An #include in a text, outside comments and literals.
struct Include {
  std::string name;     ///< "thrust/sort.h"
  bool angled = true;   ///< <...>, else "..."
  bool certain = true;  ///< not under an #if: the compiler always reads it
  int line = 0;
};
std::vector<Include> includes_of(std::string_view text);

/// A character of code, outside comments and literals, that a person takes for another or does not see.
struct StrangeCharacter {
  std::string name;     ///< "a no-break space (U+00A0)"
  std::string instead;  ///< what to type: "a space"; empty: nothing
  int line = 0;
  int column = 0;  ///< in characters, from 1
};
/// The first one in a part of the text that the compiler always reads.
std::optional<StrangeCharacter> strange_character(std::string_view text);

/// The line of a `{` that is never closed; where several may be meant, the one that the indentation of the
/// text shows. Nothing where every one is closed.
std::optional<int> unclosed_brace(std::string_view text);

/// Whether a text has nothing but blanks and comments.
bool has_no_code(std::string_view text);

/// "UTF-16" if these bytes are text in that encoding, with or without its byte order mark; nothing for text
/// that a compiler can read.
std::optional<std::string> foreign_encoding(std::span<const std::byte>);

}  // namespace warpgrade::build
