// Five textbook SGEMM kernels, C = alpha A B + beta C, row-major, for tests and the benchmark of the simulator.
// sgemm.ptx beside this file: nvcc -ptx -arch=compute_80 -lineinfo sgemm.cu, with plain names in its .file lines.

// Neighbouring threads own neighbouring rows: scattered accesses.
extern "C" __global__ void naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

extern "C" __global__ void coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

extern "C" __global__ void tile32(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[32][32], Bs[32][32];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0.0f;
  for (int start = 0; start < K; start += 32) {
    As[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
    Bs[y][x] = start + y < K && column < N ? B[(start + y) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

// 128 x 128 results by 256 threads, 8 x 8 each. M, N multiples of 128, K of 8.
extern "C" __global__ void blocktile2d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[128 * 8], Bs[8 * 128];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  A += blockIdx.y * 128 * K;
  B += blockIdx.x * 128;
  C += blockIdx.y * 128 * N + blockIdx.x * 128;
  float sum[8][8] = {}, a[8], b[8];
  for (int start = 0; start < K; start += 8) {
    for (int i = 0; i < 128; i += 32) As[(t / 8 + i) * 8 + t % 8] = A[(t / 8 + i) * K + t % 8];
    for (int i = 0; i < 8; i += 2) Bs[(t / 128 + i) * 128 + t % 128] = B[(t / 128 + i) * N + t % 128];
    __syncthreads();
    A += 8;
    B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      for (int i = 0; i < 8; ++i) a[i] = As[(y * 8 + i) * 8 + k];
      for (int j = 0; j < 8; ++j) b[j] = Bs[k * 128 + x * 8 + j];
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      float &c = C[(y * 8 + i) * N + x * 8 + j];
      c = alpha * sum[i][j] + beta * c;
    }
}

// The same with 128-bit accesses and the left tile transposed.
extern "C" __global__ void vectorized(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[8 * 128], Bs[8 * 128];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  A += blockIdx.y * 128 * K;
  B += blockIdx.x * 128;
  C += blockIdx.y * 128 * N + blockIdx.x * 128;
  float sum[8][8] = {}, a[8], b[8];
  for (int start = 0; start < K; start += 8) {
    const float4 from = *reinterpret_cast<const float4 *>(&A[(t / 2) * K + (t % 2) * 4]);
    As[((t % 2) * 4 + 0) * 128 + t / 2] = from.x;
    As[((t % 2) * 4 + 1) * 128 + t / 2] = from.y;
    As[((t % 2) * 4 + 2) * 128 + t / 2] = from.z;
    As[((t % 2) * 4 + 3) * 128 + t / 2] = from.w;
    *reinterpret_cast<float4 *>(&Bs[(t / 32) * 128 + (t % 32) * 4]) =
        *reinterpret_cast<const float4 *>(&B[(t / 32) * N + (t % 32) * 4]);
    __syncthreads();
    A += 8;
    B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      for (int i = 0; i < 8; i += 4) *reinterpret_cast<float4 *>(&a[i]) = *reinterpret_cast<float4 *>(&As[k * 128 + y * 8 + i]);
      for (int j = 0; j < 8; j += 4) *reinterpret_cast<float4 *>(&b[j]) = *reinterpret_cast<float4 *>(&Bs[k * 128 + x * 8 + j]);
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4) {
      float4 *to = reinterpret_cast<float4 *>(&C[(y * 8 + i) * N + x * 8 + j]);
      float4 c = *to;
      c.x = fmaf(alpha, sum[i][j], beta * c.x);
      c.y = fmaf(alpha, sum[i][j + 1], beta * c.y);
      c.z = fmaf(alpha, sum[i][j + 2], beta * c.z);
      c.w = fmaf(alpha, sum[i][j + 3], beta * c.w);
      *to = c;
    }
}
