// What is computed, independent of how: inputs, the double-precision reference, comparison, flop counts.
// Takes a case (sizes and factors) and a seed; returns host buffers and facts about how an output differs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "problem/element.hpp"
#include "problem/formula.hpp"
#include "problem/library.hpp"
#include "problem/on_device.hpp"
#include "problem/product.hpp"
#include "run/run.hpp"

namespace warpgrade::problem {

/// One instance of the problem: numbers in the order of Problem::integers() and Problem::reals().
struct Case {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  bool operator==(const Case &) const = default;
};

/// The order of the numbers in a Case, as the YAML spells them.
struct Integer {
  std::string name;
  std::int64_t least = 1, most = 1;  ///< accepted range
  /// The value if neither a case nor its step gives one; none: one of them must.
  std::optional<std::int64_t> otherwise = {};
  bool size = true;  ///< one of those that "129" sets all alike
};
struct Real {
  std::string name;
  double otherwise = 0;  ///< the value if a case does not give one
};

/// An element of an output that is not shown to be close.
struct Mismatch {
  std::string where;  ///< "C[0, 1]"
  double got = 0, want = 0;
  bool operator==(const Mismatch &) const = default;
};

/// How many elements are wrong in each part of an output, for a picture: a grid of at most 16 x 16 parts of
/// (nearly) equal size laid over height x width elements. Part r covers the rows from r * height / rows up to
/// (r + 1) * height / rows, columns alike.
struct WrongMap {
  static constexpr std::int64_t most_parts = 16;  ///< in each direction
  std::int64_t height = 0, width = 0;             ///< of the output, in elements
  std::int64_t rows = 0, cols = 0;                ///< of the grid
  std::vector<std::uint32_t> wrong;               ///< rows * cols counts, row by row; empty: nothing is wrong
  bool empty() const { return wrong.empty(); }
  /// Elements in a part.
  std::int64_t elements(std::int64_t row, std::int64_t col) const {
    return ((row + 1) * height / rows - row * height / rows) *
           ((col + 1) * width / cols - col * width / cols);
  }
  bool operator==(const WrongMap &) const = default;
};

/// How an output compares with the reference. Facts only; judge/ says what they mean.
struct Comparison {
  std::string output = "C";  ///< what the launcher calls the compared buffer
  std::uint64_t checked = 0, wrong = 0;
  std::uint64_t not_finite = 0;     ///< of the wrong ones: NaN or infinite
  std::uint64_t never_written = 0;  ///< of the wrong ones: still have the bits from before the run
  double max_error = 0;             ///< in units of the tolerance; infinite when not_finite > 0
  std::vector<Mismatch> first;      ///< at most 4, in memory order
  std::string located;              ///< where the wrong ones lie: "every element", "rows 128 to 128", ""
  WrongMap map;                     ///< the same as a picture
  std::string cause;                ///< the one mistake that gives exactly this result; empty: not known
  std::vector<std::string>
      changed_inputs;  ///< what should be as it went in and is not: "the read-only matrix A (3 elements)"
  bool operator==(const Comparison &) const = default;
};

/// The exact result of one case for one set of inputs, and how far an honest fp32 result may be from it.
struct Reference {
  std::vector<double> want;
  std::vector<double>
      scale;  ///< |got - want| <= tolerance * scale is accepted, for each element; 0: must be equal
  /// The elements as their bits: of integers that a double cannot hold, and of what may come in any order.
  /// Empty: `want` says it all.
  std::vector<std::uint64_t> words = {};
  /// By the number of an output: how many elements at its beginning may come in any order.
  std::map<std::size_t, std::uint64_t> in_any_order = {};
};

/// The layout of a matrix in its buffer: row-major or column-major, with rows or columns `pitch` elements
/// apart.
struct Extent {
  std::int64_t rows = 1, cols = 1, pitch = 1;
  bool by_columns = false;
  bool operator==(const Extent &) const = default;
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string_view name() const = 0;
  /// The launcher's parameters, as the contract header writes them: "int n, const float *x, float *y". This
  /// is the only place that declares them. Integers take arguments() and reals the case's, in order; a
  /// pointer takes the buffer of its name.
  virtual std::string_view launcher() const = 0;
  virtual const std::vector<Integer> &integers() const = 0;
  virtual const std::vector<Real> &reals() const = 0;

