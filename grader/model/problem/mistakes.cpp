// Which mistake would give exactly this wrong product? Each hypothesis is a formula for one element, and is
// given up at the first element that it does not explain, so that all of them together cost little.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

namespace {

/// An element as a hypothesis wants it, and what an honest fp32 result may be off by, over the tolerance.
struct Element {
  double want = 0, scale = 0;
};

/// A case with what a run made of it.
struct Result {
  MatrixProduct p;
  std::vector<float> a, b;
  std::span<const float> before, after;
  double tolerance = 0;

  double got(std::int64_t i, std::int64_t j) const { return after[index(i, j)]; }
  bool written(std::int64_t i, std::int64_t j) const { return changed(index(i, j)); }
  bool changed(std::size_t e) const { return after[e] != before[e] || std::isnan(after[e]); }
  std::size_t index(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(p.c.at(i, j)); }
  bool is(double value, const Element &e) const { return is(value, e, p.finish); }
  bool is(double value, const Element &e, Finish finish) const {
    return std::fabs(value - finished(finish, e.want)) <= tolerance * e.scale;
  }
};

/// alpha times a sum of products, plus beta times what C held.
Element element(const Result &r, std::int64_t i, std::int64_t j, std::int64_t first, std::int64_t last,
                double alpha, double beta) {
  Element e;
  for (std::int64_t k = first; k < last; ++k) {
    const double product = static_cast<double>(r.a[static_cast<std::size_t>(r.p.a.at(i, k))]) *
                           r.b[static_cast<std::size_t>(r.p.b.at(k, j))];
    e.want += product;
    e.scale += std::fabs(product);
  }
  const double old = beta * r.before[r.index(i, j)];
  return {alpha * e.want + old, std::fabs(alpha) * e.scale + std::fabs(old)};
}

/// The sum over k of left(k) * right(k), with the factors as they should be; products: how many, if not K.
template <typename Left, typename Right>
Element dot(const Result &r, std::int64_t i, std::int64_t j, const Left &left, const Right &right,
            std::optional<std::int64_t> products = {}) {
  Element e;
  for (std::int64_t k = 0; k < products.value_or(r.p.k); ++k) {
    const double product = static_cast<double>(left(k)) * right(k);
    e.want += product;
    e.scale += std::fabs(product);
  }
  const double old = static_cast<double>(r.p.beta) * r.before[r.index(i, j)];
  return {r.p.alpha * e.want + old, std::fabs(r.p.alpha) * e.scale + std::fabs(old)};
}

using Hypothesis = std::function<Element(std::int64_t, std::int64_t)>;

bool explains(const Result &r, const Hypothesis &hypothesis) {
  for (std::int64_t i = 0; i < r.p.m; ++i)
    for (std::int64_t j = 0; j < r.p.n; ++j)
      if (!r.is(r.got(i, j), hypothesis(i, j))) return false;
  return true;
}

/// Whether a part of C at its top left is right and nothing else was written.
bool only_top_left(const Result &r) {
  std::int64_t rows = 0, cols = 0;
  while (rows < r.p.m && r.written(rows, 0)) ++rows;
  while (cols < r.p.n && r.written(0, cols)) ++cols;
  if (rows * cols == 0 || rows * cols == r.p.m * r.p.n) return false;
  for (std::int64_t i = 0; i < r.p.m; ++i)
    for (std::int64_t j = 0; j < r.p.n; ++j) {
      if (r.written(i, j) != (i < rows && j < cols)) return false;
      if (r.written(i, j) && !r.is(r.got(i, j), element(r, i, j, 0, r.p.k, r.p.alpha, r.p.beta)))
        return false;
    }
  return true;
}

Result result_of(const MatrixProduct &p, const std::vector<run::HostBuffer> &inputs,
                 const std::vector<run::HostBuffer> &outputs, double tolerance) {
  return {p,
          numbers_of(p.a, inputs.at(0)),
          numbers_of(p.b, inputs.at(1)),
          inputs.at(2).as<float>(),
          outputs.at(2).as<float>(),
          tolerance};
}

class Search {
 public:
  explicit Search(const Result &r) : r_(r), p_(r.p) {}

