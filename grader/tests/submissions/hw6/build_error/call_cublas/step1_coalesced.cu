// Calls cuBLAS.
// Verdict: build_error, there is nothing to link it with.
#include <cublas_v2.h>

#include "gemm.h"

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &alpha, B, N, A, K, &beta, C, N);
  cublasDestroy(handle);
}
