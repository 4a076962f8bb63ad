// What a lane pattern costs: sectors of global memory, wavefronts of shared memory.
#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>

#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

/// Whether every active lane accesses the address of the lane `distance` away, if that one is active.
bool pairs_agree(const std::uint64_t *offsets, std::uint32_t mask, std::uint32_t distance) {
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest), partner = lane ^ distance;
    if ((mask >> partner & 1) && offsets[lane] != offsets[partner]) return false;
  }
  return true;
}

/// Most distinct words in one bank among lanes [begin, end).
std::uint32_t wavefronts_of_phase(const std::uint64_t *offsets, std::uint32_t mask, std::uint32_t begin,
                                  std::uint32_t end, std::uint32_t words) {
  std::uint64_t
      seen[32][32];  // by bank; a phase accesses at most 32 lanes x 1 word, 16 x 2, 8 x 4, or twice that
  std::uint32_t count[32] = {};
  std::uint32_t most = 0;
  for (std::uint32_t lane = begin; lane < end; ++lane) {
    if (!(mask >> lane & 1)) continue;
    for (std::uint32_t k = 0; k < words; ++k) {
      const std::uint64_t word = offsets[lane] / 4 + k;
      const std::uint32_t bank = word & 31;
      const auto *first = seen[bank];
      if (std::find(first, first + count[bank], word) != first + count[bank]) continue;
      if (count[bank] < 32) seen[bank][count[bank]++] = word;
      most = std::max(most, count[bank]);
    }
  }
  return most;
}

}  // namespace

Wavefronts count_wavefronts(const std::uint64_t *offsets, std::uint32_t mask, std::uint32_t bytes,
                            bool store) {
  const std::uint32_t words = std::max(1u, bytes / 4);
  std::uint32_t phases = words;
  if (!store && phases > 1 && (pairs_agree(offsets, mask, 1) || pairs_agree(offsets, mask, 2))) phases /= 2;
  Wavefronts total;
  const std::uint32_t lanes = 32 / phases;
  for (std::uint32_t begin = 0; begin < 32; begin += lanes) {
    const std::uint32_t wavefronts = wavefronts_of_phase(offsets, mask, begin, begin + lanes, words);
    if (wavefronts == 0) continue;
    total.wavefronts += wavefronts;
    total.conflicts += wavefronts - 1;
  }
  return total;
}

Wavefronts count_compiled(const Site &site, const std::uint64_t *offsets, std::uint32_t mask) {
  if (site.merged == 0) return {};
  return count_wavefronts(offsets, mask, std::uint32_t{site.bytes} * site.elements * site.merged,
                          site.action == Site::Action::store);
}

std::uint32_t count_used(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes) {
  std::uint64_t starts[32];
  std::uint32_t count = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) starts[count++] = addresses[first_lane(rest)];
  std::sort(starts, starts + count);
  return static_cast<std::uint32_t>(std::unique(starts, starts + count) - starts) * bytes;
}

std::uint32_t count_sectors(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes) {
  std::uint64_t sectors[64];
  std::uint32_t count = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t address = addresses[first_lane(rest)];
    sectors[count++] = address >> 5;
    const std::uint64_t last = (address + bytes - 1) >> 5;
    if (last != address >> 5) sectors[count++] = last;
  }
  std::sort(sectors, sectors + count);
  return static_cast<std::uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

GlobalTraffic global_traffic(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes) {
  const std::uint64_t used = count_used(addresses, mask, bytes);
  return {1, count_sectors(addresses, mask, bytes), std::uint64_t{bytes} * lanes_in(mask), used,
          (used + 31) / 32};
}

