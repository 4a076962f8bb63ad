#include "explain/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "explain/padding.hpp"

namespace warpgrade::explain {

namespace {

// Below these nothing is said: advice on what hardly costs anything hides the advice that matters.
constexpr double always_mention = 2;    // times the ideal: a mistake to be learned from, wherever it is
constexpr double worth_mention = 0.02;  // of all traffic
constexpr double much_traffic = 0.2;    // of all traffic
constexpr double much_reloading = 4;    // times that a sector is loaded
constexpr double many_reads_an_fma = 0.75;
constexpr double most_reads_an_fma =
    2.5;  // above it, the products are of another type, or this is not a matrix product
constexpr double few_outputs = 4;
constexpr double few_lanes = 0.6;
constexpr std::int64_t bytes_of_all_banks = 128;

using simt::per;

/// "32", "16.5"
std::string number(double v) {
  std::string text = fmt::format("{:.1f}", v);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string plural(std::string_view count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == "1" ? "" : "s");
}

/// The distance between neighbouring lanes, where it is the same for all of them.
std::optional<std::int64_t> stride(const simt::LaneSample &sample) {
  std::optional<std::int64_t> found;
  for (std::size_t lane = 1; lane < 32; ++lane) {
    if ((sample.mask >> (lane - 1) & 3) != 3) continue;  // this lane or the one before it is not active
    const std::int64_t distance = sample.offsets[lane] - sample.offsets[lane - 1];
    if (found && *found != distance) return std::nullopt;
    found = distance;
  }
  return found;
}

std::string buffer_of(const Access &access, std::string_view otherwise) {
  return access.key.buffer.empty() ? std::string(otherwise) : access.key.buffer;
}

/// How far neighbouring lanes are apart in a pattern that is not a plain stride: "mostly 1024", "up to 7712".
std::string usual_distance(const simt::LaneSample &sample) {
  std::map<std::int64_t, int> often;
  int all = 0;
  for (std::size_t lane = 1; lane < 32; ++lane)
    if ((sample.mask >> lane & 1) && (sample.mask >> (lane - 1) & 1))
      ++often[std::abs(sample.offsets[lane] - sample.offsets[lane - 1])], ++all;
  for (const auto &[jump, times] : often)
    if (jump > sample.bytes && 2 * times >= all) return fmt::format("mostly {}", jump);
  return fmt::format("up to {}", often.empty() ? 0 : often.rbegin()->first);
}

/// The shortest jump between neighbouring lanes that do not ask for the same.
std::int64_t nearest_jump(const simt::LaneSample &sample) {
  std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t lane = 1; lane < 32; ++lane) {
    if (!(sample.mask >> lane & 1) || !(sample.mask >> (lane - 1) & 1)) continue;
    const std::int64_t jump = std::abs(sample.offsets[lane] - sample.offsets[lane - 1]);
    if (jump != 0) nearest = std::min(nearest, jump);
  }
  return nearest;
}

/// verb: "load from"
std::string distance(const Access &access, std::string_view verb, const std::string &buffer) {
  if (!access.sample) return fmt::format("the lanes of a warp {} {} far apart", verb, buffer);
  if (const auto apart = stride(*access.sample))
    return fmt::format("neighbouring lanes {} {} {} bytes apart", verb, buffer, std::abs(*apart));
  return fmt::format("neighbouring lanes {} {} {} bytes apart", verb, buffer, usual_distance(*access.sample));
}

bool neighbours(const Access &access) {
  if (!access.sample) return false;
  const auto apart = stride(*access.sample);
  return apart && std::abs(*apart) == static_cast<std::int64_t>(access.key.bytes);
}

/// `copies`: the line copies to shared memory. `both`: it loads from and stores to the same places.
Advice uncoalesced(const Access &access, bool copies, bool both, bool may_use_shared) {
  const simt::GlobalTraffic &t = access.counts.global;
  const std::string sectors = number(per(t.sectors, t.requests)),
                    ideal = number(per(t.ideal_sectors, t.requests));
  const std::string buffer = buffer_of(access, "global memory");
  const std::string cost =
      fmt::format("a request touches {} where {} would do", plural(sectors, "sector"), ideal);
  if (neighbours(access))
    return {Pattern::alignment,
            fmt::format("Coalesced, but not aligned: the lanes {} neighbours in {}, beginning in the middle "
                        "of a sector, so {}. "
                        "Rows with a multiple of 8 floats begin at sector boundaries.",
                        access.key.store ? "store to" : "load", buffer, cost)};
  if (access.key.store)
    return {Pattern::coalescing,
            fmt::format(
                "Not coalesced: {}, so {}. Let threadIdx.x run along the rows of {}, so that neighbouring "
                "lanes store to neighbouring places.",
                distance(access, both ? "load from and store to" : "store to", buffer), cost, buffer)};
  if (copies)
    return {
        Pattern::corner_turning,
        fmt::format("Not coalesced: {}, so {}. Corner turning: let neighbouring lanes load neighbours in {} "
                    "when they copy to shared memory, and turn rows into columns there.",
                    distance(access, "load from", buffer), cost, buffer)};
  return {
      Pattern::coalescing,
      fmt::format(
          "Not coalesced: {}, so {}. Let threadIdx.x run along the rows of the result, so that "
          "neighbouring lanes load neighbours or all the same element{}.",
          distance(access, "load from", buffer), cost,
          may_use_shared ? "; if another order is needed, use corner turning through shared memory" : "")};
}

/// With the result that it would have.
std::string pad(const std::string &cost, const Padding &p) {
  const std::int64_t more = p.more_bytes / 4;
  return fmt::format(
      "{} Padding: {} (rows of {} words instead of {}), it would take {}; or let neighbouring "
      "lanes take neighbouring words.",
      cost,
      more == 1 ? "with one more column"
                : fmt::format("with {} more words in each row, so that vectors stay aligned", more),
      (p.row_bytes + p.more_bytes) / 4, p.row_bytes / 4, p.wavefronts);
}

Advice conflicting(const Access &access, const Whole &whole) {
  const simt::SharedTraffic &t = access.counts.shared;
  const std::string wavefronts = number(per(t.wavefronts, t.requests)),
                    ideal = number(per(t.wavefronts - t.conflicts, t.requests));
  const std::string buffer = buffer_of(access, "shared memory");
  std::string where = fmt::format("lanes of a warp {} different words of {} in one bank",
                                  access.key.store ? "store to" : "read", buffer);
  const auto apart = access.sample ? stride(*access.sample) : std::nullopt;
  if (apart && *apart % 4 == 0)
    where = fmt::format("neighbouring lanes {} {} {} words apart, which puts {}",
                        access.key.store ? "store to" : "read", buffer, std::abs(*apart) / 4,
                        *apart % 128 == 0 ? "all of them in one bank" : "several of them in one bank");
  const std::string cost = fmt::format("Bank conflicts: {}, so a request takes {} where {} would do.", where,
                                       plural(wavefronts, "wavefront"), ideal);
  const std::optional<Padding> padding = try_padding(access, whole.accesses, whole.bounds);
  if (padding && padding->helps && padding->declared) return {Pattern::padding, pad(cost, *padding)};
  const std::int64_t nearest = access.sample ? nearest_jump(*access.sample) : 0;
  const auto bytes = static_cast<std::int64_t>(access.key.bytes);
  const char *const unit = bytes > 4 ? "vectors" : "words";
  if (nearest == 2 * bytes ||
      (nearest == 4 * bytes && nearest < bytes_of_all_banks))  // padding is no cure there
    return {Pattern::padding,
            fmt::format("{} Let neighbouring lanes take neighbouring {}: not {} in a row for each thread, "
                        "but every n-th.",
                        cost, unit, nearest / bytes)};
  if (nearest > 4 && nearest / 4 % 2 == 1)
    return {
        Pattern::padding,
        fmt::format("{} The rows are padded, but a warp covers several of them: let neighbouring lanes take "
                    "neighbouring words, or make the tile as wide as a warp.",
                    cost)};
  if (padding && padding->helps) return {Pattern::padding, pad(cost, *padding)};
  std::string no_use;
  if (padding && padding->declared)
    no_use = fmt::format(" Padding does not help: with rows of {} words instead of {}, it would take {}.",
                         (padding->row_bytes + padding->more_bytes) / 4, padding->row_bytes / 4,
                         padding->wavefronts);
  return {Pattern::padding,
          fmt::format("{} Let neighbouring lanes take neighbouring {}.{}", cost, unit, no_use)};
}

bool worth_saying(double times_ideal, const Access &access, const Whole &whole) {
  return times_ideal >= always_mention ||
         (times_ideal >= 1.2 && per(access.wasted_bytes, whole.moved_bytes) >= worth_mention);
}

/// The store of a line that also loads from the same places: C = ... + C.
const Access *store_there(const Line &line, const Access &load) {
  for (const Access &access : line.accesses)
    if (access.key.store && !load.key.store && access.key.space == load.key.space &&
        !load.key.buffer.empty() && access.key.buffer == load.key.buffer &&
        access.key.bytes == load.key.bytes && access.sample && load.sample &&
        access.sample->offsets == load.sample->offsets)
      return &access;
  return nullptr;
}

void advise_on_global(Line &line, const Whole &whole) {
  const bool copies = line.counts.shared_store.requests > 0;
  for (const Access &access : line.accesses) {
    const simt::GlobalTraffic &t = access.counts.global;
    if (access.key.space != ptx::Space::global || t.requests == 0) continue;
    // A warp that spans two rows needs a sector of each, however few bytes it reads there.
    const bool few = per(t.sectors, t.requests) < per(t.ideal_sectors, t.requests) + 2;
    if ((few && !neighbours(access)) || !worth_saying(per(t.sectors, t.ideal_sectors), access, whole))
      continue;
    if (store_there(line, access)) continue;  // said of the store
    const bool both = std::any_of(line.accesses.begin(), line.accesses.end(),
                                  [&](const Access &load) { return store_there(line, load) == &access; });
    line.advice.push_back(uncoalesced(access, copies, both, whole.bounds.may_use_shared));
  }
}

void advise_on_reloading(Line &line, const Whole &whole) {
  const simt::Counters &c = whole.counters;
  if (c.unique_sectors.loaded == 0) return;
  // In sectors as they would be if every request were coalesced: waste is another matter.
  const double times = per(c.global_load.ideal_sectors, c.unique_sectors.loaded);
  const double mine = per(32 * line.counts.global_load.ideal_sectors, whole.moved_bytes);
  if (times < much_reloading || mine < much_traffic) return;
  if (c.shared_load.requests == 0) {
    if (!whole.bounds.may_use_shared) return;
    line.advice.push_back(
        {Pattern::tiling,
         fmt::format("The launch loads each sector of global memory {} times on average. Tiling: let a "
                     "block copy a tile to shared "
                     "memory once, and use each number there as often as the tile is wide.",
                     number(times))});
  } else if (whole.outputs_per_thread < few_outputs) {
    line.advice.push_back(
        {Pattern::coarsening,
         fmt::format("The launch loads each sector of global memory {} times on average. Larger "
                     "tiles load less; coarsening, that is "
                     "several results a thread, makes room for them.",
                     number(times))});
  }
}

void advise_on_shared(Line &line, const Whole &whole) {
  for (const Access &access : line.accesses) {
    if (access.key.space != ptx::Space::shared || access.counts.shared.conflicts == 0) continue;
    const simt::SharedTraffic &t = access.counts.shared;
    if (worth_saying(per(t.wavefronts, t.wavefronts - t.conflicts), access, whole))
      line.advice.push_back(conflicting(access, whole));
  }
  const simt::Counters &c = whole.counters;
  const double reads = per(c.shared_load.bytes / 4, c.fp32_fma);
  const double mine = per(128 * line.counts.shared_load.wavefronts, whole.moved_bytes);
  if (reads > many_reads_an_fma && reads <= most_reads_an_fma && mine >= much_traffic &&
      whole.outputs_per_thread < few_outputs)
    line.advice.push_back(
        {Pattern::coarsening,
         fmt::format(
             "Each multiply-add fetches {} from shared memory. Coarsening: let a thread compute several "
             "results, and keep the factors that they share in registers.",
             plural(number(reads), "number"))});
}

void advise_on_work(Line &line, const Whole &whole) {
  const simt::LineCounters &c = line.counts;
  if (c.local_accesses > 0)
    line.advice.push_back(
        {Pattern::local_memory,
         fmt::format("{} accesses of warps to local memory, which is as far away as global memory. Index "
                     "small arrays "
                     "with constants only (in unrolled loops), so that they become registers.",
                     c.local_accesses)});
  const bool heavy = per(c.warp_instructions, whole.counters.warp_instructions) >= 0.1;
  if (heavy && c.lane_efficiency() < few_lanes)
    line.advice.push_back(
        {Pattern::divergence,
         fmt::format("Divergence: on average, {} of 32 lanes are active here. Let whole warps take the "
                     "same branch.",
                     number(32 * c.lane_efficiency()))});
  if (c.atomic_requests > 0 && per(c.atomic_requests, whole.counters.warp_instructions) > worth_mention)
    line.advice.push_back(
        {Pattern::atomics,
         fmt::format("{} atomic operations of warps, and lanes that update the same place wait for each "
                     "other. Let each thread or block add up its share first, then add it once.",
                     c.atomic_requests)});
}

}  // namespace

void advise(Line &line, const Whole &whole) {
  advise_on_global(line, whole);
  advise_on_shared(line, whole);
  advise_on_reloading(line, whole);
  advise_on_work(line, whole);
}

}  // namespace warpgrade::explain