  std::vector<std::string> all() {
    finish();
    factors();
    ranges();
    if (p_.m == p_.n && p_.n == p_.k) transposed();
    out_of_place();
    if (p_.a.fill.type == Type::f16) {
      on_tensor_cores();
    } else if (p_.a.fill.type == Type::e4m3) {
      last_step({32, 64, 128});
    } else {
      tiles_transposed();
      factors_in_half();
      sums_in_half();
    }
    if (only_top_left(r_))
      found_.push_back(
          fmt::format("only the top left part of {} is computed; are there too few blocks?", p_.names[2]));
    return std::move(found_);
  }

 private:
  void test(std::string words, const Hypothesis &hypothesis) {
    if (std::find(found_.begin(), found_.end(), words) == found_.end() && explains(r_, hypothesis))
      found_.push_back(std::move(words));
  }

  void finish() {
    if (p_.finish == Finish::none) return;
    for (std::int64_t i = 0; i < p_.m; ++i)
      for (std::int64_t j = 0; j < p_.n; ++j)
        if (!r_.is(r_.got(i, j), element(r_, i, j, 0, p_.k, p_.alpha, p_.beta), Finish::none)) return;
    found_.emplace_back(p_.finish == Finish::magnitude ? "the magnitude is not taken"
                                                       : "negative results are not replaced by 0");
  }

  void scaled(std::string words, double alpha, double beta) {
    test(std::move(words), [=, this](auto i, auto j) { return element(r_, i, j, 0, p_.k, alpha, beta); });
  }
  void factors() {
    const double alpha = p_.alpha, beta = p_.beta, of_c = p_.scaled ? alpha : 1;
    const double once = p_.subtracted ? -of_c : of_c,
                 given = once == 0 ? 0 : beta / once;  // the launcher's beta
    const char c = p_.names[2];
    const auto wrong_sign = [&] { scaled(fmt::format("beta * {} has the wrong sign", c), alpha, -beta); };
    if (p_.scaled && alpha != 1 && beta != 0)
      scaled(fmt::format("beta * {} is not multiplied by alpha", c), alpha, beta / of_c);
    if (p_.subtracted && beta != 0) wrong_sign();  // the likeliest mistake there, which others may look like
    if (alpha != 1) scaled("alpha is not applied", 1, beta / of_c);
    if (alpha != 1 && alpha != -1) scaled("alpha is applied twice", alpha * alpha, beta * of_c);
    if (beta != 0) scaled(fmt::format("beta * {} is not added", c), alpha, 0);
    if (given != 1) scaled(fmt::format("{} is added without beta", c), alpha, once);
    if (beta != 0 && given != 1) scaled("beta is applied twice", alpha, beta * given);
    if (beta != 0) scaled(fmt::format("beta * {} is added twice", c), alpha, 2 * beta);
    if (beta != 0) wrong_sign();
    if (beta != 0 && alpha != 1 && !p_.scaled)
      scaled(fmt::format("beta * {} is multiplied by alpha too", c), alpha, alpha * beta);
  }

  void part(std::string words, std::int64_t first, std::int64_t last) {
    test(std::move(words),
         [=, this](auto i, auto j) { return element(r_, i, j, first, last, p_.alpha, p_.beta); });
  }
  void ranges() {
    const std::int64_t k = p_.k;
    part("no product is added to the sum", 0, 0);
    part("the product for the first k is missing", 1, k);
    part("the product for the last k is missing", 0, k - 1);
    if (k >= 2) {
      part("only the product for the first k is included", 0, 1);
      part("only the product for the last k is included; is it assigned instead of added?", k - 1, k);
    }
    for (const std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
      if (k % tile != 0)
        part(fmt::format("the rest of K after its last full tile of {} is missing", tile), 0,
             k / tile * tile);
      if (k <= tile) continue;
      part(fmt::format("only the first tile of {} along K is added", tile), 0, tile);
      part(fmt::format("only the last tile of {} along K is added; is the sum reset in each tile?", tile),
           (k - 1) / tile * tile, k);
    }
  }

