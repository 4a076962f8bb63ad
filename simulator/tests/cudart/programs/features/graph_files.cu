// cudaGraphDebugDotPrint, and objects of the program that graphs keep.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void scale(float *x, float factor) {
  x[threadIdx.x] *= factor;
}
static void CUDART_CB say(void *what) {
  printf("destroyed: %s\n", static_cast<const char *>(what));
}
static void check(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(error));
}
#define CHECK(call) check(call, __LINE__)

static std::string dot(cudaGraph_t graph, unsigned flags) {
  char path[] = "/tmp/graph_XXXXXX";
  close(mkstemp(path));
  CHECK(cudaGraphDebugDotPrint(graph, path, flags));
  std::string text;
  FILE *file = fopen(path, "r");
  for (int c; (c = fgetc(file)) != EOF;) text += static_cast<char>(c);
  fclose(file);
  unlink(path);
  return text;
}

int main() {
  float *x;
  CHECK(cudaMalloc(&x, 32 * sizeof(float)));
  cudaGraph_t inner, graph;
  CHECK(cudaGraphCreate(&inner, 0));
  cudaGraphNode_t fill, child, kernel, copy;
  static float host[32];
  cudaMemsetParams zero = {};
  zero.dst = x;
  zero.elementSize = 4;
  zero.width = 32;
  zero.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, inner, nullptr, 0, &zero));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  float factor = 2;
  void *arguments[] = {&x, &factor};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void *>(scale);
  p.gridDim = dim3(1);
  p.blockDim = dim3(32);
  p.sharedMemBytes = 64;
  p.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &child, 1, &p));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("%s", dot(graph, 0).c_str());

  const std::string verbose = dot(graph, cudaGraphDebugDotFlagsVerbose);
  const std::string some = dot(graph, cudaGraphDebugDotFlagsKernelNodeParams);
  for (const char *part : {"grid (1, 1, 1), block (32, 1, 1)", "64 bytes of dynamic shared memory",
                           "device to host, 128 x 1 x 1 bytes", "0 as 4 bytes"})
    printf("%s: verbose %d, of kernels %d\n", part, verbose.find(part) != std::string::npos,
           some.find(part) != std::string::npos);
  printf("no folder: %d\n", cudaGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0) != cudaSuccess);

  static char first[] = "first", second[] = "second";
  cudaUserObject_t one, two;
  CHECK(cudaUserObjectCreate(&one, first, say, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectCreate(&two, second, say, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(graph, one, 1, cudaGraphUserObjectMove));
  CHECK(cudaGraphRetainUserObject(graph, two, 1, 0));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("the graph is gone\n");
  CHECK(cudaGraphExecDestroy(exec));
  printf("and its executable\n");
  CHECK(cudaUserObjectRetain(two, 1));
  CHECK(cudaUserObjectRelease(two, 2));
  CHECK(cudaGraphDestroy(inner));
  CHECK(cudaFree(x));
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
