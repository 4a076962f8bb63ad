#include "machine/tally.hpp"

#include <algorithm>
#include <new>

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t sector_bytes = 32;

/// Bytes of the first sector before the allocation; not 0 only for mapped memory of the host.
std::uint64_t before(const Allocation &allocation) {
  return allocation.begin % sector_bytes;
}

Touch touch_of(const Site &site) {
  switch (site.action) {
    case Site::Action::store:
      return Touch::store;
    case Site::Action::atomic:
    case Site::Action::reduce:
      return Touch::atomic;
    default:
      return Touch::load;
  }
}

std::unique_ptr<std::uint64_t[], Free> zeros(std::uint64_t words) {
  std::unique_ptr<std::uint64_t[], Free> made(static_cast<std::uint64_t *>(std::calloc(words, 8)));
  if (!made) throw std::bad_alloc();
  return made;
}

}  // namespace

void SectorSet::make_room(std::uint64_t sectors) {
  words_ = (sectors + 63) / 64 + 1;  // eight bytes can be read from every one that is used
  bits_ = zeros(words_);
}

void SectorSet::add(const SectorSet &other) {
  if (!other.bits_) return;
  if (!bits_) make_room((other.words_ - 1) * 64);
  begin_ = std::min(begin_, other.begin_);
  end_ = std::max(end_, other.end_);
  for (std::uint64_t i = other.begin_; i < other.end_; ++i) bits_[i] |= other.bits_[i];
}

std::uint64_t SectorSet::count() const {
  std::uint64_t sum = 0;
  for (std::uint64_t i = begin_; i < end_; ++i) sum += static_cast<std::uint64_t>(std::popcount(bits_[i]));
  return sum;
}

Tally::Tally(const Program &program, std::span<SiteState> sites, std::span<const Pattern> patterns)
    : program_(program), sites_(sites), patterns_(patterns), seen_(patterns.size()) {}

AccessCounters &Tally::of(std::uint32_t site, ptx::Space space, const void *buffer) {
  const Key key{site, space, buffer};
  if (last_ && key == last_key_) return *last_;
  last_key_ = key;
  last_ = &accesses_[key];
  return *last_;
}

SectorSet &Tally::sectors_of(const Allocation &allocation, Touch how) {
  if (!last_touched_ || last_touched_->allocation != &allocation) {
    last_touched_ = &touched_[&allocation];
    last_touched_->allocation = &allocation;
  }
  SectorSet &sectors = last_touched_->sectors[static_cast<std::size_t>(how)];
  if (sectors.empty())
    sectors.make_room((before(allocation) + allocation.bytes + sector_bytes - 1) / sector_bytes);
  return sectors;
}

void Tally::touch(const Allocation &allocation, Touch how, Address begin, std::uint64_t bytes) {
  const std::uint64_t at = begin - allocation.begin + before(allocation);
  sectors_of(allocation, how).add(at / sector_bytes, (at + bytes - 1) / sector_bytes);
}

void Tally::settle_scattered(SiteState &state) {
  const ScatteredUses uses = state.scattered;
  if (uses.requests == 0) return;
  state.scattered = {};
  const auto index = static_cast<std::uint32_t>(&state - sites_.data());
  const Site &site = program_.sites[index];
  const bool shared = site.space == ptx::Space::shared;
  AccessCounters &to = of(index, shared ? ptx::Space::shared : ptx::Space::global, state.buffer);
  if (shared)
    to.shared += {uses.requests,
                  uses.cost,
                  uses.conflicts,
                  uses.bytes,
                  site.merged == 0 ? 0 : uses.requests,
                  uses.compiled_cost,
                  uses.compiled_conflicts};
  else
    to.global += {uses.requests, uses.cost, uses.bytes, uses.used_bytes, uses.ideal_sectors};
}

void Tally::settle(SiteState &state) {
  // An atomic, for one, has no pattern, and never a use.
  settle_scattered(state);
  if (std::all_of(std::begin(state.uses), std::end(state.uses), [](auto uses) { return uses == 0; })) return;
  std::uint64_t uses = 0, sectors = 0;
  const auto index = static_cast<std::uint32_t>(&state - sites_.data());
  const Site &site = program_.sites[index];
  const Pattern &pattern = patterns_[site.pattern];
  const bool shared = site.space == ptx::Space::shared;
  for (std::uint32_t phase = 0; phase < 32; ++phase) {
    if (state.uses[phase] == 0) continue;
    uses += state.uses[phase];
    if (!shared) sectors += state.uses[phase] * count_sectors(pattern, site, phase);
    state.uses[phase] = 0;
  }
  AccessCounters &to = of(index, shared ? ptx::Space::shared : ptx::Space::global, state.buffer);
  if (shared)
    to.shared += {uses,
                  uses * pattern.wavefronts,
                  uses * pattern.conflicts,
                  uses * pattern.bytes,
                  site.merged == 0 ? 0 : uses,
                  uses * pattern.compiled_wavefronts,
                  uses * pattern.compiled_conflicts};
  else
    to.global += {uses, sectors, uses * pattern.bytes, uses * pattern.used_bytes,
                  uses * ((pattern.used_bytes + sector_bytes - 1) / sector_bytes)};
}

