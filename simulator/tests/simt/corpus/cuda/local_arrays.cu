// warpgrade corpus; 2 blocks of 64 threads; input 326; output 5120 bytes
#include "corpus.cuh"
__constant__ int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ float weights[4][4] = {{1, 2, 3, 4}, {0.5f, 0.25f, 0.125f, 1}, {-1, -2, -3, -4}, {9, 8, 7, 6}};
__device__ int counters[4];
struct Particle {
  float x, y;
  char kind;
  short mass;
  double energy;
};
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int stack[16];
  for (int i = 0; i < 16; ++i) stack[i] = static_cast<int>(a) >> i;
  for (int i = 0; i < 8; ++i) stack[(b >> i) & 15] += stack[(c >> i) & 15];
  rows.put(0, stack[a & 15]);
  rows.put(1, primes[b & 15] + primes[a & 15] * stack[3]);
  rows.put(2, weights[a & 3][b & 3] * ordinary(c));
  Particle many[3];
  for (int i = 0; i < 3; ++i) many[i] = {ordinary(a), ordinary(b) * i, static_cast<char>(c >> i), static_cast<short>(a >> i), i * 0.5};
  Particle &one = many[c % 3];
  one.energy += one.x * one.y;
  rows.put(3, one.energy);
  rows.put(5, one.kind * 3 + one.mass);
  unsigned char bytes[32];
  for (int i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(a * i + b);
  unsigned sum = 0;
  for (int i = 0; i < 32; ++i) sum = sum * 17 + bytes[(i * c) & 31];
  rows.put(6, sum);
  double matrix[2][2] = {{1, 2}, {3, static_cast<double>(static_cast<int>(a))}};
  rows.put(7, matrix[a & 1][b & 1] + matrix[b & 1][c & 1]);
  if (t == 0) counters[0] = 1;
  rows.put(9, counters[3]);
}
