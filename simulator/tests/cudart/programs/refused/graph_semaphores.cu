// A graph with a node that signals a semaphore of another API.
#include <cstdio>

int main() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  const cudaExternalSemaphoreSignalNodeParams none = {};
  printf("%s\n", cudaGetErrorName(cudaGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, &none)));
}
