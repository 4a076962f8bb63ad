// scan: y[i] = x[0] + ... + x[i]. compact: the elements that are not negative, in their order, and how many
// there are.
#include <algorithm>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;

std::size_t size_of(const Case &c) {
  return static_cast<std::size_t>(c.integers.at(0));
}

class Scan final : public ArrayProblem {
 public:
  Scan()
      : ArrayProblem({.name = "scan",
                      .launcher = "int n, const int *x, int *y",
                      .integers = {{"n", 0, longest}},
                      .routine = Routine::inclusive_sum}) {}
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sums(c, in, size_of(c), 0);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size_of(c), .type = Type::i32},
            {.name = "y", .elements = size_of(c), .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return element_of_scan(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    std::vector<Hypothesis> all = {
        {"the sums are exclusive: an element is missing from its own sum", sums(c, in, size_of(c), 1)}};
    for (const std::size_t block : {256, 512, 1024, 2048})
      all.push_back({"each block starts from zero: the sums of the blocks before it are not added",
                     sums(c, in, block, 0)});
    return all;
  }

 private:
  /// Sums that start anew every `block` elements; exclusive: 1 to leave out the element itself.
  static Reference sums(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t block,
                        int exclusive) {
    const auto x = in[0].as<std::int32_t>();
    Reference ref{std::vector<double>(size_of(c)), std::vector<double>(size_of(c))};
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size_of(c); ++i) {
      if (i % block == 0) sum = 0;
      const std::int64_t before = sum;
      sum += x[i];
      ref.want[i] = static_cast<double>(exclusive == 1 ? before : sum);
    }
    return ref;
  }
};

/// What follows the kept elements in y must stay as it was.
class Compact final : public ArrayProblem {
 public:
  Compact()
      : ArrayProblem(
            {.name = "compact",
             .launcher = "int n, const int *x, int *y, int *kept",
             .integers = {{"n", 0, longest},
                          {.name = "negative", .least = 0, .most = 100, .otherwise = 50, .size = false}},
             .routine = Routine::select_not_negative}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &in) const override {
    const auto x = in[0].as<std::int32_t>(), before = in[1].as<std::int32_t>();
    Reference ref;
    std::copy_if(x.begin(), x.end(), std::back_inserter(ref.want),
                 [](std::int32_t value) { return value >= 0; });
    const std::size_t kept = ref.want.size();
    ref.want.insert(ref.want.end(), before.begin() + static_cast<std::ptrdiff_t>(kept), before.end());
    ref.want.push_back(static_cast<double>(kept));
    ref.scale.assign(ref.want.size(), 0.0);
    return ref;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size_of(c), .type = Type::i32},
            {.name = "y", .elements = size_of(c), .type = Type::i32, .is_output = true},
            {.name = "kept", .elements = 1, .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_compact(c.integers.at(1), seed, array, i);
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Scan(), Compact())
