#include "build/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace warpgrade::build {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The text with comments and literals blanked out; line ends stay, and a line that goes on in the next (a
/// backslash at its end) is left as it is. Names of #include in quotes are kept.
class Blanked {
 public:
  explicit Blanked(std::string_view text) : text_(text), out_(text) {}

  std::string make() {
    while (at_ < text_.size()) {
      if (at_ == 0 || text_[at_ - 1] == '\n') includes_ = begins_include();
      if (follows("//"))
        blank_until_line_end();
      else if (follows("/*"))
        blank_until("*/", 2);
      else if (follows("R\"") && (at_ == 0 || !is_word(text_[at_ - 1])))
        raw_string();
      else if (text_[at_] == '"' && !includes_)
        literal('"');
      else if (text_[at_] == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))  // 1'000 is a number
        literal('\'');
      else
        ++at_;
    }
    return std::move(out_);
  }

 private:
  bool follows(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool begins_include() const {
    const std::size_t hash = text_.find_first_not_of(" \t", at_);
    if (hash == std::string_view::npos || text_[hash] != '#') return false;
    const std::size_t word = text_.find_first_not_of(" \t", hash + 1);
    return word != std::string_view::npos && text_.substr(word).starts_with("include");
  }
  void blank() {
    if (text_[at_] != '\n') out_[at_] = ' ';
    ++at_;
  }
  void blank_until_line_end() {
    while (at_ < text_.size() && (text_[at_] != '\n' || text_[at_ - 1] == '\\')) blank();
  }
  void blank_until(std::string_view end, std::size_t skip) {
    for (std::size_t i = 0; i < skip; ++i) blank();
    while (at_ < text_.size() && !follows(end)) blank();
    for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) blank();
  }
  void raw_string() {
    constexpr std::size_t longest = 16;  // a delimiter
    const std::size_t open = text_.substr(0, at_ + 2 + longest + 1).find('(', at_);
    if (open == std::string_view::npos) return blank_until("\"", 2);
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    blank_until(end, 2);
  }
  void literal(char quote) {
    blank();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) blank();
      blank();
    }
    if (at_ < text_.size() && text_[at_] == quote) blank();
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
  bool includes_ = false;  // this line is an #include
};

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? "" : text.substr(first);
}

/// The name in <> or "" behind `include`.
std::optional<Include> included(std::string_view rest) {
  rest = without_blanks(rest);
  if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return std::nullopt;
  const bool angled = rest.front() == '<';
  const std::size_t end = rest.find(angled ? '>' : '"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(rest.substr(1, end - 1)), angled, true, 0};
}

struct Known {
  std::uint32_t code;
  const char *name, *instead;
};
constexpr Known strange[] = {
    {0x00A0, "a no-break space", "a space"},
    {0x00AB, "a quotation mark", "\""},
    {0x00AD, "a soft hyphen", ""},
    {0x00BB, "a quotation mark", "\""},
    {0x00D7, "a multiplication sign", "*"},
    {0x037E, "a Greek question mark", ";"},
    {0x2010, "a hyphen", "-"},
    {0x2011, "a no-break hyphen", "-"},
    {0x2013, "an en dash", "-"},
    {0x2014, "an em dash", "-"},
    {0x2018, "a typographic quotation mark", "'"},
    {0x2019, "a typographic quotation mark", "'"},
    {0x201C, "a typographic quotation mark", "\""},
    {0x201D, "a typographic quotation mark", "\""},
    {0x201E, "a typographic quotation mark", "\""},
    {0x2026, "an ellipsis", "..."},
    {0x2028, "a line separator", "a line break"},
    {0x2029, "a paragraph separator", "a line break"},
    {0x202F, "a narrow no-break space", "a space"},
    {0x205F, "a mathematical space", "a space"},
    {0x2060, "a word joiner", ""},
    {0x2212, "a minus sign", "-"},
    {0x2264, "a less-than-or-equal sign", "<="},
    {0x2265, "a greater-than-or-equal sign", ">="},
    {0x3000, "an ideographic space", "a space"},
    {0xFEFF, "a byte order mark", ""},
    {0xFF08, "a full-width parenthesis", "("},
    {0xFF09, "a full-width parenthesis", ")"},
    {0xFF0C, "a full-width comma", ","},
    {0xFF1B, "a full-width semicolon", ";"},
};

std::optional<Known> strange_code(std::uint32_t code) {
  for (const Known &one : strange)
    if (one.code == code) return one;
  if (code >= 0x2000 && code <= 0x200A) return Known{code, "a typographic space", "a space"};
  if (code >= 0x200B && code <= 0x200D) return Known{code, "a character without width", ""};
  if (code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
      (code >= 0x2066 && code <= 0x2069))
    return Known{code, "an invisible mark of the writing direction", ""};
  return std::nullopt;
}

/// One character of two or three bytes, which all that are looked for have; 0 for any other.
std::uint32_t decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  if ((byte(0) & 0xE0U) == 0xC0U && follows(1)) return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
  if ((byte(0) & 0xF0U) == 0xE0U && follows(1) && follows(2))
    return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  return 0;
}

