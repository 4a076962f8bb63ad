// nvcc: -gencode arch=compute_90,code=sm_90
// A program without PTX, as -arch=native makes it.
__global__ void f(int *p) {
  *p = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 4);
  f<<<1, 1>>>(p);
}
