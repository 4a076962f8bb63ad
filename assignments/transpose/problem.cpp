// copy_matrix: B = A. transpose: B is A transposed, B[c, r] = A[r, c]. A has `rows` rows of `columns` floats;
// both are row-major without gaps.
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t largest = 32768;

class Move final : public ArrayProblem {
 public:
  explicit Move(bool transposes)
      : ArrayProblem({.name = transposes ? "transpose" : "copy_matrix",
                      .launcher = "int rows, int columns, const float *A, float *B",
                      .integers = {{"rows", 0, largest}, {"columns", 0, largest}},
                      .routine = Routine::copy}),
        transposes_(transposes) {}

  Reference reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const override {
    const auto a = inputs.at(0).as<float>();
    return moved(c, [&](std::int64_t from, std::int64_t) { return a[static_cast<std::size_t>(from)]; });
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::int64_t rows = c.integers.at(0), columns = c.integers.at(1);
    const auto elements = static_cast<std::uint64_t>(rows * columns);
    return {{.name = "A", .elements = elements, .columns = columns},
            {.name = "B", .elements = elements, .is_output = true, .columns = transposes_ ? rows : columns}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }

  std::vector<Hypothesis> hypotheses(const Case &c,
                                     const std::vector<run::HostBuffer> &inputs) const override {
    const std::int64_t rows = c.integers.at(0), columns = c.integers.at(1);
    const auto a = inputs.at(0).as<float>(), before = inputs.at(1).as<float>();
    const auto at = [](std::span<const float> x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
    std::vector<Hypothesis> all;
    if (transposes_)
      all.push_back(
          {"it is A, not A transposed", moved(c, [&](std::int64_t, std::int64_t to) { return at(a, to); })});
    all.push_back(
        {"the row stride of A is `columns`, not `rows`", moved(c, [&](std::int64_t from, std::int64_t to) {
           const std::int64_t taken = from / columns * rows + from % columns;
           return taken < rows * columns ? at(a, taken) : at(before, to);
         })});
    const std::int64_t row_of_b = transposes_ ? rows : columns;
    all.push_back({"nothing is written where a row of B is no multiple of 4 elements long",
                   moved(c, [&](std::int64_t from, std::int64_t to) {
                     return row_of_b % 4 == 0 ? at(a, from) : at(before, to);
                   })});
    for (const std::int64_t tile : {16, 32})
      all.push_back({"only whole tiles are written: the number of blocks must be rounded up",
                     moved(c, [&](std::int64_t from, std::int64_t to) {
                       const bool whole =
                           from / columns < rows / tile * tile && from % columns < columns / tile * tile;
                       return whole ? at(a, from) : at(before, to);
                     })});
    return all;
  }

 private:
  /// B if the element at `from` in A goes to `to` in B with the value of element(from, to).
  template <typename Element>
  Reference moved(const Case &c, const Element &element) const {
    const std::int64_t rows = c.integers.at(0), columns = c.integers.at(1);
    Reference ref;
    ref.want.resize(static_cast<std::size_t>(rows * columns));
    ref.scale.assign(ref.want.size(), 0.0);  // nothing is computed: exact
    on_all_cores(ref.want.size(), [&](std::uint64_t first, std::uint64_t end) {
      for (auto from = static_cast<std::int64_t>(first); from < static_cast<std::int64_t>(end); ++from) {
        const std::int64_t to = transposes_ ? from % columns * rows + from / columns : from;
        ref.want[static_cast<std::size_t>(to)] = element(from, to);
      }
    });
    return ref;
  }

  bool transposes_;
};

}  // namespace

WARPGRADE_PROBLEMS(Move(false), Move(true))
