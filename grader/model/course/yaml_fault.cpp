#include "course/yaml_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace warpgrade::course {

namespace {

struct Line {
  std::size_t indent = 0;
  std::string content;  ///< without indentation, comment and spaces at the end
  int quoted_from = 0;  ///< the line of a quotation mark in which this line begins; 0: none
  struct Bracket {
    char character;
    int line;
  };
  std::vector<Bracket> open;  ///< at the beginning of the line
  std::size_t colons = 0;     ///< that end a key of block style
};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

constexpr const char *no_colon = "a key needs ': ' between it and its value";

/// "title: |" or "- >-"
bool begins_block_scalar(std::string_view content) {
  const std::size_t mark = content.find_last_not_of("0123456789+-");
  if (mark == std::string_view::npos || (content[mark] != '|' && content[mark] != '>')) return false;
  const std::size_t before = content.substr(0, mark).find_last_not_of(' ');
  return before != std::string_view::npos && before + 1 < mark &&
         (content[before] == ':' || content[before] == '-');
}

/// Follows quotation marks, brackets and comments through the lines of a file; block scalars are text.
class Scanner {
 public:
  std::vector<Line> lines(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      take(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(all_);
  }

 private:
  void take(std::string_view line) {
    ++number_;
    Line now;
    now.indent = std::min(line.find_first_not_of(" \t"), line.size());
    now.open = open_;
    if (quote_ != 0) now.quoted_from = quoted_from_;
    const bool blank = now.indent == line.size();
    if (in_block_ && (blank || now.indent > block_indent_)) return all_.push_back(now);
    in_block_ = false;
    const std::size_t end = scan(line, now);
    now.content = line.substr(now.indent, std::max(end, now.indent) - now.indent);
    while (!now.content.empty() && (is_blank(now.content.back()) || now.content.back() == '\r'))
      now.content.pop_back();
    if (quote_ == 0 && open_.empty() && begins_block_scalar(now.content)) {
      in_block_ = true;
      block_indent_ = now.indent;
    }
    all_.push_back(std::move(now));
  }

  /// Returns where the line ends, or its comment begins.
  std::size_t scan(std::string_view line, Line &now) {
    bool in_word = false;  // in a scalar without quotation marks
    for (std::size_t i = quote_ != 0 ? 0 : now.indent; i < line.size(); ++i) {
      const char c = line[i];
      const char next = i + 1 < line.size() ? line[i + 1] : ' ';
      if (quote_ != 0) {
        if (quote_ == '"' && c == '\\') ++i;
        if (c != quote_) continue;
        if (quote_ == '\'' && next == '\'')
          ++i;
        else
          quote_ = 0, in_word = true;
      } else if (c == '#' && (i == 0 || is_blank(line[i - 1]))) {
        return i;
      } else if (c == ':' && (is_blank(next) || next == '\r')) {
        now.colons += open_.empty();
        in_word = false;
      } else if (!open_.empty() && (c == ',' || c == '}' || c == ']')) {
        if (c != ',') open_.pop_back();
        in_word = false;
      } else if (!in_word && (c == '"' || c == '\'')) {
        quote_ = c;
        quoted_from_ = number_;
      } else if ((!in_word || !open_.empty()) && (c == '{' || c == '[')) {
        open_.push_back({c, number_});
        in_word = false;
      } else if (!is_blank(c) && !(c == '-' && is_blank(next) && !in_word)) {
        in_word = true;
      }
    }
    return line.size();
  }

  std::vector<Line> all_;
  std::vector<Line::Bracket> open_;
  int number_ = 0, quoted_from_ = 0;
  char quote_ = 0;
  bool in_block_ = false;
  std::size_t block_indent_ = 0;
};

/// The end of the word after an optional "- " that could be a key; 0: there is none.
std::size_t end_of_word(std::string_view content) {
  std::size_t at =
      content.starts_with("- ") ? std::min(content.find_first_not_of(' ', 1), content.size()) : 0;
  const auto letter = [&](std::size_t i) {
    return std::isalpha(static_cast<unsigned char>(content[i])) != 0 || content[i] == '_';
  };
  if (at == content.size() || !letter(at)) return 0;
  while (at < content.size() &&
         (letter(at) || std::isdigit(static_cast<unsigned char>(content[at])) != 0 || content[at] == '-'))
    ++at;
  return at;
}

/// "- id: step0" or "title:"
bool looks_like_a_key(std::string_view content) {
  const std::size_t end = end_of_word(content);
  return end != 0 && end < content.size() && content[end] == ':' &&
         (end + 1 == content.size() || content[end + 1] == ' ');
}

/// "title Naive" or "title:Naive"
bool looks_like_a_key_without_colon(std::string_view content) {
  const std::size_t end = end_of_word(content);
  return end != 0 && !looks_like_a_key(content) &&
         (end == content.size() || content[end] == ' ' || content[end] == ':');
}

/// Where the key after "- " begins.
std::size_t column_of_key(const Line &line) {
  return line.indent + (line.content.starts_with("- ") ? line.content.find_first_not_of(' ', 1) : 0);
}

std::optional<YamlFault> bad_line(const Line &line, int number) {
  if (line.colons > 1)
    return YamlFault{number,
                     "a second ': ' in one line; put text with ': ' in quotation marks, and several keys in "
                     "one line in { }"};
  const char first = line.content.empty() ? 'x' : line.content.front();
  if (first == '-' && line.content.size() > 1 && line.content[1] != ' ' && !line.content.starts_with("---"))
    return YamlFault{number, "the '-' of a list needs a space after it"};
  std::size_t value = looks_like_a_key(line.content)   ? end_of_word(line.content) + 1
                      : line.content.starts_with("- ") ? 1
                                                       : 0;
  value = std::min(line.content.find_first_not_of(' ', value), line.content.size());
  if (value < line.content.size() &&
      std::string_view("@`%*&!").find(line.content[value]) != std::string::npos)
    return YamlFault{number,
                     fmt::format("text that begins with '{}' needs quotation marks", line.content[value])};
  return std::nullopt;
}

}  // namespace

std::optional<YamlFault> quotes_left_open(std::string_view text) {
  std::vector<Line> lines = Scanner().lines(text);
  for (const Line &line : lines)
    if (line.quoted_from > 0 && looks_like_a_key(line.content))
      return YamlFault{line.quoted_from, "the quotation mark of this line is not closed before the next key"};
  return std::nullopt;
}

std::optional<YamlFault> fault_before(std::string_view text, int at) {
  const std::vector<Line> lines = Scanner().lines(text);
  if (at < 1 || lines.empty()) return std::nullopt;
  const std::size_t here = std::min(static_cast<std::size_t>(at) - 1, lines.size() - 1);
  const Line &noticed = lines[here];
  if (!noticed.open.empty()) {
    const Line::Bracket &bracket = noticed.open.back();
    return YamlFault{bracket.line, fmt::format("the '{}' of this line is never closed", bracket.character)};
  }
  if (auto fault = bad_line(noticed, static_cast<int>(here) + 1)) return fault;
  if (looks_like_a_key_without_colon(noticed.content) && noticed.colons == 0)
    return YamlFault{static_cast<int>(here) + 1, no_colon};
  std::size_t before = here;
  while (before > 0 && (before == here || lines[before].content.empty())) --before;
  const Line &previous = lines[before];
  if (before == here || previous.content.empty()) return std::nullopt;
  const int number = static_cast<int>(before) + 1;
  if (auto fault = bad_line(previous, number)) return fault;
  if (looks_like_a_key(previous.content)) {
    if (noticed.indent > column_of_key(previous) && !previous.content.ends_with(':'))
      return YamlFault{at, "this line is indented further than the one above"};
    return std::nullopt;
  }
  if (looks_like_a_key_without_colon(previous.content)) return YamlFault{number, no_colon};
  return std::nullopt;
}

}  // namespace warpgrade::course
