// nvcc: -lnvrtc -lcuda
// A kernel that is compiled while the program runs, templates by their name expressions included.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>

static const char *const source = R"(
template <class T> __device__ T square(T x) { return x * x; }
template <class T, int N> __global__ void add(T *to, const T *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) to[i] = from[i] + square(to[i]);
}
extern "C" __global__ void __launch_bounds__(64) reverse(int *values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
)";

int main() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "kernels.cu", 0, nullptr, nullptr);
  nvrtcAddNameExpression(program, "add<float, 100>");
  const char *options[] = {"--gpu-architecture=compute_80", "-lineinfo", "--std=c++17"};
  printf("compile: %s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 3, options)));
  size_t size = 0;
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, '\0');
  nvrtcGetPTX(program, &ptx[0]);
  const char *lowered = nullptr;
  nvrtcGetLoweredName(program, "add<float, 100>", &lowered);
  cuInit(0);
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  CUmodule module;
  CUfunction add, reverse;
  printf("load %d\n", cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr));
  printf("functions %d %d\n", cuModuleGetFunction(&add, module, lowered),
         cuModuleGetFunction(&reverse, module, "reverse"));
  static float a[100], b[100];
  static int values[64];
  for (int i = 0; i < 100; ++i) a[i] = i, b[i] = 1;
  for (int i = 0; i < 64; ++i) values[i] = i;
  CUdeviceptr da, db, dv;
  cuMemAlloc(&da, sizeof a);
  cuMemAlloc(&db, sizeof b);
  cuMemAlloc(&dv, sizeof values);
  cuMemcpyHtoD(da, a, sizeof a);
  cuMemcpyHtoD(db, b, sizeof b);
  cuMemcpyHtoD(dv, values, sizeof values);
  void *add_parameters[] = {&da, &db}, *reverse_parameters[] = {&dv};
  cuLaunchKernel(add, 2, 1, 1, 64, 1, 1, 0, nullptr, add_parameters, nullptr);
  cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 0, nullptr, reverse_parameters, nullptr);
  printf("end %d\n", cuCtxSynchronize());
  cuMemcpyDtoH(a, da, sizeof a);
  cuMemcpyDtoH(values, dv, sizeof values);
  printf("%g %g, %d %d\n", a[3], a[99], values[0], values[63]);
  cuMemFree(da);
  cuMemFree(db);
  cuMemFree(dv);
  nvrtcDestroyProgram(&program);
}
