// A graph of two kernels, launched 500 times: integers that grow by their neighbour's.
#include "speed.hpp"

__global__ void grow(const unsigned *from, unsigned *to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + from[(i + 1) % count];
}

int main() {
  const int count = 2048, rounds = 500;
  std::vector<unsigned> values = numbers(count);
  unsigned *here = upload(values), *there = room<unsigned>(count);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  grow<<<count / 128, 128, 0, stream>>>(here, there, count);
  grow<<<count / 128, 128, 0, stream>>>(there, here, count);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int round = 0; round < rounds; ++round) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  const std::vector<unsigned> got = download(here, count);
  std::vector<unsigned> after(count);
  for (int round = 0; round < 2 * rounds; ++round) {
    for (int i = 0; i < count; ++i) after[i] = values[i] + values[(i + 1) % count];
    std::swap(after, values);
  }
  return finish(got == values);
}
