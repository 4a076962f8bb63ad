// cp.async.bulk to operations.
#include "decode/decoder.hpp"

namespace warpgrade::simt {

namespace {

/// "3d"; 0: a copy of one dimension, without a tensor map.
std::uint8_t rank_of(const Opcode &o) {
  if (!o.has("tensor")) return 0;
  for (const std::string_view part : o.parts)
    if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5')
      return static_cast<std::uint8_t>(part[0] - '0');
  throw Unsupported("a bulk copy of this kind");
}

}  // namespace

void Decoder::set_receivers(Site &site, const Operand &mask) {
  site.multicast = true;
  site.rows[7] = input(mask, Width::word);
}

/// cp.async.bulk.tensor.2d.shared::{cta,cluster}.global{.tile}.mbarrier::complete_tx::bytes [to], [map, {x,
/// y}], [mbarrier];  .global.shared::cta{.tile}.bulk_group [map, {x, y}], [from]
void Decoder::translate_bulk_tensor(const Instruction &instruction, const Opcode &o, Site site) {
  const bool fetches = site.space == ptx::Space::shared;
  const Operand &map = operand_of(instruction, fetches ? 1 : 0);
  site.elements = rank_of(o);
  // Coordinates are a vector in braces, as of textures.
  const bool braces = map.elements.size() == 1 && map.elements[0].kind == Operand::Kind::vector;
  const std::vector<Operand> &coordinates = braces ? map.elements[0].elements : map.elements;
  if (coordinates.size() != site.elements)
    throw Unsupported("the number of coordinates does not fit the name");
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    site.rows.at(i) = input(coordinates[i], Width::word, ptx::Type::s32);
  Operand address_of_map = map;
  address_of_map.elements.clear();
  Op op;
  bool wide_map = true;
  op.b = address(address_of_map, ptx::Space::generic, wide_map, site.from_offset);
  if (!wide_map) throw Unsupported("addresses of this width");
  op.a =
      address(operand_of(instruction, fetches ? 0 : 1), ptx::Space::shared, site.wide_address, op.immediate);
  if (fetches)
    op.e = address(operand_of(instruction, 2), ptx::Space::shared, site.wide_barrier, site.barrier_offset);
  if (o.has("multicast::cluster")) set_receivers(site, operand_of(instruction, 3));
  site.space = ptx::Space::shared;
  op.run = fetches ? &fetch_tensor : &send_tensor;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

/// cp.async.bulk.shared::{cta,cluster}.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier];
/// .global.shared::cta.bulk_group [to], [from], bytes;  .commit_group;  .wait_group{.read} n;  .prefetch.L2
/// [from], bytes
void Decoder::translate_bulk(const Instruction &instruction, const Opcode &o) {
  Op op;
  if (o.has("prefetch")) return;
  if (o.has("commit_group")) {
    op.run = &commit_bulk;
    return emit(op, instruction);
  }
  if (o.has("wait_group")) {
    op.run = &wait_bulk;
    op.immediate = static_cast<std::uint64_t>(operand_of(instruction, 0).value);
    return emit(op, instruction);
  }
  const bool fetches = o.has("mbarrier::complete_tx::bytes");
  program_->refills_shared |= fetches;
  if (fetches == o.has("bulk_group")) throw Unsupported("a bulk copy of this kind");
  const bool passes = fetches && !o.has("global");  // from shared memory to that of the cluster
  Site site;
  site.action = Site::Action::copy_async;
  site.space = fetches ? ptx::Space::shared : ptx::Space::global;
  site.bulk = true;
  site.copy_bytes = 16;
  site.bytes = 8;
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  if (fetches) site.atomic = static_cast<std::uint8_t>(MbarrierKind::complete);
  if (o.has("tensor")) return translate_bulk_tensor(instruction, o, std::move(site));
  op.a = address(operand_of(instruction, 0), site.space, site.wide_address, op.immediate);
  bool wide_source = true;
  op.b = address(operand_of(instruction, 1), fetches && !passes ? ptx::Space::global : ptx::Space::shared,
                 wide_source, site.from_offset);
  if (wide_source != (fetches && !passes)) throw Unsupported("addresses of this width");
  op.c = input(operand_of(instruction, 2), Width::word);
  if (fetches)
    op.e = address(operand_of(instruction, 3), ptx::Space::shared, site.wide_barrier, site.barrier_offset);
  if (o.has("multicast::cluster")) set_receivers(site, operand_of(instruction, 4));
  op.run = passes ? &pass_bulk : fetches ? &fetch_bulk : &send_bulk;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
