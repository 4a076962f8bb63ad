// wmma.load and wmma.store: each lane reads or writes its own elements of a fragment, by ordinary accesses to
// memory. Registers of two elements that are not neighbours in memory come by way of a transposed matrix of 8
// x 8 elements, as ptxas does it.
#include <algorithm>
#include <tuple>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using tensor::Element;

namespace {

constexpr const char *no_such_fragment = "fragments of this shape and type are not simulated";

/// An operand of wmma. Lines are rows of A, columns of B, and rows or columns of C; see tensor::WarpProduct
/// for parts.
struct Fragment {
  Element element = Element::f16;
  char operand = 'a';  ///< a, b, c or d
  std::uint32_t m = 16, n = 16, k = 16;
  bool by_rows = true;

  bool accumulates() const { return operand == 'c' || operand == 'd'; }
  bool swapped() const { return m == 8 && n == 32; }
  /// Has the role of A in the products that the machine makes, with 16 lines each, or 8 of an 8 x 8 product.
  bool is_left() const { return (operand == 'a') != swapped(); }
  std::uint32_t each() const { return tensor::per_register(element); }
  std::uint32_t bits() const { return tensor::bits_of(element); }
  /// Several in a byte. Only lines that are contiguous in memory exist, and they are accessed by words.
  bool packed() const { return bits() < 8; }
  /// Of an element, or of a word of those that are packed.
  std::uint32_t bytes() const { return packed() ? 4 : bits() / 8; }
  bool one_part() const { return m == 8 && n == 8; }
  std::uint32_t parts() const { return !one_part() && (accumulates() || is_left() == (m != 16)) ? 2 : 1; }
  std::uint32_t registers_of_part() const {
    const std::uint32_t lines = one_part() || (!accumulates() && !is_left()) ? 8 : 16;
    return lines * (accumulates() ? 8 : k) / each() / 32;
  }
  /// Bytes of which the address and the distance of lines are multiples. PTX asks for as many as a lane has;
  /// ptxas makes no accesses of more than 16.
  std::uint32_t alignment() const {
    return std::min(4 * tensor::words_of_register(element) * registers(), 16u);
  }
  std::uint32_t registers() const { return parts() * registers_of_part(); }
  /// The elements of a register are contiguous in memory.
  bool side_by_side() const {
    if (accumulates()) return by_rows != swapped();
    return by_rows == (operand == 'a');
  }
  std::uint32_t width()
      const {  ///< elements from one row (or column) to the next, if the program does not say
    const std::uint32_t rows = operand == 'b' ? k : m, columns = operand == 'a' ? k : n;
    return by_rows ? columns : rows;
  }

