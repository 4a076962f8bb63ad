// The device code that plans of the fuzzer are about; kernels.ptx is what
//   nvcc -ptx -arch=compute_80 -lineinfo kernels.cu
// makes of it, less the folders of the files it names. Between them the kernels take every kind of argument
// that a plan can hold.
struct Pair {
  float *from, *to;
  int n;
};

__device__ float totals[4];
__constant__ float factors[4] = {1, 2, 3, 4};

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                        float *C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

__global__ void move(Pair pair) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pair.n) pair.to[i] = pair.from[i] * factors[i % 4];
}

__global__ void __launch_bounds__(128) through_shared(const float *from, float *to, char n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[n - 1 - threadIdx.x];
  atomicAdd(&totals[threadIdx.x % 4], 1.0f);
}

__global__ void through_a_table(float **table, double by, short which) {
  table[which][threadIdx.x] += by;
}

__global__ void nothing() {}
