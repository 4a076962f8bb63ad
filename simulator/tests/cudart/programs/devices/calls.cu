// What the calls about several devices answer. Two H200 gave calls.out, but for the lines on managed memory.
// needs: CUDA 13
// nvcc: -lcuda
// With -DPLAIN it uses no managed memory.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <thread>

__device__ int number = 7;
__device__ int room[4];
__global__ void set(int *to, int value) {
  *to = value;
}
__global__ void dynamic(int *to) {
  extern __shared__ int big[];
  big[threadIdx.x] = 1;
  *to = big[threadIdx.x];
}

static void say(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}
static void say(const char *what, CUresult error) {
  const char *name = "?";
  cuGetErrorName(error, &name);
  printf("%s: %s\n", what, name);
}
static int device_of(const void *p) {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, p) ? -9 : attributes.device;
}
static int current() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}
static int at(const int *p) {
  int value = -1;
  if (cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault)) printf("cannot be copied: ");
  cudaGetLastError();
  return value;
}

static void peers() {
  int can = -1, value = -1;
  cudaDeviceCanAccessPeer(&can, 0, 1);
  printf("0 can access 1: %d\n", can);
  cudaDeviceCanAccessPeer(&can, 0, 0);
  printf("0 can access 0: %d\n", can);
  say("can access device 7", cudaDeviceCanAccessPeer(&can, 0, 7));
  say("enable itself", cudaDeviceEnablePeerAccess(0, 0));
  say("disable itself", cudaDeviceDisablePeerAccess(0));
  say("disable what is not enabled", cudaDeviceDisablePeerAccess(1));
  say("enable with flags", cudaDeviceEnablePeerAccess(1, 1));
  say("enable device 7", cudaDeviceEnablePeerAccess(7, 0));
  say("enable", cudaDeviceEnablePeerAccess(1, 0));
  say("enable again", cudaDeviceEnablePeerAccess(1, 0));
  say("disable", cudaDeviceDisablePeerAccess(1));
  say("disable again", cudaDeviceDisablePeerAccess(1));
  say("access supported", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  printf("%d\n", value);
  say("atomics supported", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
  printf("%d\n", value);
  say("attribute of one device", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
  say("attribute of device 7", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 7));
}

static void streams_and_events() {
  int *of0, *of1;
  float time = 0;
  cudaStream_t s0, s1;
  cudaEvent_t e0, e1, t0, t1;
  cudaMalloc(&of0, sizeof(int));
  cudaStreamCreate(&s0);
  cudaEventCreate(&e0);
  cudaEventCreate(&t0);
  cudaSetDevice(1);
  cudaMalloc(&of1, sizeof(int));
  cudaStreamCreate(&s1);
  cudaEventCreate(&e1);
  cudaEventCreate(&t1);
  say("cudaMemsetAsync in a stream of another device", cudaMemsetAsync(of1, 0, sizeof(int), s0));
  say("cudaMemcpyAsync in a stream of another device",
      cudaMemcpyAsync(of1, of0, sizeof(int), cudaMemcpyDefault, s0));
  say("an event in a stream of another device", cudaEventRecord(e1, s0));
  say("an event of another device in the default stream", cudaEventRecord(e0, 0));
  say("an event of another device in its stream", cudaEventRecord(e0, s0));
  say("an event in its own stream", cudaEventRecord(e1, s1));
  say("waiting for an event of another device", cudaStreamWaitEvent(s1, e0, 0));
  say("a stream of another device waits", cudaStreamWaitEvent(s0, e1, 0));
  say("cudaEventSynchronize of another device", cudaEventSynchronize(e0));
  say("cudaStreamSynchronize of another device", cudaStreamSynchronize(s0));
  say("cudaEventQuery of another device", cudaEventQuery(e0));
  say("cudaStreamQuery of another device", cudaStreamQuery(s0));
  say("time between devices", cudaEventElapsedTime(&time, e0, e1));
  cudaSetDevice(0);
  set<<<1, 1, 0, s0>>>(of0, 4);
  say("a kernel in a stream of its device", cudaGetLastError());
  say("cudaFree of another device", cudaFree(of1));
  say("cudaStreamDestroy of another device", cudaStreamDestroy(s1));
  say("cudaEventDestroy of another device", cudaEventDestroy(e1));
  cudaFree(of0);
}

static void memory() {
  int *of0, *of1, *managed, *pinned, *pooled, value = 11;
  size_t before = 0, after = 0, total = 0;
  cudaMalloc(&of0, sizeof(int));
  cudaMemGetInfo(&before, &total);
  cudaSetDevice(1);
  cudaMalloc(&of1, 64 << 20);
#ifdef PLAIN
  managed = of1;
#else
  cudaMallocManaged(&managed, sizeof(int));
#endif
  cudaMallocHost(&pinned, sizeof(int));
  cudaMallocAsync(&pooled, sizeof(int), 0);
  printf("devices: %d %d managed %d pinned %d pooled %d\n", device_of(of0), device_of(of1),
         device_of(managed), device_of(pinned), device_of(pooled));
  cudaSetDevice(0);
  cudaMemGetInfo(&after, &total);
  printf("memory of device 0 is as before: %d\n", before == after);
  cudaMemcpy(of0, &value, sizeof value, cudaMemcpyHostToDevice);
  say("cudaMemcpy between devices", cudaMemcpy(of1, of0, sizeof(int), cudaMemcpyDeviceToDevice));
  printf("%d\n", at(of1));
  say("cudaMemcpyPeer", cudaMemcpyPeer(of0, 0, of1, 1, sizeof(int)));
  say("cudaMemcpyPeer with a wrong device", cudaMemcpyPeer(of0, 1, of1, 0, sizeof(int)));
  say("cudaMemcpyPeer with device 7", cudaMemcpyPeer(of0, 0, of1, 7, sizeof(int)));
  say("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(of0, 0, of1, 1, sizeof(int), 0));
  say("cudaMemset of another device", cudaMemset(of1, 0, sizeof(int)));
#ifndef PLAIN
  set<<<1, 1>>>(managed, 5);
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  set<<<1, 1>>>(managed, 6);
  say("managed memory on both devices", cudaDeviceSynchronize());
  printf("%d\n", *managed);
#endif
  cudaSetDevice(1);
  set<<<1, 1>>>(pinned, 8);
  say("pinned memory on the other device", cudaDeviceSynchronize());
  printf("%d\n", *pinned);
#ifndef PLAIN
  cudaMemLocation there{};
  there.type = cudaMemLocationTypeDevice;
  there.id = 1;
  say("cudaMemPrefetchAsync to device 1", cudaMemPrefetchAsync(managed, sizeof(int), there, 0, 0));
  say("cudaMemAdvise for device 1",
      cudaMemAdvise(managed, sizeof(int), cudaMemAdviseSetPreferredLocation, there));
  there.id = 7;
  say("cudaMemPrefetchAsync to device 7", cudaMemPrefetchAsync(managed, sizeof(int), there, 0, 0));
  cudaFree(managed);
#endif
  cudaFreeAsync(pooled, 0);
  cudaFree(of0), cudaFree(of1), cudaFreeHost(pinned);
  cudaSetDevice(0);
}

static void device_code() {
  int *address0 = nullptr, *address1 = nullptr, value = 70;
  cudaFuncAttributes of{};
  cudaMemcpyToSymbol(number, &value, sizeof value);
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address0), number);
  cudaSetDevice(1);
  cudaMemcpyFromSymbol(&value, number, sizeof value);
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address1), number);
  printf("on device 1: %d, another place: %d, of devices %d and %d\n", value, address0 != address1,
         device_of(address0), device_of(address1));
  printf("on device 0: %d\n", at(address0));
  cudaSetDevice(0);
  say("more shared memory on device 0",
      cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address0), room);
  dynamic<<<1, 1, 65536>>>(address0);
  say("there", cudaGetLastError());
  cudaFuncGetAttributes(&of, dynamic);
  printf("%d\n", of.maxDynamicSharedSizeBytes);
  cudaSetDevice(1);
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address1), room);
  dynamic<<<1, 1, 65536>>>(address1);
  say("not on device 1", cudaGetLastError());
  cudaFuncGetAttributes(&of, dynamic);
  printf("%d\n", of.maxDynamicSharedSizeBytes);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaDeviceSynchronize();
}

