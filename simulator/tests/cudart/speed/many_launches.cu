// The longest common subsequence of two strings, twice: a wavefront through a table of 512 x 512 cells takes 1023
// launches of few threads each.
#include <algorithm>

#include "speed.hpp"

__global__ void diagonal(const char *one, const char *other, int *cells, int n, int d) {
  const int row = max(0, d - n + 1) + blockIdx.x * blockDim.x + threadIdx.x, col = d - row;
  if (row >= n || col < 0) return;
  const int width = n + 1;
  int *at = cells + (row + 1) * width + col + 1;
  const int both = at[-width - 1] + (one[row] == other[col] ? 1 : 0);
  *at = max(both, max(at[-width], at[-1]));
}

int main() {
  const int n = 512, rounds = 2;
  const std::vector<std::uint32_t> drawn = numbers(2 * n);
  std::vector<char> one(n), other(n);
  for (int i = 0; i < n; ++i) one[i] = drawn[i] % 4, other[i] = drawn[n + i] % 4;
  const char *a = upload(one), *b = upload(other);
  int *cells = room<int>((n + 1) * (n + 1));
  CHECK(cudaMemset(cells, 0, (n + 1) * (n + 1) * sizeof(int)));
  for (int round = 0; round < rounds; ++round)
    for (int d = 0; d < 2 * n - 1; ++d) {
      const int length = std::min(d, 2 * n - 2 - d) + 1;
      diagonal<<<(length + 63) / 64, 64>>>(a, b, cells, n, d);
    }
  const std::vector<int> got = download(cells, (n + 1) * (n + 1));
  std::vector<int> above(n + 1), row(n + 1);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      row[j + 1] = std::max(above[j] + (one[i] == other[j] ? 1 : 0), std::max(above[j + 1], row[j]));
    std::swap(above, row);
  }
  return finish(std::equal(above.begin(), above.end(), got.end() - (n + 1)));
}
