#include "decode/opcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ptx/parser.hpp"

namespace warpgrade::simt {

using ptx::Type;

Opcode::Opcode(std::string_view whole) : text(whole) {
  std::size_t at = whole.find('.');
  base = whole.substr(0, at);
  row = &row_of(base);
  while (at != std::string_view::npos) {
    const std::size_t end = whole.find('.', at + 1);
    const std::string_view dotted = whole.substr(at, end == std::string_view::npos ? end : end - at);
    parts.push_back(dotted.substr(1));
    if (const auto named = ptx::type_named(dotted)) types.push_back(*named);
    at = end;
  }
}

bool Opcode::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

Type Opcode::type(std::size_t from_the_end) const {
  return from_the_end < types.size() ? types[types.size() - 1 - from_the_end] : Type::none;
}

bool is_float(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::none:
      return "none";
    case Type::pred:
      return "pred";
    case Type::b8:
      return "b8";
    case Type::u8:
      return "u8";
    case Type::s8:
      return "s8";
    case Type::b16:
      return "b16";
    case Type::u16:
      return "u16";
    case Type::s16:
      return "s16";
    case Type::f16:
      return "f16";
    case Type::bf16:
      return "bf16";
    case Type::f16x2:
      return "f16x2";
    case Type::bf16x2:
      return "bf16x2";
    case Type::b32:
      return "b32";
    case Type::u32:
      return "u32";
    case Type::s32:
      return "s32";
    case Type::f32:
      return "f32";
    case Type::b64:
      return "b64";
    case Type::u64:
      return "u64";
    case Type::s64:
      return "s64";
    case Type::f64:
      return "f64";
    case Type::b128:
      return "b128";
  }
  return "none";
}

