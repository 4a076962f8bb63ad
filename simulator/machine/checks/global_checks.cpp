// Races in global memory, by the rules of docs/memory-model.md: between blocks, between warps of a block
// without a barrier, and between lanes of a warp without a __syncwarp(). order.hpp says what fences and
// atomics order.
#include <fmt/format.h>

#include <cstring>

#include "decode/handlers.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr const char *library_words =
    "both accesses are in the library's own kernel, which lacks a fence, unless ranges that were passed to "
    "it overlap";

struct Hazard {
  const char *kind = nullptr;
  Order order = Order::fine;
  Knowledge knowledge = Knowledge::none;
  bool same_value = false;  ///< both wrote the same
  bool narrow = false;      ///< both are atomic, but the scope of one is its block
  bool protects = false;    ///< both are strong stores: PTX knows no race, but the lock protects nothing
  bool lost = false;        ///< both are strong: one of them adds to the word in two steps
  bool locks = false;       ///< of `protects`: the two threads hold no lock in common
  std::uint64_t other = 0;
  std::uint32_t released_by =
      UINT32_MAX;  ///< site of the strong write that should have released the other access
};

class Check {
 public:
  Check(const LaneAccess &access, const Allocation &allocation, bool atomic)
      : access_(access), run_(access.run), allocation_(allocation), atomic_(atomic) {}

  void look(const Watched &watched, std::uint64_t i, bool same_value);
  void report();

 private:
  std::uint64_t mine() const {
    return run_.context.now_cell | std::uint64_t{access_.op.site} << 12 | access_.lane;
  }
  Order order_of(std::uint64_t cell, Knowledge &, std::uint32_t *released_by) const;
  void against(const char *kind, std::uint64_t cell, bool same_value = false);
  void against_many(const char *kind, std::uint64_t cell, std::uint64_t earlier);
  void against_strong(const char *kind, std::uint64_t cell, bool other_writes, std::uint64_t own_read,
                      bool same_value);
  void look_at_locks(const char *kind, const Watched &, std::uint64_t i, bool same_value);
  void look_at_exchange() const;
  void enter(std::uint64_t &cell, std::uint64_t *earlier) const;
  void keep(const Hazard &);
  void keep_lost(Hazard);
  const Site &site_at(std::uint64_t cell) const {
    const std::size_t site = cell >> 12 & cell_sites;
    return run_.program.sites[std::min(site, run_.program.sites.size() - 1)];
  }
  bool lanes_matter() const { return (run_.context.write_hazards & reader_many_lanes) != 0; }
  bool looks_before_swap() const;
  bool is_a_look_ahead() const;
  RacingPair pair() const { return {access_.site, site_at(found_.other), found_.order, false}; }
  std::string advice() const;
  Cure cure() const;
  Code code() const;
  std::string line_of(std::uint32_t site) const;
  bool is_in_kernel_of_a_library() const;

  const LaneAccess &access_;
  BlockRun &run_;
  const Allocation &allocation_;
  bool atomic_;
  Hazard found_;
  std::string locks_said_;  // how two stores are not protected, if found_.locks
};

Order Check::order_of(std::uint64_t cell, Knowledge &knowledge, std::uint32_t *released_by) const {
  const Context &context = run_.context;
  knowledge = Knowledge::none;
  if (cell == 0) return Order::fine;
  const bool other_block = run_.is_other_block(cell);
  if (!other_block && cell < context.epoch_cell) return Order::fine;
  if (!other_block && ((cell ^ mine()) & cell_warp) == 0) {
    const bool other = ((cell ^ mine()) & cell_thread) != 0;
    const bool ordered = cell < context.warp_cell || !lanes_matter() ||
                         run_.order.knows_lane(access_.lane, cell) ||
                         run_.order.comes_before(cell, access_.lane);
    return other && !ordered ? Order::lanes : Order::fine;
  }
  if (other_block ? run_.cluster.orders(cell, run_.shared_shadow->block_at(cell), *run_.warp)
                  : run_.order.comes_before(cell, access_.lane))
    return Order::fine;
  knowledge = run_.order.knowledge_of(cell, released_by);
  if (knowledge == Knowledge::known) return Order::fine;
  if (!other_block && run_.order.is_unfenced(cell)) knowledge = Knowledge::unfenced;
  if (!other_block && run_.order.comes_before(cell, HappensBefore::any_lane)) knowledge = Knowledge::unsynced;
  return other_block ? Order::blocks : Order::warps;
}

/// Of several the worst is reported, of equal ones the last.
void Check::keep(const Hazard &one) {
  if (one.order == Order::fine) return;
  if (!found_.kind || one.order > found_.order || (one.order == found_.order && !one.same_value))
    found_ = one;
}

