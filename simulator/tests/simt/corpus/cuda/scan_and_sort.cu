// warpgrade corpus; 2 blocks of 64 threads; input 331; output 2048 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ unsigned values[64];
  __shared__ float tile[8][9];
  const unsigned i = threadIdx.x;
  values[i] = a & 0xFFFF;
  __syncthreads();
  for (unsigned step = 1; step < 64; step *= 2) {
    const unsigned below = i >= step ? values[i - step] : 0;
    __syncthreads();
    values[i] += below;
    __syncthreads();
  }
  rows.put(0, values[i]);
  __syncthreads();
  values[i] = b;
  __syncthreads();
  for (unsigned size = 2; size <= 64; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned other = i ^ stride;
      if (other > i) {
        const unsigned x = values[i], y = values[other];
        if ((x > y) == ((i & size) == 0)) values[i] = y, values[other] = x;
      }
      __syncthreads();
    }
  rows.put(1, values[i]);
  tile[i / 8][i % 8] = ordinary(c);
  __syncthreads();
  float dot = 0;
  for (int k = 0; k < 8; ++k) dot += tile[i / 8][k] * tile[k][i % 8];
  rows.put(2, dot);
  rows.put(3, tile[i % 8][i / 8]);
}
