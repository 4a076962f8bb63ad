// Thrust removes duplicates in place: blocks of its kernel hand each other their elements by a word without a fence.
// Nobody who calls it can add that fence.
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/unique.h>

#include <cstdio>
int main() {
  const int n = 20000;
  thrust::device_vector<int> values(n);
  thrust::sequence(values.begin(), values.end());
  for (int i = 0; i < 100; ++i) values[i * 7 + 1] = values[i * 7];
  const auto end = thrust::unique(values.begin(), values.end());
  std::printf("%d\n", static_cast<int>(end - values.begin()));
}
