// nvcc: -lcuda
// The driver API: addresses that are reserved, memory that is mapped there, grows in place and has two addresses.
#include <cuda.h>

#include <cstdio>

#include "../driver_check.hpp"

__global__ void fill(int *to, unsigned count, int first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = first + static_cast<int>(i);
}
__global__ void sum(const int *from, unsigned count, unsigned long long *to) {
  unsigned long long mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += from[i];
  atomicAdd(to, mine);
}

static CUmemAllocationProp on_device() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return properties;
}

static void grant(CUdeviceptr p, size_t bytes) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = 0;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(cuMemSetAccess(p, bytes, &access, 1));
}

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  int supported = 0;
  CHECK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
  printf("supported: %d\n", supported);
  const CUmemAllocationProp properties = on_device();
  size_t piece = 0;
  CHECK(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("pieces of 2 MiB: %d\n", piece == size_t{2} << 20);

  // A vector that grows without being copied: its addresses are there from the start.
  CUdeviceptr vector;
  CHECK(cuMemAddressReserve(&vector, 4 * piece, 0, 0, 0));
  CUmemGenericAllocationHandle first, second;
  CHECK(cuMemCreate(&first, piece, &properties, 0));
  CHECK(cuMemMap(vector, piece, 0, first, 0));
  unsigned long long flags = 7;
  CUmemLocation here = properties.location;
  grant(vector, piece);
  CHECK(cuMemGetAccess(&flags, &here, vector));
  printf("access: %llu\n", flags);
  const unsigned count = piece / sizeof(int);
  fill<<<count / 256, 256>>>((int *)vector, count, 0);
  CHECK(cuMemCreate(&second, piece, &properties, 0));
  CHECK(cuMemMap(vector + piece, piece, 0, second, 0));
  grant(vector + piece, piece);
  CHECK(cuMemRelease(second));  // it stays as long as it is mapped
  fill<<<count / 256, 256>>>((int *)vector + count, count, count);
  CUdeviceptr total;
  CHECK(cuMemAlloc(&total, 8));
  CHECK(cuMemsetD8(total, 0, 8));
  sum<<<1, 256>>>((const int *)vector, 2 * count, (unsigned long long *)total);
  unsigned long long host = 0;
  CHECK(cuMemcpyDtoH(&host, total, 8));
  printf("sum: %d\n", host == 2ull * count * (2ull * count - 1) / 2);
  int last[2];
  CHECK(cuMemcpyDtoH(last, vector + piece - 4, 4));
  CHECK(cuMemcpyDtoH(last + 1, vector + piece, 4));
  printf("at the seam: %d %d\n", last[0], last[1] - last[0]);

  // The same memory at a second address.
  CUdeviceptr alias;
  CHECK(cuMemAddressReserve(&alias, piece, 0, 0, 0));
  CHECK(cuMemMap(alias, piece, 0, first, 0));
  grant(alias, piece);
  int value = 4711;
  CHECK(cuMemcpyHtoD(alias + 40, &value, 4));
  CHECK(cuMemcpyDtoH(last, vector + 40, 4));
  printf("through the alias: %d\n", last[0]);
  CUmemGenericAllocationHandle same;
  CHECK(cuMemRetainAllocationHandle(&same, (void *)(alias + 8)));
  CUmemAllocationProp known = {};
  CHECK(cuMemGetAllocationPropertiesFromHandle(&known, same));
  printf("on device %d\n", known.location.id);
  CHECK(cuMemRelease(same));

  // What is wrong is said.
  printf("half a piece: %d\n", (int)cuMemCreate(&same, piece / 2, &properties, 0));
  printf("mapped twice: %d\n", (int)cuMemMap(vector, piece, 0, first, 0));
  printf("not reserved: %d\n", (int)cuMemMap(vector + 4 * piece, piece, 0, first, 0));
  printf("still mapped: %d\n", (int)cuMemAddressFree(alias, piece));

  CHECK(cuMemUnmap(alias, piece));
  CHECK(cuMemAddressFree(alias, piece));
  CHECK(cuMemUnmap(vector, 2 * piece));
  CHECK(cuMemAddressFree(vector, 4 * piece));
  CHECK(cuMemRelease(first));
  CHECK(cuMemFree(total));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
