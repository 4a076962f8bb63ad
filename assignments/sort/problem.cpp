// sort: pairs of a key and a value in the order of their keys, of which equal ones keep their order.
#include <algorithm>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;
constexpr int key_bits = 32;

struct Pair {
  std::uint32_t key = 0, value = 0;
  auto operator<=>(const Pair &) const = default;
};
using Pairs = std::vector<Pair>;

Pairs pairs_of(const std::vector<run::HostBuffer> &buffers, std::size_t keys, std::size_t values) {
  const auto key = buffers[keys].as<std::uint32_t>(), value = buffers[values].as<std::uint32_t>();
  Pairs pairs(key.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {key[i], value[i]};
  return pairs;
}
Pairs given_pairs(const std::vector<run::HostBuffer> &buffers) {
  return pairs_of(buffers, 0, 1);
}
Pairs sorted_pairs(const std::vector<run::HostBuffer> &buffers) {
  return pairs_of(buffers, 2, 3);
}

/// The part of a key that its bits from `first` on are, `count` of them.
constexpr std::uint32_t mask_of(int first, int count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

/// What a wrong result shows about the way in which it came about.
class Signs {
 public:
  Signs(Pairs given, Pairs before, Pairs got)
      : given_(std::move(given)), before_(std::move(before)), got_(std::move(got)) {}

  /// Those that say exactly what the result is; else what is left to say about it.
  std::vector<std::string> all() const {
    std::vector<std::string> found;
    const auto add = [&](bool holds, const char *clause) {
      if (holds) found.emplace_back(clause);
    };
    add(got_ == given_, "the pairs are in the order in which they came: nothing is sorted");
    add(is_by([](std::uint32_t key) { return ~key; }), "the order is from the largest key to the smallest");
    add(is_by([](std::uint32_t key) { return key ^ 0x80000000; }), "the keys are treated as signed numbers");
    add(is_by_lower_bits(), "only the lower bits are sorted: the last pass is missing");
    add(is_by_upper_bits(), "only the upper bits are sorted: the first pass is missing");
    add(is_without_a_digit(), "a digit between others is not sorted: a pass is missing");
    add(is_by_mirrored_digits(),
        "the passes are in the wrong order: the last one must sort the highest bits");
    add(is_by_tiles(), "each block is sorted by itself, and not with the others");
    if (!found.empty()) return found;
    const bool permutation = is_permutation();
    add(permutation && keys_grow(mask_of(key_bits - 1, 1)),
        "a pass does not keep the order of keys whose digits are equal");
    add(!permutation && keys_are_right(), "the keys are sorted, but values do not come with their keys");
    add(!permutation && !keys_are_right() && is_of_given_pairs(),
        "some pairs occur twice and others are missing: several are moved to one place");
    return found;
  }

 private:
  template <typename Part>
  Pairs sorted_by(const Part &part) const {
    Pairs pairs = given_;
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const Pair &a, const Pair &b) { return part(a.key) < part(b.key); });
    return pairs;
  }
  /// Whether a stable sort by that part of the keys gives this result.
  template <typename Part>
  bool is_by(const Part &part) const {
    const auto less = [&](const Pair &a, const Pair &b) { return part(a.key) < part(b.key); };
    return std::is_sorted(got_.begin(), got_.end(), less) && got_ == sorted_by(part);
  }
  bool is_by(std::uint32_t mask) const {
    return is_by([=](std::uint32_t key) { return key & mask; });
  }
  bool is_by_lower_bits() const {
    for (int count = 1; count < key_bits; ++count)
      if (is_by(mask_of(0, count))) return true;
    return false;
  }
  bool is_by_upper_bits() const {
    for (int count = 1; count < key_bits; ++count)
      if (is_by(mask_of(key_bits - count, count))) return true;
    return false;
  }
  bool is_without_a_digit() const {
    for (const int width : {1, 4, 8})
      for (int first = width; first + width < key_bits; first += width)
        if (is_by(~mask_of(first, width))) return true;
    return false;
  }
  bool is_by_mirrored_digits() const {
    for (const int width : {1, 4, 8})
      if (is_by([=](std::uint32_t key) {
            std::uint32_t mirrored = 0;
            for (int first = 0; first < key_bits; first += width)
              mirrored |= (key >> first & mask_of(0, width)) << (key_bits - width - first);
            return mirrored;
          }))
        return true;
    return false;
  }
  bool is_by_tiles() const {
    for (std::size_t tile = 128; tile <= 8192; tile *= 2) {
      Pairs pairs = given_;
      for (std::size_t first = 0; first < pairs.size(); first += tile) {
        const auto at = [&](std::size_t i) {
          return pairs.begin() + static_cast<std::ptrdiff_t>(std::min(i, pairs.size()));
        };
        std::stable_sort(at(first), at(first + tile),
                         [](const Pair &a, const Pair &b) { return a.key < b.key; });
      }
      if (got_ == pairs) return true;
    }
    return false;
  }
  bool is_permutation() const {
    Pairs here = got_, there = given_;
    std::sort(here.begin(), here.end());
    std::sort(there.begin(), there.end());
    return here == there;
  }
  bool keys_grow(std::uint32_t mask) const {
    return std::is_sorted(got_.begin(), got_.end(),
                          [=](const Pair &a, const Pair &b) { return (a.key & mask) < (b.key & mask); });
  }
  bool keys_are_right() const {
    const Pairs right = sorted_by([](std::uint32_t key) { return key; });
    return std::equal(right.begin(), right.end(), got_.begin(),
                      [](const Pair &a, const Pair &b) { return a.key == b.key; });
  }
  /// Each pair is one of the given ones, or has never been written.
  bool is_of_given_pairs() const {
    Pairs all = given_;
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < got_.size(); ++i)
      if (got_[i] != before_[i] && !std::binary_search(all.begin(), all.end(), got_[i])) return false;
    return true;
  }

  const Pairs given_, before_, got_;
};

class Sort final : public ArrayProblem {
 public:
  Sort()
      : ArrayProblem(
            {.name = "sort",
             .launcher = "int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys, "
                         "unsigned *sorted_values",
             .integers = {{"n", 0, longest},
                          {.name = "sorted", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "reversed", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "top", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "extremes", .least = 0, .most = 1, .otherwise = 0, .size = false}},
             .routine = Routine::sort_pairs}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &in) const override {
    Pairs pairs = given_pairs(in);
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) { return a.key < b.key; });
    Reference ref;
    for (const Pair &pair : pairs) ref.want.push_back(pair.key);
    for (const Pair &pair : pairs) ref.want.push_back(pair.value);
    ref.scale.assign(ref.want.size(), 0.0);
    return ref;
  }
  std::vector<std::string> mistakes(const Case &, const std::vector<run::HostBuffer> &inputs,
                                    const std::vector<run::HostBuffer> &outputs, double) const override {
    return Signs(given_pairs(inputs), sorted_pairs(inputs), sorted_pairs(outputs)).all();
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers.at(0));
    return {{.name = "keys", .elements = n, .type = Type::u32},
            {.name = "values", .elements = n, .type = Type::u32},
            {.name = "sorted_keys", .elements = n, .type = Type::u32, .is_output = true},
            {.name = "sorted_values", .elements = n, .type = Type::u32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_sort(Drawn::of(c.integers.data()), seed, array, i);
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Sort())