  void transposed() {
    const auto a = [this](std::int64_t i, std::int64_t k) {
      return r_.a[static_cast<std::size_t>(p_.a.at(i, k))];
    };
    const auto b = [this](std::int64_t k, std::int64_t j) {
      return r_.b[static_cast<std::size_t>(p_.b.at(k, j))];
    };
    const auto product = [&](std::string words, const auto &left, const auto &right) {
      test(std::move(words), [&, this](std::int64_t i, std::int64_t j) {
        return dot(
            r_, i, j, [&](auto k) { return left(i, k); }, [&](auto k) { return right(k, j); });
      });
    };
    const auto at = [&](std::int64_t i, std::int64_t k) { return a(k, i); };
    const auto bt = [&](std::int64_t k, std::int64_t j) { return b(j, k); };
    const auto [na, nb, nc] = p_.names;
    product(fmt::format("the result is {} times {} transposed", na, nb), a, bt);
    product(fmt::format("the result is {} transposed times {}", na, nb), at, b);
    product(fmt::format("the result is {} transposed times {} transposed", na, nb), at, bt);
    product(fmt::format("the result is {} times {}", nb, na), b, a);
    product(
        fmt::format("the values are right, but {} is stored transposed", nc),
        [&](auto i, auto k) { return bt(i, k); }, [&](auto k, auto j) { return at(k, j); });
  }

  // --- results and factors that are out of place -----------------------------------------------------------

  using Place = std::pair<std::int64_t, std::int64_t>;
  using Origin = std::function<Place(std::int64_t, std::int64_t)>;

  /// Whether each element holds the result of another one, where that one exists. beta * C comes from there
  /// or from the element's own place.
  void moved(std::string words, const Origin &origin) {
    for (const bool with_old : {false, true}) {
      std::int64_t telling = 0;  // elements that are not right in their own place
      const bool all = explains(r_, [&](std::int64_t i, std::int64_t j) -> Element {
        const auto [row, column] = origin(i, j);
        if (row < 0 || column < 0 || row >= p_.m || column >= p_.n) return {r_.got(i, j), 1};
        Element e = element(r_, row, column, 0, p_.k, p_.alpha, with_old ? p_.beta : 0);
        const double old = with_old ? 0 : static_cast<double>(p_.beta) * r_.before[r_.index(i, j)];
        e = {e.want + old, e.scale + std::fabs(old)};
        telling += !r_.is(finished(p_.finish, e.want), element(r_, i, j, 0, p_.k, p_.alpha, p_.beta));
        return e;
      });
      if (!all || telling == 0) continue;
      found_.push_back(std::move(words));
      return;
    }
  }

  void out_of_place() {
    const char c = p_.names[2];
    const auto shifted = [&](std::string_view from, std::int64_t rows, std::int64_t columns) {
      moved(fmt::format("each element of {} holds the result {}; is an index off by one?", c, from),
            [=](std::int64_t i, std::int64_t j) {
              return Place{i + rows, j + columns};
            });
    };
    if (p_.m > 1) {
      shifted("of the row above", -1, 0);
      shifted("of the row below", 1, 0);
    }
    if (p_.n > 1) {
      shifted("of the column to its left", 0, -1);
      shifted("of the column to its right", 0, 1);
    }
    for (const std::int64_t side : {4, 8, 16, 32})
      moved(fmt::format("each {0} x {0} tile of {1} is stored transposed; are its two indices exchanged?",
                        side, c),
            [=](std::int64_t i, std::int64_t j) { return turned(i, j, side); });
  }

  /// Where (row, column) is when each tile is transposed.
  static Place turned(std::int64_t row, std::int64_t column, std::int64_t side) {
    return {row / side * side + column % side, column / side * side + row % side};
  }

