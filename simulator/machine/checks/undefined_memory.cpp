// What loads and stores do with undefined values; see undefined.hpp.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "machine/block_run.hpp"
#include "machine/checks/undefined.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

/// Bytes between the members of a struct may be copied; they are whole, and others of the element have
/// values, or of what was read with it.
bool is_padding(std::uint64_t bits, std::uint32_t bytes, bool was_partly_written) {
  bool some_defined = was_partly_written;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint64_t byte = bits >> 8 * i & 255;
    if (byte != 0 && byte != 255) return false;
    some_defined = some_defined || byte == 0;
  }
  return some_defined;
}

/// The offset of an address in a thread's local memory; false: it is elsewhere.
bool local_place(const Site &site, const BlockRun &run, std::uint64_t address, std::uint32_t bytes,
                 std::uint64_t &place) {
  place = site.space == ptx::Space::local ? address : address - local_window;
  return place < run.program.local_bytes && bytes <= run.program.local_bytes - place;
}

/// The offset of an address in shared memory; false: it is elsewhere.
bool shared_place(const Site &site, const BlockRun &run, std::uint64_t address, std::uint32_t bytes,
                  std::uint64_t &place) {
  if (site.space != ptx::Space::shared && site.space != ptx::Space::generic) return false;
  place = site.space == ptx::Space::shared ? address : address - shared_window;
  if (place >> rank_shift == run.cluster.rank() + 1) place &= rank_offset_mask;
  return place < run.shared.bytes() && bytes <= run.shared.bytes() - place;
}

/// Whether it is shared memory of another block of the cluster, whose undefined values are not tracked.
bool is_remote(const Site &site, std::uint64_t address) {
  const std::uint64_t place = site.space == ptx::Space::generic ? address - shared_window : address;
  return site.space != ptx::Space::global && place >> rank_shift != 0 && place < window_bytes;
}

}  // namespace

std::uint8_t *Undefined::local_bits(std::uint32_t lane) {
  const std::size_t bytes = run_.program.local_bytes;
  if (local_.empty()) local_.resize(bytes * 32 * run_.warps());
  return local_.data() + (std::size_t{context_.warp} * 32 + lane) * bytes;
}

std::uint8_t *Undefined::area_bits(std::uint32_t area, std::uint32_t lane) {
  const CallArea &one = run_.program.areas[area];
  return areas_.data() + std::size_t{context_.warp} * run_.program.area_bytes + one.offset +
         std::size_t{lane} * one.bytes;
}

bool may_be_padding(const Allocation &in, std::uint64_t at) {
  constexpr std::uint64_t most = 8;
  const auto unwritten = [&](std::uint64_t i) { return in.valid[i] == 0; };
  std::uint64_t first = at, end = at + 1;
  while (first > 0 && end - first < most && unwritten(first - 1)) --first;
  while (end < in.bytes && end - first < most && unwritten(end)) ++end;
  return end - first < most && end - first < in.bytes;
}

Unwritten unwritten_part(const BlockRun &run, const Site &site, const Target &target, std::uint64_t address,
                         std::uint32_t element) {
  Unwritten found;
  for (std::uint32_t i = 0; i < bytes_of(site); ++i) {
    bool written = true;
    if (target.space == ptx::Space::shared)
      written = run.context.writers[(target.offset + i) >> run.cell_shift()] >= run.context.block_cell;
    else if (target.allocation && target.allocation->valid)
      written = target.allocation->valid[address - target.allocation->begin + i] != 0;
    found.partly = found.partly || written;
    if (!written && i / site.bytes == element) found.bits |= std::uint64_t{255} << 8 * (i % site.bytes);
  }
  if (target.space == ptx::Space::shared || found.partly) return found;
  const bool byte = bytes_of(site) == 1 && target.allocation && found.bits != 0;
  if (byte && may_be_padding(*target.allocation, address - target.allocation->begin))
    return {found.bits, true};
  return {};
}

