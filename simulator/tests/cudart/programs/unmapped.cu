// Virtual memory that kernels cannot reach: mapped without access, unmapped, and beyond what is mapped.
#include <cuda.h>

#include <cstdio>
#include <cstring>

__global__ void fill(int *to, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = static_cast<int>(i);
}

int main(int, char **arguments) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  const size_t bytes = size_t{2} << 20;
  CUdeviceptr memory;
  CUmemGenericAllocationHandle handle;
  cuMemAddressReserve(&memory, 2 * bytes, 0, 0, 0);
  cuMemCreate(&handle, bytes, &properties, 0);
  cuMemMap(memory, bytes, 0, handle, 0);
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (std::strcmp(arguments[1], "no_access") != 0) cuMemSetAccess(memory, bytes, &access, 1);
  if (std::strcmp(arguments[1], "unmapped") == 0) cuMemUnmap(memory, bytes);
  const unsigned more = std::strcmp(arguments[1], "beyond") == 0 ? 1 : 0;
  fill<<<bytes / 1024 + 1, 256>>>(reinterpret_cast<int *>(memory), bytes / 4 + more);
  std::printf("%d\n", cuCtxSynchronize());
}
