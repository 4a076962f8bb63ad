// What takes a GPU of compute capability 9.0, compiled for compute_90a; M says which. What each must record
// is in hopper_test.cpp; tests/gpu replays the kernels.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "gemm.h"

/// Block b fetches rows 2b and 2b + 1 of a matrix of 4 columns, and writes them times the number of blocks in
/// its cluster.
__device__ void scale(const CUtensorMap *map, float *C) {
  __shared__ alignas(128) float tile[8];
  __shared__ unsigned long long barrier;
  const auto bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 32;" ::"r"(bar) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
        "%3}], "
        "[%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))),
        "l"(map), "r"(0), "r"(2 * static_cast<int>(blockIdx.x)), "r"(bar)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(bar)
        : "memory");
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  C[8 * blockIdx.x + threadIdx.x] = static_cast<float>(blocks) * tile[threadIdx.x];
}
extern "C" __global__ void scale_rows(const __grid_constant__ CUtensorMap map, float *C) {
  scale(&map, C);
}
// The map in constant memory, and in memory of the device.
__constant__ CUtensorMap kept;
extern "C" __global__ void scale_rows_kept(float *C) {
  scale(&kept, C);
}
extern "C" __global__ void scale_rows_from(const CUtensorMap *map, float *C) {
  scale(map, C);
}

struct Arguments {
  CUtensorMap map;
  float *to;
};
__global__ void __cluster_dims__(2, 1, 1) takes_struct(const __grid_constant__ Arguments arguments) {
  if (threadIdx.x == 0) arguments.to[blockIdx.x] = 1;
}

static CUtensorMap map_of(const float *matrix, cuuint32_t box_rows,
                          decltype(&cuTensorMapEncodeTiled) encode) {
  CUtensorMap map{};
  const cuuint64_t size[] = {4, 4}, stride[] = {16};
  const cuuint32_t box[] = {4, box_rows}, step[] = {1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float *>(matrix), size, stride, box, step,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

static void launch_in_clusters(unsigned blocks, const CUtensorMap &map, float *C) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 8;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, scale_rows, map, C);
}

static PFN_cuTensorMapEncodeTiled_v12000 entry_point() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult answer;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
#else
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &answer);
#endif
  return answer == cudaDriverEntryPointSuccess ? reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found)
                                               : nullptr;
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int optin = 0;
  switch (M) {
    case 1:  // the function itself, and a launch without clusters
      scale_rows<<<2, 8>>>(map_of(A, 2, cuTensorMapEncodeTiled), C);
      break;
    case 2:  // the function by its name, and clusters
      launch_in_clusters(2, map_of(B, 2, entry_point()), C);
      break;
    case 3:  // a map in a struct, and a kernel that has clusters of its own
      takes_struct<<<4, 32>>>({map_of(A, 2, cuTensorMapEncodeTiled), C});
      break;
    case 4:
      launch_in_clusters(3, map_of(A, 2, cuTensorMapEncodeTiled), C);
      break;
    case 5:
      map_of(A, 300, cuTensorMapEncodeTiled);
      break;
    case 6: {
      const CUtensorMap map = map_of(A, 2, cuTensorMapEncodeTiled);
      cudaMemcpyToSymbol(kept, &map, sizeof map);
      scale_rows_kept<<<2, 8>>>(C);
      break;
    }
    case 7: {  // host memory
      static float host[16];
      map_of(host, 2, cuTensorMapEncodeTiled);
      break;
    }
    case 8:
      cudaFuncSetAttribute(scale_rows, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
      cudaMemset(C, optin == 227 << 10 ? 1 : 0, 64);
      launch_in_clusters(2, map_of(A, 2, cuTensorMapEncodeTiled), C);
      break;
    case 11: {
      const CUtensorMap maps[] = {map_of(A, 2, cuTensorMapEncodeTiled), map_of(B, 2, cuTensorMapEncodeTiled)};
      CUtensorMap *there = nullptr;
      cudaMalloc(&there, sizeof maps);
      cudaMemcpy(there, maps, sizeof maps, cudaMemcpyHostToDevice);
      scale_rows_from<<<2, 8>>>(there + 1, C);
      cudaFree(there);
      break;
    }
    case 10:
      takes_struct<<<3, 32>>>({map_of(A, 2, cuTensorMapEncodeTiled), C});
      cudaMemset(C, cudaGetLastError() == cudaErrorInvalidClusterSize ? 1 : 0, 64);
      break;
    default: {
      void *found = nullptr;
      cudaDriverEntryPointQueryResult answer;
      cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 12000, cudaEnableDefault, &answer);
    }
  }
}