void Check::against(const char *kind, std::uint64_t cell, bool same_value) {
  Hazard one{kind};
  one.order = order_of(cell, one.knowledge, &one.released_by);
  one.same_value = same_value;
  one.other = cell;
  // Lanes that write the same, or in one instruction, which look_for_repeats() looks at.
  if (one.order == Order::lanes && access_.store &&
      (same_value || (cell >> 12 & cell_sites) == access_.op.site))
    return;
  keep(one);
}

/// A shadow word that represents several threads, the last of them by name.
void Check::against_many(const char *kind, std::uint64_t cell, std::uint64_t earlier) {
  if (cell == 0) return;
  Hazard one{kind};
  one.order = order_of(cell, one.knowledge, &one.released_by);
  one.other = cell;
  const bool own = !run_.is_other_block(cell), now = own && cell >= run_.context.epoch_cell;
  Order lost = Order::fine;  // with those whose names are lost
  if (now && (cell & reader_many_lanes) && cell >= run_.context.warp_cell && lanes_matter() &&
      !run_.order.has_synced_lanes())
    lost = Order::lanes;
  const bool many_warps = now && (cell & reader_many_warps), other_blocks = (cell & reader_other_blocks) != 0;
  const bool knows = run_.cluster.has_met(*run_.warp) ||
                     run_.order.knows_others();  // of those whose names are lost, perhaps all
  if (many_warps && !knows && !run_.order.knows_other_warps()) lost = Order::warps;
  if (other_blocks && !knows) lost = Order::blocks;
  if ((many_warps || other_blocks) && lost < Order::warps) {
    Hazard before{kind};
    before.order = order_of(earlier, before.knowledge, &before.released_by);
    before.other = earlier;
    keep(before);
  }
  if (lost > one.order) {
    Hazard before{kind};
    before.order = order_of(earlier, before.knowledge, &before.released_by);
    before.other = earlier;
    const bool own_read = own && ((cell ^ mine()) & cell_thread) == 0;
    if (before.order == lost || own_read) return keep(before);  // a race needs two threads that have names
    one.order = lost;
    one.knowledge = Knowledge::none;
  }
  keep(one);
}

/// Two strong accesses never race where each has the other's thread in its scope. But a strong load may miss
/// what a lock or a flag released, if a fence is missing, and a strong store may come before it.
void Check::against_strong(const char *kind, std::uint64_t cell, bool other_writes, std::uint64_t own_read,
                           bool same_value) {
  Hazard one{kind};
  one.order = order_of(cell, one.knowledge, &one.released_by);
  one.other = cell;
  if (one.order == Order::fine || one.order == Order::lanes) return;
  const Site &other = site_at(cell);
  const auto is_narrow = [&](Scope scope) {
    return scope == Scope::block ||
           (scope == Scope::cluster && !run_.cluster.contains(run_.shared_shadow->block_at(cell)));
  };
  one.narrow = one.order == Order::blocks && (is_narrow(access_.site.scope) || is_narrow(other.scope));
  if (one.narrow) return keep(one);
  if (other_writes && one.knowledge == Knowledge::none && loses_update(access_.site, other))
    return access_.store ? keep_lost(one) : begin_update(access_, cell);
  if (atomic_ || same_value || !other_writes || other.action != Site::Action::store) return;
  if (own_read > cell && ((own_read ^ mine()) & cell_warp) == 0) return;  // it has read that very write
  if (!access_.store && access_.site.acquires && other.releases) return;  // they order the word by themselves
  if (!access_.store && access_.site.spins) return;                       // it is read until it has changed
  const WarpOrder &order = run_.order.global.of(run_.context.warp);
  one.protects = access_.store;
  if (one.knowledge == Knowledge::signaled || (one.knowledge == Knowledge::unfenced && order.needs_fence))
    keep(one);
}

/// A look at a word whose first write was an exchange: if nothing orders the two, the look may come first.
void Check::look_at_exchange() const {
  const bool looks = access_.site.action == Site::Action::load || (atomic_ && !replaces(access_.site));
  const auto first = looks ? run_.shadow().exchanged.find(access_.address) : run_.shadow().exchanged.end();
  if (first == run_.shadow().exchanged.end() || run_.findings.enough_unset()) return;
  Knowledge knowledge;
  if (order_of(first->second, knowledge, nullptr) < Order::warps || knowledge != Knowledge::none) return;
  const std::uint64_t handle = access_.op.site | (allocation_.begin >> 9 & 0xFFFFFFFF) << 20;
  if (run_.count_known(handle + 1, Code::uninitialized_read, Severity::error)) return;
  Diagnostic made = run_.diagnostic(
      Code::uninitialized_read, Severity::error, run_.here(access_.lane, access_.op),
      fmt::format(
          "load of {} bytes from {} that may come before its first write, the exchange in {}: element {}",
          access_.bytes, allocation_.name, line_of(first->second >> 12 & cell_sites),
          (access_.address - allocation_.begin) / access_.site.bytes));
  made.buffer = allocation_.name;
  run_.note(std::move(made), handle + 1);
}

