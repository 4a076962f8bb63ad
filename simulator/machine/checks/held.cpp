#include "machine/checks/held.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/block_run.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::size_t most_guarded_words = 1 << 16;  // beyond, nothing is known of a word
constexpr std::uint64_t whose =
    0xFFFF'FFFF'0000'0000 | cell_sites << 12 | cell_thread;  // of a cell, without flags

/// "element 3 of locks, acquired in k.cu:12"
std::string describe_lock(const BlockRun &run, const Guard &guard) {
  const Site &site = run.program.sites[guard.site];
  std::string text = "a lock";
  if ((guard.lock & shared_place_bit) != 0) {
    const std::uint64_t offset = guard.lock & rank_offset_mask;
    if (const SharedVariable *const variable = run.shared.variable_at(offset))
      text = fmt::format("element {} of {}", (offset - variable->begin) / site.bytes, variable->name);
  } else if (const Allocation *const in = run.launch.memory->find(guard.lock, guard.lock + site.bytes)) {
    text = fmt::format("element {} of {}", (guard.lock - in->begin) / site.bytes, in->name);
  }
  const SourceLine at = run.line_of(site.location);
  return at.line == 0 ? text : fmt::format("{}, acquired in {}:{}", text, at.file, at.line);
}

std::string words_of(const BlockRun &run, Unprotected how, const Guard &mine, const Guard &theirs) {
  switch (how) {
    case Unprotected::here:
      return fmt::format(
          "the other thread stores under a lock ({}), and this thread takes none; take that lock before this "
          "store too",
          describe_lock(run, theirs));
    case Unprotected::there: {
      const std::size_t at = theirs.cell >> 12 & cell_sites;
      const SourceLine line =
          run.line_of(run.program.sites[std::min(at, run.program.sites.size() - 1)].location);
      return fmt::format(
          "this thread stores under a lock ({}), and the other thread takes none; take that lock before the "
          "store in {}:{} too",
          describe_lock(run, mine), line.file, line.line);
    }
    default:
      return fmt::format(
          "the two threads hold different locks: this thread {}, the other {}; a word needs one lock for all "
          "threads that store to it",
          describe_lock(run, mine), describe_lock(run, theirs));
  }
}

bool may_be_lock(const BlockRun &run, const Target &target) {
  return run.locks.are_followed() && !target.owner && (target.allocation || run.program.orders_warps);
}

Place place_of(const LaneAccess &access, const Target &target) {
  return target.allocation ? access.address : place_in_shared(access.run.block_number(), target.offset);
}

}  // namespace

void HeldLocks::take(Place lock, std::uint32_t thread, std::uint32_t site) {
  give(lock);
  held_.push_back({lock, thread, site, false});
}

void HeldLocks::give(Place lock) {
  std::erase_if(held_, [lock](const Held &one) { return one.lock == lock; });
}

void HeldLocks::give(Place lock, std::uint32_t thread) {
  std::erase_if(held_, [&](const Held &one) { return one.lock == lock && one.thread == thread; });
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

void HeldLocks::note_ticket(std::uint32_t thread, std::uint32_t site, std::uint64_t number) {
  tickets_[{thread, site}] = number;
}

bool HeldLocks::has_ticket(std::uint32_t thread, std::uint32_t site, std::uint64_t number) const {
  const auto known = tickets_.find({thread, site});
  return known != tickets_.end() && known->second == number;
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

void note_lock(const LaneAccess &access, const Target &target, bool takes, bool changes) {
  BlockRun &run = access.run;
  if (!may_be_lock(run, target)) return;
  const Place place = place_of(access, target);
  if (takes && access.site.holds)
    run.locks.take(place, static_cast<std::uint32_t>(run.thread(access.lane)), access.op.site);
  else if (changes && !run.locks.empty())
    run.locks.give(place);
}

void note_ticket(const LaneAccess &access, const Target &target, std::uint64_t found) {
  BlockRun &run = access.run;
  const Site &site = access.site;
  if ((!site.gives_tickets && site.ticket == UINT32_MAX) || !may_be_lock(run, target)) return;
  const auto thread = static_cast<std::uint32_t>(run.thread(access.lane));
  if (site.gives_tickets) run.locks.note_ticket(thread, access.op.site, found);
  if (site.ticket == UINT32_MAX) return;
  const Place place = place_of(access, target);
  if (run.locks.has_ticket(thread, site.ticket, found))
    run.locks.take(place, thread, access.op.site);
  else
    run.locks.give(place, thread);  // it waits while the two are equal: no lock
}

std::string unprotected_store(const LaneAccess &access, Place word, const StrongCells &cells) {
  BlockRun &run = access.run;
  if (!run.locks.are_followed() || access.site.action != Site::Action::store) return {};
  Guard mine = run.locks.of(static_cast<std::uint32_t>(run.thread(access.lane)));
  mine.cell = run.context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane;
  std::string words;
  if (const Guard *const theirs = cells.unordered ? run.shadow().guards.at(word, cells.writer) : nullptr) {
    Unprotected found = compare(mine, *theirs);
    // A thread that waits for another thread's store, or stores only after seeing it, takes turns with that thread.
    const bool has_seen = cells.reader > cells.writer && ((cells.reader ^ mine.cell) & cell_warp) == 0 &&
                          !run.is_other_block(cells.reader);
    const std::size_t read_at = cells.reader >> 12 & cell_sites;
    const bool awaited = read_at < run.program.sites.size() && run.program.sites[read_at].spins;
    if (has_seen && (found == Unprotected::other_locks ? awaited : !access.site.updates))
      found = Unprotected::no;
    if (found != Unprotected::no) words = words_of(run, found, mine, *theirs);
  }
  run.shared_shadow->guards.put(word, std::move(mine));
  return words;
}

}  // namespace warpgrade::simt
