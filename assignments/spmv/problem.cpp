// spmv_coo, spmv_csr, spmv_ell: y = A x for a sparse matrix A, of which only some entries are stored, in
// three formats.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 24;
constexpr std::int64_t warp = 32;

std::vector<Integer> kinds(std::vector<Integer> sizes) {
  for (const char *name : {"equal", "cancelling"})
    sizes.push_back({.name = name, .least = 0, .most = 1, .otherwise = 0, .size = false});
  sizes.push_back({.name = "exact", .least = 0, .most = 1, .otherwise = 1, .size = false});
  return sizes;
}

/// What the three formats have in common: the numbers, and the sum of each row.
///
/// exact = 1: values and elements of x are multiples of 1/8 between -1 and 1, and 1 or -1 if a row may have
/// more than 2^18 entries. Every partial sum is a multiple of 1/64 (or of 1) and less than 2^24 of these,
/// which a float holds: additions do not round, so the result must be equal whatever their order.
///
/// exact = 0, and cancelling = 1: any floats. However the n products of a row are grouped, each is rounded
/// once and takes part in at most n - 1 additions, of which each rounds by at most 2^-24. So the error is at
/// most n * 2^-24 * the sum of the products' magnitudes (to first order; the assignment's tolerance is a
/// little more than 2^-24). Such rows must have fewer than 2000 entries, so that one that is left out is
/// found: its product is at least 1/4.
class Sparse : public ArrayProblem {
 public:
  using ArrayProblem::ArrayProblem;
  std::vector<std::int64_t> arguments(const Case &c) const override {
    return {c.integers[0], c.integers[1], third_size(c)};
  }
  /// A launcher may clear y without a kernel if nothing is stored.
  bool needs_kernel(const Case &c) const override { return flops(c) > 0; }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sums(c, in, [](const Entry &) { return true; });
  }

 protected:
  /// An entry with its number within its row.
  struct Entry {
    std::int64_t row = 0, column = 0, number = 0;
    float value = 0;
  };
  using Visit = std::function<void(const Entry &)>;

  virtual std::int64_t third_size(const Case &) const = 0;
  virtual Kind kind(const Case &) const = 0;
  /// How far apart two neighbouring entries of a row are.
  virtual std::uint64_t between_entries(const Case &) const { return 1; }
  /// Calls visit for each entry.
  virtual void each_entry(const Case &, const std::vector<run::HostBuffer> &in, const Visit &visit) const = 0;

  static std::int64_t rows(const Case &c) { return c.integers[0]; }
  static std::int64_t columns(const Case &c) { return c.integers[1]; }

  /// The last three arrays are value, x and y. Indices are filled in by inputs().
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    const std::size_t value = arrays(c).size() - 3;
    if (array < value) return 0;
    // Numbered along the rows, so that pairs of entries of one row can cancel each other.
    const std::uint64_t stride = array == value ? between_entries(c) : 1, k = i / stride;
    return number(kind(c), columns(c), array - value, random_bits(seed, array + 1, i),
                  random_bits(seed, array + 1, k / 2 * stride + i % stride), k % 2 == 1);
  }

  /// The sum of each row over the entries that are `taken`, with how often: true is once.
  template <typename Taken>
  Reference sums(const Case &c, const std::vector<run::HostBuffer> &in, const Taken &taken) const {
    return sums(c, in, taken, [](const Entry &e) { return e.column; });
  }
  /// The same; column(entry): which element of x belongs to it
  template <typename Taken, typename Column>
  Reference sums(const Case &c, const std::vector<run::HostBuffer> &in, const Taken &taken,
                 const Column &column) const {
    const auto x = in[in.size() - 2].as<float>();
    Reference ref{std::vector<double>(index(rows(c))), std::vector<double>(index(rows(c)))};
    std::vector<double> count(index(rows(c)));
    each_entry(c, in, [&](const Entry &e) {
      const int times = taken(e);
      if (times == 0) return;
      const double product = times * static_cast<double>(e.value) * x[index(column(e))];
      ref.want[index(e.row)] += product;
      ref.scale[index(e.row)] += std::fabs(product);
      count[index(e.row)] += 1;
    });
    for (std::size_t r = 0; r < count.size(); ++r) ref.scale[r] *= kind(c).exact ? 0.0 : count[r];
    return ref;
  }
  /// The same, added to what y held before.
  Reference with_old_values(const Case &c, const std::vector<run::HostBuffer> &in) const {
    Reference ref = reference(c, in);
    const auto before = in.back().as<float>();
    for (std::size_t r = 0; r < ref.want.size(); ++r) {
      ref.want[r] += before[r];
      ref.scale[r] +=
          static_cast<double>(columns(c) + 1) * (1 + std::fabs(ref.want[r]));  // such sums do round
    }
    return ref;
  }
  /// The same where rows without entries keep what they held.
  Reference without_empty_rows(const Case &c, const std::vector<run::HostBuffer> &in) const {
    Reference ref = reference(c, in);
    const auto before = in.back().as<float>();
    std::vector<bool> empty(ref.want.size(), true);
    each_entry(c, in, [&](const Entry &e) { empty[index(e.row)] = false; });
    for (std::size_t r = 0; r < ref.want.size(); ++r)
      if (empty[r]) ref.want[r] = before[r];
    return ref;
  }
};

