// The reductions of NCCL on the host, in the order in which moves.hpp passes values on: half and bfloat16 are rounded after
// each addition, as they are when a GPU passes them on in that type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgrade::nccl {

/// Numbered as ncclDataType_t.
enum class Type { int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16 };
/// Numbered as ncclRedOp_t; all that a program makes with ncclRedOpCreatePreMulSum are the last one.
enum class Reduction { sum, product, maximum, minimum, average, scaled_sum };

inline constexpr int type_count = 10, reduction_count = 5;

std::size_t bytes_of(Type);
const char *name_of(Type);       ///< "ncclFloat32"
const char *name_of(Reduction);  ///< "ncclSum"

float float_of_half(std::uint16_t);
std::uint16_t half_of_float(float);  ///< to the nearest, ties to even
float float_of_bfloat16(std::uint16_t);
std::uint16_t bfloat16_of_float(float);  ///< likewise

/// A rank's input, before anything is added to it. An average of floating-point numbers is a sum of their shares.
void prepare(Type, Reduction, int ranks, std::span<std::byte>);
/// Likewise, for a scaled sum: each element times the scalar, which is of the same type.
void scale(Type, std::span<const std::byte> scalar, std::span<std::byte> all);
/// into[i] = into[i] op from[i]; both hold the same number of elements. Integers wrap around. Of a number and a NaN, a
/// maximum or minimum is the number.
void combine(Type, Reduction, std::span<const std::byte> from, std::span<std::byte> into);
/// The result, after all was added. An average of integers is their sum, divided and rounded towards zero.
void finish(Type, Reduction, int ranks, std::span<std::byte>);

}  // namespace warpgrade::nccl
