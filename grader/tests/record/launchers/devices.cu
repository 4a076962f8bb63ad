// Launchers for two devices; `mode` says which. A[d] and B[d] have 16 floats and lie on device d.
#include <cuda_runtime.h>

#include <cstdlib>

__device__ float factor = 2;

__global__ void scale(const float *from, float *to, float by) {
  to[threadIdx.x] = by * from[threadIdx.x];
}
__global__ void scale_by_variable(const float *from, float *to) {
  to[threadIdx.x] = factor * from[threadIdx.x];
}

__device__ float table[64];
__global__ void put(float *to) {
  to[threadIdx.x] = threadIdx.x;
}
__global__ void get(float *to, const float *from) {
  to[threadIdx.x] = from[threadIdx.x] + table[threadIdx.x];
}

static void enable_both_ways() {
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaDeviceEnablePeerAccess(1 - device, 0);
  }
}

// B[0] = 2 A[0] on device 0, then B[1] = 3 B[0] on device 1.
static void in_order(const float *const *A, float *const *B, bool with_event, bool with_access) {
  if (with_access) enable_both_ways();
  cudaEvent_t ready;
  cudaSetDevice(0);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  scale<<<1, 16>>>(A[0], B[0], 2);
  cudaEventRecord(ready);
  cudaSetDevice(1);
  if (with_event) cudaStreamWaitEvent(0, ready);
  scale<<<1, 16>>>(B[0], B[1], 3);
  cudaEventDestroy(ready);
}

// The same, with a copy to memory of device 1 in between, in a stream of its own.
static void with_copies(const float *const *A, float *const *B) {
  cudaStream_t streams[2];
  cudaEvent_t ready;
  float *copied;
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking);
  }
  cudaMalloc(&copied, 64);  // on device 1
  cudaSetDevice(0);
  cudaEventCreate(&ready);
  scale<<<1, 16, 0, streams[0]>>>(A[0], B[0], 2);
  cudaMemcpyPeerAsync(copied, 1, B[0], 0, 64, streams[0]);
  cudaEventRecord(ready, streams[0]);
  cudaStreamWaitEvent(streams[1], ready);
  cudaSetDevice(1);
  scale<<<1, 16, 0, streams[1]>>>(copied, B[1], 3);
  cudaStreamSynchronize(streams[1]);
  cudaFree(copied);
}

void step0(int mode, const float *const *A, float *const *B) {
  int devices = 0, current = -1, can = 0;
  cudaGetDeviceCount(&devices);
  cudaGetDevice(&current);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  if (devices != 2 || current != 0 || can != 1) return;
  if (mode == 1) in_order(A, B, true, true);
  if (mode == 2) in_order(A, B, false, true);
  if (mode == 3) in_order(A, B, true, false);
  if (mode == 4) with_copies(A, B);
  if (mode == 5) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);  // on device 0
    cudaSetDevice(1);
    scale<<<1, 16, 0, stream>>>(A[1], B[1], 2);
  }
  if (mode == 6) cudaMemcpyPeer(B[1], 0, A[0], 0, 64);
  if (mode == 7) {
    const float three = 3;
    cudaSetDevice(1);
    cudaMemcpyToSymbol(factor, &three, sizeof three);
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      scale_by_variable<<<1, 16>>>(A[device], B[device]);
    }
  }
  if (mode == 9) {  // an event that was never recorded orders nothing, also if the host waits for it
    enable_both_ways();
    cudaEvent_t never;
    cudaSetDevice(0);
    cudaEventCreate(&never);
    scale<<<1, 16>>>(A[0], B[0], 2);
    cudaEventSynchronize(never);
    cudaSetDevice(1);
    scale<<<1, 16>>>(B[0], B[1], 3);
  }
  if (mode == 10) {
    cudaSetDevice(0);
    cudaMemset(B[1], 0, 64);
  }
  if (mode == 11) {  // a fill does not make the host wait
    enable_both_ways();
    cudaSetDevice(0);
    cudaMemset(B[0], 0, 64);
    cudaSetDevice(1);
    scale<<<1, 16>>>(B[0], B[1], 3);
  }
  if (mode == 12) {
    cudaEvent_t other;
    cudaEventCreate(&other);  // on device 0
    cudaSetDevice(1);
    scale<<<1, 16>>>(A[1], B[1], 2);
    cudaEventRecord(other);
  }
  if (mode == 13) {
    cudaSetDevice(1);
    scale<<<1, 2000>>>(A[1], B[1], 2);
    cudaDeviceSynchronize();
    if (cudaGetLastError() != cudaSuccess) exit(1);
  }
  if (mode == 14) {  // device 0 reads and writes the variable of device 1, and reads its own
    enable_both_ways();
    float *of_device_1;
    cudaSetDevice(1);
    cudaGetSymbolAddress(reinterpret_cast<void **>(&of_device_1), table);
    cudaSetDevice(0);
    put<<<1, 32>>>(of_device_1);
    get<<<1, 16>>>(B[0], of_device_1);
  }
  if (mode == 8) {  // in order without an event
    cudaMemcpyPeer(B[1], 1, A[0], 0, 64);
    cudaSetDevice(1);
    scale<<<1, 16>>>(B[1], B[1], 6);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaMemcpyPeer(B[0], 0, B[1], 1, 64);
  }
}
