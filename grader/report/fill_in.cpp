#include "report/fill_in.hpp"

#include <fmt/format.h>

#include <optional>
#include <regex>
#include <sstream>

namespace warpgrade::report {

namespace {

/// Words of a mark: name, then key=value or key="values with spaces".
Mark parse(const std::string &words, int line, const std::string &file) {
  static const std::regex shape("\\s*([a-z]+)((?:\\s+[a-z]+=(?:\"[^\"]*\"|[^\\s\"]+))*)\\s*"),
      pair("([a-z]+)=(?:\"([^\"]*)\"|([^\\s\"]+))");
  std::smatch found;
  if (!std::regex_match(words, found, shape))
    throw MarkError(
        fmt::format("{}:{}: say <!-- measured: NAME key=value key=\"some values\" -->", file, line));
  Mark mark{found[1], {}, line};
  const std::string pairs = found[2];
  for (std::sregex_iterator p(pairs.begin(), pairs.end(), pair), none; p != none; ++p) {
    const std::string value = (*p)[2].matched ? (*p)[2] : (*p)[3];
    if (!mark.wanted.emplace((*p)[1], value).second)
      throw MarkError(fmt::format("{}:{}: {} appears twice", file, line, (*p)[1].str()));
  }
  return mark;
}

}  // namespace

std::string fill_in(const std::string &text, const std::string &file,
                    const std::function<std::string(const Mark &)> &measured) {
  static const std::regex begin("\\s*<!-- measured:(.*)-->\\s*"), end("\\s*<!-- end -->\\s*");
  struct Piece {
    std::string text;  // up to and with the mark's line
    std::optional<Mark> mark;
  };
  std::vector<Piece> pieces(1);
  bool inside = false;
  int number = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch found;
    if (std::regex_match(line, found, begin)) {
      if (inside)
        throw MarkError(fmt::format("{}:{}: the mark of line {} has no <!-- end --> above this one", file,
                                    number, pieces[pieces.size() - 2].mark->line));
      pieces.back().text += line + "\n";
      pieces.back().mark = parse(found[1], number, file);
      pieces.emplace_back();
      inside = true;
      continue;
    }
    if (std::regex_match(line, end)) {
      if (!inside) throw MarkError(fmt::format("{}:{}: <!-- end --> without a mark", file, number));
      inside = false;
    }
    if (!inside) pieces.back().text += line + "\n";
  }
  if (inside)
    throw MarkError(
        fmt::format("{}:{}: this mark has no <!-- end -->", file, pieces[pieces.size() - 2].mark->line));
  std::string filled;
  for (const Piece &piece : pieces) {
    filled += piece.text;
    if (piece.mark) filled += "\n" + measured(*piece.mark) + "\n";
  }
  return filled;
}

std::string markdown_table(const std::vector<std::string> &head,
                           const std::vector<std::vector<std::string>> &rows) {
  std::string text = fmt::format("| {} |\n|:--", fmt::join(head, " | "));
  for (std::size_t i = 1; i < head.size(); ++i) text += "|--:";
  text += "|\n";
  for (const auto &row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

}  // namespace warpgrade::report
