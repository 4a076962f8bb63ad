// What the CUDA part of the corpus shares. Each file is one kernel k(in, out, skip); a row of the output is one
// 32-bit word of each of the 128 threads.
#pragma once

struct Rows {
  unsigned *out;
  unsigned thread;  // of the grid
  __device__ void word(int row, unsigned bits) const { out[row * 128 + thread] = bits; }
  __device__ void put(int row, int value) const { word(row, static_cast<unsigned>(value)); }
  __device__ void put(int row, unsigned value) const { word(row, value); }
  __device__ void put(int row, float value) const { word(row, __float_as_uint(value)); }
  // 64 bits take two rows.
  __device__ void put(int row, unsigned long long value) const {
    word(row, static_cast<unsigned>(value));
    word(row + 1, static_cast<unsigned>(value >> 32));
  }
  __device__ void put(int row, long long value) const { put(row, static_cast<unsigned long long>(value)); }
  __device__ void put(int row, double value) const {
    put(row, static_cast<unsigned long long>(__double_as_longlong(value)));
  }
};

/// A float of ordinary size made of some bits: (-32, 32).
__device__ inline float ordinary(unsigned bits) { return static_cast<int>(bits) * (32.0f / 2147483648.0f); }
__device__ inline double ordinary_double(unsigned high, unsigned low) {
  return static_cast<long long>(static_cast<unsigned long long>(high) << 32 | low) * (32.0 / 9223372036854775808.0);
}

// Operands of thread t: integers as they come, and floats with all that floats can be (see inputs.hpp).
#define CORPUS_KERNEL                                                                             \
  extern "C" __global__ void k(const unsigned *__restrict__ in, unsigned *out, unsigned)
#define CORPUS_OPERANDS                                                                           \
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;                                       \
  const Rows rows{out, t};                                                                        \
  const unsigned a = in[t], b = in[128 + t], c = in[256 + t];                                     \
  const float fa = reinterpret_cast<const float *>(in)[1152 + t], fb = reinterpret_cast<const float *>(in)[1280 + t], \
              fc = reinterpret_cast<const float *>(in)[1408 + t];                                 \
  const double ga = reinterpret_cast<const double *>(in)[768 + t],                                \
               gb = reinterpret_cast<const double *>(in)[896 + t],                                \
               gc = reinterpret_cast<const double *>(in)[1024 + t];                               \
  const unsigned pa = in[2304 + t], pb = in[2432 + t], pc = in[2560 + t];                         \
  const unsigned qa = in[2688 + t], qb = in[2816 + t], qc = in[2944 + t];                         \
  (void)a, (void)b, (void)c, (void)fa, (void)fb, (void)fc, (void)ga, (void)gb, (void)gc;          \
  (void)pa, (void)pb, (void)pc, (void)qa, (void)qb, (void)qc
