// Loads, stores, atomics and asynchronous copies to operations.
#include <fmt/format.h>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using ptx::Type;

ptx::Space space_of(const Opcode &o) {
  for (const std::string_view part : o.parts) {
    if (part == "global") return ptx::Space::global;
    if (part == "shared" || part == "shared::cta" || part == "shared::cluster") return ptx::Space::shared;
    if (part == "local") return ptx::Space::local;
    if (part == "const") return ptx::Space::constant;
    if (part.starts_with("param")) return ptx::Space::param;
  }
  return ptx::Space::generic;
}

Scope scope_of(const Opcode &o) {
  if (o.has("cta")) return Scope::block;
  if (o.has("cluster")) return Scope::cluster;
  return o.has("sys") ? Scope::system : Scope::device;
}

Site Decoder::make_site(const Instruction &instruction, const Opcode &o) const {
  Site site;
  site.space = space_of(o);
  site.bytes = static_cast<std::uint8_t>(ptx::size_of(o.type()));
  if (site.bytes == 0 || site.bytes > 8 || o.type() == Type::pred) throw Unsupported("");
  site.elements = o.has("v2") ? 2 : o.has("v4") ? 4 : o.has("v8") ? 8 : 1;
  site.is_signed = is_signed(o.type());
  site.is_volatile =
      o.has("volatile") || o.has("relaxed") || o.has("acquire") || o.has("release") || o.has("mmio");
  site.releases = o.has("release") || o.has("acq_rel");
  site.acquires = o.has("acquire") || o.has("acq_rel");
  site.says_order = site.releases || site.acquires || o.has("relaxed");
  if (o.is(Family::atomic, Family::reduction) || site.says_order) site.scope = scope_of(o);
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  if (site.bytes * site.elements > 32) throw Unsupported("");
  return site;
}

void Decoder::set_elements(Site &site, const Operand &values) {
  const auto one = [&](std::size_t e, const Operand &value) {
    site.used[e] = value.kind != Operand::Kind::none;
    if (!site.used[e]) return;
    if (value.kind == Operand::Kind::reg) {
      site.wide[e] = register_width(value.reg) == Width::wide;
      if (register_width(value.reg) == Width::predicate) throw Unsupported("a predicate in memory");
      site.rows[e] = register_ref(value.reg);
    } else {
      if (site.action == Site::Action::load) throw Unsupported("the destination is not a register");
      site.wide[e] = site.bytes == 8;
      site.rows[e] =
          input(value, site.wide[e] ? Width::wide : Width::word, site.bytes == 8 ? Type::b64 : Type::b32);
    }
    if (site.action == Site::Action::store && site.bytes == 8 && !site.wide[e])
      throw Unsupported("an operand has the wrong width");
  };
  if (values.kind == Operand::Kind::vector) {
    if (values.elements.size() != site.elements) throw Unsupported("the vector has the wrong length");
    for (std::size_t e = 0; e < values.elements.size(); ++e) one(e, values.elements[e]);
  } else {
    if (site.elements != 1) throw Unsupported("the vector has the wrong length");
    one(0, values);
  }
}

std::uint32_t Decoder::add_site(Site site) {
  if (site.is_volatile && site.space != ptx::Space::shared) {
    program_->order_matters = true;
    program_->blocks.back().may_spin = true;
  }
  if (site.is_volatile || site.action == Site::Action::atomic) program_->blocks.back().may_spin = true;
  if (site.is_volatile && site.space != ptx::Space::global) program_->strong_in_shared = true;
  if (site.scope <= Scope::cluster) program_->narrow_scopes = true;
  site_of_instruction_[instruction_index_] = static_cast<std::uint32_t>(program_->sites.size());
  return keep_site(std::move(site));
}

std::uint32_t Decoder::keep_site(Site site) {
  site.index = static_cast<std::uint32_t>(program_->sites.size());
  program_->sites.push_back(std::move(site));
  return program_->sites.back().index;
}