static void devices() {
  int count = 0, chosen = -1, of_stream = -1;
  cudaDeviceProp prop{};
  char id0[32], id1[32];
  cudaStream_t s1;
  cudaGetDeviceCount(&count);
  printf("%d devices, current %d\n", count, current());
  say("device -1", cudaSetDevice(-1));
  say("device 7", cudaSetDevice(7));
  say("properties of device 1", cudaGetDeviceProperties(&prop, 1));
  say("properties of device 7", cudaGetDeviceProperties(&prop, 7));
  cudaDeviceGetPCIBusId(id0, sizeof id0, 0);
  cudaDeviceGetPCIBusId(id1, sizeof id1, 1);
  cudaDeviceGetByPCIBusId(&chosen, id1);
  printf("other bus: %d, found as %d\n", strcmp(id0, id1) != 0, chosen);
  say("no such bus", cudaDeviceGetByPCIBusId(&chosen, "0123:45:07.0"));
  say("bus of device 7", cudaDeviceGetPCIBusId(id1, sizeof id1, 7));
  cudaSetDevice(1);
  std::thread([] { printf("another thread begins with %d\n", current()); }).join();
  cudaStreamCreate(&s1);
  cudaSetDevice(0);
  say("cudaStreamGetDevice", cudaStreamGetDevice(s1, &of_stream));
  printf("%d\n", of_stream);
  cudaStreamDestroy(s1);
  say("an attribute of device 7", cudaDeviceGetAttribute(&chosen, cudaDevAttrWarpSize, 7));
}