/// Formats that hold `entries` entries and nothing else. power_law = 1: the row in place r of a random order
/// has about 1 / r of the entries of the first one. dense_row = 1: one row has as many as it can, and the
/// others share what is left. Otherwise, rows have up to about twice the average, and an eighth of them none.
class Listed : public Sparse {
 public:
  using Sparse::Sparse;
  double flops(const Case &c) const override { return 2.0 * static_cast<double>(third_size(c)); }

 protected:
  static std::vector<Integer> sizes() {
    std::vector<Integer> all = {
        {"rows", 0, most_rows}, {"columns", 0, most_rows}, {"entries", 0, most_entries}};
    for (const char *name : {"power_law", "dense_row"})
      all.push_back({.name = name, .least = 0, .most = 1, .otherwise = 0, .size = false});
    return kinds(all);
  }
  /// No matrix has more entries than places.
  std::int64_t third_size(const Case &c) const override { return listing(c).entries; }
  Kind kind(const Case &c) const override { return listing(c).kind; }

  static Listing listing(const Case &c) { return Listing::of(c.integers.data()); }
};

class Coordinates final : public Listed {
 public:
  Coordinates()
      : Listed({.name = "spmv_coo",
                .launcher = "int rows, int columns, int entries, const int *row, const int *column, "
                            "const float *value, const float *x, float *y",
                .integers = sizes()}) {}

  /// The entries row by row, then shuffled.
  std::vector<run::HostBuffer> inputs(const Case &c, std::uint64_t seed) const override {
    std::vector<run::HostBuffer> made = ArrayProblem::inputs(c, seed);
    const auto row = made[0].as<std::int32_t>(), column = made[1].as<std::int32_t>();
    const auto value = made[2].as<float>();
    const std::vector<float> in_order(value.begin(), value.end());
    const std::vector<std::int64_t> start = starts(listing(c), seed);
    const std::vector<std::size_t> to = shuffled(in_order.size(), seed, entry_order);
    for (std::int64_t r = 0; r < rows(c); ++r)
      for (std::int64_t e = start[index(r)], end = start[index(r + 1)]; e < end; ++e) {
        const std::size_t place = to[index(e)];
        row[place] = static_cast<std::int32_t>(r);
        column[place] =
            column_of(random_bits(seed, 2, index(e)), e - start[index(r)], end - start[index(r)], columns(c));
        value[place] = in_order[index(e)];
      }
    return made;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::uint64_t entries = index(third_size(c));
    return {{.name = "row", .elements = entries, .type = Type::i32, .exchangeable = false},
            {.name = "column", .elements = entries, .type = Type::i32, .exchangeable = false},
            {.name = "value", .elements = entries},
            {.name = "x", .elements = index(columns(c))},
            {.name = "y", .elements = index(rows(c)), .is_output = true}};
  }
  void each_entry(const Case &c, const std::vector<run::HostBuffer> &in, const Visit &visit) const override {
    const auto row = in[0].as<std::int32_t>(), column = in[1].as<std::int32_t>();
    const auto value = in[2].as<float>();
    for (std::int64_t e = 0; e < third_size(c); ++e)
      visit({row[index(e)], column[index(e)], e, value[index(e)]});
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    std::vector<std::int64_t> last_of_row(index(rows(c)));
    each_entry(c, in, [&](const Entry &e) { last_of_row[index(e.row)] = e.number; });
    std::vector<Hypothesis> all = {
        {"the old value of y is added: y must be cleared first", with_old_values(c, in)},
        {"rows without entries are never written", without_empty_rows(c, in)},
        {"the last entry is left out",
         sums(c, in, [&](const Entry &e) { return e.number + 1 < third_size(c); })},
        {"one entry of each row is left: products must be added, not stored",
         sums(c, in, [&](const Entry &e) { return last_of_row[index(e.row)] == e.number; })}};
    for (const std::int64_t block : {128, 256, 512}) {
      all.push_back({"only the first block's entries are added",
                     sums(c, in, [&](const Entry &e) { return e.number < block; })});
      all.push_back({"only whole blocks are added: the last entries are left out",
                     sums(c, in, [&](const Entry &e) { return e.number < third_size(c) / block * block; })});
    }
    return all;
  }
};

