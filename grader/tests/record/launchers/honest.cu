// Honest launchers in different styles: M says which. What each must record is in record_honest_test.cpp.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

#include "gemm.h"

template <int Tile>
__global__ void tiled(const float *A, float *C, int n) {
  __shared__ float tile[Tile];
  tile[threadIdx.x % Tile] = A[0];
  __syncthreads();
  if (n > 0) C[0] = tile[0];
}

namespace {
__global__ void hidden(float *C, double factor, char letter) {
  C[0] = static_cast<float>(factor) + letter;
}
}  // namespace

__global__ void dynamic(float *C) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = 1.0f;
  C[0] = scratch[0];
}

__constant__ float coefficients[4];
__device__ float table[16];

__global__ void uses_constants(float *C) {
  C[0] = coefficients[1] + table[2];
}

struct Matrix {
  int rows, columns;
  float *data;
  char tag;
};
__global__ void by_value(Matrix a, Matrix b, int n) {
  b.data[0] = a.data[n];
}

template <typename T>
struct Counted {
  static inline int calls = 0;  // a unique global symbol
};

static float host_numbers[4];

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  switch (M) {
    case 1:  // templates
      tiled<32><<<dim3(N, K), dim3(16, 2)>>>(A, C, 7);
      tiled<64><<<1, 64>>>(B + 3, C - 1, Counted<int>::calls + 1);
      break;
    case 2:  // an anonymous namespace, arguments of other sizes
      hidden<<<1, 1>>>(C, 0.5, 'w');
      break;
    case 3:  // dynamic shared memory beyond 48 KiB
      cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
      dynamic<<<1, 32, 100000>>>(C);
      break;
    case 4: {  // constants, and a device variable through its address
      const float values[4] = {1, 2, 3, 4};
      cudaMemcpyToSymbol(coefficients, values, sizeof values);
      void *address = nullptr;
      cudaGetSymbolAddress(&address, table);
      size_t bytes = 0;
      cudaGetSymbolSize(&bytes, table);
      cudaMemset(static_cast<char *>(address) + 8, 0, bytes - 8);
      uses_constants<<<1, 1>>>(C);
      break;
    }
    case 5: {  // structs by value with pointers inside, integers side by side that are not a pointer
      const Matrix a{M, 0x5100, const_cast<float *>(A) + 1, 'a'};
      by_value<<<1, 1>>>(a, Matrix{1 << 24, 0x7fb0, C, 'c'}, 2);
      break;
    }
    case 6: {  // scratch memory, fills, copies both ways that are allowed, frees
      float *scratch = nullptr, *rows = nullptr;
      size_t pitch = 0;
      cudaMalloc(&scratch, 64);
      cudaMallocPitch(&rows, &pitch, 12, 3);
      cudaMemset(scratch, 0xff, 64);
      cudaMemset2D(rows, pitch, 1, 12, 3);
      const std::vector<float> host(4, 2.0f);
      cudaMemcpy(scratch, host.data(), 16, cudaMemcpyHostToDevice);
      cudaMemcpy(scratch + 4, scratch, 16, cudaMemcpyDefault);
      cudaMemcpy2D(rows, pitch, A, 4, 4, 1, cudaMemcpyDeviceToDevice);
      cudaFree(scratch);
      cudaFree(rows);
      cudaFree(nullptr);
      break;
    }
    case 7: {  // streams and events, the call by address, occupancy, properties
      cudaStream_t stream;
      cudaEvent_t start, stop;
      cudaStreamCreate(&stream);
      cudaEventCreate(&start);
      cudaEventCreate(&stop);
      cudaEventRecord(start, stream);
      cudaDeviceProp properties;
      cudaGetDeviceProperties(&properties, 0);
      int blocks = 0, threads = 0, multiprocessors = 0;
      cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, tiled<32>);
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
      int n = 3;
      void *arguments[] = {&A, &C, &n};
      cudaLaunchKernel(reinterpret_cast<const void *>(&tiled<32>), dim3(properties.multiProcessorCount),
                       dim3(threads), arguments, 0, stream);
      cudaEventRecord(stop, stream);
      cudaEventSynchronize(stop);
      float milliseconds = -1;
      cudaEventElapsedTime(&milliseconds, start, stop);
      cudaStreamSynchronize(stream);
      printf("%s %d %.0f ms %s\n", properties.name, multiprocessors, milliseconds,
             cudaGetErrorString(cudaGetLastError()));
      cudaStreamDestroy(stream);
      break;
    }
    case 13: {  // memory that is kept and set up once
      static float *kept = nullptr;
      if (kept == nullptr) {
        cudaMalloc(&kept, 64);
        cudaMemset(kept, 0, 64);
      }
      tiled<32><<<1, 32>>>(A, kept, 1);
      break;
    }
    case 14: {  // a flag that is set once
      static bool done = false;
      if (!done) tiled<32><<<1, 32>>>(A, C, 1);
      done = true;
      break;
    }
    case 15: {  // memory that is never given back
      float *lost = nullptr;
      cudaMalloc(&lost, 64);
      tiled<32><<<1, 32>>>(A, lost, 1);
      break;
    }
    case 16: {  // a second call that crashes
      static int calls = 0;
      if (calls++ > 0) *static_cast<volatile int *>(nullptr) = 1;
      tiled<32><<<1, 32>>>(A, C, 1);
      break;
    }
    case 8: {  // a launch that no GPU starts, and a student who checks
      tiled<32><<<N - N, 32>>>(A, C, 1);
      const cudaError_t error = cudaGetLastError();
      printf("CUDA %d: %s, then %s\n", CUDART_VERSION / 1000, cudaGetErrorName(error),
             cudaGetErrorName(cudaGetLastError()));
      if (error != cudaSuccess) exit(1);
      break;
    }
    case 9:  // 1025 threads, unnoticed
      tiled<32><<<1, 1025>>>(A, C, 1);
      tiled<32><<<1, 32>>>(A, C, 1);
      break;
    case 10:  // nothing: the stub
      break;
    case 11: {  // the extensible launch, asynchronous allocation
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(2);
      config.blockDim = dim3(32);
      float *scratch = nullptr;
      cudaMallocAsync(&scratch, 128, nullptr);
      cudaLaunchKernelEx(&config, tiled<32>, A, scratch, 5);
      cudaMemcpyAsync(C, scratch, 4, cudaMemcpyDeviceToDevice, nullptr);
      cudaFreeAsync(scratch, nullptr);
      break;
    }
    case 20: {  // mistakes that a launcher can go on after, each with its error code
      cudaStream_t stream;
      cudaEvent_t start, stop;
      float milliseconds;
      int value;
      size_t bytes;
      cudaFuncAttributes attributes;
      cudaEventCreate(&start);
      cudaEventCreate(&stop);
      cudaStreamCreate(&stream);
      const int codes[] = {
          cudaEventElapsedTime(&milliseconds, start, stop),
          cudaStreamDestroy(stream),
          cudaStreamSynchronize(stream),
          cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(5000), 0),
          cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(77)),
          cudaMemcpy(C, host_numbers, 4, static_cast<cudaMemcpyKind>(77)),
          cudaMemset2D(C, 4, 0, 8, 2),
          cudaFuncSetAttribute(tiled<32>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
          cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&host_numbers))};
      for (const int code : codes) printf("%d ", code);
      printf("CUDA %d\n", CUDART_VERSION / 1000);
      break;
    }
    case 12: {  // pinned host memory
      float *pinned = nullptr;
      cudaMallocHost(&pinned, 64);
      for (int i = 0; i < 16; ++i) pinned[i] = alpha + beta;
      cudaMemcpy(C, pinned, 4, cudaMemcpyHostToDevice);
      cudaFreeHost(pinned);
      break;
    }
  }
}
