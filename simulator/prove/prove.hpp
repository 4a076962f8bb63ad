// What holds of a kernel for all sizes: proved, refuted by a case that was run, or honestly not decided. One
// thread is executed with symbols in place of sizes, thread and block; every access is then an expression with a
// guard, and an integer-set library decides about pairs of them (docs/proofs.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::prove {

/// Expressions are text: names of sizes, integers, + - * / % ( ), min(a, b), max(a, b), ceil_div(a, b). `/` rounds
/// down. Assumptions also have == != < <= > >=, and several of them may be joined with && or commas.
using Expression = std::string;

/// Memory that a kernel gets a pointer to. Distinct buffers do not overlap.
struct Buffer {
  std::string name;
  std::vector<Expression> shape;  ///< row-major, in elements; empty: not known, nor are its bounds decided
  std::uint32_t element_bytes = 4;
  bool output = false;  ///< each of its elements is to be written exactly once
};

/// One parameter of the kernel, in order.
struct Argument {
  enum class Kind {
    integer,  ///< `value`
    pointer,  ///< to `buffer`, `value` elements after its start
    data,     ///< anything, such as a factor: what depends on it is not decided
  };
  Kind kind = Kind::data;
  Expression value = "0";
  std::string buffer;
};

/// A launch with names in place of sizes.
struct Problem {
  const ptx::Module *module = nullptr;
  std::string kernel;              ///< mangled
  std::vector<std::string> sizes;  ///< names that expressions may use
  std::array<Expression, 3> grid{"1", "1", "1"}, block{"1", "1", "1"};
  Expression dynamic_shared_bytes = "0";
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  /// What the contract says of the sizes: "M >= 1". Without an upper bound a size goes up to `largest`.
  std::vector<Expression> assumptions;
  std::int64_t largest = 1 << 30;
  /// One of the sizes that counts the launches of a loop. Then only `written` is decided, and of all launches together.
  std::string turn = {};
};

using Sizes = std::map<std::string, std::int64_t>;

/// What running one case showed.
struct Seen {
  bool outside = false;     ///< an access outside memory, or misaligned
  bool race = false;        ///< two threads at one word, one of which writes, without order
  bool barrier = false;     ///< not reached by all
  bool unwritten = false;   ///< an element of an output was not written
  bool unfinished = false;  ///< it was ended before its threads were, as in a loop that never ends
  std::string text;         ///< for people: the finding
};
/// Runs a case, on the simulator for instance; nothing where it cannot be run.
using Runner = std::function<std::optional<Seen>(const Sizes &)>;

enum class Result { proved, fails, not_decided };
std::string name_of(Result);  ///< "proved", "fails", "not decided"

/// The properties, in the order in which they are given.
inline constexpr std::array<const char *, 5> property_names = {"bounds", "races", "written", "barriers",
                                                               "overflow"};

struct Property {
  std::string name;  ///< one of property_names
  Result result = Result::not_decided;
  ptx::SourceLine where;         ///< of what fails or is not decided
  std::string why;               ///< for people, without the line; empty if proved
  std::string condition;         ///< proved only under it, such as "buffers have at most 2^31 - 1 elements"
  std::optional<Sizes> failing;  ///< if it fails: the case that was run
  std::map<std::string, std::int64_t>
      thread;  ///< if it fails: "blockIdx.x", "threadIdx.x", ... as far as known
  /// If it is not decided: the clock ended the proof, so that a faster machine may decide it.
  bool stopped_by_clock = false;
};

struct Limits {
  double seconds = 10;  ///< then what is left is not decided: time
  /// Likewise, in constraints that were looked at, so that every machine ends at the same place; 0: no limit. One that
  /// lasts some seconds is some hundred thousand.
  std::uint64_t work = 0;
  int cases = 12;            ///< how many cases to run at most for one property
  std::int64_t points = 64;  ///< the largest size of a case that is tried
};

/// Always gives the five properties, in the order above. Never throws because of a kernel; throws
/// std::invalid_argument for an expression that cannot be read, or a name that no size has.
std::vector<Property> decide(const Problem &, const Runner & = {}, const Limits & = {});

/// Why a device runs the launch at no sizes, as a clause: then everything would hold of it. Empty if it runs it, as far as
/// is known. Throws as `decide` does.
std::string why_no_launch(const Problem &);

/// Whether this program was built with the library that decides.
bool can_decide();

/// The value of an expression, and whether an assumption holds. throws std::invalid_argument
std::int64_t evaluate(const Expression &, const Sizes &);
bool holds(const Expression &assumption, const Sizes &);

}  // namespace warpgrade::prove
