// warpgrade corpus; 2 blocks of 64 threads; input 336; output 4096 bytes
#include "corpus.cuh"
struct alignas(16) Quad { float x, y, z, w; };
struct Complex { float re, im; };
__device__ __noinline__ Complex multiply(Complex x, Complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
__device__ __noinline__ Quad scaled(Quad q, double by, char sign) { const float s = static_cast<float>(by) * sign; return {q.x * s, q.y * s, q.z * s, q.w * s}; }
__device__ __noinline__ void swap_all(int2 &x, int2 &y) { const int2 z = x; x = y; y = z; }
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const Complex z = multiply({ordinary(a), ordinary(b)}, {ordinary(c), 1.0f});
  rows.put(0, z.re);
  rows.put(1, z.im);
  const Quad q = scaled({1, 2, ordinary(a), fa}, ordinary_double(b, c), static_cast<char>(a));
  rows.put(2, q.x + q.y);
  rows.put(3, q.z);
  int2 left{static_cast<int>(a), static_cast<int>(b)}, right{static_cast<int>(c), 7};
  swap_all(left, right);
  rows.put(4, left.x * 3 + right.y);
  const float4 wide = reinterpret_cast<const float4 *>(in)[288 + t % 32];
  rows.put(5, wide.x == wide.y ? wide.z : wide.w);
  const uchar4 bytes = reinterpret_cast<const uchar4 *>(in)[t];
  rows.put(6, bytes.x + 3 * bytes.y + 5 * bytes.z + 7 * bytes.w);
  const short2 pair = reinterpret_cast<const short2 *>(in)[t + 9];
  rows.put(7, pair.x * pair.y);
}
