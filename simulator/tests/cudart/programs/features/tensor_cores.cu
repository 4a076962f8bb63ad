// nvcc: -arch=sm_90
// Tensor cores: products of matrices with wmma in every type and shape, and with ldmatrix and mma.sync from
// swizzled tiles that cp.async fills. All sums in f32 and s32 are exact, so each has to be what the host
// computes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "../check.hpp"

namespace wmma = nvcuda::wmma;
using wmma::col_major;
using wmma::row_major;

constexpr int size = 64;

template <class T>
__host__ __device__ T number(int i) {
  const int small = i * 37 % 101 - 50;
  return static_cast<T>(static_cast<float>(small) / 32.0f);
}
template <>
__host__ __device__ signed char number(int i) {
  return static_cast<signed char>(i * 37 % 251 - 125);
}
template <>
__host__ __device__ unsigned char number(int i) {
  return static_cast<unsigned char>(i * 37 % 251);
}

template <class T>
T *numbers(int first) {
  std::vector<T> host(size * size);
  for (int i = 0; i < size * size; ++i) host[i] = number<T>(first + i);
  T *p;
  CHECK(cudaMalloc(&p, sizeof(T) * size * size));
  CHECK(cudaMemcpy(p, host.data(), sizeof(T) * size * size, cudaMemcpyHostToDevice));
  return p;
}

/// What C has to be: every type holds the numbers, and the sums, without rounding.
template <class T, class C>
void check(const C *device, bool rows_a, bool rows_b, bool halves) {
  std::vector<C> host(size * size);
  CHECK(cudaMemcpy(host.data(), device, sizeof(C) * size * size, cudaMemcpyDeviceToHost));
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) {
      double sum = halves ? 0 : 1;
      for (int k = 0; k < size; ++k)
        sum += static_cast<double>(
                   static_cast<float>(number<T>(5 + (rows_a ? row * size + k : k * size + row)))) *
               static_cast<double>(
                   static_cast<float>(number<T>(1234 + (rows_b ? k * size + column : column * size + k))));
      const C got = host[rows_a ? row * size + column : column * size + row];
      if (halves)
        EXPECT(static_cast<float>(got) == __half2float(__float2half_rn(static_cast<float>(sum))));
      else
        EXPECT(static_cast<double>(static_cast<float>(got)) == 2 * sum);
    }
}

template <class C>
void print(const char *what, C *device) {
  std::vector<C> host(size * size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), device, sizeof(C) * size * size, cudaMemcpyDeviceToHost));
  unsigned long long hash = 0xCBF29CE484222325;
  const auto *bytes = reinterpret_cast<const unsigned char *>(host.data());
  for (std::size_t i = 0; i < sizeof(C) * size * size; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3;
  std::printf("%-32s %10.4f %016llx\n", what, static_cast<double>(static_cast<float>(host[size + 3])), hash);
  CHECK(cudaFree(device));
}

// One warp a block, one fragment of C a warp. A and B straight from global memory, or by way of shared
// memory.
template <int m, int n, int k, class T, class F, class C, class LayoutA, class LayoutB, bool shared>
__global__ void multiply(const T *A, const T *B, C *out) {
  constexpr bool rows_a = std::is_same<LayoutA, row_major>::value,
                 rows_b = std::is_same<LayoutB, row_major>::value;
  __shared__ alignas(32) T a_tile[32 * 16], b_tile[32 * 16];
  const int row = blockIdx.y * m, column = blockIdx.x * n;
  wmma::fragment<wmma::matrix_a, m, n, k, F, LayoutA> a;
  wmma::fragment<wmma::matrix_b, m, n, k, F, LayoutB> b;
  wmma::fragment<wmma::accumulator, m, n, k, C> c;
  wmma::fill_fragment(c, static_cast<C>(1));
  for (int at = 0; at < size; at += k) {
    const T *const from_a = rows_a ? A + row * size + at : A + at * size + row;
    const T *const from_b = rows_b ? B + at * size + column : B + column * size + at;
    if (shared) {
      const int width_a = rows_a ? k : m, width_b = rows_b ? n : k;
      for (int i = threadIdx.x; i < m * k; i += 32) a_tile[i] = from_a[i / width_a * size + i % width_a];
      for (int i = threadIdx.x; i < n * k; i += 32) b_tile[i] = from_b[i / width_b * size + i % width_b];
      __syncwarp();
      wmma::load_matrix_sync(a, a_tile, width_a);
      wmma::load_matrix_sync(b, b_tile, width_b);
      __syncwarp();
    } else {
      wmma::load_matrix_sync(a, from_a, size);
      wmma::load_matrix_sync(b, from_b, size);
    }
    if constexpr (sizeof(T) == 4) {
      for (auto &one : a.x) one = wmma::__float_to_tf32(one);
      for (auto &one : b.x) one = wmma::__float_to_tf32(one);
    }
    wmma::mma_sync(c, a, b, c);
  }
  for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] + c.x[i];
  if (rows_a)
    wmma::store_matrix_sync(out + row * size + column, c, size, wmma::mem_row_major);
  else
    wmma::store_matrix_sync(out + column * size + row, c, size, wmma::mem_col_major);
}