class Rows final : public Listed {
 public:
  Rows()
      : Listed({.name = "spmv_csr",
                .launcher = "int rows, int columns, int entries, const int *start, const int *column, "
                            "const float *value, const float *x, float *y",
                .integers = sizes(),
                .routine = Routine::spmv_csr}) {}

  std::vector<run::HostBuffer> inputs(const Case &c, std::uint64_t seed) const override {
    std::vector<run::HostBuffer> made = ArrayProblem::inputs(c, seed);
    const auto start = made[0].as<std::int32_t>(), column = made[1].as<std::int32_t>();
    const std::vector<std::int64_t> begins = starts(listing(c), seed);
    std::copy(begins.begin(), begins.end(), start.begin());
    for (std::int64_t r = 0; r < rows(c); ++r)
      for (std::int64_t e = begins[index(r)], end = begins[index(r + 1)]; e < end; ++e)
        column[index(e)] = column_of(random_bits(seed, 2, index(e)), e - begins[index(r)],
                                     end - begins[index(r)], columns(c));
    return made;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::uint64_t entries = index(third_size(c));
    return {{.name = "start", .elements = index(rows(c)) + 1, .type = Type::i32, .exchangeable = false},
            {.name = "column", .elements = entries, .type = Type::i32, .exchangeable = false},
            {.name = "value", .elements = entries},
            {.name = "x", .elements = index(columns(c))},
            {.name = "y", .elements = index(rows(c)), .is_output = true}};
  }
  void each_entry(const Case &c, const std::vector<run::HostBuffer> &in, const Visit &visit) const override {
    const auto start = in[0].as<std::int32_t>(), column = in[1].as<std::int32_t>();
    const auto value = in[2].as<float>();
    for (std::int64_t r = 0; r < rows(c); ++r)
      for (std::int64_t e = start[index(r)]; e < start[index(r + 1)]; ++e)
        visit({r, column[index(e)], e - start[index(r)], value[index(e)]});
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto start = in[0].as<std::int32_t>();
    const auto length = [&](const Entry &e) { return start[index(e.row + 1)] - start[index(e.row)]; };
    std::vector<Hypothesis> all = {
        {"the old value of y is added: y must be overwritten, or cleared first", with_old_values(c, in)},
        {"rows without entries are never written", without_empty_rows(c, in)},
        {"the last entry of each row is left out",
         sums(c, in, [&](const Entry &e) { return e.number + 1 < length(e); })},
        {"the first entry of each row is left out", sums(c, in, [](const Entry &e) { return e.number > 0; })},
        {"x is read by an entry's place in its row, not by its column",
         sums(
             c, in, [](const Entry &) { return true; }, [](const Entry &e) { return e.number; })},
        {"only half of the lanes are added: the rounds must begin at half a warp",
         sums(c, in, [](const Entry &e) { return e.number % warp < warp / 2; })},
        {"every lane adds the entries of the first one",
         sums(c, in, [](const Entry &e) { return e.number % warp == 0 ? int{warp} : 0; })}};
    for (const std::int64_t most : {1, 32, 128, 256})
      all.push_back({most == 1 ? "only the first entry of each row is added"
                     : most == 32
                         ? "only the first entries of each row are added, as many as a warp has lanes"
                         : "only the first entries of each row are added, as many as a block has threads",
                     sums(c, in, [&](const Entry &e) { return e.number < most; })});
    // Where sums of whole rows overwrite y, only those that several threads add up find the old value.
    all.push_back({all[0].clause, all[0].result, true});
    return all;
  }
};

