// Two devices that reach each other's memory.
#include <cstdio>

int main() {
  printf("%s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
}
