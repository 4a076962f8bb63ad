// warpgrade corpus; 2 blocks of 64 threads; input 313; output 28672 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const double x = ordinary_double(a, b), y = ordinary_double(b, c), p = fabs(x) + 0.001, u = x / 33.0;
  int r = 0;
  rows.put(r, exp(x)), r += 2;
  rows.put(r, exp2(x)), r += 2;
  rows.put(r, expm1(x)), r += 2;
  rows.put(r, log(p)), r += 2;
  rows.put(r, log2(p)), r += 2;
  rows.put(r, log10(p)), r += 2;
  rows.put(r, log1p(p)), r += 2;
  rows.put(r, sin(x)), r += 2;
  rows.put(r, cos(x)), r += 2;
  rows.put(r, tan(x)), r += 2;
  rows.put(r, sin(x * 1.0e9)), r += 2;
  rows.put(r, asin(u)), r += 2;
  rows.put(r, acos(u)), r += 2;
  rows.put(r, atan(x)), r += 2;
  rows.put(r, atan2(x, y)), r += 2;
  rows.put(r, sinh(u)), r += 2;
  rows.put(r, tanh(x)), r += 2;
  rows.put(r, pow(p, y)), r += 2;
  rows.put(r, sqrt(p)), r += 2;
  rows.put(r, rsqrt(p)), r += 2;
  rows.put(r, cbrt(x)), r += 2;
  rows.put(r, hypot(x, y)), r += 2;
  rows.put(r, fmod(x, y)), r += 2;
  rows.put(r, remainder(x, y)), r += 2;
  rows.put(r, erf(u)), r += 2;
  rows.put(r, ldexp(x, static_cast<int>(b % 40) - 20)), r += 2;
  rows.put(r, nextafter(x, y)), r += 2;
  rows.put(r, x / y + 1.0 / p), r += 2;
}
