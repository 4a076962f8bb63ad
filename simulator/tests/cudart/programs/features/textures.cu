// Texture objects: linear memory, pitched memory and arrays of one to three dimensions, layers, cubes,
// mipmaps; filters, address modes, normalised coordinates, integers read as fractions, gathered texels.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void fetch(cudaTextureObject_t t, float *out, const int *at) {
  out[threadIdx.x] = tex1Dfetch<float>(t, at[threadIdx.x]);
}
__global__ void one(cudaTextureObject_t t, float *out, const float *at) {
  out[threadIdx.x] = tex1D<float>(t, at[threadIdx.x]);
}
__global__ void two(cudaTextureObject_t t, float *out, const float *at) {
  out[threadIdx.x] = tex2D<float>(t, at[2 * threadIdx.x], at[2 * threadIdx.x + 1]);
}
__global__ void three(cudaTextureObject_t t, float *out, const float *at) {
  out[threadIdx.x] = tex3D<float>(t, at[3 * threadIdx.x], at[3 * threadIdx.x + 1], at[3 * threadIdx.x + 2]);
}
__global__ void layers(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x);
}
__global__ void cube(cudaTextureObject_t t, float *out) {
  const int axis = threadIdx.x / 2;
  const float sign = threadIdx.x % 2 == 0 ? 1 : -1;
  out[threadIdx.x] =
      texCubemap<float>(t, axis == 0 ? sign : 0.1f, axis == 1 ? sign : 0.2f, axis == 2 ? sign : 0.3f);
}
__global__ void level(cudaTextureObject_t t, float *out, const float *at) {
  out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, at[threadIdx.x]);
}
__global__ void gather(cudaTextureObject_t t, float4 *out) {
  *out = tex2Dgather<float4>(t, 1.0f, 1.0f, 0);
}
__global__ void colors(cudaTextureObject_t t, float4 *out, const float *at) {
  out[threadIdx.x] = tex2D<float4>(t, at[2 * threadIdx.x], at[2 * threadIdx.x + 1]);
}
__global__ void numbers(cudaTextureObject_t t, int *out) {
  const uchar4 c = tex2D<uchar4>(t, threadIdx.x + 0.5f, 0.5f);
  out[threadIdx.x] = c.x + 256 * c.y + 65536 * c.z;
}
__global__ void signed_numbers(cudaTextureObject_t t, int *out) {
  out[threadIdx.x] = tex1Dfetch<short>(t, threadIdx.x);
}