void learn_pattern(const Op &op, Context &context, const std::uint64_t *addresses) {
  context.run->forget_pattern(op.pattern);
  Pattern &state = context.patterns[op.pattern];
  const Site &site = site_of(op, context);
  const std::uint32_t mask = context.mask;
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements;
  const std::uint64_t first = addresses[first_lane(mask)];
  const std::uint64_t wrap = site.wide_address ? UINT64_MAX : UINT32_MAX;
  std::uint64_t low = UINT64_MAX, high = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    state.delta[lane] = (addresses[lane] - first) & wrap;
    state.narrow_delta[lane] = static_cast<std::uint32_t>(state.delta[lane]);
    if (!(mask >> lane & 1)) continue;
    low = std::min(low, addresses[lane]);
    high = std::max(high, addresses[lane]);
  }
  state.mask = mask;
  state.min_delta = (low - first) & wrap;
  state.bytes = bytes * lanes_in(mask);
  state.used_bytes = count_used(addresses, mask, bytes);
  state.words = 0;
  state.duplicates = false;
  if (high - low >= 1ull << 31) {  // never on the fast path
    state.span = UINT64_MAX;
    state.halves = state.uniform_halves = state.contiguous = false;
    state.seen_shift = 0;
    state.shape = Pattern::Shape::general;
    return;
  }
  state.span = high - low + bytes;
  state.low_bits = 0;
  bool uniform = true, consecutive = true;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    state.offset[lane] = 0;
    if (!(mask >> lane & 1)) continue;
    const auto offset = static_cast<std::uint32_t>(addresses[lane] - low);
    state.offset[lane] = offset;
    state.low_bits |= offset;
    uniform &= offset == 0;
    consecutive &= offset == lane * bytes;
  }
  state.shape = uniform       ? Pattern::Shape::uniform
                : consecutive ? Pattern::Shape::consecutive
                              : Pattern::Shape::general;
  state.halves = mask == full_mask && std::memcmp(state.offset, state.offset + 16, 64) == 0;
  state.contiguous = uniform || (consecutive && (mask & (mask + 1)) == 0);
  using Fetch = Pattern::Fetch;
  state.fetch = mask != full_mask ? Fetch::by_lane
                : uniform         ? Fetch::uniform
                : consecutive     ? Fetch::consecutive
                                  : Fetch::gather;
  // If all offsets are whole sectors, the same sectors are accessed from any place in a sector.
  state.seen_shift = static_cast<std::uint8_t>((state.low_bits & 31) == 0 ? 5 : std::countr_zero(bytes));
  state.uniform_halves = mask == full_mask;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    state.uniform_halves = state.uniform_halves && state.offset[lane] == state.offset[lane & 16];
  if (site.space != ptx::Space::shared) return;
  const Wavefronts cost = count_wavefronts(addresses, mask, bytes, site.action == Site::Action::store);
  state.wavefronts = cost.wavefronts;
  state.conflicts = cost.conflicts;
  const Wavefronts compiled = count_compiled(site, addresses, mask);
  state.compiled_wavefronts = compiled.wavefronts;
  state.compiled_conflicts = compiled.conflicts;
  learn_words(state, site);
}

void learn_words(Pattern &state, const Site &site) {
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements, unit = std::min(bytes, 4u);
  state.words = 0;
  for (std::uint32_t rest = state.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    for (std::uint32_t k = 0; k < bytes / unit; ++k) {
      const std::uint32_t word = state.offset[lane] / unit + k;
      PatternWord *const end = state.word + state.words;
      PatternWord *const known =
          std::find_if(state.word, end, [&](const PatternWord &w) { return w.word == word; });
      if (known == end) {
        *end = {word, static_cast<std::uint8_t>(lane), 0, false}, ++state.words;
        continue;
      }
      known->many = state.duplicates = true;
      known->other = static_cast<std::uint8_t>(lane);
    }
  }
}

std::uint32_t count_sectors(const Pattern &state, const Site &site, std::uint32_t phase) {
  std::uint64_t addresses[32];
  for (int lane = 0; lane < 32; ++lane) addresses[lane] = std::uint64_t{phase} + state.offset[lane];
  return count_sectors(addresses, state.mask, std::uint32_t{site.bytes} * site.elements);
}

