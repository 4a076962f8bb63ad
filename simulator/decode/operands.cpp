// The places of operands: registers, constants, special registers, addresses of variables.
#include <fmt/format.h>

#include <bit>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using ptx::Type;

namespace {

std::uint64_t float_bits(const ptx::Operand &operand, Type type) {
  if (operand.type == Type::f32 && type == Type::f64)
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.value))));
  if (operand.type == Type::f64 && (type == Type::f32 || type == Type::b32))
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
  return static_cast<std::uint64_t>(operand.value);
}

}  // namespace

const ptx::Operand &Decoder::operand_of(const Instruction &instruction, std::size_t index) {
  if (index >= instruction.operands.size()) throw Unsupported("operands are missing");
  return instruction.operands[index];
}

Ref Decoder::register_ref(std::int32_t reg) const {
  return layout_->registers.at(static_cast<std::size_t>(reg));
}

Width Decoder::register_width(std::int32_t reg) const {
  const Type type = current_->registers.at(static_cast<std::size_t>(reg)).type;
  if (type == Type::pred) return Width::predicate;
  return ptx::size_of(type) == 8 ? Width::wide : Width::word;
}

Ref Decoder::special(const Operand &operand, Width width) {
  const std::string &name = operand.name;
  const WarpRows &rows = program_->rows;
  using Kind = UniformRow::Kind;
  static const std::map<std::string, Ref WarpRows::*> by_lane = {
      {"%tid.x", &WarpRows::tid_x},    {"%tid.y", &WarpRows::tid_y},    {"%tid.z", &WarpRows::tid_z},
      {"%laneid", &WarpRows::lane},    {"%warpid", &WarpRows::warp_id}, {"%lanemask_lt", &WarpRows::lt},
      {"%lanemask_le", &WarpRows::le}, {"%lanemask_gt", &WarpRows::gt}, {"%lanemask_ge", &WarpRows::ge},
      {"%lanemask_eq", &WarpRows::eq}};
  static const std::map<std::string, Kind> by_block = {{"%ntid.x", Kind::ntid_x},
                                                       {"%ntid.y", Kind::ntid_y},
                                                       {"%ntid.z", Kind::ntid_z},
                                                       {"%nctaid.x", Kind::nctaid_x},
                                                       {"%nctaid.y", Kind::nctaid_y},
                                                       {"%nctaid.z", Kind::nctaid_z},
                                                       {"%ctaid.x", Kind::ctaid_x},
                                                       {"%ctaid.y", Kind::ctaid_y},
                                                       {"%ctaid.z", Kind::ctaid_z},
                                                       {"%total_smem_size", Kind::total_shared},
                                                       {"%dynamic_smem_size", Kind::dynamic_shared},
                                                       {"%nwarpid", Kind::warps},
                                                       {"%envreg1", Kind::workspace_high},
                                                       {"%envreg2", Kind::workspace_low},
                                                       {"%cluster_nctaid.x", Kind::cluster_x},
                                                       {"%cluster_nctaid.y", Kind::cluster_y},
                                                       {"%cluster_nctaid.z", Kind::cluster_z},
                                                       {"%cluster_nctarank", Kind::cluster_blocks},
                                                       {"%nclusterid.x", Kind::clusters_x},
                                                       {"%nclusterid.y", Kind::clusters_y},
                                                       {"%nclusterid.z", Kind::clusters_z},
                                                       {"%clusterid.x", Kind::cluster_index_x},
                                                       {"%clusterid.y", Kind::cluster_index_y},
                                                       {"%clusterid.z", Kind::cluster_index_z},
                                                       {"%cluster_ctaid.x", Kind::block_in_cluster_x},
                                                       {"%cluster_ctaid.y", Kind::block_in_cluster_y},
                                                       {"%cluster_ctaid.z", Kind::block_in_cluster_z},
                                                       {"%cluster_ctarank", Kind::rank_in_cluster},
                                                       {"%is_explicit_cluster", Kind::is_explicit_cluster},
                                                       {"%smid", Kind::zero},
                                                       {"%gridid", Kind::zero}};
  if (const auto found = by_lane.find(name); found != by_lane.end()) {
    if (width != Width::word) throw Unsupported(name + " is 32 bits wide");
    return rows.*(found->second);
  }
  if (name.starts_with("%reserved_smem_offset")) {
    program_->uses_reserved = true;
    const bool end = name.ends_with("_end") || name.ends_with("_cap");
    return constant(end ? shared_start : 0, width == Width::wide);
  }
  if (name == "%nsmid") return constant(1, width == Width::wide);
  const auto found = by_block.find(name);
  if (found == by_block.end()) throw Unsupported("special register " + name);
  if (name.starts_with("%envreg")) program_->waits_for_grid = true;
  const std::string key = fmt::format("{} {}", name, width == Width::wide);
  UniformRow row;
  row.kind = found->second;
  row.wide = width == Width::wide;
  return uniform_rows_.named(key, std::move(row));
}

