#include "quiz/loops.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "base/source_text.hpp"

namespace warpgrade::quiz {

namespace {

bool word_at(const std::string &text, std::size_t at, std::string_view word) {
  const auto part_of_a_name = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  return text.compare(at, word.size(), word) == 0 && !part_of_a_name(at + word.size()) &&
         (at == 0 || !part_of_a_name(at - 1));
}

/// Where the statement that begins here ends: behind its block, or at its semicolon.
std::size_t end_of_statement(const std::string &text, std::size_t at) {
  int round = 0, curly = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    round += c == '(' ? 1 : c == ')' ? -1 : 0;
    curly += c == '{' ? 1 : c == '}' ? -1 : 0;
    const bool ends = round == 0 && curly <= 0 && (c == ';' || c == '}');
    if (!ends) continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string::npos || !word_at(text, next, "else")) return at;
  }
  return text.size();
}

}  // namespace

bool in_a_loop(const std::string &source, int line) {
  const std::string text = without_comments(source);
  const auto line_of = [&](std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())),
                          '\n');
  };
  for (std::size_t at = 0; at < text.size(); ++at)
    if (word_at(text, at, "for") || word_at(text, at, "while") || word_at(text, at, "do"))
      if (line_of(at) <= line && line <= line_of(end_of_statement(text, at))) return true;
  return false;
}

}  // namespace warpgrade::quiz
