// warpgrade corpus; 2 blocks of 64 threads; input 327; output 3072 bytes
#include "corpus.cuh"
__device__ unsigned step(unsigned state, unsigned symbol) {
  switch (symbol) {
    case 0: return state + 1;
    case 1: return state * 3;
    case 2: return state ^ 0x55AA;
    case 3: return state >> 1 | state << 31;
    case 4: return state - 77;
    case 5: return ~state;
    case 6: return state * state + 1;
    case 7: return state / 3;
    case 8: return state % 1001;
    case 9: state += 5; [[fallthrough]];
    case 10: return state << 2;
    default: return state + symbol;
  }
}
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  unsigned state = a;
  for (int i = 0; i < 8; ++i) state = step(state, b >> 4 * i & 15);
  rows.put(0, state);
  unsigned rounds = 0;
  for (unsigned n = (c & 0xFFFF) | 1; n != 1 && rounds < 200; ++rounds) n = n & 1 ? 3 * n + 1 : n / 2;
  rows.put(1, rounds);
  unsigned found = 99;
  for (unsigned i = 0; i < 32; ++i) {
    if (i > 20 && (b & 1)) continue;
    if (a >> i & 1) {
      found = i;
      break;
    }
  }
  rows.put(2, found);
  unsigned x = a | 1, y = b | 1;
  while (x != y && x && y) {
    if (x > y) x %= y ? y : 1;
    else y %= x;
  }
  rows.put(3, x + y);
  int sign = static_cast<int>(a) < 0 ? -1 : a > 0;
  do sign = sign * 2 + 1;
  while (sign > 0 && sign < static_cast<int>(b & 0xFF));
  rows.put(4, sign);
  if ((a & 1 && b & 2) || (c & 4 && !(a & 8))) rows.put(5, 1);
  else if (threadIdx.x & 1) rows.put(5, 2);
  else { if (a > b) rows.put(5, 3); else rows.put(5, 4); }
}