/// ld{.modifiers}.type d, [a];   st{.modifiers}.type [a], b;
void Decoder::translate_access(const Instruction &instruction, const Opcode &o) {
  Site site = make_site(instruction, o);
  const bool store = o.is(Family::store);
  site.action = store ? Site::Action::store : Site::Action::load;
  const Operand &where = operand_of(instruction, store ? 0 : 1),
                &values = operand_of(instruction, store ? 1 : 0);
  set_elements(site, values);
  if (site.space == ptx::Space::param) return translate_parameter_access(instruction, o, std::move(site));
  Op op;
  op.a = address(where, site.space, site.wide_address, op.immediate);
  if (site.space == ptx::Space::generic && !site.wide_address)
    throw Unsupported("a generic address of 32 bits");
  emit_access(std::move(site), op, instruction);
}

/// A load or store at the address in op.a, plus op.immediate.
void Decoder::emit_access(Site site, Op op, const Instruction &instruction) {
  const bool store = site.action == Site::Action::store;
  bool fast =
      site.elements <= 4 && !(site.is_volatile && (store || program_->orders_warps)) &&
      (site.space == ptx::Space::shared ||
       ((site.space == ptx::Space::global || site.space == ptx::Space::generic) && site.wide_address));
  for (std::size_t e = 0; e < site.elements; ++e)
    fast = fast && site.used[e] && site.wide[e] == (site.bytes == 8);
  if (fast) {
    const bool shared = site.space == ptx::Space::shared;
    const std::string name =
        fmt::format("{}.{}.{}{}x{}{}", store ? "store" : "load", shared ? "shared" : "global",
                    !store && site.bytes < 4 && site.is_signed ? "s" : "", int{site.bytes},
                    int{site.elements}, shared && site.wide_address ? ".wide" : "");
    if (const Entry *entry = find_entry(name)) {
      op.run = entry->run;
      site.fast = true;
      op.d = site.rows[0], op.b = site.rows[1], op.c = site.rows[2], op.e = site.rows[3];
    }
  }
  if (!op.run) op.run = &access_slowly;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  emit(op, instruction);
}

/// Kernel parameters are constants; those of functions are in the areas of calls.
void Decoder::translate_parameter_access(const Instruction &instruction, const Opcode &, Site site) {
  const bool store = site.action == Site::Action::store;
  const Operand &where = operand_of(instruction, store ? 0 : 1);
  Op op;
  if (const auto area = layout_->areas.find(where.name);
      !where.name.empty() && area != layout_->areas.end()) {
    op.run = store ? &store_area : &load_area;
    op.e = area->second;
    op.immediate = static_cast<std::uint64_t>(where.value);
    if (op.immediate + site.bytes * site.elements > program_->areas[area->second].bytes)
      throw Unsupported("beyond the end of a parameter");
    op.site = keep_site(std::move(site));
    return emit(op, instruction);
  }
  if (store) throw Unsupported("a store to the kernel's parameters");
  if (where.reg < 0 && !where.name.empty() && current_->entry) {
    for (const ptx::Parameter &parameter : current_->parameters) {
      if (parameter.name != where.name) continue;
      for (std::size_t e = 0; e < site.elements; ++e) {
        if (!site.used[e]) continue;
        UniformRow row;
        row.kind = UniformRow::Kind::parameter;
        row.wide = site.wide[e];
        row.bytes = site.bytes;
        row.is_signed = site.is_signed;
        row.bits = parameter.offset + static_cast<std::uint64_t>(where.value) + e * site.bytes;
        const std::string key =
            fmt::format("param {} {} {} {}", row.bits, row.wide, row.bytes, row.is_signed);
        Op move;
        move.d = site.rows[e];
        move.a = uniform_rows_.named(key, std::move(row));
        emit_entry(*find_entry(site.wide[e] ? "mov.b64" : "mov.b32"), move, instruction);
      }
      return;
    }
  }
  op.a = address(where, ptx::Space::param, site.wide_address, op.immediate);
  op.run = &access_slowly;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  emit(op, instruction);
}

