// warpgrade corpus; 2 blocks of 64 threads; input 314; output 12288 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r, exp(ga)), r += 2;
  rows.put(r, log(ga)), r += 2;
  rows.put(r, sin(ga)), r += 2;
  rows.put(r, atan2(ga, gb)), r += 2;
  rows.put(r, pow(ga, gb)), r += 2;
  rows.put(r, sqrt(ga)), r += 2;
  rows.put(r, rsqrt(gb)), r += 2;
  rows.put(r, fmod(ga, gb)), r += 2;
  rows.put(r, ga / gb), r += 2;
  rows.put(r, 1.0 / gc), r += 2;
  rows.put(r, hypot(ga, gb)), r += 2;
  rows.put(r, trunc(ga)), r += 2;
}
