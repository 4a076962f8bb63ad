// Work of two streams on the same memory, one case each. The names of the cases that are right begin with
// "right".
#include <thread>

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
__global__ void odd_words(int *to) {
  to[2 * threadIdx.x + 1] = 1;
}
__constant__ int table[2][n];
__device__ int shifts[n];
__global__ void look_up(int *to, int half) {
  to[threadIdx.x] = table[half][threadIdx.x];
}
__global__ void shift(int *to) {
  to[threadIdx.x] += shifts[threadIdx.x];
}
__global__ void sample(int *to, cudaTextureObject_t from, int first) {
  to[threadIdx.x] = tex1Dfetch<int>(from, first + threadIdx.x);
}
__global__ void even_words(int *to) {
  to[2 * threadIdx.x] = 1;
}

struct Work {
  cudaStream_t a, b;
  cudaEvent_t event;
  int *x, *y, *pinned;
  explicit Work(unsigned flags = cudaStreamNonBlocking) {
    CHECK(cudaStreamCreateWithFlags(&a, flags));
    CHECK(cudaStreamCreateWithFlags(&b, flags));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaMalloc(&x, 2 * bytes));
    CHECK(cudaMalloc(&y, 2 * bytes));
    CHECK(cudaMallocHost(&pinned, 2 * bytes));
    CHECK(cudaMemset(x, 0, 2 * bytes));
    CHECK(cudaMemset(y, 0, 2 * bytes));
    CHECK(cudaDeviceSynchronize());
  }
  void end() {
    CHECK(cudaDeviceSynchronize());
    for (int *p : {x, y}) CHECK(cudaFree(p));
    CHECK(cudaFreeHost(pinned));
  }
};

static void write_and_read() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void read_and_write() {
  Work w;
  add<<<1, n, 0, w.a>>>(w.y, w.x);
  fill<<<1, n, 0, w.b>>>(w.x, 1);
  w.end();
}
static void kernel_and_copy() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaMemcpyAsync(w.pinned, w.x, bytes, cudaMemcpyDeviceToHost, w.b));
  w.end();
}
static void copy_and_kernel() {
  Work w;
  CHECK(cudaMemcpyAsync(w.x, w.y, bytes, cudaMemcpyDeviceToDevice, w.a));
  add<<<1, n, 0, w.b>>>(w.y + n, w.x);
  w.end();
}
static void pinned_buffer_used_twice() {
  Work w;
  CHECK(cudaMemcpyAsync(w.pinned, w.x, bytes, cudaMemcpyDeviceToHost, w.a));
  CHECK(cudaMemcpyAsync(w.y, w.pinned, bytes, cudaMemcpyHostToDevice, w.b));
  w.end();
}
static void event_too_early() {
  Work w;
  CHECK(cudaEventRecord(w.event, w.a));
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void host_waits_for_another() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaStreamSynchronize(w.b));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void plain_copy_beside_non_blocking() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  int host[n];
  CHECK(cudaMemcpy(host, w.x, bytes, cudaMemcpyDeviceToHost));
  w.end();
}
static void atomic_and_plain() {
  Work w;
  count<<<1, n, 0, w.a>>>(w.x);
  fill<<<1, n, 0, w.b>>>(w.x, 1);
  w.end();
}
static void blocking_streams() {
  Work w(cudaStreamDefault);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}

