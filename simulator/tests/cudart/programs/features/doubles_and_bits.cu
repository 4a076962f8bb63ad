// nvcc: -arch=sm_80
// Tensor cores: wmma of double in all layouts, of integers of 4 bits and of single bits, and mma.sync of the
// largest shapes of these. All sums are whole and exact, so each has to be what the host computes.
#include <mma.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "../check.hpp"

namespace wmma = nvcuda::wmma;
namespace precision = wmma::experimental::precision;
using Word = std::uint32_t;

constexpr int size = 64;

// Elements of `bits` bits side by side, row after row of A and column after column of B, each `k` long.
struct Packed {
  int bits, k;
  bool is_signed;
  std::vector<Word> words;
  Packed(int bits, int k, bool is_signed, Word seed) : bits(bits), k(k), is_signed(is_signed) {
    for (int i = 0; i < size * k * bits / 32; ++i) words.push_back(seed = seed * 1664525 + 1013904223);
  }
  int at(int line, int i) const {
    const int place = (line * k + i) * bits;
    const int value = static_cast<int>(words[place / 32] >> place % 32 & ((1u << bits) - 1));
    return is_signed && value >= 8 ? value - 16 : value;
  }
};

template <class T>
T *on_device(const std::vector<T> &host) {
  T *p;
  CHECK(cudaMalloc(&p, sizeof(T) * host.size()));
  CHECK(cudaMemcpy(p, host.data(), sizeof(T) * host.size(), cudaMemcpyHostToDevice));
  return p;
}

// Compares with sum(row, column), and prints a few.
template <class C, class Sum>
void check(const char *what, C *device, const Sum &sum) {
  std::vector<C> host(size * size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), device, sizeof(C) * size * size, cudaMemcpyDeviceToHost));
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) EXPECT(host[row * size + column] == sum(row, column));
  std::printf("%-28s %10.0f %10.0f\n", what, static_cast<double>(host[0]),
              static_cast<double>(host[size + 3]));
  CHECK(cudaFree(device));
}

// One warp a block, one fragment of C a warp.
template <class LayoutA, class LayoutB>
__global__ void multiply_doubles(const double *A, const double *B, double *out) {
  __shared__ alignas(16) double tile[8 * 4];
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value,
                 rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  const int row = blockIdx.y * 8, column = blockIdx.x * 8;
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, LayoutA> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, LayoutB> b;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
  wmma::fill_fragment(c, 1.0);
  for (int k = 0; k < size; k += 4) {
    const int width = rows_a ? 4 : 8;
    tile[threadIdx.x] = rows_a ? A[(row + threadIdx.x / 4) * size + k + threadIdx.x % 4]
                               : A[(row + threadIdx.x % 8) * size + k + threadIdx.x / 8];
    __syncwarp();
    wmma::load_matrix_sync(a, tile, width);
    __syncwarp();
    wmma::load_matrix_sync(b, rows_b ? B + k * size + column : B + column * size + k, size);
    wmma::mma_sync(c, a, b, c);
  }
  for (double &one : c.x) one *= 2;
  wmma::store_matrix_sync(out + row * size + column, c, size, wmma::mem_row_major);
}

template <class LayoutA, class LayoutB>
void doubles(const char *what) {
  const auto number = [](int i) { return i * 37 % 101 - 50.0; };
  std::vector<double> a, b;
  for (int i = 0; i < size * size; ++i) a.push_back(number(i)), b.push_back(number(i + 1234));
  double *const da = on_device(a), *const db = on_device(b), *const c = on_device(a);
  multiply_doubles<LayoutA, LayoutB><<<dim3(size / 8, size / 8), 32>>>(da, db, c);
  constexpr bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  check(what, c, [&](int row, int column) {
    double sum = 1;
    for (int k = 0; k < size; ++k)
      sum += a[row * size + k] * b[rows_b ? k * size + column : column * size + k];
    return 2 * sum;
  });
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
}

enum class Bits { none, both, different };

