// warpgrade corpus; 2 blocks of 64 threads; input 309; output 12800 bytes
// nvcc -arch=compute_90
#include <cuda_bf16.h>
#include "corpus.cuh"
__device__ unsigned bits(__nv_bfloat162 h) { return *reinterpret_cast<unsigned *>(&h); }
__device__ unsigned bits(__nv_bfloat16 h) { return *reinterpret_cast<unsigned short *>(&h); }
__device__ __nv_bfloat162 pair(unsigned bits) { return *reinterpret_cast<__nv_bfloat162 *>(&bits); }
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const __nv_bfloat162 x = pair(qa), y = pair(qb), z = pair(qc);
  const __nv_bfloat16 h = __low2bfloat16(x), g = __high2bfloat16(y), i = __low2bfloat16(z);
  int r = 0;
  rows.put(r++, bits(__hadd2(x, y)));
  rows.put(r++, bits(__hsub2(x, y)));
  rows.put(r++, bits(__hmul2(x, y)));
  rows.put(r++, bits(__hfma2(x, y, z)));
  rows.put(r++, bits(__hfma2_relu(x, y, z)));
  rows.put(r++, bits(__hmax2(x, y)));
  rows.put(r++, bits(__hmin2_nan(x, y)));
  rows.put(r++, bits(__habs2(__hneg2(x))));
  rows.put(r++, bits(__heq2(x, y)));
  rows.put(r++, __hblt2(x, y) + 2 * __hbgeu2(x, y));
  rows.put(r++, bits(h * g + i));
  rows.put(r++, bits(h / g));
  rows.put(r++, (h < g) + 2 * (h == i) + 4 * __hisnan(g));
  rows.put(r++, __bfloat162float(h) * __bfloat162float(g));
  rows.put(r++, bits(__float2bfloat16_rn(fa)) | bits(__float2bfloat16_rz(fa)) << 16);
  rows.put(r++, bits(__float2bfloat16_rd(fb)) | bits(__float2bfloat16_ru(fb)) << 16);
  rows.put(r++, bits(__floats2bfloat162_rn(fa, fb)));
  rows.put(r++, bits(__double2bfloat16(ga)));
  rows.put(r++, __bfloat162int_rd(h) ^ __bfloat162int_rn(g));
  rows.put(r++, __bfloat162uint_ru(h));
  rows.put(r++, bits(__int2bfloat16_rn(static_cast<int>(a))));
  rows.put(r++, bits(__uint2bfloat16_rz(b)));
  rows.put(r++, bits(hfloor(h)) ^ bits(hrint(g)));
  rows.put(r++, bits(__hmul2_sat(x, y)));
  rows.put(r++, bits(__shfl_down_sync(0xFFFFFFFF, x, 2)));
}
