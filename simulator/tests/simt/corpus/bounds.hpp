// How far an approximation may be from the hardware's result: what the PTX manual promises of the
// instruction, or what the CUDA manual promises of a function that is made of such instructions, and half a
// unit more because the simulator rounds correctly. Every other result of the corpus is equal bit for bit.
#pragma once

#include <string_view>

namespace warpgrade::corpus {

/// How the bits of a result are to be read.
enum class Format { none, f16, f16x2, bf16, bf16x2, f32, f64 };

/// |got - want| <= relative * |want| + absolute; two NaNs are equal.
struct Bound {
  std::string_view name;  ///< the instruction begins with this; " in x.cu": all results of a CUDA kernel
  Format format;
  double relative, absolute;
};

constexpr double one_in(double bits) {
  double value = 1;
  for (; bits >= 1; bits -= 1) value /= 2;
  return value * (bits > 0 ? 0.75 : 1);
}

constexpr Bound bounds[] = {
    // 2 ulp
    {"ex2.approx.f32", Format::f32, one_in(21), 0},
    {"ex2.approx.ftz.f32", Format::f32, one_in(21), 0},
    // 2^-22, absolute between 0.5 and 2
    {"lg2.approx", Format::f32, one_in(21.5), one_in(21.5)},
    // 2^-20.5 in [-2 pi, 2 pi]
    {"sin.approx", Format::f32, 0, one_in(20)},
    {"cos.approx", Format::f32, 0, one_in(20)},
    {"rcp.approx.f32", Format::f32, one_in(22.5), 0},
    {"rcp.approx.ftz.f32", Format::f32, one_in(22.5), 0},
    {"rsqrt.approx.f32", Format::f32, one_in(22), 0},
    {"rsqrt.approx.ftz.f32", Format::f32, one_in(22), 0},
    {"sqrt.approx", Format::f32, one_in(22), 0},
    {"div.approx", Format::f32, one_in(21), 0},
    {"div.full", Format::f32, one_in(21), 0},
    {"tanh.approx.f32", Format::f32, one_in(11), 0},
    // the upper half of a double, as a first step
    {"rcp.approx.ftz.f64", Format::f64, one_in(19), 0},
    {"rsqrt.approx.ftz.f64", Format::f64, one_in(20), 0},
    {"rsqrt.approx.f64", Format::f64, one_in(51), 0},
    {"ex2.approx.f16x2", Format::f16x2, one_in(9.5), one_in(24)},
    {"ex2.approx.f16", Format::f16, one_in(9.5), one_in(24)},
    {"ex2.approx.ftz.bf16x2", Format::bf16x2, one_in(7), 0},
    {"ex2.approx.ftz.bf16", Format::bf16, one_in(7), 0},
    {"tanh.approx.f16x2", Format::f16x2, 0, one_in(10)},
    {"tanh.approx.f16", Format::f16, 0, one_in(10)},
    {"tanh.approx.bf16x2", Format::bf16x2, one_in(7), 0},
    {"tanh.approx.bf16", Format::bf16, one_in(7), 0},
    // __powf and __tanf multiply the errors of their parts; the sines of small numbers have absolute errors.
    {"rows.put(8, ...) in fast_math.cu", Format::f32, one_in(17), 0},
    {"rows.put(12, ...) in fast_math.cu", Format::f32, one_in(11), 0},
    {" in fast_math.cu", Format::f32, one_in(20), one_in(20)},
    {" in math_functions.cu", Format::f32, one_in(20), 0},
    {" in math_special_values.cu", Format::f32, one_in(20), 0},
    {" in double_functions.cu", Format::f64, one_in(50), 0},
    {" in double_special_values.cu", Format::f64, one_in(50), 0},
    // A product and a sum without a rounding mode: PTX lets the driver fuse them, and it does.
    {"rows.put(0, ...) in structs_by_value.cu", Format::f32, one_in(21), 0},
    {"rows.put(13, ...) in half_intrinsics.cu", Format::f16, one_in(9), 0},
    {"rows.put(10, ...) in bfloat_sm90.cu", Format::bf16, one_in(6), 0},
};

}  // namespace warpgrade::corpus
