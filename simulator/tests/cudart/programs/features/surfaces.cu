// Surface objects: reads and writes of one to three dimensions and of layers, and what happens at the edge.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void fill(cudaSurfaceObject_t s, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(static_cast<float>(10 * y + x), s, x * static_cast<int>(sizeof(float)), y);
}
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width) {
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int d = -1; d <= 1; ++d) sum += surf2Dread<float>(from, (x + d) * 4, y, cudaBoundaryModeClamp);
  for (int d = -1; d <= 1; d += 2) sum += surf2Dread<float>(from, (x + d) * 4, y, cudaBoundaryModeZero);
  surf2Dwrite(sum, to, x * 4, y);
  if (x == 0) surf2Dwrite(-1.0f, to, width * 4, y, cudaBoundaryModeZero);  // is dropped
}
__global__ void bytes(cudaSurfaceObject_t s) {
  uchar4 c = make_uchar4(threadIdx.x, 2 * threadIdx.x, 3, 4);
  surf2Dwrite(c, s, threadIdx.x * 4, 0);
  c = surf2Dread<uchar4>(s, threadIdx.x * 4, 0);
  surf2Dwrite(make_uchar4(c.y, c.x, c.w, c.z), s, threadIdx.x * 4, 1);
}
__global__ void volume(cudaSurfaceObject_t s, cudaSurfaceObject_t layers) {
  surf3Dwrite(static_cast<short>(100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x), s, threadIdx.x * 2,
              threadIdx.y, threadIdx.z);
  surf2DLayeredwrite(static_cast<int>(threadIdx.x + 1000 * threadIdx.z), layers, threadIdx.x * 4, threadIdx.y,
                     threadIdx.z);
}
__global__ void through_texture(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

static cudaArray_t array_of(const cudaChannelFormatDesc &format, cudaExtent extent, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  const cudaError_t error = cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore | flags);
  if (error != cudaSuccess) printf("array: %s\n", cudaGetErrorName(error));
  return array;
}
static cudaResourceDesc of(cudaArray_t array) {
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}
static cudaSurfaceObject_t surface(cudaArray_t array) {
  const cudaResourceDesc r = of(array);
  cudaSurfaceObject_t object = 0;
  const cudaError_t error = cudaCreateSurfaceObject(&object, &r);
  if (error != cudaSuccess) printf("surface: %s\n", cudaGetErrorName(error));
  return object;
}

int main() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t a = array_of(floats, make_cudaExtent(8, 4, 0)), b = array_of(floats, make_cudaExtent(8, 4, 0));
  const cudaSurfaceObject_t sa = surface(a), sb = surface(b);
  fill<<<dim3(2, 2), dim3(5, 3)>>>(sa, 8, 4);
  blur<<<1, dim3(8, 4)>>>(sa, sb, 8);
  std::vector<float> host(32);
  cudaMemcpy2DFromArray(host.data(), 32, b, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  printf("blurred: %g %g %g %g\n", host[0], host[1], host[7], host[31]);
  cudaTextureDesc how;
  memset(&how, 0, sizeof how);
  how.readMode = cudaReadModeElementType;
  const cudaResourceDesc ra = of(a);
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &ra, &how, nullptr);
  float *out;
  cudaMalloc(&out, 8 * sizeof(float));
  through_texture<<<1, 8>>>(t, out);
  cudaMemcpy(host.data(), out, 32, cudaMemcpyDeviceToHost);
  printf("through a texture: %g %g\n", host[0], host[7]);

  cudaArray_t pixels = array_of(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(4, 2, 0));
  bytes<<<1, 4>>>(surface(pixels));
  std::vector<uchar4> image(8);
  cudaMemcpy2DFromArray(image.data(), 16, pixels, 0, 0, 16, 2, cudaMemcpyDeviceToHost);
  printf("bytes: %d %d %d %d\n", image[7].x, image[7].y, image[7].z, image[7].w);

  cudaArray_t box = array_of(cudaCreateChannelDesc<short>(), make_cudaExtent(4, 3, 2));
  cudaArray_t sheets = array_of(cudaCreateChannelDesc<int>(), make_cudaExtent(4, 3, 2), cudaArrayLayered);
  volume<<<1, dim3(4, 3, 2)>>>(surface(box), surface(sheets));
  std::vector<short> shorts(24);
  std::vector<int> ints(24);
  cudaMemcpy3DParms p = {};
  p.srcArray = box;
  p.dstPtr = make_cudaPitchedPtr(shorts.data(), 8, 4, 3);
  p.extent = make_cudaExtent(4, 3, 2);
  p.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&p);
  p.srcArray = sheets;
  p.dstPtr = make_cudaPitchedPtr(ints.data(), 16, 4, 3);
  cudaMemcpy3D(&p);
  printf("volume: %d %d, layers: %d %d\n", shorts[5], shorts[23], ints[3], ints[23]);

  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  for (cudaArray_t one : {a, b, pixels, box, sheets}) cudaFreeArray(one);
}
