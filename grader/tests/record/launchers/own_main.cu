// A correct launcher in a file that defines what it should not: nothing of it may reach beyond the file.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "gemm.h"

extern "C" void warpgrade_entry_of_mine() {}
int main() {
  puts("my own main");
  return 0;
}
extern "C" cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t) {
  abort();
}
extern "C" ssize_t write(int, const void *, size_t) {
  abort();
}
extern "C" void __cxa_pure_virtual() {
  abort();
}
extern "C" __attribute__((weak)) int setvbuf(FILE *, char *, int, size_t) {
  abort();
}
void *operator new(size_t bytes) {
  return malloc(bytes);
}
void operator delete(void *p) noexcept {
  free(p);
}
namespace warpgrade::record {
void write_all() {
  abort();
}
}  // namespace warpgrade::record

__global__ void kernel(float *C) {
  C[0] = 1;
}

void step0(int, int, int, float, const float *, const float *, float, float *C) {
  kernel<<<1, 1>>>(C);
}