template <int m, int n, int k, class T, class F, class C, class LayoutA, class LayoutB, bool shared>
void product(const char *what) {
  T *const a = numbers<T>(5), *const b = numbers<T>(1234);
  C *c;
  CHECK(cudaMalloc(&c, sizeof(C) * size * size));
  multiply<m, n, k, T, F, C, LayoutA, LayoutB, shared><<<dim3(size / n, size / m), 32>>>(a, b, c);
  constexpr bool rows_a = std::is_same<LayoutA, row_major>::value,
                 rows_b = std::is_same<LayoutB, row_major>::value;
  if (sizeof(C) == 4) check<T>(c, rows_a, rows_b, false);
  print(what, c);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

// ldmatrix, mma.sync and stmatrix: 4 warps, 16 rows of C each; tiles of 64 x 16 elements, rows of 32 bytes
// whose two halves change places in every other group of four rows.
__device__ unsigned address_of(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ int swizzled(int row, int half) {
  return row * 16 + (half ^ (row >> 2 & 1)) * 8;
}

__global__ void by_hand(const half *A, const half *B, half *out) {
  __shared__ alignas(128) half a[size * 16], b[size * 16], c[size * size];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[8][4] = {};
  for (int at = 0; at < size; at += 16) {
    {  // a: 64 rows of 16 along k; b: 16 along k, of 64 columns
      const int row = threadIdx.x / 2, side = threadIdx.x % 2;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(a + swizzled(row, side))),
                   "l"(A + row * size + at + 8 * side));
      const int k = threadIdx.x / 8, eight = threadIdx.x % 8;
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(b + k * size + (eight ^ (k & 7)) * 8)),
          "l"(B + (at + k) * size + 8 * eight));
      asm volatile("cp.async.commit_group;");
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncthreads();
    }
    unsigned left[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
                 : "r"(address_of(a + swizzled(16 * warp + lane % 16, lane / 16))));
    for (int n = 0; n < 8; ++n) {
      unsigned right[2];
      const int k = lane % 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(right[0]), "=r"(right[1])
                   : "r"(address_of(b + k * size + (n ^ (k & 7)) * 8)));
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%0,%1,%2,%3};"
          : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
          : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
    }
    __syncthreads();
  }
  for (int n = 0; n < 8; n += 2) {
    unsigned pairs[4];
    for (int i = 0; i < 4; ++i) {
      const half2 pair = __floats2half2_rn(sum[n + i / 2][i % 2 * 2], sum[n + i / 2][i % 2 * 2 + 1]);
      memcpy(&pairs[i], &pair, 4);
    }
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                     address_of(c + (16 * warp + lane % 16) * size + (n + lane / 16) * 8)),
                 "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                 : "memory");
  }
  __syncthreads();
  for (int i = threadIdx.x; i < size * size; i += blockDim.x) out[i] = c[i];
}

int main() {
  using b16 = __nv_bfloat16;
  using tf32 = wmma::precision::tf32;
  product<16, 16, 16, half, half, float, row_major, row_major, false>("f16 16x16x16, rows and rows");
  product<16, 16, 16, half, half, float, col_major, col_major, true>("f16 16x16x16, columns, shared");
  product<32, 8, 16, half, half, half, row_major, col_major, true>("f16 32x8x16, f16 sums");
  product<8, 32, 16, half, half, half, col_major, row_major, false>("f16 8x32x16, f16 sums");
  product<16, 16, 16, b16, b16, float, row_major, col_major, true>("bf16 16x16x16");
  product<32, 8, 16, b16, b16, float, col_major, row_major, false>("bf16 32x8x16");
  product<8, 32, 16, b16, b16, float, row_major, row_major, true>("bf16 8x32x16");
  product<16, 16, 16, signed char, signed char, int, row_major, col_major, true>("s8 16x16x16");
  product<32, 8, 16, signed char, signed char, int, col_major, row_major, true>("s8 32x8x16");
  product<8, 32, 16, unsigned char, unsigned char, int, row_major, row_major, false>("u8 8x32x16");
  product<16, 16, 8, float, tf32, float, row_major, row_major, true>("tf32 16x16x8");
  product<16, 16, 8, float, tf32, float, col_major, col_major, false>("tf32 16x16x8, columns");
  half *const a = numbers<half>(5), *const b = numbers<half>(1234);
  half *c;
  CHECK(cudaMalloc(&c, sizeof(half) * size * size));
  by_hand<<<1, 128>>>(a, b, c);
  check<half>(c, true, true, true);
  print("ldmatrix, mma.sync, stmatrix", c);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}
