// Tensor maps, which kernels give to bulk copies of tensors.
#include <algorithm>

#include "cuda/simulate/driver.hpp"
#include "ptx/tensor_map.hpp"

namespace warpgrade::cuda {
namespace {

static_assert(sizeof(CUtensorMap) == ptx::TensorMap::bytes);

/// Why CUDA refuses the map, or the memory that it describes is not there; empty if all is well.
std::string why_wrong(Runtime &r, const CUtensorMap *to, const ptx::TensorMap &map) {
  if (reinterpret_cast<std::uintptr_t>(to) % ptx::TensorMap::alignment != 0)
    return "the CUtensorMap itself does not lie at a multiple of 64 bytes";
  if (std::string why = ptx::why_invalid(map); !why.empty()) return why;
  if (r.blocks.at(map.address) == nullptr && !in_visible_range(map.address))
    return "globalAddress is not in memory of the device";
  return {};
}

cudaError_t refuse_map(Runtime &r, const std::string &why) {
  Finding finding;
  finding.code = "api_error";
  finding.severity = simt::Severity::info;
  finding.call = "cuTensorMapEncodeTiled";
  finding.message = "returned CUDA_ERROR_INVALID_VALUE: " + why;
  r.note(std::move(finding));
  return cudaErrorInvalidValue;
}

cudaError_t make_map(Runtime &r, CUtensorMap *to, const ptx::TensorMap &map) {
  if (const std::string why = why_wrong(r, to, map); !why.empty()) return refuse_map(r, why);
  if (const std::string why = ptx::why_unsupported(map); !why.empty()) {
    r.not_supported("cuTensorMapEncodeTiled", why);
    return cudaErrorNotSupported;
  }
  ptx::encode(map, reinterpret_cast<std::byte *>(to));
  return cudaSuccess;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dimensions, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return driver_call("cuTensorMapEncodeTiled", Waits::no, Needs::context, [&](Runtime &r) {
    warpgrade::ptx::TensorMap map;
    if (to == nullptr || dimensions == nullptr || box == nullptr || element_strides == nullptr ||
        (strides == nullptr && rank > 1))
      return refuse_map(r, "an argument is a null pointer");
    map.address = reinterpret_cast<std::uintptr_t>(address);
    map.type = static_cast<std::uint32_t>(type);
    map.rank = rank;
    map.interleave = static_cast<std::uint32_t>(interleave);
    map.swizzle = static_cast<std::uint32_t>(swizzle);
    map.promotion = static_cast<std::uint32_t>(promotion);
    map.fill = static_cast<std::uint32_t>(fill);
    const cuuint32_t known = std::min<cuuint32_t>(rank, map.most_rank);
    std::copy_n(dimensions, known, map.dimensions.begin());
    std::copy_n(box, known, map.box.begin());
    std::copy_n(element_strides, known, map.element_strides.begin());
    if (known > 1) std::copy_n(strides, known - 1, map.strides.begin());
    return make_map(r, to, map);
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *to, void *address) {
  return driver_call("cuTensorMapReplaceAddress", Waits::no, Needs::context, [&](Runtime &r) {
    if (to == nullptr) return cudaErrorInvalidValue;
    auto map = warpgrade::ptx::decode_tensor_map(reinterpret_cast<const std::byte *>(to));
    if (!map) return cudaErrorInvalidValue;
    map->address = reinterpret_cast<std::uintptr_t>(address);
    return make_map(r, to, *map);
  });
}

}  // extern "C"
