// multi_head_attention: each query of each head takes the average of its head's values, weighted by the
// softmax of its products with the keys. Q, K and V are in bfloat16; multi_head_attention_half has them in
// half precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

class Heads final : public ArrayProblem {
 public:
  Heads(const char *name, const std::string &number, Type type)
      : ArrayProblem(
            {.name = name,
             .launcher = "int batch, int heads, int length, int width, int causal, const " + number +
                         " *Q, const " + number + " *K, const " + number + " *V, float *O",
             .integers = {{.name = "batch", .least = 1, .most = 4096, .otherwise = 1, .size = false},
                          {.name = "heads", .least = 1, .most = 4096, .otherwise = 1, .size = false},
                          {"length", 1, 65536},
                          {.name = "width", .least = 64, .most = 128, .otherwise = 64, .size = false},
                          {.name = "causal", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "large", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}}}),
        type_(type) {}
  std::vector<std::int64_t> arguments(const Case &c) const override {
    return {c.integers.begin(), c.integers.begin() + 5};
  }
  bool on_tensor_cores() const override { return true; }
  /// A product and an addition for each element of each key and of each value that a query sees.
  double flops(const Case &c) const override {
    const auto n = static_cast<double>(length(c));
    const double pairs = causal(c) ? n * (n + 1) / 2 : n * n;
    return 4.0 * static_cast<double>(width(c) * heads(c)) * pairs;
  }
  double work(const Case &c) const override { return flops(c); }
  std::string_view rate_unit() const override { return "GFLOPS"; }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return attended(c, in, as_it_should_be(c));
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::uint64_t elements = heads(c) * length(c) * width(c);
    const auto columns = static_cast<std::int64_t>(width(c));
    return {{.name = "Q", .elements = elements, .type = type_, .columns = columns},
            {.name = "K", .elements = elements, .type = type_, .columns = columns},
            {.name = "V", .elements = elements, .type = type_, .columns = columns},
            {.name = "O", .elements = elements, .is_output = true, .columns = columns}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    if (array == 3) return bits_of(awkward_float(random_bits(seed, array + 1, i), 1, 4));
    return of_attention::element_of_heads(half(), c.integers.at(3), c.integers.at(5) == 1,
                                          c.integers.at(6) == 1, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    std::vector<Hypothesis> all;
    const auto add = [&](const char *clause, const std::function<void(Way &)> &change) {
      Way way = as_it_should_be(c);
      change(way);
      all.push_back({clause, attended(c, in, way)});
    };
    const std::size_t n = length(c);
    const auto first_keys = [n](std::size_t least) {
      return [n, least](Way &way) {
        way.keys = [keys = way.keys, n, least](std::size_t q) {
          return std::min(keys(q), std::min(n, least));
        };
      };
    };
    add("the scores are not divided by the root of the width", [](Way &way) { way.divisor = 1; });
    add("the scores are divided by the width, not by its root",
        [&](Way &way) { way.divisor = double(width(c)); });
    add("the division by the sum of the weights is missing", [](Way &way) { way.divides = false; });
    add("the sum is multiplied when a larger score appears, but not the result so far",
        [](Way &way) { way.keeps_result = true; });
    if (causal(c)) {
      add("every query sees all keys: the mask is missing",
          [n](Way &way) { way.keys = [n](std::size_t) { return n; }; });
      add("a query does not see its own key: the mask is off by one",
          [](Way &way) { way.keys = [](std::size_t q) { return q; }; });
      add("a query sees the key after its own: the mask is off by one",
          [n](Way &way) { way.keys = [n](std::size_t q) { return std::min(q + 2, n); }; });
    } else {
      add("queries do not see the keys after their own, although nothing hides them",
          [](Way &way) { way.keys = [](std::size_t q) { return q + 1; }; });
    }
    add("the last key is left out", first_keys(n - 1));
    for (const std::size_t tile : {16, 32, 64, 128})
      if (n % tile != 0)
        add("only whole tiles of keys are used: the last keys are left out", first_keys(n / tile * tile));
    return all;
  }

 private:
  Type type_;

  bool half() const { return type_ == Type::f16; }
  static std::size_t heads(const Case &c) {
    return static_cast<std::size_t>(c.integers.at(0) * c.integers.at(1));
  }
  static std::size_t length(const Case &c) { return static_cast<std::size_t>(c.integers.at(2)); }
  static std::size_t width(const Case &c) { return static_cast<std::size_t>(c.integers.at(3)); }
  static bool causal(const Case &c) { return c.integers.at(4) == 1; }

  /// How results are computed: rightly or with a mistake.
  struct Way {
    std::function<std::size_t(std::size_t query)> keys;  // how many of the keys a query sees
    double divisor = 1;                                  // of the scores
    bool divides = true;                                 // by the sum of the weights
    bool keeps_result = false;  // a weight refers to the largest score so far and stays as it was
  };
  static Way as_it_should_be(const Case &c) {
    const std::size_t n = length(c);
    const bool hides = causal(c);
    return {[n, hides](std::size_t query) { return hides ? query + 1 : n; },
            std::sqrt(static_cast<double>(width(c)))};
  }
  std::vector<float> numbers(const run::HostBuffer &buffer) const {
    std::vector<float> all;
    for (const std::uint16_t bits : buffer.as<std::uint16_t>())
      all.push_back(half() ? finite_half(bits) : of_attention::bfloat16_value(bits));
    return all;
  }
  Reference attended(const Case &c, const std::vector<run::HostBuffer> &in, const Way &way) const {
    const std::vector<float> q = numbers(in[0]), k = numbers(in[1]), v = numbers(in[2]);
    const std::size_t rows = heads(c) * length(c), columns = width(c);
    Reference ref{std::vector<double>(rows * columns), std::vector<double>(rows * columns)};
    const auto fill = [&](std::size_t row) {
      const std::size_t query = row % length(c), head = row - query, used = way.keys(query);
      std::vector<double> scores(used);
      double magnitude = 0;
      for (std::size_t key = 0; key < used; ++key) {
        double magnitudes = 0;
        for (std::size_t d = 0; d < columns; ++d) {
          const double product = double{q[row * columns + d]} * k[(head + key) * columns + d];
          scores[key] += product;
          magnitudes += std::fabs(product);
        }
        scores[key] /= way.divisor;
        magnitude = std::max(magnitude, magnitudes / way.divisor);
      }
      const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
      const double largest = used > 0 ? *most : 0, spread = used > 0 ? *most - *least : 0;
      std::vector<of_attention::Averages> of(columns);
      std::vector<double> kept(columns);
      double so_far = -std::numeric_limits<double>::infinity();
      for (std::size_t key = 0; key < used; ++key) {
        so_far = std::max(so_far, scores[key]);
        const double weight = std::exp(scores[key] - largest), unshrunk = std::exp(scores[key] - so_far);
        for (std::size_t d = 0; d < columns; ++d) {
          const double value = v[(head + key) * columns + d];
          of[d].add(weight, value);
          kept[d] += unshrunk * value;
        }
      }
      for (std::size_t d = 0; d < columns; ++d) {
        const double result = way.keeps_result ? kept[d] : of[d].mean;
        ref.want[row * columns + d] = way.divides ? result / of[d].sum : result;
        ref.scale[row * columns + d] =
            of_attention::error_of_heads(half(), static_cast<double>(used), spread, magnitude, of[d]);
      }
    };
    on_all_cores(
        rows,
        [&](std::size_t first, std::size_t end) {
          for (std::size_t row = first; row < end; ++row) fill(row);
        },
        8 * columns * length(c));
    return ref;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Heads("multi_head_attention", "__nv_bfloat16", Type::bf16),
                   Heads("multi_head_attention_half", "__half", Type::f16))
