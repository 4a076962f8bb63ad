#include "machine/checks/undefined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/block_run.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

using Kind = Passes;

constexpr std::int32_t nobody_read = INT32_MIN;  ///< origin of a register that is still in its initial state

std::uint64_t ones(Width width) {
  return width == Width::wide ? UINT64_MAX : width == Width::word ? UINT32_MAX : 1;
}

std::uint64_t from_lowest(std::uint64_t bits) {
  return bits | (0 - bits);
}

std::uint64_t shifted(Kind kind, std::uint64_t bits, std::uint64_t by, std::uint32_t size) {
  const bool all = by >= size;
  if (kind == Kind::shift_left) return all ? 0 : bits << by;
  if (kind == Kind::shift_right) return all ? 0 : bits >> by;
  const int unused = static_cast<int>(64 - size);
  const auto extended = static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<std::uint64_t>(extended >> (all ? size - 1 : by));
}

std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t bytes = b << 32 | (a & UINT32_MAX);
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t pick = selector >> 4 * i & 15;
    std::uint64_t byte = bytes >> 8 * (pick & 7) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}

std::uint64_t field_mask(std::uint64_t at, std::uint64_t length) {
  if (at > 63 || length == 0) return 0;
  return (length > 63 ? UINT64_MAX : (std::uint64_t{1} << length) - 1) << at;
}

bool is_integer(ptx::Type type) {
  switch (type) {
    case ptx::Type::b8:
    case ptx::Type::u8:
    case ptx::Type::s8:
    case ptx::Type::b16:
    case ptx::Type::u16:
    case ptx::Type::s16:
    case ptx::Type::b32:
    case ptx::Type::u32:
    case ptx::Type::s32:
    case ptx::Type::b64:
    case ptx::Type::u64:
    case ptx::Type::s64:
      return true;
    default:
      return false;
  }
}

bool is_integer_conversion(const Op &op) {
  const bool saturates = op.immediate >> 25 & 1;
  return is_integer(static_cast<ptx::Type>(op.immediate & 255)) &&
         is_integer(static_cast<ptx::Type>(op.immediate >> 8 & 255)) && !saturates;
}

std::uint64_t converted(const Op &op, std::uint64_t bits) {
  const auto from = static_cast<ptx::Type>(op.immediate >> 8 & 255);
  const int unused = 64 - 8 * static_cast<int>(ptx::size_of(from));  // bits of the register
  if (!is_integer_conversion(op)) return bits << unused == 0 ? 0 : UINT64_MAX;
  const bool sign = from == ptx::Type::s8 || from == ptx::Type::s16 || from == ptx::Type::s32;
  const std::uint64_t high = bits << unused;
  return sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused) : high >> unused;
}

}  // namespace

Undefined::Undefined(BlockRun &run) : run_(run), context_(run.context), effects_(run.program) {
  const std::size_t warps = run.warps();
  lanes_.resize(effects_.count * warps);
  whole_.resize(lanes_.size());
  origins_.resize(lanes_.size());
  computed_.resize(lanes_.size());
  has_holes_ = run.launch.memory->has_holes();
  bits_.resize(run.program.warp_bytes * warps);
  areas_.resize(run.program.area_bytes * warps);
}

void Undefined::begin_block() {
  std::fill(lanes_.begin(), lanes_.end(), 0u);
  std::fill(areas_.begin(), areas_.end(), std::uint8_t{0});
  shared_.clear();
  shared_origins_.clear();
  sources_.clear();
  known_sources_.clear();
}

void Undefined::define_shared(std::uint64_t offset, std::uint32_t bytes) {
  if (offset + bytes <= shared_.size()) std::memset(shared_.data() + offset, 0, bytes);
}

void Undefined::begin_function(const UnsetRows &rows, std::uint32_t mask) {
  now_ = lanes_.data() + std::size_t{context_.warp} * effects_.count;
  Results all;
  std::fill(std::begin(all.bits), std::end(all.bits), UINT64_MAX);
  const auto forget = [&](const std::vector<Ref> &refs, Width width) {
    for (const Ref ref : refs) put(effects_.place(ref), ref, width, mask, all, nobody_read);
  };
  forget(rows.words, Width::word);
  forget(rows.wides, Width::wide);
  forget(rows.predicates, Width::predicate);
}

