// warpgrade corpus; 2 blocks of 64 threads; input 330; output 1024 bytes
#include "corpus.cuh"
__device__ unsigned global_bins[16];
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ unsigned bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) atomicAdd(&bins[in[i] >> 3 & 63], 1u);
  __syncthreads();
  rows.put(0, bins[threadIdx.x]);
  atomicAdd(&global_bins[a & 15], 1u);
  __threadfence();
  extern __shared__ char nothing[];
  rows.put(1, static_cast<unsigned>(__isShared(bins)) + 2 * __isGlobal(out) + 4 * __isLocal(out) + (nothing == nullptr));
}
