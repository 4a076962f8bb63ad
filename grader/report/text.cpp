#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::report {

namespace {

/// Of one code point; approximate, as terminals are (East Asian Width, Unicode Annex 11).
std::size_t columns_of_code_point(char32_t c) {
  if ((c >= 0x300 && c <= 0x36f) || (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f)) return 0;
  const bool wide =
      (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
      (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
      (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t at = 0, columns = 0;
  while (at < text.size()) {
    const auto c = code_point(text, at);
    columns += c ? columns_of_code_point(c->first) : 1;
    if (columns > width && at > 0) break;
    at += c ? c->second : 1;
  }
  return at;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = code_point(text, at);
    columns += c ? columns_of_code_point(c->first) : 1;
    at += c ? c->second : 1;
  }
  return columns;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = text.find(' ', at);
    std::string_view word = text.substr(at, space == std::string_view::npos ? space : space - at);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    while (line.empty() && columns_of(word) > width) {
      const std::size_t part = fitting(word, width);
      lines.emplace_back(word.substr(0, part));
      word.remove_prefix(part);
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    at = space == std::string_view::npos ? text.size() : space + 1;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> wrap_command(std::string_view command, std::size_t width) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : command) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? 0 : c;
    if (c == ' ' && quote == 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::vector<std::string> lines(1);
  for (const std::string &word : words) {
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) + 2 > width) {
      lines.back() += " \\";
      lines.emplace_back("  ");  // the shell drops it
      lines.back() += word;
    } else {
      lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::string as_sentence(std::string_view name, const std::vector<std::string> &labels,
                        const std::vector<std::string> &values, std::size_t columns) {
  constexpr std::size_t indent = 2;
  std::string text(name);
  for (std::size_t i = 0; i < std::min(labels.size(), values.size()); ++i)
    if (!values[i].empty()) text += fmt::format("{} {} {}", text == name ? ":" : ",", labels[i], values[i]);
  std::string out;
  for (const std::string &part : wrap(text, std::max(narrowest, columns) - indent))
    out += std::string(out.empty() ? 0 : indent, ' ') + part + "\n";
  return out;
}

std::string figure(double v) {
  return v >= 1000 ? fmt::format("{:.0f}", v) : fmt::format("{:.3g}", v);
}

std::string per_request(std::uint64_t all, std::uint64_t ideal, std::uint64_t requests) {
  if (requests == 0) return "";
  return fmt::format("{}/{}", figure(simt::per(all, requests)), figure(simt::per(ideal, requests)));
}

std::string counter_against_limit(const score::CounterScore &c) {
  const std::string limit =
      fmt::format("at {} {}", c.check.at_least ? "least" : "most", figure(c.check.limit));
  return c.value ? fmt::format("{}, {}", figure(*c.value), limit) : "nothing to measure, " + limit;
}

}  // namespace warpgrade::report