template <int k, class T, Bits bits>
__global__ void multiply_packed(const Word *A, const Word *B, int *out, int length) {
  constexpr int each = bits == Bits::none ? 8 : 32;
  const int row = blockIdx.y * 8, column = blockIdx.x * 8;
  wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, k, int> c;
  wmma::fill_fragment(c, 0);
  for (int at = 0; at < length; at += k) {
    wmma::load_matrix_sync(a, A + (row * length + at) / each, length);
    wmma::load_matrix_sync(b, B + (column * length + at) / each, length);
    if constexpr (bits == Bits::none)
      wmma::mma_sync(c, a, b, c);
    else
      wmma::bmma_sync(
          c, a, b, c,
          bits == Bits::both ? wmma::experimental::bmmaBitOpAND : wmma::experimental::bmmaBitOpXOR);
  }
  wmma::store_matrix_sync(out + row * size + column, c, size, wmma::mem_row_major);
}

// 16 x 8 results a warp; elements of `bits` bits, 256 bits of a row at a time.
template <int bits>
__global__ void by_hand(const Word *A, const Word *B, int *out, int first) {
  constexpr int words = 256 / 32;
  const int row = blockIdx.y * 16 + threadIdx.x / 4, column = blockIdx.x * 8, s = threadIdx.x % 4;
  const Word *const b = B + (column + threadIdx.x / 4) * words + s;
  int c[4] = {first, first, first, first};
  if constexpr (bits == 4)
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(A[row * words + s]), "r"(A[(row + 8) * words + s]), "r"(A[row * words + s + 4]),
          "r"(A[(row + 8) * words + s + 4]), "r"(b[0]), "r"(b[4]));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(A[row * words + s]), "r"(A[(row + 8) * words + s]), "r"(A[row * words + s + 4]),
          "r"(A[(row + 8) * words + s + 4]), "r"(b[0]), "r"(b[4]));
  for (int i = 0; i < 4; ++i) out[(row + i / 2 * 8) * size + column + 2 * s + i % 2] = c[i];
}

template <class Launch, class Term>
void packed(const char *what, const Packed &a, const Packed &b, long long first, const Launch &launch,
            const Term &term) {
  Word *const da = on_device(a.words), *const db = on_device(b.words);
  int *const c = on_device(std::vector<int>(size * size));
  launch(da, db, c);
  check(what, c, [&](int row, int column) {
    long long sum = first;
    for (int k = 0; k < a.k; ++k) sum += term(a.at(row, k), b.at(column, k));
    return sum > INT32_MAX ? INT32_MAX : static_cast<int>(sum);
  });
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
}

int main() {
  doubles<wmma::row_major, wmma::row_major>("double, rows and rows");
  doubles<wmma::row_major, wmma::col_major>("double, rows and columns");
  doubles<wmma::col_major, wmma::row_major>("double, columns and rows");
  doubles<wmma::col_major, wmma::col_major>("double, columns and columns");
  const dim3 blocks(size / 8, size / 8), half(size / 8, size / 16);
  const auto product = [](int x, int y) { return x * y; };
  const auto both = [](int x, int y) { return x & y; };
  packed(
      "s4 8x8x32", {4, 128, true, 1}, {4, 128, true, 2}, 0,
      [&](auto a, auto b, auto c) {
        multiply_packed<32, precision::s4, Bits::none><<<blocks, 32>>>(a, b, c, 128);
      },
      product);
  packed(
      "u4 8x8x32", {4, 128, false, 3}, {4, 128, false, 4}, 0,
      [&](auto a, auto b, auto c) {
        multiply_packed<32, precision::u4, Bits::none><<<blocks, 32>>>(a, b, c, 128);
      },
      product);
  packed(
      "b1 8x8x128, xor", {1, 256, false, 5}, {1, 256, false, 6}, 0,
      [&](auto a, auto b, auto c) {
        multiply_packed<128, precision::b1, Bits::different><<<blocks, 32>>>(a, b, c, 256);
      },
      [](int x, int y) { return x ^ y; });
  packed(
      "b1 8x8x128, and", {1, 256, false, 7}, {1, 256, false, 8}, 0,
      [&](auto a, auto b, auto c) {
        multiply_packed<128, precision::b1, Bits::both><<<blocks, 32>>>(a, b, c, 256);
      },
      both);
  packed(
      "s4 by u4 16x8x64, clamped", {4, 64, true, 9}, {4, 64, false, 10}, INT32_MAX,
      [&](auto a, auto b, auto c) { by_hand<4><<<half, 32>>>(a, b, c, INT32_MAX); }, product);
  packed(
      "b1 16x8x256, and", {1, 256, false, 11}, {1, 256, false, 12}, 5,
      [&](auto a, auto b, auto c) { by_hand<1><<<half, 32>>>(a, b, c, 5); }, both);
}
