// A cuBLAS without a GPU: column-major products in plain loops, for tests of the reference's process.
#include <cstdint>

#include "problem/random.hpp"

extern "C" {

int cublasCreate_v2(void **handle) {
  return *handle = handle, 0;
}
int cublasSetStream_v2(void *, void *) {
  return 0;
}
int cublasSetMathMode(void *, int mode) {
  return mode == 0 ? 0 : 7;
}
int cublasGetVersion_v2(void *, int *version) {
  return *version = 130002, 0;
}

int cublasSgemm_v2(void *, int of_a, int of_b, int m, int n, int k, const float *alpha, const float *a,
                   int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i)
        sum +=
            a[of_a == 0 ? row + i * lda : i + row * lda] * b[of_b == 0 ? i + column * ldb : column + i * ldb];
      float &cell = c[row + column * ldc];
      cell = *alpha * sum + (*beta == 0 ? 0 : *beta * cell);  // cuBLAS does not read C then
    }
  return 0;
}

/// Only what is needed: factors in half precision, sums and C in single precision.
int cublasGemmEx(void *, int, int, int m, int n, int k, const void *alpha, const void *a, int a_type, int lda,
                 const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                 int compute_type, int) {
  constexpr int real_16 = 2, real_32 = 0, compute_32 = 68;
  if (a_type != real_16 || b_type != real_16 || c_type != real_32 || compute_type != compute_32) return 15;
  const auto factor = [](const void *x, int i) {
    return warpgrade::problem::finite_half(static_cast<const std::uint16_t *>(x)[i]);
  };
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += factor(a, row + i * lda) * factor(b, i + column * ldb);
      float &cell = static_cast<float *>(c)[row + column * ldc];
      cell = *static_cast<const float *>(alpha) * sum + *static_cast<const float *>(beta) * cell;
    }
  return 0;
}

int cublasGemmStridedBatchedEx(void *handle, int of_a, int of_b, int m, int n, int k, const void *alpha,
                               const void *a, int a_type, int lda, long long next_a, const void *b,
                               int b_type, int ldb, long long next_b, const void *beta, void *c, int c_type,
                               int ldc, long long next_c, int batch, int compute_type, int algorithm) {
  constexpr long long half = 2, real = 4;
  for (int i = 0; i < batch; ++i)
    if (const int status =
            cublasGemmEx(handle, of_a, of_b, m, n, k, alpha, static_cast<const char *>(a) + i * next_a * half,
                         a_type, lda, static_cast<const char *>(b) + i * next_b * half, b_type, ldb, beta,
                         static_cast<char *>(c) + i * next_c * real, c_type, ldc, compute_type, algorithm))
      return status;
  return 0;
}

}  // extern "C"
