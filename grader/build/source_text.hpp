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

/// "UTF-16" if these bytes are text in that encoding, with or without its byte order mark; nothing for text
/// that a compiler can read.
std::optional<std::string> foreign_encoding(std::span<const std::byte>);

}  // namespace warpgrade::build
