// Nodes of graphs that use the same memory, one case each. The names of the cases that are right begin with
// "right".
#include <vector>

#include "check.hpp"

constexpr int n = 256, bytes = n * sizeof(int);

__global__ void fill(int *to, int value) {
  to[threadIdx.x] = value;
}
__global__ void add(int *to, const int *from) {
  to[threadIdx.x] += from[threadIdx.x];
}
__global__ void count(int *to) {
  atomicAdd(to, 1);
}

/// Memory, two streams to capture, and a graph to build by hand.
struct Work {
  cudaStream_t a, b;
  cudaEvent_t event, other;
  cudaGraph_t graph;
  int *x, *y, *pinned, pageable[n] = {};
  Work() {
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaMalloc(&x, 2 * bytes));
    CHECK(cudaMalloc(&y, 2 * bytes));
    CHECK(cudaMallocHost(&pinned, 2 * bytes));
    CHECK(cudaMemset(x, 0, 2 * bytes));
    CHECK(cudaMemset(y, 0, 2 * bytes));
    CHECK(cudaDeviceSynchronize());
  }
  using Nodes = std::vector<cudaGraphNode_t>;
  cudaGraphNode_t kernel(const void *function, int blocks, int threads, void **arguments,
                         const Nodes &before) {
    cudaKernelNodeParams p = {};
    p.func = const_cast<void *>(function);
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(threads);
    p.kernelParams = arguments;
    cudaGraphNode_t made;
    CHECK(cudaGraphAddKernelNode(&made, graph, before.data(), before.size(), &p));
    return made;
  }
  cudaGraphNode_t fill_node(int *to, int value, const Nodes &before = {}) {
    void *arguments[] = {&to, &value};
    return kernel(reinterpret_cast<const void *>(fill), 1, n, arguments, before);
  }
  cudaGraphNode_t add_node(int *to, int *from, const Nodes &before = {}) {
    void *arguments[] = {&to, &from};
    return kernel(reinterpret_cast<const void *>(add), 1, n, arguments, before);
  }
  cudaGraphNode_t count_node(int *to, const Nodes &before = {}) {
    void *arguments[] = {&to};
    return kernel(reinterpret_cast<const void *>(count), 1, n, arguments, before);
  }
  cudaGraphNode_t copy_node(void *to, const void *from, const Nodes &before = {}) {
    cudaGraphNode_t made;
    CHECK(cudaGraphAddMemcpyNode1D(&made, graph, before.data(), before.size(), to, from, bytes,
                                   cudaMemcpyDefault));
    return made;
  }
  cudaGraphExec_t exec() {
    cudaGraphExec_t made;
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    return made;
  }
  void run() {
    CHECK(cudaGraphLaunch(exec(), a));
    end();
  }
  void end() {
    CHECK(cudaDeviceSynchronize());
    for (int *p : {x, y}) CHECK(cudaFree(p));
    CHECK(cudaFreeHost(pinned));
  }
  /// Captures `first` in a beside `second` in b, and runs both as a graph.
  template <class First, class Second>
  void capture(const First &first, const Second &second) {
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, a));
    CHECK(cudaStreamWaitEvent(b, event, 0));
    first();
    second();
    CHECK(cudaEventRecord(other, b));
    CHECK(cudaStreamWaitEvent(a, other, 0));
    CHECK(cudaStreamEndCapture(a, &graph));
    run();
  }
};