namespace {

std::string by_width(Type type) {
  switch (ptx::size_of(type)) {
    case 1:
    case 2:
      return ".b16";
    case 4:
      return ".b32";
    default:
      return ".b64";
  }
}

std::string unsigned_or_signed(Type type) {
  const std::string bits = std::to_string(8 * ptx::size_of(type));
  return (is_signed(type) ? ".s" : ".u") + bits;
}

std::string float_name(const Opcode &o) {
  const Type type = o.type();
  std::string base(o.base == "mad" ? "fma" : o.base);
  const bool seed =
      o.has("approx") && (type == Type::f64 || base == "ex2" || base == "lg2" || base == "sin" ||
                          base == "cos" || base == "tanh" || base == "rsqrt" || base == "div");
  if (seed) base += ".approx";
  for (const std::string_view rounding : {"rz", "rm", "rp"})
    if (o.has(rounding)) base += "." + std::string(rounding);
  if (o.has("ftz")) base += ".ftz";
  if (o.has("sat")) base += ".sat";
  if (o.has("NaN")) base += ".NaN";
  if (o.has("relu")) base += ".relu";
  if (o.has("xorsign")) base += ".xorsign.abs";
  if (o.has("oob")) return {};
  return base + "." + std::string(type_name(type));
}

std::string integer_name(const Opcode &o) {
  const Type type = o.type();
  const std::string base(o.base);
  if (o.has("cc") || base == "addc" || base == "subc" || base == "madc") {
    const std::string cc = o.has("cc") ? ".cc" : "";
    if (base == "mad" || base == "madc")
      return base + (o.has("hi") ? ".hi" + cc + unsigned_or_signed(type) : ".lo" + cc + ".u32");
    return base + cc + by_width(type);
  }
  if (base == "mad24" || base == "mul24" || (base == "mad" && o.has("sat")))
    return base + (o.has("hi") ? ".hi" : ".lo") + (o.has("sat") ? ".sat" : "") + unsigned_or_signed(type);
  if (o.has("sat")) return base + ".sat" + unsigned_or_signed(type);
  if (o.has("relu")) return base + ".relu" + unsigned_or_signed(type);
  if (base == "add" || base == "sub") return base + by_width(type);
  if (base == "mul" || base == "mad") {
    if (o.has("lo")) return base + ".lo" + by_width(type);
    return base + (o.has("hi") ? ".hi" : ".wide") + unsigned_or_signed(type);
  }
  if (base == "bfind") return base + (o.has("shiftamt") ? ".shiftamt" : "") + unsigned_or_signed(type);
  if (base == "neg" || base == "abs") return base + ".s" + std::to_string(8 * ptx::size_of(type));
  return base + unsigned_or_signed(type);
}

std::string bit_name(const Opcode &o) {
  const Type type = o.type();
  const std::string base(o.base);
  if (type == Type::pred) return base + ".pred";
  if (base == "shf") return base + (o.has("l") ? ".l" : ".r") + (o.has("wrap") ? ".wrap" : ".clamp") + ".b32";
  if (base == "shr") return base + unsigned_or_signed(type);
  if (base == "prmt") {
    for (const std::string_view mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
      if (o.has(mode)) return "prmt.b32." + std::string(mode);
    return "prmt.b32";
  }
  if (base == "copysign" || base == "bmsk" || base == "szext" || base == "fns" || base == "testp")
    return std::string(o.text);
  const bool narrow = ptx::size_of(type) <= 2 &&
                      (base == "and" || base == "or" || base == "xor" || base == "mov" || base == "selp");
  return base + (narrow ? ".b32" : by_width(type));
}

}  // namespace

std::string canonical_name(const Opcode &o) {
  if (o.text.ends_with(".s16x2") || o.text.ends_with(".u16x2")) return std::string(o.text);
  if (o.types.empty()) return {};
  const bool floating = is_float(o.type());
  switch (o.row->naming) {
    case Naming::none:
      return {};
    case Naming::bits:
      return bit_name(o);
    case Naming::integer:
      return floating ? std::string() : integer_name(o);
    case Naming::floating:
      return floating ? float_name(o) : std::string();
    case Naming::number:
      return floating ? float_name(o) : integer_name(o);
    case Naming::whole:
      return std::string(o.text);
    case Naming::types:
      return fmt::format("{}.{}.{}", o.base, type_name(o.type(1)), type_name(o.type()));
  }
  return {};
}

InstructionClass class_of(const Opcode &o) {
  if (tensor_flops(o) != 0) return InstructionClass::tensor;
  if (o.row->kind != by_type) return o.row->kind;
  switch (o.type()) {
    case Type::f32:
      return InstructionClass::single;
    case Type::f64:
      return InstructionClass::twice;
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2:
      return InstructionClass::half;
    default:
      return InstructionClass::integer;
  }
}

Passes passes_through(const Opcode &o) {
  const bool pairs =
      std::any_of(o.parts.begin(), o.parts.end(), [](std::string_view part) { return part.ends_with("x2"); });
  if (pairs && !o.is(Family::convert)) return Passes::halves;
  const Type type = o.type();
  const bool whole = type == Type::none || type == Type::pred || ptx::size_of(type) >= 4;
  switch (o.row->passes) {
    case Passes::sum:  // not of carries, of upper halves, nor where the sum is clamped
      return o.text == std::string(o.base) + (o.has("lo") ? ".lo" : "") + by_width(type) && whole &&
                     !is_float(type)
                 ? Passes::sum
                 : Passes::compute;
    case Passes::shift_right:
      return !whole ? Passes::compute : is_signed(type) ? Passes::shift_sign : Passes::shift_right;
    case Passes::equality:
      return (o.has("eq") || o.has("ne")) && whole && !is_float(type) ? Passes::equality : Passes::compute;
    case Passes::field:
      return is_signed(type) ? Passes::compute : Passes::field;
    case Passes::permute:
      return o.parts.size() == 1 ? Passes::permute : Passes::compute;
    case Passes::convert:  // conversions with a handler of their own
      return o.text == "cvt.u64.u32" || o.text == "cvt.b32.b64"   ? Passes::copy
             : o.text == "cvt.s64.s32"                            ? Passes::extend
             : o.text == "cvt.b16.b32" || o.text == "cvt.u32.u16" ? Passes::low_half
             : o.text == "cvt.s32.s16"                            ? Passes::sign_half
                                                                  : Passes::compute;
    default:
      return whole ? o.row->passes : Passes::compute;
  }
}

bool is_strong(const Opcode &o) {
  return o.has("volatile") || o.has("relaxed") || o.has("acquire") || o.has("release");
}

bool is_barrier(const Opcode &o) {
  return o.is(Family::barrier) && !o.has("warp");
}

bool is_sync(const Opcode &o) {
  return o.is(Family::tensor) || (o.is(Family::barrier) && o.has("warp")) ||
         (o.is(Family::warp) && o.has("sync"));
}

bool leaves(const Opcode &o) {
  return o.is(Family::jump, Family::jump_by_table, Family::leave, Family::stop);
}

std::uint64_t LineCounters::*flop_counter(const Opcode &o) {
  const bool single = o.type() == Type::f32;
  if (!single && o.type() != Type::f64) return nullptr;
  switch (o.row->flops) {
    case Flops::none:
      return nullptr;
    case Flops::sum:
      return single ? &LineCounters::fp32_add : &LineCounters::fp64_add;
    case Flops::product:
      return single ? &LineCounters::fp32_mul : &LineCounters::fp64_mul;
    case Flops::both:
      return single ? &LineCounters::fp32_fma : &LineCounters::fp64_fma;
  }
  return nullptr;
}

bool parse_conversion(const Opcode &o, Conversion &how) {
  if (o.types.size() != 2) return false;
  how.to = o.type(1);
  how.from = o.type(0);
  how.rounding = Rounding::nearest;
  const bool narrowing = is_float(how.from) && is_float(how.to);
  for (const std::string_view part : o.parts) {
    if (part == "rn" || part == "rni")
      how.rounding = Rounding::nearest;
    else if (part == "rna")
      how.rounding = Rounding::nearest_away;
    else if (part == "rz" || part == "rzi")
      how.rounding = Rounding::zero;
    else if (part == "rm" || part == "rmi")
      how.rounding = Rounding::down;
    else if (part == "rp" || part == "rpi")
      how.rounding = Rounding::up;
    else if (part == "sat")
      how.saturate = true;
    else if (part == "ftz")
      how.flush = true;
    else if (part == "relu")
      how.relu = true;
    else if (!ptx::type_named("." + std::string(part)))
      return false;  // tf32, e4m3x2, satfinite, ...
    if (narrowing && part.size() == 3 && part.ends_with("i")) how.to_integral = true;
  }
  if (how.from == Type::f16x2 || how.from == Type::bf16x2) return false;
  return how.to != Type::pred && how.from != Type::pred;
}

std::string fast_conversion(const Opcode &, const Conversion &how) {
  if (how.saturate || how.flush || how.relu || how.to_integral) return {};
  const std::uint32_t to = ptx::size_of(how.to), from = ptx::size_of(how.from);
  if (!is_float(how.to) && !is_float(how.from)) {
    if (to == 8 && from == 8) return "mov.b64";
    if (to == 8 && from == 4) return is_signed(how.from) ? "cvt.s64.s32" : "cvt.u64.u32";
    if (to == 4 && from == 8) return "cvt.b32.b64";
    if (to == 4 && from == 4) return "mov.b32";
    if (to == 4 && from == 2) return is_signed(how.from) ? "cvt.s32.s16" : "cvt.u32.u16";
    if (to == 2 && from == 4) return "cvt.b16.b32";
    return {};
  }
  if (how.to == Type::f64 && how.from == Type::f32) return "cvt.f64.f32";
  if (how.to == Type::f32 && how.from == Type::f16) return "cvt.f32.f16";
  if (how.rounding != Rounding::nearest) return {};
  if (how.from == Type::f32 && how.to == Type::f16) return "cvt.rn.f16.f32";
  if (how.from == Type::f32 && how.to == Type::f16x2) return "cvt.rn.f16x2.f32";
  if (how.to == Type::f32 && how.from == Type::f64) return "cvt.rn.f32.f64";
  if (!is_float(how.from) && from == 4 && (how.to == Type::f32 || how.to == Type::f64))
    return "cvt.rn." + std::string(type_name(how.to)) + (is_signed(how.from) ? ".s32" : ".u32");
  return {};
}

}  // namespace warpgrade::simt