/// Whether anything reads a register: an atomic without a result does not depend on the order of blocks.
bool Decoder::result_is_used(std::int32_t reg) const {
  for (const Instruction &instruction : current_->instructions) {
    if (instruction.guard == reg) return true;
    const bool writes_first = !instruction.opcode.starts_with("st") && !instruction.opcode.starts_with("red");
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand &operand = instruction.operands[i];
      if (operand.reg == reg && (i > 0 || !writes_first || operand.kind == Operand::Kind::memory))
        return true;
      for (const Operand &element : operand.elements)
        if (element.reg == reg && (i > 0 || !writes_first)) return true;
    }
  }
  return false;
}

namespace {

AtomicKind atomic_kind(const Opcode &o) {
  const Type type = o.type();
  if (o.has("add"))
    return type == Type::f32      ? AtomicKind::add_f32
           : type == Type::f64    ? AtomicKind::add_f64
           : type == Type::f16    ? AtomicKind::add_f16
           : type == Type::f16x2  ? AtomicKind::add_f16x2
           : type == Type::bf16   ? AtomicKind::add_bf16
           : type == Type::bf16x2 ? AtomicKind::add_bf16x2
                                  : AtomicKind::add;
  if (o.has("min")) return is_signed(type) ? AtomicKind::min_s : AtomicKind::min_u;
  if (o.has("max")) return is_signed(type) ? AtomicKind::max_s : AtomicKind::max_u;
  for (const auto &[name, kind] : {std::pair{"inc", AtomicKind::inc},
                                   {"dec", AtomicKind::dec},
                                   {"and", AtomicKind::bit_and},
                                   {"or", AtomicKind::bit_or},
                                   {"xor", AtomicKind::bit_xor},
                                   {"exch", AtomicKind::exch},
                                   {"cas", AtomicKind::cas}})
    if (o.has(name)) return kind;
  throw Unsupported("");
}

}  // namespace

/// atom{.modifiers}{.space}.op.type d, [a], b{, c};   red{...}.op.type [a], b;
/// {atom,red}.global.op.v2.type {d0, d1}, [a], {b0, b1}: one atomic for each element, as PTX has it.
void Decoder::translate_vector_atomic(const Instruction &instruction, const Opcode &o) {
  const std::size_t first = o.is(Family::atomic) ? 1 : 0;
  Opcode scalar = o;
  std::erase_if(scalar.parts,
                [](std::string_view part) { return part == "v2" || part == "v4" || part == "v8"; });
  const Site site = make_site(instruction, o);
  for (std::size_t e = 0; e < site.elements; ++e) {
    Instruction one = instruction;
    for (const std::size_t i : {std::size_t{0}, first + 1}) {
      if (i == first) continue;
      const Operand &all = operand_of(instruction, i);
      if (all.kind != Operand::Kind::vector || all.elements.size() != site.elements)
        throw Unsupported("the vector has the wrong length");
      one.operands[i] = all.elements[e];
    }
    one.operands[first].value += static_cast<std::int64_t>(e) * site.bytes;
    translate_atomic(one, scalar, e == 0 ? bytes_of(site) : 0);
  }
}