/// Two strong stores that nothing orders, at least one of them under a lock.
void Check::look_at_locks(const char *kind, const Watched &watched, std::uint64_t i, bool same_value) {
  if (!run_.program.holds_locks || !access_.store || atomic_) return;
  const std::uint64_t cell = watched.strong[i];
  Hazard one{kind};
  one.order = order_of(cell, one.knowledge, &one.released_by);
  one.other = cell;
  // The word itself may tell of its last store, which is no order if the two hold different locks.
  const bool seen = one.knowledge == Knowledge::by_fences && watched.strong_readers[i] > cell;
  const bool unordered = cell != 0 && one.order > Order::lanes &&
                         (one.knowledge == Knowledge::none || seen) && !same_value &&
                         site_at(cell).action == Site::Action::store;
  const Place word = allocation_.begin + (i << run_.context.global_shift);
  one.protects = one.locks = true;
  if (std::string words = unprotected_store(access_, word, {cell, watched.strong_readers[i], unordered});
      !words.empty()) {
    locks_said_ = std::move(words);
    if (!loses_update(access_.site, site_at(cell))) keep(one);  // that one is found as what it is
  }
}

void Check::keep_lost(Hazard one) {
  one.kind = lost_update;
  one.lost = true;
  keep(one);
}

/// The cell after this access: who came before is kept as flags, and one of them by name.
void Check::enter(std::uint64_t &cell, std::uint64_t *earlier) const {
  const Context &context = run_.context;
  const std::uint64_t me = mine(), old = cell;
  if (old == 0) {
    cell = me;
    return;
  }
  const bool other_block = run_.is_other_block(old), other_warp = ((old ^ me) & cell_warp) != 0,
             other_lane = ((old ^ me) & cell_thread) != 0;
  Knowledge knowledge;
  const bool known = order_of(old, knowledge, nullptr) == Order::fine && (other_block || other_warp);
  const bool keeps_worse = !other_block && (old & reader_other_blocks) && earlier && *earlier != 0 &&
                           run_.is_other_block(*earlier);
  if (earlier && !known && (other_block || other_lane) && !keeps_worse) *earlier = old;
  std::uint64_t flags = old & reader_other_blocks;
  if (other_block) {
    if (!known) flags |= reader_other_blocks;
  } else if (old >= context.epoch_cell && !known) {
    flags |= old & (reader_many_lanes | reader_many_warps);
    if (old < context.warp_cell) flags &= ~reader_many_lanes;
    if (other_warp) flags |= reader_many_warps;
    if (other_lane && (other_warp || old >= context.warp_cell)) flags |= reader_many_lanes;
  }
  cell = me | flags;
}

void Check::look(const Watched &watched, std::uint64_t i, bool same_value) {
  const bool strong = atomic_ || access_.site.is_volatile, writes = access_.store;
  const char *const after_write = writes ? "write after write" : "read after write";
  std::uint64_t &writer = watched.writers[i], &reader = watched.readers[i], &earlier = watched.earlier[i];
  if (writes) against_many("write after read", reader, earlier);
  against(after_write, writer, same_value);
  if (watched.strong) {
    std::uint64_t &strong_writer = watched.strong[i], &strong_reader = watched.strong_readers[i];
    if (strong) {
      if (!run_.shadow().exchanged.empty()) look_at_exchange();
      if (access_.site.is_updated) begin_update(access_, 0);
      if (const std::uint64_t before = access_.site.updates ? end_update(access_) : 0) {
        Hazard one;
        one.order = order_of(before, one.knowledge, &one.released_by);
        one.other = before;
        keep_lost(one);
      }
      look_at_locks(after_write, watched, i, same_value);
      against_strong(after_write, strong_writer, true, strong_reader, same_value);
      if (writes) against_strong("write after read", strong_reader, false, 0, same_value);
      if (!writes)
        enter(strong_reader, nullptr);
      else if (access_.site.action == Site::Action::atomic)
        strong_writer = mine();  // it has read what the others made of the word
      else
        enter(strong_writer, nullptr);
      return;
    }
    // A thread that has just read the word's last value by a strong read has observed its writer.
    const bool seen = strong_reader > strong_writer && !run_.is_other_block(strong_reader) &&
                      ((strong_reader ^ mine()) & cell_thread) == 0;
    if (!seen) against_many(after_write, strong_writer, 0);
    if (writes) against_many("write after read", strong_reader, 0);
  }
  if (writes)
    writer = mine();
  else
    enter(reader, &earlier);
}