  /// Where the 8 lines and the few columns begin that the lanes hold in a register.
  struct Tile {
    std::uint32_t line, along;
  };
  Tile tile(std::uint32_t reg) const {
    const std::uint32_t part = reg / registers_of_part(), r = reg % registers_of_part();
    if (accumulates()) {
      const bool splits_columns = m == 16;
      return {(splits_columns ? 0 : 16 * part) + 8 * (each() == 2 ? r : r >> 1),
              splits_columns ? 8 * part : 0};
    }
    if (is_left()) return {16 * part + 8 * (r & 1), 4 * each() * (r >> 1)};
    return {8 * part, 4 * each() * r};
  }
};

Fragment fragment_of(const Opcode &o) {
  Fragment f;
  // wmma.load.a.sync.aligned.row.m16n16k16{.shared}.f16, wmma.store.d...
  if (o.parts.size() < 6 || o.parts[1].size() != 1) throw Unsupported(no_such_fragment);
  f.operand = o.parts[1].front();
  f.by_rows = o.has("row");
  const std::string_view type = o.parts.back();
  struct Type {
    std::string_view shape, name;
    std::uint32_t m, n, k;
    Element element;
    bool sum;
  };
  static const std::vector<Type> types = [] {
    std::vector<Type> made;
    for (const auto &[shape, m, n] :
         {std::tuple{"m16n16k16", 16u, 16u}, {"m32n8k16", 32u, 8u}, {"m8n32k16", 8u, 32u}}) {
      for (const auto &[name, element] : {std::pair{"f16", Element::f16},
                                          {"bf16", Element::bf16},
                                          {"s8", Element::s8},
                                          {"u8", Element::u8}})
        made.push_back({shape, name, m, n, 16, element, false});
      for (const auto &[name, element] :
           {std::pair{"f16", Element::f16}, {"f32", Element::f32}, {"s32", Element::s32}})
        made.push_back({shape, name, m, n, 16, element, true});
    }
    made.push_back({"m16n16k8", "tf32", 16, 16, 8, Element::tf32, false});
    made.push_back({"m16n16k8", "f32", 16, 16, 8, Element::f32, true});
    made.push_back({"m8n8k4", "f64", 8, 8, 4, Element::f64, false});
    made.push_back({"m8n8k4", "f64", 8, 8, 4, Element::f64, true});
    made.push_back({"m8n8k32", "s4", 8, 8, 32, Element::s4, false});
    made.push_back({"m8n8k32", "u4", 8, 8, 32, Element::u4, false});
    made.push_back({"m8n8k32", "s32", 8, 8, 32, Element::s32, true});
    made.push_back({"m8n8k128", "b1", 8, 8, 128, Element::b1, false});
    made.push_back({"m8n8k128", "s32", 8, 8, 128, Element::s32, true});
    return made;
  }();
  const auto found = std::ranges::find_if(types, [&](const Type &one) {
    return one.name == type && one.sum == f.accumulates() && o.has(one.shape);
  });
  if (found == types.end()) throw Unsupported(no_such_fragment);
  f.m = found->m, f.n = found->n, f.k = found->k, f.element = found->element;
  if (f.packed() && !f.side_by_side()) throw Unsupported(no_such_fragment);
  return f;
}

}  // namespace

