// What fences, atomics and volatile accesses order between the warps of a block: locks and flags in shared
// memory. A warp that reads a flag knows of all that its writer had done before its last fence. Kernels
// without a fence pay nothing.
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "simt/decoder.hpp"
#include "simt/handlers.hpp"
#include "simt/lanes.hpp"
#include "simt/resolve.hpp"
#include "simt/updates.hpp"

namespace warpgrade::simt {

/// Before the first instruction is translated: Program::orders_warps, tracks_order, has_fences.
void Decoder::find_order() {
  bool fences = false, talks = false, strong = false, atomics = false;
  for (const ptx::Function *function : functions_)
    for (const Instruction &instruction : function->instructions) {
      const Opcode o(instruction.opcode);
      const bool asks = o.base == "mapa" || o.base == "getctarank" || o.has("shared::cluster");
      if (o.has("multicast::cluster")) program_->uses_clusters = true;
      const bool meets = o.base == "barrier" && o.has("cluster");
      program_->uses_clusters |= meets || (asks && o.base != "cp");
      program_->relaxed_clusters |= meets && o.has("relaxed");
      const bool releases = o.has("acquire") || o.has("release") || o.has("acq_rel");
      if (meets) continue;
      if (o.base == "mbarrier") {  // orders without a fence, see phases.hpp, unless it is relaxed
        talks = talks || (o.has("relaxed") && !o.has("expect_tx") && !o.has("complete_tx"));
        continue;
      }
      const bool fence = o.base == "membar" || o.base == "fence";  // orders nothing without an access
      fences = fences || fence || releases;
      const bool in_shared = o.has("shared") || o.has("shared::cta") || o.has("shared::cluster");
      if (!in_shared && !fence) {
        strong = strong || o.has("volatile") || o.has("relaxed") || releases;
        atomics = atomics || o.base == "atom" || o.base == "red";
      }
      const bool elsewhere = std::any_of(o.parts.begin(), o.parts.end(), [](std::string_view part) {
        return part.starts_with("global") || part.starts_with("local") || part.starts_with("param");
      });
      if (!elsewhere)
        talks =
            talks || o.base == "atom" || o.base == "red" || o.has("volatile") || o.has("relaxed") || releases;
    }
  program_->orders_warps = fences && talks;
  program_->has_fences = fences;
  program_->tracks_order = strong || (fences && atomics);
}

/// Reads in loops that do nothing but read the same words again: their authors wait for a flag.
void Decoder::find_spins() {
  const auto counts_in_shared = [](const Site &site) {
    return site.counts && site.space != ptx::Space::global;
  };
  if (program_->strong_in_shared &&
      std::any_of(program_->sites.begin(), program_->sites.end(), counts_in_shared))
    program_->orders_warps = true;
  constexpr std::uint32_t most_blocks = 4;
  for (std::uint32_t last = 0; last < program_->blocks.size(); ++last) {
    const Block &end = program_->blocks[last];
    if (end.end != End::branch && end.end != End::jump) continue;
    if (end.target > last || last - end.target >= most_blocks) continue;
    std::vector<std::uint32_t> reads;
    bool waits = true;
    const std::uint32_t begin = program_->blocks[end.target].first;
    for (std::uint32_t i = begin; i < end.last && waits; ++i) {
      const Op &op = program_->ops[i];
      if (!op.accesses_memory) continue;
      const Site &site = program_->sites[op.site];
      waits = site.action == Site::Action::load || site.action == Site::Action::atomic;
      if (site.mbarrier) continue;
      if (site.is_volatile || site.action == Site::Action::atomic) reads.push_back(i);
    }
    for (std::uint32_t i = end.target; i < last && waits; ++i) {
      const End kind = program_->blocks[i].end;
      waits = kind == End::next || kind == End::branch || kind == End::jump;
    }
    for (const std::uint32_t read : reads) {
      const Ref address = program_->ops[read].a;
      for (std::uint32_t i = begin; i < end.last && waits; ++i)
        waits = program_->ops[i].d != address || (address & 1) != 0 || i == read;
    }
    for (const std::uint32_t read : reads) {
      if (!waits) break;
      Site &site = program_->sites[program_->ops[read].site];
      site.spins = true;
      const bool atomic = site.action == Site::Action::atomic;
      const bool swaps = atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::cas;
      // An exchange may acquire a lock, or wait for what another block stores there.
      const bool exchanges = atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::exch &&
                             (program_->ops[read].b & 1) != 0;
      if ((!swaps || site.awaits) && site.space != ptx::Space::shared) program_->waits_for_blocks = true;
      const bool waits_for_warps = site.is_volatile || site.locks || exchanges;
      if (waits_for_warps && site.space != ptx::Space::global) program_->orders_warps = true;
      site.locks = site.locks || swaps || exchanges;
      if (!atomic) find_first_look(end.target, program_->ops[read]);
    }
  }
}

/// A loop with something in its body is entered only if a first look at the flag, before it, says so.
void Decoder::find_first_look(std::uint32_t loop, const Op &again) {
  constexpr std::uint32_t most_blocks = 3;
  for (std::uint32_t b = loop - std::min(loop, most_blocks); b < loop; ++b) {
    const Block &block = program_->blocks[b];
    if (block.end != End::branch) continue;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Op &op = program_->ops[i];
      if (!op.accesses_memory || op.a != again.a || op.immediate != again.immediate) continue;
      Site &site = program_->sites[op.site];
      if (site.is_volatile && site.action == Site::Action::load) site.spins = true;
    }
  }
}

