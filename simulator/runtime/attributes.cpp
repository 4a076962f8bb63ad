#include "runtime/attributes.hpp"

#include <algorithm>

namespace warpgrade::cuda {
namespace {

constexpr auto cluster_launch = static_cast<cudaDeviceAttr>(120);  // which older headers do not name
constexpr auto virtual_memory = static_cast<cudaDeviceAttr>(102);  // only the driver's header names it
constexpr int last_attribute = 200;                                // greater numbers are errors

int integer(std::uint64_t number) {
  return static_cast<int>(std::min<std::uint64_t>(number, 0x7fffffff));
}

int blocks_per_multiprocessor(const Device &d) {  // CUDA programming guide, technical specifications
  const int capability = d.figures.major * 10 + d.figures.minor;
  if (capability == 75 || (capability > 80 && capability < 89)) return 16;
  return capability == 89 || capability == 101 || capability == 110 || capability >= 120 ? 24 : 32;
}

using Figure = int (*)(const Device &);
template <int number>
int always(const Device &) {
  return number;
}
template <int number>
int of_textures(const Device &d) {
  return d.textures ? number : 0;
}
template <auto member>
int figure(const Device &d) {
  return integer(static_cast<std::uint64_t>(d.figures.*member));
}
int shares_memory(const Device &d) {
  return d.shares_memory;
}

struct Row {
  cudaDeviceAttr which;
  Figure value;
};
using P = ptx::DeviceProperties;
constexpr Row rows[] = {
    {cudaDevAttrMaxThreadsPerBlock, figure<&P::max_threads_per_block>},
    {cudaDevAttrMaxBlockDimX, always<1024>},
    {cudaDevAttrMaxBlockDimY, always<1024>},
    {cudaDevAttrMaxBlockDimZ, always<64>},
    {cudaDevAttrMaxGridDimX, always<0x7fffffff>},
    {cudaDevAttrMaxGridDimY, always<65535>},
    {cudaDevAttrMaxGridDimZ, always<65535>},
    {cudaDevAttrMaxSharedMemoryPerBlock, figure<&P::shared_bytes_per_block>},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, figure<&P::shared_bytes_per_block_optin>},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, figure<&P::shared_bytes_per_multiprocessor>},
    {cudaDevAttrReservedSharedMemoryPerBlock,
     [](const Device &d) { return integer(reserved_shared_bytes(d)); }},
    {cudaDevAttrTotalConstantMemory, figure<&P::constant_bytes>},
    {cudaDevAttrWarpSize, always<warp_size>},
    {cudaDevAttrMaxPitch, always<0x7fffffff>},
    {cudaDevAttrMaxRegistersPerBlock, figure<&P::registers_per_block>},
    {cudaDevAttrMaxRegistersPerMultiprocessor, figure<&P::registers_per_multiprocessor>},
    {cudaDevAttrClockRate, figure<&P::clock_khz>},
    {cudaDevAttrMemoryClockRate, figure<&P::memory_clock_khz>},
    {cudaDevAttrGlobalMemoryBusWidth, figure<&P::memory_bus_bits>},
    {cudaDevAttrL2CacheSize, figure<&P::l2_bytes>},
    {cudaDevAttrMultiProcessorCount, figure<&P::multiprocessors>},
    {cudaDevAttrMaxThreadsPerMultiProcessor, figure<&P::max_threads_per_multiprocessor>},
    {cudaDevAttrMaxBlocksPerMultiprocessor, blocks_per_multiprocessor},
    {cudaDevAttrComputeCapabilityMajor, figure<&P::major>},
    {cudaDevAttrComputeCapabilityMinor, figure<&P::minor>},
    {cudaDevAttrTextureAlignment, always<static_cast<int>(memory_alignment)>},
    {cudaDevAttrSurfaceAlignment, always<static_cast<int>(memory_alignment)>},
    {cudaDevAttrTexturePitchAlignment, always<32>},
    {cudaDevAttrMaxTexture1DWidth, of_textures<131072>},
    {cudaDevAttrMaxTexture2DWidth, of_textures<131072>},
    {cudaDevAttrMaxSurface2DWidth, of_textures<131072>},
    {cudaDevAttrMaxTexture2DHeight, of_textures<65536>},
    {cudaDevAttrMaxSurface2DHeight, of_textures<65536>},
    {cudaDevAttrMaxTexture1DLayeredWidth, of_textures<32768>},
    {cudaDevAttrMaxTexture2DLayeredWidth, of_textures<32768>},
    {cudaDevAttrMaxTexture2DLayeredHeight, of_textures<32768>},
    {cudaDevAttrMaxTextureCubemapWidth, of_textures<32768>},
    {cudaDevAttrMaxSurface1DWidth, of_textures<32768>},
    {cudaDevAttrMaxTexture3DWidth, of_textures<16384>},
    {cudaDevAttrMaxTexture3DHeight, of_textures<16384>},
    {cudaDevAttrMaxTexture3DDepth, of_textures<16384>},
    {cudaDevAttrMaxSurface3DWidth, of_textures<16384>},
    {cudaDevAttrMaxSurface3DHeight, of_textures<16384>},
    {cudaDevAttrMaxSurface3DDepth, of_textures<16384>},
    {cudaDevAttrMaxTexture1DLayeredLayers, of_textures<2048>},
    {cudaDevAttrMaxTexture2DLayeredLayers, of_textures<2048>},
    {cudaDevAttrConcurrentKernels, always<1>},
    {cudaDevAttrAsyncEngineCount, always<1>},
    {cudaDevAttrGpuOverlap, always<1>},
    {cudaDevAttrUnifiedAddressing, always<1>},
    {cudaDevAttrStreamPrioritiesSupported, always<1>},
    {cudaDevAttrGlobalL1CacheSupported, always<1>},
    {cudaDevAttrLocalL1CacheSupported, always<1>},
    {cudaDevAttrMemoryPoolsSupported, always<1>},
    {cudaDevAttrCanMapHostMemory, shares_memory},
    {virtual_memory, shares_memory},
    {cudaDevAttrManagedMemory, shares_memory},
    {cudaDevAttrConcurrentManagedAccess, shares_memory},
    {cudaDevAttrHostRegisterSupported, shares_memory},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, shares_memory},
    {cluster_launch, [](const Device &d) -> int { return d.clusters; }},
    {cudaDevAttrCooperativeLaunch, [](const Device &d) -> int { return d.cooperative_launches; }},
};

