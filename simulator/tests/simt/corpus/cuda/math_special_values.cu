// warpgrade corpus; 2 blocks of 64 threads; input 312; output 10752 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r++, expf(fa));
  rows.put(r++, logf(fa));
  rows.put(r++, sinf(fa));
  rows.put(r++, cosf(fb));
  rows.put(r++, atan2f(fa, fb));
  rows.put(r++, tanhf(fa));
  rows.put(r++, powf(fa, fb));
  rows.put(r++, sqrtf(fa));
  rows.put(r++, rsqrtf(fa));
  rows.put(r++, fmodf(fa, fb));
  rows.put(r++, fa / fb);
  rows.put(r++, 1.0f / fc);
  rows.put(r++, hypotf(fa, fb));
  rows.put(r++, cbrtf(fa));
  rows.put(r++, erff(fa));
  rows.put(r++, exp2f(fa));
  rows.put(r++, log2f(fb));
  rows.put(r++, fmaxf(fa, fmaxf(fb, fc)));
  rows.put(r++, fdimf(fa, fb));
  rows.put(r++, floorf(fa));
  rows.put(r++, nearbyintf(fb));
}
