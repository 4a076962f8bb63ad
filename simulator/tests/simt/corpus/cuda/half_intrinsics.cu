// warpgrade corpus; 2 blocks of 64 threads; input 306; output 18944 bytes
#include <cuda_fp16.h>
#include "corpus.cuh"
__device__ unsigned bits(__half2 h) { return *reinterpret_cast<unsigned *>(&h); }
__device__ unsigned bits(__half h) { return *reinterpret_cast<unsigned short *>(&h); }
__device__ __half2 pair(unsigned bits) { return *reinterpret_cast<__half2 *>(&bits); }
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const __half2 x = pair(pa), y = pair(pb), z = pair(pc);
  const __half h = __low2half(x), g = __high2half(y), i = __low2half(z);
  int r = 0;
  rows.put(r++, bits(__hadd2(x, y)));
  rows.put(r++, bits(__hsub2(x, y)));
  rows.put(r++, bits(__hmul2(x, y)));
  rows.put(r++, bits(__hfma2(x, y, z)));
  rows.put(r++, bits(__hadd2_sat(x, y)));
  rows.put(r++, bits(__hfma2_relu(x, y, z)));
  rows.put(r++, bits(__h2div(x, y)));
  rows.put(r++, bits(__hneg2(__habs2(x))));
  rows.put(r++, bits(__hmax2(x, y)));
  rows.put(r++, bits(__hmin2_nan(x, y)));
  rows.put(r++, bits(__heq2(x, y)));
  rows.put(r++, bits(__hltu2(x, y)));
  rows.put(r++, __hbgt2(x, y) + 2 * __hbneu2(x, y));
  rows.put(r++, bits(h * g + i));
  rows.put(r++, bits(h / g));
  rows.put(r++, (h < g) + 2 * (h == i) + 4 * __hisnan(g) + 8 * (__hisinf(h) != 0));
  rows.put(r++, __half2float(h) + __half2float(g));
  rows.put(r++, bits(__float2half_rn(fa)));
  rows.put(r++, bits(__float2half_rz(fa)));
  rows.put(r++, bits(__float2half_rd(fb)));
  rows.put(r++, bits(__float2half_ru(fb)));
  rows.put(r++, bits(__floats2half2_rn(fa, fb)));
  rows.put(r++, bits(__double2half(ga)));
  rows.put(r++, __half2int_rd(h) ^ __half2int_ru(g));
  rows.put(r++, __half2uint_rn(h) + __half2short_rz(g));
  rows.put(r, __half2ll_ru(h)), r += 2;
  rows.put(r++, bits(__int2half_rn(static_cast<int>(a))));
  rows.put(r++, bits(__uint2half_ru(b >> 16)));
  rows.put(r++, bits(__ll2half_rz(static_cast<long long>(static_cast<int>(a) >> 12))));
  rows.put(r++, bits(hfloor(h)) | bits(hceil(g)) << 16);
  rows.put(r++, bits(h2rint(x)));
  rows.put(r++, bits(h2trunc(y)));
  rows.put(r++, bits(__lows2half2(x, y)) ^ bits(__lowhigh2highlow(x)));
  rows.put(r++, __half_as_short(h) ^ __half_as_ushort(g));
  rows.put(r++, bits(__shfl_xor_sync(0xFFFFFFFF, x, 3)));
  rows.put(r++, bits(__hcmadd(x, y, z)));
}
