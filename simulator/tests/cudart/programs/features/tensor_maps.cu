// nvcc: -arch=sm_90a
// Bulk copies of tensors: boxes of one to five dimensions, all swizzles, steps between elements, and boxes
// that reach beyond the tensor, which arrive with zeros there. A box begins at a multiple of 16 bytes. The
// host knows where each element has to lie.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

struct At {
  int c[5];
};
constexpr int most_bytes = 32768;

template <int rank>
__device__ void load(void *to, const CUtensorMap *map, const At &at, std::uint64_t *bar) {
  std::int32_t c[rank];
  for (int i = 0; i < rank; ++i) c[i] = at.c[i];
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, bar);
}
template <int rank>
__device__ void store(const CUtensorMap *map, const At &at, const void *from) {
  std::int32_t c[rank];
  for (int i = 0; i < rank; ++i) c[i] = at.c[i];
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}

/// Fetches a box and writes what is then in shared memory, byte by byte.
template <int rank>
__global__ void fetch(const __grid_constant__ CUtensorMap map, At at, std::uint32_t bytes,
                      std::uint8_t *out) {
  extern __shared__ __align__(1024) std::uint8_t box[];
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    load<rank>(box, &map, at, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i];
}

/// Fetches a box through one map and sends it through another one.
template <int rank>
__global__ void copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, At at,
                     std::uint32_t bytes) {
  extern __shared__ __align__(1024) std::uint8_t box[];
  __shared__ std::uint64_t bar;
  if (threadIdx.x != 0) return;
  ptx::mbarrier_init(&bar, 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  load<rank>(box, &from, at, &bar);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  store<rank>(&to, at, box);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
Encode encode;

struct Tensor {
  int rank;
  std::uint64_t size[5];
  std::uint32_t box[5], step[5];
  int swizzle;
  std::uint64_t pitch() const { return (size[0] * 2 + 15) / 16 * 16; }  // elements of 2 bytes
  std::uint64_t bytes() const {
    std::uint64_t all = pitch();
    for (int i = 1; i < rank; ++i) all *= size[i];
    return all;
  }
  std::uint32_t count(int i) const { return i == 0 ? box[0] : (box[i] + step[i] - 1) / step[i]; }
  std::uint32_t box_bytes() const {
    std::uint32_t all = 2;
    for (int i = 0; i < rank; ++i) all *= count(i);
    return all;
  }
  CUtensorMap map(void *memory) const {
    std::uint64_t strides[4] = {pitch()};
    for (int i = 1; i < 4; ++i) strides[i] = strides[i - 1] * (i < rank ? size[i] : 1);
    CUtensorMap made;
    const CUresult got = encode(&made, CU_TENSOR_MAP_DATA_TYPE_UINT16, rank, memory, size, strides, box, step,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (got != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", got);
    return made;
  }
};

/// The element of the box, counted from its first one, as an index into the tensor; -1: outside.
long long element_of(const Tensor &t, const At &at, std::uint32_t i) {
  long long index = 0, width = static_cast<long long>(t.pitch() / 2);
  for (int d = 0; d < t.rank; ++d) {
    const long long c = at.c[d] + static_cast<long long>(i % t.count(d)) * (d == 0 ? 1 : t.step[d]);
    i /= t.count(d);
    if (c < 0 || c >= static_cast<long long>(t.size[d])) return -1;
    index += d == 0 ? c : c * width;
    if (d > 0) width *= static_cast<long long>(t.size[d]);
  }
  return index;
}

template <int rank>
void check(const char *name, const Tensor &t, const At &at) {
  std::vector<std::uint16_t> in(t.bytes() / 2);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i * 7 + 1);
  void *from, *to;
  std::uint8_t *out;
  cudaMalloc(&from, t.bytes()), cudaMalloc(&to, t.bytes()), cudaMalloc(&out, most_bytes);
  cudaMemcpy(from, in.data(), t.bytes(), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, t.bytes());
  cudaFuncSetAttribute(fetch<rank>, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes);
  fetch<rank><<<1, 128, most_bytes>>>(t.map(from), at, t.box_bytes(), out);
  std::vector<std::uint8_t> got(t.box_bytes());
  cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost);
  bool before = false;  // where only fetched boxes may begin
  for (int i = 0; i < rank; ++i) before = before || at.c[i] < 0;
  if (!before) copy<rank><<<1, 32, most_bytes>>>(t.map(from), t.map(to), at, t.box_bytes());
  std::vector<std::uint16_t> back(in.size()), expected(in.size());
  cudaMemcpy(back.data(), to, t.bytes(), cudaMemcpyDeviceToHost);
  int wrong = 0, zeros = 0;
  for (std::uint32_t i = 0; i < t.box_bytes() / 2; ++i) {
    const long long e = element_of(t, at, i);
    std::uint32_t place = 2 * i;
    place ^= (place >> 7 & ((1u << t.swizzle) - 1)) << 4;
    std::uint16_t value;
    std::memcpy(&value, &got[place], 2);
    wrong += value != (e < 0 ? 0 : in[e]);
    zeros += e < 0;
    if (e >= 0 && !before) expected[e] = in[e];
  }
  printf("%s: %d of %u elements outside, %d wrong, %s back\n", name, zeros, t.box_bytes() / 2, wrong,
         back != expected ? "wrong"
         : before         ? "nothing"
                          : "right");
  cudaFree(from), cudaFree(to), cudaFree(out);
}

int main() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult status;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
  encode = reinterpret_cast<Encode>(found);
  if (encode == nullptr) return 1;
  const At origin{};
  check<1>("one dimension", {1, {1000}, {256}, {1}, 0}, {{104}});
  check<1>("its end", {1, {1000}, {256}, {1}, 0}, {{904}});
  check<1>("before its start", {1, {1000}, {64}, {1}, 0}, {{-8}});
  check<2>("two dimensions", {2, {100, 60}, {32, 40}, {1, 1}, 0}, {{8, 7}});
  check<2>("a swizzle of 32 bytes", {2, {100, 60}, {16, 64}, {1, 1}, 1}, {{16, 3}});
  check<2>("a swizzle of 64 bytes", {2, {100, 60}, {32, 64}, {1, 1}, 2}, {{72, -2}});
  check<2>("a swizzle of 128 bytes", {2, {130, 90}, {64, 128}, {1, 1}, 3}, {{72, 1}});
  check<2>("every third row", {2, {64, 100}, {64, 64}, {1, 3}, 3}, {{0, 40}});
  check<3>("three dimensions", {3, {33, 9, 11}, {16, 4, 8}, {1, 1, 1}, 1}, {{24, 6, 7}});
  check<4>("four dimensions", {4, {24, 5, 6, 7}, {16, 4, 3, 5}, {1, 1, 2, 1}, 0}, {{-8, 3, 1, 4}});
  check<5>("five dimensions", {5, {16, 3, 4, 5, 6}, {8, 2, 3, 2, 4}, {1, 1, 1, 2, 1}, 0}, {{8, 1, 2, 3, 4}});
  check<5>("all of it", {5, {16, 2, 3, 4, 5}, {16, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, 1}, origin);
  CUtensorMap bad;
  const std::uint64_t size[2] = {64, 64}, stride[1] = {136};
  const std::uint32_t box[2] = {64, 64}, step[2] = {1, 1};
  void *memory;
  cudaMalloc(&memory, 16384);
  printf("a pitch of 136 bytes: error %d\n",
         encode(&bad, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, memory, size, stride, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  cudaFree(memory);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
