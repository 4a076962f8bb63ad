// Arithmetic with another rounding than to nearest: __fadd_rz and friends. This file is compiled with
// -frounding-math, and every operation is kept between the two changes of mode by volatile values.
#include <cfenv>
#include <cmath>

#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt {
namespace {

enum class Kind { add, sub, mul, fma, div, sqrt, rcp };

using simt::flushed;  // which the overload below would hide
double flushed(double value) {
  return value;
}

float nan_result(Kind, float, float, float) {
  return std::bit_cast<float>(0x7FFFFFFFu);
}
double nan_result(Kind kind, double a, double b, double c) {
  switch (kind) {
    case Kind::fma:
      return nan_of({b, c, a});
    case Kind::div:
      return nan_of({a, b});
    case Kind::sqrt:
    case Kind::rcp:
      return nan_of({a});
    default:
      return nan_of({b, a});
  }
}

template <class T, Kind kind, bool flush, bool saturate>
void run(const Op &op, Context &context, int mode) {
  std::fesetround(mode);
  for (int lane = 0; lane < 32; ++lane) {
    const auto in = [&](Ref ref) {
      const T value = lane_in<T>(context, ref, lane);
      return flush ? flushed(value) : value;
    };
    volatile T a = in(op.a), b = in(op.b), c = in(op.c);
    volatile T result = 0;
    switch (kind) {
      case Kind::add:
        result = a + b;
        break;
      case Kind::sub:
        result = a - b;
        break;
      case Kind::mul:
        result = a * b;
        break;
      case Kind::fma:
        result = std::fma(a, b, c);
        break;
      case Kind::div:
        result = a / b;
        break;
      case Kind::sqrt:
        result = std::sqrt(a);
        break;
      case Kind::rcp:
        result = T{1} / a;
        break;
    }
    T value = result;
    if (value != value) value = nan_result(kind, a, b, c);
    if (flush) value = flushed(value);
    if (saturate) value = value > 0 ? (value < 1 ? value : T{1}) : T{0};
    lane_out(context, op.d, lane, value);
  }
  std::fesetround(FE_TONEAREST);
}
template <class T, Kind kind, bool flush, bool saturate, int mode>
void run_rounded(const Op &op, Context &context) {
  run<T, kind, flush, saturate>(op, context, mode);
}

template <class T, Kind kind, bool flush = false, bool saturate = false>
void add(EntryList &list, const char *zero, const char *down, const char *up) {
  constexpr Width w = width_of_row<T>, none = Width::none;
  constexpr Width second = kind == Kind::sqrt || kind == Kind::rcp ? none : w;
  constexpr Width third = kind == Kind::fma ? w : none;
  put(list, {zero, &run_rounded<T, kind, flush, saturate, FE_TOWARDZERO>, w, w, second, third});
  put(list, {down, &run_rounded<T, kind, flush, saturate, FE_DOWNWARD>, w, w, second, third});
  put(list, {up, &run_rounded<T, kind, flush, saturate, FE_UPWARD>, w, w, second, third});
}

}  // namespace

void add_rounding_handlers(EntryList &list) {
  add<float, Kind::add>(list, "add.rz.f32", "add.rm.f32", "add.rp.f32");
  add<float, Kind::add, true, false>(list, "add.rz.ftz.f32", "add.rm.ftz.f32", "add.rp.ftz.f32");
  add<float, Kind::add, false, true>(list, "add.rz.sat.f32", "add.rm.sat.f32", "add.rp.sat.f32");
  add<float, Kind::add, true, true>(list, "add.rz.ftz.sat.f32", "add.rm.ftz.sat.f32", "add.rp.ftz.sat.f32");
  add<float, Kind::sub>(list, "sub.rz.f32", "sub.rm.f32", "sub.rp.f32");
  add<float, Kind::sub, true, false>(list, "sub.rz.ftz.f32", "sub.rm.ftz.f32", "sub.rp.ftz.f32");
  add<float, Kind::sub, false, true>(list, "sub.rz.sat.f32", "sub.rm.sat.f32", "sub.rp.sat.f32");
  add<float, Kind::sub, true, true>(list, "sub.rz.ftz.sat.f32", "sub.rm.ftz.sat.f32", "sub.rp.ftz.sat.f32");
  add<float, Kind::mul>(list, "mul.rz.f32", "mul.rm.f32", "mul.rp.f32");
  add<float, Kind::mul, true, false>(list, "mul.rz.ftz.f32", "mul.rm.ftz.f32", "mul.rp.ftz.f32");
  add<float, Kind::mul, false, true>(list, "mul.rz.sat.f32", "mul.rm.sat.f32", "mul.rp.sat.f32");
  add<float, Kind::mul, true, true>(list, "mul.rz.ftz.sat.f32", "mul.rm.ftz.sat.f32", "mul.rp.ftz.sat.f32");
  add<float, Kind::fma>(list, "fma.rz.f32", "fma.rm.f32", "fma.rp.f32");
  add<float, Kind::fma, true, false>(list, "fma.rz.ftz.f32", "fma.rm.ftz.f32", "fma.rp.ftz.f32");
  add<float, Kind::fma, false, true>(list, "fma.rz.sat.f32", "fma.rm.sat.f32", "fma.rp.sat.f32");
  add<float, Kind::fma, true, true>(list, "fma.rz.ftz.sat.f32", "fma.rm.ftz.sat.f32", "fma.rp.ftz.sat.f32");
  add<float, Kind::div>(list, "div.rz.f32", "div.rm.f32", "div.rp.f32");
  add<float, Kind::div, true, false>(list, "div.rz.ftz.f32", "div.rm.ftz.f32", "div.rp.ftz.f32");
  add<float, Kind::sqrt>(list, "sqrt.rz.f32", "sqrt.rm.f32", "sqrt.rp.f32");
  add<float, Kind::sqrt, true, false>(list, "sqrt.rz.ftz.f32", "sqrt.rm.ftz.f32", "sqrt.rp.ftz.f32");
  add<float, Kind::rcp>(list, "rcp.rz.f32", "rcp.rm.f32", "rcp.rp.f32");
  add<float, Kind::rcp, true, false>(list, "rcp.rz.ftz.f32", "rcp.rm.ftz.f32", "rcp.rp.ftz.f32");
  add<double, Kind::add>(list, "add.rz.f64", "add.rm.f64", "add.rp.f64");
  add<double, Kind::sub>(list, "sub.rz.f64", "sub.rm.f64", "sub.rp.f64");
  add<double, Kind::mul>(list, "mul.rz.f64", "mul.rm.f64", "mul.rp.f64");
  add<double, Kind::fma>(list, "fma.rz.f64", "fma.rm.f64", "fma.rp.f64");
  add<double, Kind::div>(list, "div.rz.f64", "div.rm.f64", "div.rp.f64");
  add<double, Kind::sqrt>(list, "sqrt.rz.f64", "sqrt.rm.f64", "sqrt.rp.f64");
  add<double, Kind::rcp>(list, "rcp.rz.f64", "rcp.rm.f64", "rcp.rp.f64");
}

}  // namespace warpgrade::simt
