// nvcc: -lcuda
// The driver API: arrays, textures and surfaces, and every kind of copy that has an array on one side.
#include <cuda.h>

#include <cstdio>
#include <vector>

#include "../driver_check.hpp"

__global__ void sample(CUtexObject texture, float *to, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height) to[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}
__global__ void sample_between(CUtexObject texture, float *to, int count) {
  const int i = threadIdx.x;
  if (i < count) to[i] = tex2D<float>(texture, (i + 0.5f) / count, 0.5f);
}
__global__ void sample_line(CUtexObject texture, float *to, int count) {
  const int i = threadIdx.x;
  if (i < count) to[i] = tex1Dfetch<float>(texture, count - 1 - i);
}
__global__ void sample_layer(CUtexObject texture, float *to) {
  to[threadIdx.x] = tex2DLayered<float>(texture, 0.5f, 0.5f, threadIdx.x);
}
__global__ void add_one(CUsurfObject surface, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= width || y >= height) return;
  float value;
  surf2Dread(&value, surface, x * 4, y);
  surf2Dwrite(value + 1, surface, x * 4, y);
}

static CUDA_TEXTURE_DESC clamped(CUfilter_mode filter, unsigned flags) {
  CUDA_TEXTURE_DESC how = {};
  for (auto &mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = filter;
  how.flags = flags;
  return how;
}

static void print(const char *what, CUdeviceptr from, int count) {
  std::vector<float> host(count);
  CHECK(cuMemcpyDtoH(host.data(), from, count * 4));
  printf("%s:", what);
  for (float value : host) printf(" %g", value);
  printf("\n");
}

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  constexpr int width = 5, height = 3;
  CUdeviceptr result;
  CHECK(cuMemAlloc(&result, 64 * 4));

  // A two-dimensional array, filled by a copy of a box.
  CUDA_ARRAY_DESCRIPTOR shape = {};
  shape.Width = width, shape.Height = height, shape.Format = CU_AD_FORMAT_FLOAT, shape.NumChannels = 1;
  CUarray array;
  CHECK(cuArrayCreate(&array, &shape));
  CUDA_ARRAY_DESCRIPTOR again = {};
  CHECK(cuArrayGetDescriptor(&again, array));
  printf("array: %zu x %zu, format %d, %u channel\n", again.Width, again.Height, (int)again.Format,
         again.NumChannels);
  float image[height][width];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image[y][x] = 10 * y + x;
  CUDA_MEMCPY2D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = image, box.srcPitch = sizeof image[0];
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = array;
  box.WidthInBytes = sizeof image[0], box.Height = height;
  CHECK(cuMemcpy2D(&box));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how = clamped(CU_TR_FILTER_MODE_POINT, 0);
  CUtexObject texture;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  sample<<<1, dim3(8, 4)>>>(texture, (float *)result, width, height);
  CHECK(cuCtxSynchronize());
  print("all texels", result, width * height);
  CUDA_RESOURCE_DESC known = {};
  CHECK(cuTexObjectGetResourceDesc(&known, texture));
  printf("of the same array: %d\n",
         known.resType == CU_RESOURCE_TYPE_ARRAY && known.res.array.hArray == array);
  CHECK(cuTexObjectDestroy(texture));

  // Out of the array again: a part of it, a row, and a box to memory on the device.
  float part[2][2];
  box = {};
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY, box.srcArray = array, box.srcXInBytes = 8, box.srcY = 1;
  box.dstMemoryType = CU_MEMORYTYPE_HOST, box.dstHost = part, box.dstPitch = sizeof part[0];
  box.WidthInBytes = sizeof part[0], box.Height = 2;
  CHECK(cuMemcpy2D(&box));
  printf("a part: %g %g %g %g\n", part[0][0], part[0][1], part[1][0], part[1][1]);
  box.Height = 3;
  printf("beyond the array: %d\n", (int)cuMemcpy2D(&box));

  // A line, by the copies that count bytes.
  CUDA_ARRAY_DESCRIPTOR line_shape = {};
  line_shape.Width = 6, line_shape.Format = CU_AD_FORMAT_FLOAT, line_shape.NumChannels = 1;
  CUarray line, other;
  CHECK(cuArrayCreate(&line, &line_shape));
  CHECK(cuArrayCreate(&other, &line_shape));
  const float numbers[6] = {1, 2, 3, 4, 5, 6};
  CHECK(cuMemcpyHtoA(line, 0, numbers, sizeof numbers));
  CHECK(cuMemcpyHtoA(other, 0, numbers, sizeof numbers));
  CHECK(cuMemcpyAtoA(other, 8, line, 0, 8));
  CHECK(cuMemcpyAtoD(result, other, 0, sizeof numbers));
  print("a line", result, 6);
  CHECK(cuMemcpyDtoA(other, 0, result + 8, 8));
  float back[6];
  CHECK(cuMemcpyAtoH(back, other, 4, 12));
  printf("a part of it: %g %g %g\n", back[0], back[1], back[2]);

  // Linear filter, normalised coordinates, bytes that are read as fractions; linear memory.
  unsigned char bytes[4] = {0, 255, 51, 102};
  CUDA_ARRAY_DESCRIPTOR byte_shape = {};
  byte_shape.Width = 4, byte_shape.Height = 1, byte_shape.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  byte_shape.NumChannels = 1;
  CUarray byte_array;
  CHECK(cuArrayCreate(&byte_array, &byte_shape));
  box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = bytes, box.srcPitch = 4;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = byte_array, box.WidthInBytes = 4, box.Height = 1;
  CHECK(cuMemcpy2D(&box));
  resource.res.array.hArray = byte_array;
  how = clamped(CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES);
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  sample_between<<<1, 32>>>(texture, (float *)result, 8);
  CHECK(cuCtxSynchronize());
  print("between bytes", result, 8);
  CHECK(cuTexObjectDestroy(texture));
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 6 * 4));
  CHECK(cuMemcpyHtoD(memory, numbers, sizeof numbers));
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = memory, resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 1, resource.res.linear.sizeInBytes = sizeof numbers;
  how = clamped(CU_TR_FILTER_MODE_POINT, 0);
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  sample_line<<<1, 32>>>(texture, (float *)result, 6);
  CHECK(cuCtxSynchronize());
  print("linear memory", result, 6);
  CHECK(cuTexObjectDestroy(texture));

  // Layers, and a surface.
  CUDA_ARRAY3D_DESCRIPTOR layers = {};
  layers.Width = layers.Height = 2, layers.Depth = 3, layers.Format = CU_AD_FORMAT_FLOAT,
  layers.NumChannels = 1;
  layers.Flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST;
  CUarray layered;
  CHECK(cuArray3DCreate(&layered, &layers));
  float deep[3][2][2];
  for (int z = 0; z < 3; ++z)
    for (int i = 0; i < 4; ++i) deep[z][i / 2][i % 2] = 100 * z + i;
  CUDA_MEMCPY3D solid = {};
  solid.srcMemoryType = CU_MEMORYTYPE_HOST, solid.srcHost = deep, solid.srcPitch = 8, solid.srcHeight = 2;
  solid.dstMemoryType = CU_MEMORYTYPE_ARRAY, solid.dstArray = layered;
  solid.WidthInBytes = 8, solid.Height = 2, solid.Depth = 3;
  CHECK(cuMemcpy3D(&solid));
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = layered;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  sample_layer<<<1, 3>>>(texture, (float *)result);
  CHECK(cuCtxSynchronize());
  print("layers", result, 3);
  CHECK(cuTexObjectDestroy(texture));
  CUDA_ARRAY3D_DESCRIPTOR writable = {};
  writable.Width = width, writable.Height = height, writable.Format = CU_AD_FORMAT_FLOAT;
  writable.NumChannels = 1, writable.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray canvas;
  CHECK(cuArray3DCreate(&canvas, &writable));
  box = {};
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY, box.srcArray = array;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = canvas;
  box.WidthInBytes = sizeof image[0], box.Height = height;
  CHECK(cuMemcpy2D(&box));
  resource.res.array.hArray = canvas;
  CUsurfObject surface;
  CHECK(cuSurfObjectCreate(&surface, &resource));
  add_one<<<1, dim3(8, 4)>>>(surface, width, height);
  CHECK(cuCtxSynchronize());
  CHECK(cuSurfObjectDestroy(surface));
  box = {};
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY, box.srcArray = canvas;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstDevice = result, box.dstPitch = sizeof image[0];
  box.WidthInBytes = sizeof image[0], box.Height = height;
  CHECK(cuMemcpy2D(&box));
  print("written", result, width * height);

  // Levels of a mipmap.
  CUmipmappedArray mipmap;
  writable.Width = writable.Height = 8, writable.Flags = 0;
  CHECK(cuMipmappedArrayCreate(&mipmap, &writable, 3));
  CUarray level;
  CHECK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
  CUDA_ARRAY3D_DESCRIPTOR small = {};
  CHECK(cuArray3DGetDescriptor(&small, level));
  printf("third level: %zu x %zu\n", small.Width, small.Height);
  CHECK(cuMipmappedArrayDestroy(mipmap));
  for (CUarray one : {array, line, other, byte_array, layered, canvas}) CHECK(cuArrayDestroy(one));
  CHECK(cuMemFree(memory));
  CHECK(cuMemFree(result));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
