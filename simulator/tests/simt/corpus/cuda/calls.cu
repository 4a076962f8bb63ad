// warpgrade corpus; 2 blocks of 64 threads; input 324; output 4096 bytes
#include "corpus.cuh"
struct Shape {
  __device__ virtual float area(float x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float scale;
  __device__ explicit Square(float s) : scale(s) {}
  __device__ float area(float x) const override { return x * x * scale; }
};
struct Circle : Shape {
  __device__ float area(float x) const override { return 3.0f * x * x + 1.0f; }
};
struct Big {
  int values[12];
};
__device__ __noinline__ unsigned plus(unsigned x, unsigned y) { return x + y; }
__device__ __noinline__ unsigned times(unsigned x, unsigned y) { return x * y; }
__device__ __noinline__ unsigned mixed(unsigned x, unsigned y) { return x ^ (y << 3); }
using Function = unsigned (*)(unsigned, unsigned);
__device__ Function table[3] = {plus, times, mixed};
__device__ __noinline__ Big shuffled(Big in, int by) {
  Big made;
  for (int i = 0; i < 12; ++i) made.values[i] = in.values[(i + by) % 12] + by;
  return made;
}
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
__device__ __noinline__ bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  Square square(ordinary(b));
  Circle circle;
  Shape *shape = a & 1 ? static_cast<Shape *>(&square) : static_cast<Shape *>(&circle);
  rows.put(0, shape->area(ordinary(a)));
  rows.put(1, table[a % 3](b, c));
  Function f = a & 8 ? plus : times;
  rows.put(2, f(a, b));
  Big big;
  for (int i = 0; i < 12; ++i) big.values[i] = static_cast<int>(a >> i);
  const Big moved = shuffled(big, static_cast<int>(b & 7));
  rows.put(3, moved.values[a % 12]);
  rows.put(4, moved.values[0] + moved.values[5] * moved.values[11]);
  rows.put(5, ackermann(a & 1, b & 7));
  rows.put(6, fibonacci(static_cast<int>(a & 7)));
  rows.put(7, even(a & 15));
}
