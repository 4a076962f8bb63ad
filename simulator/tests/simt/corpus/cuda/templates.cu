// warpgrade corpus; 2 blocks of 64 threads; input 323; output 5120 bytes
#include "corpus.cuh"
template <class T, int n>
struct Vec {
  T v[n];
  __device__ Vec operator+(const Vec &o) const {
    Vec s;
    for (int i = 0; i < n; ++i) s.v[i] = v[i] + o.v[i];
    return s;
  }
  __device__ T dot(const Vec &o) const {
    T s = 0;
    for (int i = 0; i < n; ++i) s += v[i] * o.v[i];
    return s;
  }
};
template <class F>
__device__ unsigned twice(F f, unsigned x) { return f(f(x)); }
template <int depth>
__device__ unsigned unrolled(unsigned x) {
  if constexpr (depth == 0) return x;
  else return unrolled<depth - 1>(x * 3 + depth);
}
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  Vec<float, 3> u{{ordinary(a), ordinary(b), ordinary(c)}}, v{{1.5f, ordinary(a), -2.0f}};
  Vec<double, 2> w{{ordinary_double(a, b), 2.0}}, x{{0.5, ordinary_double(b, c)}};
  rows.put(0, (u + v).dot(u));
  rows.put(1, (w + x).dot(x));
  rows.put(3, twice([b](unsigned y) { return y * 7 + b; }, a));
  rows.put(4, unrolled<6>(a));
  Vec<unsigned char, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes.v[i] = static_cast<unsigned char>(a >> i);
  rows.put(5, (bytes + bytes).dot(bytes) + 0);
  unsigned long long h = 1469598103934665603ull;
  for (int i = 0; i < 4; ++i) h = (h ^ (a >> 8 * i & 255)) * 1099511628211ull;
  rows.put(6, h);
  short s = static_cast<short>(a);
  s = static_cast<short>(s * s + 1);
  rows.put(8, static_cast<int>(s));
  rows.put(9, static_cast<int>(static_cast<signed char>(b)) * static_cast<unsigned char>(c));
}
