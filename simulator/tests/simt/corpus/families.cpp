// Which instructions exist: every type, rounding and modifier that PTX allows on sm_90.
#include "spec.hpp"

namespace warpgrade::corpus {
namespace {

using Strings = std::vector<std::string>;

const Strings integer_types = {"u16", "s16", "u32", "s32", "u64", "s64"};
const Strings all_integer_types = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
const Strings roundings = {"rn", "rz", "rm", "rp"};
const Strings no_or_ftz = {"", ".ftz"}, no_or_sat = {"", ".sat"};

char letter(const std::string &type) {
  if (type == "f16") return 'i';
  if (type == "bf16") return 'j';
  if (type == "f16x2") return 'p';
  if (type == "bf16x2") return 'q';
  if (type == "f32") return 'f';
  if (type == "f64") return 'g';
  if (type.ends_with("x2")) return 'r';
  if (type.ends_with("64")) return 'd';
  if (type.ends_with("32")) return 'r';
  return type.ends_with("16") ? 'h' : 'b';
}

/// "X=YYY" with the letters of types
std::string same(const std::string &type, int sources) {
  return std::string(1, letter(type)) + "=" + std::string(static_cast<std::size_t>(sources), letter(type));
}
std::string shape(const std::string &to, const std::string &from) {
  return {letter(to), '=', letter(from)};
}

Family integer_arithmetic() {
  Family f{"integer_arithmetic", {}};
  for (const std::string &t : integer_types) {
    for (const char *op : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
      f.specs.push_back({std::string(op) + "." + t, same(t, 2)});
    for (const char *op : {"mad.lo", "mad.hi", "sad"})
      f.specs.push_back({std::string(op) + "." + t, same(t, 3)});
    if (t[0] == 's')
      for (const char *op : {"abs", "neg"}) f.specs.push_back({std::string(op) + "." + t, same(t, 1)});
  }
  for (const char *s : {"u", "s"}) {
    const std::string sign = s;
    f.specs.push_back({"mul.wide." + sign + "16", "r=hh"});
    f.specs.push_back({"mad.wide." + sign + "16", "r=hhr"});
    f.specs.push_back({"mul.wide." + sign + "32", "d=rr"});
    f.specs.push_back({"mad.wide." + sign + "32", "d=rrd"});
    for (const char *part : {"lo", "hi"}) {
      f.specs.push_back({"mul24." + std::string(part) + "." + sign + "32", "r=rr"});
      f.specs.push_back({"mad24." + std::string(part) + "." + sign + "32", "r=rrr"});
    }
    f.specs.push_back({"min." + sign + "16x2", "r=rr"});
    f.specs.push_back({"max." + sign + "16x2", "r=rr"});
    f.specs.push_back({"add." + sign + "16x2", "r=rr"});
  }
  for (const char *op : {"add.sat", "sub.sat"}) f.specs.push_back({std::string(op) + ".s32", "r=rr"});
  for (const char *op : {"mad.hi.sat", "mad24.hi.sat"})
    f.specs.push_back({std::string(op) + ".s32", "r=rrr"});
  for (const char *op : {"min.relu", "max.relu"})
    for (const char *t : {"s32", "s16x2"}) f.specs.push_back({std::string(op) + "." + t, "r=rr"});
  for (const char *a : {"u32", "s32"})
    for (const char *b : {"u32", "s32"}) {
      const std::string types = std::string(".") + a + "." + b;
      f.specs.push_back({"dp4a" + types, "r=rrr"});
      f.specs.push_back({"dp2a.lo" + types, "r=rrr"});
      f.specs.push_back({"dp2a.hi" + types, "r=rrr"});
    }
  return f;
}

Family bits() {
  Family f{"bits", {}};
  for (const char *w : {"16", "32", "64"}) {
    const std::string t = std::string("b") + w;
    for (const char *op : {"and", "or", "xor"}) f.specs.push_back({std::string(op) + "." + t, same(t, 2)});
    for (const char *op : {"not", "cnot"}) f.specs.push_back({std::string(op) + "." + t, same(t, 1)});
    const std::string by = std::string(1, letter(t)) + "=" + letter(t) + "n";
    f.specs.push_back({"shl." + t, by});
    for (const char *s : {"b", "u", "s"}) f.specs.push_back({std::string("shr.") + s + w, by});
    f.specs.push_back({"shl." + t, by.substr(0, 3) + "{7}"});
    f.specs.push_back({std::string("shr.s") + w, by.substr(0, 3) + "{40}"});
  }
  for (const char *t : {"b32", "b64"}) {
    const std::string from = std::string(1, letter(t));
    for (const char *op : {"popc", "clz"}) f.specs.push_back({std::string(op) + "." + t, "r=" + from});
    f.specs.push_back({std::string("brev.") + t, from + "=" + from});
    f.specs.push_back({std::string("bfi.") + t, from + "=" + from + from + "nn"});
  }
  for (const char *t : {"u32", "s32", "u64", "s64"}) {
    const std::string from = std::string(1, letter(t));
    for (const char *op : {"bfind", "bfind.shiftamt"})
      f.specs.push_back({std::string(op) + "." + t, "r=" + from});
    f.specs.push_back({std::string("bfe.") + t, from + "=" + from + "nn"});
  }
  for (const char *way : {"l.wrap", "r.wrap", "l.clamp", "r.clamp"})
    f.specs.push_back({std::string("shf.") + way + ".b32", "r=rrn"});
  for (const char *table : {"0x1b", "0x96", "0xe8", "0xca", "0x80", "0xfe", "0x01"})
    f.specs.push_back({"lop3.b32", std::string("r=rrr{") + table + "}"});
  f.specs.push_back({"prmt.b32", "r=rrr"});
  f.specs.push_back({"prmt.b32", "r=rr{0x5410}"});
  for (const char *mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
    f.specs.push_back({std::string("prmt.b32.") + mode, "r=rrr"});
  for (const char *mode : {"clamp", "wrap"}) {
    f.specs.push_back({std::string("bmsk.") + mode + ".b32", "r=nn"});
    f.specs.push_back({std::string("szext.") + mode + ".u32", "r=rn"});
    f.specs.push_back({std::string("szext.") + mode + ".s32", "r=rn"});
  }
  for (const char *offset : {"{1}", "{-1}", "{3}", "{-2}", "{0}"})
    for (const char *base : {"{0}", "{31}", "{12}"})
      f.specs.push_back({"fns.b32", std::string("r=r") + base + offset});
  return f;
}

/// Whether some value of `from` is outside `to`; .sat is rejected elsewhere.
bool can_saturate(const std::string &to, const std::string &from) {
  const int to_bits = std::stoi(to.substr(1)), from_bits = std::stoi(from.substr(1));
  if (to[0] == from[0]) return to_bits < from_bits;
  return to[0] == 'u' || to_bits <= from_bits;
}

Family integer_conversions() {
  Family f{"convert_integers", {}};
  for (const std::string &to : all_integer_types)
    for (const std::string &from : all_integer_types)
      for (const std::string &sat : no_or_sat)
        if (sat.empty() ? to != from : can_saturate(to, from))
          f.specs.push_back({"cvt" + sat + "." + to + "." + from, shape(to, from)});
  return f;
}

Family integer_to_float() {
  Family f{"convert_integer_to_float", {}};
  for (const std::string to : {"f16", "bf16", "f32", "f64"})
    for (const std::string &from : all_integer_types)
      for (const std::string &rounding : roundings)
        if (to != "bf16" || letter(from) != 'b')
          f.specs.push_back({"cvt." + rounding + "." + to + "." + from, shape(to, from)});
  f.specs.push_back({"cvt.rn.sat.f32.s32", "f=r"});
  f.specs.push_back({"cvt.rn.sat.f64.s64", "g=d"});
  return f;
}

Family float_to_integer() {
  Family f{"convert_float_to_integer", {}};
  for (const std::string from : {"f16", "bf16", "f32", "f64"})
    for (const std::string &to : all_integer_types)
      for (const char *rounding : {"rni", "rzi", "rmi", "rpi"})
        if (from != "bf16" || letter(to) != 'b')
          f.specs.push_back({std::string("cvt.") + rounding + "." + to + "." + from, shape(to, from)});
  for (const std::string &to : all_integer_types) {
    f.specs.push_back({"cvt.rni.ftz." + to + ".f32", shape(to, "f32")});
    f.specs.push_back({"cvt.rpi.ftz." + to + ".f32", shape(to, "f32")});
    f.specs.push_back({"cvt.rzi.sat." + to + ".f32", shape(to, "f32")});
  }
  return f;
}

Family float_to_float() {
  Family f{"convert_float_to_float", {}};
  const auto add = [&](const std::string &name, const std::string &to, const std::string &from) {
    f.specs.push_back({"cvt" + name + "." + to + "." + from, shape(to, from)});
  };
  for (const std::string &rounding : roundings) {
    for (const char *from : {"f32", "f64"}) add("." + rounding, "f16", from);
    add("." + rounding, "f32", "f64");
    add("." + rounding + ".ftz", "f32", "f64");
    add("." + rounding + ".sat", "f32", "f64");
    add("." + rounding + ".ftz.sat", "f32", "f64");
    add("." + rounding + ".ftz", "f16", "f32");
    add("." + rounding + ".sat", "f16", "f32");
    add("." + rounding, "bf16", "f16");
    add("." + rounding, "f16", "bf16");
    add("." + rounding, "bf16", "f64");
    for (const char *t : {"f16", "bf16", "f32", "f64"}) add("." + rounding + "i", t, t);
    add("." + rounding + "i.ftz", "f32", "f32");
    add("." + rounding + "i.sat", "f32", "f32");
  }
  for (const char *rounding : {".rn", ".rz", ".rm", ".rp"}) add(rounding, "bf16", "f32");
  for (const char *rounding : {".rn", ".rz"}) {
    for (const char *to : {"f16", "bf16"}) {
      add(std::string(rounding) + ".relu", to, "f32");
      const std::string pair = std::string(to) + "x2";
      f.specs.push_back(
          {std::string("cvt") + rounding + "." + pair + ".f32", std::string(1, letter(pair)) + "=ff"});
      f.specs.push_back(
          {std::string("cvt") + rounding + ".relu." + pair + ".f32", std::string(1, letter(pair)) + "=ff"});
    }
  }
  for (const char *from : {"f16", "bf16", "f32"}) add("", "f64", from);
  add(".ftz", "f64", "f32");
  add(".sat", "f64", "f32");
  for (const char *from : {"f16", "bf16"}) add("", "f32", from);
  add(".ftz", "f32", "f16");
  add(".sat", "f32", "f16");
  for (const char *t : {"f16", "f32", "f64"}) add(".sat", t, t);
  add(".ftz", "f32", "f32");
  f.specs.push_back({"cvt.rna.tf32.f32", "r=f"});
  for (const char *rounding : {".rn", ".rz"}) {
    f.specs.push_back({std::string("cvt") + rounding + ".tf32.f32", "r=f"});
    f.specs.push_back({std::string("cvt") + rounding + ".relu.tf32.f32", "r=f"});
  }
  for (const char *narrow : {"e4m3x2", "e5m2x2"}) {
    const std::string name = narrow;
    f.specs.push_back({"cvt.rn.satfinite." + name + ".f32", "h=ff"});
    f.specs.push_back({"cvt.rn.satfinite.relu." + name + ".f32", "h=ff"});
    f.specs.push_back({"cvt.rn.satfinite." + name + ".f16x2", "h=p"});
    f.specs.push_back({"cvt.rn.f16x2." + name, "p=h"});
    f.specs.push_back({"cvt.rn.relu.f16x2." + name, "p=h"});
  }
  return f;
}

Family single() {
  Family f{"single_precision", {}};
  for (const std::string &ftz : no_or_ftz) {
    for (const char *op : {"add", "sub", "mul", "fma"}) {
      const int sources = std::string(op) == "fma" ? 3 : 2;
      for (const std::string &sat : no_or_sat) {
        for (const std::string &rounding : roundings)
          f.specs.push_back({op + ("." + rounding) + ftz + sat + ".f32", same("f32", sources)});
        if (sources == 2) f.specs.push_back({op + ftz + sat + ".f32", same("f32", 2)});
      }
    }
    f.specs.push_back({"mad.rn" + ftz + ".f32", "f=fff"});
    for (const std::string &rounding : roundings) {
      f.specs.push_back({"div." + rounding + ftz + ".f32", "f=ff"});
      f.specs.push_back({"sqrt." + rounding + ftz + ".f32", "f=f"});
      f.specs.push_back({"rcp." + rounding + ftz + ".f32", "f=f"});
    }
    for (const char *op : {"min", "max"})
      for (const char *how : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
        f.specs.push_back({op + ftz + how + ".f32", "f=ff"});
    for (const char *op : {"neg", "abs"}) f.specs.push_back({op + ftz + ".f32", "f=f"});
  }
  f.specs.push_back({"copysign.f32", "f=ff"});
  for (const char *kind : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    f.specs.push_back({std::string("testp.") + kind + ".f32", "1=f"});
  return f;
}

Family twice() {
  Family f{"double_precision", {}};
  for (const std::string &rounding : roundings) {
    for (const char *op : {"add", "sub", "mul", "div"})
      f.specs.push_back({op + ("." + rounding) + ".f64", "g=gg"});
    f.specs.push_back({"fma." + rounding + ".f64", "g=ggg"});
    f.specs.push_back({"mad." + rounding + ".f64", "g=ggg"});
    f.specs.push_back({"sqrt." + rounding + ".f64", "g=g"});
    f.specs.push_back({"rcp." + rounding + ".f64", "g=g"});
  }
  for (const char *op : {"add", "sub", "mul", "min", "max", "copysign"})
    f.specs.push_back({std::string(op) + ".f64", "g=gg"});
  for (const char *op : {"neg", "abs"}) f.specs.push_back({std::string(op) + ".f64", "g=g"});
  for (const char *kind : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    f.specs.push_back({std::string("testp.") + kind + ".f64", "1=g"});
  return f;
}

Family halves() {
  Family f{"half_precision", {}};
  for (const char *t : {"f16", "f16x2"}) {
    const std::string type = std::string(".") + t;
    for (const std::string &ftz : no_or_ftz) {
      for (const std::string &sat : no_or_sat) {
        for (const char *op : {"add", "sub", "mul"}) {
          f.specs.push_back({op + (".rn" + ftz + sat) + type, same(t, 2)});
          f.specs.push_back({op + ftz + sat + type, same(t, 2)});
        }
        f.specs.push_back({"fma.rn" + ftz + sat + type, same(t, 3)});
      }
      f.specs.push_back({"fma.rn" + ftz + ".relu" + type, same(t, 3)});
      for (const char *op : {"min", "max"})
        for (const char *how : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
          f.specs.push_back({op + ftz + how + type, same(t, 2)});
      for (const char *op : {"neg", "abs"}) f.specs.push_back({op + ftz + type, same(t, 1)});
    }
  }
  return f;
}

Family bfloats() {
  Family f{"bfloat", {}};
  for (const char *t : {"bf16", "bf16x2"}) {
    const std::string type = std::string(".") + t;
    for (const char *op : {"add", "sub", "mul"})
      for (const char *rounding : {"", ".rn"}) f.specs.push_back({op + (rounding + type), same(t, 2)});
    for (const char *relu : {"", ".relu"})
      f.specs.push_back({std::string("fma.rn") + relu + type, same(t, 3)});
    for (const char *op : {"min", "max"})
      for (const char *how : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
        f.specs.push_back({std::string(op) + how + type, same(t, 2)});
    for (const char *op : {"neg", "abs"}) f.specs.push_back({op + type, same(t, 1)});
  }
  return f;
}

const Strings integer_comparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
const Strings float_comparisons = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                   "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

Family comparisons() {
  Family f{"comparisons", {}};
  for (const std::string &t : integer_types)
    for (const std::string &c : integer_comparisons)
      f.specs.push_back({"setp." + c + "." + t, "1" + same(t, 2).substr(1)});
  for (const char *t : {"b16", "b32", "b64"})
    for (const char *c : {"eq", "ne"})
      f.specs.push_back({std::string("setp.") + c + "." + t, "1" + same(t, 2).substr(1)});
  for (const char *t : {"u16", "u32", "u64"})
    for (const char *c : {"lo", "ls", "hi", "hs"})
      f.specs.push_back({std::string("setp.") + c + "." + t, "1" + same(t, 2).substr(1)});
  for (const char *t : {"f16", "bf16", "f32", "f64"})
    for (const std::string &c : float_comparisons)
      f.specs.push_back({"setp." + c + "." + t, "1" + same(t, 2).substr(1)});
  for (const std::string &c : float_comparisons) {
    f.specs.push_back({"setp." + c + ".ftz.f32", "1=ff"});
    f.specs.push_back({"setp." + c + ".ftz.f16", "1=ii"});
    f.specs.push_back({"setp." + c + ".f16x2", "2=pp"});
    f.specs.push_back({"setp." + c + ".bf16x2", "2=qq"});
  }
  for (const char *logic : {"and", "or", "xor"}) {
    const std::string l = std::string(".") + logic;
    f.specs.push_back({"setp.lt" + l + ".s32", "2=rr{%ua}"});
    f.specs.push_back({"setp.ge" + l + ".u64", "1=dd{!%ua}"});
    f.specs.push_back({"setp.ltu" + l + ".f32", "2=ff{!%ub}"});
    f.specs.push_back({"setp.gt" + l + ".ftz.f32", "1=ff{%ub}"});
    f.specs.push_back({"setp.le" + l + ".f64", "2=gg{%ua}"});
    f.specs.push_back({"setp.ne" + l + ".f16", "1=ii{%ua}"});
    f.specs.push_back({"setp.eq" + l + ".f16x2", "2=pp{%ua}"});
    f.specs.push_back({"setp.le" + l + ".s16", "2=hh{!%ub}"});
    f.specs.push_back({logic + std::string(".pred"), "1={%ua}{%ub}"});
  }
  f.specs.push_back({"not.pred", "1={%ua}"});
  f.specs.push_back({"mov.pred", "1={%ub}"});
  return f;
}

Family selections() {
  Family f{"set_and_select", {}};
  for (const char *to : {"u32", "s32", "f32"}) {
    const std::string r(1, letter(to));
    for (const char *from : {"u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32", "f64"}) {
      const std::string a(1, letter(from));
      if (a == "i" && r == "f") continue;
      f.specs.push_back({std::string("set.gt.") + to + "." + from, r + "=" + a + a});
      f.specs.push_back({std::string("set.le.and.") + to + "." + from, r + "=" + a + a + "{!%ua}"});
      if (from[0] == 'f')
        f.specs.push_back({std::string("set.neu.xor.") + to + "." + from, r + "=" + a + a + "{%ub}"});
    }
    f.specs.push_back({std::string("set.lt.ftz.") + to + ".f32", r + "=ff"});
    f.specs.push_back({std::string("set.eq.") + to + ".b32", r + "=rr"});
  }
  for (const std::string &c : float_comparisons) {
    f.specs.push_back({"set." + c + ".f16x2.f16x2", "p=pp"});
    f.specs.push_back({"set." + c + ".u32.f16x2", "r=pp"});
    f.specs.push_back({"set." + c + ".f16.f16", "i=ii"});
    f.specs.push_back({"set." + c + ".bf16x2.bf16x2", "q=qq"});
  }
  for (const char *t : {"f16", "u16", "s16"})
    f.specs.push_back({std::string("set.ge.") + t + ".f16", std::string(1, letter(t)) + "=ii"});
  for (const char *t : {"bf16", "u16", "s16"})
    f.specs.push_back({std::string("set.ge.") + t + ".bf16", std::string(1, letter(t)) + "=jj"});
  f.specs.push_back({"set.lt.or.f16x2.f16x2", "p=pp{%ua}"});
  for (const char *t : {"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"}) {
    const std::string r(1, letter(t));
    f.specs.push_back({std::string("selp.") + t, r + "=" + r + r + "{%ua}"});
    f.specs.push_back({std::string("slct.") + t + ".s32", r + "=" + r + r + "r"});
    f.specs.push_back({std::string("slct.") + t + ".f32", r + "=" + r + r + "f"});
  }
  f.specs.push_back({"slct.ftz.u32.f32", "r=rrf"});
  for (const char *t : {"b16", "b32", "b64", "u16", "u32", "u64", "s32", "s64", "f32", "f64"})
    f.specs.push_back({std::string("mov.") + t, same(t, 1)});
  return f;
}

}  // namespace

std::vector<Family> exact_families() {
  return {integer_arithmetic(),
          bits(),
          integer_conversions(),
          integer_to_float(),
          float_to_integer(),
          float_to_float(),
          single(),
          twice(),
          halves(),
          bfloats(),
          comparisons(),
          selections()};
}

std::vector<Family> approximate_families() {
  Family f{"approximations", {}};
  for (const std::string &ftz : no_or_ftz) {
    for (const char *op : {"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt"})
      f.specs.push_back({op + (".approx" + ftz) + ".f32", "f=f", false});
    f.specs.push_back({"div.approx" + ftz + ".f32", "f=ff", false});
    f.specs.push_back({"div.full" + ftz + ".f32", "f=ff", false});
  }
  f.specs.push_back({"tanh.approx.f32", "f=f", false});
  f.specs.push_back({"rcp.approx.ftz.f64", "g=g", false});
  f.specs.push_back({"rsqrt.approx.ftz.f64", "g=g", false});
  f.specs.push_back({"rsqrt.approx.f64", "g=g", false});
  f.specs.push_back({"ex2.approx.f16", "i=i", false});
  f.specs.push_back({"ex2.approx.f16x2", "p=p", false});
  f.specs.push_back({"ex2.approx.ftz.bf16", "j=j", false});
  f.specs.push_back({"ex2.approx.ftz.bf16x2", "q=q", false});
  f.specs.push_back({"tanh.approx.f16", "i=i", false});
  f.specs.push_back({"tanh.approx.f16x2", "p=p", false});
  f.specs.push_back({"tanh.approx.bf16", "j=j", false});
  f.specs.push_back({"tanh.approx.bf16x2", "q=q", false});
  return {f};
}

}  // namespace warpgrade::corpus
