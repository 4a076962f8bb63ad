// The referee's kernels: deal inputs and look at outputs on the GPU, in a process where no student's code
// ever runs. One warp a row or a cell, sums in double; nothing here is timed. The host reads the sums and
// decides.
#include "gpu/referee_sums.hpp"

namespace {

using warpgrade::gpu::CellSums;
using warpgrade::gpu::RowSums;
using warpgrade::problem::Fill;
using warpgrade::problem::MatrixProduct;

constexpr unsigned everyone = 0xffffffffu;

__device__ std::int64_t warp_in_grid() {
  return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
}

/// The sum over the lanes, in lane 0.
__device__ double over_lanes(double x) {
  for (int away = 16; away > 0; away /= 2) x += __shfl_down_sync(everyone, x, away);
  return x;
}

}  // namespace

/// Element i of `to` = element i of the stream
extern "C" __global__ void referee_fill(void *to, std::uint64_t elements, Fill fill, std::uint64_t key) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step)
    warpgrade::gpu::store(to, fill, key, i);
}

/// *different += the 16-bit words in which two buffers differ
extern "C" __global__ void referee_compare(const std::uint16_t *x, const std::uint16_t *y,
                                           std::uint64_t words, unsigned long long *different) {
  unsigned long long mine = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step)
    mine += x[i] != y[i];
  if (mine > 0) atomicAdd(different, mine);
}

/// Row r of B, with the signs of the columns and without: sums[r], and sums[r] after as many as B has rows.
extern "C" __global__ void referee_sum_b(MatrixProduct p, const void *b, std::uint64_t seed, double *sums) {
  const std::int64_t row = warp_in_grid();
  if (row >= p.rows_of_b()) return;
  const auto [with_signs, without] = warpgrade::gpu::sums_of_b(p, b, seed, row, threadIdx.x % 32, 32);
  const double x = over_lanes(with_signs), y = over_lanes(without);
  if (threadIdx.x % 32 != 0) return;
  sums[row] = x;
  sums[p.rows_of_b() + row] = y;
}

/// Row r of C: what it sums to, what it should, and its scale.
extern "C" __global__ void referee_sum_rows(MatrixProduct p, const void *a, const double *b_sums,
                                            const float *before, const float *after, std::uint64_t seed,
                                            RowSums *rows) {
  const std::int64_t row = warp_in_grid();
  if (row >= p.m) return;
  RowSums mine = warpgrade::gpu::sums_of_row(p, a, b_sums, before, after, seed, row, threadIdx.x % 32, 32);
  mine.got = over_lanes(mine.got);
  mine.want = over_lanes(mine.want);
  mine.scale = over_lanes(mine.scale);
  if (threadIdx.x % 32 == 0) rows[row] = mine;
}

/// Cell t of the spot check, in full.
extern "C" __global__ void referee_sum_cells(MatrixProduct p, const void *a, const void *b,
                                             const float *before, const float *after, std::uint64_t seed,
                                             int count, CellSums *cells) {
  const std::int64_t t = warp_in_grid();
  if (t >= count) return;
  CellSums mine = warpgrade::gpu::sums_of_cell(
      p, a, b, before, after, warpgrade::problem::sampled_cell(seed, static_cast<int>(t), p.m, p.n),
      threadIdx.x % 32, 32);
  mine.want = finished(p.finish, over_lanes(mine.want));
  mine.scale = over_lanes(mine.scale);
  if (threadIdx.x % 32 == 0) cells[t] = mine;
}

/// *least = the number of the first wrong cell, row by row, if it is less; each thread checks every n-th cell.
extern "C" __global__ void referee_every_cell(MatrixProduct p, const void *a, const void *b,
                                              const float *before, const float *after, double tolerance,
                                              unsigned long long *least) {
  const std::uint64_t all = static_cast<std::uint64_t>(p.m) * static_cast<std::uint64_t>(p.n);
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const auto n = static_cast<std::uint64_t>(p.n);
    const warpgrade::problem::Cell cell{static_cast<std::int64_t>(i / n), static_cast<std::int64_t>(i % n)};
    const CellSums sums = warpgrade::gpu::sums_of_cell(p, a, b, before, after, cell, 0, 1);
    if (!(fabs(sums.got - finished(p.finish, sums.want)) <= tolerance * sums.scale))
      atomicMin(least, static_cast<unsigned long long>(i));
  }
}

/// One cell, in full.
extern "C" __global__ void referee_one_cell(MatrixProduct p, const void *a, const void *b,
                                            const float *before, const float *after,
                                            warpgrade::problem::Cell cell, CellSums *sums) {
  if (warp_in_grid() != 0) return;
  CellSums mine = warpgrade::gpu::sums_of_cell(p, a, b, before, after, cell, threadIdx.x % 32, 32);
  mine.want = finished(p.finish, over_lanes(mine.want));
  mine.scale = over_lanes(mine.scale);
  if (threadIdx.x % 32 == 0) *sums = mine;
}
