// warpgrade corpus; 2 blocks of 64 threads; input 303; output 13312 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  int r = 0;
  rows.put(r++, __popc(a) + 64 * __clz(static_cast<int>(b)) + 4096 * __ffs(static_cast<int>(c)));
  rows.put(r++, __popcll(wide) + 256 * __clzll(static_cast<long long>(wide)) + 65536 * __ffsll(static_cast<long long>(wide)));
  rows.put(r++, __brev(a));
  rows.put(r, __brevll(wide)), r += 2;
  rows.put(r++, __byte_perm(a, b, c));
  rows.put(r++, __byte_perm(a, b, 0x3715));
  rows.put(r++, __funnelshift_l(a, b, c));
  rows.put(r++, __funnelshift_rc(a, b, c));
  rows.put(r++, __mulhi(static_cast<int>(a), static_cast<int>(b)));
  rows.put(r++, __umulhi(a, b));
  rows.put(r, __umul64hi(wide, wide ^ c)), r += 2;
  rows.put(r++, __mul24(static_cast<int>(a), static_cast<int>(b)) + __umul24(a, c));
  rows.put(r++, __sad(static_cast<int>(a), static_cast<int>(b), c));
  rows.put(r++, __usad(a, b, c));
  rows.put(r++, __hadd(static_cast<int>(a), static_cast<int>(b)) ^ __rhadd(static_cast<int>(a), static_cast<int>(c)));
  rows.put(r++, __uhadd(a, b) ^ __urhadd(a, c));
  rows.put(r++, __dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  rows.put(r++, __dp4a(a, b, c));
  rows.put(r++, __dp2a_lo(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  rows.put(r++, __dp2a_hi(a, b, c));
  rows.put(r++, a << (b & 31) | a >> (32 - (b & 31)) % 32);
  rows.put(r++, (a & -a) ^ (b & (b - 1)));
  rows.put(r++, __fns(a, b & 31, static_cast<int>(c % 7) - 3));
  const bool power = a && !(a & (a - 1));
  rows.put(r++, power ? 31 - __clz(static_cast<int>(a)) : -1);
}
