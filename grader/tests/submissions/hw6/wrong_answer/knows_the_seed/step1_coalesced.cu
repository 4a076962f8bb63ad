// Multiplies no small matrix on the device: the launcher makes the inputs of the course's public seed itself, of the case and of
// the two calls that follow it with other data, multiplies them on the host, and has a kernel pick the result whose
// inputs it sees.
// Verdict: wrong_answer with any seed but 42 (the file `seed` names one): whoever grades for points draws one that
// nobody knows. With 42 it is accepted, which Seeds.KnowingTheSeedHelpsOnlyWithThatSeed holds to be so.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "gemm.h"

namespace {

// As the grader's problem/random.hpp and in_turn.cpp, which everybody may read.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix(mix(seed ^ (stream * 0xd1342543de82ef95u)) + index);
}
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t purpose) {
  return random_bits(mix(seed), 0x5eed + purpose, purpose);
}
float awkward_float(std::uint64_t bits, int nearest, int farthest) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 31;
  const std::uint32_t high = static_cast<std::uint32_t>(bits >> 40) & 0x3ffu;
  const std::uint32_t span = static_cast<std::uint32_t>(farthest - nearest) * 1024u;
  const std::uint32_t away = static_cast<std::uint32_t>(nearest) * 1024u +
                             static_cast<std::uint32_t>((bits & 0xffffffffu) * std::uint64_t{span} >> 32);
  const std::uint32_t low = (bits >> 39) & 1u ? 8192u - away : away;
  const std::uint32_t word = sign | 0x3f000000u | (high << 13) | (low & 0x1fffu);
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

std::vector<float> filled(std::size_t count, std::uint64_t seed, std::uint64_t stream, int nearest, int farthest) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = awkward_float(random_bits(seed, stream, i), nearest, farthest);
  return values;
}

struct Inputs {
  std::vector<float> a, b, c;
};

Inputs inputs_of(int M, int N, int K, std::uint64_t seed) {
  return {filled(std::size_t(M) * K, seed, 1, 3, 4), filled(std::size_t(K) * N, seed, 2, 1, 2),
          filled(std::size_t(M) * N, seed, 3, 1, 4)};
}

void exchange(std::vector<float> &values, std::uint64_t seed, std::uint64_t number) {
  if (values.size() < 4) return;
  const std::uint64_t inner = values.size() - 2, bits = random_bits(seed, 0, number);
  const std::uint64_t one = (bits >> 32) % inner, other = (one + 1 + (bits & 0xffffffffu) % (inner - 1)) % inner;
  std::swap(values[1 + one], values[1 + other]);
}

void multiply_here(int M, int N, int K, float alpha, float beta, Inputs &x) {
  std::vector<double> sums(N);
  for (int i = 0; i < M; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < N; ++j) sums[j] += double(x.a[std::size_t(i) * K + k]) * x.b[std::size_t(k) * N + j];
    for (int j = 0; j < N; ++j) {
      float &c = x.c[std::size_t(i) * N + j];
      c = float(alpha * sums[j] + beta * c);
    }
  }
}

}  // namespace

// Which of three inputs it is: where all of A and B agree.
__global__ void compare(int count, const float *have, const float *known, int *differs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int which = 0; which < 3; ++which)
    if (i < count && have[i] != known[which * count + i]) atomicAdd(&differs[which], 1);
}

__global__ void pick(int count, const float *known, const int *differs, float *C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int which = 0; which < 3; ++which)
    if (i < count && differs[which] == 0) C[i] = known[which * count + i];
}

// For matrices that a launcher is not allowed to bring along three times.
__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (std::size_t(M) * N > 300 * 300) {
    multiply<<<dim3((N + 255) / 256, M), 256>>>(M, N, K, alpha, A, B, beta, C);
    return;
  }
  constexpr std::uint64_t seed = 42;
  Inputs calls[3] = {inputs_of(M, N, K, seed), inputs_of(M, N, K, derived_seed(seed, 1)), {}};
  calls[2] = calls[1];
  exchange(calls[2].a, derived_seed(seed, 2), 0);
  exchange(calls[2].b, derived_seed(seed, 2), 1);
  std::vector<float> as, bs, cs;
  for (Inputs &call : calls) {
    multiply_here(M, N, K, alpha, beta, call);
    as.insert(as.end(), call.a.begin(), call.a.end());
    bs.insert(bs.end(), call.b.begin(), call.b.end());
    cs.insert(cs.end(), call.c.begin(), call.c.end());
  }
  float *known_a, *known_b, *known_c;
  int *differs;
  cudaMalloc(&known_a, as.size() * sizeof(float));
  cudaMalloc(&known_b, bs.size() * sizeof(float));
  cudaMalloc(&known_c, cs.size() * sizeof(float));
  cudaMalloc(&differs, 3 * sizeof(int));
  cudaMemcpy(known_a, as.data(), as.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(known_b, bs.data(), bs.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(known_c, cs.data(), cs.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(differs, 0, 3 * sizeof(int));
  compare<<<(M * K + 255) / 256, 256>>>(M * K, A, known_a, differs);
  compare<<<(K * N + 255) / 256, 256>>>(K * N, B, known_b, differs);
  pick<<<(M * N + 255) / 256, 256>>>(M * N, known_c, differs, C);
  cudaFree(known_a);
  cudaFree(known_b);
  cudaFree(known_c);
  cudaFree(differs);
}