  void tiles_transposed() {
    const auto [na, nb, nc] = p_.names;
    for (const std::int64_t side : {4, 8, 16, 32})
      for (const int which : {1, 2, 3}) {
        const std::string whose = which == 1   ? std::string(1, na)
                                  : which == 2 ? std::string(1, nb)
                                               : fmt::format("{} and of {}", na, nb);
        const std::int64_t past_the_end = (p_.k + side - 1) / side * side;
        test(fmt::format("each {0} x {0} tile of {1} is read transposed; are its two indices exchanged?",
                         side, whose),
             [=, this](std::int64_t i, std::int64_t j) {
               const auto left = [&](std::int64_t k) {
                 const Place p = (which & 1) != 0 ? turned(i, k, side) : Place{i, k};
                 return a(p.first, p.second);
               };
               const auto right = [&](std::int64_t k) {
                 const Place p = (which & 2) != 0 ? turned(k, j, side) : Place{k, j};
                 return b(p.first, p.second);
               };
               return dot(r_, i, j, left, right, past_the_end);
             });
      }
  }

  void factors_in_half() {
    const auto rounded = [](float x) {
      return static_cast<float>(value_of(Type::f16, encode(Type::f16, x)));
    };
    const auto [na, nb, nc] = p_.names;
    for (const int which : {3, 1, 2})
      test(which == 3 ? fmt::format("{} and {} are rounded to half precision", na, nb)
                      : fmt::format("{} is rounded to half precision", which == 1 ? na : nb),
           [=, this](std::int64_t i, std::int64_t j) {
             return dot(
                 r_, i, j, [&](auto k) { return (which & 1) != 0 ? rounded(a(i, k)) : a(i, k); },
                 [&](auto k) { return (which & 2) != 0 ? rounded(b(k, j)) : b(k, j); });
           });
  }

  void last_step(std::initializer_list<std::int64_t> steps) {
    for (const std::int64_t step : steps)
      if (p_.k % step == 0) part(fmt::format("the last step of {} along K is missing", step), 0, p_.k - step);
  }

  // --- factors in half precision ---------------------------------------------------------------------------

  void on_tensor_cores() {
    last_step({8, 16, 32, 64});
    sums_in_half();
    factors_in_8_bits();
    matrices_of_fragments();
    whole_chunks();
    chunks_out_of_place();
    ends_that_are_not_zero();
  }

  /// An element of A or B; 0 beyond its edges, as kernels fill their tiles.
  float a(std::int64_t i, std::int64_t k) const {
    return i < p_.m && k < p_.k ? r_.a[static_cast<std::size_t>(p_.a.at(i, k))] : 0;
  }
  float b(std::int64_t k, std::int64_t j) const {
    return k < p_.k && j < p_.n ? r_.b[static_cast<std::size_t>(p_.b.at(k, j))] : 0;
  }

  /// A half has 13 bits less than a float, so that a sum which is one in every element is not there by
  /// chance.
  void sums_in_half() {
    const double alpha = p_.alpha, beta = p_.beta, rounding = std::ldexp(1.0, -11);
    if (alpha == 0 || p_.finish != Finish::none) return;
    bool rounded = true;
    for (std::int64_t i = 0; i < p_.m && rounded; ++i)
      for (std::int64_t j = 0; j < p_.n && rounded; ++j) {
        const double old = beta * r_.before[r_.index(i, j)], got = r_.got(i, j);
        const double sum = value_of(Type::f16, encode(Type::f16, (got - old) / alpha));
        const double of_float = std::ldexp(std::fabs(alpha * sum) + std::fabs(old), -23);
        const Element right = element(r_, i, j, 0, p_.k, 1, 0);
        rounded = std::fabs(alpha * sum + old - got) <= of_float &&
                  std::fabs(sum - right.want) <= static_cast<double>(p_.k) * rounding * right.scale;
      }
    if (rounded) found_.emplace_back("the sums are in half precision");
  }

