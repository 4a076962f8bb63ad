// nvcc: -lcuda
// needs: CUDA 13
// The driver API: graphs built by hand, captured, changed, cloned and updated; conditional nodes; pools; advice.
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "../driver_check.hpp"

__global__ void add(int *to, int value) {
  to[threadIdx.x] += value;
}
__global__ void multiply(int *to, int factor) {
  to[threadIdx.x] *= factor;
}
__global__ void count_down(int *left, cudaGraphConditionalHandle handle) {
  if (--*left == 0) cudaGraphSetConditional(handle, 0);
}

static void CUDA_CB say(void *text) {
  printf("host node: %s\n", (const char *)text);
}
static void CUDA_CB gone(void *text) {
  printf("destroyed: %s\n", (const char *)text);
}

static CUfunction function_of(const void *kernel) {
  cudaFunction_t function;
  if (cudaGetFuncBySymbol(&function, kernel) != cudaSuccess) exit(4);
  return function;
}

static void print(const char *what, const int *host) {
  printf("%s: %d %d %d %d\n", what, host[0], host[1], host[2], host[3]);
}

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr values;
  CHECK(cuMemAlloc(&values, 16));
  int *host;
  CHECK(cuMemAllocHost((void **)&host, 16));

  // By hand: fill, two kernels, a copy, a host function.
  CUgraph graph;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill = {};
  fill.dst = values, fill.value = 5, fill.elementSize = 4, fill.width = 4, fill.height = 1;
  CUgraphNode filled, added, multiplied, copied, said;
  CHECK(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context));
  int one = 1, three = 3;
  void *add_arguments[] = {&values, &one}, *multiply_arguments[] = {&values, &three};
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = function_of((const void *)add);
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 4, kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = add_arguments;
  CHECK(cuGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  kernel.func = function_of((const void *)multiply);
  kernel.kernelParams = multiply_arguments;
  CHECK(cuGraphAddKernelNode(&multiplied, graph, nullptr, 0, &kernel));
  CHECK(cuGraphAddDependencies(graph, &added, &multiplied, nullptr, 1));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = values;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = host;
  copy.WidthInBytes = 16, copy.Height = copy.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copied, graph, &multiplied, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS call = {};
  call.fn = say, call.userData = (void *)"copied";
  CHECK(cuGraphAddHostNode(&said, graph, &copied, 1, &call));
  size_t nodes = 0, roots = 0, edges = 0, before = 0, behind = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cuGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cuGraphNodeGetDependencies(multiplied, nullptr, nullptr, &before));
  CHECK(cuGraphNodeGetDependentNodes(multiplied, nullptr, nullptr, &behind));
  printf("%zu nodes, %zu root, %zu edges; one before, one behind: %d\n", nodes, roots, edges,
         before == 1 && behind == 1);
  CUgraphNodeType type;
  CHECK(cuGraphNodeGetType(copied, &type));
  printf("a copy: %d\n", type == CU_GRAPH_NODE_TYPE_MEMCPY);
  CUgraphExec exec;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  print("(5 + 1) * 3", host);

  // Other parameters, in the executable graph and in the graph.
  int ten = 10;
  void *ten_arguments[] = {&values, &ten};
  kernel.func = function_of((const void *)add);
  kernel.kernelParams = ten_arguments;
  CHECK(cuGraphExecKernelNodeSetParams(exec, added, &kernel));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  print("(5 + 10) * 3", host);
  CUDA_KERNEL_NODE_PARAMS known = {};
  CHECK(cuGraphKernelNodeGetParams(multiplied, &known));
  printf("%u threads, factor %d\n", known.blockDimX, *(int *)known.kernelParams[1]);
  CHECK(cuGraphNodeSetEnabled(exec, multiplied, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  print("5 + 10", host);
  CHECK(cuGraphNodeSetEnabled(exec, multiplied, 1));
  fill.value = 7;
  CHECK(cuGraphMemsetNodeSetParams(filled, &fill));
  CUgraphExecUpdateResultInfo info = {};
  CHECK(cuGraphExecUpdate(exec, graph, &info));
  printf("updated: %d\n", info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  print("(7 + 1) * 3", host);

  // Captured, and used as a child of another graph.
  CUgraph captured, parent;
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add<<<1, 4, 0, stream>>>((int *)values, 100);
  CUstreamCaptureStatus status;
  CHECK(cuStreamIsCapturing(stream, &status));
  printf("captures: %d\n", status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuMemcpyDtoHAsync(host, values, 16, stream));
  CHECK(cuStreamEndCapture(stream, &captured));
  CHECK(cuGraphCreate(&parent, 0));
  CUgraphNode child, empty;
  CHECK(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, captured));
  CHECK(cuGraphAddEmptyNode(&empty, parent, &child, 1));
  CUuserObject object;
  CHECK(cuUserObjectCreate(&object, (void *)"an object", gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CHECK(cuGraphRetainUserObject(parent, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  CUgraphExec whole;
  CHECK(cuGraphInstantiateWithFlags(&whole, parent, 0));
  CHECK(cuGraphLaunch(whole, stream));
  CHECK(cuStreamSynchronize(stream));
  print("24 + 100", host);
  CHECK(cuGraphExecDestroy(whole));
  CHECK(cuGraphDestroy(parent));

  // A loop: a conditional node whose body runs while the condition is not zero.
  CUgraph loop;
  CHECK(cuGraphCreate(&loop, 0));
  CUgraphConditionalHandle handle;
  CHECK(cuGraphConditionalHandleCreate(&handle, loop, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams condition = {};
  condition.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  condition.conditional.handle = handle, condition.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  condition.conditional.size = 1, condition.conditional.ctx = context;
  CUgraphNode repeated, inner, counted;
  CHECK(cuGraphAddNode(&repeated, loop, nullptr, nullptr, 0, &condition));
  const CUgraph body = condition.conditional.phGraph_out[0];
  CUdeviceptr left;
  CHECK(cuMemAlloc(&left, 4));
  CHECK(cuMemsetD32(left, 5, 1));
  kernel.kernelParams = add_arguments;
  CHECK(cuGraphAddKernelNode(&inner, body, nullptr, 0, &kernel));
  void *count_arguments[] = {&left, &handle};
  kernel.func = function_of((const void *)count_down);
  kernel.blockDimX = 1;
  kernel.kernelParams = count_arguments;
  CHECK(cuGraphAddKernelNode(&counted, body, &inner, 1, &kernel));
  CUgraphExec looping;
  CHECK(cuGraphInstantiate(&looping, loop, 0));
  CHECK(cuGraphLaunch(looping, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemcpyDtoH(host, values, 16));
  print("124 + 5", host);

  // Questions about streams; pools; advice for managed memory.
  unsigned flags = 0;
  CHECK(cuStreamGetFlags(stream, &flags));
  printf("non-blocking: %d\n", flags == CU_STREAM_NON_BLOCKING);
  CUmemoryPool pool;
  CHECK(cuDeviceGetDefaultMemPool(&pool, device));
  cuuint64_t threshold = 1 << 20, known_threshold = 0;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &known_threshold));
  CUdeviceptr pooled;
  CHECK(cuMemAllocFromPoolAsync(&pooled, 16, pool, stream));
  CHECK(cuMemsetD2D16Async(pooled, 8, 3, 4, 2, stream));
  CHECK(cuMemcpyDtoHAsync(host, pooled, 16, stream));
  CHECK(cuMemFreeAsync(pooled, stream));
  CHECK(cuStreamSynchronize(stream));
  printf("threshold %llu, pooled %#x\n", (unsigned long long)known_threshold, host[3]);
  CUdeviceptr managed;
  CHECK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  CUmemLocation place = {};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE, place.id = device;
  CHECK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place));
  CHECK(cuMemPrefetchAsync(managed, 4096, place, 0, stream));
  int preferred = -5;
  CHECK(cuMemRangeGetAttribute(&preferred, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, managed, 4096));
  printf("preferred: %d\n", preferred);
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuProfilerStart());
  CHECK(cuProfilerStop());

  for (CUgraphExec each : {exec, looping}) CHECK(cuGraphExecDestroy(each));
  for (CUgraph each : {graph, captured, loop}) CHECK(cuGraphDestroy(each));
  for (CUdeviceptr each : {values, left, managed}) CHECK(cuMemFree(each));
  CHECK(cuMemFreeHost(host));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
