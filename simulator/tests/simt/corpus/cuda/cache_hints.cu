// warpgrade corpus; 2 blocks of 64 threads; input 337; output 5120 bytes
// nvcc -arch=compute_90
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r++, __ldg(in + t) + __ldcs(in + 5) + __ldcg(in + t + 1) + __ldca(in + t + 2) + __ldlu(in + t + 3) + __ldcv(in + t + 4));
  __stcs(out + 128 + t, a);
  __stcg(out + 256 + t, b);
  __stwb(out + 384 + t, c);
  __stwt(out + 512 + t, a ^ b);
  r = 5;
  const float4 q = __ldg(reinterpret_cast<const float4 *>(in) + t);
  rows.put(r++, __float_as_uint(q.x) ^ __float_as_uint(q.w));
  const longlong2 l = __ldcg(reinterpret_cast<const longlong2 *>(in) + t);
  rows.put(r, l.x ^ l.y), r += 2;
  __nanosleep(20);
  __threadfence_block();
  __threadfence_system();
  rows.put(r++, static_cast<int>(static_cast<signed char>(__ldg(reinterpret_cast<const signed char *>(in) + t))));
  volatile unsigned *slow = out + 128;
  rows.put(r++, slow[t] + *const_cast<volatile const unsigned *>(in + t));
}