void Tally::forget(std::uint32_t pattern) {
  for (Seen &seen : seen_[pattern]) {
    for (const std::uint64_t word : seen.used) seen.bits[word] = 0;
    seen.used.clear();
  }
}

Tally::Seen &Tally::seen_by(const Site &site, const Allocation &allocation) {
  std::vector<Seen> &all = seen_[site.pattern];
  for (Seen &seen : all)
    if (seen.allocation == &allocation) return seen;
  const std::uint64_t words = (allocation.bytes + sector_bytes) / bytes_of(site) / 64 + 1;
  all.push_back({&allocation, zeros(words), {}});
  return all.back();
}

void Tally::begin_buffer(SiteState &state, const Allocation &allocation) {
  if (state.buffer == &allocation) return;
  settle(state);
  state.buffer = &allocation;
  const auto index = static_cast<std::size_t>(&state - sites_.data());
  const Site &site = program_.sites[index];
  state.sector_bits = sectors_of(allocation, touch_of(site)).bits();
  state.sectors = reinterpret_cast<const std::byte *>(state.sector_bits);
  state.seen_begin = UINT64_MAX;
  state.seen_end = 0;
  state.sector_begin = allocation.begin - before(allocation);
  state.seen = seen_by(site, allocation).bits.get();
}

void Tally::begin_buffer(SiteState &state, const SharedVariable &variable) {
  if (state.buffer == &variable) return;
  settle(state);
  state.buffer = &variable;
}

void Tally::begin_atomics(SiteState &state, const Allocation &allocation) {
  state.buffer = &allocation;
  state.sector_bits = sectors_of(allocation, Touch::atomic).bits();
  state.sector_begin = allocation.begin - before(allocation);
  state.seen_begin = UINT64_MAX;
  state.seen_end = 0;
}

void Tally::widen(SiteState &state, Address low, Address high) {
  const auto index = static_cast<std::size_t>(&state - sites_.data());
  const auto &allocation = *static_cast<const Allocation *>(state.buffer);
  state.seen_begin = std::min(state.seen_begin, low);
  state.seen_end = std::max(state.seen_end, high);
  sectors_of(allocation, touch_of(program_.sites[index]))
      .widen((state.seen_begin - state.sector_begin) / sector_bytes,
             (state.seen_end - 1 - state.sector_begin) / sector_bytes);
}

void Tally::see(SiteState &state, Address low) {
  const auto index = static_cast<std::size_t>(&state - sites_.data());
  const Site &site = program_.sites[index];
  const Pattern &pattern = patterns_[site.pattern];
  const auto &allocation = *static_cast<const Allocation *>(state.buffer);
  const std::uint32_t bytes = bytes_of(site);
  if (pattern.contiguous) return touch(allocation, touch_of(site), low, pattern.span);
  const std::uint64_t at = (low - state.sector_begin) >> pattern.seen_shift;
  if (state.seen[at / 64] == 0) seen_by(site, allocation).used.push_back(at / 64);
  state.seen[at / 64] |= std::uint64_t{1} << (at & 63);
  SectorSet &sectors = sectors_of(allocation, touch_of(site));
  const std::uint64_t begin = low - allocation.begin + before(allocation);
  std::uint64_t last = UINT64_MAX;
  for (std::uint32_t rest = pattern.mask; rest; rest &= rest - 1) {
    const std::uint64_t start = begin + pattern.offset[__builtin_ctz(rest)];
    if (start / sector_bytes == last) continue;
    last = (start + bytes - 1) / sector_bytes;
    sectors.add(start / sector_bytes, last);
  }
}

UniqueSectors Tally::unique(const std::vector<const Tally *> &workers) {
  std::map<const Allocation *, Touched> all;
  for (const Tally *worker : workers)
    for (const auto &[allocation, touched] : worker->touched_)
      for (std::size_t i = 0; i < touches; ++i) all[allocation].sectors[i].add(touched.sectors[i]);
  UniqueSectors result;
  for (auto &[allocation, touched] : all) {
    result.loaded += touched.sectors[0].count();
    result.stored += touched.sectors[1].count();
    for (std::size_t i = 1; i < touches; ++i) touched.sectors[0].add(touched.sectors[i]);
    result.touched += touched.sectors[0].count();
  }
  return result;
}

std::shared_ptr<const TouchedSectors> Tally::take_touched() {
  auto taken = std::make_shared<TouchedSectors>();
  taken->by_allocation = std::move(touched_);
  touched_.clear();
  last_touched_ = nullptr;
  return taken;
}

std::map<std::string, UniqueSectors> count_together(
    std::span<const std::shared_ptr<const TouchedSectors>> launches) {
  std::map<const Allocation *, Tally::Touched> all;
  for (const auto &launch : launches)
    for (const auto &[allocation, touched] : launch->by_allocation)
      for (std::size_t i = 0; i < touches; ++i) all[allocation].sectors[i].add(touched.sectors[i]);
  std::map<std::string, UniqueSectors> result;
  for (auto &[allocation, touched] : all) {
    UniqueSectors &counts = result[allocation->name];
    counts.loaded += touched.sectors[0].count();
    counts.stored += touched.sectors[1].count();
    for (std::size_t i = 1; i < touches; ++i) touched.sectors[0].add(touched.sectors[i]);
    counts.touched += touched.sectors[0].count();
  }
  return result;
}

}  // namespace warpgrade::simt