bool is_unwritten(const LaneAccess &access, const Target &target) {
  const BlockRun &run = access.run;
  if (!run.launch.options.check_initialized || run.findings.enough_unset()) return false;
  if (target.space == ptx::Space::shared) {
    if (target.owner || !run.context.writers || target.offset < shared_start) return false;
    const std::uint32_t shift = run.cell_shift();
    for (std::uint64_t i = target.offset >> shift; i <= (target.offset + access.bytes - 1) >> shift; ++i)
      if (run.context.writers[i] >= run.context.block_cell) return false;
    return true;
  }
  if (!target.allocation || !target.allocation->valid) return false;
  const auto *const valid = target.allocation->valid.get() + (access.address - target.allocation->begin);
  return std::all_of(valid, valid + access.bytes, [](std::uint8_t byte) { return byte == 0; });
}

/// Calls visit(lane, element, what is unwritten, where) for each element of which nobody has written a part, until
/// it returns false.
template <class Visit>
void Undefined::each_part(const Op &op, std::uint32_t mask, const std::uint64_t (&addresses)[32],
                          const Visit &visit) const {
  const Site &site = site_of(op, context_);
  const std::uint32_t bytes = bytes_of(site);
  Target target;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint64_t address = addresses[lane];
    if (shared_place(site, run_, address, bytes, target.offset)) {
      if (!context_.writers || target.offset < shared_start) continue;
      target.space = ptx::Space::shared;
    } else {
      if (!target.allocation || address < target.allocation->begin ||
          address + bytes > target.allocation->end())
        target.allocation = run_.launch.memory->find(address, address + bytes);
      if (!target.allocation || !target.allocation->live || !target.allocation->valid) continue;
      target.space = ptx::Space::global;
    }
    for (std::uint32_t e = 0; e < site.elements; ++e) {
      const Unwritten part = unwritten_part(run_, site, target, address, e);
      if (part.bits != 0 && !visit(lane, e, part, target)) return;
    }
  }
}

bool Undefined::reads_parts(const Op &op, const Effect &effect, std::uint32_t mask) const {
  if (!has_holes_ && !effect.shared) return false;
  if (!has_holes_ && run_.shared.is_initialized()) return false;
  std::uint64_t addresses[32];
  addresses_of(op, site_of(op, context_), context_, addresses);
  bool any = false;
  each_part(op, mask, addresses, [&](std::uint32_t, std::uint32_t, const Unwritten &, const Target &) {
    any = true;
    return false;
  });
  return any;
}

/// A lane reads an unwritten word of shared memory.
std::int32_t Undefined::read_unset(const Op &op, std::uint32_t lane, std::uint64_t offset) {
  const SharedVariable *const variable = run_.shared.variable_at(offset);
  const std::uint64_t element =
      variable ? (offset - variable->begin) / std::max<std::uint32_t>(site_of(op, context_).bytes, 1) : 0;
  return read_by(op, UnsetSource::Kind::shared, lane, static_cast<std::uint32_t>(element), Absence::none,
                 variable ? &variable->name : nullptr);
}

