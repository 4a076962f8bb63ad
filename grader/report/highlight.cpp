#include "report/highlight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/text.hpp"

namespace warpgrade::report {

namespace {

// Sorted, for std::binary_search.
constexpr std::string_view keywords[] = {
    "alignas",     "alignof",  "auto",     "bool",       "break",     "case",     "catch",
    "char",        "class",    "const",    "const_cast", "constexpr", "continue", "decltype",
    "default",     "delete",   "do",       "double",     "else",      "enum",     "explicit",
    "extern",      "false",    "float",    "for",        "goto",      "if",       "inline",
    "int",         "int64_t",  "long",     "mutable",    "namespace", "new",      "noexcept",
    "nullptr",     "operator", "private",  "protected",  "public",    "register", "reinterpret_cast",
    "return",      "short",    "signed",   "size_t",     "sizeof",    "static",   "static_assert",
    "static_cast", "struct",   "switch",   "template",   "this",      "throw",    "true",
    "try",         "typedef",  "typename", "uint32_t",   "uint64_t",  "union",    "unsigned",
    "using",       "virtual",  "void",     "volatile",   "while"};
static_assert(std::is_sorted(std::begin(keywords), std::end(keywords)));

constexpr std::string_view cuda_words[] = {"blockDim", "blockIdx", "dim3", "float2",    "float4",
                                           "gridDim",  "int2",     "int4", "threadIdx", "warpSize"};
static_assert(std::is_sorted(std::begin(cuda_words), std::end(cuda_words)));

bool digit(char c) {
  return c >= '0' && c <= '9';
}
/// Bytes of UTF-8 count as letters, so that no piece ends within a character.
bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  std::vector<std::vector<Piece>> all() {
    while (at_ < source_.size()) next();
    if (!source_.empty() && source_.back() == '\n') lines_.pop_back();
    if (source_.empty()) lines_.clear();
    return std::move(lines_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  /// Takes what reaches to `end`, over as many lines as it has.
  void take(Token token, std::size_t end) {
    end = std::min(end, source_.size());
    while (at_ < end) {
      const std::size_t newline = std::min(source_.substr(0, end).find('\n', at_), end);
      std::string_view part = source_.substr(at_, newline - at_);
      if (part.ends_with('\r') && (newline == source_.size() || source_[newline] == '\n'))
        part.remove_suffix(1);
      if (!part.empty()) {
        std::vector<Piece> &line = lines_.back();
        if (!line.empty() && line.back().token == token)
          line.back().text += part;
        else
          line.push_back({token, std::string(part)});
      }
      at_ = newline;
      if (newline < end) lines_.emplace_back(), ++at_, line_began_ = true;
    }
  }

  /// Where this line ends; a backslash at its end joins the next one to it.
  std::size_t end_of_line() const {
    std::size_t end = at_;
    for (;; ++end) {
      end = std::min(source_.find('\n', end), source_.size());
      const std::string_view before = source_.substr(at_, end - at_);
      if (end == source_.size() || !(before.ends_with('\\') || before.ends_with("\\\r"))) return end;
    }
  }
  std::size_t after(std::string_view mark, std::size_t from) const {
    const std::size_t found = source_.find(mark, from);
    return found == std::string_view::npos ? source_.size() : found + mark.size();
  }
  /// After the quote that closes the one here, or where the line ends.
  std::size_t end_of_quote(char quote) const {
    for (std::size_t end = at_ + 1; end < source_.size(); ++end) {
      if (source_[end] == '\n') return end;
      if (source_[end] == quote) return end + 1;
      if (source_[end] == '\\') ++end;
    }
    return source_.size();
  }

  void next() {
    const char c = peek();
    const bool first = line_began_;
    if (c != ' ' && c != '\t') line_began_ = false;
    if (c == '\n' || c == '\r')
      take(Token::plain, at_ + 1);
    else if (sees("//"))
      take(Token::comment, end_of_line());
    else if (sees("/*"))
      take(Token::comment, after("*/", at_ + 2));
    else if (c == '"' || c == '\'')
      take(Token::text, end_of_quote(c));
    else if (c == '#' && first)
      directive();
    else if (digit(c) || (c == '.' && digit(peek(1))))
      number();
    else if (letter(c))
      word();
    else
      take(Token::plain, at_ + 1);
  }

  void directive() {
    std::size_t end = at_ + 1;
    while (end < source_.size() && (source_[end] == ' ' || source_[end] == '\t')) ++end;
    const std::size_t name = end;
    while (end < source_.size() && letter(source_[end])) ++end;
    const bool include = source_.substr(name, end - name) == "include";
    take(Token::directive, end);
    if (!include) return;
    const std::size_t line = end_of_line(), open = source_.find('<', at_);
    if (open >= line) return;
    take(Token::plain, open);
    take(Token::text, std::min(after(">", open), line));
  }

  void number() {
    std::size_t end = at_ + 1;
    for (; end < source_.size(); ++end) {
      const char c = source_[end], before = source_[end - 1];
      const bool sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator =
          c == '\'' && end + 1 < source_.size() && (digit(source_[end + 1]) || letter(source_[end + 1]));
      if (!digit(c) && !letter(c) && c != '.' && !sign && !separator) break;
    }
    take(Token::number, end);
  }

  void word() {
    std::size_t end = at_ + 1;
    while (end < source_.size() && (letter(source_[end]) || digit(source_[end]))) ++end;
    const std::string_view word = source_.substr(at_, end - at_);
    if (word.ends_with('R') && word.size() <= 3 && end < source_.size() &&
        source_[end] == '"') {  // R"x(...)x"
      const std::size_t open = source_.find('(', end);
      if (open != std::string_view::npos && open - end <= 17) {
        const std::string close = fmt::format("){}\"", source_.substr(end + 1, open - end - 1));
        return take(Token::text, after(close, open));
      }
    }
    const bool cuda = (word.starts_with("__") && word.size() > 4) ||
                      std::binary_search(std::begin(cuda_words), std::end(cuda_words), word);
    const bool keyword = std::binary_search(std::begin(keywords), std::end(keywords), word);
    take(cuda ? Token::cuda : keyword ? Token::keyword : Token::plain, end);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_began_ = true;  ///< nothing but blanks so far
  std::vector<std::vector<Piece>> lines_{1};
};

std::string_view class_of(Token token) {
  switch (token) {
    case Token::plain:
      break;
    case Token::comment:
      return "tc";
    case Token::text:
      return "ts";
    case Token::number:
      return "tn";
    case Token::keyword:
      return "tk";
    case Token::cuda:
      return "tg";
    case Token::directive:
      return "td";
  }
  return {};
}

}  // namespace

std::vector<std::vector<Piece>> highlight(std::string_view source) {
  return Tokenizer(source).all();
}

std::string markup_of(const std::vector<Piece> &line, std::size_t most) {
  std::string markup;
  for (const Piece &piece : line) {
    const bool cut = piece.text.size() > most;
    const std::string text = for_xml(cut ? piece.text.substr(0, most) + " ..." : piece.text);
    const std::string_view name = class_of(piece.token);
    markup += name.empty() ? text : fmt::format("<span class=\"{}\">{}</span>", name, text);
    if (cut) break;
    most -= piece.text.size();
  }
  return markup;
}

}  // namespace warpgrade::report
