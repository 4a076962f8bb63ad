// Breadth-first search by blocks that stay: they take vertices from a queue in global memory until a level ends,
// and wait for each other at a counter.
#include <algorithm>

#include "speed.hpp"

struct State {
  int tail, head, waiting, round;
};

__device__ void meet(State *s, int blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const int round = atomicAdd(&s->round, 0);
    if (atomicAdd(&s->waiting, 1) == blocks - 1) {
      s->waiting = 0;
      __threadfence();
      atomicAdd(&s->round, 1);
    } else {
      while (atomicAdd(&s->round, 0) == round) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void search(const int *first, const int *to, int *level, int *queue, State *s) {
  int begin = 0, end = 1;
  for (int depth = 1; begin < end; ++depth) {
    for (int i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x) {
      const int v = __ldcg(&queue[i]);
      for (int e = first[v]; e < first[v + 1]; ++e)
        if (atomicCAS(&level[to[e]], -1, depth) == -1) queue[atomicAdd(&s->tail, 1)] = to[e];
    }
    meet(s, gridDim.x);
    begin = end;
    end = __ldcg(&s->tail);
    meet(s, gridDim.x);
  }
}

int main() {
  const int n = 100'000, degree = 6;
  const std::vector<std::uint32_t> drawn = numbers(n * degree);
  std::vector<int> first(n + 1), to(n * degree), level(n, -1), queue(n);
  for (int v = 0; v <= n; ++v) first[v] = v * degree;
  // Long way round: each vertex has neighbours near it, so that there are many levels.
  for (int e = 0; e < n * degree; ++e) to[e] = (e / degree + static_cast<int>(drawn[e] % 4000)) % n;
  level[0] = 0;
  const int *f = upload(first), *t = upload(to);
  int *l = upload(level), *q = upload(queue);
  State *s = upload(std::vector<State>{{1, 0, 0, 0}});
  search<<<8, 256>>>(f, t, l, q, s);
  const std::vector<int> got = download(l, n);
  std::vector<int> now = {0};
  for (int depth = 1; !now.empty(); ++depth) {
    std::vector<int> next;
    for (const int v : now)
      for (int e = first[v]; e < first[v + 1]; ++e)
        if (level[to[e]] < 0) level[to[e]] = depth, next.push_back(to[e]);
    now = next;
  }
  return finish(got == level);
}