void Undefined::define(Ref ref, std::uint32_t mask) {
  lanes_[std::size_t{context_.warp} * effects_.count + effects_.place(ref)] &= ~mask;
}

std::int32_t Undefined::location_of(const Op &op) const {
  return run_.program.op_locations[static_cast<std::size_t>(&op - run_.program.ops.data())];
}

std::uint64_t Undefined::bits(std::uint32_t place, Ref ref, Width width, std::uint32_t lane) const {
  if (place == 0 || !(now_[place] >> lane & 1)) return 0;
  if (width == Width::predicate || (whole_[index_of(place)] >> lane & 1)) return ones(width);
  const std::byte *row = bits_.data() + std::size_t{context_.warp} * run_.program.warp_bytes + ref;
  std::uint64_t result = 0;
  const std::size_t bytes = width == Width::wide ? 8 : 4;
  std::memcpy(&result, row + lane * bytes, bytes);
  return result;
}

std::uint64_t Undefined::bits(const Op &op, const Effect &effect, int source, std::uint32_t lane) const {
  const Ref refs[4] = {op.a, op.b, op.c, op.e};
  return bits(effect.sources[source], refs[source], effect.widths[source], lane);
}

void Undefined::put(std::uint32_t place, Ref ref, Width width, std::uint32_t mask, const Results &results,
                    std::int32_t origin, std::uint32_t computed) {
  if (place == 0) return;
  computed_[index_of(place)] = (computed_[index_of(place)] & ~mask) | (computed & mask);
  now_[place] &= ~mask;
  std::uint32_t &whole = whole_[index_of(place)];
  whole &= ~mask;
  std::byte *row = bits_.data() + std::size_t{context_.warp} * run_.program.warp_bytes + ref;
  const std::size_t bytes = width == Width::wide ? 8 : 4;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint64_t bits = results.bits[lane] & ones(width);
    if (bits == 0) continue;
    now_[place] |= 1u << lane;
    if (bits == ones(width))
      whole |= 1u << lane;
    else
      std::memcpy(row + lane * bytes, &bits, bytes);
  }
  if (now_[place] & mask) origins_[index_of(place)] = origin;
}

void Undefined::put_whole(std::uint32_t place, std::uint32_t mask, std::uint32_t undefined,
                          std::int32_t origin) {
  if (place == 0) return;
  now_[place] = (now_[place] & ~mask) | undefined;
  whole_[index_of(place)] |= undefined;
  computed_[index_of(place)] |= undefined;
  origins_[index_of(place)] = origin;
}

/// Where the undefined value in a register was first read: here, if it was not read before.
std::int32_t Undefined::origin_at(std::uint32_t place, std::int32_t here) const {
  const std::int32_t origin = origins_[index_of(place)];
  return origin == nobody_read ? here : origin;
}

std::int32_t Undefined::origin_of(const Op &op, const Effect &effect, std::uint32_t mask) const {
  const std::int32_t here = location_of(op);
  for (const std::uint32_t place : effect.sources)
    if (now_[place] & mask) return origin_at(place, here);
  for (std::uint32_t e = 0; e < effect.elements && effect.kind != Kind::unpack; ++e)
    if (const std::uint32_t place = effects_.elements[effect.element + e]; now_[place] & mask)
      return origin_at(place, here);
  return here;
}

void Undefined::look_at_condition(Ref condition, std::int32_t location, std::uint32_t mask) {
  now_ = lanes_.data() + std::size_t{context_.warp} * effects_.count;
  const std::uint32_t place = effects_.place(condition);
  const std::uint32_t unsure = now_[place] & mask;
  if (unsure == 0) return;
  end_or_note(Sink::condition, origin_at(place, location), location, first_lane(unsure));
}

void Undefined::check_address(const Op &op, std::uint32_t place, std::uint32_t mask) {
  const std::uint32_t unsure = now_[place] & mask;
  if (unsure == 0) return;
  const std::int32_t here = location_of(op);
  end_or_note(Sink::address, origin_at(place, here), here, first_lane(unsure));
}

