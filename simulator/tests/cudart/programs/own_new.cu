// A program with its own operator new, which must meet none of the runtime's memory.
#include "check.hpp"

constexpr size_t header = 16;
void *operator new(size_t bytes) {
  char *p = static_cast<char *>(std::malloc(bytes + header));
  return p + header;
}
void operator delete(void *p) noexcept {
  if (p != nullptr) std::free(static_cast<char *>(p) - header);
}
void operator delete(void *p, size_t) noexcept {
  operator delete(p);
}

__global__ void set(int *p, int at) {
  p[at] = 1;  // HERE past_the_end
}

int main() {
  int *p;
  CHECK(cudaMalloc(&p, 4));
  set<<<1, 1>>>(p, 0);
  set<<<1, 1>>>(p, 1);  // so that there is something to say
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}
