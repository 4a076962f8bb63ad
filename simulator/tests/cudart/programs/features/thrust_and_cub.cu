// Thrust and CUB: sorts, scans, reductions by key, histograms, block and warp primitives.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <cstdio>
#include <cub/cub.cuh>

struct Pair {
  int key, value;
};
struct ByKey {
  __device__ bool operator()(const Pair &a, const Pair &b) const { return a.key < b.key; }
};
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

__global__ void block_primitives(const int *in, int *out) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 128>;
  using Sort = cub::BlockRadixSort<int, 128, 4>;
  using Reduce = cub::BlockReduce<int, 128>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    Load::TempStorage load;
    Scan::TempStorage scan;
    Sort::TempStorage sort;
    Reduce::TempStorage reduce;
    Store::TempStorage store;
  } memory;
  int items[4];
  Load(memory.load).Load(in, items);
  __syncthreads();
  Sort(memory.sort).Sort(items);
  __syncthreads();
  const int sum = Reduce(memory.reduce).Sum(items);
  __syncthreads();
  Scan(memory.scan).InclusiveSum(items, items);
  __syncthreads();
  Store(memory.store).Store(out, items);
  if (threadIdx.x == 0) out[512] = sum;
}

int main() {
  constexpr int n = 3000;
  thrust::host_vector<int> host(n);
  thrust::minstd_rand random(99);
  thrust::uniform_int_distribution<int> spread(0, 999);
  for (int i = 0; i < n; ++i) host[i] = spread(random);
  thrust::device_vector<int> keys = host, values(n);
  thrust::sequence(values.begin(), values.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  printf("sorted %d: first %d last %d\n", static_cast<int>(thrust::is_sorted(keys.begin(), keys.end())),
         static_cast<int>(keys[0]), static_cast<int>(keys[n - 1]));
  thrust::device_vector<int> groups(n), counts(n);
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::constant_iterator<int>(1),
                                          groups.begin(), counts.begin());
  const int distinct = static_cast<int>(ends.first - groups.begin());
  printf("distinct %d, most %d\n", distinct,
         static_cast<int>(*thrust::max_element(counts.begin(), counts.begin() + distinct)));
  printf("squares %.0f\n",
         thrust::transform_reduce(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(100),
                                  Square(), 0.0f, thrust::plus<float>()));
  thrust::device_vector<int> odd(n);
  const auto end = thrust::copy_if(keys.begin(), keys.end(), odd.begin(), Odd());
  printf("odd %d\n", static_cast<int>(end - odd.begin()));
  thrust::device_vector<int> scanned(n);
  thrust::exclusive_scan(keys.begin(), keys.end(), scanned.begin(), 5);
  printf("scan %d\n", static_cast<int>(scanned[n - 1]));
  printf("dot %d\n", thrust::inner_product(values.begin(), values.begin() + 100, values.begin(), 0) > 0);

  const int *in = thrust::raw_pointer_cast(keys.data());
  thrust::device_vector<int> histogram(10), result(1);
  void *scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceHistogram::HistogramEven(scratch, bytes, in, thrust::raw_pointer_cast(histogram.data()), 11, 0,
                                      1000, n);
  cudaMalloc(&scratch, bytes);
  printf("histogram %s:",
         cudaGetErrorName(cub::DeviceHistogram::HistogramEven(
             scratch, bytes, in, thrust::raw_pointer_cast(histogram.data()), 11, 0, 1000, n)));
  int all = 0;
  for (int i = 0; i < 10; ++i) all += histogram[i];
  printf(" %d in all\n", all);
  cudaFree(scratch);
  scratch = nullptr;
  cub::DeviceReduce::Max(scratch, bytes, in, thrust::raw_pointer_cast(result.data()), n);
  cudaMalloc(&scratch, bytes);
  cub::DeviceReduce::Max(scratch, bytes, in, thrust::raw_pointer_cast(result.data()), n);
  printf("max %d\n", static_cast<int>(result[0]));
  cudaFree(scratch);

  thrust::device_vector<int> block_in(host.begin(), host.begin() + 512), block_out(513);
  block_primitives<<<1, 128>>>(thrust::raw_pointer_cast(block_in.data()),
                               thrust::raw_pointer_cast(block_out.data()));
  printf("block %d %d\n", block_out[511] == block_out[512], static_cast<int>(block_out[0]));

  // Merges look at the element behind the last one.
  constexpr int pairs = 6000;
  thrust::host_vector<Pair> unsorted(pairs);
  for (int i = 0; i < pairs; ++i) unsorted[i] = Pair{(i * 7919 ^ i * i) % 5000, i};
  thrust::device_vector<Pair> to_sort = unsorted;
  Pair *const first = thrust::raw_pointer_cast(to_sort.data());
  scratch = nullptr;
  cub::DeviceMergeSort::SortKeys(scratch, bytes, first, pairs, ByKey{});
  cudaMalloc(&scratch, bytes);
  cub::DeviceMergeSort::SortKeys(scratch, bytes, first, pairs, ByKey{});
  const thrust::host_vector<Pair> sorted = to_sort;
  bool in_order = true;
  for (int i = 1; i < pairs; ++i) in_order = in_order && sorted[i - 1].key <= sorted[i].key;
  printf("merge sort %d\n", in_order);
  cudaFree(scratch);
}
