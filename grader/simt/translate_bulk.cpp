// cp.async.bulk to operations.
#include "simt/decoder.hpp"

namespace warpgrade::simt {

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
  if (fetches == o.has("bulk_group")) throw Unsupported("a bulk copy of this kind");
  Site site;
  site.action = Site::Action::copy_async;
  site.space = fetches ? ptx::Space::shared : ptx::Space::global;
  site.bulk = true;
  site.copy_bytes = 16;
  site.bytes = 8;
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  op.a = address(operand_of(instruction, 0), site.space, site.wide_address, op.immediate);
  bool wide_source = true;
  op.b = address(operand_of(instruction, 1), fetches ? ptx::Space::global : ptx::Space::shared, wide_source,
                 site.from_offset);
  if (wide_source != fetches) throw Unsupported("addresses of this width");
  op.c = input(operand_of(instruction, 2), Width::word);
  if (fetches) {
    site.atomic = static_cast<std::uint8_t>(MbarrierKind::complete);
    op.e = address(operand_of(instruction, 3), ptx::Space::shared, site.wide_barrier, site.barrier_offset);
  }
  op.run = fetches ? &fetch_bulk : &send_bulk;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