static void driver() {
  int count = 0;
  CUdevice device = -1;
  CUcontext primary0, primary1, made, now;
  CUdeviceptr of0, of1;
  cuDeviceGetCount(&count);
  cudaSetDevice(1);
  cuCtxGetDevice(&device);
  printf("driver: %d devices, current %d\n", count, device);
  say("cuDeviceGet 7", cuDeviceGet(&device, 7));
  cuDevicePrimaryCtxRetain(&primary0, 0);
  cuDevicePrimaryCtxRetain(&primary1, 1);
  cuCtxGetCurrent(&now);
  printf("primary contexts differ: %d, that of device 1 is current: %d\n", primary0 != primary1,
         now == primary1);
  cuCtxSetCurrent(primary0);
  printf("the runtime's device: %d\n", current());
  cuMemAlloc(&of0, 64);
  cuCtxPushCurrent(primary1);
  cuMemAlloc(&of1, 64);
  cuMemsetD32(of1, 9, 16);
  say("cuMemcpyPeer", cuMemcpyPeer(of0, primary0, of1, primary1, 64));
  printf("%d\n", at(reinterpret_cast<int *>(of0)));
  int ordinal = -1;
  cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, of0);
  printf("device of the pointer: %d\n", ordinal);
  say("cuCtxEnablePeerAccess to itself", cuCtxEnablePeerAccess(primary1, 0));
  say("cuCtxEnablePeerAccess", cuCtxEnablePeerAccess(primary0, 0));
  say("cuCtxEnablePeerAccess again", cuCtxEnablePeerAccess(primary0, 0));
  say("cudaDeviceEnablePeerAccess after it", cudaDeviceEnablePeerAccess(0, 0));
  say("cuCtxDisablePeerAccess", cuCtxDisablePeerAccess(primary0));
  say("cuCtxDisablePeerAccess again", cuCtxDisablePeerAccess(primary0));
  cuCtxPopCurrent(&now);
  printf("popped that of device 1: %d, now %d\n", now == primary1, current());
#if CUDA_VERSION >= 13000
  cuCtxCreate(&made, nullptr, 0, 1);
#else
  cuCtxCreate(&made, 0, 1);
#endif
  printf("a context of device 1: %d\n", current());
  cuCtxDestroy(made);
  cuMemFree(of0), cuMemFree(of1);
  cudaSetDevice(0);
}

static void reset() {
  int *of0, *of1, value = 21;
  cudaStream_t s1;
  cudaMalloc(&of0, sizeof(int));
  cudaMemcpy(of0, &value, sizeof value, cudaMemcpyHostToDevice);
  cudaSetDevice(1);
  cudaMalloc(&of1, sizeof(int));
  cudaStreamCreate(&s1);
  say("cudaDeviceReset", cudaDeviceReset());
  printf("memory of device 0: %d\n", at(of0));
  cudaMemcpyFromSymbol(&value, number, sizeof value);
  printf("the variable of device 1 anew: %d\n", value);
  cudaSetDevice(0);
  cudaMemcpyFromSymbol(&value, number, sizeof value);
  printf("that of device 0: %d\n", value);
  cudaFree(of0);
}

int main() {
  setbuf(stdout, nullptr);
  devices();
  peers();
  streams_and_events();
  memory();
  device_code();
  driver();
  reset();
}