/// wmma.load.x.sync.aligned.layout.shape{.space}.type r, [p]{, stride};   wmma.store.d... [p], r{, stride};
void Decoder::translate_fragment(const Instruction &instruction, const Opcode &o) {
  const Fragment f = fragment_of(o);
  const bool store = o.has("store");
  const Operand &values = operand_of(instruction, store ? 1 : 0);
  if (values.kind != Operand::Kind::vector || values.elements.size() < f.registers())
    throw Unsupported("the vector has the wrong length");
  if (fragment_words_.empty()) {
    for (int i = 0; i < 10; ++i) fragment_words_.push_back(warp_rows_.add(Width::word));
    fragment_wide_ = warp_rows_.add(Width::wide);
  }
  Site common;
  common.action = store ? Site::Action::store : Site::Action::load;
  common.space = space_of(o);
  common.location = instruction.location;
  common.text_line = instruction.text_line;
  std::uint64_t offset = 0;
  const Ref base = address(operand_of(instruction, store ? 0 : 1), common.space, common.wide_address, offset);
  Ref stride = instruction.operands.size() > 2 ? input(instruction.operands[2], Width::word)
                                               : constant(f.width(), false);
  Op check;
  check.run = &check_fragment;
  check.a = base;
  check.b = stride;
  check.immediate = f.bits() | (common.wide_address ? 256 : 0) | std::uint64_t{f.alignment()} << 16;
  check.e = static_cast<Ref>(offset);
  emit(check, instruction);

  const auto arithmetic = [&](const char *name, Ref d, Ref a, Ref b, Ref c = 0) {
    Op op;
    op.d = d, op.a = a, op.b = b, op.c = c;
    emit_entry(*find_entry(name), op, instruction);
    return d;
  };
  if (f.packed())  // in words
    stride = arithmetic("div.u32", fragment_words_[7], stride, constant(f.each(), false));
  // A lane is in line t of a tile, and s from the left: t = lane / 4, s = lane % 4.
  const Ref t = arithmetic("shr.u32", fragment_words_[0], program_->rows.lane, constant(2, false));
  const Ref s = arithmetic("and.b32", fragment_words_[1], program_->rows.lane, constant(3, false));
  Ref scaled = s;
  const auto scale = [&](std::uint32_t each) {
    scaled = each == 1 ? s : arithmetic("mul.lo.b32", fragment_words_[2], s, constant(each, false));
  };
  /// The address of what the lane has in line `major` (a row) + first and place `minor` (a row)
  const auto address_of = [&](Ref major, std::uint32_t first, Ref minor) {
    if (first != 0) major = arithmetic("add.b32", fragment_words_[3], major, constant(first, false));
    const Ref index = arithmetic("mad.lo.b32", fragment_words_[4], major, stride, minor);
    return common.wide_address
               ? arithmetic("mad.wide.u32", fragment_wide_, index, constant(f.bytes(), false), base)
               : arithmetic("mad.lo.b32", fragment_words_[5], index, constant(f.bytes(), false), base);
  };
  const auto access = [&](Ref at, std::uint32_t places, std::uint32_t bytes,
                          std::initializer_list<Ref> rows) {
    Site site = common;
    site.bytes = static_cast<std::uint8_t>(bytes);
    site.elements = static_cast<std::uint8_t>(rows.size());
    std::copy(rows.begin(), rows.end(), site.rows.begin());
    std::fill_n(site.used.begin(), rows.size(), true);
    std::fill_n(site.wide.begin(), rows.size(), bytes == 8);
    Op op;
    op.a = at;
    op.immediate = offset + std::uint64_t{places} * f.bytes();
    emit_access(std::move(site), op, instruction);
    // It has a pattern to itself: share_patterns() knows one access of an instruction only.
    const auto index = static_cast<std::uint32_t>(program_->sites.size()) - 1;
    program_->sites[index].pattern = static_cast<std::uint32_t>(program_->patterns.size());
    program_->patterns.push_back({index});
    site_of_instruction_[instruction_index_] = UINT32_MAX;
  };
  const auto transpose = [&](Ref to, Ref from) {
    Op op;
    op.run = &transpose_matrix;
    op.d = to, op.a = from;
    emit(op, instruction);
  };
  const bool doubles = f.element == Element::f64;
  const Width width = doubles ? Width::wide : Width::word;
  std::vector<Ref> rows;
  for (const Operand &one : values.elements)
    rows.push_back(store ? input(one, width, doubles ? ptx::Type::b64 : ptx::Type::b32) : output(one, width));
  const std::uint32_t each = f.packed() ? 1 : f.each(), bytes = doubles ? 8 : 4;
  const Ref aside = fragment_words_[6];
  scale(f.accumulates() ? 2 : each);
  for (std::uint32_t r = 0; r < f.registers(); ++r) {
    const Fragment::Tile tile = f.tile(r);
    if (f.accumulates() && each == 1) {
      if (f.side_by_side() && r % 2 == 0)
        access(address_of(t, tile.line, scaled), tile.along, bytes, {rows[r], rows[r + 1]});
      else if (!f.side_by_side())
        access(address_of(scaled, tile.along + r % 2, t), tile.line, bytes, {rows[r]});
    } else if (f.side_by_side()) {
      access(address_of(t, tile.line, scaled), tile.along, bytes, {rows[r]});
    } else if (each == 2) {
      const Ref at = address_of(t, tile.along, scaled);
      if (store) transpose(aside, rows[r]);
      access(at, tile.line, 4, {store ? aside : rows[r]});
      if (!store) transpose(rows[r], rows[r]);
    } else if (each == 1) {
      access(address_of(s, tile.along, t), tile.line, bytes, {rows[r]});
    } else {
      for (std::uint32_t e = 0; e < 4; ++e)
        access(address_of(scaled, tile.along + e, t), tile.line, 1, {fragment_words_[6 + e]});
      Op op;
      op.run = &pack;
      op.d = rows[r];
      op.a = fragment_words_[6], op.b = fragment_words_[7], op.c = fragment_words_[8],
      op.e = fragment_words_[9];
      op.immediate = 1 | 4 << 8 | 15 << 16 | std::uint64_t{4} << 24;
      emit(op, instruction);
    }
  }
  if (store) return;
  for (std::uint32_t r = f.registers(); r < rows.size(); ++r) {
    Op op;
    op.d = rows[r], op.a = rows[r % f.registers()];
    emit_entry(*find_entry("mov.b32"), op, instruction);
  }
}

}  // namespace warpgrade::simt