std::string Check::line_of(std::uint32_t site) const {
  const SourceLine at = run_.line_of(run_.program.sites[site].location);
  return at.line == 0 ? std::string() : fmt::format("{}:{}", at.file, at.line);
}

std::string Check::advice() const {
  const bool blocks = found_.order == Order::blocks;
  const char *const whose = blocks ? "the other block" : "the other warp";
  // Of a grid of several blocks, others may wait for the same word.
  const bool several = blocks || run_.launch.blocks() > 1;
  const char *const fence = several ? "__threadfence()" : "__threadfence_block()";
  if (found_.narrow)
    return "the two threads are in different blocks, and an atomic of block scope is atomic only within its "
           "own block; leave _block out, or use cuda::thread_scope_device";
  if (found_.lost)
    return locks_said_.empty()
               ? update_advice
               : "a thread reads the word, adds to it and stores it again, but " + locks_said_;
  if (found_.locks) return locks_said_;
  if (found_.same_value)
    return blocks                         ? "two blocks write the same value; nothing orders blocks"
           : found_.order == Order::warps ? "two warps write the same value without a barrier between"
                                          : "two lanes write the same value without a __syncwarp() between";
  if (found_.knowledge == Knowledge::unsynced) return no_syncwarp;
  if (found_.knowledge == Knowledge::unfenced)
    return fmt::format(
        "the thread does not acquire what {} released: it has no {} between reading the flag or taking the "
        "lock and this access{}",
        whose, fence,
        run_.order.global.of(run_.context.warp).read_relaxed ? ", nor memory_order_acquire there" : "");
  if (found_.released_by != UINT32_MAX && found_.knowledge != Knowledge::none) {
    const std::string line = line_of(found_.released_by);
    if (blocks && site_at(std::uint64_t{found_.released_by} << 12).scope == Scope::block)
      return fmt::format("{} signals it{}{}, but with block scope, which does not reach other blocks", whose,
                         line.empty() ? "" : " at ", line);
    if (blocks && run_.order.global.of(run_.context.warp).read_narrowly &&
        !run_.order.global.has_weak_release(found_.released_by))
      return fmt::format(
          "{} signals it{}{}, but this thread reads the flag or takes the lock with block scope, which does "
          "not reach "
          "other blocks",
          whose, line.empty() ? "" : " at ", line);
    return fmt::format("{} signals it{}{}, but a {} is missing before that{}{}", whose,
                       line.empty() ? "" : " at ", line, fence,
                       blocks    ? " (__threadfence_block() is not enough)"
                       : several ? " (__threadfence_block() is enough only if no other block takes part)"
                                 : "",
                       site_at(std::uint64_t{found_.released_by} << 12).says_order
                           ? "; memory_order_release does the same"
                           : "");
  }
  return {};
}

/// Where advice() has nothing to say.
Cure Check::cure() const {
  const bool released = found_.released_by != UINT32_MAX && found_.knowledge != Knowledge::none;
  if (found_.narrow || found_.lost || found_.locks || found_.same_value ||
      found_.knowledge == Knowledge::unsynced || found_.knowledge == Knowledge::unfenced || released)
    return Cure::none;
  return run_.cures().of(pair());
}

/// A plain read beside a compare-and-swap of the same word: whoever swaps has what was read checked, so an
/// old value costs another round and no more, as in the loops of NVIDIA's guide.
bool Check::looks_before_swap() const {
  const Site &own = access_.site, &other = site_at(found_.other);
  const auto swaps = [](const Site &s) {
    return s.action == Site::Action::atomic && s.atomic == static_cast<std::uint8_t>(AtomicKind::cas);
  };
  return !found_.narrow && ((swaps(own) && other.action == Site::Action::load) ||
                            (swaps(other) && own.action == Site::Action::load));
}

/// A plain load before an atomic that forms a bound: an old value costs an atomic that changes nothing.
bool Check::is_a_look_ahead() const {
  const Site &own = access_.site, &other = site_at(found_.other);
  return !found_.narrow &&
         ((own.looks_ahead && forms_a_bound(other)) || (other.looks_ahead && forms_a_bound(own)));
}

