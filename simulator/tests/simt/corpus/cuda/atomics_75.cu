// warpgrade corpus; 2 blocks of 64 threads; input 329; output 4096 bytes
// nvcc -arch=compute_75
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "corpus.cuh"
// What older cards do with loops around compare-and-swap.
__device__ float atomic_max(float *at, float value) {
  int old = __float_as_int(*at), seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= value) break;
    old = atomicCAS(reinterpret_cast<int *>(at), seen, __float_as_int(value));
  } while (old != seen);
  return __int_as_float(old);
}
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ __nv_bfloat16 bfloats[64];
  __shared__ __half halves[64];
  __shared__ float most;
  const unsigned i = threadIdx.x;
  bfloats[i] = __float2bfloat16(1.0f), halves[i] = __float2half(2.0f);
  if (i == 0) most = -1000.0f;
  __syncthreads();
  rows.put(0, __bfloat162float(atomicAdd(&bfloats[i], __float2bfloat16(ordinary(a)))));
  rows.put(1, __bfloat162float(bfloats[i]));
  rows.put(2, __half2float(atomicAdd(&halves[i], __float2half(ordinary(b)))));
  rows.put(3, __half2float(halves[i]));
  atomic_max(&most, ordinary(c));
  __syncthreads();
  rows.put(4, most);
  rows.put(5, __bfloat162float(__float2bfloat16(fa)) + __half2float(__float2half(fb)));
  rows.put(6, __dp4a(static_cast<int>(a), static_cast<int>(b), 0));
  rows.put(7, __funnelshift_r(a, b, c));
}
