// A sparse matrix of 262,144 rows and about four million entries times a vector, a thread per row, rows of
// unequal length.
#include <cmath>

#include "speed.hpp"

__global__ void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y,
                         int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int e = starts[row]; e < starts[row + 1]; ++e) sum += values[e] * x[columns[e]];
  y[row] = sum;
}

int main() {
  const int rows = 1 << 18;
  const std::vector<unsigned> lengths = numbers(rows);
  std::vector<int> starts(rows + 1), columns;
  for (int i = 0; i < rows; ++i) starts[i + 1] = starts[i] + static_cast<int>(lengths[i] >> 27);
  const std::vector<unsigned> drawn = numbers(starts[rows]);
  std::vector<float> values(drawn.size()), x(rows);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    columns.push_back(static_cast<int>(drawn[i] >> 14));
    values[i] = static_cast<float>(drawn[i] & 0xFFFF) / 65536.0f;
  }
  for (int i = 0; i < rows; ++i) x[i] = static_cast<float>(lengths[i] & 0xFFFF) / 65536.0f;
  int *d_starts = upload(starts), *d_columns = upload(columns);
  float *d_values = upload(values), *d_x = upload(x), *d_y = room<float>(rows);
  multiply<<<rows / 256, 256>>>(d_starts, d_columns, d_values, d_x, d_y, rows);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = download(d_y, rows);
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    double want = 0;
    for (int e = starts[row]; e < starts[row + 1]; ++e) want += double{values[e]} * x[columns[e]];
    right = right && std::fabs(got[row] - want) <= 1e-5 * (1 + want);
  }
  return finish(right);
}