template <class T>
static T *on_device(const std::vector<T> &host) {
  T *p;
  cudaMalloc(&p, host.size() * sizeof(T));
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

static void show(const char *name, const float *device, int count) {
  std::vector<float> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (float x : host) printf(" %.6g", x);
  printf("\n");
}

static cudaTextureDesc how(cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized,
                           cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc t;
  memset(&t, 0, sizeof t);
  t.filterMode = filter;
  for (auto &one_mode : t.addressMode) one_mode = mode;
  t.normalizedCoords = normalized;
  t.readMode = read;
  return t;
}

static cudaTextureObject_t texture(const cudaResourceDesc &r, const cudaTextureDesc &t) {
  cudaTextureObject_t object = 0;
  const cudaError_t error = cudaCreateTextureObject(&object, &r, &t, nullptr);
  if (error != cudaSuccess) printf("create: %s\n", cudaGetErrorName(error));
  return object;
}

static cudaResourceDesc of(cudaArray_t array) {
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}

int main() {
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));

  // Linear memory.
  std::vector<float> line(10);
  for (int i = 0; i < 10; ++i) line[i] = i * i;
  float *memory = on_device(line);
  cudaResourceDesc linear;
  memset(&linear, 0, sizeof linear);
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = memory;
  linear.res.linear.sizeInBytes = line.size() * sizeof(float);
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  const cudaTextureObject_t plain = texture(linear, how(cudaFilterModePoint, cudaAddressModeClamp, false));
  int *indices = on_device(std::vector<int>{0, 3, 9, 10, -1, 1000});
  fetch<<<1, 6>>>(plain, out, indices);
  show("linear", out, 6);
  cudaDestroyTextureObject(plain);
  std::vector<short> shorts = {-5, 7, -32768, 32767};
  short *short_memory = on_device(shorts);
  linear.res.linear.devPtr = short_memory;
  linear.res.linear.sizeInBytes = shorts.size() * sizeof(short);
  linear.res.linear.desc = cudaCreateChannelDesc<short>();
  const cudaTextureObject_t signs = texture(linear, how(cudaFilterModePoint, cudaAddressModeClamp, false));
  int *ints, got[4];
  cudaMalloc(&ints, sizeof got);
  signed_numbers<<<1, 4>>>(signs, ints);
  cudaMemcpy(got, ints, sizeof got, cudaMemcpyDeviceToHost);
  printf("shorts: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
  const cudaTextureObject_t fractions =
      texture(linear, how(cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat));
  fetch<<<1, 4>>>(fractions, out, indices);
  show("fractions", out, 2);

  // One dimension: every address mode with both filters.
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array1;
  cudaMallocArray(&array1, &floats, 8);
  const std::vector<float> ramp = {0, 10, 20, 30, 40, 50, 60, 70};
  cudaMemcpy2DToArray(array1, 0, 0, ramp.data(), 32, 32, 1, cudaMemcpyHostToDevice);
  float *at1 = on_device(std::vector<float>{-1.25f, 0, 0.25f, 0.5f, 1, 3.75f, 7.5f, 7.9f, 8, 9.5f, 20.3f});
  float *at1n =
      on_device(std::vector<float>{-0.3f, 0, 0.0625f, 0.125f, 0.5f, 0.97f, 1, 1.3f, 2.6f, -1.9f, 0.34375f});
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                          cudaAddressModeBorder};
  const char *names[] = {"wrap", "clamp", "mirror", "border"};
  for (int m = 0; m < 4; ++m)
    for (int f = 0; f < 2; ++f)
      for (int n = 0; n < 2; ++n) {
        const cudaTextureObject_t t =
            texture(of(array1), how(f ? cudaFilterModeLinear : cudaFilterModePoint, modes[m], n));
        one<<<1, 11>>>(t, out, n ? at1n : at1);
        char name[64];
        snprintf(name, sizeof name, "1D %s %s %s", names[m], f ? "linear" : "point",
                 n ? "normalised" : "texels");
        show(name, out, 11);
        cudaDestroyTextureObject(t);
      }

  // Two dimensions: an array, pitched memory, colours.
  cudaArray_t array2;
  cudaMallocArray(&array2, &floats, 4, 3);
  std::vector<float> table(12);
  for (int i = 0; i < 12; ++i) table[i] = (i % 4) + 10 * (i / 4);
  cudaMemcpy2DToArray(array2, 0, 0, table.data(), 16, 16, 3, cudaMemcpyHostToDevice);
  float *at2 =
      on_device(std::vector<float>{0.5f, 0.5f, 1.5f, 2.5f, 1, 1, 2.25f, 1.75f, -3, 1.5f, 9, 9, 3.1f, 0.2f});
  const cudaTextureObject_t smooth =
      texture(of(array2), how(cudaFilterModeLinear, cudaAddressModeClamp, false));
  two<<<1, 7>>>(smooth, out, at2);
  show("2D linear", out, 7);
  const cudaTextureObject_t bordered =
      texture(of(array2), how(cudaFilterModeLinear, cudaAddressModeBorder, false));
  two<<<1, 7>>>(bordered, out, at2);
  show("2D border", out, 7);
  float4 *out4, four;
  cudaMalloc(&out4, 8 * sizeof(float4));
  float *pitched;
  size_t pitch;
  cudaMallocPitch(reinterpret_cast<void **>(&pitched), &pitch, 16, 3);
  cudaMemcpy2D(pitched, pitch, table.data(), 16, 16, 3, cudaMemcpyHostToDevice);
  cudaResourceDesc rows;
  memset(&rows, 0, sizeof rows);
  rows.resType = cudaResourceTypePitch2D;
  rows.res.pitch2D.devPtr = pitched;
  rows.res.pitch2D.desc = floats;
  rows.res.pitch2D.width = 4;
  rows.res.pitch2D.height = 3;
  rows.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureObject_t strips = texture(rows, how(cudaFilterModePoint, cudaAddressModeClamp, false));
  two<<<1, 7>>>(strips, out, at2);
  show("pitched", out, 7);
  cudaArray_t gathered;
  cudaMallocArray(&gathered, &floats, 4, 3, cudaArrayTextureGather);
  cudaMemcpy2DToArray(gathered, 0, 0, table.data(), 16, 16, 3, cudaMemcpyHostToDevice);
  const cudaTextureObject_t corners =
      texture(of(gathered), how(cudaFilterModePoint, cudaAddressModeClamp, false));
  gather<<<1, 1>>>(corners, out4);
  cudaMemcpy(&four, out4, sizeof four, cudaMemcpyDeviceToHost);
  printf("gathered: %g %g %g %g\n", four.x, four.y, four.z, four.w);

  cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t pixels;
  cudaMallocArray(&pixels, &bytes, 4, 2);
  std::vector<uchar4> image(8);
  for (int i = 0; i < 8; ++i) image[i] = make_uchar4(i * 30, 255 - i, i, 255);
  cudaMemcpy2DToArray(pixels, 0, 0, image.data(), 16, 16, 2, cudaMemcpyHostToDevice);
  const cudaTextureObject_t raw = texture(of(pixels), how(cudaFilterModePoint, cudaAddressModeClamp, false));
  numbers<<<1, 4>>>(raw, ints);
  cudaMemcpy(got, ints, sizeof got, cudaMemcpyDeviceToHost);
  printf("bytes: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
  const cudaTextureObject_t shades =
      texture(of(pixels), how(cudaFilterModeLinear, cudaAddressModeWrap, true, cudaReadModeNormalizedFloat));
  float *at4 = on_device(std::vector<float>{0.125f, 0.25f, 0.3f, 0.5f, 0, 0});
  colors<<<1, 3>>>(shades, out4, at4);
  show("colours", reinterpret_cast<float *>(out4), 12);

  // Three dimensions, layers, cubes.
  cudaArray_t array3;
  const cudaExtent box = make_cudaExtent(2, 3, 4);
  cudaMalloc3DArray(&array3, &floats, box);
  std::vector<float> volume(24);
  for (int i = 0; i < 24; ++i) volume[i] = i;
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(volume.data(), 8, 2, 3);
  p.dstArray = array3;
  p.extent = box;
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  float *at3 = on_device(std::vector<float>{0.5f, 0.5f, 0.5f, 1.5f, 2.5f, 3.5f, 1, 1, 1, 0.75f, 1.5f, 2.25f});
  const cudaTextureObject_t solid =
      texture(of(array3), how(cudaFilterModeLinear, cudaAddressModeClamp, false));
  three<<<1, 4>>>(solid, out, at3);
  show("3D linear", out, 4);
  const cudaTextureObject_t cells =
      texture(of(array3), how(cudaFilterModePoint, cudaAddressModeClamp, false));
  three<<<1, 4>>>(cells, out, at3);
  show("3D point", out, 4);

  cudaArray_t stack;
  cudaMalloc3DArray(&stack, &floats, make_cudaExtent(2, 1, 3), cudaArrayLayered);
  p.dstArray = stack;
  p.srcPtr = make_cudaPitchedPtr(volume.data(), 8, 2, 1);
  p.extent = make_cudaExtent(2, 1, 3);
  cudaMemcpy3D(&p);
  const cudaTextureObject_t sheets =
      texture(of(stack), how(cudaFilterModePoint, cudaAddressModeClamp, false));
  layers<<<1, 4>>>(sheets, out);
  show("layers", out, 4);

  cudaArray_t faces;
  cudaMalloc3DArray(&faces, &floats, make_cudaExtent(2, 2, 6), cudaArrayCubemap);
  p.dstArray = faces;
  std::vector<float> sides(24);
  for (int i = 0; i < 24; ++i) sides[i] = i / 4;
  p.srcPtr = make_cudaPitchedPtr(sides.data(), 8, 2, 2);
  p.extent = make_cudaExtent(2, 2, 6);
  cudaMemcpy3D(&p);
  const cudaTextureObject_t sky = texture(of(faces), how(cudaFilterModePoint, cudaAddressModeWrap, true));
  cube<<<1, 6>>>(sky, out);
  show("cube", out, 6);

  // A mipmap: each level holds its own number.
  cudaMipmappedArray_t levels;
  cudaMallocMipmappedArray(&levels, &floats, make_cudaExtent(4, 4, 0), 3);
  for (unsigned l = 0; l < 3; ++l) {
    cudaArray_t part;
    cudaGetMipmappedArrayLevel(&part, levels, l);
    std::vector<float> value(16, 10.0f * l);
    const size_t side = 4u >> l;
    cudaMemcpy2DToArray(part, 0, 0, value.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice);
  }
  cudaResourceDesc mip;
  memset(&mip, 0, sizeof mip);
  mip.resType = cudaResourceTypeMipmappedArray;
  mip.res.mipmap.mipmap = levels;
  cudaTextureDesc mip_how = how(cudaFilterModeLinear, cudaAddressModeClamp, true);
  mip_how.mipmapFilterMode = cudaFilterModeLinear;
  mip_how.maxMipmapLevelClamp = 2;
  float *lods = on_device(std::vector<float>{0, 0.25f, 1, 1.75f, 2, 5, -1});
  level<<<1, 7>>>(texture(mip, mip_how), out, lods);
  show("levels", out, 7);
  mip_how.mipmapFilterMode = cudaFilterModePoint;
  level<<<1, 7>>>(texture(mip, mip_how), out, lods);
  show("nearest level", out, 7);

  cudaExtent extent;
  cudaChannelFormatDesc channels;
  unsigned flags;
  cudaArrayGetInfo(&channels, &extent, &flags, array3);
  printf("array3: %zu x %zu x %zu of %d bits\n", extent.width, extent.height, extent.depth, channels.x);
  std::vector<float> back(12);
  cudaMemcpy2DFromArray(back.data(), 16, array2, 0, 0, 16, 3, cudaMemcpyDeviceToHost);
  printf("back: %g %g\n", back[0], back[11]);

  // What cannot be.
  cudaTextureObject_t none = 0;
  cudaTextureDesc wrong = how(cudaFilterModeLinear, cudaAddressModeClamp, false);
  const cudaResourceDesc pixel_resource = of(pixels);
  printf("filtered integers: %s\n",
         cudaGetErrorName(cudaCreateTextureObject(&none, &pixel_resource, &wrong, nullptr)));
  wrong = how(cudaFilterModePoint, cudaAddressModeClamp, false);
  rows.res.pitch2D.devPtr = pitched + 1;
  printf("misaligned rows: %s\n", cudaGetErrorName(cudaCreateTextureObject(&none, &rows, &wrong, nullptr)));
  cudaGetLastError();
  for (cudaArray_t a : {array1, array2, gathered, pixels, array3, stack, faces}) cudaFreeArray(a);
  cudaFreeMipmappedArray(levels);
  for (void *q : {static_cast<void *>(out), static_cast<void *>(memory), static_cast<void *>(short_memory),
                  static_cast<void *>(indices), static_cast<void *>(ints), static_cast<void *>(at1),
                  static_cast<void *>(at1n), static_cast<void *>(at2), static_cast<void *>(out4),
                  static_cast<void *>(pitched), static_cast<void *>(at4), static_cast<void *>(at3),
                  static_cast<void *>(lods)})
    cudaFree(q);
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
