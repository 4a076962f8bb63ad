// tex, tld4, suld and sust to operations.
#include "decode/decoder.hpp"

namespace warpgrade::simt {

using ptx::Type;

namespace {

/// "2d", "a2d", "cube": how many coordinates there are.
void read_geometry(const Opcode &o, TextureSite &how) {
  for (std::string_view part : o.parts) {
    if (part == "2dms" || part == "a2dms")
      throw Unsupported("textures with several samples are not simulated");
    const bool layered = part.starts_with('a') && part != "all";
    if (layered) part.remove_prefix(1);
    if (part == "1d" || part == "2d" || part == "3d") {
      how.dimensions = static_cast<std::uint8_t>(part[0] - '0');
    } else if (part == "cube") {
      how.dimensions = 3;
      how.cube = true;
    } else {
      continue;
    }
    how.layered = layered;
    return;
  }
  throw Unsupported("");
}

}  // namespace

/// tex{.lod}.geom.v4.dtype.ctype d, [object, c]{, lod};    tld4.comp.geom.v4.dtype.f32 d, [object, c];
/// suld.b.geom{.vec}.dtype.clamp d, [surface, c];          sust.b.geom{.vec}.ctype.clamp [surface, c], v;
void Decoder::translate_texture(const Instruction &instruction, const Opcode &o) {
  using Action = TextureSite::Action;
  TextureSite how;
  how.action = o.base == "tex"    ? Action::fetch
               : o.base == "tld4" ? Action::gather
               : o.base == "suld" ? Action::load
                                  : Action::store;
  read_geometry(o, how);
  const bool surface = how.action == Action::load || how.action == Action::store;
  const bool store = how.action == Action::store;
  if (surface && !o.has("b")) throw Unsupported("formatted surface stores are not simulated");
  const Operand &where = operand_of(instruction, store ? 0 : 1),
                &values = operand_of(instruction, store ? 1 : 0);
  if (where.kind != Operand::Kind::memory || where.reg < 0 || where.elements.size() != 1)
    throw Unsupported(where.elements.size() > 1
                          ? "a separate sampler is not simulated"
                          : "texture and surface references are not simulated; use objects");
  if (register_width(where.reg) != Width::wide) throw Unsupported("a texture object has 64 bits");
  const Operand &list = where.elements[0];
  const std::size_t wanted = how.dimensions + (how.layered ? 1u : 0u);
  const auto coordinate = [&](std::size_t i) -> const Operand & {
    if (list.kind == Operand::Kind::vector)
      return i < list.elements.size() ? list.elements[i] : throw Unsupported("coordinates are missing");
    return i == 0 ? list : throw Unsupported("coordinates are missing");
  };
  how.integer_coordinates = surface || o.type() == Type::s32;
  for (std::size_t i = 0; i < wanted; ++i) how.coordinates[i] = input(coordinate(i), Width::word, Type::f32);
  Site site;  // rows of the values; addresses are worked out lane by lane
  site.action = store ? Site::Action::store : Site::Action::load;
  site.space = ptx::Space::constant;
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  if (surface) {
    how.element_bytes = ptx::size_of(o.type());
    how.elements = o.has("v4") ? 4 : o.has("v2") ? 2 : 1;
    how.bounds = o.has("clamp")  ? TextureSite::Bounds::clamp
                 : o.has("zero") ? TextureSite::Bounds::zero
                                 : TextureSite::Bounds::trap;
    if (how.element_bytes == 0 || how.element_bytes * how.elements > 16) throw Unsupported("");
    site.bytes = static_cast<std::uint8_t>(how.element_bytes);
    site.elements = static_cast<std::uint8_t>(how.elements);
    if (store) program_->writes_anything = true;
    const std::uint32_t shift = how.element_bytes == 1 ? 0 : how.element_bytes == 2 ? 1 : 2;
    program_->global_shift = std::min(program_->global_shift, shift);
  } else {
    site.elements = 4;
  }
  const bool one = values.kind == Operand::Kind::vector && values.elements.size() == 1 && site.elements == 1;
  set_elements(site, one ? values.elements[0] : values);
  if (o.has("level")) {
    how.lod = TextureSite::Lod::given;
    how.level = input(operand_of(instruction, 2), Width::word, Type::f32);
  } else if (o.has("grad")) {
    how.lod = TextureSite::Lod::gradients;
    for (std::size_t half = 0; half < 2; ++half) {
      const Operand &gradient = operand_of(instruction, 2 + half);
      for (std::size_t d = 0; d < how.dimensions; ++d) {
        const bool vector = gradient.kind == Operand::Kind::vector;
        if (vector && d >= gradient.elements.size()) throw Unsupported("coordinates are missing");
        how.gradients[half * 3 + d] = input(vector ? gradient.elements[d] : gradient, Width::word, Type::f32);
      }
    }
  }
  if (how.action == Action::gather) how.channel = o.has("g") ? 1 : o.has("b") ? 2 : o.has("a") ? 3 : 0;
  Op op;
  op.run = &texture_access;
  op.a = register_ref(where.reg);
  op.immediate = program_->textures.size();
  op.accesses_memory = true;
  op.site = keep_site(std::move(site));
  program_->textures.push_back(how);
  emit(op, instruction);
}

}  // namespace warpgrade::simt