Code Check::code() const {
  if (!found_.protects) return Code::race;
  if (found_.locks) return Code::lock;
  const bool released = found_.knowledge != Knowledge::unfenced && found_.released_by != UINT32_MAX;
  const bool weak = released ? run_.order.global.has_weak_release(found_.released_by)
                             : run_.order.global.of(run_.context.warp).fenced_weakly;
  return weak && found_.order == Order::blocks ? Code::scope : Code::lock;
}

/// Of Thrust or CUB, whose author meant to synchronize: nobody who calls it can add the fence. Their functions in a kernel of
/// the user's own are as the user calls them.
bool Check::is_in_kernel_of_a_library() const {
  const std::string &kernel = run_.launch.launch.kernel;
  if (found_.knowledge == Knowledge::none ||
      !(kernel.starts_with("_ZN6thrust") || kernel.starts_with("_ZN3cub")))
    return false;
  const ptx::Module &module = *run_.program.module;
  return ptx::is_toolkit_code(module, access_.site.location) &&
         ptx::is_toolkit_code(module, site_at(found_.other).location);
}

void Check::report() {
  if (!found_.kind) return;
  if (!run_.launch.alone) {
    run_.launch.again.store(true);
    return;
  }
  const Cure cure = this->cure();
  const bool doubtful = found_.protects || found_.order == Order::lanes ||
                        found_.knowledge == Knowledge::unfenced || found_.knowledge == Knowledge::unsynced ||
                        looks_before_swap() || cure == Cure::same_new_value ||
                        (run_.launch.options.forgive_looks_ahead && is_a_look_ahead());
  const bool library = is_in_kernel_of_a_library();
  const Severity severity = found_.same_value || library ? Severity::info
                            : doubtful                   ? Severity::warning
                                                         : Severity::error;
  const std::uint64_t other_site = found_.other >> 12 & cell_sites;
  const std::uint64_t handle =
      std::uint64_t{1} << 63 | std::uint64_t{1} << 60 | static_cast<std::uint64_t>(severity) << 61 |
      (allocation_.begin >> 9 & 0x7FFFF) << 40 | std::uint64_t{access_.op.site} << 20 | other_site;
  const auto thread = static_cast<std::uint32_t>(found_.other & cell_thread);
  const std::uint32_t warps =
      run_.is_other_block(found_.other) ? 0 : 1u << run_.context.warp | 1u << (thread >> 5);
  if (run_.count_known(handle, code(), severity, warps)) return;
  Diagnostic made = run_.diagnostic(code(), severity, run_.here(access_.lane, access_.op), {});
  made.warps = warps;
  made.cure = cure;
  made.other = run_.side(thread >> 5, thread & 31, run_.line_of(site_at(found_.other).location));
  made.other->block = run_.block_at(found_.other);
  const bool several = made.other->block == made.here.block && made.other->thread == made.here.thread;
  made.buffer = allocation_.name;
  const std::uint64_t element = (access_.address - allocation_.begin) / access_.site.bytes;
  const std::string why = library              ? library_words
                          : cure == Cure::none ? advice()
                                               : run_.cures().words(cure, pair(), made, element);
  made.message = fmt::format("{} in {}, element {}: {}{}", found_.kind, allocation_.name, element,
                             several ? "others have accessed it too; " : "", why);
  if (!several && !library) made.message += run_.cures().order_words(pair(), made);
  run_.note(std::move(made), handle);
}

}  // namespace

void check_global(const LaneAccess &access, const Target &target, bool atomic, const std::byte *value) {
  if (!target.allocation) return;
  BlockRun &run = access.run;
  Watched *watched = run.watched(*target.allocation, access.store);
  Context &context = run.context;
  if (!watched || context.epoch_cell == UINT64_MAX) return;
  if (atomic || access.site.is_volatile) run.strengthen(*watched);
  const bool same_value = value && std::memcmp(value, target.host, access.bytes) == 0;
  const std::uint64_t at = access.address - target.allocation->begin;
  const std::uint32_t shift = context.global_shift;
  Check check(access, *target.allocation, atomic);
  for (std::uint64_t i = at >> shift; i <= (at + access.bytes - 1) >> shift; ++i) {
    watched->touch(i);
    check.look(*watched, i, same_value);
  }
  check.report();
}

void note_exchange(const LaneAccess &access) {
  constexpr std::size_t most_exchanged = 1 << 16;
  BlockRun &run = access.run;
  auto &exchanged = run.shared_shadow->exchanged;
  if (run.launch.options.check_races && exchanged.size() < most_exchanged)
    exchanged.emplace(access.address,
                      run.context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane);
}

}  // namespace warpgrade::simt
