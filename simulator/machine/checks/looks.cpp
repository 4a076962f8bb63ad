// Which operations read words that may be flags, and which words those are while a block may only wait: see
// wait_detector.hpp.
#include <cstring>

#include "decode/decoder.hpp"
#include "machine/block_run.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

bool is_look(const Site &site) {
  if (site.mbarrier || site.bulk || site.space == ptx::Space::shared || site.space == ptx::Space::local)
    return false;
  return site.action == Site::Action::atomic || (site.is_volatile && site.action == Site::Action::load);
}

/// Anything that others may see, other than by a store or an atomic; time passes too.
bool is_act(const Op &op, const Program &program) {
  if (!op.accesses_memory) return op.plain == &read_clock || op.plain == &call_builtin;
  const Site &site = program.sites[op.site];
  return site.bulk || site.mbarrier;
}

bool is_plain_store(const Op &op, const Program &program) {
  if (!op.accesses_memory) return false;
  const Site &site = program.sites[op.site];
  return site.action == Site::Action::store && !site.is_volatile && site.space != ptx::Space::shared &&
         site.space != ptx::Space::local;
}

void note_stores(const Op &op, BlockRun &run, std::uint32_t mask) {
  const Site &site = run.program.sites[op.site];
  std::uint64_t addresses[32];
  addresses_of(op, site, run.context, addresses);
  bool more = true;
  for (std::uint32_t rest = mask; rest && more; rest &= rest - 1) {
    const std::uint64_t address = addresses[first_lane(rest)];
    const Allocation *const in = run.launch.memory->find(address, address + site.bytes);
    std::uint64_t now = 0;
    if (in && in->data) std::memcpy(&now, in->data.get() + (address - in->begin), site.bytes);
    more = run.wait_detector.note_store(address, now);
  }
  run.wait_detector.pause_if_acted();
}

}  // namespace

void Decoder::find_looks() {
  for (const Site &site : program_->sites)
    if (site.action == Site::Action::atomic && is_look(site) && !replaces(site))
      program_->looks_by_atomics = true;
  for (Block &block : program_->blocks)
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Op &op = program_->ops[i];
      block.looks = block.looks || (op.accesses_memory && is_look(program_->sites[op.site]));
      block.acts = block.acts || is_act(op, *program_);
      block.stores = block.stores || is_plain_store(op, *program_);
    }
}

void BlockRun::note_looks(const Block &block, std::uint32_t mask) {
  wait_detector.limit_words();
  if (block.looks) wait_detector.note_look();
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Op &op = program.ops[i];
    if (is_plain_store(op, program)) note_stores(op, *this, mask);
    if (!op.accesses_memory || !is_look(program.sites[op.site])) continue;
    std::uint64_t addresses[32];
    addresses_of(op, program.sites[op.site], context, addresses);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      const std::uint64_t word = addresses[lane] ^ (std::uint64_t{context.warp} << 56);
      wait_detector.note_read(word);
    }
  }
}

}  // namespace warpgrade::simt
