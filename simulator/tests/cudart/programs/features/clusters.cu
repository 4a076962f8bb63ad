// Thread block clusters: both ways to launch them, cluster.sync(), distributed shared memory by generic
// addresses, remote atomics, split barriers, bulk copies between blocks, remote arrivals, multicast; and what
// the runtime answers.
// nvcc: -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90a,code=compute_90a
#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

#include "../check.hpp"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Each block reads the words of the next one.
__global__ void __cluster_dims__(4, 1, 1) rotate(int *out) {
  __shared__ int words[32];
  cg::cluster_group cluster = cg::this_cluster();
  words[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int *there = cluster.map_shared_rank(words, next);
  out[blockIdx.x * 32 + threadIdx.x] = there[31 - threadIdx.x];
  cluster.sync();
}

// Where a block is in its cluster, and the cluster in the grid.
__global__ void places(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  const dim3 in = cluster.block_index(), size = cluster.dim_blocks();
  const dim3 where = cg::this_grid().cluster_index(), all = cg::this_grid().dim_clusters();
  const unsigned number = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int *to = out + 8 * number;
  if (threadIdx.x != 0) return;
  to[0] = cluster.block_rank(), to[1] = cluster.num_blocks(), to[2] = 100 * in.x + 10 * in.y + in.z;
  to[3] = 100 * size.x + 10 * size.y + size.z, to[4] = 100 * where.x + 10 * where.y + where.z;
  to[5] = 100 * all.x + 10 * all.y + all.z, to[6] = cluster.num_threads(), to[7] = cluster.thread_rank();
}

// A histogram whose bins are spread over the blocks of a cluster, as in NVIDIA's programming guide.
__global__ void histogram(int *bins, int bins_of_block, const int *in, int n) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i];
    int *there = cluster.map_shared_rank(own, bin / bins_of_block);
    atomicAdd(there + bin % bins_of_block, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x)
    atomicAdd(bins + cluster.block_rank() * bins_of_block + i, own[i]);
}

// The sum of a cluster in steps, with barriers in two halves; and questions about addresses.
__global__ void __cluster_dims__(2, 2, 1) sum(int *out) {
  __shared__ int part;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) part = 1 << cluster.block_rank();
  auto token = cluster.barrier_arrive();
  int own = 1000 * cluster.block_rank();
  cluster.barrier_wait(std::move(token));
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) own += *cluster.map_shared_rank(&part, rank);
  const int *there = cluster.map_shared_rank(&part, 3u);
  own += 10000 * cluster.query_shared_rank(there);
  own += 100000 * (__isShared(&part) != 0) + 200000 * (__isClusterShared(there) != 0);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x + gridDim.x * blockIdx.y] = own;
}

// Each block of a pair sends its tile to the other one, and learns by its mbarrier that the other's is there.
__global__ void __cluster_dims__(2, 1, 1) swap(int *out) {
  __shared__ alignas(128) int mine[64], theirs[64];
  __shared__ alignas(8) std::uint64_t bar;
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::fence_proxy_async(ptx::space_shared);
  cluster.sync();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                   sizeof mine);
    const unsigned other = cluster.block_rank() ^ 1;
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(theirs, other), mine,
                       sizeof mine, cluster.map_shared_rank(&bar, other));
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
  cluster.sync();
}

// Block 0 fetches a tile into all blocks of its cluster. Before it does so again, it waits for all of them.
__global__ void __cluster_dims__(4, 1, 1) spread(int *out, const int *in) {
  __shared__ alignas(128) int tile[32];
  __shared__ alignas(8) std::uint64_t full, empty;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, 4 * 32);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cluster.sync();
  int total = 0;
  for (unsigned step = 0; step < 3; ++step) {
    if (threadIdx.x == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full,
                                     sizeof tile);
    if (step > 0 && cluster.block_rank() == 0)
      while (!ptx::mbarrier_try_wait_parity(&empty, (step - 1) % 2)) {
      }
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 32 * step, sizeof tile, &full,
                         static_cast<std::uint16_t>(15));
    while (!ptx::mbarrier_try_wait_parity(&full, step % 2)) {
    }
    total = 3 * total + tile[threadIdx.x];
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         cluster.map_shared_rank(&empty, 0));
  }
  out[blockIdx.x * 32 + threadIdx.x] = total;
  cluster.sync();
}

// Each thread sends four words to the next block, and adds to a sum there, which wait for nobody: the
// mbarrier of that block counts their bytes.
__global__ void __cluster_dims__(4, 1, 1) pass_on(int *out) {
  __shared__ alignas(16) int words[4 * 32];
  __shared__ int total;
  __shared__ alignas(8) std::uint64_t bar;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    total = 0;
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cluster.sync();
  if (threadIdx.x == 0)
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                   sizeof words + 32 * sizeof total);
  const unsigned next = (cluster.block_rank() + 1) % 4;
  const int n = 100 * blockIdx.x + threadIdx.x, four[4] = {n, 2 * n, 3 * n, 4 * n};
  std::uint64_t *const there = cluster.map_shared_rank(&bar, next);
  ptx::st_async(cluster.map_shared_rank(words + 4 * threadIdx.x, next), four, there);
  ptx::red_async(ptx::op_add, cluster.map_shared_rank(&total, next), n, there);
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  out[blockIdx.x * 32 + threadIdx.x] = total + words[threadIdx.x];
  cluster.sync();
}

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, int threads, dim3 cluster, size_t shared,
                   Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

int main() {
  constexpr int words = 1024;
  int *out, *in;
  CHECK(cudaMallocManaged(&out, words * sizeof(int)));
  CHECK(cudaMallocManaged(&in, words * sizeof(int)));
  const auto print = [&](const char *name, int count, int step) {
    CHECK(cudaDeviceSynchronize());
    printf("%s:", name);
    for (int i = 0; i < count; i += step) printf(" %d", out[i]);
    printf("\n");
    for (int i = 0; i < words; ++i) out[i] = 0;
  };
  for (int i = 0; i < words; ++i) out[i] = 0, in[i] = i * i % 61;

  rotate<<<8, 32>>>(out);
  print("rotate", 256, 31);
  CHECK(launch(places, dim3(4, 2, 2), 32, dim3(2, 2, 1), 0, out));
  print("places", 128, 1);
  CHECK(launch(histogram, dim3(8), 64, dim3(8), 8 * sizeof(int), out, 8, in, words));
  print("histogram", 64, 1);
  sum<<<dim3(2, 4), 32>>>(out);
  print("sum", 8, 1);
  swap<<<4, 64>>>(out);
  print("swap", 256, 21);
  spread<<<8, 32>>>(out, in);
  print("spread", 256, 19);
  pass_on<<<8, 32>>>(out);
  print("pass on", 256, 19);

  // Larger clusters than every GPU has, and what the runtime answers.
  CHECK(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(launch(places, dim3(16), 32, dim3(16), 0, out));
  print("16 blocks, allowed", 128, 8);
  int flag = 0;
  CHECK(cudaDeviceGetAttribute(&flag, cudaDevAttrClusterLaunch, 0));
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(64);
  int size = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
  printf("clusters: %d, of %d blocks\n", flag, size);
}
