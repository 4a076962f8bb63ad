#include "build/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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

}  // namespace

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
