// The arithmetic of tensor cores, bit by bit as on an H200, and which lane of a warp holds which element. Pure
// functions: the simulator runs them, and test_gpu compares them with a GPU (docs/tensor-cores.md).
#pragma once

#include <cstdint>

#include "decode/rounding.hpp"

namespace warpgrade::simt::tensor {

enum class Element : std::uint8_t { f16, bf16, tf32, f32, f64, s4, u4, s8, u8, s32, b1, e4m3, e5m2 };

constexpr std::uint32_t bits_of(Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::s8:
    case Element::u8:
    case Element::e4m3:
    case Element::e5m2:
      return 8;
    case Element::s4:
    case Element::u4:
      return 4;
    case Element::b1:
      return 1;
    case Element::f64:
      return 64;
    default:
      return 32;
  }
}
/// Of a register that holds such elements: 2 if it has 64 bits.
constexpr std::uint32_t words_of_register(Element element) {
  return element == Element::f64 ? 2 : 1;
}
constexpr std::uint32_t per_register(Element element) {
  return 32 * words_of_register(element) / bits_of(element);
}

/// D = A * B + C, with A of m x k, B of k x 8, C and D of m x 8 elements.
struct Product {
  Element a = Element::f16, b = Element::f16, c = Element::f32, d = Element::f32;
  std::uint32_t m = 16, k = 16;  ///< m: 16 or 8
  std::uint32_t step = 16;       ///< this many products at a time make a sum, which is C for the next ones
  bool saturate = false;         ///< of integers: sums are clamped instead of wrapped
  bool exclusive = false;        ///< of single bits: counts those that differ, not those that are both 1
  Rounding rounding = Rounding::nearest;  ///< of f64

  std::uint32_t a_registers() const { return m * k / per_register(a) / 32; }
  std::uint32_t b_registers() const { return 8 * k / per_register(b) / 32; }
  std::uint32_t c_registers() const { return m * 8 / per_register(c) / 32; }
  std::uint32_t d_registers() const { return m * 8 / per_register(d) / 32; }
};

constexpr std::uint32_t most_m = 16, most_n = 8, most_k = 64;

/// What a warp multiplies by one instruction. A wmma consists of two products of 16 x 8 results. They differ in
/// which then has twice as many registers, or in B. (An 8 x 32 product is the transposed one of 32 x 8.)
struct WarpProduct {
  Product one;
  std::uint32_t parts = 1;
  bool splits_columns = false;  ///< the parts differ in B
  std::uint32_t a_registers() const { return one.a_registers() * (splits_columns ? 1 : parts); }
  std::uint32_t b_registers() const { return one.b_registers() * (splits_columns ? parts : 1); }
  std::uint32_t c_registers() const { return one.c_registers() * parts; }
  std::uint32_t d_registers() const { return one.d_registers() * parts; }
};
constexpr std::uint32_t most_registers = 8;  ///< of an operand

struct Place {
  std::uint32_t row = 0, column = 0;
};
/// The place in A of element `i` of a lane; elements are counted through the lane's registers, low bits first.
constexpr Place place_in_a(Element element, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t each = per_register(element), reg = i / each;
  return {lane / 4 + 8 * (reg & 1), lane % 4 * each + i % each + 4 * each * (reg >> 1)};
}
/// The same in B: row is along k.
constexpr Place place_in_b(Element element, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t each = per_register(element), reg = i / each;
  return {lane % 4 * each + i % each + 4 * each * reg, lane / 4};
}
/// The same in C and D, whatever their elements are.
constexpr Place place_in_c(std::uint32_t lane, std::uint32_t i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

/// The bits of each element, B by columns. tf32: the upper 19 of 32 bits count. b1: 32 elements in each.
/// f64: none.
struct Matrices {
  std::uint32_t a[most_m][most_k], b[most_n][most_k], c[most_m][most_n], d[most_m][most_n];
};

/// As what they hold it.
constexpr Element held_as(Element element) {
  return element == Element::b1 ? Element::s32 : element;
}
/// How many of those k elements take.
constexpr std::uint32_t held_depth(Element element, std::uint32_t k) {
  return element == Element::b1 ? k / 32 : k;
}

/// Computes d from the others.
///
/// Floating point: the products of a step are exact. They and c are truncated, towards zero, 25 bits below the
/// largest exponent among them, where the exponent of a product is the sum of its factors' exponents. The
/// exact sum of the rest is rounded to f32, towards zero, or to f16, to nearest. With c in f32 and d in
/// f16 it is rounded to f32 and then to f16. Factors of fp8 are truncated 13 bits below. A result of 0 is +0.
/// Every NaN is 0x7fffffff (f32) or 0x7fff (f16).
void multiply(const Product &, Matrices &);

/// The same with operands in registers: each points to the 32 lanes of its registers, one after the other. A
/// register of f64 takes 64 words.
///
/// fp8: as ptxas implements it for compute capability 9.0 (docs/tensor-cores.md), unlike the sum above, which is
/// that of wgmma.
///
/// f64: the products are added to c one after the other in the order of k, each by a fused multiply-add.
void multiply(const WarpProduct &, const std::uint32_t *const *a, const std::uint32_t *const *b,
              const std::uint32_t *const *c, std::uint32_t (*d)[32]);
void multiply_doubles(const Product &, const std::uint32_t *const *a, const std::uint32_t *const *b,
                      const std::uint32_t *const *c, std::uint32_t (*d)[32]);

}  // namespace warpgrade::simt::tensor