/// Plain loads that spare an atomic where it would change nothing: if (*p < x) atomicMax(p, x).
void Decoder::find_looks_ahead(const ptx::Function &function) {
  const Words words(function);
  const auto site_at = [&](std::size_t i) -> Site * {
    const std::uint32_t index = site_of_instruction_[i];
    return index < program_->sites.size() ? &program_->sites[index] : nullptr;
  };
  std::set<WordName> bounds;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (const Site *site = site_at(i); site && forms_a_bound(*site))
      bounds.insert(words.at(i, site->action == Site::Action::reduce ? 0 : 1));
  if (bounds.empty()) return;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (Site *site = site_at(i); site && site->action == Site::Action::load && !site->is_volatile)
      site->looks_ahead = bounds.count(words.at(i, 1)) != 0;
}

/// What instructions do with words that several threads write: see updates.hpp.
void Decoder::find_updates(const ptx::Function &function) {
  std::vector<std::size_t> atomics;
  bool loads = false, stores = false;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const std::uint32_t index = site_of_instruction_[i];
    if (index >= program_->sites.size()) continue;
    const Site &site = program_->sites[index];
    loads = loads || (site.is_volatile && site.action == Site::Action::load);
    stores = stores || (site.is_volatile && site.action == Site::Action::store);
    if (site.action == Site::Action::atomic && !site.mbarrier && function.instructions[i].operands.size() > 2)
      atomics.push_back(i);
  }
  if (atomics.empty() && !(loads && stores)) return;
  const Updates updates(function, find_leaders(function));
  const auto site_at = [&](std::size_t i) -> Site & { return program_->sites[site_of_instruction_[i]]; };
  for (const auto &[load, store] : updates.find()) {
    site_at(load).is_updated = true;
    site_at(store).updates = true;
  }
  for (const std::size_t i : atomics) {
    Site &site = site_at(i);
    const auto kind = static_cast<AtomicKind>(site.atomic);
    if (kind == AtomicKind::cas)
      site.awaits = updates.constant(function.instructions[i].operands.at(2)).value_or(0) != 0;
    if (kind == AtomicKind::cas || kind == AtomicKind::exch) {
      site.locks = site.locks || updates.takes_a_lock(i);
      site.holds = updates.holds_a_lock(i);
      program_->holds_locks = program_->holds_locks || site.holds;
    }
    if (kind == AtomicKind::add || kind == AtomicKind::inc || kind == AtomicKind::dec)
      site.counts = updates.tells_the_last(i);
    if (kind == AtomicKind::add || kind == AtomicKind::bit_or) site.locks = updates.waits_for_ticket(i);
  }
  if (atomics.empty()) return;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (const std::uint32_t index = site_of_instruction_[i]; index < program_->sites.size()) {
      Site &site = program_->sites[index];
      if (site.is_volatile && site.action == Site::Action::load) site.locks = updates.waits_for_ticket(i);
    }
}

