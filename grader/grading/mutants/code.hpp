// A source as tokens, with its brackets, conditions, loops and functions: what the kinds of mutants look at. Internal to
// mutants/.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade::mutants {

struct Token {
  enum class Kind : unsigned char { name, number, text, sign };
  Kind kind = Kind::sign;
  std::size_t at = 0, length = 0;  ///< in the source
  int line = 0;
};

/// Tokens first to last, the end not included.
struct Range {
  std::size_t first = 0, last = 0;
  bool empty() const { return first >= last; }
  std::size_t size() const { return empty() ? 0 : last - first; }
};

/// `for (start; test; step)`; what lies between the parentheses.
struct Loop {
  Range start, test, step;
};

/// A call or a constructor: its name and its arguments.
struct Call {
  std::size_t name = 0;  ///< a token
  std::size_t close = 0;
  std::vector<Range> arguments;
};

class Code {
 public:
  explicit Code(const std::string &source);

  const std::string &source() const { return source_; }
  std::size_t size() const { return tokens_.size(); }
  const Token &at(std::size_t i) const { return tokens_[i]; }
  std::string_view word(std::size_t i) const;  ///< empty beyond the end
  bool is(std::size_t i, std::string_view word_there) const { return word(i) == word_there; }
  bool is_name(std::size_t i) const { return i < size() && tokens_[i].kind == Token::Kind::name; }
  bool is_number(std::size_t i) const { return i < size() && tokens_[i].kind == Token::Kind::number; }
  /// The text of a range, blanks and comments included.
  std::string text(Range) const;

  /// Of an opening bracket, its closing one; of any other token, or an open bracket, size().
  std::size_t close_of(std::size_t open) const { return closes_[open]; }
  /// The parts of a range between top-level occurrences of a sign.
  std::vector<Range> parts(Range, std::string_view sign) const;
  /// The end of the operand that starts at `first`: before the next sign that binds less, or the end of its bracket.
  std::size_t end_of_term(std::size_t first) const;

  bool on_device(std::size_t i) const;    ///< inside a __global__ or __device__ function
  bool in_function(std::size_t i) const;  ///< inside the body of any function
  bool in_subscript(std::size_t i) const;
  bool declares(std::size_t i) const;  ///< whether its statement is a declaration with a type in front
  std::size_t statement_start(std::size_t i) const;

  const std::vector<Range> &conditions() const { return conditions_; }  ///< of `if` and `while`
  const std::vector<Loop> &loops() const { return loops_; }
  std::vector<Call> calls(std::string_view name) const;
  /// `kernel<<<...>>>(...)`: the range between the angle brackets, and the arguments.
  struct Launch {
    std::vector<Range> geometry, arguments;
  };
  std::vector<Launch> launches() const;
  /// Names of integers and of reals among the parameters of a file's functions.
  std::vector<std::string> integer_parameters() const {
    return parameters({"int", "unsigned", "int64_t", "size_t", "long"});
  }
  std::vector<std::string> real_parameters() const { return parameters({"float", "double"}); }

 private:
  std::vector<std::string> parameters(const std::vector<std::string_view> &types) const;
  void read_tokens();
  void match_brackets();
  void find_functions();
  void find_statements();

  std::string source_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> closes_;
  std::vector<std::pair<Range, bool>> bodies_;  ///< of functions, and whether they are device code
  std::vector<Range> heads_;                    ///< their parameters
  std::vector<Range> subscripts_, conditions_;
  std::vector<Loop> loops_;
};

/// A change of the text: so many bytes at a place become others.
struct Edit {
  std::size_t at = 0, length = 0;
  std::string instead;
};
using Add = std::function<void(const Edit &)>;

Edit replace(const Code &, Range, std::string instead);
Edit replace(const Code &, std::size_t token, std::string instead);
/// The texts of two ranges change places; `a` comes first.
Edit swap(const Code &, Range a, Range b);

struct Kind {
  std::string_view name;
  void (*find)(const Code &, const Add &);
};
extern const std::vector<Kind> condition_kinds, loop_kinds, index_kinds, value_kinds, thread_kinds,
    launch_kinds;

}  // namespace warpgrade::mutants
