// nvcc: -lcublas
// A program that uses a library of machine code.
#include <cublas_v2.h>

#include <cstdio>

int main() {
  cublasHandle_t handle;
  printf("%d\n", cublasCreate(&handle));
}
