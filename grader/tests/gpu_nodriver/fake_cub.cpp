// CUB's routines without a GPU, whose memory is the host's. PAPER_CUB_IS_WRONG=1: results are off by one.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "gpu/cub_module.hpp"
#include "problem/library.hpp"

using warpgrade::problem::Routine;

namespace {

void sort_pairs(void *const *operands, std::uint64_t n) {
  const auto *keys = static_cast<const std::uint32_t *>(operands[0]);
  const auto *values = static_cast<const std::uint32_t *>(operands[1]);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return keys[a] < keys[b]; });
  for (std::uint64_t i = 0; i < n; ++i) {
    static_cast<std::uint32_t *>(operands[2])[i] = keys[order[i]];
    static_cast<std::uint32_t *>(operands[3])[i] = values[order[i]];
  }
}

}  // namespace

extern "C" {

int warpgrade_cub_run(std::uint32_t routine, void *const *operands, const std::uint64_t *bytes,
                      std::uint32_t count, void *scratch, std::uint64_t *scratch_bytes, void *) {
  if (count < 2) return 1;
  if (scratch == nullptr) return *scratch_bytes = 64, 0;
  if (*scratch_bytes != 64) return 2;
  std::memset(scratch, 1, 64);
  const auto n = bytes[0] / 4;
  const auto *x = static_cast<const std::int32_t *>(operands[0]);
  const auto *reals = static_cast<const float *>(operands[0]);
  auto *y = static_cast<std::int32_t *>(operands[1]);
  switch (static_cast<Routine>(routine)) {
    case Routine::sum: {
      const float sum = std::accumulate(reals, reals + n, 0.0f);
      std::memcpy(y, &sum, sizeof sum);
      break;
    }
    case Routine::arg_min:
      *y = static_cast<std::int32_t>(std::min_element(reals, reals + n) - reals);
      break;
    case Routine::inclusive_sum:
      std::partial_sum(x, x + n, y);
      break;
    case Routine::select_not_negative:
      *static_cast<std::int32_t *>(operands[2]) =
          static_cast<std::int32_t>(std::copy_if(x, x + n, y, [](std::int32_t v) { return v >= 0; }) - y);
      break;
    case Routine::histogram_even:
      std::fill(y, y + bytes[1] / 4, 0);
      for (std::uint64_t i = 0; i < n; ++i) ++y[x[i]];
      break;
    case Routine::sort_pairs:
      if (count != 4) return 1;
      sort_pairs(operands, n);
      break;
    default:
      return 1;
  }
  if (std::getenv("PAPER_CUB_IS_WRONG") != nullptr) ++*y;
  return 0;
}

int warpgrade_cub_version() {
  return 300001;
}

const char *warpgrade_cub_error(int error) {
  return error == 1 ? "cudaErrorInvalidValue" : "cudaErrorMemoryAllocation";
}

}  // extern "C"