void Undefined::run(const Op *op, const Op *end, std::uint32_t mask) {
  now_ = lanes_.data() + std::size_t{context_.warp} * effects_.count;
  const bool whole = (context_.live & ~mask) == 0;
  const Effect *effect = effects_.of.data() + (op - run_.program.ops.data());
  for (; op != end; ++op, ++effect) {
    std::uint32_t unsure = now_[effect->sources[0]] | now_[effect->sources[1]] | now_[effect->sources[2]] |
                           now_[effect->sources[3]];
    for (std::uint32_t e = 0; e < effect->elements; ++e)
      unsure |= now_[effects_.elements[effect->element + e]];
    const bool simple = effect->simple && (shared_.empty() || !effect->shared) &&
                        !(effect->parts && reads_parts(*op, *effect, mask));
    if ((unsure & mask) == 0 && simple) {
      (whole ? op->run : op->masked)(*op, context_);
      now_[effect->result] &= ~mask;
    } else if (simple && effect->kind == Kind::compute) {
      const std::int32_t origin = origin_of(*op, *effect, mask);
      (whole ? op->run : op->masked)(*op, context_);
      put_whole(effect->result, mask, unsure & mask, origin);
    } else {
      step(*op, *effect, mask, whole);
    }
  }
}

void Undefined::step(const Op &op, const Effect &effect, std::uint32_t mask, bool whole) {
  std::uint32_t active = mask, unsure = 0;
  if (op.guarded) {
    const Ref ref = op.guard & ~Ref{2};
    std::uint32_t holds;
    std::memcpy(&holds, context_.base[ref & 1] + ref, 4);
    if (op.guard & 2) holds = ~holds;
    unsure = now_[effects_.place(ref)] & mask;
    active = mask & holds & ~unsure;
    if (unsure != 0 && effect.kind >= Kind::load) look_at_condition(ref, location_of(op), mask);
  }
  const auto run = [&] { (whole ? op.run : op.masked)(op, context_); };
  const Site *site = effect.elements != 0 && effect.kind >= Kind::load ? &site_of(op, context_) : nullptr;
  switch (effect.kind) {
    case Kind::nothing:
      return run();
    case Kind::load:
      return load(op, effect, active, whole);
    case Kind::store:
      return store(op, effect, active, whole);
    case Kind::atomic:
      return atomic(op, effect, active, whole);
    case Kind::mbarrier:
    case Kind::copy_async: {
      for (const std::uint32_t place : effect.sources) check_address(op, place, active);
      for (std::uint32_t e = 0; e < effect.elements; ++e)
        check_address(op, effects_.elements[effect.element + e], active);
      run();
      now_[effect.result] &= ~active;
      return;
    }
    case Kind::product:
      return multiply(op, effect);
    case Kind::group_product:
      return multiply_warpgroup(op, effect);
    case Kind::load_matrix:
      return load_matrix(op, effect);
    case Kind::store_matrix:
      return store_matrix(op, effect);
    case Kind::transpose:
      return transpose(op, effect);
    case Kind::load_area:
    case Kind::store_area: {
      if (effect.kind == Kind::load_area) run();
      const std::int32_t origin = location_of(op);
      for (std::uint32_t e = 0; e < site->elements; ++e) {
        const std::uint32_t place = effects_.elements[effect.element + e];
        const Width width = site->wide[e] ? Width::wide : Width::word;
        Results results;
        for (std::uint32_t rest = active; rest; rest &= rest - 1) {
          const std::uint32_t lane = first_lane(rest);
          std::uint8_t *const at = area_bits(op.e, lane) + op.immediate + e * site->bytes;
          const std::uint64_t set = bits(place, site->rows[e], width, lane);
          if (effect.kind == Kind::store_area)
            std::memcpy(at, &set, site->bytes);
          else
            std::memcpy(&results.bits[lane], at, site->bytes);
        }
        if (effect.kind == Kind::load_area) put(place, site->rows[e], width, active, results, origin);
      }
      if (effect.kind == Kind::store_area) run();
      return;
    }
    case Kind::copy_area: {
      run();
      const AreaCopy &copy = run_.program.copies[op.site];
      const std::uint32_t bytes =
          std::min(run_.program.areas[copy.from].bytes, run_.program.areas[copy.to].bytes);
      for (std::uint32_t rest = active; rest; rest &= rest - 1)
        std::memcpy(area_bits(copy.to, first_lane(rest)), area_bits(copy.from, first_lane(rest)), bytes);
      return;
    }
    case Kind::call: {
      run();
      const std::uint32_t result = run_.program.builtins[op.site].result;
      for (std::uint32_t rest = active; rest && result != UINT32_MAX; rest &= rest - 1)
        std::memset(area_bits(result, first_lane(rest)), 0, run_.program.areas[result].bytes);
      return;
    }
    default:
      return compute(op, effect, active, unsure, whole);
  }
}

