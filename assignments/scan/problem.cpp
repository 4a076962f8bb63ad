// scan: y[i] = x[0] + ... + x[i]. compact: the elements that are not negative, in their order, and how many
// there are.
#include <algorithm>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;
constexpr std::size_t warp = 32;

std::size_t size_of(const Case &c) {
  return static_cast<std::size_t>(c.integers.at(0));
}

class Scan final : public ArrayProblem {
 public:
  Scan()
      : ArrayProblem({.name = "scan",
                      .launcher = "int n, const int *x, int *y",
                      .integers = {{"n", 0, longest},
                                   {.name = "sorted", .least = 0, .most = 1, .otherwise = 0, .size = false},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}},
                      .routine = Routine::inclusive_sum}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sums(c, in, size_of(c), 0);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size_of(c), .type = Type::i32},
            {.name = "y", .elements = size_of(c), .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_scan({c.integers.at(0), c.integers.at(1) == 1, c.integers.at(2) == 1}, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    std::vector<Hypothesis> all = {
        {"the sums are exclusive: an element is missing from its own sum", sums(c, in, size_of(c), 1)}};
    for (const std::size_t block : {256, 512, 1024, 2048}) {
      all.push_back({"each block starts from zero: the sums of the blocks before it are not added",
                     sums(c, in, block, 0)});
      all.push_back({"only the block before is added, not all blocks before",
                     after_blocks(c, in, block, [](const Block &b) { return b.of_block_before; })});
      all.push_back({"a block's own sum is added to the sums before it: look back from the block before",
                     after_blocks(c, in, block, [](const Block &b) {
                       return b.number == 0 ? 0 : 2 * b.before - b.of_first_block + b.own;
                     })});
      all.push_back({"a block's sum with all before it is taken for the sum of the block alone",
                     after_blocks(c, in, block, [](const Block &b) { return b.of_results; })});
    }
    for (const std::size_t block : {256, 512, 1024}) {
      all.push_back({"the sums are exclusive: an element is missing from its own sum",
                     in_levels(in, block, exclusive)});
      all.push_back({"the tree is built towards its root, and nothing is added on the way back",
                     in_levels(in, block, towards_the_root)});
      for (const std::size_t each : {1, 4, 8, 16}) {
        all.push_back({"each warp starts from zero: the sums of the warps before it are not added",
                       in_levels(in, block, [=](Words &part) { return warps_apart(part, each); })});
        all.push_back({"the first lanes of a warp add their own numbers: nothing is before them",
                       in_levels(in, block, [=](Words &part) { return first_lanes_too(part, each); })});
      }
    }
    return all;
  }

 private:
  using Word = std::uint32_t;  // as an int that wraps around
  using Words = std::vector<Word>;

  static Reference of(const Words &y) {
    Reference ref{{}, std::vector<double>(y.size())};
    for (const Word word : y) ref.want.push_back(static_cast<std::int32_t>(word));
    return ref;
  }

  /// What a block may add to its elements: sums of all blocks before it.
  struct Block {
    std::size_t number = 0;
    Word own = 0, before = 0, of_block_before = 0, of_first_block = 0;
    Word of_results = 0;  ///< of what the blocks before it end with
  };
  /// added(block): what is added to the sums within each block
  template <typename Added>
  static Reference after_blocks(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t block,
                                const Added &added) {
    const auto x = in[0].as<std::int32_t>();
    Words y(size_of(c));
    Block b;
    for (std::size_t first = 0; first < y.size(); first += block, ++b.number) {
      const std::size_t end = std::min(first + block, y.size());
      Word sum = 0;
      for (std::size_t i = first; i < end; ++i) y[i] = sum += static_cast<Word>(x[i]);
      b.own = sum;
      const Word more = added(b);
      for (std::size_t i = first; i < end; ++i) y[i] += more;
      b.of_results += y[end - 1];
      b.before += b.own;
      b.of_block_before = b.own;
      if (b.number == 0) b.of_first_block = b.own;
    }
    return of(y);
  }

  /// Blocks are scanned by themselves, their sums in the same way, and these are added. scan(part) replaces
  /// the elements of a block, filled up with zeros, and returns its sum.
  template <typename Scan>
  static Reference in_levels(const std::vector<run::HostBuffer> &in, std::size_t block, const Scan &scan) {
    const auto x = in[0].as<std::int32_t>();
    Words y(x.begin(), x.end());
    scan_levels(y, block, scan);
    return of(y);
  }
  template <typename Scan>
  static void scan_levels(Words &y, std::size_t block, const Scan &scan) {
    Words block_sums;
    for (std::size_t first = 0; first < y.size(); first += block) {
      const auto begin = y.begin() + static_cast<std::ptrdiff_t>(first);
      const auto here = static_cast<std::ptrdiff_t>(std::min(block, y.size() - first));
      Words part(begin, begin + here);
      part.resize(block);
      block_sums.push_back(scan(part));
      std::copy_n(part.begin(), here, begin);
    }
    if (block_sums.size() <= 1) return;
    scan_levels(block_sums, block, scan);
    for (std::size_t i = block; i < y.size(); ++i) y[i] += block_sums[i / block - 1];
  }

  static Word exclusive(Words &part) {
    Word sum = 0;
    for (Word &word : part) {
      const Word before = sum;
      sum += word;
      word = before;
    }
    return sum;
  }
  static Word towards_the_root(Words &part) {
    for (std::size_t distance = 1; distance < part.size(); distance *= 2)
      for (std::size_t at = 2 * distance - 1; at < part.size(); at += 2 * distance)
        part[at] += part[at - distance];
    return part.back();
  }
  /// each: elements of a thread
  static Word warps_apart(Words &part, std::size_t each) {
    Word sum = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i % (warp * each) == 0) sum = 0;
      part[i] = sum += part[i];
    }
    return part.back();
  }
  /// The sums of threads are shuffled upwards, and lanes that get their own number back add it too.
  static Word first_lanes_too(Words &part, std::size_t each) {
    Word before_warp = 0;
    for (std::size_t first = 0; first < part.size(); first += warp * each) {
      Words mine(warp);
      for (std::size_t i = 0; i < warp * each && first + i < part.size(); ++i)
        mine[i / each] += part[first + i];
      Words through = mine;
      for (std::size_t distance = 1; distance < warp; distance *= 2)
        for (std::size_t lane = warp; lane-- > 0;)
          through[lane] += through[lane < distance ? lane : lane - distance];
      for (std::size_t lane = 0; lane < warp && first + lane * each < part.size(); ++lane) {
        Word sum = before_warp + through[lane] - mine[lane];
        for (std::size_t i = 0; i < each; ++i) sum = part[first + lane * each + i] += sum;
      }
      before_warp += through[warp - 1];
    }
    return part.back();
  }

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
                          {.name = "negative", .least = 0, .most = 100, .otherwise = 50, .size = false},
                          {.name = "sorted", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}},
             .routine = Routine::select_not_negative}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &in) const override {
    return selected(in, [](std::int32_t value) { return value >= 0; });
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size_of(c), .type = Type::i32},
            {.name = "y", .elements = size_of(c), .type = Type::i32, .is_output = true},
            {.name = "kept", .elements = 1, .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_compact(
        c.integers.at(1), {c.integers.at(0), c.integers.at(2) == 1, c.integers.at(3) == 1}, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    Reference not_counted = reference(c, in);
    not_counted.want.back() = in[2].as<std::int32_t>()[0];
    return {{"kept is not written", not_counted},
            {"the negative elements are kept", selected(in, [](std::int32_t value) { return value < 0; })},
            {"every element is kept", selected(in, [](std::int32_t) { return true; })}};
  }

 private:
  template <typename Keep>
  static Reference selected(const std::vector<run::HostBuffer> &in, const Keep &keep) {
    const auto x = in[0].as<std::int32_t>(), before = in[1].as<std::int32_t>();
    Reference ref;
    std::copy_if(x.begin(), x.end(), std::back_inserter(ref.want), keep);
    const std::size_t kept = ref.want.size();
    ref.want.insert(ref.want.end(), before.begin() + static_cast<std::ptrdiff_t>(kept), before.end());
    ref.want.push_back(static_cast<double>(kept));
    ref.scale.assign(ref.want.size(), 0.0);
    return ref;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Scan(), Compact())
