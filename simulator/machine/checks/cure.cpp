#include "machine/checks/cure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "machine/device.hpp"
#include "machine/memory.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

bool is_atomic_site(const Site &site) {
  return site.action == Site::Action::atomic || site.action == Site::Action::reduce;
}

bool is_swap(const Site &site) {
  return site.action == Site::Action::atomic && site.atomic == static_cast<std::uint8_t>(AtomicKind::cas);
}

bool reads_plainly(const Site &site) {
  return site.action == Site::Action::load && !site.is_volatile;
}

/// What helps in one way, whatever the two threads are.
struct CureText {
  Cure cure;
  const char *text;
};
constexpr CureText cure_texts[] = {
    {Cure::scatter,
     "both threads write one element, at an index that was read from memory; if an index may occur twice, "
     "use "
     "an atomic"},
    {Cure::one_word,
     "several threads write different values to this one word; let one thread write it, or use an atomic"},
    {Cure::same_new_value,
     "every thread that writes the word in this launch writes the same value, and a reader sees the old "
     "value "
     "or that one; atomicCAS, or a second array for what is new, makes it exact"},
    {Cure::look_before_swap,
     "a plain read beside a compare-and-swap of the word; the swap checks what was read, so an old value "
     "costs another iteration of the loop; an atomic or volatile read makes it exact"},
    {Cure::look_ahead,
     "a plain read decides whether the atomic is needed, and the word may have changed since; read it with "
     "an "
     "atomic or as volatile, or call the atomic every time"},
    {Cure::between_blocks,
     "nothing orders the blocks of a launch: one reads what another one writes; read it in a second kernel, "
     "or "
     "write to a second array"},
    {Cure::both_atomic,
     "one of the two is atomic, the other is a plain access, and nothing orders the blocks of a launch; make "
     "both atomic"},
};

const char *text_for(Cure cure) {
  for (const CureText &one : cure_texts)
    if (one.cure == cure) return one.text;
  return "nothing orders the two accesses";
}

