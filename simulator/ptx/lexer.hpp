// Splits PTX text into tokens. Internal to the parser.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,     ///< identifiers, registers, opcodes, directives: "ld.global.f32", "%r1", ".reg", "$L__BB0_1"
    integer,  ///< value
    real,     ///< 0f..., 0d... or a decimal fraction: value has the bits, type is f32 or f64
    string,   ///< text without the quotes
    symbol,   ///< one character: text
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::int64_t value = 0;
  Type type = Type::none;
  int line = 1;
  bool is(char c) const { return kind == Kind::symbol && text[0] == c; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token &peek() const { return next_; }
  Token take() {
    const Token token = next_;
    advance();
    return token;
  }
  /// Skips to after the next '}' at depth zero: for sections that contain no code.
  void skip_braces();

 private:
  void advance();
  void skip_blanks();
  void read_number();
  void read_word();
  void take_real(std::size_t start);
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  Token next_;
};

}  // namespace warpgrade::ptx
