// Tensor maps, which kernels give to bulk copies of tensors. Types of <cuda.h> are plain ones here, since the
// headers for clang have no such file: enumerations are numbers, a CUtensorMap is its 128 bytes.
#pragma once

#include <cstdint>

extern "C" {

int cuTensorMapEncodeTiled(void *to, unsigned type, std::uint32_t rank, void *address,
                           const std::uint64_t *dimensions, const std::uint64_t *strides,
                           const std::uint32_t *box, const std::uint32_t *element_strides,
                           unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill);
int cuTensorMapReplaceAddress(void *to, void *address);

}  // extern "C"
