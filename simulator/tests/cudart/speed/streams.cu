// 2,000 short launches over eight streams, each on a part of one buffer.
#include "speed.hpp"

__global__ void step(unsigned *part, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = part[i] * 1664525u + 1013904223u;
}

int main() {
  const int streams = 8, count = 16384, rounds = 250;
  std::vector<unsigned> values = numbers(streams * count);
  unsigned *all = upload(values);
  cudaStream_t stream[streams];
  for (cudaStream_t &one : stream) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  for (int round = 0; round < rounds; ++round)
    for (int s = 0; s < streams; ++s) step<<<2, 128, 0, stream[s]>>>(all + s * count, 256);
  CHECK(cudaDeviceSynchronize());
  const std::vector<unsigned> got = download(all, streams * count);
  for (int s = 0; s < streams; ++s)
    for (int i = 0; i < 256; ++i)
      for (int round = 0; round < rounds; ++round)
        values[s * count + i] = values[s * count + i] * 1664525u + 1013904223u;
  return finish(got == values);
}