/// What the warp has done comes before all that it does from now on, for those who then hear of it. That
/// lanes of one warp see it too is more than a fence promises: a lock that one lane hands to the next does.
void fence(const Op &op, Context &context) {
  if (context.mask == 0) return;
  context.run->fence();
  context.run->fence_globally(static_cast<Scope>(op.immediate));
}

void BlockRun::order_lanes(const std::uint32_t (&masks)[32]) {
  std::vector<LaneTimes> &seen = warp->lanes_seen;
  if (seen.empty()) seen.resize(32);
  const std::uint32_t informed = hears_ ? heard_by_some_[context.warp].lanes : 0;
  for (std::uint32_t rest = context.mask; rest;) {
    const std::uint32_t mask = masks[first_lane(rest)];
    std::uint32_t met = 0;
    for (std::uint32_t others = rest; others; others &= others - 1)
      if (masks[first_lane(others)] == mask) met |= 1u << first_lane(others);
    rest &= ~met;
    if ((met & informed) != 0) share_heard(*warp, met);
    LaneTimes all = seen[first_lane(met)];
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) {
      const LaneTimes &one = seen[first_lane(lanes)];
      if (one == all) continue;  // those who have met last know the same
      for (std::size_t lane = 0; lane < all.size(); ++lane) all[lane] = std::max(all[lane], one[lane]);
    }
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) all[first_lane(lanes)] = time_;
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) seen[first_lane(lanes)] = all;
  }
}

void BlockRun::fence() {
  shared.enter_reads();
  advance_time();
  if (program.orders_warps) {
    fenced_[context.warp] = time_;
    learn_unfenced();
  }
  warp->fence_time = time_;
  if (!program.orders_warps && !program.tracks_order) return;  // no thread can acquire it
  warp->warp_cell = std::uint64_t{time_} << 32;
  if (context.warp_cell != UINT64_MAX) context.warp_cell = warp->warp_cell;
}

void BlockRun::learn_unfenced() {
  seen_[context.warp].join(unfenced_[context.warp]);
  unfenced_[context.warp] = {};
  needs_fence_[context.warp] = false;
}

void BlockRun::talk(std::uint64_t offset, const Site &site, bool reads, bool writes) {
  if (site.releases) {
    fence();
    fence_globally(site.scope);
  }
  shared.enter_reads();
  Seen &own = seen_[context.warp];
  auto &meant = meant_[context.warp];
  SharedFlag &there = flags_[offset];
  // All that runs of the warp waits for another one: that one's turn is next.
  constexpr std::uint32_t most_looks = 64;
  if (site.spins && !writes && warp->groups.size() == 1 && ++vain_looks_ >= most_looks) turn_left_ = 1;
  if (reads) {
    const bool at_once =
        site.acquires || (site.action == Site::Action::atomic && !site.says_order && !site.locks);
    // Reading an unchanged flag again adds no order.
    const std::uint32_t learned = there.version << 1 | (at_once ? 1 : 0);
    if (std::uint32_t &last = there.learned[context.warp]; (last | 1) != (learned | 1) || last < learned) {
      (at_once ? own : unfenced_[context.warp]).join(there.released);
      last = learned;
    }
    if (!at_once && (site.locks || site.says_order)) needs_fence_[context.warp] = true;
    if (site.spins || site.locks || site.counts)
      for (std::size_t w = 0; w < meant.size(); ++w)
        if (there.ideal[w] > meant[w].time) meant[w] = {there.ideal[w], there.sites[w]};
    if (tracks_) {
      WarpOrder &order = orders_[context.warp];
      (at_once ? order.known : order.pending_in_block).join(there.elsewhere);
      order.lenient.join(there.elsewhere);
    }
  }
  if (!writes) return;
  const std::uint32_t version = there.version + 1;
  if (!reads) there = {};  // nobody can read what was there before
  there.version = version;
  there.released.join(own);
  if (heard_by_some_[context.warp].lanes != 0) there.released.join(heard_by_some_[context.warp].seen);
  there.released.add(context.warp, 0, true, fenced_[context.warp]);
  if (tracks_) there.elsewhere.join(orders_[context.warp].released_in_block);
  const bool may_fail =
      site.action == Site::Action::atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::cas;
  if (may_fail) return;
  advance_time();  // what the warp does from now on comes after this
  there.ideal[context.warp] = time_;
  there.sites[context.warp] = static_cast<std::uint32_t>(&site - program.sites.data());
}