void Undefined::load(const Op &op, const Effect &effect, std::uint32_t mask, bool whole) {
  check_address(op, effect.sources[0], mask);
  const Site &site = site_of(op, context_);
  Results results[8];
  std::int32_t origin = location_of(op);
  std::uint64_t addresses[32];
  const bool parts = effect.parts && (has_holes_ || effect.shared);
  if (effect.local || parts || (effect.shared && !shared_.empty()))
    addresses_of(op, site, context_, addresses);
  if (parts)
    each_part(op, mask, addresses,
              [&](std::uint32_t lane, std::uint32_t e, const Unwritten &part, const Target &target) {
                results[e].bits[lane] |= part.bits;
                origin = part.partly ? read_by(op, UnsetSource::Kind::partly, lane, 0, Absence::none, nullptr)
                                     : read_unset(op, lane, target.offset);
                return true;
              });
  if (effect.shared && !shared_.empty())
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      std::uint64_t at;
      if (!shared_place(site, run_, addresses[lane], bytes_of(site), at)) continue;
      for (std::uint32_t i = 0; i < bytes_of(site); ++i) {
        if (shared_[at + i] == 0) continue;
        results[i / site.bytes].bits[lane] |= std::uint64_t{shared_[at + i]} << 8 * (i % site.bytes);
        if (const auto known = shared_origins_.find(at + i); known != shared_origins_.end())
          origin = known->second;
      }
    }
  if (effect.local) {
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      std::uint64_t at;
      if (!local_place(site, run_, addresses[lane], bytes_of(site), at)) continue;
      const std::uint8_t *const undefined = local_bits(lane);
      for (std::uint32_t i = 0; i < bytes_of(site); ++i) {
        const std::uint64_t byte = run_.local.has_value(run_.thread(lane), at + i) ? undefined[at + i] : 255;
        results[i / site.bytes].bits[lane] |= byte << 8 * (i % site.bytes);
      }
    }
  }
  (whole ? op.run : op.masked)(op, context_);
  const int unused = 64 - 8 * site.bytes;
  for (std::uint32_t e = 0; e < site.elements; ++e) {
    if (!site.used[e]) continue;
    for (std::uint64_t &one : results[e].bits)
      if (site.is_signed)
        one = static_cast<std::uint64_t>(static_cast<std::int64_t>(one << unused) >> unused);
    put(effects_.elements[effect.element + e], site.rows[e], site.wide[e] ? Width::wide : Width::word, mask,
        results[e], origin);
  }
}

void Undefined::store(const Op &op, const Effect &effect, std::uint32_t mask, bool whole) {
  check_address(op, effect.sources[0], mask);
  const Site &site = site_of(op, context_);
  std::uint64_t addresses[32];
  if (effect.local || effect.shared) addresses_of(op, site, context_, addresses);
  std::uint32_t stored[8] = {};
  Results padding[8];
  bool has_padding = false;
  const std::uint64_t element = site.bytes == 8 ? UINT64_MAX : (std::uint64_t{1} << 8 * site.bytes) - 1;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    std::uint64_t at = 0;
    const bool is_local = effect.local && local_place(site, run_, addresses[lane], bytes_of(site), at);
    // What nobody reads of shared memory, or nobody uses, may lack a value: libraries move whole tiles.
    const bool is_shared =
        !is_local && effect.shared && shared_place(site, run_, addresses[lane], bytes_of(site), at);
    for (std::uint32_t e = 0; e < site.elements; ++e) {
      const std::uint64_t undefined = element & bits(effects_.elements[effect.element + e], site.rows[e],
                                                     site.wide[e] ? Width::wide : Width::word, lane);
      if (is_local)
        std::memcpy(local_bits(lane) + at + e * site.bytes, &undefined, site.bytes);
      else if (is_shared) {
        if (undefined != 0 && shared_.empty()) shared_.resize(run_.shared.bytes());
        if (!shared_.empty()) std::memcpy(&shared_[at + e * site.bytes], &undefined, site.bytes);
        if (undefined != 0)
          shared_origins_[at + e * site.bytes] =
              origin_at(effects_.elements[effect.element + e], location_of(op));
      } else if (undefined != 0 && !(effect.shared && is_remote(site, addresses[lane]))) {
        const std::uint32_t place = effects_.elements[effect.element + e];
        const bool computed = (computed_[index_of(place)] >> lane & 1) != 0;
        const UnsetSource *const from = source(origin_at(place, location_of(op)));
        const bool partly = from && from->kind == UnsetSource::Kind::partly;
        if (computed || !is_padding(undefined, site.bytes, partly)) {
          stored[e] |= 1u << lane;
        } else {
          padding[e].bits[lane] = undefined;
          has_padding = true;
        }
      }
    }
  }
  for (std::uint32_t e = 0; e < site.elements; ++e) {
    const std::uint32_t place = effects_.elements[effect.element + e];
    for (std::uint32_t rest = stored[e]; rest; rest &= rest - 1)
      note(Sink::memory, op, origin_at(place, location_of(op)), first_lane(rest));
  }
  (whole ? op.run : op.masked)(op, context_);
  if (has_padding) forget_written(op, mask, padding);
}

