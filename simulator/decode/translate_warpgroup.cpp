// wgmma to operations.
#include <array>
#include <charconv>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using tensor::Element;

namespace {

constexpr const char *no_such_group_product = "products of this shape and these types are not simulated";

/// n of "m64n128k16"; 0 if the name has no such part or another m or k.
std::uint32_t columns_of(const Opcode &o, std::uint32_t k) {
  for (const std::string_view part : o.parts) {
    if (!part.starts_with("m64n")) continue;
    std::uint32_t n = 0, depth = 0;
    const char *const end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data() + 4, end, n);
    if (error != std::errc{} || at == end || *at != 'k') return 0;
    const auto [rest, wrong] = std::from_chars(at + 1, end, depth);
    const bool good = wrong == std::errc{} && rest == end && depth == k && n % 8 == 0 && n <= 256;
    return good ? n : 0;
  }
  return 0;
}

struct Types {
  Element d = Element::f32, a = Element::f16, b = Element::f16;
};

Types types_of(const Opcode &o) {
  static constexpr std::array<std::pair<std::string_view, Element>, 10> names{{{"f16", Element::f16},
                                                                               {"bf16", Element::bf16},
                                                                               {"tf32", Element::tf32},
                                                                               {"f32", Element::f32},
                                                                               {"s8", Element::s8},
                                                                               {"u8", Element::u8},
                                                                               {"s32", Element::s32},
                                                                               {"e4m3", Element::e4m3},
                                                                               {"e5m2", Element::e5m2},
                                                                               {"b1", Element::b1}}};
  std::vector<Element> found;
  for (const std::string_view part : o.parts)
    for (const auto &[name, element] : names)
      if (part == name) found.push_back(element);
  if (found.size() != 3) throw Unsupported(no_such_group_product);
  return {found[0], found[1], found[2]};
}

bool is_fp8(Element element) {
  return element == Element::e4m3 || element == Element::e5m2;
}
bool is_byte(Element element) {
  return element == Element::s8 || element == Element::u8;
}

bool exist(const Types &types) {
  const auto &[d, a, b] = types;
  if (a == Element::f16) return b == a && (d == Element::f16 || d == Element::f32);
  if (a == Element::bf16 || a == Element::tf32) return b == a && d == Element::f32;
  if (a == Element::b1) return b == a && d == Element::s32;
  if (is_fp8(a)) return is_fp8(b) && (d == Element::f16 || d == Element::f32);
  return is_byte(a) && is_byte(b) && d == Element::s32;
}

}  // namespace

/// wgmma.fence.sync.aligned;  .commit_group.sync.aligned;  .wait_group.sync.aligned n;  .mma_async
void Decoder::translate_warpgroup(const Instruction &instruction, const Opcode &o) {
  if (instruction.guard >= 0 && !guard_is_branched_) throw Unsupported("a wgmma under a guard");
  program_->uses_warpgroups = true;
  if (o.has("mma_async")) {
    translate_group_product(instruction, o);
    return close_block(End::sync);
  }
  Op op;
  if (o.has("wait_group")) {
    op.run = &wait_warpgroup;
    op.immediate = static_cast<std::uint64_t>(operand_of(instruction, 0).value);
    program_->blocks.back().barrier = BarrierKind::warpgroup;
    emit(op, instruction);
    return close_block(End::barrier);
  }
  if (!o.has("fence") && !o.has("commit_group")) throw Unsupported("");
  op.run = o.has("fence") ? &fence_warpgroup : &commit_warpgroup;
  emit(op, instruction);
  close_block(End::sync);
}

GroupProduct group_product(const Opcode &o) {
  if (o.has("sp")) throw Unsupported(no_such_group_product);
  const Types types = types_of(o);
  GroupProduct product;
  product.d = types.d, product.a = types.a, product.b = types.b;
  product.k = 256 / tensor::bits_of(types.a);
  product.n = columns_of(o, product.k);
  product.saturates = o.has("satfinite");
  const bool counts = o.has("and") && o.has("popc");
  if (!exist(types) || product.n == 0 || counts != (types.a == Element::b1))
    throw Unsupported(no_such_group_product);
  return product;
}

/// wgmma.mma_async.sync.aligned.shape.d.a.b d, a, b, scale-d{, scale-a, scale-b{, trans-a}{, trans-b}}, where
/// a is a descriptor or a vector of registers, and b is a descriptor
void Decoder::translate_group_product(const Instruction &instruction, const Opcode &o) {
  GroupProduct product = group_product(o);
  const auto rows = [&](std::size_t index, std::size_t count, std::vector<Ref> &to, bool result) {
    const Operand &vector = operand_of(instruction, index);
    if (vector.kind != Operand::Kind::vector || vector.elements.size() != count)
      throw Unsupported("the vector has the wrong length");
    for (const Operand &one : vector.elements)
      to.push_back(result ? output(one, Width::word) : input(one, Width::word, ptx::Type::f32));
  };
  rows(0, product.n / (product.d == Element::f16 ? 4 : 2), product.d_rows, true);
  Op op;
  product.a_in_registers = operand_of(instruction, 1).kind == Operand::Kind::vector;
  if (product.a_in_registers)
    rows(1, 4, product.a_rows, false);
  else
    op.a = input(operand_of(instruction, 1), Width::wide);
  op.b = input(operand_of(instruction, 2), Width::wide);
  op.c = predicate_input(operand_of(instruction, 3), instruction);
  const auto number = [&](std::size_t index) {
    const Operand &one = operand_of(instruction, index);
    if (one.kind != Operand::Kind::immediate) throw Unsupported("an operand of this kind");
    return one.value;
  };
  const bool is_float = product.d != Element::s32;
  if (is_float) product.negates_a = number(4) < 0, product.negates_b = number(5) < 0;
  if (product.a == Element::f16 || product.a == Element::bf16) {
    std::size_t next = 6;
    if (!product.a_in_registers) product.transposes_a = number(next++) != 0;
    product.transposes_b = number(next) != 0;
  }
  Site site;
  site.space = ptx::Space::shared;
  site.elements = 4;
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  site.wide_address = false;
  site.product = true;
  op.site = keep_site(std::move(site));  // no access of lanes: see add_site
  op.immediate = program_->group_products.size();
  program_->group_products.push_back(std::move(product));
  op.run = &multiply_warpgroup;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