/// Runs `work` in a graph that is launched into a stream.
template <class Launch>
static void as_graph(cudaStream_t stream, const Launch &launch) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  launch();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
}
static void graph_beside_kernel() {
  Work w;
  as_graph(w.a, [&] { fill<<<1, n, 0, w.a>>>(w.x, 1); });
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void copy_waits_for_less_than_all() {  // cudaMemcpy waits for no stream that does not block
  Work w;
  int host[n] = {};
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaMemcpy(w.y, host, bytes, cudaMemcpyHostToDevice));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void threads_with_streams_of_their_own() {
  Work w;
  const auto work = [&] {
    fill<<<1, n, 0, cudaStreamPerThread>>>(w.x, 1);
    CHECK(cudaGetLastError());
  };
  std::thread(work).join();
  work();
  w.end();
}

static void right_graphs() {
  Work w;
  as_graph(w.a, [&] { fill<<<1, n, 0, w.a>>>(w.x, 1); });
  add<<<1, n, 0, w.a>>>(w.y, w.x);
  CHECK(cudaEventRecord(w.event, w.a));
  CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
  as_graph(w.b, [&] { add<<<1, n, 0, w.b>>>(w.x, w.y); });
  CHECK(cudaStreamSynchronize(w.b));
  as_graph(w.a, [&] { fill<<<1, n, 0, w.a>>>(w.y, 2); });
  w.end();
}
static void right_branches_of_a_graph() {  // captured from two streams that events join
  Work w;
  as_graph(w.a, [&] {
    fill<<<1, n, 0, w.a>>>(w.x, 1);
    CHECK(cudaEventRecord(w.event, w.a));
    CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
    add<<<1, n, 0, w.b>>>(w.y, w.x);
    CHECK(cudaEventRecord(w.event, w.b));
    CHECK(cudaStreamWaitEvent(w.a, w.event, 0));
    fill<<<1, n, 0, w.a>>>(w.x, 2);
  });
  w.end();
}
static void right_stream_of_the_thread() {  // the default streams wait for each other
  Work w;
  fill<<<1, n, 0, cudaStreamPerThread>>>(w.x, 1);
  add<<<1, n>>>(w.y, w.x);
  fill<<<1, n, 0, cudaStreamPerThread>>>(w.x, 2);
  w.end();
}
static void right_copy_waits_for_its_stream() {  // the host has the result, so the kernel has ended
  Work w;
  int host[n];
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaMemcpyAsync(host, w.x, bytes, cudaMemcpyDeviceToHost, w.a));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void right_destroyed_stream() {  // its work goes on, and the default stream waits for it
  Work w(cudaStreamDefault);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaStreamDestroy(w.a));
  add<<<1, n>>>(w.y, w.x);
  w.end();
}
static void right_query() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaEventRecord(w.event, w.a));
  while (cudaEventQuery(w.event) != cudaSuccess) {
  }
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  while (cudaStreamQuery(w.b) != cudaSuccess) {
  }
  fill<<<1, n, 0, w.a>>>(w.y, 1);
  w.end();
}
static void right_event() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaEventRecord(w.event, w.a));
  CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void right_host_waits() {
  Work w;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaStreamSynchronize(w.a));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  CHECK(cudaEventRecord(w.event, w.b));
  CHECK(cudaEventSynchronize(w.event));
  fill<<<1, n, 0, w.a>>>(w.y, 2);
  w.end();
}
static void right_halves() {  // a buffer, and each stream has its part of it
  Work w;
  for (int round = 0; round < 3; ++round)
    for (int half = 0; half < 2; ++half) {
      const cudaStream_t stream = half ? w.b : w.a;
      CHECK(cudaMemcpyAsync(w.x + half * n, w.pinned + half * n, bytes, cudaMemcpyHostToDevice, stream));
      add<<<1, n, 0, stream>>>(w.x + half * n, w.y);
      CHECK(cudaMemcpyAsync(w.pinned + half * n, w.x + half * n, bytes, cudaMemcpyDeviceToHost, stream));
    }
  w.end();
}
static void right_words_in_turn() {
  Work w;
  even_words<<<1, n, 0, w.a>>>(w.x);
  odd_words<<<1, n, 0, w.b>>>(w.x);
  w.end();
}
static void right_both_read() {
  Work w;
  add<<<1, n, 0, w.a>>>(w.y, w.x);
  add<<<1, n, 0, w.b>>>(w.y + n, w.x);
  w.end();
}
static void right_both_atomic() {
  Work w;
  count<<<1, n, 0, w.a>>>(w.x);
  count<<<1, n, 0, w.b>>>(w.x);
  w.end();
}
static void right_legacy_between() {  // the default stream waits for blocking ones, and they for it
  Work w(cudaStreamDefault);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  add<<<1, n>>>(w.y, w.x);
  fill<<<1, n, 0, w.b>>>(w.x, 2);
  w.end();
}
static void right_copies_of_pageable_memory() {
  Work w;
  int host[n] = {};
  CHECK(cudaMemcpyAsync(w.x, host, bytes, cudaMemcpyHostToDevice, w.a));
  CHECK(cudaMemcpyAsync(w.y, host, bytes, cudaMemcpyHostToDevice, w.b));
  w.end();
}
static void CUDART_CB say(void *said) {
  *static_cast<bool *>(said) = true;
}
static void right_callback() {  // the host learns of the end by a callback
  Work w;
  volatile bool said = false;
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaLaunchHostFunc(w.a, say, const_cast<bool *>(&said)));
  while (!said) {
  }
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}
static void right_chain_of_events() {
  Work w;
  cudaStream_t c;
  CHECK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaEventRecord(w.event, w.a));
  CHECK(cudaStreamWaitEvent(c, w.event, 0));
  CHECK(cudaEventRecord(w.event, c));
  CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
  add<<<1, n, 0, w.b>>>(w.y, w.x);
  w.end();
}