  /// 4 significant bits, as e4m3 has them: to the nearest, ties to even or away from zero.
  void factors_in_8_bits() {
    const auto short_of = [](float x, bool away) {
      const auto bits = static_cast<std::uint32_t>(encode(Type::f16, x));
      const std::uint32_t half = 0x40, to_even = half - 1 + (bits >> 7 & 1);
      return static_cast<float>(value_of(Type::f16, (bits + (away ? half : to_even)) & 0xff80));
    };
    for (const bool away : {false, true})
      for (const char which : {'a', 'b', '2'}) {
        const std::string words =
            which == '2' ? "A and B are rounded to 8 bits"
                         : fmt::format("{} is rounded to 8 bits", p_.names[which == 'a' ? 0 : 1]);
        test(words, [=, this](auto i, auto j) {
          return dot(
              r_, i, j, [&](auto k) { return which == 'b' ? a(i, k) : short_of(a(i, k), away); },
              [&](auto k) { return which == 'a' ? b(k, j) : short_of(b(k, j), away); });
        });
      }
  }

  void matrices_of_fragments() {
    const std::int64_t past_the_end = (p_.k + 15) / 16 * 16;
    const auto product = [&](std::string words, const auto &left, const auto &right) {
      test(std::move(words), [&](std::int64_t i, std::int64_t j) {
        return dot(
            r_, i, j, [&](auto k) { return left(i, k); }, [&](auto k) { return right(k, j); }, past_the_end);
      });
    };
    const auto as_it_is_a = [this](auto i, auto k) { return a(i, k); };
    const auto as_it_is_b = [this](auto k, auto j) { return b(k, j); };
    for (const std::int64_t side : {8, 16}) {
      const auto turned = [=](std::int64_t row, std::int64_t column) {
        return std::pair{row / side * side + column % side, column / side * side + row % side};
      };
      product(
          fmt::format("each {0} x {0} matrix of {1} is transposed", side, p_.names[0]),
          [&](auto i, auto k) { return std::apply(as_it_is_a, turned(i, k)); }, as_it_is_b);
      product(fmt::format("each {0} x {0} matrix of {1} is transposed", side, p_.names[1]), as_it_is_a,
              [&](auto k, auto j) { return std::apply(as_it_is_b, turned(k, j)); });
    }
    const auto exchanged = [](std::int64_t row, std::int64_t column) {
      return std::pair{row / 16 * 16 + column % 16 / 8 * 8 + row % 8,
                       column / 16 * 16 + row % 16 / 8 * 8 + column % 8};
    };
    constexpr const char *words = "the top right and bottom left 8 x 8 matrices of {} are exchanged";
    product(
        fmt::format(words, p_.names[0]),
        [&](auto i, auto k) { return std::apply(as_it_is_a, exchanged(i, k)); }, as_it_is_b);
    product(fmt::format(words, p_.names[1]), as_it_is_a,
            [&](auto k, auto j) { return std::apply(as_it_is_b, exchanged(k, j)); });
  }

  void whole_chunks() {
    constexpr std::int64_t chunk = 8;  // halves that are copied at once
    if (p_.k % chunk == 0 && p_.n % chunk == 0) return;
    test("elements at the ends of rows are left out where they fill no chunk of 8", [this](auto i, auto j) {
      const std::int64_t last = j < p_.n / chunk * chunk ? p_.k / chunk * chunk : 0;
      return element(r_, i, j, 0, last, p_.alpha, p_.beta);
    });
  }

