// Whether a block only waits for others. A block that looks at words in global memory, again at the same ones, while
// it changes nothing there, leaves its turn to other blocks, whatever the loop is like in which it does so: a poll
// of one flag, a search through a list of work, a few attempts to steal some.
//
// A window is a number of basic blocks that the warps of a block execute. The first window with a look, and without
// any other sign of progress, makes the next ones note which words are looked at and which plain stores write; once one
// brings no word that is new, and no atomic or strong store changes any, the block waits. A plain store to the same
// words again is no progress: nobody may read them before the wait is over. Kernels that never look pay for a test in
// each basic block; in those that look and go on storing elsewhere, the pauses between these windows grow.
#include <algorithm>
#include <cstring>

#include "simt/block_run.hpp"
#include "simt/decoder.hpp"
#include "simt/lanes.hpp"
#include "simt/resolve.hpp"

namespace warpgrade::simt {
namespace {

// In basic blocks; one that may spin counts as many where warps have long turns.
constexpr std::uint32_t window_alone = 1 << 18, window_together = 1 << 11;
constexpr std::size_t most_words = 1 << 18, most_stored_words = 1 << 12;
constexpr std::uint32_t longest_pause = 1 << 10;  // in windows

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

/// Which words a group has looked at, and stored to, in a basic block that it has just executed.
void BlockRun::note_looks(const Block &block, std::uint32_t mask) {
  if (looks_.words.size() > most_words) {
    looks_.words.clear();
    looks_.fresh = true;
  }
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Op &op = program.ops[i];
    if (is_plain_store(op, program)) note_stores(op, mask);
    if (!op.accesses_memory || !is_look(program.sites[op.site])) continue;
    std::uint64_t addresses[32];
    addresses_of(op, program.sites[op.site], context, addresses);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      const std::uint64_t word = addresses[lane] ^ (std::uint64_t{context.warp} << 56);
      if (looks_.words.insert(word).second) looks_.fresh = true;
    }
  }
}

void BlockRun::note_stores(const Op &op, std::uint32_t mask) {
  const Site &site = program.sites[op.site];
  std::uint64_t addresses[32];
  addresses_of(op, site, context, addresses);
  for (std::uint32_t rest = mask; rest && !looks_.acted; rest &= rest - 1) {
    const std::uint64_t address = addresses[first_lane(rest)];
    const Allocation *const in = launch.memory->find(address, address + site.bytes);
    std::uint64_t now = 0;
    if (in && in->data) std::memcpy(&now, in->data.get() + (address - in->begin), site.bytes);
    const auto [known, fresh] = looks_.stored.try_emplace(address, now);
    looks_.stores_change = looks_.stores_change || (!fresh && known->second != now);
    known->second = now;
    looks_.fresh = looks_.fresh || fresh;
    looks_.acted = fresh && (looks_.windows > 1 || looks_.stored.size() > most_stored_words);
  }
  if (!looks_.acted) return;
  looks_.pause = std::min(2 * looks_.pause + 1, longest_pause);
  looks_.rest = looks_.pause;
  looks_.recording = false;
}

void BlockRun::begin_looks() {
  looks_ = {};
  waits_in_vain_ = false;
}

/// After the turn of a warp that executed so many basic blocks.
void BlockRun::end_looks_of_turn(std::uint32_t executed) {
  if (looks_.acted || looks_.changed) waits_in_vain_ = false;
  looks_.executed += executed;
  if (looks_.executed < (launch.together ? window_together : window_alone)) return;
  const bool suspect = looks_.looked && !looks_.acted;
  waits_in_vain_ = looks_.recording && suspect && !looks_.changed && !looks_.fresh;
  works_in_vain_ = waits_in_vain_ && looks_.stores_change;
  if (!suspect || looks_.changed) {
    looks_.words.clear();
    looks_.stored.clear();
    looks_.windows = 0;
  }
  looks_.recording = suspect && looks_.rest == 0;
  looks_.windows = looks_.recording ? looks_.windows + 1 : 0;
  looks_.rest -= looks_.rest == 0 ? 0 : 1;
  looks_.executed = 0;
  looks_.looked = looks_.acted = looks_.changed = looks_.fresh = looks_.stores_change = false;
}

}  // namespace warpgrade::simt