  /// "m=n=k=129" or "m=67 n=1 k=129 alpha=0.5 beta=2".
  virtual std::string case_name(const Case &) const = 0;
  virtual double flops(const Case &) const = 0;
  /// What a rate counts: the flops of a product; for problems without arithmetic, bytes that must be read.
  virtual double work(const Case &c) const { return flops(c); }
  /// The unit of 1e9 of these per second: "GFLOPS" or "GB/s".
  virtual std::string_view rate_unit() const { return "GFLOPS"; }
  /// Bytes that must be moved if everything is read and written once.
  virtual double compulsory_bytes(const Case &) const = 0;
  /// Elements of the output.
  virtual std::uint64_t outputs(const Case &) const = 0;
  /// Whether there is anything to compute; a launcher may return without launching a kernel if there is not.
  virtual bool needs_kernel(const Case &) const { return true; }

  /// The launcher's integers, in signature order.
  virtual std::vector<std::int64_t> arguments(const Case &c) const { return c.integers; }
  /// The judge's buffers: name and bytes.
  virtual std::vector<plan::Buffer> buffers(const Case &) const = 0;
  /// How many devices the launcher is given: one more than the highest that a buffer is on.
  std::uint8_t devices(const Case &) const;
  /// Of each buffer, for pictures: that of the matrix, or one row of elements of 4 bytes.
  virtual std::vector<Extent> extents(const Case &) const;
  /// The same with contents: a function of only the case and the seed.
  virtual std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t seed) const = 0;
  /// Whether any two elements of this input may change places: the inputs are still valid then, with another
  /// result. Not for row pointers or indices.
  virtual bool may_exchange(const Case &, std::size_t /*buffer*/) const { return true; }
  virtual Reference reference(const Case &, const std::vector<run::HostBuffer> &inputs) const = 0;
  /// The same case as a matrix product, if it is one: then a GPU can generate its inputs (the same numbers as
  /// inputs()) and check its outputs by itself. Otherwise the host does this.
  virtual std::optional<MatrixProduct> product(const Case &) const { return std::nullopt; }
  /// Whether product() returns one.
  virtual bool is_product() const { return false; }
  /// The same for the kernels of a problem.cu, which may or may not be there; nothing if such kernels cannot
  /// represent its arrays.
  virtual std::optional<OnDeviceCase> on_device(const Case &) const { return std::nullopt; }
  /// "B[3, 5]"
  virtual std::string element_name(const Case &, std::size_t buffer, std::uint64_t element) const;
  /// Whether its factors are in half precision, so that no solution is faster than the tensor cores.
  virtual bool on_tensor_cores() const { return false; }
  /// How much faster tensor cores are with its factors than with halves.
  virtual double over_half_precision() const { return 1; }
  /// What is timed beside a launcher, on the same inputs.
  virtual Routine routine() const { return is_product() ? Routine::product : Routine::none; }
  Library library() const { return library_of(routine()); }
  /// Where each element of the reference is in the buffers, in its order; empty if this cannot be said.
  struct Place {
    std::size_t buffer = 0;
    std::uint64_t element = 0;
    Type type = Type::f32;
  };
  virtual std::vector<Place> places(const Case &) const { return {}; }
  /// Compares every element. `tolerance` in units of Reference::scale.
  virtual Comparison compare(const Case &, const std::vector<run::HostBuffer> &inputs, const Reference &,
                             const std::vector<run::HostBuffer> &outputs, double tolerance) const = 0;
  /// Checks a large output without computing all of it: probabilistic over every element, exact for some.
  /// Returns a sentence if it is wrong. `seed` draws the random vector and the sampled elements.
  virtual std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &inputs,
                                                const std::vector<run::HostBuffer> &outputs, double tolerance,
                                                std::uint64_t seed) const = 0;
  /// The common mistakes that give exactly this wrong result, each as a clause: "it is A times B transposed".
  /// A clause contains no number of the case, so clauses of several cases can be compared.
  virtual std::vector<std::string> mistakes(const Case &, const std::vector<run::HostBuffer> & /*inputs*/,
                                            const std::vector<run::HostBuffer> & /*outputs*/,
                                            double /*tolerance*/) const {
    return {};
  }
  /// Which sizes were confused with which, if that can be shown: "the row stride of A is K, not N". The
  /// buffers may be longer than the case needs, so that a kernel that leaves its matrices runs to its end; ""
  /// if nothing is shown.
  virtual std::string confused_sizes(const Case &, const std::vector<run::HostBuffer> & /*inputs*/,
                                     const std::vector<run::HostBuffer> & /*outputs*/,
                                     double /*tolerance*/) const {
    return "";
  }
  /// The fewest bytes that are read from shared memory if it contributes to the problem: every element of the
  /// smaller factor of a product, every result of anything else, once.
  virtual double least_shared_bytes(const Case &c) const { return 4.0 * static_cast<double>(outputs(c)); }
};