/// Atomics on shared memory to which an undefined value was moved, and what those give that replace a word.
void Undefined::atomic(const Op &op, const Effect &effect, std::uint32_t mask, bool whole) {
  check_address(op, effect.sources[0], mask);
  check_address(op, effect.sources[3], mask);  // of an mbarrier
  std::uint32_t values = now_[effect.sources[1]] | now_[effect.sources[2]];
  for (std::uint32_t e = 0; e < effect.elements; ++e) values |= now_[effects_.elements[effect.element + e]];
  values &= mask;
  if (values != 0) note(Sink::memory, op, origin_of(op, effect, values), first_lane(values));
  std::uint32_t unset = 0;
  std::int32_t origin = location_of(op);
  const Site &site = site_of(op, context_);
  if (op.plain == &atomic_access && effect.shared && !shared_.empty()) {
    std::uint64_t addresses[32], at;
    addresses_of(op, site, context_, addresses);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      if (!shared_place(site, run_, addresses[lane], site.bytes, at)) continue;
      std::uint8_t *const word = &shared_[at];
      const auto *const found =
          std::find_if(word, word + site.bytes, [](std::uint8_t one) { return one != 0; });
      if (found == word + site.bytes) continue;
      unset |= 1u << lane;
      if (const auto known = shared_origins_.find(at); known != shared_origins_.end()) origin = known->second;
      if (!replaces(site)) note(Sink::memory, op, origin, lane);
      if (static_cast<AtomicKind>(site.atomic) == AtomicKind::exch) std::memset(word, 0, site.bytes);
    }
  }
  (whole ? op.run : op.masked)(op, context_);
  now_[effect.result] &= ~mask;
  Results all;
  std::fill(std::begin(all.bits), std::end(all.bits), UINT64_MAX);
  if (unset != 0) put(effect.result, op.d, effect.d, unset, all, origin);
  take_replaced(op);
}

void Undefined::take_replaced(const Op &op) {
  now_ = lanes_.data() + std::size_t{context_.warp} * effects_.count;
  const Replaced replaced = run_.take_replaced();
  if (replaced.lanes == 0) return;
  const Effect &effect = effects_.of[static_cast<std::size_t>(&op - run_.program.ops.data())];
  Results all;
  std::fill(std::begin(all.bits), std::end(all.bits), UINT64_MAX);
  std::int32_t origin = location_of(op);
  for (std::uint32_t rest = replaced.lanes; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    origin = read_by(op, UnsetSource::Kind::replaced, lane, replaced.elements[lane], Absence::none,
                     &replaced.name);
    if (!(replaced.kept >> lane & 1)) continue;
    const std::uint32_t bytes = site_of(op, context_).bytes;
    if (shared_.empty()) shared_.resize(run_.shared.bytes());
    std::memset(&shared_[replaced.offsets[lane]], 255, bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) shared_origins_[replaced.offsets[lane] + i] = origin;
  }
  put(effect.result, op.d, effect.d, replaced.lanes, all, origin);
}

/// A copy of unwritten bytes is unwritten too.
void Undefined::forget_written(const Op &op, std::uint32_t mask, const Results (&undefined)[8]) {
  const Site &site = site_of(op, context_);
  std::uint64_t addresses[32];
  addresses_of(op, site, context_, addresses);
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    Allocation *to = run_.launch.memory->find(addresses[lane], addresses[lane] + bytes_of(site));
    if (!to || !to->valid) continue;
    for (std::uint32_t i = 0; i < bytes_of(site); ++i) {
      if ((undefined[i / site.bytes].bits[lane] >> 8 * (i % site.bytes) & 255) == 0) continue;
      const std::uint64_t at = addresses[lane] + i - to->begin;
      to->valid[at] = 0;
      std::atomic_ref<std::uint64_t> hole(to->hole);  // other workers write to the same allocation
      for (std::uint64_t before = hole; at < before && !hole.compare_exchange_weak(before, at);) {
      }
    }
  }
}

}  // namespace warpgrade::simt
