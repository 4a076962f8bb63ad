// Uses regular expressions, streams, containers, random numbers and exceptions on the host.
// Verdict: accepted, host code may use the standard library, whose unique symbols meet the recorder's.
#include "gemm.h"

#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
  std::ostringstream text;
  text << std::hex << M << std::to_string(N) << std::regex_search(std::string("xxabcbcd"), std::regex("a(b|c)*d"));
  std::mt19937 random(3);
  std::map<std::string, std::variant<int, std::string>> all{{text.str(), 1}};
  try {
    std::vector<int>().at(all.size() + random() % 2);
  } catch (const std::out_of_range &e) {
    std::cout << e.what() << std::endl;
  }
}
