// A graph with a conditional node.
#include <cstdio>

int main() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  printf("%s\n", cudaGetErrorName(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0)));
}