/// The address of a variable or parameter, plus the operand's offset.
Ref Decoder::symbol(const Operand &operand, Width width) {
  const bool wide = width == Width::wide;
  const auto offset = static_cast<std::uint64_t>(operand.value);
  for (const std::string &scope : {current_->name, std::string()}) {
    if (const auto found = shared_.find(scope + "\n" + operand.name); found != shared_.end())
      return constant(found->second + offset, wide);
    if (const auto found = stack_.find(scope + "\n" + operand.name); found != stack_.end())
      return stack_address(static_cast<std::uint32_t>(found->second + offset), width);
    if (const auto found = locals_.find(scope + "\n" + operand.name); found != locals_.end())
      return constant(found->second + offset, wide);
  }
  if (current_->entry)
    for (const ptx::Parameter &parameter : current_->parameters)
      if (parameter.name == operand.name) return constant(parameter.offset + offset, wide);
  for (const ptx::Variable &variable : module_->variables) {
    if (variable.name != operand.name || variable.space == ptx::Space::shared) continue;
    if (!wide) throw Unsupported("the address of " + operand.name + " needs 64 bits");
    const std::string key = fmt::format("&{}+{}", operand.name, offset);
    UniformRow row;
    row.kind = UniformRow::Kind::address;
    row.wide = true;
    row.symbol = operand.name;
    row.bits = offset;
    return uniform_rows_.named(key, std::move(row));
  }
  if (const std::uint64_t function = function_address(*module_, operand.name); function != 0 && wide)
    return constant(function + offset, true);
  throw Unsupported("the address of " + operand.name);
}

Ref Decoder::input(const Operand &operand, Width width, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (width != register_width(operand.reg)) throw Unsupported("an operand has the wrong width");
      return register_ref(operand.reg);
    case Operand::Kind::immediate:
      if (width == Width::predicate) return constant(operand.value ? UINT32_MAX : 0, false);
      return constant(float_bits(operand, type), width == Width::wide);
    case Operand::Kind::special:
      return special(operand, width);
    case Operand::Kind::symbol:
      return symbol(operand, width);
    default:
      throw Unsupported("an operand of this kind");
  }
}

Ref Decoder::output(const Operand &operand, Width width) const {
  if (operand.kind == Operand::Kind::none) {
    if (width == Width::predicate) return program_->scratch;
    return program_->scratch;
  }
  if (operand.kind != Operand::Kind::reg) throw Unsupported("the destination is not a register");
  if (register_width(operand.reg) != width) throw Unsupported("the destination has the wrong width");
  return register_ref(operand.reg);
}

/// The second destination of "%r1|%p1": a predicate.
Ref Decoder::second_output(const Operand &operand) const {
  if (register_width(operand.second) != Width::predicate)
    throw Unsupported("the second destination is not a predicate");
  return register_ref(operand.second);
}

/// A predicate operand; "!%p" goes through a scratch predicate.
Ref Decoder::predicate_input(const Operand &operand, const Instruction &instruction) {
  const Ref ref = input(operand, Width::predicate);
  if (!operand.negated) return ref;
  Op op;
  op.run = op.plain = op.masked = find_entry("not.pred")->run;
  op.a = ref;
  op.d = warp_rows_.add(Width::predicate);
  program_->ops.push_back(op);
  program_->op_locations.push_back(instruction.location);
  return op.d;
}

Ref Decoder::member_mask(const Operand &operand) {
  return input(operand, Width::word);
}

/// The row and offset of a memory operand.
Ref Decoder::address(const Operand &operand, ptx::Space space, bool &wide, std::uint64_t &offset) {
  if (operand.kind != Operand::Kind::memory || !operand.elements.empty())
    throw Unsupported("an address of this kind");
  if (operand.reg >= 0) {
    const Width width = register_width(operand.reg);
    if (width == Width::predicate) throw Unsupported("a predicate is not an address");
    wide = width == Width::wide;
    offset = static_cast<std::uint64_t>(operand.value);
    return register_ref(operand.reg);
  }
  offset = 0;
  wide = space != ptx::Space::shared && space != ptx::Space::local;
  if (operand.name.empty()) return constant(static_cast<std::uint64_t>(operand.value), wide);
  return symbol(operand, wide ? Width::wide : Width::word);
}

}  // namespace warpgrade::simt
