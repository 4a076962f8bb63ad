// needs: CUDA 13
// What programs ask about memory: advice and prefetches of managed memory, what pools hold, pairs of devices.
#include <cstdint>
#include <cstdio>

static void check(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(error));
}
#define CHECK(call) check(call, __LINE__)

static int ask(cudaMemRangeAttribute which, const void *p, size_t bytes) {
  int value = -7;
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
  return value;
}
static void tell(const char *when, const void *p, size_t bytes) {
  printf("%s: read mostly %d, preferred %d, last prefetch %d\n", when,
         ask(cudaMemRangeAttributeReadMostly, p, bytes),
         ask(cudaMemRangeAttributePreferredLocation, p, bytes),
         ask(cudaMemRangeAttributeLastPrefetchLocation, p, bytes));
}

int main() {
  constexpr size_t bytes = 1 << 20, half = bytes / 2;
  char *p;
  CHECK(cudaMallocManaged(&p, bytes));
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  tell("new", p, bytes);
  CHECK(cudaMemAdvise(p, half, cudaMemAdviseSetReadMostly, device));
  tell("half of it advised", p, bytes);
  tell("that half", p, half);
  CHECK(cudaMemAdvise(p + half, half, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, device));
  CHECK(cudaMemPrefetchAsync(p, bytes, device, 0, nullptr));
  tell("all of it", p, bytes);
  CHECK(cudaMemPrefetchAsync(p, half, host, 0, nullptr));
  CHECK(cudaMemAdvise(p, half, cudaMemAdviseSetPreferredLocation, host));
  tell("two places", p, bytes);
  tell("the host's half", p, half);
  CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, device));
  CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, device));
  tell("taken back", p, bytes);

  CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, device));
  int devices[3] = {}, read_mostly = -7;
  void *to[] = {devices, &read_mostly};
  size_t sizes[] = {sizeof devices, sizeof read_mostly};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeReadMostly};
  CHECK(cudaMemRangeGetAttributes(to, sizes, which, 2, p, bytes));
  printf("accessed by %d %d %d, read mostly %d\n", devices[0], devices[1], devices[2], read_mostly);
  void *plain;
  CHECK(cudaMalloc(&plain, bytes));
  printf("no managed memory: %s\n",
         cudaGetErrorName(cudaMemRangeGetAttribute(&read_mostly, sizeof read_mostly,
                                                   cudaMemRangeAttributeReadMostly, plain, bytes)));
  CHECK(cudaFree(plain));
  CHECK(cudaFree(p));

  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  void *x, *y;
  CHECK(cudaMallocAsync(&x, 1024, nullptr));
  CHECK(cudaMallocAsync(&y, 2048, nullptr));
  CHECK(cudaFreeAsync(x, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  std::uint64_t used = 0, highest = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &highest));
  CHECK(cudaFreeAsync(y, nullptr));
  cudaMemAccessFlags access;
  cudaMemLocation where = device;
  CHECK(cudaMemPoolGetAccess(&access, pool, &where));
  printf("pool: used %d, at most %d, access %d\n", static_cast<int>(used), static_cast<int>(highest), access);

  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams node = {};
  node.poolProps.allocType = cudaMemAllocationTypePinned;
  node.poolProps.location = device;
  node.bytesize = 4096;
  cudaGraphNode_t allocation, end;
  CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &node));
  CHECK(cudaGraphAddMemFreeNode(&end, graph, &allocation, 1, node.dptr));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &highest));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
  printf("graphs: reserved %d, used at most %s\n", static_cast<int>(used),
         highest >= 4096 ? "4096 or more" : "?");

  int value;
  printf("a device and itself: %s\n",
         cudaGetErrorName(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0)));
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
