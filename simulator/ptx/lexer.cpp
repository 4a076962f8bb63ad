#include "ptx/lexer.hpp"

#include <bit>
#include <charconv>
#include <string>

namespace warpgrade::ptx {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// How many characters a decimal floating-point literal has: "1e2", "2.", ".5", "1.5e-2"; 0: it is none.
std::size_t length_of_real(std::string_view text) {
  std::size_t end = 0, digits = 0;
  const auto skip_digits = [&] {
    for (; end < text.size() && is_digit(text[end]); ++end) ++digits;
  };
  skip_digits();
  const bool point = end < text.size() && text[end] == '.';
  if (point) ++end, skip_digits();
  if (digits == 0) return 0;
  std::size_t exponent = end;
  if (exponent < text.size() && (text[exponent] == 'e' || text[exponent] == 'E')) {
    ++exponent;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      for (end = exponent; end < text.size() && is_digit(text[end]);) ++end;
      return end;
    }
  }
  const bool word_follows = end < text.size() && is_letter(text[end]);  // "9.entry"
  return point && !word_follows ? end : 0;
}

}  // namespace

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) throw ParseError(line_, "a comment is never closed");
      for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n';
    } else if (c == '#') {  // line markers of a preprocessor
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

void Lexer::read_number() {
  const std::size_t start = position_;
  const char kind = at(position_ + 1);
  if (text_[position_] == '0' && (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D')) {
    const bool single = kind == 'f' || kind == 'F';
    const std::size_t digits = single ? 8 : 16;
    const std::string_view hex = text_.substr(position_ + 2, digits);
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
    if (error != std::errc() || hex.size() != digits || end != hex.data() + digits)
      throw ParseError(line_, "bad floating-point literal");
    position_ += 2 + digits;
    next_ = {Token::Kind::real, text_.substr(start, position_ - start), static_cast<std::int64_t>(bits),
             single ? Type::f32 : Type::f64, line_};
    return;
  }
  int base = 10;
  if (text_[position_] == '0' && (kind == 'x' || kind == 'X'))
    base = 16, position_ += 2;
  else if (text_[position_] == '0' && (kind == 'b' || kind == 'B'))
    base = 2, position_ += 2;
  else if (text_[position_] == '0' && is_digit(kind))
    base = 8, position_ += 1;
  std::uint64_t value = 0;
  const char *const first = text_.data() + position_;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value, base);
  if (error != std::errc()) throw ParseError(line_, "bad integer literal");
  position_ += static_cast<std::size_t>(end - first);
  if (base == 10 || base == 8) {
    const std::size_t length = length_of_real(text_.substr(start));
    if (length > position_ - start) {
      position_ = start + length;
      return take_real(start);
    }
  }
  if (at(position_) == 'U') ++position_;
  next_ = {Token::Kind::integer, text_.substr(start, position_ - start), static_cast<std::int64_t>(value),
           Type::none, line_};
}

/// A decimal literal of a float is a double until its instruction takes it.
void Lexer::take_real(std::size_t start) {
  const std::string digits(text_.substr(start, position_ - start));
  next_ = {Token::Kind::real, text_.substr(start, position_ - start),
           std::bit_cast<std::int64_t>(std::strtod(digits.c_str(), nullptr)), Type::f64, line_};
}

void Lexer::read_word() {
  const std::size_t start = position_;
  for (;;) {
    const char c = at(position_);
    if (c == '.' && text_.substr(start, position_ - start) == ".reg")
      break;  // inline assembly writes ".reg.b32 x"
    else if (is_letter(c) || is_digit(c))
      ++position_;
    else if (c == ':' && at(position_ + 1) == ':' && is_letter(at(position_ + 2)))
      position_ += 2;  // shared::cta
    else if (c == ':' && at(position_ + 1) == ':' && is_digit(at(position_ + 2)))
      position_ += 2;  // L2::128B
    else
      break;
  }
  next_ = {Token::Kind::word, text_.substr(start, position_ - start), 0, Type::none, line_};
}

void Lexer::advance() {
  skip_blanks();
  if (position_ >= text_.size()) {
    next_ = {Token::Kind::end, {}, 0, Type::none, line_};
    return;
  }
  const char c = text_[position_];
  if (is_digit(c)) return read_number();
  if (c == '.' && is_digit(at(position_ + 1))) {
    const std::size_t start = position_;
    position_ += length_of_real(text_.substr(start));
    return take_real(start);
  }
  if (is_letter(c)) return read_word();
  if (c == '"') {
    const std::size_t end = text_.find('"', position_ + 1);
    if (end == std::string_view::npos) throw ParseError(line_, "a string is never closed");
    next_ = {Token::Kind::string, text_.substr(position_ + 1, end - position_ - 1), 0, Type::none, line_};
    position_ = end + 1;
    return;
  }
  next_ = {Token::Kind::symbol, text_.substr(position_, 1), 0, Type::none, line_};
  ++position_;
}

void Lexer::skip_braces() {
  const int first = line_;
  int depth = 0;
  for (;;) {
    const Token token = take();
    if (token.kind == Token::Kind::end) throw ParseError(first, "'{' is never closed");
    if (token.is('{')) ++depth;
    if (token.is('}') && --depth <= 0) return;
  }
}

}  // namespace warpgrade::ptx
