// Arithmetic with another rounding than to nearest: __fadd_rz and friends. This file is compiled with
// -frounding-math, and every operation is kept between the two changes of mode by volatile values.
#include <cfenv>
#include <cmath>
#include <cstring>

#include "simt/handlers.hpp"

namespace warpgrade::simt {
namespace {

enum class Kind { add, sub, mul, fma, div, sqrt, rcp };

template <class T, Kind kind, int mode>
void run(const Op &op, Context &context) {
  std::fesetround(mode);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto in = [&](Ref ref) {
      T value;
      std::memcpy(&value, context.base[ref & 1] + ref + lane * sizeof(T), sizeof(T));
      return value;
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
    if (value != value) std::memset(&value, 0xFF, sizeof value);  // the canonical NaN has no sign
    if (value != value) reinterpret_cast<unsigned char *>(&value)[sizeof value - 1] = 0x7F;
    std::memcpy(context.rows + op.d + lane * sizeof(T), &value, sizeof(T));
  }
  std::fesetround(FE_TONEAREST);
}

template <class T, Kind kind>
void add(EntryList &list, const char *zero, const char *down, const char *up) {
  constexpr Width w = sizeof(T) == 8 ? Width::wide : Width::word, none = Width::none;
  constexpr Width second = kind == Kind::sqrt || kind == Kind::rcp ? none : w;
  constexpr Width third = kind == Kind::fma ? w : none;
  list.entries[list.size++] = {zero, &run<T, kind, FE_TOWARDZERO>, w, w, second, third};
  list.entries[list.size++] = {down, &run<T, kind, FE_DOWNWARD>, w, w, second, third};
  list.entries[list.size++] = {up, &run<T, kind, FE_UPWARD>, w, w, second, third};
}

}  // namespace

void add_rounding_handlers(EntryList &list) {
  add<float, Kind::add>(list, "add.rz.f32", "add.rm.f32", "add.rp.f32");
  add<float, Kind::sub>(list, "sub.rz.f32", "sub.rm.f32", "sub.rp.f32");
  add<float, Kind::mul>(list, "mul.rz.f32", "mul.rm.f32", "mul.rp.f32");
  add<float, Kind::fma>(list, "fma.rz.f32", "fma.rm.f32", "fma.rp.f32");
  add<float, Kind::div>(list, "div.rz.f32", "div.rm.f32", "div.rp.f32");
  add<float, Kind::sqrt>(list, "sqrt.rz.f32", "sqrt.rm.f32", "sqrt.rp.f32");
  add<float, Kind::rcp>(list, "rcp.rz.f32", "rcp.rm.f32", "rcp.rp.f32");
  add<double, Kind::add>(list, "add.rz.f64", "add.rm.f64", "add.rp.f64");
  add<double, Kind::sub>(list, "sub.rz.f64", "sub.rm.f64", "sub.rp.f64");
  add<double, Kind::mul>(list, "mul.rz.f64", "mul.rm.f64", "mul.rp.f64");
  add<double, Kind::fma>(list, "fma.rz.f64", "fma.rm.f64", "fma.rp.f64");
  add<double, Kind::div>(list, "div.rz.f64", "div.rm.f64", "div.rp.f64");
  add<double, Kind::sqrt>(list, "sqrt.rz.f64", "sqrt.rm.f64", "sqrt.rp.f64");
  add<double, Kind::rcp>(list, "rcp.rz.f64", "rcp.rm.f64", "rcp.rp.f64");
}

}  // namespace warpgrade::simt
