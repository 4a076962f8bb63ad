// Memory in the order of streams, pools, events between streams, callbacks, mapped and managed memory.
#include <cstdio>
#include <cstring>

__global__ void fill(int *p, int value, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + i;
}
__global__ void add(int *to, const int *from, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] += from[i];
}
__managed__ int managed_values[4] = {1, 2, 3, 4};
__global__ void twice() {
  managed_values[threadIdx.x] *= 2;
}

static int order = 0;
static void CUDART_CB note(void *data) {
  *static_cast<int *>(data) = ++order;
}
static void CUDART_CB old_note(cudaStream_t, cudaError_t status, void *data) {
  *static_cast<int *>(data) = status == cudaSuccess ? ++order : -1;
}

int main() {
  constexpr int n = 256;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);

  int *x, *y, *host;
  cudaMallocHost(&host, n * sizeof(int));
  printf("%s\n", cudaGetErrorName(cudaMallocAsync(&x, n * sizeof(int), a)));
  cudaMemPool_t pool, own;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long threshold = ~0ull;
  printf("%s\n",
         cudaGetErrorName(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold)));
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  printf("%s\n", cudaGetErrorName(cudaMemPoolCreate(&own, &props)));
  printf("%s\n", cudaGetErrorName(cudaMallocFromPoolAsync(&y, n * sizeof(int), own, b)));
  fill<<<1, 64, 0, a>>>(x, 1, n);
  cudaEventRecord(ready, a);
  fill<<<1, 64, 0, b>>>(y, 1000, n);
  cudaStreamWaitEvent(b, ready, 0);
  add<<<1, 64, 0, b>>>(y, x, n);
  int first = 0, second = 0;
  cudaLaunchHostFunc(b, note, &first);
  cudaMemcpyAsync(host, y, n * sizeof(int), cudaMemcpyDeviceToHost, b);
  cudaStreamAddCallback(b, old_note, &second, 0);
  cudaFreeAsync(y, b);
  cudaStreamSynchronize(b);
  cudaFreeAsync(x, a);
  cudaStreamSynchronize(a);
  printf("%d %d, callbacks %d %d\n", host[0], host[n - 1], first, second);
  printf("query %s %s\n", cudaGetErrorName(cudaStreamQuery(a)), cudaGetErrorName(cudaEventQuery(ready)));
  printf("pool %s\n", cudaGetErrorName(cudaMemPoolDestroy(own)));

  int *mapped, *alias;
  cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&alias, mapped, 0);
  fill<<<1, 32>>>(alias, 7, n);
  cudaDeviceSynchronize();
  printf("mapped %d %d\n", mapped[0], mapped[n - 1]);
  static int registered[n];
  cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault);
  cudaHostGetDevicePointer(&alias, registered, 0);
  fill<<<1, 32>>>(alias, 70, n);
  cudaDeviceSynchronize();
  printf("registered %d\n", registered[n - 1]);
  cudaHostUnregister(registered);

  int *managed;
  cudaMallocManaged(&managed, n * sizeof(int));
  memset(managed, 0, n * sizeof(int));
  fill<<<1, 32>>>(managed, 100, n);
  cudaDeviceSynchronize();
  managed[0] += 1;
  add<<<1, 32>>>(managed, mapped, n);
  twice<<<1, 4>>>();
  cudaDeviceSynchronize();
  printf("managed %d %d, variable %d\n", managed[0], managed[1], managed_values[3]);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, managed);
  printf("type %d\n", attributes.type == cudaMemoryTypeManaged);
  cudaFree(managed);
  cudaFreeHost(mapped);
  cudaFreeHost(host);
  cudaEventDestroy(ready);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  printf("end %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
