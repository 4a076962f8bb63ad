// Streams that are captured into graphs: kernels, copies, fills, callbacks, forks over events; what may not
// be captured.
#include <cstdio>

__global__ void add(int *x, int v) {
  atomicAdd(x, v);
}
__global__ void twice(int *x) {
  x[threadIdx.x] *= 2;
}

static int called = 0;
static void CUDART_CB count_call(void *data) {
  called += *static_cast<int *>(data);
}

static void captured_work() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  int *x, *y, out = -1;
  static int step = 3, host[4] = {1, 2, 3, 4}, back[4] = {};
  cudaMalloc(&x, sizeof(int));
  cudaMalloc(&y, sizeof host);
  cudaStreamCaptureStatus status;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaStreamIsCapturing(a, &status);
  printf("capturing %d\n", static_cast<int>(status));
  cudaMemsetAsync(x, 0, sizeof(int), a);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  add<<<1, 32, 0, a>>>(x, 1);
  cudaMemcpyAsync(y, host, sizeof host, cudaMemcpyHostToDevice, b);
  twice<<<1, 4, 0, b>>>(y);
  cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDeviceToHost, b);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  add<<<2, 32, 0, a>>>(x, 2);
  cudaLaunchHostFunc(a, count_call, &step);
  cudaGraph_t graph = nullptr;
  printf("end %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
  size_t nodes = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  printf("%zu nodes, %zu roots, nothing done yet: %d\n", nodes, roots, called);
  cudaGraphNode_t all[16];
  int adds = 0, doubles = 0;
  cudaGraphGetNodes(graph, all, &nodes);
  for (size_t i = 0; i < nodes; ++i) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(all[i], &type);
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams p;
    cudaGraphKernelNodeGetParams(all[i], &p);
    adds += p.func == reinterpret_cast<void *>(add);
    doubles += p.func == reinterpret_cast<void *>(twice);
  }
  printf("%d kernels add, %d double\n", adds, doubles);
  cudaGraphExec_t exec;
  printf("instantiate %s\n", cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, a);
  cudaStreamSynchronize(a);
  cudaMemcpy(&out, x, sizeof out, cudaMemcpyDeviceToHost);
  printf("x %d, called %d, back %d %d\n", out, called, back[0], back[3]);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(x);
  cudaFree(y);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
}

/// An update keeps the executable graph and takes new arguments.
static void update() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *x, out = -1;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  cudaGraphExec_t exec = nullptr;
  for (int i = 1; i <= 3; ++i) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    add<<<1, i, 0, s>>>(x, i);
    cudaStreamEndCapture(s, &graph);
    cudaGraphExecUpdateResultInfo info;
    if (exec == nullptr)
      cudaGraphInstantiate(&exec, graph, 0);
    else
      printf("update %s\n", cudaGetErrorName(cudaGraphExecUpdate(exec, graph, &info)));
    cudaGraphDestroy(graph);
    cudaGraphLaunch(exec, s);
  }
  cudaStreamSynchronize(s);
  cudaMemcpy(&out, x, sizeof out, cudaMemcpyDeviceToHost);
  printf("updated %d\n", out);
  cudaGraphExecDestroy(exec);
  cudaFree(x);
  cudaStreamDestroy(s);
}

static void mistakes() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraph_t graph;
  printf("legacy stream: %s\n",
         cudaGetErrorName(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)));
  printf("no capture: %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  int *x;
  cudaMalloc(&x, sizeof(int));
  add<<<1, 1, 0, b>>>(x, 1);
  printf("not joined: %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(a)));
  printf("broken: %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
  cudaGetLastError();
  cudaFree(x);
  cudaEventDestroy(event);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}

int main() {
  captured_work();
  update();
  mistakes();
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
