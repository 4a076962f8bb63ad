// What linear filters round, and to how many bits: shares of texels in two and three dimensions, sums of
// integers read as fractions, and rows at the border. The output is an H200's.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

template <class Result>
__global__ void fetch(cudaTextureObject_t t, Result *out, const float *at, int dimensions, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  at += dimensions * i;
  out[i] = dimensions == 1   ? tex1D<Result>(t, at[0])
           : dimensions == 2 ? tex2D<Result>(t, at[0], at[1])
                             : tex3D<Result>(t, at[0], at[1], at[2]);
}

static std::uint64_t seed = 12345;
static unsigned random_number() {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned>(seed >> 33);
}

template <class T>
static cudaArray_t make_array(const std::vector<T> &texels, size_t width, size_t height = 1,
                              size_t depth = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  const cudaExtent extent = make_cudaExtent(width, depth != 0 || height > 1 ? height : 0, depth);
  cudaMalloc3DArray(&array, &format, extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T *>(texels.data()), width * sizeof(T), width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, depth == 0 ? 1 : depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

struct How {
  cudaTextureAddressMode first = cudaAddressModeClamp, second = cudaAddressModeClamp;
  bool normalized = false, fraction = false;
};

template <class Result>
static std::vector<Result> filtered(cudaArray_t array, const How &how, const std::vector<float> &at,
                                    int dimensions) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture;
  memset(&texture, 0, sizeof texture);
  texture.filterMode = cudaFilterModeLinear;
  texture.addressMode[0] = how.first;
  texture.addressMode[1] = texture.addressMode[2] = how.second;
  texture.normalizedCoords = how.normalized;
  texture.readMode = how.fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  for (float &b : texture.borderColor) b = 100;
  cudaTextureObject_t object;
  const cudaError_t error = cudaCreateTextureObject(&object, &resource, &texture, nullptr);
  if (error != cudaSuccess) printf("create: %s\n", cudaGetErrorName(error));
  const int count = static_cast<int>(at.size()) / dimensions;
  float *places;
  Result *out;
  cudaMalloc(&places, at.size() * sizeof(float));
  cudaMalloc(&out, count * sizeof(Result));
  cudaMemcpy(places, at.data(), at.size() * sizeof(float), cudaMemcpyHostToDevice);
  fetch<<<(count + 127) / 128, 128>>>(object, out, places, dimensions, count);
  std::vector<Result> host(count);
  cudaMemcpy(host.data(), out, count * sizeof(Result), cudaMemcpyDeviceToHost);
  cudaFree(places);
  cudaFree(out);
  cudaDestroyTextureObject(object);
  return host;
}

/// Each texel has a channel of its own, so that the filter gives its share.
static void show_shares() {
  std::vector<float4> near(8, make_float4(0, 0, 0, 0)), far = near;
  for (int i = 0; i < 4; ++i) (&near[i].x)[i] = (&far[4 + i].x)[i] = 1;
  std::vector<float> at;
  for (int i = 0; i < 3 * 6000; ++i) at.push_back(0.5f + (random_number() % 256) / 256.0f);
  at.resize(3 * 60);
  const auto a = filtered<float4>(make_array(near, 2, 2, 2), How(), at, 3),
             b = filtered<float4>(make_array(far, 2, 2, 2), How(), at, 3);
  for (size_t i = 0; i < a.size(); ++i)
    printf("%g %g %g: %.8g %.8g %.8g %.8g %.8g %.8g %.8g %.8g\n", (at[3 * i] - 0.5f) * 256,
           (at[3 * i + 1] - 0.5f) * 256, (at[3 * i + 2] - 0.5f) * 256, a[i].x * 256, a[i].y * 256,
           a[i].z * 256, a[i].w * 256, b[i].x * 256, b[i].y * 256, b[i].z * 256, b[i].w * 256);
}

template <class T>
static void show_fractions(const char *name, int low, int high) {
  std::vector<T> texels = {static_cast<T>(low), static_cast<T>(high), 0, 1};
  while (texels.size() < 32)
    texels.push_back(
        static_cast<T>(low + static_cast<int>(random_number() % static_cast<unsigned>(high - low + 1))));
  How how;
  how.fraction = true;
  std::vector<float> row, place;
  for (int i = 0; i < 1500; ++i) row.push_back(0.5f + (random_number() % (31 * 256)) / 256.0f);
  for (int i = 0; i < 1500; ++i) {
    place.push_back(0.5f + (random_number() % (7 * 256)) / 256.0f);
    place.push_back(0.5f + (random_number() % (3 * 256)) / 256.0f);
  }
  row.resize(40);
  place.resize(80);
  const auto show = [name](const std::vector<float> &values) {
    for (float x : values) {
      std::uint32_t bits;
      memcpy(&bits, &x, 4);
      printf("%s %08x %.9g\n", name, bits, x);
    }
  };
  show(filtered<float>(make_array(texels, 32), how, row, 1));
  show(filtered<float>(make_array(texels, 8, 4), how, place, 2));
}

static void show_borders() {
  std::vector<float> ramp;
  for (int i = 0; i < 8; ++i) ramp.push_back(10.0f * i);
  cudaArray_t array = make_array(ramp, 8);
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                          cudaAddressModeBorder};
  for (bool normalized : {false, true})
    for (int first = 0; first < 4; ++first)
      for (int second = 0; second < 4; ++second) {
        How how;
        how.first = modes[first];
        how.second = modes[second];
        how.normalized = normalized;
        std::vector<float> at = {-1.25f, -0.25f, 0, 0.25f, 0.5f, 1, 3.75f, 7.5f, 7.9f, 8, 8.4f, 9.5f};
        if (normalized)
          for (float &x : at) x /= 8;
        printf("%s %d %d:", normalized ? "normalised" : "texels", first, second);
        for (float x : filtered<float>(array, how, at, 1)) printf(" %.9g", x);
        printf("\n");
      }
}

int main() {
  show_shares();
  seed = 12345;
  show_fractions<unsigned char>("uchar", 0, 255);
  show_fractions<signed char>("schar", -128, 127);
  show_fractions<unsigned short>("ushort", 0, 65535);
  show_fractions<short>("short", -32768, 32767);
  show_borders();
}
