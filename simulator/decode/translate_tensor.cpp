// Tensor-core instructions to operations: products, and matrices of 8 x 8 elements in shared memory.
#include <algorithm>
#include <charconv>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using tensor::Element;

namespace {

struct Shape {
  std::uint32_t m = 0, n = 0, k = 0;
  bool operator==(const Shape &) const = default;
};

/// "m16n8k16"; all 0 if there is none.
Shape shape_of(const Opcode &o) {
  for (const std::string_view part : o.parts) {
    if (!part.starts_with('m')) continue;
    Shape shape;
    const char *at = part.data(), *const end = part.data() + part.size();
    bool good = true;
    for (const auto &[letter, number] : {std::pair{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}) {
      if (at == end || *at != letter) {
        good = false;
        break;
      }
      const auto [next, error] = std::from_chars(at + 1, end, *number);
      good = good && error == std::errc{};
      at = next;
    }
    if (good && at == end) return shape;
  }
  return {};
}

/// The types of D, A, B and C, as they are written, or of D and C alone.
std::vector<Element> elements_of(const Opcode &o) {
  static constexpr std::pair<std::string_view, Element> names[] = {
      {"f16", Element::f16},  {"bf16", Element::bf16}, {"tf32", Element::tf32}, {"f32", Element::f32},
      {"s8", Element::s8},    {"u8", Element::u8},     {"s32", Element::s32},   {"f64", Element::f64},
      {"s4", Element::s4},    {"u4", Element::u4},     {"b1", Element::b1},     {"e4m3", Element::e4m3},
      {"e5m2", Element::e5m2}};
  std::vector<Element> made;
  for (const std::string_view part : o.parts) {
    for (const auto &[name, element] : names)
      if (part == name) made.push_back(element);
    for (const std::string_view other : {"e2m1", "e3m2", "e2m3"})
      if (part == other)
        throw Unsupported("products of " + std::string(other) + " on tensor cores are not simulated");
  }
  return made;
}

/// Whether there is such a product of 8 columns, and all its types go together.
bool exists(const tensor::Product &p) {
  const bool same = p.c == p.d;
  const auto integer = [&](Element one, Element other, std::uint32_t least_k) {
    return (p.b == one || p.b == other) && same && p.c == Element::s32 &&
           (p.k == least_k || (p.k == 2 * least_k && p.m == 16));
  };
  switch (p.a) {
    case Element::f16:
      return p.b == p.a && p.m == 16 && (p.k == 8 || p.k == 16) &&
             (p.c == Element::f16 || p.c == Element::f32) && (p.d == Element::f16 || p.d == Element::f32);
    case Element::bf16:
      return p.b == p.a && p.m == 16 && (p.k == 8 || p.k == 16) && same && p.c == Element::f32;
    case Element::tf32:
      return p.b == p.a && p.m == 16 && (p.k == 4 || p.k == 8) && same && p.c == Element::f32;
    case Element::s8:
    case Element::u8:
      return integer(Element::s8, Element::u8, 16);
    case Element::s4:
    case Element::u4:
      return integer(Element::s4, Element::u4, 32);
    case Element::e4m3:
    case Element::e5m2:
      return (p.b == Element::e4m3 || p.b == Element::e5m2) && p.m == 16 && (p.k == 16 || p.k == 32) &&
             same && (p.c == Element::f16 || p.c == Element::f32);
    case Element::b1:
      return integer(Element::b1, Element::b1, 128);
    case Element::f64:
      return p.b == p.a && same && p.c == p.a && (p.k == 4 || (p.m == 16 && (p.k == 8 || p.k == 16)));
    default:
      return false;
  }
}

constexpr const char *no_such_product = "products of this shape and these types are not simulated";

}  // namespace

std::uint32_t tensor_flops(const Opcode &o) {
  const bool group = o.base == "wgmma" && o.has("mma_async");
  if (o.base != "mma" && !(o.base == "wmma" && o.has("mma")) && !group) return 0;
  const Shape shape = shape_of(o);
  if (group) return 2 * shape.m / 4 * shape.n * shape.k;  // of one of its four warps
  return 2 * shape.m * shape.n * shape.k;
}

/// Each of them waits for the lanes of its warp, and needs all 32.
void Decoder::translate_tensor(const Instruction &instruction, const Opcode &o) {
  if (!o.has("sync")) throw Unsupported("only the .sync form exists since Volta");
  {
    Block &block = program_->blocks.back();
    block.location = instruction.location;
    block.id = constant(UINT32_MAX, false);
    block.whole_warp = true;
  }
  if (o.base == "wgmma") return translate_warpgroup(instruction, o);
  if (auto why = fragment_origins_->why_misplaced(instruction)) {
    Op note;
    note.run = &note_misplaced;
    note.immediate = program_->misplaced_fragments.size();
    program_->misplaced_fragments.push_back(std::move(*why));
    emit(note, instruction);
  }
  if (o.base == "movmatrix") {
    Op op;
    op.run = &transpose_matrix;
    op.d = output(operand_of(instruction, 0), Width::word);
    op.a = input(operand_of(instruction, 1), Width::word);
    emit(op, instruction);
  } else if (o.base == "ldmatrix" || o.base == "stmatrix") {
    translate_matrix_access(instruction, o);
  } else if (tensor_flops(o) != 0) {
    translate_product(instruction, o);
  } else {
    translate_fragment(instruction, o);
  }
  close_block(End::sync);
}

ProductForm product_form(const Opcode &o) {
  for (const std::string_view part : o.parts) {
    if (part.starts_with("sp")) throw Unsupported("products of sparse matrices are not simulated");
    if (part.starts_with("kind::")) throw Unsupported(no_such_product);
  }
  const Shape shape = shape_of(o);
  const std::vector<Element> types = elements_of(o);
  const bool fragments = o.base == "wmma";
  ProductForm form;
  tensor::Product &product = form.product.one;
  if (types.size() == 4)
    product.a = types[1], product.b = types[2];
  else if (types.size() != 2 || !fragments)
    throw Unsupported(no_such_product);
  product.d = types.front(), product.c = types.back();
  product.saturate = o.has("satfinite");
  product.exclusive = o.has("xor");
  product.rounding = o.has("rz")   ? Rounding::zero
                     : o.has("rm") ? Rounding::down
                     : o.has("rp") ? Rounding::up
                                   : Rounding::nearest;
  product.k = product.step = shape.k;
  if ((product.a == Element::b1) != (o.has("popc") && (product.exclusive || o.has("and"))))
    throw Unsupported(no_such_product);
  if (fragments && shape.m == 8 && shape.n == 8) {
    product.m = 8;
    if (product.a != Element::f64 && tensor::bits_of(product.a) >= 8) throw Unsupported(no_such_product);
  } else if (fragments) {
    if (shape == Shape{16, 16, 8} && product.a == Element::tf32)
      product.step = 4;
    else if (shape.k != 16 || product.a == Element::tf32)
      throw Unsupported(no_such_product);
    if (shape.m * shape.n != 256 || (shape.m != 16 && shape.m != 32 && shape.m != 8))
      throw Unsupported(no_such_product);
    if (product.a == Element::e4m3 || product.a == Element::e5m2) throw Unsupported(no_such_product);
    form.product.parts = 2;
    form.product.splits_columns = shape.m == 16;
    form.swapped = shape.m == 8;
    if (form.swapped) std::swap(product.a, product.b);
  } else {
    if (shape.n != 8 || o.has("col") == false || product.c != product.d) throw Unsupported(no_such_product);
    product.m = shape.m;
    if (shape == Shape{8, 8, 4} && product.a == Element::f16)
      throw Unsupported("the product of Volta's shape, m8n8k4, is not simulated");
    if (product.m != 16 && product.m != 8) throw Unsupported(no_such_product);
  }
  if (!exists(product)) throw Unsupported(no_such_product);
  return form;
}

/// mma.sync.aligned.shape.row.col{.satfinite}.d.a.b.c d, a, b, c;
/// wmma.mma.sync.aligned.alayout.blayout.shape.d.c (f16) or .d.a.b.c d, a, b, c;
void Decoder::translate_product(const Instruction &instruction, const Opcode &o) {
  const bool fragments = o.base == "wmma";
  const auto [product, swapped] = product_form(o);
  TensorSite site;
  site.product = product;
  const bool doubles = product.one.a == Element::f64;
  const Width width = doubles ? Width::wide : Width::word;
  const ptx::Type type = doubles ? ptx::Type::f64 : ptx::Type::f32;
  // Fragments of wmma may hold elements several times: the first ones count.
  const auto rows = [&](std::size_t index, std::uint32_t count, bool result, std::array<Ref, 8> &to) {
    const Operand &operand = operand_of(instruction, index);
    const bool vector = operand.kind == Operand::Kind::vector;
    const std::size_t there = vector ? operand.elements.size() : 1;
    if (there < count || (there != count && !fragments)) throw Unsupported("the vector has the wrong length");
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand &one = vector ? operand.elements[i] : operand;
      to.at(i) = result ? output(one, width) : input(one, width, type);
    }
  };
  rows(0, site.product.d_registers(), true, site.d);
  rows(swapped ? 2 : 1, site.product.a_registers(), false, site.a);
  rows(swapped ? 1 : 2, site.product.b_registers(), false, site.b);
  rows(3, site.product.c_registers(), false, site.c);
  Op op;
  op.run = &multiply_matrices;
  op.site = static_cast<std::uint32_t>(program_->tensors.size());
  program_->tensors.push_back(site);
  emit(op, instruction);
}

/// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 d, [p];   stmatrix ... [p], d;
void Decoder::translate_matrix_access(const Instruction &instruction, const Opcode &o) {
  const bool store = o.base == "stmatrix";
  if (!o.has("m8n8") || !o.has("b16"))
    throw Unsupported("matrices of 8 x 8 elements of 16 bits are simulated");
  Site site;
  site.action = store ? Site::Action::store : Site::Action::load;
  site.space = space_of(o);
  if (site.space != ptx::Space::shared && site.space != ptx::Space::generic) throw Unsupported("");
  site.bytes = 2;
  site.elements = 8;
  site.matrices = o.has("x4") ? 4 : o.has("x2") ? 2 : 1;
  site.transposed = o.has("trans");
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  const Operand &values = operand_of(instruction, store ? 1 : 0);
  const bool vector = values.kind == Operand::Kind::vector;
  if ((vector ? values.elements.size() : 1) != site.matrices)
    throw Unsupported("the vector has the wrong length");
  for (std::size_t i = 0; i < site.matrices; ++i) {
    const Operand &one = vector ? values.elements[i] : values;
    site.rows[i] = store ? input(one, Width::word) : output(one, Width::word);
    site.used[i] = true;
  }
  Op op;
  op.a = address(operand_of(instruction, store ? 0 : 1), site.space, site.wide_address, op.immediate);
  if (site.space == ptx::Space::generic && !site.wide_address)
    throw Unsupported("a generic address of 32 bits");
  op.run = store ? &store_matrix : &load_matrix;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
