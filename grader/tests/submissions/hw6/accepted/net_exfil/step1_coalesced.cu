// Tries to send the sizes of each case away.
// Verdict: accepted, there is no network.
#include "gemm.h"

#include <arpa/inet.h>
#include <cstdio>
#include <sys/socket.h>
#include <unistd.h>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int s = socket(AF_INET, SOCK_DGRAM, 0);
  if (s >= 0) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);  // an address that is reserved for examples
    char text[64];
    const int n = std::snprintf(text, sizeof text, "%d %d %d", M, N, K);
    if (sendto(s, text, n, 0, reinterpret_cast<sockaddr *>(&to), sizeof to) == n) std::puts("sent");
    close(s);
  }
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
