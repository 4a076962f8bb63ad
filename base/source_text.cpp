#include "base/source_text.hpp"

namespace warpgrade {

std::string without_comments(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) at += text[at] == '\\';
      continue;
    }
    if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*')) continue;
    const bool line = text[at + 1] == '/';
    const std::size_t last = line ? text.find('\n', at) : text.find("*/", at + 2);
    const std::size_t end = last == std::string::npos ? text.size() : line ? last : last + 2;
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
    --at;
  }
  return text;
}

}  // namespace warpgrade
