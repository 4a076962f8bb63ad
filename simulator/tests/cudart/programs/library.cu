// A library that nobody wrote for the simulator: thrust, and cub below it.
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include <algorithm>

#include "check.hpp"

int main() {
  constexpr int n = 20000;
  thrust::device_vector<int> numbers(1000);
  thrust::sequence(numbers.begin(), numbers.end());
  EXPECT(thrust::reduce(numbers.begin(), numbers.end()) == 999 * 1000 / 2);
  EXPECT(thrust::count(numbers.begin(), numbers.end(), 7) == 1);
  thrust::inclusive_scan(numbers.begin(), numbers.end(), numbers.begin());
  EXPECT(numbers[999] == 999 * 1000 / 2 && numbers[10] == 55);

  thrust::host_vector<int> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = static_cast<int>(i * 7919LL % 20011);  // a permutation with gaps
  thrust::device_vector<int> sorted = keys;
  thrust::sort(sorted.begin(), sorted.end());
  const thrust::host_vector<int> result = sorted;
  std::sort(keys.begin(), keys.end());
  EXPECT(std::equal(keys.begin(), keys.end(), result.begin()));
  std::printf("sorted\n");

  // These compare elements past the end of a tile and do not use the results.
  thrust::device_vector<int> evens(5000), threes(5000), both(5000);
  thrust::sequence(evens.begin(), evens.end(), 0, 2);
  thrust::sequence(threes.begin(), threes.end(), 0, 3);
  const auto end =
      thrust::set_intersection(evens.begin(), evens.end(), threes.begin(), threes.end(), both.begin());
  EXPECT(end - both.begin() == 1667 && both[1666] == 9996);
}
