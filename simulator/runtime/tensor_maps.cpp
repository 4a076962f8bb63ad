#include "runtime/tensor_maps.hpp"

#include <algorithm>

#include "ptx/tensor_map.hpp"
#include "runtime/backend.hpp"

namespace warpgrade::cuda {
namespace {

/// Why CUDA refuses the map, or the memory that it describes is not there; empty if all is well.
std::string why_wrong(const void *to, const ptx::TensorMap &map) {
  if (number(to) % ptx::TensorMap::alignment != 0)
    return "the address of the CUtensorMap is not a multiple of 64 bytes";
  if (std::string why = ptx::why_invalid(map); !why.empty()) return why;
  if (backend::kind_of(pointer(map.address)) == MemoryKind::unknown)
    return "globalAddress is not in memory of the device";
  return {};
}

cudaError_t make_map(const char *call, void *to, const ptx::TensorMap &map) {
  if (!backend::device().clusters) return backend::refuse(call, Reason::tensor_maps);
  if (const std::string why = why_wrong(to, map); !why.empty()) return backend::reject(call, why);
  if (const std::string why = ptx::why_unsupported(map); !why.empty()) return backend::refuse(call, why);
  ptx::encode(map, static_cast<std::byte *>(to));
  return cudaSuccess;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

int cuTensorMapEncodeTiled(void *to, unsigned type, std::uint32_t rank, void *address,
                           const std::uint64_t *dimensions, const std::uint64_t *strides,
                           const std::uint32_t *box, const std::uint32_t *element_strides,
                           unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
  constexpr const char *call = "cuTensorMapEncodeTiled";
  return backend::enter_driver(call, [&] {
    if (to == nullptr || dimensions == nullptr || box == nullptr || element_strides == nullptr ||
        (strides == nullptr && rank > 1))
      return backend::reject(call, "an argument is a null pointer");
    warpgrade::ptx::TensorMap map;
    map.address = number(address);
    map.type = type;
    map.rank = rank;
    map.interleave = interleave;
    map.swizzle = swizzle;
    map.promotion = promotion;
    map.fill = fill;
    const std::uint32_t known = std::min(rank, map.most_rank);
    std::copy_n(dimensions, known, map.dimensions.begin());
    std::copy_n(box, known, map.box.begin());
    std::copy_n(element_strides, known, map.element_strides.begin());
    if (known > 1) std::copy_n(strides, known - 1, map.strides.begin());
    return make_map(call, to, map);
  });
}

int cuTensorMapReplaceAddress(void *to, void *address) {
  constexpr const char *call = "cuTensorMapReplaceAddress";
  return backend::enter_driver(call, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    auto map = warpgrade::ptx::decode_tensor_map(static_cast<const std::byte *>(to));
    if (!map) return cudaErrorInvalidValue;
    map->address = number(address);
    return make_map(call, to, *map);
  });
}

}  // extern "C"
