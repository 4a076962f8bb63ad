// Breadth-first search in a graph of 262,144 nodes and two million edges, with a queue that atomics fill.
#include <algorithm>

#include "speed.hpp"

__global__ void visit(const int *starts, const int *edges, int *levels, const int *queue, int length,
                      int *next, int *next_length, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  const int node = queue[i];
  for (int e = starts[node]; e < starts[node + 1]; ++e) {
    const int other = edges[e];
    if (atomicCAS(&levels[other], -1, level) == -1) next[atomicAdd(next_length, 1)] = other;
  }
}

int main() {
  const int nodes = 1 << 18, degree = 8;
  const std::vector<unsigned> drawn = numbers(nodes * degree);
  std::vector<int> starts(nodes + 1), edges(nodes * degree), want(nodes, -1), queue{0};
  for (int i = 0; i <= nodes; ++i) starts[i] = i * degree;
  for (int i = 0; i < nodes * degree; ++i) edges[i] = static_cast<int>(drawn[i] >> 14);
  want[0] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (int e = starts[queue[at]]; e < starts[queue[at] + 1]; ++e)
      if (want[edges[e]] < 0) want[edges[e]] = want[queue[at]] + 1, queue.push_back(edges[e]);
  std::vector<int> levels(nodes, -1);
  levels[0] = 0;
  int *d_starts = upload(starts), *d_edges = upload(edges), *d_levels = upload(levels);
  int *from = room<int>(nodes), *to = room<int>(nodes), *count = room<int>(1);
  const int first = 0;
  CHECK(cudaMemcpy(from, &first, sizeof first, cudaMemcpyHostToDevice));
  int length = 1;
  for (int level = 1; length > 0; ++level) {
    CHECK(cudaMemset(count, 0, sizeof *count));
    visit<<<(length + 255) / 256, 256>>>(d_starts, d_edges, d_levels, from, length, to, count, level);
    CHECK(cudaMemcpy(&length, count, sizeof length, cudaMemcpyDeviceToHost));
    std::swap(from, to);
  }
  return finish(download(d_levels, nodes) == want);
}
