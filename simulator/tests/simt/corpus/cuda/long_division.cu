// warpgrade corpus; 2 blocks of 64 threads; input 305; output 11776 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const long long wide = static_cast<long long>(static_cast<unsigned long long>(a) << 32 | b);
  const long long by = c == 0 ? 3 : static_cast<int>(c);
  const unsigned long long big = static_cast<unsigned long long>(b | 1) << (c & 31);
  int r = 0;
  rows.put(r, wide / by), r += 2;
  rows.put(r, wide % by), r += 2;
  rows.put(r, static_cast<unsigned long long>(wide) / big), r += 2;
  rows.put(r, static_cast<unsigned long long>(wide) % big), r += 2;
  rows.put(r++, static_cast<int>(a) / static_cast<int>(by));
  rows.put(r++, a % (b | 1));
  rows.put(r++, a / 7 + static_cast<int>(b) / 13 + c % 10);
  rows.put(r, wide / 1000000007), r += 2;
  rows.put(r++, static_cast<short>(a) / static_cast<short>(b | 1));
  rows.put(r++, static_cast<unsigned char>(a) % static_cast<unsigned char>(b | 1));
  __int128 product = static_cast<__int128>(wide) * by;
  rows.put(r, static_cast<unsigned long long>(product >> 64)), r += 2;
  rows.put(r, static_cast<unsigned long long>(product)), r += 2;
  unsigned __int128 quotient = (static_cast<unsigned __int128>(a) << 80 | b) / big;
  rows.put(r, static_cast<unsigned long long>(quotient)), r += 2;
  rows.put(r, static_cast<unsigned long long>(quotient >> 64)), r += 2;
}