/// How many #if are open after a line, which are `depth` before it.
int depth_after(std::string_view line, int depth) {
  line = without_blanks(line);
  if (line.empty() || line.front() != '#') return depth;
  line = without_blanks(line.substr(1));
  if (line.starts_with("if")) return depth + 1;
  return line.starts_with("endif") ? std::max(0, depth - 1) : depth;
}

std::optional<StrangeCharacter> strange_in(std::string_view line) {
  int column = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;  // within a character
    ++column;
    const std::uint32_t code = decoded(line.substr(at));
    const auto known = code == 0 ? std::nullopt : strange_code(code);
    if (known)
      return StrangeCharacter{fmt::format("{} (U+{:04X})", known->name, code), known->instead, 0, column};
  }
  return std::nullopt;
}

}  // namespace

std::optional<StrangeCharacter> strange_character(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // at the beginning, compilers take it
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  const std::string blanked = Blanked(text).make();
  int number = 0, depth = 0;
  for (std::size_t at = 0; at < blanked.size();) {
    const std::size_t end = std::min(blanked.find('\n', at), blanked.size());
    const std::string_view line = std::string_view(blanked).substr(at, end - at);
    at = end + 1;
    ++number;
    if (auto found = depth == 0 ? strange_in(line) : std::nullopt) {
      found->line = number;
      return found;
    }
    depth = depth_after(line, depth);
  }
  return std::nullopt;
}

std::optional<int> unclosed_brace(std::string_view text) {
  struct Open {
    int line;
    std::size_t indentation;  // of its line
  };
  std::vector<Open> open;
  std::optional<int> by_indentation;
  const std::string blanked = Blanked(text).make();
  int number = 0;
  for (std::size_t at = 0; at < blanked.size();) {
    const std::size_t end = std::min(blanked.find('\n', at), blanked.size());
    const std::string_view line = std::string_view(blanked).substr(at, end - at);
    at = end + 1;
    ++number;
    const std::size_t indentation = std::min(line.find_first_not_of(" \t"), line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '{') open.push_back({number, indentation});
      if (line[i] != '}' || open.empty()) continue;
      if (i == indentation && open.back().indentation > i && !by_indentation)
        by_indentation = open.back().line;
      open.pop_back();
    }
  }
  if (open.empty()) return std::nullopt;
  return by_indentation ? by_indentation : open.back().line;
}

bool has_no_code(std::string_view text) {
  return Blanked(text).make().find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

std::vector<Include> includes_of(std::string_view text) {
  const std::string blanked = Blanked(text).make();
  std::vector<Include> all;
  int line = 0, depth = 0;
  bool goes_on = false;  // the line before ended in a backslash
  for (std::size_t at = 0; at < blanked.size();) {
    const std::size_t end = std::min(blanked.find('\n', at), blanked.size());
    const std::string_view whole = std::string_view(blanked).substr(at, end - at);
    at = end + 1;
    ++line;
    const bool continued = std::exchange(goes_on, whole.ends_with('\\') || whole.ends_with("\\\r"));
    std::string_view rest = without_blanks(whole);
    if (continued || rest.empty() || rest.front() != '#') continue;
    rest = without_blanks(rest.substr(1));
    if (rest.starts_with("if")) ++depth;
    if (rest.starts_with("endif")) depth = std::max(0, depth - 1);
    if (!rest.starts_with("include")) continue;
    if (auto one = included(rest.substr(std::string_view("include").size()))) {
      one->line = line;
      one->certain = depth == 0;
      all.push_back(std::move(*one));
    }
  }
  return all;
}

std::optional<std::string> foreign_encoding(std::span<const std::byte> bytes) {
  const auto begins = [&](int first, int second) {
    return bytes.size() >= 2 && bytes[0] == std::byte(first) && bytes[1] == std::byte(second);
  };
  if (begins(0xFF, 0xFE) || begins(0xFE, 0xFF)) return "UTF-16";
  // Without a mark: every second byte of what begins the file is zero.
  constexpr std::size_t looked_at = 64;
  const std::size_t pairs = std::min(looked_at, bytes.size()) / 2;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < 2 * pairs; ++i) zeros[i % 2] += bytes[i] == std::byte{0};
  const bool wide =
      pairs >= 4 && ((zeros[0] == 0 && zeros[1] == pairs) || (zeros[1] == 0 && zeros[0] == pairs));
  return wide ? std::optional<std::string>("UTF-16") : std::nullopt;
}

}  // namespace warpgrade::build
