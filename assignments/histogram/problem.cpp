// histogram: counts[b] = how many of n numbers equal b.
#include <fmt/format.h>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t most_numbers = std::int64_t{1} << 28, most_bins = 4096;

/// Sizes n: how many numbers; bins: the numbers are 0 to bins - 1; crowded: this percentage of them, spread
/// over the array, is one number drawn by the seed; the rest is uniformly distributed.
class Histogram final : public ArrayProblem {
 public:
  Histogram()
      : ArrayProblem(
            {.name = "histogram",
             .launcher = "int n, int bins, const unsigned *x, unsigned *counts",
             .integers = {{"n", 1, most_numbers},
                          {.name = "bins", .least = 1, .most = most_bins, .otherwise = 256, .size = false},
                          {.name = "crowded", .least = 0, .most = 100, .otherwise = 0, .size = false}},
             .routine = Routine::histogram_even}) {}

  std::string case_name(const Case &c) const override {
    const Numbers x = numbers(c);
    std::string name = fmt::format("n={} bins={}", x.n, x.bins);
    if (x.crowded > 0) name += fmt::format(" crowded={}", x.crowded);
    return name;
  }
  /// The numbers, each once. The output is small in comparison.
  double work(const Case &c) const override { return 4.0 * static_cast<double>(numbers(c).n); }
  std::vector<std::int64_t> arguments(const Case &c) const override {
    return {numbers(c).n, numbers(c).bins};
  }

  Reference reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const override {
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(numbers(c).bins));
    for (const std::uint32_t x : inputs.at(0).as<std::uint32_t>())
      if (x < counts.size()) ++counts[x];
    return {{counts.begin(), counts.end()}, std::vector<double>(counts.size())};
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const Numbers x = numbers(c);
    return {{.name = "x", .elements = static_cast<std::uint64_t>(x.n), .type = Type::u32},
            {.name = "counts",
             .elements = static_cast<std::uint64_t>(x.bins),
             .type = Type::u32,
             .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    const Numbers x = numbers(c);
    return element_of_histogram(x.bins, x.crowded, seed, array, i);
  }

 private:
  struct Numbers {
    std::int64_t n, bins, crowded;
  };
  static Numbers numbers(const Case &c) { return {c.integers.at(0), c.integers.at(1), c.integers.at(2)}; }
};

}  // namespace

WARPGRADE_PROBLEMS(Histogram())
