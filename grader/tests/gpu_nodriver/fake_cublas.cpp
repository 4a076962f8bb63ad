// A cuBLAS without a GPU: column-major products in plain loops, for tests of the reference's process.
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

int cublasSgemm_v2(void *, int, int, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc) {
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row + i * lda] * b[i + column * ldb];
      c[row + column * ldc] = *alpha * sum + *beta * c[row + column * ldc];
    }
  return 0;
}

}  // extern "C"
