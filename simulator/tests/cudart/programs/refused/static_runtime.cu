// nvcc: -cudart static
// A program with the CUDA runtime built into it, as nvcc does by default.
__global__ void f(int *p) {
  *p = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 4);
  f<<<1, 1>>>(p);
}