/// A texture of both halves of w.x.
static cudaTextureObject_t texture_of(const Work &w) {
  cudaResourceDesc from = {};
  from.resType = cudaResourceTypeLinear;
  from.res.linear.devPtr = w.x;
  from.res.linear.desc = cudaCreateChannelDesc<int>();
  from.res.linear.sizeInBytes = 2 * bytes;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t made;
  CHECK(cudaCreateTextureObject(&made, &from, &how, nullptr));
  return made;
}
static void texture_beside_kernel() {
  Work w;
  const cudaTextureObject_t texture = texture_of(w);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  sample<<<1, n, 0, w.b>>>(w.y, texture, 0);
  w.end();
}
static void array_beside_copy() {
  Work w;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaResourceDesc from = {};
  from.resType = cudaResourceTypeArray;
  CHECK(cudaMallocArray(&from.res.array.array, &format, n, 1));
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &from, &how, nullptr));
  CHECK(cudaMemcpy2DToArray(from.res.array.array, 0, 0, w.x, bytes, bytes, 1, cudaMemcpyDeviceToDevice));
  CHECK(cudaDeviceSynchronize());
  sample<<<1, n, 0, w.a>>>(w.y, texture, 0);
  CHECK(cudaMemcpy2DToArrayAsync(from.res.array.array, 0, 0, w.x, bytes, bytes, 1, cudaMemcpyDeviceToDevice,
                                 w.b));
  w.end();
}
static void constants_beside_copy() {
  Work w;
  look_up<<<1, n, 0, w.a>>>(w.y, 0);
  CHECK(cudaMemcpyToSymbolAsync(table, w.pinned, bytes, 0, cudaMemcpyHostToDevice, w.b));
  w.end();
}
static void kernel_writes_constants() {
  Work w;
  int *backing;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&backing), table));
  CHECK(cudaMemcpyAsync(backing, w.x, bytes, cudaMemcpyDeviceToDevice, w.a));
  look_up<<<1, n, 0, w.b>>>(w.y, 0);
  w.end();
}
static void variable_beside_copy() {
  Work w;
  shift<<<1, n, 0, w.a>>>(w.y);
  CHECK(cudaMemcpyToSymbolAsync(shifts, w.pinned, bytes, 0, cudaMemcpyHostToDevice, w.b));
  w.end();
}
static void right_texture_of_another_half() {
  Work w;
  const cudaTextureObject_t texture = texture_of(w);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  sample<<<1, n, 0, w.b>>>(w.y, texture, n);
  w.end();
}
static void right_texture_after_event() {
  Work w;
  const cudaTextureObject_t texture = texture_of(w);
  fill<<<1, n, 0, w.a>>>(w.x, 1);
  CHECK(cudaEventRecord(w.event, w.a));
  CHECK(cudaStreamWaitEvent(w.b, w.event, 0));
  sample<<<1, n, 0, w.b>>>(w.y, texture, 0);
  w.end();
}
static void right_constants_in_turn() {  // one half is read while the other one is copied
  Work w;
  look_up<<<1, n, 0, w.a>>>(w.y, 0);
  CHECK(cudaMemcpyToSymbolAsync(table, w.pinned, bytes, bytes, cudaMemcpyHostToDevice, w.b));
  w.end();
}
static void right_constants_before() {
  Work w;
  CHECK(cudaMemcpyToSymbolAsync(table, w.pinned, bytes, 0, cudaMemcpyHostToDevice, w.a));
  look_up<<<1, n, 0, w.a>>>(w.y, 0);
  look_up<<<1, n, 0, w.b>>>(w.y + n, 1);
  w.end();
}

int main(int argc, char **argv) {
#define CASE(name) \
  { #name, name }
  const Case cases[] = {CASE(write_and_read),
                        CASE(read_and_write),
                        CASE(kernel_and_copy),
                        CASE(copy_and_kernel),
                        CASE(pinned_buffer_used_twice),
                        CASE(event_too_early),
                        CASE(host_waits_for_another),
                        CASE(plain_copy_beside_non_blocking),
                        CASE(atomic_and_plain),
                        CASE(blocking_streams),
                        CASE(graph_beside_kernel),
                        CASE(copy_waits_for_less_than_all),
                        CASE(threads_with_streams_of_their_own),
                        CASE(right_graphs),
                        CASE(right_branches_of_a_graph),
                        CASE(right_stream_of_the_thread),
                        CASE(right_copy_waits_for_its_stream),
                        CASE(right_destroyed_stream),
                        CASE(right_query),
                        CASE(right_event),
                        CASE(right_host_waits),
                        CASE(right_halves),
                        CASE(right_words_in_turn),
                        CASE(right_both_read),
                        CASE(right_both_atomic),
                        CASE(right_legacy_between),
                        CASE(right_copies_of_pageable_memory),
                        CASE(right_callback),
                        CASE(right_chain_of_events),
                        CASE(texture_beside_kernel),
                        CASE(array_beside_copy),
                        CASE(constants_beside_copy),
                        CASE(kernel_writes_constants),
                        CASE(variable_beside_copy),
                        CASE(right_texture_of_another_half),
                        CASE(right_texture_after_event),
                        CASE(right_constants_in_turn),
                        CASE(right_constants_before)};
  return run_case(cases, argc, argv);
}