/// The same inputs but for two elements of each that may change places, others for each seed. The first and
/// the last element, sums and other signs by which a kernel may recognise its inputs stay what they were.
std::vector<run::HostBuffer> with_exchanged_elements(const Problem &, const Case &,
                                                     std::vector<run::HostBuffer> inputs, std::uint64_t seed);

/// Whether the results of a case are too few to recognise a mistake by: one element, or a product with one row
/// or one column.
bool is_degenerate(const Problem &, const Case &);

/// What a spot check found: "C[3, 5] is 1, should be 2", and the like for a sum over a row.
/// "4006020000", "0.25": whole numbers in full, others with so many digits.
std::string number_in_words(double value, int digits = 6);
std::string name_of(Cell, char matrix);  ///< "C[3, 5]"
std::string wrong_cell(char matrix, Cell, double got, double want);
/// "3 of 16 elements of counts are wrong: counts[2] is 1, should be 2"
std::string wrong_elements(std::uint64_t wrong, std::uint64_t checked, const std::string &output,
                           const Mismatch &first);
std::string wrong_row(char matrix, std::int64_t row, double got, double want, double allowed);

/// The problem of that name, or null: one of those that assignments bring (problem/registry.hpp). Problems
/// live as long as the program.
const Problem *find_problem(std::string_view name);
std::vector<std::string> problem_names();

/// Integers that follow from others, by name: {"grid_x": n/64}.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// The numbers of a case that were given explicitly, in the order of integers() and reals().
struct Given {
  std::vector<std::optional<std::int64_t>> integers;
  std::vector<std::optional<double>> reals;
  explicit Given(const Problem &p) : integers(p.integers().size()), reals(p.reals().size()) {}
};
/// The same number for all sizes.
Given all_sizes(const Problem &, std::int64_t number);
/// The sizes and the factors of a case, without the values derived from them.
Given sizes_of(const Problem &, const Case &);
/// The whole case: values that are not given come from `with`, or are the defaults. Throws
/// std::invalid_argument with a sentence: "'k' is missing".
Case complete(const Problem &, const Given &, const Formulas &with);

/// Reads what case_name() writes, and shorter forms of it: "m=n=k=129", "m=67 n=1 k=129 alpha=0.5", "129" for
/// all sizes. Throws std::invalid_argument with a sentence that says what is accepted.
Given parse_given(const Problem &, std::string_view text);
/// The same as a whole case.
Case parse_case(const Problem &, std::string_view text, const Formulas &with = {});

}  // namespace warpgrade::problem