std::string triple(const Dim3 &d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

/// "blockIdx.x": the coordinates in which the blocks differ.
std::string differing(const Dim3 &a, const Dim3 &b) {
  std::vector<std::string> names;
  if (a.x != b.x) names.emplace_back("blockIdx.x");
  if (a.y != b.y) names.emplace_back("blockIdx.y");
  if (a.z != b.z) names.emplace_back("blockIdx.z");
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string same_element(const Diagnostic &made, std::uint64_t element, bool adds) {
  const Side &a = made.here, &b = *made.other;
  const char *const share = adds ? "; if each adds a part of its own, use atomicAdd" : "";
  if (a.block == b.block && a.thread == b.thread)
    return fmt::format("several threads compute the same element: index {} comes out for all of them{}",
                       element, share);
  if (!(a.block == b.block)) {
    if (a.thread == b.thread)
      return fmt::format(
          "two blocks compute the same element: its index is {} in both, although {} differs; use it in the "
          "index, or launch fewer blocks{}",
          element, differing(a.block, b.block), share);
    return fmt::format(
        "two blocks compute the same element: index {} comes out for thread {} of block {} and for thread {} "
        "of block {}; check what blockIdx is multiplied by{}",
        element, triple(a.thread), triple(a.block), triple(b.thread), triple(b.block), share);
  }
  return fmt::format(
      "two threads compute the same element: index {} comes out for thread {} and for thread {}; check how "
      "it "
      "is made of threadIdx, or launch fewer threads{}",
      element, triple(a.thread), triple(b.thread), share);
}

}  // namespace

std::string same_element_words(std::uint32_t warps, std::uint32_t of_block) {
  const auto count = static_cast<std::uint32_t>(std::popcount(warps));
  return fmt::format("{}{} warps compute the same elements", count < of_block ? "at least " : "", count);
}

Cures::Both Cures::find(const RacingPair &pair) {
  const auto in = [&](const ptx::Function &function) -> Both {
    std::unique_ptr<RaceText> &text = texts_[&function];
    if (!text) text = std::make_unique<RaceText>(function);
    const auto now = text->at(pair.now.text_line), before = text->at(pair.before.text_line);
    return now && before ? Both{text.get(), *now, *before} : Both{};
  };
  for (const ptx::Function &function : program_.module->functions)
    if (function.entry && program_.facts && function.name == program_.facts->name) return in(function);
  return {};
}

std::vector<std::size_t> Cures::locks_in(const RaceText &text) const {
  std::vector<std::size_t> locks;
  for (const Site &site : program_.sites)
    if (site.locks)
      if (const auto at = text.at(site.text_line)) locks.push_back(*at);
  return locks;
}

/// Whether two parameters of the kernel, or variables, may lead to one allocation.
bool Cures::may_be_one(const std::string &a, const std::string &b) const {
  const auto allocation = [&](const std::string &root) -> const Allocation * {
    const std::string name = root.substr(0, root.find('+'));
    for (const ptx::Parameter &parameter : program_.facts->parameters) {
      if (parameter.name != name || parameter.size != 8) continue;
      Address value = 0;
      if (parameter.offset + sizeof value > launch_.arguments.size()) return nullptr;
      std::memcpy(&value, launch_.arguments.data() + parameter.offset, sizeof value);
      return memory_.find(value, value + 1);
    }
    return nullptr;
  };
  const Allocation *const first = allocation(a), *const second = allocation(b);
  return !first || !second || first == second;
}

Cure Cures::of(const RacingPair &pair) {
  const auto index = [&](const Site &site) {
    return static_cast<std::uint64_t>(&site - program_.sites.data());
  };
  const std::uint64_t key = index(pair.now) << 34 | index(pair.before) << 4 |
                            static_cast<std::uint64_t>(pair.order) << 1 | pair.shared;
  const auto [known, fresh] = known_.try_emplace(key, Cure::none);
  if (fresh) known->second = decide(pair);
  return known->second;
}

Cure Cures::decide(const RacingPair &pair) {
  const Both both = find(pair);
  if (is_atomic_site(pair.now) == is_atomic_site(pair.before)) return decide_plain(pair, both);
  const Site &atomic = is_atomic_site(pair.now) ? pair.now : pair.before,
             &other = is_atomic_site(pair.now) ? pair.before : pair.now;
  if (is_swap(atomic) && reads_plainly(other)) return Cure::look_before_swap;
  if (other.looks_ahead && forms_a_bound(atomic)) return Cure::look_ahead;
  if (pair.order == Order::lanes) return Cure::syncwarp;
  return pair.order == Order::warps ? Cure::barrier_or_atomic : Cure::both_atomic;
}

/// Accesses of which at least one is under a lock.
Cure Cures::decide_locks(const Both &both) const {
  const RaceText &text = *both.text;
  const std::vector<std::size_t> locks = locks_in(text);
  const auto now = text.lock_around(both.now, locks), before = text.lock_around(both.before, locks);
  if (now && before)
    return text.is_fenced(both.now, *now) && text.is_fenced(both.before, *before) ? Cure::one_lock
                                                                                  : Cure::lock_fences;
  if (!now && !before) return Cure::none;
  const bool certain = now ? text.is_under(both.now, *now) : text.is_under(both.before, *before);
  return certain ? Cure::one_lock : Cure::none;
}

Cure Cures::decide_plain(const RacingPair &pair, const Both &both) {
  const Cure by_order = pair.order == Order::blocks  ? Cure::between_blocks
                        : pair.order == Order::warps ? Cure::barrier
                                                     : Cure::syncwarp;
  if (!both.text) return by_order;
  const RaceText &text = *both.text;
  if (const Cure of_locks = decide_locks(both); of_locks != Cure::none) return of_locks;
  const bool stores = pair.now.action == Site::Action::store && pair.before.action == Site::Action::store;
  const bool by_data = text.index_by_data(both.now) && text.index_by_data(both.before);
  const bool by_threads = text.index_by_threads(both.now) && text.index_by_threads(both.before);
  const bool same = text.same_formula(both.now, both.before);
  const bool change =
      same && text.change_of(both.now) != Change::none && text.change_of(both.before) != Change::none;
  const auto line = [&](const Site &site) { return ptx::source_line(*program_.module, site.location).line; };
  // Lanes that take turns at a word, one reading where another has stored, lack a __syncwarp().
  const bool in_turn = pair.order == Order::lanes && line(pair.now) != line(pair.before);
  if (change && !in_turn && (by_data || !by_threads)) return Cure::atomic_update;
  if (!stores && !pair.shared && pair.now.action != pair.before.action) {
    const bool now_stores = pair.now.action == Site::Action::store;
    if (text.stores_one_value(now_stores ? both.now : both.before, now_stores ? both.before : both.now,
                              [&](const std::string &a, const std::string &b) { return may_be_one(a, b); }))
      return Cure::same_new_value;
  }
  const bool rounds = text.index_by_loop(both.now) && !change && pair.order != Order::blocks;
  // A lane that reads what another one stores shares an element with it intentionally.
  const bool handed_over = pair.order == Order::lanes && !stores && !change;
  if (same && by_threads && !by_data && !rounds && !handed_over) return Cure::same_element;
  if (stores && by_data) return Cure::scatter;
  if (stores && same && !by_threads && !by_data && !rounds) return Cure::one_word;
  return by_order;
}

/// "line 12", or with its file if that is not the finding's.
std::string Cures::place(std::int32_t location, const Diagnostic &made) const {
  const SourceLine at = ptx::source_line(*program_.module, location);
  if (at.line == 0) return {};
  return at.file == made.here.at.file ? fmt::format("line {}", at.line)
                                      : fmt::format("{}:{}", at.file, at.line);
}

/// Between which two lines a barrier has to be.
std::string Cures::barrier_words(const RacingPair &pair, const Diagnostic &made) {
  const bool lanes = pair.order == Order::lanes;
  const char *const call = lanes ? "__syncwarp()" : "__syncthreads()";
  const auto stop = lanes ? RaceText::Stop::syncwarp : RaceText::Stop::barrier;
  const Both both = find(pair);
  const std::string now = place(pair.now.location, made), before = place(pair.before.location, made);
  if (!both.text || now.empty() || before.empty())
    return fmt::format("put a {} between the two accesses", call);
  const bool onwards = both.text->reaches(both.before, both.now, stop),
             back = both.text->reaches(both.now, both.before, stop);
  if (now == before) {
    if (both.now == both.before || !(onwards || back))
      return fmt::format("let the threads meet at a {} between their turns in {}", call, now);
    return fmt::format("in {}, read into a variable first, then put a {} before the write{}", now, call,
                       onwards && back ? ", and another one after it, in the loop" : "");
  }
  if (!onwards && !back)
    return fmt::format("let all threads pass a {} after {} and before {}", call, before, now);
  const bool in_order = made.other && made.other->at.line < made.here.at.line;
  const std::string &first = onwards && back ? (in_order ? before : now) : onwards ? before : now;
  const std::string &second = &first == &before ? now : before;
  const bool next_round = (&first == &before) != in_order;
  return fmt::format("put a {} between {} and {}{}", call, first, second,
                     onwards && back ? ", and another one before the next round of the loop"
                     : next_round    ? " of the next round of the loop"
                                     : "");
}

std::string Cures::order_words(const RacingPair &pair, const Diagnostic &made) {
  const Both both = find(pair);
  if (!both.text) return {};
  const RaceText &text = *both.text;
  const ptx::Module &module = *program_.module;
  const auto where = [&](std::size_t i) { return ptx::user_location(module, text.location_of(i)); };
  const auto line = [&](std::size_t i) { return module.locations[static_cast<std::size_t>(where(i))].line; };
  // Lines compare only within one function of the source.
  const auto together = [&](std::size_t a, std::size_t b) {
    if (where(a) < 0 || where(b) < 0) return false;
    const ptx::Location &first = module.locations[static_cast<std::size_t>(where(a))],
                        &second = module.locations[static_cast<std::size_t>(where(b))];
    return first.file == second.file && first.inlined_at == second.inlined_at;
  };
  if (!together(both.now, both.before) || line(both.now) == line(both.before)) return {};
  const bool in_order = line(both.before) < line(both.now);
  const std::size_t upper = in_order ? both.before : both.now, lower = in_order ? both.now : both.before;
  const auto word = [&](std::size_t i) { return place(text.location_of(i), made); };
  // In an unrolled loop a line comes several times, and a later one may well stand before an earlier one. There, a barrier
  // between two lines may also be the one of the round before.
  const auto is_single = [&](std::size_t access) {
    const std::vector<std::size_t> all = text.like(access);
    return std::count_if(all.begin(), all.end(),
                         [&](std::size_t i) { return together(i, access) && line(i) == line(access); }) == 1;
  };
  if (!is_single(upper) || !is_single(lower)) return {};
  if (pair.order != Order::blocks && text.reaches(upper, lower, RaceText::Stop::barrier))
    for (const std::size_t access : {upper, lower})
      for (const std::size_t barrier : text.barriers_beside(access)) {
        const bool behind = access == upper ? barrier < access : barrier > access;
        if (!behind || !together(barrier, access) || line(barrier) <= line(upper) ||
            line(barrier) >= line(lower))
          continue;
        return fmt::format(
            "; the source has a barrier in {} between the two, but in the PTX the compiler has put {} {} it, "
            "as it may with "
            "memory that it takes for constant or for that of one thread",
            word(barrier), word(access), access == upper ? "behind" : "before");
      }
  // An assignment over several lines loads before it stores.
  if (lower < upper && text.in_straight_line(lower, upper) && !text.is_stored_by(lower, upper))
    return fmt::format("; in the PTX the compiler has put {} before {}", word(lower), word(upper));
  return {};
}

std::string Cures::lock_words(const RacingPair &pair, const Diagnostic &made) {
  const Both both = find(pair);
  const char *const fence = pair.shared ? "__threadfence_block()" : "__threadfence()";
  const auto lock = both.text ? both.text->lock_around(both.now, locks_in(*both.text)) : std::nullopt;
  if (!lock) return fmt::format("the lock needs a {} after taking it and before giving it back", fence);
  const std::string taken = place(both.text->location_of(lock->first), made),
                    given = place(both.text->location_of(lock->second), made);
  if (taken.empty() || given.empty())
    return fmt::format("the lock needs a {} after taking it and before giving it back", fence);
  const bool after = both.text->has_fence_between(lock->first, both.now),
             before = both.text->has_fence_between(both.now, lock->second);
  return fmt::format("the lock orders nothing without fences: a {} is missing {}", fence,
                     after == before
                         ? fmt::format("after taking it in {} and before giving it back in {}", taken, given)
                     : after ? fmt::format("before giving it back in {}", given)
                             : fmt::format("after taking it in {}", taken));
}

/// Which lock each of two threads has taken.
std::string Cures::one_lock_words(const RacingPair &pair, const Diagnostic &made) {
  const Both both = find(pair);
  if (!both.text) return "the two threads do not hold the same lock";
  const std::vector<std::size_t> locks = locks_in(*both.text);
  const auto now = both.text->lock_around(both.now, locks),
             before = both.text->lock_around(both.before, locks);
  const auto taken = [&](const auto &lock) { return place(both.text->location_of(lock->first), made); };
  if (now && before) {
    const std::string first = taken(now), second = taken(before);
    return first == second
               ? fmt::format(
                     "both threads take a lock in {}, but not the same word: one lock must protect it", first)
               : fmt::format(
                     "this thread takes a lock in {} and the other one in {}, but not the same word: one "
                     "lock must protect it",
                     first, second);
  }
  const std::int32_t bare = now ? pair.before.location : pair.now.location;
  return fmt::format("{} holds the lock acquired in {}, and {} holds none; take that lock before {} too",
                     now ? "this thread" : "the other thread", taken(now ? now : before),
                     now ? "the other one" : "this one", place(bare, made));
}

std::string Cures::change_words(const RacingPair &pair) {
  const Both both = find(pair);
  const Change change = both.text ? both.text->change_of(both.now) : Change::other;
  constexpr const char *lost =
      "both threads read the word, change it and store it, so one change can get lost; ";
  switch (change) {
    case Change::add:
      return "both threads read the word, add to it and store it, so one addition can get lost; use "
             "atomicAdd";
    case Change::bound:
      return std::string(lost) + "use atomicMin or atomicMax";
    case Change::bits:
      return std::string(lost) + "use atomicAnd, atomicOr or atomicXor";
    default:
      return std::string(lost) + "use an atomic, such as atomicAdd, or a loop with atomicCAS";
  }
}

std::string Cures::words(Cure cure, const RacingPair &pair, const Diagnostic &made, std::uint64_t element) {
  switch (cure) {
    case Cure::atomic_update:
      return change_words(pair);
    case Cure::same_element: {
      const Both both = find(pair);
      return made.other ? same_element(made, element, both.text->change_of(both.now) == Change::add)
                        : "two threads compute the same element";
    }
    case Cure::barrier:
      return "no barrier is between the two accesses; " + barrier_words(pair, made);
    case Cure::barrier_or_atomic:
      return fmt::format(
          "one of the two is atomic, the other is a plain access, and no barrier is between them; {}, or "
          "make "
          "both atomic",
          barrier_words(pair, made));
    case Cure::syncwarp:
      return "lanes of one warp do not run in lock step; " + barrier_words(pair, made);
    case Cure::lock_fences:
      return lock_words(pair, made);
    case Cure::one_lock:
      return one_lock_words(pair, made);
    default:
      return text_for(cure);
  }
}

void tell_syncwarps_once(std::vector<Diagnostic> &diagnostics) {
  constexpr std::size_t most_places = 3, most_lines = 12;
  const auto is_one = [](const Diagnostic &made) {
    return made.cure == Cure::syncwarp && made.severity == Severity::warning;
  };
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_one);
  const auto places = static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(), is_one));
  if (places <= most_places) return;
  std::set<std::pair<std::string, int>> lines;
  for (auto one = first + 1; one != diagnostics.end(); ++one)
    if (is_one(*one)) {
      lines.emplace(one->here.at.file, one->here.at.line);
      first->count += one->count;
    }
  std::string text;
  for (const auto &[file, line] : lines)
    if (lines.size() <= most_lines && line != 0)
      text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", file, line);
  first->message += fmt::format("; {} other places of the kernel lack a __syncwarp() in the same way{}",
                                places - 1, text.empty() ? "" : " (" + text + ")");
  diagnostics.erase(std::remove_if(first + 1, diagnostics.end(), is_one), diagnostics.end());
}

}  // namespace warpgrade::simt
