// Device code that the runtime loads while the program runs: cudaLibraryLoadData, kernels and variables by
// name.
#include <cstdio>

static const char *const text = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .global .align 4 .u32 total;

.visible .entry count(.param .u32 step)
{
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [step];
  atom.global.add.u32 %r2, [total], %r1;
  ret;
}
)";

int main() {
  cudaLibrary_t library;
  printf("load %s\n",
         cudaGetErrorName(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0)));
  cudaKernel_t kernel, none;
  printf("kernel %s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "count")));
  printf("no such kernel: %s\n", cudaGetErrorName(cudaLibraryGetKernel(&none, library, "nothing")));
  unsigned kernels = 0;
  cudaLibraryGetKernelCount(&kernels, library);
  void *total;
  size_t bytes = 0;
  printf("variable %s\n", cudaGetErrorName(cudaLibraryGetGlobal(&total, &bytes, library, "total")));
  printf("%u kernel, %zu bytes\n", kernels, bytes);
  int step = 3, result = -1;
  void *arguments[] = {&step};
  printf("launch %s\n", cudaGetErrorName(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(2),
                                                          dim3(50), arguments, 0, nullptr)));
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  printf("total %d\n", result);
  printf("unload %s\n", cudaGetErrorName(cudaLibraryUnload(library)));
}
