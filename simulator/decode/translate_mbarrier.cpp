// mbarrier and cp.async.mbarrier to operations.
#include "decode/decoder.hpp"

namespace warpgrade::simt {

namespace {

MbarrierKind kind_of(const Opcode &o) {
  if (o.is(Family::copy)) return MbarrierKind::copies_arrive;
  if (o.has("init")) return MbarrierKind::init;
  if (o.has("inval")) return MbarrierKind::inval;
  if (o.has("arrive") && o.has("expect_tx")) return MbarrierKind::arrive_expect;
  if (o.has("arrive_drop") && o.has("expect_tx")) return MbarrierKind::arrive_drop_expect;
  if (o.has("expect_tx")) return MbarrierKind::expect;
  if (o.has("complete_tx")) return MbarrierKind::complete;
  if (o.has("arrive")) return MbarrierKind::arrive;
  if (o.has("arrive_drop")) return MbarrierKind::arrive_drop;
  if (o.has("test_wait") || o.has("try_wait"))
    return o.has("parity") ? MbarrierKind::test_parity : MbarrierKind::test;
  throw Unsupported("an mbarrier operation of this kind");
}

bool is_wait(const Site &site) {
  const auto kind = static_cast<MbarrierKind>(site.atomic);
  return site.mbarrier && (kind == MbarrierKind::test || kind == MbarrierKind::test_parity);
}

}  // namespace

/// Arrivals of threads that then only wait, as cuda::barrier::arrive_and_wait() has them.
void Decoder::find_meetings() {
  Site *arrival = nullptr;
  for (const Op &op : program_->ops) {
    if (!op.accesses_memory) continue;
    Site &site = program_->sites[op.site];
    if (arrival) arrival->waits_next = is_wait(site);
    arrival = site.mbarrier && !is_wait(site) ? &site : nullptr;
  }
}

/// mbarrier.init [a], n;  .inval [a];  .{expect,complete}_tx [a], bytes;  .arrive{_drop}.expect_tx d, [a],
/// bytes;  .arrive{_drop} d, [a]{, n};  .{test,try}_wait{.parity} p, [a], b{, time}; .pending_count n, token;
/// cp.async.mbarrier.arrive{.noinc} [a]
void Decoder::translate_mbarrier(const Instruction &instruction, const Opcode &o) {
  Op op;
  if (o.has("pending_count")) {
    op.d = output(operand_of(instruction, 0), Width::word);
    op.a = input(operand_of(instruction, 1), Width::wide);
    return emit_entry(*find_entry("mbarrier.pending_count"), op, instruction);
  }
  const MbarrierKind kind = kind_of(o);
  const bool tests = kind == MbarrierKind::test || kind == MbarrierKind::test_parity;
  const bool counts = kind == MbarrierKind::expect || kind == MbarrierKind::complete;
  const bool arrives = kind >= MbarrierKind::arrive && kind <= MbarrierKind::arrive_drop_expect;
  std::size_t next = 0;
  if (tests) op.d = output(operand_of(instruction, next++), Width::predicate);
  if (arrives) {
    const Operand &token = operand_of(instruction, next++);
    op.e = token.kind == Operand::Kind::reg;
    if (op.e) op.d = output(token, Width::wide);
  }
  Site site;
  site.action = Site::Action::atomic;
  site.space = o.text.find(".shared") != std::string_view::npos ? ptx::Space::shared : ptx::Space::generic;
  site.bytes = 8;
  site.mbarrier = true;
  site.releases = site.acquires = !o.has("relaxed");
  // Without a scope it is the block's. Arrivals at other blocks of the cluster are commonly written so, and
  // work.
  site.scope = o.has("cta") ? Scope::block : Scope::cluster;
  site.atomic = static_cast<std::uint8_t>(kind);
  site.location = instruction.location;
  site.text_line = instruction.text_line;
  op.a = address(operand_of(instruction, next++), site.space, site.wide_address, op.immediate);
  op.b = constant(1, false);
  if (kind == MbarrierKind::copies_arrive) op.e = o.has("noinc");
  const bool has_count =
      next < instruction.operands.size() && instruction.operands[next].kind != Operand::Kind::none;
  if (kind == MbarrierKind::init || tests || counts || (arrives && has_count))
    op.b = input(operand_of(instruction, next), kind == MbarrierKind::test ? Width::wide : Width::word);
  op.run = &mbarrier_access;
  op.site = add_site(std::move(site));
  op.accesses_memory = true;
  program_->blocks.back().may_spin = true;
  emit(op, instruction);
}

}  // namespace warpgrade::simt
