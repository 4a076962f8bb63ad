#include "simt/held.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simt/block_run.hpp"
#include "simt/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::size_t most_guarded_words = 1 << 16;  // beyond, nothing is known of a word
constexpr std::uint64_t whose =
    0xFFFF'FFFF'0000'0000 | cell_sites << 12 | cell_thread;  // of a cell, without flags

}  // namespace

void HeldLocks::take(Place lock, std::uint32_t thread, std::uint32_t site) {
  give(lock);
  held_.push_back({lock, thread, site, false});
}

void HeldLocks::give(Place lock) {
  std::erase_if(held_, [lock](const Held &one) { return one.lock == lock; });
}

void HeldLocks::share() {
  for (Held &one : held_) one.shared = true;
}

Guard HeldLocks::of(std::uint32_t thread) const {
  Guard made;
  for (const Held &one : held_) {
    made.of_block.push_back(one.lock);
    if (one.thread == thread || (one.shared && made.lock == 0)) made.lock = one.lock, made.site = one.site;
  }
  return made;
}

void Guards::put(Place word, Guard guard) {
  if (of_.size() < most_guarded_words || of_.count(word) != 0) of_[word] = std::move(guard);
}

const Guard *Guards::at(Place word, std::uint64_t cell) const {
  const auto known = of_.find(word);
  return known != of_.end() && ((known->second.cell ^ cell) & whose) == 0 ? &known->second : nullptr;
}

Unprotected compare(const Guard &here, const Guard &there) {
  const auto is_there = [&there](Place lock) {
    return std::find(there.of_block.begin(), there.of_block.end(), lock) != there.of_block.end();
  };
  if (std::any_of(here.of_block.begin(), here.of_block.end(), is_there)) return Unprotected::no;
  if (here.lock != 0 && there.lock != 0) return Unprotected::other_locks;
  // If another thread of the block holds one, it may do so for this one.
  if (here.lock != 0 && there.of_block.empty()) return Unprotected::there;
  if (there.lock != 0 && here.of_block.empty()) return Unprotected::here;
  return Unprotected::no;
}

Place BlockRun::place_of(const LaneAccess &access, const Target &target) const {
  return target.allocation ? access.address : place_in_shared(block_number_, target.offset);
}

/// An atomic has changed a word: a lock may have been taken, or given back.
void BlockRun::note_lock(const LaneAccess &access, const Target &target, bool takes, bool writes) {
  if (!holds_ || target.owner || !(target.allocation || program.orders_warps)) return;
  const Place place = place_of(access, target);
  if (takes && access.site.holds)
    held_.take(place, static_cast<std::uint32_t>(thread(access.lane)), access.op.site);
  else if (writes && !held_.empty())
    held_.give(place);
}

Unprotected BlockRun::look_at_locks(const LaneAccess &access, Place word, const StrongCells &cells) {
  if (!holds_ || access.site.action != Site::Action::store) return Unprotected::no;
  Guard mine = held_.of(static_cast<std::uint32_t>(thread(access.lane)));
  mine.cell = context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane;
  Unprotected found = Unprotected::no;
  if (const Guard *const theirs = cells.unordered ? shadow_->guards.at(word, cells.writer) : nullptr) {
    found = compare(mine, *theirs);
    // Who waits until another one has stored, or stores only if it has, takes turns with it.
    const bool has_seen = cells.reader > cells.writer && ((cells.reader ^ mine.cell) & cell_warp) == 0 &&
                          !is_other_block(cells.reader);
    const std::size_t read_at = cells.reader >> 12 & cell_sites;
    const bool awaited = read_at < program.sites.size() && program.sites[read_at].spins;
    if (has_seen && (found == Unprotected::other_locks ? awaited : !access.site.updates))
      found = Unprotected::no;
    if (found != Unprotected::no) locks_said_ = words_of(found, mine, *theirs);
  }
  shadow_->guards.put(word, std::move(mine));
  return found;
}

/// "element 3 of locks, acquired in k.cu:12"
std::string BlockRun::describe_lock(const Guard &guard) const {
  const Site &site = program.sites[guard.site];
  std::string text = "a lock";
  if ((guard.lock & shared_place_bit) != 0) {
    const std::uint64_t offset = guard.lock & rank_offset_mask;
    if (const SharedVariable *const variable = shared.variable_at(offset))
      text = fmt::format("element {} of {}", (offset - variable->begin) / site.bytes, variable->name);
  } else if (const Allocation *const in = launch.memory->find(guard.lock, guard.lock + site.bytes)) {
    text = fmt::format("element {} of {}", (guard.lock - in->begin) / site.bytes, in->name);
  }
  const SourceLine at = line_of(site.location);
  return at.line == 0 ? text : fmt::format("{}, acquired in {}:{}", text, at.file, at.line);
}

std::string BlockRun::words_of(Unprotected how, const Guard &mine, const Guard &theirs) const {
  switch (how) {
    case Unprotected::here:
      return fmt::format(
          "the other thread stores under a lock ({}), and this thread takes none; take that lock before this "
          "store too",
          describe_lock(theirs));
    case Unprotected::there: {
      const std::size_t at = theirs.cell >> 12 & cell_sites;
      const SourceLine line = line_of(program.sites[std::min(at, program.sites.size() - 1)].location);
      return fmt::format(
          "this thread stores under a lock ({}), and the other thread takes none; take that lock before the "
          "store in {}:{} too",
          describe_lock(mine), line.file, line.line);
    }
    default:
      return fmt::format(
          "the two threads hold different locks: this thread {}, the other {}; a word needs one lock for all "
          "threads that store to it",
          describe_lock(mine), describe_lock(theirs));
  }
}

}  // namespace warpgrade::simt
