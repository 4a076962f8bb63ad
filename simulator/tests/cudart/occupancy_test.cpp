// Occupancy against the calculator of the toolkit (cuda_occupancy.h), for random kernels on devices of each
// generation.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/attributes.hpp"

namespace warpgrade::cuda {
namespace {

struct Gpu {
  int major, minor, threads, blocks;  // of a multiprocessor
  std::uint64_t shared, optin;
};
constexpr Gpu gpus[] = {{6, 1, 2048, 32, 96 << 10, 48 << 10},  {7, 0, 2048, 32, 96 << 10, 96 << 10},
                        {7, 5, 1024, 16, 64 << 10, 64 << 10},  {8, 0, 2048, 32, 164 << 10, 163 << 10},
                        {8, 6, 1536, 16, 100 << 10, 99 << 10}, {8, 7, 1536, 16, 164 << 10, 163 << 10},
                        {8, 9, 1536, 24, 100 << 10, 99 << 10}, {9, 0, 2048, 32, 228 << 10, 227 << 10}};

Device device_of(const Gpu &gpu) {
  Device device;
  device.figures.major = gpu.major;
  device.figures.minor = gpu.minor;
  device.figures.max_threads_per_multiprocessor = gpu.threads;
  device.figures.shared_bytes_per_multiprocessor = gpu.shared;
  device.figures.shared_bytes_per_block_optin = gpu.optin;
  return device;
}

cudaOccDeviceProp calculator_device(const Device &device) {
  const ptx::DeviceProperties &d = device.figures;
  cudaOccDeviceProp to;
  to.computeMajor = d.major;
  to.computeMinor = d.minor;
  to.maxThreadsPerBlock = d.max_threads_per_block;
  to.maxThreadsPerMultiprocessor = d.max_threads_per_multiprocessor;
  to.regsPerBlock = d.registers_per_block;
  to.regsPerMultiprocessor = d.registers_per_multiprocessor;
  to.warpSize = 32;
  to.sharedMemPerBlock = d.shared_bytes_per_block;
  to.sharedMemPerMultiprocessor = d.shared_bytes_per_multiprocessor;
  to.numSms = d.multiprocessors;
  to.sharedMemPerBlockOptin = d.shared_bytes_per_block_optin;
  to.reservedSharedMemPerBlock = d.major >= 8 ? 1024 : 0;
  return to;
}

TEST(Occupancy, IsThatOfTheToolkitsCalculator) {
  constexpr unsigned seed = 20261234;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 draw(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint64_t>(draw()) % n; };
  for (const Gpu &gpu : gpus) {
    const Device device = device_of(gpu);
    const cudaOccDeviceProp calculator = calculator_device(device);
    for (int i = 0; i < 3000; ++i) {
      ptx::KernelLayout layout;
      layout.registers = static_cast<std::uint32_t>(1 + below(255));
      layout.static_shared_bytes = static_cast<std::uint32_t>(below(3) == 0 ? 0 : below((48 << 10) + 1));
      if (below(4) == 0) layout.max_threads = static_cast<std::uint32_t>(32 * (1 + below(32)));
      Kernel kernel;
      kernel.layout = &layout;
      if (below(2) == 0)
        kernel.max_dynamic_shared = static_cast<int>(below(gpu.optin - layout.static_shared_bytes + 1));
      const int threads = static_cast<int>(1 + below(std::min(1024, max_threads_of(device, kernel))));
      const std::uint64_t dynamic = below(max_dynamic_shared_of(device, kernel) + 1) / (1 + below(20));
      cudaOccFuncAttributes function;
      function.maxThreadsPerBlock = max_threads_of(device, kernel);
      function.numRegs = static_cast<int>(layout.registers);
      function.sharedSizeBytes = layout.static_shared_bytes;
      function.partitionedGCConfig = PARTITIONED_GC_OFF;
      function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
      function.maxDynamicSharedSizeBytes = max_dynamic_shared_of(device, kernel);
      function.numBlockBarriers = 1;
      const cudaOccDeviceState state;
      cudaOccResult wanted;
      SCOPED_TRACE(std::to_string(gpu.major) + "." + std::to_string(gpu.minor) + ", " +
                   std::to_string(threads) + " threads, " + std::to_string(layout.registers) +
                   " registers, " + std::to_string(layout.static_shared_bytes) + " + " +
                   std::to_string(dynamic) + " bytes");
      ASSERT_EQ(
          cudaOccMaxActiveBlocksPerMultiprocessor(&wanted, &calculator, &function, &state, threads, dynamic),
          CUDA_OCC_SUCCESS);
      ASSERT_EQ(active_blocks(device, kernel, threads, dynamic), wanted.activeBlocksPerMultiprocessor);
      const int blocks = static_cast<int>(1 + below(4));
      std::size_t bytes = 0;
      const bool fits = cudaOccAvailableDynamicSMemPerBlock(&bytes, &calculator, &function, &state, blocks,
                                                            threads) == CUDA_OCC_SUCCESS;
      const auto available = available_dynamic_shared(device, kernel, blocks, threads);
      ASSERT_EQ(available.has_value(), fits);
      ASSERT_EQ(available.value_or(0), fits ? bytes : 0);
    }
  }
}

}  // namespace
}  // namespace warpgrade::cuda
