// sort on the GPU; problem.cpp says what it is. The reference merges, so that it has nothing in common with
// the sorts that it judges.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_sort {

/// A key, and below it the place from which it comes: no two are equal, and equal keys keep their order.
using Word = std::uint64_t;

struct Sort {
  static constexpr const char *name = "sort";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_sort(Drawn::of(c.integers), seed, static_cast<std::uint64_t>(array), i);
  }

  /// Where word i goes when each two neighbouring runs of 2^level sorted words are merged: behind the words
  /// of its own run before it, and behind the smaller words of the other run.
  WARPGRADE_ANYWHERE static std::uint64_t merged_place(const Word *words, std::uint64_t n, int level,
                                                       std::uint64_t i) {
    const std::uint64_t run = std::uint64_t{1} << level, other = (i >> level ^ 1) << level;
    const bool in_first = other > i;
    std::uint64_t low = other < n ? other : n, high = other + run < n ? other + run : n;
    const std::uint64_t begin = low;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (words[middle] < words[i])
        low = middle + 1;
      else
        high = middle;
    }
    return (in_first ? i : i - run) + (low - begin);
  }

  /// Where word i goes when each run of 2^first_level words is sorted.
  static constexpr int first_level = 6;
  WARPGRADE_ANYWHERE static std::uint64_t first_place(const Word *words, std::uint64_t n, std::uint64_t i) {
    const std::uint64_t begin = i >> first_level << first_level, run = std::uint64_t{1} << first_level;
    const std::uint64_t end = begin + run < n ? begin + run : n;
    std::uint64_t place = begin;
    for (std::uint64_t j = begin; j < end; ++j) place += words[j] < words[i];
    return place;
  }

  static int want_all(const OnDeviceCase &c, const Arrays &in, Wanted *wanted, void *stream) {
    static Kept kept;
    const std::uint64_t n = c.elements[0];
    if (n == 0) return 0;
    auto *from = static_cast<Word *>(kept.reserve(2 * n * sizeof(Word)));
    if (from == nullptr) return no_memory;
    Word *to = from + n;
    int error = each(n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      from[i] = Word{in.of<std::uint32_t>(0)[i]} << 32 | i;
    });
    for (int level = first_level - 1; error == 0; ++level) {
      const bool first = level < first_level;
      if (!first && n <= std::uint64_t{1} << level) break;
      error = each(n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
        to[first ? first_place(from, n, i) : merged_place(from, n, level, i)] = from[i];
      });
      Word *const sorted = to;
      to = from;
      from = sorted;
    }
    if (error != 0) return error;
    return each(n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      const std::uint64_t place = from[i] & 0xffffffff;
      wanted[i] = {static_cast<double>(in.of<std::uint32_t>(0)[place]), 0};
      wanted[n + i] = {static_cast<double>(in.of<std::uint32_t>(1)[place]), 0};
    });
  }
};

}  // namespace of_sort
using namespace of_sort;

WARPGRADE_ON_DEVICE(Sort)