static void captured_branches() {
  Work w;
  w.capture([&] { fill<<<1, n, 0, w.a>>>(w.x, 1); }, [&] { add<<<1, n, 0, w.b>>>(w.y, w.x); });
}
static void captured_copy() {
  Work w;
  w.capture([&] { fill<<<1, n, 0, w.a>>>(w.x, 1); },
            [&] { CHECK(cudaMemcpyAsync(w.pinned, w.x, bytes, cudaMemcpyDeviceToHost, w.b)); });
}
static void missing_edge() {
  Work w;
  w.fill_node(w.x, 1);
  w.add_node(w.y, w.x);
  w.run();
}
static void edge_to_another() {  // fill waits for nothing that add waits for
  Work w;
  const cudaGraphNode_t first = w.fill_node(w.y, 1);
  w.fill_node(w.x, 1, {first});
  w.add_node(w.y, w.x, {first});
  w.run();
}
static void copies_to_one_buffer() {
  Work w;
  w.copy_node(w.pageable, w.x);
  w.copy_node(w.pageable, w.y);
  w.run();
}
static void graph_within_beside_kernel() {
  Work w;
  cudaGraph_t outer;
  cudaGraphNode_t child;
  CHECK(cudaGraphCreate(&outer, 0));
  w.fill_node(w.x, 1);
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, w.graph));
  w.graph = outer;
  w.add_node(w.y, w.x);
  w.run();
}
static void fork_within_a_chain() {
  Work w;
  cudaGraph_t inner = w.graph;
  w.fill_node(w.x, 1);
  w.add_node(w.y, w.x);
  CHECK(cudaGraphCreate(&w.graph, 0));
  const cudaGraphNode_t first = w.fill_node(w.x, 1);
  cudaGraphNode_t child;
  CHECK(cudaGraphAddChildGraphNode(&child, w.graph, &first, 1, inner));
  w.run();
}
static void atomic_beside_plain() {
  Work w;
  w.count_node(w.x);
  w.add_node(w.y, w.x);
  w.run();
}
static void CUDART_CB nothing(void *) {}
static void host_node_of_another_branch() {
  Work w;
  w.fill_node(w.x, 1);
  const cudaGraphNode_t other = w.fill_node(w.y, 1);
  cudaHostNodeParams p = {nothing, nullptr};
  cudaGraphNode_t host;
  CHECK(cudaGraphAddHostNode(&host, w.graph, &other, 1, &p));
  w.add_node(w.y, w.x, {host});
  w.run();
}

static void right_edge() {
  Work w;
  w.add_node(w.y, w.x, {w.fill_node(w.x, 1)});
  w.run();
}
static void right_diamond() {
  Work w;
  const cudaGraphNode_t first = w.fill_node(w.x, 1);
  const cudaGraphNode_t left = w.add_node(w.y, w.x, {first}), right = w.add_node(w.y + n, w.x, {first});
  w.add_node(w.x, w.y, {left, right});
  w.run();
}
static void right_empty_node_joins() {
  Work w;
  const Work::Nodes both = {w.fill_node(w.x, 1), w.fill_node(w.y, 1)};
  cudaGraphNode_t join;
  CHECK(cudaGraphAddEmptyNode(&join, w.graph, both.data(), both.size()));
  w.add_node(w.y, w.x, {join});
  w.run();
}
static void right_both_atomic() {
  Work w;
  w.count_node(w.x);
  w.count_node(w.x);
  w.run();
}
static void right_halves() {
  Work w;
  w.fill_node(w.x, 1);
  w.fill_node(w.x + n, 2);
  w.run();
}
static void right_captured() {
  Work w;
  w.capture([&] { fill<<<1, n, 0, w.a>>>(w.x, 1); }, [&] { fill<<<1, n, 0, w.b>>>(w.y, 1); });
}
static void right_graph_within() {
  Work w;
  cudaGraph_t inner = w.graph;
  w.fill_node(w.x, 1);
  w.fill_node(w.y, 1);
  CHECK(cudaGraphCreate(&w.graph, 0));
  cudaGraphNode_t child;
  CHECK(cudaGraphAddChildGraphNode(&child, w.graph, nullptr, 0, inner));
  w.add_node(w.y, w.x, {child});
  w.run();
}
static void right_launches_of_one_graph() {  // they run one after the other, in whichever stream
  Work w;
  w.add_node(w.y, w.x, {w.fill_node(w.x, 1)});
  const cudaGraphExec_t exec = w.exec();
  CHECK(cudaGraphLaunch(exec, w.a));
  CHECK(cudaGraphLaunch(exec, w.b));
  w.end();
}
static void right_switched_off() {
  Work w;
  const cudaGraphNode_t first = w.fill_node(w.x, 1);
  w.add_node(w.y, w.x);
  const cudaGraphExec_t exec = w.exec();
  CHECK(cudaGraphNodeSetEnabled(exec, first, 0));
  CHECK(cudaGraphLaunch(exec, w.a));
  w.end();
}

int main(int argc, char **argv) {
#define CASE(name) \
  { #name, name }
  const Case cases[] = {CASE(captured_branches),
                        CASE(captured_copy),
                        CASE(missing_edge),
                        CASE(edge_to_another),
                        CASE(copies_to_one_buffer),
                        CASE(graph_within_beside_kernel),
                        CASE(fork_within_a_chain),
                        CASE(atomic_beside_plain),
                        CASE(host_node_of_another_branch),
                        CASE(right_edge),
                        CASE(right_diamond),
                        CASE(right_empty_node_joins),
                        CASE(right_both_atomic),
                        CASE(right_halves),
                        CASE(right_captured),
                        CASE(right_graph_within),
                        CASE(right_launches_of_one_graph),
                        CASE(right_switched_off)};
  return run_case(cases, argc, argv);
}
