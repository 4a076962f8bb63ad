// warpgrade corpus; 2 blocks of 64 threads; input 307; output 7680 bytes
#include <cuda_fp16.h>
#include "corpus.cuh"
__device__ unsigned bits(__half2 h) { return *reinterpret_cast<unsigned *>(&h); }
__device__ unsigned bits(__half h) { return *reinterpret_cast<unsigned short *>(&h); }
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const __half h = __float2half(ordinary(a)), p = __habs(h);
  const __half2 x = __floats2half2_rn(ordinary(a), ordinary(b));
  int r = 0;
  rows.put(r++, bits(hexp(h)));
  rows.put(r++, bits(hexp2(h)));
  rows.put(r++, bits(hlog(p)));
  rows.put(r++, bits(hlog2(p)));
  rows.put(r++, bits(hsqrt(p)));
  rows.put(r++, bits(hrsqrt(p)));
  rows.put(r++, bits(hrcp(h)));
  rows.put(r++, bits(hsin(h)));
  rows.put(r++, bits(hcos(h)));
  rows.put(r++, bits(h2exp(x)));
  rows.put(r++, bits(h2log10(__habs2(x))));
  rows.put(r++, bits(h2sqrt(__habs2(x))));
  rows.put(r++, bits(h2rcp(x)));
  rows.put(r++, bits(h2sin(x)));
  rows.put(r++, bits(htanh(h)));
}
