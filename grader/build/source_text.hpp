// What can be said of a student's text before a compiler has seen it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::build {

/// An #include of a text, outside of comments and literals.
struct Include {
  std::string name;     ///< "thrust/sort.h"
  bool angled = true;   ///< <...>, else "..."
  bool certain = true;  ///< under no #if: the compiler reads it whatever is defined
  int line = 0;
};
std::vector<Include> includes_of(std::string_view text);

/// "UTF-16" when these bytes are text in that encoding, with its byte order mark or without; nothing for what
/// a compiler reads.
std::optional<std::string> foreign_encoding(std::span<const std::byte>);

}  // namespace warpgrade::build
