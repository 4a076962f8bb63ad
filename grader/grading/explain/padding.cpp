#include "explain/padding.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "explain/lanes.hpp"

namespace warpgrade::explain {

namespace {

bool active(const simt::LaneSample &s, std::size_t lane) {
  return (s.mask >> lane & 1) != 0;
}

std::size_t wavefronts_of(const simt::LaneSample &sample) {
  std::size_t all = 0;
  for (const BankPhase &phase : banks_of(sample)) all += phase.wavefronts();
  return all;
}

/// The same request to an array whose rows are longer.
simt::LaneSample padded(simt::LaneSample s, std::int64_t row_bytes, std::int64_t more) {
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (active(s, lane)) s.offsets[lane] += s.offsets[lane] / row_bytes * more;
  return s;
}

/// The most bytes in a row that lanes take one after the other.
std::int64_t longest_run(const simt::LaneSample &s) {
  std::int64_t longest = 0, run = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (!active(s, lane)) continue;
    const bool goes_on = lane > 0 && active(s, lane - 1) && s.offsets[lane] - s.offsets[lane - 1] == s.bytes;
    run = goes_on ? run + s.bytes : s.bytes;
    longest = std::max(longest, run);
  }
  return longest;
}

/// Jumps between neighbouring lanes that may lead from one row to another.
std::set<std::int64_t> jumps(const simt::LaneSample &s, std::int64_t at_least) {
  std::set<std::int64_t> all;
  for (std::size_t lane = 1; lane < 32; ++lane) {
    if (!active(s, lane) || !active(s, lane - 1)) continue;
    const std::int64_t jump = std::abs(s.offsets[lane] - s.offsets[lane - 1]);
    if (jump >= at_least && jump > s.bytes && jump % 4 == 0) all.insert(jump);
  }
  return all;
}

std::vector<const Access *> of_one_array(const Access &access, const std::vector<const Access *> &all) {
  std::vector<const Access *> some;
  for (const Access *other : all)
    if (other->sample && other->key.space == ptx::Space::shared &&
        (other == &access || (!access.key.buffer.empty() && other->key.buffer == access.key.buffer)))
      some.push_back(other);
  return some;
}

}  // namespace

std::optional<Padding> try_padding(const Access &access, const std::vector<const Access *> &all,
                                   const Bounds &bounds) {
  if (!access.sample) return std::nullopt;
  const std::vector<const Access *> array = of_one_array(access, all);
  const auto known = std::find_if(bounds.arrays.begin(), bounds.arrays.end(),
                                  [&](const SharedArray &a) { return a.name == access.key.buffer; });
  std::set<std::int64_t> rows;
  if (known != bounds.arrays.end()) {
    rows.insert(known->row_bytes);
  } else {
    std::int64_t run = 0;
    for (const Access *other : array) run = std::max(run, longest_run(*other->sample));
    rows = jumps(*access.sample, run);
  }
  // Vectors stay aligned in longer rows only if these are longer by whole vectors.
  std::int64_t more = 4;
  for (const Access *other : array) more = std::max<std::int64_t>(more, other->sample->bytes);
  const auto cost = [&](std::int64_t row_bytes, std::int64_t added) {
    double sum = 0;
    for (const Access *other : array)
      sum += static_cast<double>(other->counts.shared.requests) *
             static_cast<double>(wavefronts_of(padded(*other->sample, row_bytes, added)));
    return sum;
  };
  const std::size_t now = wavefronts_of(*access.sample);
  std::optional<Padding> best;
  for (const std::int64_t row : rows) {
    if (row <= 0) continue;
    Padding p{row, more, wavefronts_of(padded(*access.sample, row, more)), false, false};
    p.declared = known != bounds.arrays.end();
    p.helps = p.wavefronts < now && cost(row, more) < cost(row, 0);
    if (p.declared && known->bytes / row * more > bounds.shared_room) p.helps = false;
    if (!best || (p.helps && !best->helps) || (p.helps == best->helps && p.wavefronts < best->wavefronts))
      best = p;
  }
  return best;
}

}  // namespace warpgrade::explain
