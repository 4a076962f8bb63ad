// Products of f64 on tensor cores. Compiled with -frounding-math, as rounding.cpp.
#include <cfenv>
#include <cmath>

#include "decode/tensor.hpp"
#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt::tensor {
namespace {

int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return FE_TOWARDZERO;
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

double read(const std::uint32_t *const *registers, std::uint32_t reg, std::uint32_t lane) {
  double value;
  std::memcpy(&value, registers[reg] + std::size_t{2} * lane, sizeof value);
  return value;
}

}  // namespace

void multiply_doubles(const Product &product, const std::uint32_t *const *a, const std::uint32_t *const *b,
                      const std::uint32_t *const *c, std::uint32_t (*d)[32]) {
  constexpr std::uint32_t most = 16;
  double left[most_m][most], right[most_n][most];
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t r = 0; r < product.a_registers(); ++r) {
      const Place at = place_in_a(Element::f64, lane, r);
      left[at.row][at.column] = read(a, r, lane);
    }
    for (std::uint32_t r = 0; r < product.b_registers(); ++r) {
      const Place at = place_in_b(Element::f64, lane, r);
      right[at.column][at.row] = read(b, r, lane);
    }
  }
  std::fesetround(mode_of(product.rounding));
  for (std::uint32_t r = 0; r < product.d_registers(); ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const Place at = place_in_c(lane, r);
      volatile double sum = read(c, r, lane);  // kept between the changes of mode
      for (std::uint32_t k = 0; k < product.k; ++k) {
        const double x = left[at.row][k], y = right[at.column][k], before = sum;
        sum = std::fma(x, y, before);
        if (sum != sum) sum = nan_of({y, before, x});
      }
      const double result = sum;
      std::memcpy(&d[2 * r][0] + std::size_t{2} * lane, &result, sizeof result);
    }
  std::fesetround(FE_TONEAREST);
}

}  // namespace warpgrade::simt::tensor