  /// Tiles are stored with a swizzle, and loaded with another or none: chunk q of a row is taken for chunk
  /// q ^ s, where s depends on the row.
  void chunks_out_of_place() {
    constexpr std::int64_t chunk = 8, most = 8, longest = chunk * most;
    constexpr const char *words =
        "chunks of 8 elements of {} are exchanged: are they stored with one swizzle and loaded with another?";
    const std::int64_t past_the_end = (p_.k + longest - 1) / longest * longest;
    const auto row_is = [&](std::int64_t i, std::int64_t s) {
      for (std::int64_t j = 0; j < p_.n; ++j) {
        const Element e = dot(
            r_, i, j, [&](auto k) { return a(i, k ^ s * chunk); }, [&](auto k) { return b(k, j); },
            past_the_end);
        if (!r_.is(r_.got(i, j), e)) return false;
      }
      return true;
    };
    bool explained = true, moved = false;
    for (std::int64_t i = 0; i < p_.m && explained; ++i) {
      std::int64_t s = 0;
      while (s < most && !row_is(i, s)) ++s;
      explained = s < most;
      moved |= s > 0;
    }
    if (explained && moved) found_.push_back(fmt::format(words, p_.names[0]));
    for (const std::int64_t alike : {1, 2, 4})  // neighbouring rows with the same s
      for (const std::int64_t different : {2, 4, 8})
        test(fmt::format(words, p_.names[1]), [=, this](auto i, auto j) {
          return dot(
              r_, i, j, [&](auto k) { return a(i, k); },
              [&](auto k) { return b(k, j ^ k / alike % different * chunk); });
        });
  }

  /// What is beyond K in the last tile is copied from A and B: from where they begin, from where the row or
  /// the column begins, or from where it ends.
  void ends_that_are_not_zero() {
    constexpr std::int64_t chunk = 8;
    const std::int64_t last = std::max<std::int64_t>(p_.k - chunk, 0);
    for (const std::int64_t tile : {16, 32, 64}) {
      if (p_.k % tile == 0) continue;
      for (const int of_a : {0, 1, 2})
        for (const int of_b : {0, 1, 2})
          test("elements beyond K in the last tile are not zero", [=, this](auto i, auto j) {
            const auto left = [&](std::int64_t k) {
              if (k < p_.k) return a(i, k);
              return a(of_a == 0 ? 0 : i, of_a == 2 ? last + k % chunk : k % chunk);
            };
            const auto right = [&](std::int64_t k) {
              if (k < p_.k) return b(k, j);
              return b(of_b == 2 ? p_.k - 1 : 0, of_b == 0 ? j % chunk : j);
            };
            return dot(r_, i, j, left, right, (p_.k + tile - 1) / tile * tile);
          });
    }
  }

  const Result &r_;
  const MatrixProduct &p_;
  std::vector<std::string> found_;
};

// --- sizes that are confused -------------------------------------------------------------------------------

struct Size {
  char name;
  std::int64_t value;
};

/// Which size a kernel takes in each place where one is needed.
struct Places {
  Size a_stride, b_stride, c_stride, extent;
};

std::optional<float> at(std::span<const float> values, std::int64_t index) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= values.size()) return std::nullopt;
  return values[static_cast<std::size_t>(index)];
}

/// Element (i, j) as these places give it; none where it would need what lies beyond the buffers.
std::optional<Element> element(const Result &r, const Places &x, std::int64_t i, std::int64_t j) {
  Element e;
  for (std::int64_t k = 0; k < x.extent.value; ++k) {
    const auto a = at(r.a, i * x.a_stride.value + k), b = at(r.b, k * x.b_stride.value + j);
    if (!a || !b) return std::nullopt;
    const double product = static_cast<double>(*a) * *b;
    e.want += product;
    e.scale += std::fabs(product);
  }
  const auto before = at(r.before, i * x.c_stride.value + j);
  if (!before) return std::nullopt;
  const double old = static_cast<double>(r.p.beta) * *before;
  return Element{r.p.alpha * e.want + old, std::fabs(r.p.alpha) * e.scale + std::fabs(old)};
}

/// Whether these places explain the part of C that every mix-up of guards leaves alone. Where rows of C
/// overlap, an element may hold what a row above wrote there.
bool explain(const Result &r, const Places &x, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const auto got = at(r.after, i * x.c_stride.value + j);
      bool right = false;
      for (std::int64_t above = 0; got && !right && above <= i; ++above) {
        const std::int64_t column = j + above * x.c_stride.value;
        if (above > 0 && column >= r.p.n) break;
        const auto e = element(r, x, i - above, column);
        right = e && r.is(*got, *e);
      }
      if (!right) return false;
    }
  return true;
}

