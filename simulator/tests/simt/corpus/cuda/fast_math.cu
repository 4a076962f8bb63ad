// warpgrade corpus; 2 blocks of 64 threads; input 310; output 6656 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const float x = ordinary(a), y = ordinary(b), p = fabsf(x) + 0.001f;
  int r = 0;
  rows.put(r++, __expf(x));
  rows.put(r++, __exp10f(x * 0.5f));
  rows.put(r++, __logf(p));
  rows.put(r++, __log2f(p));
  rows.put(r++, __log10f(p));
  rows.put(r++, __sinf(x * 0.09f));
  rows.put(r++, __cosf(x * 0.09f));
  rows.put(r++, __tanf(x * 0.04f));
  rows.put(r++, __powf(p, y * 0.25f));
  rows.put(r++, __fdividef(x, y));
  rows.put(r++, __frsqrt_rn(p));
  rows.put(r++, rsqrtf(p));
  rows.put(r++, __tanhf(x * 0.2f));
}
