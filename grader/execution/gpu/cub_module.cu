// CUB's routines for problem::Routine, as libwarpgrade_cub.so.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "gpu/cub_module.hpp"
#include "problem/library.hpp"

namespace of_cub {

using warpgrade::problem::Routine;

struct NotNegative {
  __host__ __device__ bool operator()(std::int32_t x) const { return x >= 0; }
};

/// The routine's arguments. CUB is called twice: without scratch memory it says how much it needs.
struct Call {
  void *const *operands;
  const std::uint64_t *bytes;
  void *scratch;
  std::size_t scratch_bytes;
  cudaStream_t stream;

  template <typename T>
  T *operand(int i) const {
    return static_cast<T *>(operands[i]);
  }
  int elements(int i) const { return static_cast<int>(bytes[i] / 4); }

  cudaError_t sum() {
    return cub::DeviceReduce::Sum(scratch, scratch_bytes, operand<const float>(0), operand<float>(1),
                                  elements(0), stream);
  }

  /// The smallest number itself goes into the scratch memory, before CUB's part.
  cudaError_t arg_min() {
    constexpr std::size_t ours = 256;
    auto *rest = scratch == nullptr ? nullptr : static_cast<std::byte *>(scratch) + ours;
    std::size_t rest_bytes = scratch_bytes - (scratch == nullptr ? 0 : ours);
#if CUB_VERSION >= 300000
    const cudaError_t error =
        cub::DeviceReduce::ArgMin(rest, rest_bytes, operand<const float>(0), static_cast<float *>(scratch),
                                  operand<std::int32_t>(1), std::int64_t{elements(0)}, stream);
#else
    auto *pair = static_cast<cub::KeyValuePair<int, float> *>(scratch);
    cudaError_t error =
        cub::DeviceReduce::ArgMin(rest, rest_bytes, operand<const float>(0), pair, elements(0), stream);
    if (error == cudaSuccess && scratch != nullptr)
      error = cudaMemcpyAsync(operands[1], &pair->key, sizeof pair->key, cudaMemcpyDeviceToDevice, stream);
#endif
    scratch_bytes = rest_bytes + ours;
    return error;
  }

  cudaError_t inclusive_sum() {
    return cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, operand<const std::int32_t>(0),
                                         operand<std::int32_t>(1), elements(0), stream);
  }

  cudaError_t select_not_negative() {
    return cub::DeviceSelect::If(scratch, scratch_bytes, operand<const std::int32_t>(0),
                                 operand<std::int32_t>(1), operand<std::int32_t>(2), elements(0),
                                 NotNegative{}, stream);
  }

  cudaError_t histogram() {
    const int bins = elements(1);
    return cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, operand<const std::uint32_t>(0),
                                               operand<std::uint32_t>(1), bins + 1, std::uint32_t{0},
                                               static_cast<std::uint32_t>(bins), elements(0), stream);
  }

  cudaError_t sort_pairs() {
    constexpr int bits = 32;
    return cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, operand<const std::uint32_t>(0),
                                           operand<std::uint32_t>(2), operand<const std::uint32_t>(1),
                                           operand<std::uint32_t>(3), elements(0), 0, bits, stream);
  }
};

std::uint32_t operands_of(Routine routine) {
  switch (routine) {
    case Routine::select_not_negative:
      return 3;
    case Routine::sort_pairs:
      return 4;
    default:
      return 2;
  }
}

cudaError_t run(Routine routine, Call &call, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (call.bytes[i] / 4 > INT32_MAX) return cudaErrorInvalidValue;
  if (count != operands_of(routine)) return cudaErrorInvalidValue;
  switch (routine) {
    case Routine::sum:
      return call.sum();
    case Routine::arg_min:
      return call.arg_min();
    case Routine::inclusive_sum:
      return call.inclusive_sum();
    case Routine::select_not_negative:
      return call.select_not_negative();
    case Routine::histogram_even:
      return call.histogram();
    case Routine::sort_pairs:
      return call.sort_pairs();
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace of_cub
using namespace of_cub;

extern "C" {

__attribute__((visibility("default"))) int warpgrade_cub_run(std::uint32_t routine, void *const *operands,
                                                             const std::uint64_t *bytes, std::uint32_t count,
                                                             void *scratch, std::uint64_t *scratch_bytes,
                                                             void *stream) {
  Call call{operands, bytes, scratch, static_cast<std::size_t>(*scratch_bytes),
            static_cast<cudaStream_t>(stream)};
  const cudaError_t error = run(static_cast<Routine>(routine), call, count);
  *scratch_bytes = call.scratch_bytes;
  return error;
}

__attribute__((visibility("default"))) int warpgrade_cub_version() {
  return CUB_VERSION;
}

__attribute__((visibility("default"))) const char *warpgrade_cub_error(int error) {
  return cudaGetErrorName(static_cast<cudaError_t>(error));
}

}  // extern "C"
