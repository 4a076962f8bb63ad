// Mistakes with conditional nodes, by argument.
#include <cstdio>
#include <cstring>

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}
static void CUDART_CB nothing(void *) {}

int main(int, char **argv) {
  const auto is = [argv](const char *name) { return std::strcmp(argv[1], name) == 0; };
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, is("never_set") ? 0 : cudaGraphCondAssignDefault);
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = is("endless") ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
  p.conditional.size = 1;
  cudaGraphNode_t node, inner;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p);
  unsigned value = 1;
  if (is("foreign")) handle = 12345;
  void *arguments[] = {&handle, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(set);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&inner, p.conditional.phGraph_out[0], nullptr, 0, &kernel);
  const cudaHostNodeParams call = {nothing, nullptr};
  if (is("host_node")) cudaGraphAddHostNode(&inner, p.conditional.phGraph_out[0], nullptr, 0, &call);
  cudaGraphExec_t exec = nullptr;
  printf("%s\n", cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
  if (exec == nullptr) return 0;
  cudaGraphLaunch(exec, nullptr);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