void BlockRun::hear() {
  if (hears_) return;
  hears_ = true;
  seen_.assign(warps_.size(), Seen{});
  heard_by_some_.assign(warps_.size(), HeardBySome{});
  context.seen = seen_[context.warp].before.data();
}

/// The warp arrives at a barrier and does not wait.
void BlockRun::tell_order(std::uint32_t barrier) {
  hear();
  shared.enter_reads();
  advance_time();
  share_heard(*warp, full_mask);
  Told &there = at_barriers_[barrier];
  if (program.orders_warps) learn_unfenced();
  there.seen.join(seen_[context.warp]);
  there.seen.add(context.warp, 0, true, time_);
  if (tracks_) join_order(there.order, orders_[context.warp]);
}

/// A barrier that not all warps of the block pass: it orders what was done by those that have arrived, for
/// those that waited.
void BlockRun::order_some(std::uint32_t barrier, const std::vector<Warp *> &waiting) {
  hear();
  shared.enter_reads();
  Told &there = at_barriers_[barrier];
  for (const Warp *one : waiting) {
    there.seen.join(seen_[one->index]);
    if (program.orders_warps) there.seen.join(unfenced_[one->index]);
    there.seen.add(one->index, 0, true, time_ + 1);
    if (tracks_) join_order(there.order, orders_[one->index]);
  }
  for (const Warp *one : waiting) {
    seen_[one->index] = there.seen;
    if (tracks_) orders_[one->index] = there.order;
  }
  at_barriers_.erase(barrier);
}

void BlockRun::forget_order() {
  begun_updates_.clear();
  hears_ = false;
  at_barriers_.clear();
  phases_.clear();
  if (!program.orders_warps) return;
  hear();
  unfenced_.assign(warps_.size(), Seen{});
  needs_fence_.assign(warps_.size(), false);
  meant_.assign(warps_.size(), {});
  fenced_.assign(warps_.size(), 0);
  flags_.clear();
}

bool BlockRun::comes_before(std::uint64_t cell, std::uint32_t warp_index, std::uint32_t lane) const {
  const auto who = static_cast<std::uint32_t>(cell & cell_warp) >> 5;
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  if (hears_) {
    const bool any = lane == any_lane;
    const Seen &all = seen_[warp_index];
    const HeardBySome &some = heard_by_some_[warp_index];
    if (all.knows(cell, any)) return true;
    if (some.lanes != 0 && (any || (some.lanes >> lane & 1) != 0) && some.seen.knows(cell, any)) return true;
    if (!all.others.empty() && all.others.knows(block_number_, who, time)) return true;
  }
  return tracks_ && orders_[warp_index].known.knows(block_number_, who, time);
}

