// nvcc: -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90a,code=compute_90a
// Products of warpgroups: a matrix product whose tiles one warp fetches by bulk copies of tensors, in a ring
// of stages, while a warpgroup multiplies them by wgmma; with B by rows or by columns. All numbers are small
// and whole, so the host knows the results exactly.
#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;
using Element = __nv_bfloat16;

constexpr int tile_m = 64, tile_n = 64, tile_k = 64, stages = 3;

__device__ std::uint64_t descriptor(const void *matrix, std::uint32_t leading, std::uint32_t stride) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(matrix));
  return std::uint64_t{(address & 0x3FFFF) >> 4} | std::uint64_t{leading >> 4} << 16 |
         std::uint64_t{stride >> 4} << 32 | std::uint64_t{1} << 62;  // a swizzle of 128 bytes
}

template <int transposed>
__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, "
      "%23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, %34;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "n"(transposed));
}

struct alignas(1024) Stage {
  Element a[tile_m * tile_k], b[tile_n * tile_k];
};

/// C = A B. A and C are by rows. B by columns (transposed = 0), or by rows (1). pending: how many products
/// may be under way while the next stage is awaited.
template <int transposed, int pending>
__global__ void __launch_bounds__(256)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n,
            int k) {
  extern __shared__ __align__(1024) Stage stage[];
  __shared__ std::uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) ptx::mbarrier_init(&full[i], 1), ptx::mbarrier_init(&empty[i], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n, tiles = (k + tile_k - 1) / tile_k;
  const auto await = [](std::uint64_t *barrier, int use) {
    while (!ptx::mbarrier_try_wait_parity(barrier, use & 1)) {
    }
  };
  if (threadIdx.x >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 128) return;
    for (int t = 0; t < tiles; ++t) {
      const int s = t % stages;
      if (t >= stages) await(&empty[s], t / stages - 1);
      const std::int32_t at_a[2] = {t * tile_k, row};
      const std::int32_t at_b[2] = {transposed ? column : t * tile_k, transposed ? t * tile_k : column};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[s].a, &a, at_a, &full[s]);
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[s].b, &b, at_b, &full[s]);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                     sizeof(Stage));
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32] = {};
  for (int t = 0; t < tiles; ++t) {
    const Stage &now = stage[t % stages];
    await(&full[t % stages], t / stages);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < tile_k; i += 16)
      multiply<transposed>(
          d, descriptor(now.a + i, 16, 1024),
          transposed ? descriptor(now.b + i * tile_n, 8192, 1024) : descriptor(now.b + i, 16, 1024));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
    if (threadIdx.x == 0 && t >= pending) ptx::mbarrier_arrive(&empty[(t - pending) % stages]);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int lane = threadIdx.x % 32, first = row + threadIdx.x / 32 * 16 + lane / 4;
  for (int i = 0; i < 32; ++i)
    c[(first + (i / 2 % 2) * 8) * n + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

CUtensorMap map_of(Encode encode, void *matrix, std::uint64_t rows, std::uint64_t columns) {
  const std::uint64_t size[2] = {columns, rows}, stride[1] = {columns * sizeof(Element)};
  const std::uint32_t box[2] = {64, 64}, step[2] = {1, 1};
  CUtensorMap made;
  encode(&made, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, size, stride, box, step,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return made;
}

template <int transposed, int pending>
void check(const char *name, Encode encode) {
  constexpr int m = 128, n = 128, k = 264;  // the last tiles reach beyond K and are filled with zeros
  std::vector<Element> a(m * k), b(n * k);
  const auto of_a = [](int row, int i) { return (row * 3 + i) % 7 - 3; };
  const auto of_b = [](int i, int column) { return (i * 5 + column * 2) % 9 - 4; };
  for (int row = 0; row < m; ++row)
    for (int i = 0; i < k; ++i) a[row * k + i] = __float2bfloat16(static_cast<float>(of_a(row, i)));
  for (int i = 0; i < k; ++i)
    for (int column = 0; column < n; ++column)
      b[transposed ? i * n + column : column * k + i] = __float2bfloat16(static_cast<float>(of_b(i, column)));
  Element *device_a, *device_b;
  float *device_c;
  cudaMalloc(&device_a, a.size() * 2), cudaMalloc(&device_b, b.size() * 2), cudaMalloc(&device_c, m * n * 4);
  cudaMemcpy(device_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  const auto kernel = product<transposed, pending>;
  constexpr int bytes = stages * sizeof(Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<dim3(n / tile_n, m / tile_m), 256, bytes>>>(
      map_of(encode, device_a, m, k),
      transposed ? map_of(encode, device_b, k, n) : map_of(encode, device_b, n, k), device_c, n, k);
  std::vector<float> c(m * n);
  cudaMemcpy(c.data(), device_c, m * n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int i = 0; i < k; ++i) sum += of_a(row, i) * of_b(i, column);
      wrong += c[row * n + column] != static_cast<float>(sum);
    }
  printf("%s: %d wrong\n", name, wrong);
  cudaFree(device_a), cudaFree(device_b), cudaFree(device_c);
}

int main() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult status;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
  const auto encode = reinterpret_cast<Encode>(found);
  if (encode == nullptr) return 1;
  check<0, 0>("B by columns", encode);
  check<1, 0>("B by rows", encode);
  check<0, 1>("one group under way", encode);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
