// warpgrade corpus; 2 blocks of 64 threads; input 328; output 14848 bytes
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ unsigned words[64];
  __shared__ unsigned long long wides[64];
  __shared__ float floats[64];
  __shared__ double doubles[64];
  __shared__ __half2 halves[64];
  __shared__ int sums[8];
  const unsigned i = threadIdx.x;
  words[i] = c, wides[i] = static_cast<unsigned long long>(c) << 32 | a, floats[i] = fc, doubles[i] = gc;
  halves[i] = __floats2half2_rn(1.5f, -2.0f);
  if (i < 8) sums[i] = 0;
  __syncthreads();
  int r = 0;
  rows.put(r++, atomicAdd(&words[i], a));
  rows.put(r++, atomicSub(&words[i], b));
  rows.put(r++, atomicExch(&words[i], b));
  rows.put(r++, atomicMin(&words[i], a));
  rows.put(r++, atomicMax(reinterpret_cast<int *>(&words[i]), static_cast<int>(c)));
  rows.put(r++, atomicInc(&words[i], b));
  rows.put(r++, atomicDec(&words[i], a));
  rows.put(r++, atomicCAS(&words[i], words[i] ^ (a & 1), c));
  rows.put(r++, atomicAnd(&words[i], a));
  rows.put(r++, atomicOr(&words[i], b));
  rows.put(r++, atomicXor(&words[i], c));
  rows.put(r++, words[i]);
  rows.put(r, atomicAdd(&wides[i], static_cast<unsigned long long>(b) * c)), r += 2;
  rows.put(r, atomicMax(&wides[i], static_cast<unsigned long long>(a) << 20)), r += 2;
  rows.put(r, atomicCAS(&wides[i], wides[i], 5ull)), r += 2;
  rows.put(r++, atomicAdd(&floats[i], fa));
  rows.put(r++, floats[i]);
  rows.put(r, atomicAdd(&doubles[i], ga)), r += 2;
  rows.put(r, doubles[i]), r += 2;
  const __half2 old = atomicAdd(&halves[i], __floats2half2_rn(0.25f, 4.0f));
  rows.put(r++, __low2float(old) + 8 * __high2float(old));
  rows.put(r++, __low2float(halves[i]) + 8 * __high2float(halves[i]));
  atomicAdd(&sums[a & 7], static_cast<int>(b & 0xFFFF));
  atomicMax(&sums[7], 12);
  __syncthreads();
  rows.put(r++, sums[i & 7]);
  unsigned short *narrow = reinterpret_cast<unsigned short *>(words);
  rows.put(r++, atomicCAS(&narrow[2 * i], static_cast<unsigned short>(words[i]), static_cast<unsigned short>(a)));
  rows.put(r++, words[i]);
}