/// The undefined bits of the result of one lane.
std::uint64_t Undefined::combine(const Op &op, const Effect &effect, std::uint32_t lane) const {
  const std::uint64_t a = bits(op, effect, 0, lane), b = bits(op, effect, 1, lane),
                      c = bits(op, effect, 2, lane), e = bits(op, effect, 3, lane);
  const auto value = [&](int source) -> std::uint64_t {
    const Ref ref = source == 0 ? op.a : source == 1 ? op.b : source == 2 ? op.c : op.e;
    if (effect.widths[source] != Width::predicate)
      return run_.value(ref, lane, effect.widths[source] == Width::wide);
    std::uint32_t holds;
    std::memcpy(&holds, context_.base[ref & 1] + ref, 4);
    return holds >> lane & 1;
  };
  const std::uint64_t any = (a | b | c | e) == 0 ? 0 : UINT64_MAX;
  const std::uint32_t size = effect.widths[0] == Width::wide ? 64 : 32;
  switch (effect.kind) {
    case Kind::halves:
      if (effect.d != Width::word) return any;
      return (((a | b | c) & 0xFFFF) != 0 ? 0xFFFF : 0) | (((a | b | c) >> 16) != 0 ? 0xFFFF0000 : 0);
    case Kind::sum:
      return from_lowest(a | b | c);
    case Kind::copy:
      return a;
    case Kind::extend:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)});
    case Kind::low_half:
      return a & 0xFFFF;
    case Kind::sign_half:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)});
    case Kind::high_half:
      return a >> 16;
    case Kind::join_halves:
      return (a & 0xFFFF) | b << 16;
    case Kind::conjunction:
      return (a & b) | (a & value(1)) | (b & value(0));
    case Kind::disjunction:
      return (a & b) | (a & ~value(1)) | (b & ~value(0));
    case Kind::exclusive:
      return a | b;
    case Kind::shift_left:
    case Kind::shift_right:
    case Kind::shift_sign:
      return b != 0 ? UINT64_MAX : shifted(effect.kind, a, value(1), size);
    case Kind::choice:
      return c != 0 ? UINT64_MAX : value(2) != 0 ? a : b;
    case Kind::equality:
      return ((value(0) ^ value(1)) & ~(a | b)) != 0 ? 0 : any;
    case Kind::field: {
      if ((b | c) != 0) return UINT64_MAX;
      const std::uint64_t at = value(1) & 255, length = value(2) & 255;
      return at > 63 ? 0 : (a & field_mask(at, length)) >> at;
    }
    case Kind::insert: {
      if ((c | e) != 0) return UINT64_MAX;
      const std::uint64_t at = value(2) & 255, mask = field_mask(at, value(3) & 255);
      return (b & ~mask) | (at > 63 ? 0 : a << at & mask);
    }
    case Kind::permute:
      return c != 0 ? UINT64_MAX : permuted(a, b, value(2));
    case Kind::convert:
      return effect.widths[1] == Width::none ? converted(op, a) : any;
    case Kind::pack: {
      const std::uint32_t part = 8 * static_cast<std::uint32_t>(op.immediate & 255);
      const std::uint64_t mask = part >= 64 ? UINT64_MAX : (std::uint64_t{1} << part) - 1;
      std::uint64_t all = 0;
      const std::uint64_t parts[4] = {a, b, c, e};
      for (std::uint32_t k = 0; k < (op.immediate >> 8 & 255); ++k) all |= (parts[k] & mask) << part * k;
      return all;
    }
    default:
      return any;
  }
}

