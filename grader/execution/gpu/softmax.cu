// The softmax between two products of cuBLAS; see composed_library.cpp. A warp for each row, three passes, of
// which the caches serve the last two.

namespace {

constexpr unsigned everyone = 0xffffffffu;
constexpr int warp = 32;

}  // namespace

/// Each of `rows` rows of `columns` elements becomes its softmax. Blocks of any number of whole warps.
extern "C" __global__ void softmax_of_rows(float *x, int rows, int columns) {
  const int lane = threadIdx.x % warp;
  const long long row = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / warp;
  if (row >= rows) return;
  float *const at = x + row * columns;
  float most = -__builtin_huge_valf(), sum = 0;
  for (int c = lane; c < columns; c += warp) most = fmaxf(most, at[c]);
  for (int away = warp / 2; away > 0; away /= 2) most = fmaxf(most, __shfl_xor_sync(everyone, most, away));
  for (int c = lane; c < columns; c += warp) {
    at[c] = expf(at[c] - most);
    sum += at[c];
  }
  for (int away = warp / 2; away > 0; away /= 2) sum += __shfl_xor_sync(everyone, sum, away);
  for (int c = lane; c < columns; c += warp) at[c] /= sum;
}
