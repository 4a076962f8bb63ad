// Comparisons whose result is not a plain predicate: set, slct, and pairs of 16-bit numbers.
#include "decode/decoder.hpp"

namespace warpgrade::simt {

using ptx::Type;

namespace {

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}
bool is_bfloat(Type type) {
  return type == Type::bf16 || type == Type::bf16x2;
}

/// "and", "or", "xor": how the result of the comparison meets a third operand; empty: not at all.
std::string combination_of(const Opcode &o) {
  for (const std::string_view part : o.parts)
    if (part == "and" || part == "or" || part == "xor") return std::string(part);
  return {};
}

std::string comparison_of(const Opcode &o) {
  if (o.parts.empty()) throw Unsupported("");
  const std::string name(o.parts.front());
  if (is_float(o.type())) return name;
  return name == "lo" ? "lt" : name == "ls" ? "le" : name == "hi" ? "gt" : name == "hs" ? "ge" : name;
}

std::string compared_type(Type type) {
  if (is_bfloat(type)) return "f32";  // compared as the upper half of one
  if (type == Type::f16x2) return "f16";
  if (is_float(type)) return std::string(type_name(type));
  return (is_signed(type) ? "s" : "u") + std::to_string(8 * ptx::size_of(type));
}

/// What "true" is as a value of a type; pair: for one half of a 32-bit mask.
std::uint64_t true_value(Type type, bool pair) {
  switch (type) {
    case Type::f32:
      return 0x3F800000;
    case Type::f16:
    case Type::f16x2:
      return 0x3C00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3F80;
    case Type::u32:
    case Type::s32:
      return pair ? 0xFFFF : 0xFFFFFFFF;
    case Type::u16:
    case Type::s16:
      return 0xFFFF;
    default:
      throw Unsupported("");
  }
}

}  // namespace

/// The operand of a comparison, with denormals made zeros if the instruction says .ftz.
Ref Decoder::flushed(Ref operand, std::size_t side, const Opcode &o, const Instruction &instruction) {
  const bool single = o.type() == Type::f32, half = o.type() == Type::f16 || o.type() == Type::f16x2;
  if (!o.has("ftz") || (!single && !half)) return operand;
  Op op;
  op.a = operand;
  if (single) op.b = constant(0x80000000, false);
  op.d = scratch_rows_[side];
  const Ref result = op.d;
  emit_entry(*find_entry(single ? "add.ftz.f32" : "flush.f16x2"), op, instruction);
  return result;
}

/// Compares operands 1 and 2, or their halves, into a new predicate.
Ref Decoder::compare_part(const Instruction &instruction, const Opcode &o, int part) {
  const Type type = o.type();
  const Entry *entry = find_entry("setp." + comparison_of(o) + "." + compared_type(type));
  if (!entry) throw Unsupported("");
  const auto source = [&](std::size_t index) {
    const Ref whole =
        flushed(input(operand_of(instruction, index), entry->a, type), index - 1, o, instruction);
    if (!is_bfloat(type) && part == 0) return whole;
    Op op;
    op.a = whole;
    op.d = warp_rows_.add(Width::word);
    if (is_bfloat(type)) op.b = constant(part == 0 ? 16 : 0xFFFF0000, false);
    emit_entry(*find_entry(!is_bfloat(type) ? "high.16"
                           : part == 0      ? "shl.b32"
                                            : "and.b32"),
               op, instruction);
    return op.d;
  };
  Op op;
  op.a = source(1);
  op.b = source(2);
  op.d = warp_rows_.add(Width::predicate);
  const Ref result = op.d;
  emit_entry(*entry, op, instruction);
  return result;
}

/// The comparison of a part, combined with operand 3 if the instruction says so.
Ref Decoder::combined_part(const Instruction &instruction, const Opcode &o, int part) {
  const Ref compared = compare_part(instruction, o, part);
  const std::string combine = combination_of(o);
  if (combine.empty()) return compared;
  Op op;
  op.a = compared;
  op.b = predicate_input(operand_of(instruction, 3), instruction);
  op.d = warp_rows_.add(Width::predicate);
  const Ref result = op.d;
  emit_entry(*find_entry(combine + ".pred"), op, instruction);
  return result;
}

/// setp.CMP{.BOOL}.f16x2 p|q, a, b{, c}: p of the lower halves, q of the upper ones
void Decoder::translate_half_compare(const Instruction &instruction, const Opcode &o) {
  const Operand &result = operand_of(instruction, 0);
  const bool pair = is_pair(o.type());
  if (!pair && result.second >= 0) throw Unsupported("");
  const Ref low = combined_part(instruction, o, 0), high = pair ? combined_part(instruction, o, 1) : low;
  const auto move = [&](Ref from, Ref to) {
    Op op;
    op.a = from;
    op.d = to;
    emit_entry(*find_entry("mov.pred"), op, instruction);
  };
  // A destination may be the guard: it is written last.
  const bool both = result.second >= 0, guard_first = instruction.guard == result.reg;
  if (both && guard_first) move(high, second_output(result));
  move(low, output(result, Width::predicate));
  if (both && !guard_first) move(high, second_output(result));
}

/// set.CMP{.BOOL}.dtype.stype d, a, b{, c}
void Decoder::translate_set(const Instruction &instruction, const Opcode &o) {
  if (o.types.size() != 2) throw Unsupported("");
  const Type to = o.type(1);
  const bool pair = is_pair(o.type());
  Ref parts[2] = {};
  for (int part = 0; part < (pair ? 2 : 1); ++part) {
    Op op;
    op.c = combined_part(instruction, o, part);
    op.a = constant(true_value(to, pair), false);
    op.b = constant(0, false);
    op.d = pair ? warp_rows_.add(Width::word) : output(operand_of(instruction, 0), Width::word);
    parts[part] = op.d;
    emit_entry(*find_entry("selp.b32"), op, instruction);
  }
  if (!pair) return;
  Op op;
  op.a = parts[0];
  op.b = parts[1];
  op.d = output(operand_of(instruction, 0), Width::word);
  emit_entry(*find_entry("pack.2x16"), op, instruction);
}

/// slct.dtype.{s32,f32} d, a, b, c: a where c is not negative, else b
void Decoder::translate_slct(const Instruction &instruction, const Opcode &o) {
  if (o.types.size() != 2) throw Unsupported("");
  const bool floating = o.type() == Type::f32;
  Op compare;
  compare.a = flushed(input(operand_of(instruction, 3), Width::word, o.type()), 0, o, instruction);
  compare.b = constant(0, false);
  compare.d = warp_rows_.add(Width::predicate);
  emit_entry(*find_entry(floating ? "setp.ge.f32" : "setp.ge.s32"), compare, instruction);
  const Type type = o.type(1);
  const Width width = ptx::size_of(type) == 8 ? Width::wide : Width::word;
  Op op;
  op.a = input(operand_of(instruction, 1), width, type);
  op.b = input(operand_of(instruction, 2), width, type);
  op.c = compare.d;
  op.d = output(operand_of(instruction, 0), width);
  emit_entry(*find_entry(width == Width::wide ? "selp.b64" : "selp.b32"), op, instruction);
}

}  // namespace warpgrade::simt