void Undefined::compute(const Op &op, const Effect &effect, std::uint32_t mask, std::uint32_t unsure,
                        bool whole) {
  Results results;
  const std::uint32_t all = mask | unsure;
  std::int32_t origin = origin_of(op, effect, all);
  const std::uint32_t undefined = now_[effect.sources[0]] & mask;
  std::uint32_t yes = 0, no = 0, second = 0;
  if (effect.kind == Kind::vote) {
    std::memcpy(&yes, context_.base[op.a & 1] + op.a, 4);
    if (op.immediate & 256) yes = ~yes;
    no = ~yes & ~undefined & mask, yes &= ~undefined & mask;
  }
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    std::uint64_t &result = results.bits[lane];
    if (effect.kind == Kind::shuffle) {
      const std::uint32_t from = shuffle_lane(op, context_, lane);
      const bool where = (bits(op, effect, 1, lane) | bits(op, effect, 2, lane)) != 0;
      if (where) second |= 1u << lane;
      const Absence absence = where ? Absence::none : absence_of(op, run_, lane, mask);
      if (absence != Absence::none)
        origin = read_by(op, UnsetSource::Kind::lane, lane, from, absence, nullptr);
      result = where || absence != Absence::none ? UINT64_MAX : bits(op, effect, 0, from);
    } else if (effect.kind == Kind::vote) {
      const auto members = static_cast<std::uint32_t>(run_.value(op.site, lane, false));
      const auto mode = static_cast<VoteMode>(op.immediate & 255);
      const bool settled =
          (mode == VoteMode::any && (yes & members) != 0) || (mode == VoteMode::all && (no & members) != 0);
      result = settled ? 0 : undefined & members;
      if (mode != VoteMode::ballot && result != 0) result = 1;
    } else if (effect.kind == Kind::across) {
      const auto members = static_cast<std::uint32_t>(run_.value(op.site, lane, false));
      result = undefined & members ? UINT64_MAX : 0;
      if (result != 0) second |= 1u << lane;
    } else if (effect.kind != Kind::unpack) {
      result = combine(op, effect, lane);
    }
  }
  if (effect.kind == Kind::unpack) {
    const std::uint32_t part = 8 * static_cast<std::uint32_t>(op.immediate & 255);
    Results parts[4];
    for (std::uint32_t k = 0; k < effect.elements; ++k)
      for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const std::uint64_t whole_bits = bits(op, effect, 0, first_lane(rest)) >> part * k;
        parts[k].bits[first_lane(rest)] =
            part >= 64 ? whole_bits : whole_bits & ((std::uint64_t{1} << part) - 1);
      }
    (whole ? op.run : op.masked)(op, context_);
    const Ref refs[4] = {op.d, op.b, op.c, op.e};
    for (std::uint32_t k = 0; k < effect.elements; ++k)
      put(effects_.elements[effect.element + k], refs[k], Width::word, mask, parts[k], origin);
    return;
  }
  for (std::uint32_t rest = unsure; rest; rest &= rest - 1) results.bits[first_lane(rest)] = UINT64_MAX;
  (whole ? op.run : op.masked)(op, context_);
  const bool moves =
      effect.kind >= Kind::copy && effect.kind <= Kind::insert && effect.kind != Kind::equality;
  std::uint32_t computed = moves || effect.kind == Kind::permute || effect.kind == Kind::pack ||
                                   effect.kind == Kind::shuffle ||
                                   (effect.kind == Kind::convert && is_integer_conversion(op))
                               ? 0
                               : UINT32_MAX;
  for (const std::uint32_t place : effect.sources) computed |= computed_[index_of(place)] & now_[place];
  put(effect.result, op.d, effect.d, all, results, origin, computed);
  const bool has_second = (effect.kind == Kind::shuffle && (op.immediate & 256) != 0) ||
                          (op.plain == &match && (op.immediate & 4) != 0) ||
                          (op.plain == &vote && (op.immediate & 512) != 0);
  if (!has_second) return;
  Results inside;
  for (std::uint32_t rest = second; rest; rest &= rest - 1) inside.bits[first_lane(rest)] = 1;
  put(effects_.place(op.e), op.e, Width::predicate, mask, inside, origin);
}

}  // namespace warpgrade::simt
