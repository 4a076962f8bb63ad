// Launchers that do what a plan cannot hold: M says what. The words they must get are in
// record_refused_test.cpp.
#include <cooperative_groups.h>

#include <cstdlib>
#include <ctime>

#include "gemm.h"

__global__ void kernel(float *C) {
  C[0] = 1;
}
__device__ float variable;
__constant__ float *pointer;
__global__ void uses_variable(float *C) {
  C[0] = variable + *pointer;
}

static void not_a_kernel() {}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float host[64] = {};
  float *scratch = nullptr;
  switch (M) {
    case 1:
      cudaMemcpy(host, C, 4, cudaMemcpyDeviceToHost);
      break;
    case 2:
      cudaMemcpy(host, C, 4, cudaMemcpyDefault);
      break;
    case 3:
      cudaMemcpyFromSymbol(host, variable, 4);
      break;
    case 4: {
      cudaGraph_t graph;
      cudaGraphCreate(&graph, 0);
      break;
    }
    case 5: {
      void *arguments[] = {&C};
      cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(1), arguments);
      break;
    }
    case 6:
      cudaMallocManaged(&scratch, 64);
      break;
    case 7:
      cudaDeviceReset();
      break;
    case 8:
      cudaLaunchHostFunc(nullptr, nullptr, nullptr);
      break;
    case 9:
      cudaFree(C);
      break;
    case 10:
      cudaMalloc(&scratch, 64);
      cudaFree(scratch);
      cudaFree(scratch);
      break;
    case 11:
      cudaMemset(C + 1, 0, 64);
      break;
    case 12:
      cudaMemcpy(C, A, 4, cudaMemcpyHostToDevice);
      break;
    case 13:
      host[0] = A[1];
      C[2] = host[0];
      break;
    case 26:  // with the addresses of the others in registers
      for (int i = 0; i < 4; ++i) C[i] = static_cast<const volatile float *>(B)[i] + A[i];
      break;
    case 14: {
      void *arguments[] = {&C};
      cudaLaunchKernel(reinterpret_cast<const void *>(&not_a_kernel), dim3(1), dim3(1), arguments, 0,
                       nullptr);
      break;
    }
    case 15:
      for (long i = 0; i < 1000000; ++i) kernel<<<1, 1>>>(C);
      break;
    case 16: {
      timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      kernel<<<1, 1>>>(C);
      kernel<<<1, now.tv_nsec % 997 + 1>>>(C);
      kernel<<<1, (now.tv_nsec / 997) % 1013 + 1>>>(C);
      break;
    }
    case 17: {
      static char block[1 << 20];
      cudaMalloc(&scratch, sizeof block);
      for (int i = 0; i < 64; ++i) cudaMemcpy(scratch, block, sizeof block, cudaMemcpyHostToDevice);
      break;
    }
    case 18:
      if (cudaMemcpy(host, C, 4, cudaMemcpyDeviceToHost) != cudaSuccess) abort();  // as careful students do
      break;
    case 19: {
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
      break;
    }
    case 20:
      kernel<<<dim3(2147483647, 65535, 65535), 1024>>>(C);
      break;
    case 21:
      for (int i = 0; i < 1500; ++i) cudaMalloc(&scratch, 4);
      break;
    case 22:
      cudaMemcpy2D(C, 8, host, 8, 4, 200, cudaMemcpyHostToDevice);
      break;
    case 23:
      cudaMemcpy(C, host, 4, cudaMemcpyDeviceToHost);
      break;
    case 24: {
      struct {
        int size;
        const float *from;
      } described = {1, A + 1};
      cudaMalloc(&scratch, sizeof described);
      cudaMemcpy(scratch, &described, sizeof described, cudaMemcpyHostToDevice);
      break;
    }
    case 25:
      cudaMemcpyToSymbol(pointer, &C, sizeof C);
      break;
  }
  if (N < 0) uses_variable<<<1, 1>>>(C);
}
