// warpgrade corpus; 2 blocks of 64 threads; input 301; output 18432 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r++, __float2int_rn(fa));
  rows.put(r++, __float2int_rz(fa));
  rows.put(r++, __float2int_rd(fa));
  rows.put(r++, __float2int_ru(fa));
  rows.put(r++, __float2uint_rn(fa));
  rows.put(r++, __float2uint_rz(fb));
  rows.put(r++, __float2uint_rd(fb));
  rows.put(r++, __float2uint_ru(fb));
  rows.put(r, __float2ll_rn(fa)), r += 2;
  rows.put(r, __float2ll_rd(fb)), r += 2;
  rows.put(r, __float2ull_rz(fa)), r += 2;
  rows.put(r, __float2ull_ru(fb)), r += 2;
  rows.put(r++, __int2float_rd(static_cast<int>(a)));
  rows.put(r++, __int2float_ru(static_cast<int>(b)));
  rows.put(r++, __uint2float_rz(a));
  rows.put(r++, __ll2float_ru(static_cast<long long>(a) * static_cast<int>(b)));
  rows.put(r++, __ull2float_rd(static_cast<unsigned long long>(a) * b));
  rows.put(r++, __fadd_rd(fa, fb));
  rows.put(r++, __fadd_ru(fa, fb));
  rows.put(r++, __fmul_rz(fa, fb));
  rows.put(r++, __fmaf_ru(fa, fb, fc));
  rows.put(r++, __frcp_rn(fa));
  rows.put(r++, __fsqrt_rd(fabsf(fa)));
  rows.put(r++, __fdiv_ru(fa, fb));
  rows.put(r++, __saturatef(fa));
  rows.put(r++, __float_as_int(copysignf(fa, fb)));
  rows.put(r++, floorf(fa) + ceilf(fb));
  rows.put(r++, truncf(fa) - rintf(fb));
  rows.put(r++, roundf(fa));
  rows.put(r++, static_cast<int>(lrintf(ordinary(a))));
  rows.put(r++, isnan(fa) + 2 * isinf(fb) + 4 * isfinite(fc) + 8 * (signbit(fa) != 0));
  rows.put(r++, fminf(fa, fb));
}
