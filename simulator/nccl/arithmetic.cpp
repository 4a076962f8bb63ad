#include "nccl/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace warpgrade::nccl {
namespace {

struct TypeRow {
  const char *name;
  std::size_t bytes;
};
constexpr TypeRow types[type_count] = {
    {"ncclInt8", 1},   {"ncclUint8", 1},   {"ncclInt32", 4},   {"ncclUint32", 4},  {"ncclInt64", 8},
    {"ncclUint64", 8}, {"ncclFloat16", 2}, {"ncclFloat32", 4}, {"ncclFloat64", 8}, {"ncclBfloat16", 2}};
constexpr const char *reductions[reduction_count + 1] = {
    "ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg", "a reduction of ncclRedOpCreatePreMulSum"};

// Types of elements: what is stored, what is computed with, and the way between the two.

template <class T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored s) { return s; }
  static Stored store(Value v) { return v; }
};
struct Half {
  using Stored = std::uint16_t;
  using Value = float;  // 24 bits are enough for a sum or a product of two halves to be rounded once
  static Value load(Stored s) { return float_of_half(s); }
  static Stored store(Value v) { return half_of_float(v); }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static Value load(Stored s) { return float_of_bfloat16(s); }
  static Stored store(Value v) { return bfloat16_of_float(v); }
};

template <class Visit>
void with_type(Type type, const Visit &visit) {
  switch (type) {
    case Type::int8:
      return visit(Plain<std::int8_t>{});
    case Type::uint8:
      return visit(Plain<std::uint8_t>{});
    case Type::int32:
      return visit(Plain<std::int32_t>{});
    case Type::uint32:
      return visit(Plain<std::uint32_t>{});
    case Type::int64:
      return visit(Plain<std::int64_t>{});
    case Type::uint64:
      return visit(Plain<std::uint64_t>{});
    case Type::float16:
      return visit(Half{});
    case Type::float32:
      return visit(Plain<float>{});
    case Type::float64:
      return visit(Plain<double>{});
    case Type::bfloat16:
      return visit(Bfloat16{});
  }
}

/// Of integers: without the undefined behaviour of an overflow.
template <class T, class Compute>
T wrapped(T a, T b, const Compute &compute) {
  return static_cast<T>(compute(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <class T>
T combined(Reduction op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case Reduction::product:
        return a * b;
      case Reduction::maximum:
        return std::fmax(a, b);
      case Reduction::minimum:
        return std::fmin(a, b);
      default:
        return a + b;
    }
  } else {
    switch (op) {
      case Reduction::product:
        return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x * y; });
      case Reduction::maximum:
        return a < b ? b : a;
      case Reduction::minimum:
        return b < a ? b : a;
      default:
        return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
    }
  }
}

/// Replaces each element of `all` by what `change` makes of it.
template <class Element, class Change>
void change_all(Element, std::span<std::byte> all, const Change &change) {
  using Stored = typename Element::Stored;
  for (std::size_t at = 0; at + sizeof(Stored) <= all.size(); at += sizeof(Stored)) {
    Stored stored;
    std::memcpy(&stored, all.data() + at, sizeof stored);
    stored = Element::store(change(Element::load(stored), at));
    std::memcpy(all.data() + at, &stored, sizeof stored);
  }
}

}  // namespace

std::size_t bytes_of(Type type) {
  return types[static_cast<int>(type)].bytes;
}
const char *name_of(Type type) {
  return types[static_cast<int>(type)].name;
}
const char *name_of(Reduction op) {
  return reductions[static_cast<int>(op)];
}

float float_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 0x3FF;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7F80'0000u | static_cast<std::uint32_t>(mantissa) << 13);
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                   : std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
}

std::uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const float size = std::fabs(value);
  if (std::isnan(value)) return 0x7FFF;
  if (size == 0) return static_cast<std::uint16_t>(sign);
  if (size >= 65520)
    return static_cast<std::uint16_t>(sign | 0x7C00);  // half of the way past the largest one
  // Below 2^-14, halves are multiples of 2^-24; above, 11 bits count. nearbyint rounds ties to even.
  int exponent = 0;
  std::frexp(size, &exponent);
  const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -unit)));
  // With the hidden bit, the units add one to the exponent that they stand beside.
  return static_cast<std::uint16_t>(sign | (units + (static_cast<std::uint32_t>(unit + 24) << 10)));
}

float float_of_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bfloat16_of_float(float value) {
  if (std::isnan(value)) return 0x7FFF;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void prepare(Type type, Reduction op, int ranks, std::span<std::byte> all) {
  if (op != Reduction::average) return;
  with_type(type, [&]<class Element>(Element element) {
    using Value = typename Element::Value;
    if constexpr (std::is_floating_point_v<Value>) {
      const Value share = Element::load(Element::store(Value(1) / static_cast<Value>(ranks)));
      change_all(element, all, [&](Value v, std::size_t) { return v * share; });
    }
  });
}

void scale(Type type, std::span<const std::byte> scalar, std::span<std::byte> all) {
  with_type(type, [&]<class Element>(Element element) {
    using Value = typename Element::Value;
    typename Element::Stored stored;
    std::memcpy(&stored, scalar.data(), sizeof stored);
    const Value factor = Element::load(stored);
    change_all(element, all,
               [&](Value v, std::size_t) { return combined<Value>(Reduction::product, v, factor); });
  });
}

void combine(Type type, Reduction op, std::span<const std::byte> from, std::span<std::byte> into) {
  with_type(type, [&]<class Element>(Element element) {
    using Value = typename Element::Value;
    change_all(element, into, [&](Value mine, std::size_t at) {
      typename Element::Stored other;
      std::memcpy(&other, from.data() + at, sizeof other);
      return combined<Value>(op, mine, Element::load(other));
    });
  });
}

void finish(Type type, Reduction op, int ranks, std::span<std::byte> all) {
  if (op != Reduction::average) return;
  with_type(type, [&]<class Element>(Element element) {
    using Value = typename Element::Value;
    if constexpr (std::is_integral_v<Value>)
      change_all(element, all, [&](Value v, std::size_t) {
        if constexpr (std::is_signed_v<Value>)
          return static_cast<Value>(static_cast<std::int64_t>(v) / ranks);
        else
          return static_cast<Value>(static_cast<std::uint64_t>(v) / static_cast<std::uint64_t>(ranks));
      });
  });
}

}  // namespace warpgrade::nccl