/// Entry k of row r is at k * rows + r; shorter rows are padded with column -1. One row has `width` entries;
/// dense_row = 1: the others have at most 2.
class Padded final : public Sparse {
 public:
  Padded()
      : Sparse({.name = "spmv_ell",
                .launcher = "int rows, int columns, int width, const int *column, const float *value, "
                            "const float *x, float *y",
                .integers =
                    kinds({{"rows", 0, most_rows},
                           {"columns", 0, most_rows},
                           {"width", 0, 65536},
                           {.name = "dense_row", .least = 0, .most = 1, .otherwise = 0, .size = false}})}) {}
  /// Of all places, padding included: how many there are depends on the case alone.
  double flops(const Case &c) const override {
    return 2.0 * static_cast<double>(rows(c)) * static_cast<double>(third_size(c));
  }

  std::vector<run::HostBuffer> inputs(const Case &c, std::uint64_t seed) const override {
    std::vector<run::HostBuffer> made = ArrayProblem::inputs(c, seed);
    const auto column = made[0].as<std::int32_t>();
    const auto value = made[1].as<float>();
    const std::int64_t width = third_size(c);
    const auto longest = static_cast<std::int64_t>(random_bits(seed, row_order, 0) %
                                                   std::max<std::uint64_t>(index(rows(c)), 1));
    for (std::int64_t r = 0; r < rows(c); ++r) {
      const std::int64_t most = c.integers[3] == 1 ? std::min<std::int64_t>(width, 2) : width;
      const auto drawn =
          static_cast<std::int64_t>(random_bits(seed, row_length, index(r)) % (index(most) + 1));
      const std::int64_t length = r == longest ? width : drawn;
      for (std::int64_t k = 0; k < width; ++k) {
        const std::size_t place = index(k * rows(c) + r);
        column[place] = k < length ? column_of(random_bits(seed, 1, place), k, length, columns(c)) : -1;
        if (k >= length) value[place] = 0;
      }
    }
    return made;
  }

 protected:
  std::uint64_t between_entries(const Case &c) const override { return index(rows(c)); }
  /// No row has more entries than columns.
  std::int64_t third_size(const Case &c) const override { return std::min(c.integers[2], columns(c)); }
  Kind kind(const Case &c) const override {
    return {c.integers[4] == 1, c.integers[5] == 1, c.integers[5] == 0 && c.integers[6] == 1};
  }
  std::vector<Array> arrays(const Case &c) const override {
    const std::uint64_t places = index(rows(c) * third_size(c));
    return {
        {.name = "column", .elements = places, .type = Type::i32, .columns = rows(c), .exchangeable = false},
        {.name = "value", .elements = places, .columns = rows(c), .exchangeable = false},
        {.name = "x", .elements = index(columns(c))},
        {.name = "y", .elements = index(rows(c)), .is_output = true}};
  }
  void each_entry(const Case &c, const std::vector<run::HostBuffer> &in, const Visit &visit) const override {
    const auto column = in[0].as<std::int32_t>();
    const auto value = in[1].as<float>();
    for (std::int64_t k = 0; k < third_size(c); ++k)
      for (std::int64_t r = 0; r < rows(c); ++r) {
        const std::size_t place = index(k * rows(c) + r);
        if (column[place] >= 0) visit({r, column[place], k, value[place]});
      }
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const std::int64_t width = third_size(c);
    const auto column = in[0].as<std::int32_t>();
    const auto value = in[1].as<float>(), x = in[2].as<float>();
    Reference by_rows{std::vector<double>(index(rows(c))), std::vector<double>(index(rows(c)))};
    for (std::int64_t r = 0; r < rows(c); ++r)
      for (std::int64_t k = 0; k < width; ++k) {
        const std::size_t place = index(r * width + k);
        if (column[place] < 0) continue;
        const double product = static_cast<double>(value[place]) * x[index(column[place])];
        by_rows.want[index(r)] += product;
        by_rows.scale[index(r)] += static_cast<double>(width) * std::fabs(product);
      }
    return {{"the entries are read row by row, but they are stored column by column", by_rows},
            {"the old value of y is added: y must be overwritten", with_old_values(c, in)},
            {"rows without entries are never written", without_empty_rows(c, in)},
            {"the last entry of the longest rows is left out",
             sums(c, in, [&](const Entry &e) { return e.number + 1 < width; })},
            {"entries in column 0 are left out: padding has column -1",
             sums(c, in, [](const Entry &e) { return e.column > 0; })},
            {"only the first entry of each row is added",
             sums(c, in, [](const Entry &e) { return e.number < 1; })}};
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Coordinates(), Rows(), Padded())
