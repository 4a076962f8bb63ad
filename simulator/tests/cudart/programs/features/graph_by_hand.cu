// Graphs that are built node by node: every kind of node, new parameters, nodes switched off, clones,
// children.
#include <cstdio>

__global__ void scale(float *x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void sum(const float *x, int n, float *result) {
  float total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  *result = total;
}
__device__ int setting;
__global__ void read_setting(int *to) {
  *to = setting;
}

static void CUDART_CB say(void *data) {
  printf("host node: %.1f\n", *static_cast<float *>(data));
}

int main() {
  constexpr int n = 100;
  static float host[n], result;
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  float *x, *total;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&total, sizeof(float));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);

  cudaGraphNode_t copy_in, fill, scale_node, sum_node, copy_out, host_node, empty;
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host, sizeof host, n, 1);
  in.dstPtr = make_cudaPitchedPtr(x, sizeof host, n, 1);
  in.extent = make_cudaExtent(sizeof host, 1, 1);
  in.kind = cudaMemcpyHostToDevice;
  printf("copy node %s\n", cudaGetErrorName(cudaGraphAddMemcpyNode(&copy_in, graph, nullptr, 0, &in)));
  cudaMemsetParams zero = {};
  zero.dst = total;
  zero.value = 0x01020304;
  zero.elementSize = 4;
  zero.width = 1;
  zero.height = 1;
  printf("fill node %s\n", cudaGetErrorName(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero)));
  cudaGraphAddEmptyNode(&empty, graph, &copy_in, 1);
  float factor = 2;
  int count = n;
  void *scale_arguments[] = {&x, &factor, &count};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(scale);
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = scale_arguments;
  printf("kernel node %s\n",
         cudaGetErrorName(cudaGraphAddKernelNode(&scale_node, graph, &empty, 1, &kernel)));
  factor = 100;  // the node has its own copy
  void *sum_arguments[] = {&x, &count, &total};
  kernel.func = reinterpret_cast<void *>(sum);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(1);
  kernel.kernelParams = sum_arguments;
  cudaGraphNode_t both[] = {scale_node, fill};
  cudaGraphAddKernelNode(&sum_node, graph, both, 2, &kernel);
  cudaGraphAddMemcpyNode1D(&copy_out, graph, &sum_node, 1, &result, total, sizeof(float),
                           cudaMemcpyDeviceToHost);
  cudaHostNodeParams call = {say, &result};
  cudaGraphAddHostNode(&host_node, graph, &copy_out, 1, &call);

  size_t nodes = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  cudaGraphNodeType type;
  cudaGraphNodeGetType(sum_node, &type);
  printf("%zu nodes, %zu roots, a kernel: %d\n", nodes, roots, type == cudaGraphNodeTypeKernel);

  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraphExec_t exec;
  printf("instantiate %s\n", cudaGetErrorName(cudaGraphInstantiateWithFlags(&exec, graph, 0)));
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);

  kernel.func = reinterpret_cast<void *>(scale);
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = scale_arguments;
  factor = 3;
  printf("new factor %s\n", cudaGetErrorName(cudaGraphExecKernelNodeSetParams(exec, scale_node, &kernel)));
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);

  printf("switch off %s\n", cudaGetErrorName(cudaGraphNodeSetEnabled(exec, scale_node, 0)));
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);

  cudaKernelNodeParams known;
  cudaGraphKernelNodeGetParams(scale_node, &known);
  printf("factor of the node %.1f\n", *static_cast<float *>(known.kernelParams[1]));

  // A graph in a graph, and a variable.
  cudaGraph_t outer, cloned;
  cudaGraphCreate(&outer, 0);
  cudaGraphClone(&cloned, graph);
  cudaGraphNode_t child, to_symbol, read;
  cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, cloned);
  static int value = 42, read_back;
  int *device_value;
  cudaMalloc(&device_value, sizeof(int));
  cudaGraphAddMemcpyNodeToSymbol(&to_symbol, outer, &child, 1, setting, &value, sizeof value, 0,
                                 cudaMemcpyHostToDevice);
  void *read_arguments[] = {&device_value};
  kernel.func = reinterpret_cast<void *>(read_setting);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = read_arguments;
  cudaGraphAddKernelNode(&read, outer, &to_symbol, 1, &kernel);
  cudaGraphExec_t outer_exec;
  cudaGraphInstantiate(&outer_exec, outer, 0);
  cudaGraphLaunch(outer_exec, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(&read_back, device_value, sizeof(int), cudaMemcpyDeviceToHost);
  printf("setting %d\n", read_back);

  cudaGraphExecDestroy(outer_exec);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(outer);
  cudaGraphDestroy(cloned);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(s);
  cudaFree(x);
  cudaFree(total);
  cudaFree(device_value);
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