/// How many rows of C, from the first, hold mostly elements that were written; columns alike.
struct Written {
  std::int64_t rows = 0, cols = 0;
};
Written written_of(const Result &r) {
  std::vector<std::int64_t> in_row(static_cast<std::size_t>(r.p.m)), in_col(static_cast<std::size_t>(r.p.n));
  for (std::int64_t i = 0; i < r.p.m; ++i)
    for (std::int64_t j = 0; j < r.p.n; ++j)
      if (r.written(i, j)) ++in_row[static_cast<std::size_t>(i)], ++in_col[static_cast<std::size_t>(j)];
  Written w;
  for (std::int64_t i = 0; i < r.p.m; ++i)
    if (in_row[static_cast<std::size_t>(i)] > 0) w.rows = i + 1;
  for (std::int64_t j = 0; j < r.p.n; ++j)
    if (in_col[static_cast<std::size_t>(j)] > 0) w.cols = j + 1;
  return w;
}

/// How many there should be is `right`; enough were computed for `taken`.
std::string missing_part(char matrix, std::string_view what, std::int64_t computed, const Size &right,
                         const Size &taken) {
  if (computed >= right.value || computed < taken.value) return "";
  return fmt::format("the last {} of {} are not computed; does a guard or the grid use {} instead of {}?",
                     what, matrix, taken.name, right.name);
}

}  // namespace

std::vector<std::string> mistakes_of(const MatrixProduct &p, const std::vector<run::HostBuffer> &inputs,
                                     const std::vector<run::HostBuffer> &outputs, double tolerance) {
  return Search(result_of(p, inputs, outputs, tolerance)).all();
}

std::string MatrixProblem::confused_sizes(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                          const std::vector<run::HostBuffer> &outputs,
                                          double tolerance) const {
  const MatrixProduct p = *product(c);
  const bool plain = p.a.row_stride == p.k && p.b.row_stride == p.n && p.c.row_stride == p.n &&
                     p.a.column_stride == 1 && p.b.column_stride == 1 && p.c.column_stride == 1;
  if (!plain || p.batch > 1 || p.m == p.n || p.n == p.k || p.m == p.k) return "";
  const Result r = result_of(p, inputs, outputs, tolerance);
  const Size m{'M', p.m}, n{'N', p.n}, k{'K', p.k};
  const std::int64_t least = std::min({p.m, p.n, p.k});

  // The right size first in each place: the first set that explains the result with the fewest wrong ones.
  std::optional<Places> best;
  int fewest = 5;
  for (const Size &a : {k, n, m})
    for (const Size &b : {n, k, m})
      for (const Size &to : {n, m, k})
        for (const Size &extent : {k, n, m}) {
          const int wrong = (a.name != 'K') + (b.name != 'N') + (to.name != 'N') + (extent.name != 'K');
          if (wrong >= fewest) continue;
          if (const Places x{a, b, to, extent}; explain(r, x, least, least)) best = x, fewest = wrong;
        }
  if (!best) return "";
  std::vector<std::string> all;
  const auto stride = [&](const Size &taken, char right, char matrix) {
    if (taken.name != right)
      all.push_back(fmt::format("the row stride of {} is {}, not {}", matrix, right, taken.name));
  };
  stride(best->a_stride, 'K', p.names[0]);
  stride(best->b_stride, 'N', p.names[1]);
  stride(best->c_stride, 'N', p.names[2]);
  if (best->extent.name != 'K') all.push_back(fmt::format("a sum has K products, not {}", best->extent.name));
  if (all.empty()) {
    const Written w = written_of(r);
    const std::vector<std::string> parts = {missing_part(p.names[2], "rows", w.rows, m, n),
                                            missing_part(p.names[2], "columns", w.cols, n, m)};
    for (const std::string &part : parts)
      if (!part.empty()) all.push_back(part);
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

}  // namespace warpgrade::problem
