// needs: CUDA 13
// nvcc: -arch=sm_90
// Conditional nodes in graphs: if, else, while and switch; one in the body of another.
#include <cstdio>

__global__ void set(cudaGraphConditionalHandle handle, const int *value) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(*value));
}
__global__ void add(int *to, int value) {
  *to += value;
}
/// One step of the Collatz sequence; the loop ends at 1.
__global__ void step(int *n, int *steps, cudaGraphConditionalHandle handle) {
  *n = *n % 2 != 0 ? 3 * *n + 1 : *n / 2;
  ++*steps;
  if (*n == 1) cudaGraphSetConditional(handle, 0);
}

static void check(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(error));
}
#define CHECK(call) check(call, __LINE__)

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t before, const void *function,
                              void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = const_cast<void *>(function);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &before, before != nullptr, &p));
  return node;
}

struct Conditional {
  cudaGraphNode_t node;
  cudaGraph_t *bodies;
};
static Conditional conditional(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphConditionalHandle handle,
                               cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddNode(&node, graph, &before, nullptr, before != nullptr, &p));
  return {node, p.conditional.phGraph_out};
}

int main() {
  enum { selector, n, steps, sum, count };
  int *d;
  CHECK(cudaMalloc(&d, count * sizeof(int)));
  int *pointers[count];
  for (int i = 0; i < count; ++i) pointers[i] = d + i;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle branch, loop, choice;
  CHECK(cudaGraphConditionalHandleCreate(&branch, graph, 0, 0));
  CHECK(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&choice, graph, 0, 0));

  // if (selector) { sum += 1; while (n != 1) step; } else sum += 1000;
  void *branch_arguments[] = {&branch, &pointers[selector]};
  cudaGraphNode_t first = kernel(graph, nullptr, reinterpret_cast<void *>(set), branch_arguments);
  const Conditional either = conditional(graph, first, branch, cudaGraphCondTypeIf, 2);
  int one = 1, thousand = 1000;
  void *one_arguments[] = {&pointers[sum], &one}, *thousand_arguments[] = {&pointers[sum], &thousand};
  cudaGraphNode_t inner = kernel(either.bodies[0], nullptr, reinterpret_cast<void *>(add), one_arguments);
  kernel(either.bodies[1], nullptr, reinterpret_cast<void *>(add), thousand_arguments);
  const Conditional repeated = conditional(either.bodies[0], inner, loop, cudaGraphCondTypeWhile, 1);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(
      cudaStreamBeginCaptureToGraph(s, repeated.bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  step<<<1, 1, 0, s>>>(pointers[n], pointers[steps], loop);
  CHECK(cudaStreamEndCapture(s, nullptr));

  // switch (selector) { case i: sum += 10 * (i + 1); }
  void *choice_arguments[] = {&choice, &pointers[selector]};
  cudaGraphNode_t second = kernel(graph, either.node, reinterpret_cast<void *>(set), choice_arguments);
  const Conditional cases = conditional(graph, second, choice, cudaGraphCondTypeSwitch, 3);
  for (int i = 0; i < 3; ++i) {
    int value = 10 * (i + 1);
    void *arguments[] = {&pointers[sum], &value};
    kernel(cases.bodies[i], nullptr, reinterpret_cast<void *>(add), arguments);
  }
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(cases.node, &type));
  printf("conditional %d\n", type == cudaGraphNodeTypeConditional);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  const auto run = [&](int value) {
    int host[count] = {value, 27, 0, 0};
    CHECK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    printf("selector %d: n %d, %d steps, sum %d\n", value, host[n], host[steps], host[sum]);
  };
  for (int value = 0; value < 4; ++value) run(value);

  // A handle has one node; a while node has one body.
  cudaGraphNodeParams again = {};
  again.type = cudaGraphNodeTypeConditional;
  again.conditional.handle = loop;
  again.conditional.type = cudaGraphCondTypeWhile;
  again.conditional.size = 1;
  cudaGraphNode_t node;
  printf("handle used twice: %s\n",
         cudaGetErrorName(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &again)));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(d));
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