bool BlockRun::knows_copy(std::uint64_t writer, std::uint32_t lane) const {
  const HeardBySome &some = heard_by_some_[context.warp];
  if (seen_[context.warp].knows_copy(writer)) return true;
  if ((lane == any_lane || (some.lanes >> lane & 1) != 0) && some.seen.knows_copy(writer)) return true;
  const auto time = static_cast<std::uint32_t>(writer >> 32);
  for (std::uint32_t w = 0; tracks_ && w < warps_.size(); ++w)  // by a flag, from whoever has waited
    if (orders_[context.warp].known.knows(block_number_, w, time)) return true;
  return false;
}

bool BlockRun::is_unfenced(std::uint64_t cell) const {
  return program.orders_warps && unfenced_[context.warp].knows(cell, true);
}

/// The latest work of a warp that any lane of this one knows of.
std::uint32_t BlockRun::latest_known(std::uint32_t of) const {
  return std::max(seen_[context.warp].latest(of), heard_by_some_[context.warp].seen.latest(of));
}

/// Whether the warp has acquired since the barrier what any other warp of the block has done.
bool BlockRun::knows_other_warps() const {
  const auto epoch = static_cast<std::uint32_t>(context.epoch_cell >> 32);
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (w == context.warp) continue;
    if (hears_ && latest_known(w) > epoch) return true;
    if (program.orders_warps && unfenced_[context.warp].latest(w) > epoch) return true;
    if (tracks_ && orders_[context.warp].known.knows(block_number_, w, epoch)) return true;
  }
  return false;
}

/// Of a strong read of what another warp has written: Knowledge::meant if a lock, or a flag that was waited
/// for, told of it, and the writer has no fence before that; unfenced if the reader that took a lock has none.
/// reader: the cell of those who have read the word
Knowledge BlockRun::lacks_fence(std::uint64_t writer, std::uint64_t reader) const {
  const auto who = static_cast<std::uint32_t>(writer & cell_warp) >> 5;
  if (!program.orders_warps || who == context.warp || writer < context.epoch_cell) return Knowledge::known;
  const bool has_seen_it =
      reader > writer && static_cast<std::uint32_t>(reader & cell_warp) >> 5 == context.warp;
  if (has_seen_it || comes_before(writer, any_lane)) return Knowledge::known;
  if (is_unfenced(writer)) return needs_fence() ? Knowledge::unfenced : Knowledge::known;
  return is_told(writer) ? Knowledge::meant : Knowledge::none;
}

bool BlockRun::is_told(std::uint64_t cell) const {
  return program.orders_warps && cell >> 32 < meant_[context.warp][(cell & cell_warp) >> 5].time;
}

const Site &BlockRun::told_by(std::uint64_t cell) const {
  return program.sites[meant_[context.warp][static_cast<std::uint32_t>(cell & cell_warp) >> 5].site];
}

/// Whether the warp may know of a strong write by another warp, with or without fences: a flag or lock told
/// of it, or it has read the word since. reader: the cell of those who have read the word
bool BlockRun::has_heard_of(std::uint64_t writer, std::uint64_t reader) const {
  const bool has_seen_it =
      reader >> 32 >= writer >> 32 && static_cast<std::uint32_t>(reader & cell_warp) >> 5 == context.warp;
  return has_seen_it || comes_before(writer, any_lane) || is_told(writer);
}

void BlockRun::begin_update(const LaneAccess &access, std::uint64_t cell) {
  constexpr std::size_t most = 1024;
  end_update(access);
  if (cell == 0 || begun_updates_.size() >= most) return;
  begun_updates_.push_back({static_cast<std::uint32_t>(thread(access.lane)), access.address, cell});
}

std::uint64_t BlockRun::end_update(const LaneAccess &access) {
  for (auto one = begun_updates_.begin(); one != begun_updates_.end(); ++one) {
    if (one->thread != thread(access.lane) || one->address != access.address) continue;
    const std::uint64_t cell = one->cell;
    begun_updates_.erase(one);
    return cell;
  }
  return 0;
}

/// Whether the warp has fenced since the block's last barrier: its next store may be a flag.
bool BlockRun::has_fenced() const {
  return program.orders_warps && fenced_[context.warp] >= context.epoch_cell >> 32;
}

}  // namespace warpgrade::simt