void Decoder::translate_atomic(const Instruction &instruction, const Opcode &o, std::uint32_t alignment) {
  Site site = make_site(instruction, o);
  site.alignment = static_cast<std::uint8_t>(alignment);
  const Type type = o.type();
  const bool result = o.is(Family::atomic);
  site.action = result ? Site::Action::atomic : Site::Action::reduce;
  if (o.has("async")) throw Unsupported("");
  if (site.elements != 1) return translate_vector_atomic(instruction, o);
  const AtomicKind kind = atomic_kind(o);
  site.atomic = static_cast<std::uint8_t>(kind);
  const std::size_t first = result ? 1 : 0;
  const Width width = site.bytes == 8 ? Width::wide : Width::word;
  Op op;
  const Operand *destination = result ? &operand_of(instruction, 0) : nullptr;
  if (destination && destination->kind == Operand::Kind::reg)
    op.d = output(*destination, width);
  else
    site.action = Site::Action::reduce;
  op.a = address(operand_of(instruction, first), site.space, site.wide_address, op.immediate);
  op.b = input(operand_of(instruction, first + 1), width, type);
  op.c = kind == AtomicKind::cas ? input(operand_of(instruction, first + 2), width, type) : op.b;
  // A lock is taken: 0 becomes 1.
  site.locks = kind == AtomicKind::cas && (op.b & op.c & 1) != 0;
  const bool commutes = !is_float(type) && kind != AtomicKind::exch && kind != AtomicKind::cas &&
                        kind != AtomicKind::inc && kind != AtomicKind::dec;
  if (site.space != ptx::Space::shared &&
      (!commutes || (site.action == Site::Action::atomic && result_is_used(destination->reg))))
    program_->order_matters = true;
  op.run = &atomic_access;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

/// st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}.type [a], b, [mbarrier];
/// red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [a], b, [mbarrier];
void Decoder::translate_counted(const Instruction &instruction, const Opcode &o) {
  const bool reduces = o.is(Family::reduction);
  Site site = make_site(instruction, o);
  site.copy_bytes = std::uint32_t{site.bytes} * site.elements;
  if (site.space != ptx::Space::shared || site.copy_bytes < 4 || site.copy_bytes > 16)
    throw Unsupported("a counted store of this kind");
  Op op;
  op.a = address(operand_of(instruction, 0), site.space, site.wide_address, op.immediate);
  if (reduces) {
    site.atomic = static_cast<std::uint8_t>(atomic_kind(o));
    op.b = op.c = input(operand_of(instruction, 1), site.bytes == 8 ? Width::wide : Width::word, o.type());
  } else {
    site.action = Site::Action::store;
    set_elements(site, operand_of(instruction, 1));
  }
  op.e = address(operand_of(instruction, 2), site.space, site.wide_barrier, site.barrier_offset);
  site.action = Site::Action::copy_async;
  site.bulk = true;          // is counted, and reaches the whole cluster
  site.is_volatile = false;  // releases nothing before the end of the phase
  op.run = reduces ? &reduce_async : &store_async;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes};   cp.async.commit_group / wait_group /
/// wait_all
void Decoder::translate_async(const Instruction &instruction, const Opcode &o) {
  Op op;
  if (!o.has("async") || o.has("bulk")) throw Unsupported("");
  if (o.has("commit_group")) {
    op.run = &commit_copies;
    return emit(op, instruction);
  }
  if (o.has("wait_group") || o.has("wait_all")) {
    op.run = &wait_copies;
    op.immediate =
        o.has("wait_all") ? UINT64_MAX : static_cast<std::uint64_t>(operand_of(instruction, 0).value);
    return emit(op, instruction);
  }
  Site site;
  site.action = Site::Action::copy_async;
  site.space = ptx::Space::shared;
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  const Operand &size = operand_of(instruction, 2);
  if (size.kind != Operand::Kind::immediate || (size.value != 4 && size.value != 8 && size.value != 16))
    throw Unsupported("");
  site.copy_bytes = static_cast<std::uint32_t>(size.value);
  op.a = address(operand_of(instruction, 0), site.space, site.wide_address, op.immediate);
  bool wide = true;
  std::uint64_t offset = 0;
  op.b = address(operand_of(instruction, 1), ptx::Space::global, wide, offset);
  if (!wide) throw Unsupported("a global address of 32 bits");
  op.e = static_cast<std::uint32_t>(offset);
  op.c = constant(site.copy_bytes, false);
  if (instruction.operands.size() > 3 && !o.has("L2::cache_hint"))
    op.c = input(instruction.operands[3], Width::word);
  op.run = &copy_async;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