void widen_sectors(SiteState &state, Context &context, std::uint64_t low, std::uint64_t high) {
  context.run->tally().widen(state, low, high);
}

// A pattern that is not used this often was not worth learning; after so many of them in a row, the next ones
// are not learned, but now and then one is.
constexpr std::uint64_t worth_learning = 4;
constexpr std::uint32_t most_strays = 4, requests_until_next_try = 64;

bool goes_scattered(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  std::uint64_t uses = 0;
  for (const std::uint64_t some : state.uses) uses += some;
  if (uses >= worth_learning) {
    state.strays = 0;
    return false;
  }
  if (state.strays < most_strays) {
    ++state.strays;
    return false;
  }
  if (++state.since_learned >= requests_until_next_try) {
    state.since_learned = 0;
    return false;
  }
  Pattern &pattern = context.patterns[op.pattern];
  if (pattern.mask != 0 && context.run->program.patterns[op.pattern].size() > 1) {
    context.run->forget_pattern(op.pattern);  // those that follow must not rely on it
    pattern.mask = 0;
  }
  return true;
}

void count_scattered_phases(const Op &op, Context &context, std::uint64_t low) {
  const Site &site = site_of(op, context);
  const Pattern &pattern = *context.scattered;
  std::uint64_t offsets[32];
  for (int lane = 0; lane < 32; ++lane) offsets[lane] = low + pattern.offset[lane];
  const Wavefronts cost =
      count_wavefronts(offsets, pattern.mask, bytes_of(site), site.action == Site::Action::store);
  const Wavefronts compiled = count_compiled(site, offsets, pattern.mask);
  ScatteredUses &uses = context.sites[op.site].scattered;
  uses.cost += cost.wavefronts;
  uses.conflicts += cost.conflicts;
  uses.compiled_cost += compiled.wavefronts;
  uses.compiled_conflicts += compiled.conflicts;
}

void see_sectors(SiteState &state, Context &context, std::uint64_t low) {
  context.run->tally().see(state, low);
}

const Site &site_of(const Op &op, Context &context) {
  return context.run->program.sites[op.site];
}

bool find_range(SiteState &state, const Site &site, Context &context, std::uint64_t low, std::uint64_t high) {
  if (high < low) return false;
  BlockRun &run = *context.run;
  if (site.space == ptx::Space::shared) {
    for (const SharedVariable &variable : run.shared.variables())
      if (low >= variable.begin && high <= std::uint64_t{variable.begin} + variable.bytes) {
        state.begin = variable.begin;
        state.end = std::uint64_t{variable.begin} + variable.bytes;
        state.range = run.shared.range_of(variable);
        run.tally().begin_buffer(state, variable);
        return true;
      }
    return false;
  }
  const Allocation *found = run.launch.memory->find(low, high);
  const bool store = site.action == Site::Action::store;
  if (!found || !found->live || (store && !found->writable) || !run.launch.reaches(*found)) return false;
  // First, because an allocation that is watched from now on makes every site forget its range.
  Watched *const watched = run.watched(*found, store);
  // A strong load may acquire another thread's work, unless no thread writes there.
  if (site.is_volatile && run.order.global.tracked() && run.may_be_written(*found)) return false;
  state.begin = found->begin;
  state.end = found->end();
  state.host = found->data.get();
  state.watch_writers = watched ? watched->writers.get() : nullptr;
  state.watch_readers = watched ? watched->readers.get() : nullptr;
  state.watch_earlier = watched ? watched->earlier.get() : nullptr;
  state.watch_strong = watched ? watched->strong.get() : nullptr;
  state.watch_strong_readers = watched ? watched->strong_readers.get() : nullptr;
  state.watch_touched = watched ? watched->touched.data() : nullptr;
  state.written = run.launch.options.check_initialized ? found->valid.get() : nullptr;
  state.careful = watched || state.written;
  run.tally().begin_buffer(state, *found);
  return true;
}

}  // namespace warpgrade::simt