// Occupancy as NVIDIA's calculator (cuda_occupancy.h) has it: registers come in units of 256 per warp, shared
// memory in units of 128 bytes, of 256 before compute capability 8.0.
constexpr std::uint64_t round_up(std::uint64_t number, std::uint64_t unit) {
  return (number + unit - 1) / unit * unit;
}
std::uint64_t shared_unit(const Device &d) {
  return d.figures.major >= 8 ? 128 : 256;
}
constexpr int parts = 4;  // of a multiprocessor, each with its own registers (6.0 has two, of twice the size)

int blocks_by_registers(const Device &d, const Kernel &kernel, int warps) {
  const std::uint64_t per_warp = round_up(std::uint64_t{registers_of(kernel)} * warp_size, 256);
  const auto all_warps = static_cast<std::uint64_t>(warps + parts - 1) / parts * parts;
  if (per_warp * all_warps > static_cast<std::uint64_t>(d.figures.registers_per_block)) return 0;
  const std::uint64_t per_part = static_cast<std::uint64_t>(d.figures.registers_per_multiprocessor / parts);
  return integer(per_part / per_warp) * parts / warps;
}

}  // namespace

std::optional<int> attribute(const Device &device, int which) {
  if (which <= 0 || which > last_attribute) return std::nullopt;
  for (const Row &row : rows)
    if (row.which == which) return row.value(device);
  return 0;
}

std::uint64_t reserved_shared_bytes(const Device &d) {
  return d.figures.major >= 8 ? 1024 : 0;
}

std::uint32_t registers_of(const Kernel &kernel) {
  return kernel.layout->registers != 0 ? kernel.layout->registers : assumed_registers;
}

int max_threads_of(const Device &d, const Kernel &kernel) {
  const auto per_warp = static_cast<int>(round_up(std::uint64_t{registers_of(kernel)} * warp_size, 256));
  const int fit = d.figures.registers_per_block / per_warp * warp_size;
  const int promised = kernel.layout->max_threads != 0 ? static_cast<int>(kernel.layout->max_threads) : fit;
  return std::min({promised, fit, d.figures.max_threads_per_block});
}

std::uint64_t max_dynamic_shared_of(const Device &d, const Kernel &kernel) {
  const std::uint64_t used = kernel.layout->static_shared_bytes;
  const std::uint64_t plain =
      d.figures.shared_bytes_per_block - std::min(used, d.figures.shared_bytes_per_block);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(kernel.on(d.number).max_dynamic_shared), plain);
}

int active_blocks(const Device &d, const Kernel &kernel, int block_threads, std::uint64_t dynamic_shared) {
  if (block_threads <= 0 || block_threads > max_threads_of(d, kernel)) return 0;
  const int warps = (block_threads + warp_size - 1) / warp_size;
  if (dynamic_shared > max_dynamic_shared_of(d, kernel)) return 0;
  const std::uint64_t shared = round_up(
      kernel.layout->static_shared_bytes + dynamic_shared + reserved_shared_bytes(d), shared_unit(d));
  const int by_shared =
      shared == 0 ? 0x7fffffff : integer(d.figures.shared_bytes_per_multiprocessor / shared);
  return std::min({blocks_per_multiprocessor(d), by_shared, blocks_by_registers(d, kernel, warps),
                   d.figures.max_threads_per_multiprocessor / warp_size / warps});
}

std::optional<std::uint64_t> available_dynamic_shared(const Device &d, const Kernel &kernel, int blocks,
                                                      int block_threads) {
  if (blocks <= 0 || block_threads <= 0 || active_blocks(d, kernel, block_threads, 0) < blocks)
    return std::nullopt;
  const std::uint64_t most = d.figures.shared_bytes_per_block_optin + reserved_shared_bytes(d);
  const std::uint64_t together = blocks == 1 ? most : d.figures.shared_bytes_per_multiprocessor;
  const std::uint64_t each = together / static_cast<std::uint64_t>(blocks) / shared_unit(d) * shared_unit(d);
  return std::min(std::min(each, most) - kernel.layout->static_shared_bytes,
                  max_dynamic_shared_of(d, kernel));
}

}  // namespace warpgrade::cuda
