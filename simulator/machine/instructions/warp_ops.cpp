// Operations across the lanes of a warp. They know masks themselves.
#include <fmt/format.h>

#include <cstring>

#include "decode/handlers.hpp"
#include "machine/block_run.hpp"
#include "machine/checks/undefined.hpp"
#include "machine/lanes.hpp"

namespace warpgrade::simt {
namespace {

std::uint32_t word(const Context &context, Ref ref, std::uint32_t lane) {
  std::uint32_t value;
  std::memcpy(&value, context.base[ref & 1] + ref + lane * 4, 4);
  return value;
}
void put_word(Context &context, Ref ref, std::uint32_t lane, std::uint32_t value) {
  std::memcpy(context.rows + ref + lane * 4, &value, 4);
}
std::uint32_t predicate(const Context &context, Ref ref) {
  std::uint32_t value;
  std::memcpy(&value, context.base[ref & 1] + ref, 4);
  return value;
}
void put_predicate(Context &context, Ref ref, std::uint32_t value, std::uint32_t mask) {
  const std::uint32_t merged = (predicate(context, ref) & ~mask) | (value & mask);
  std::memcpy(context.rows + ref, &merged, 4);
}

struct Source {
  std::uint32_t lane;
  bool inside;
};

Source shuffle_source(ShuffleMode mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t clamp = c & 31, segment = c >> 8 & 31, delta = b & 31;
  const std::uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  std::int32_t from = 0;
  bool inside = false;
  const auto signed_most = static_cast<std::int32_t>(most);
  switch (mode) {
    case ShuffleMode::up:
      from = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(delta);
      inside = from >= signed_most;
      break;
    case ShuffleMode::down:
      from = static_cast<std::int32_t>(lane + delta);
      inside = from <= signed_most;
      break;
    case ShuffleMode::bfly:
      from = static_cast<std::int32_t>(lane ^ delta);
      inside = from <= signed_most;
      break;
    case ShuffleMode::idx:
      from = static_cast<std::int32_t>(least | (delta & ~segment));
      inside = from <= signed_most;
      break;
  }
  return {inside ? static_cast<std::uint32_t>(from) & 31 : lane, inside};
}

/// Where nothing is followed.
void report_source(const Op &op, Context &context, std::uint32_t lane) {
  BlockRun &run = *context.run;
  const bool live = absence_of(op, run, lane, context.mask) == Absence::elsewhere;
  run.note(run.diagnostic(
      Code::invalid_shuffle, live ? Severity::error : Severity::warning, run.here(lane, op),
      fmt::format("lane {} reads from lane {}, which {}", lane, shuffle_lane(op, context, lane),
                  live ? "does not take part in the shuffle" : "does not exist")));
}

}  // namespace

std::uint32_t shuffle_lane(const Op &op, const Context &context, std::uint32_t lane) {
  const auto mode = static_cast<ShuffleMode>(op.immediate & 255);
  return shuffle_source(mode, lane, word(context, op.b, lane), word(context, op.c, lane)).lane;
}

Absence absence_of(const Op &op, const BlockRun &run, std::uint32_t lane, std::uint32_t mask) {
  const std::uint32_t from = shuffle_lane(op, run.context, lane);
  const bool named = word(run.context, op.site, lane) >> from & 1;
  if (from == lane || ((mask >> from & 1) && named)) return Absence::none;
  if (!(run.warp->all >> from & 1)) return Absence::not_in_block;
  return run.warp->live >> from & 1 ? Absence::elsewhere : Absence::returned;
}

/// d, predicate e = shuffle of a by b, clamp c; immediate: mode, bit 8: there is a predicate; site: ref of
/// the mask
void shuffle(const Op &op, Context &context) {
  const auto mode = static_cast<ShuffleMode>(op.immediate & 255);
  std::uint32_t result[32] = {}, inside = 0, absent = 0;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const Source from = shuffle_source(mode, lane, word(context, op.b, lane), word(context, op.c, lane));
    if (from.inside) inside |= 1u << lane;
    const bool there = context.mask >> from.lane & 1;
    if (!there || !(word(context, op.site, lane) >> from.lane & 1)) absent |= 1u << lane;
    result[lane] = there ? word(context, op.a, from.lane) : 0;
  }
  if (absent != 0) [[unlikely]] {
    context.run->follow_from(op);
    for (; absent && !context.run->follows(); absent &= absent - 1)
      report_source(op, context, first_lane(absent));
  }
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    put_word(context, op.d, first_lane(rest), result[first_lane(rest)]);
  if (op.immediate & 256) put_predicate(context, op.e, inside, context.mask);
}

/// d = vote of predicate a (bit 8 of immediate: negated; bit 9: e is the lane that was elected); site: ref of
/// the mask
void vote(const Op &op, Context &context) {
  const auto mode = static_cast<VoteMode>(op.immediate & 255);
  std::uint32_t holds = predicate(context, op.a);
  if (op.immediate & 256) holds = ~holds;
  std::uint32_t answer = 0;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint32_t members = word(context, op.site, lane) & context.mask;
    const std::uint32_t yes = mode == VoteMode::elect ? members & (~members + 1) : holds & members;
    if (op.immediate & 512) put_word(context, op.e, lane, first_lane(yes));
    if (mode == VoteMode::ballot)
      put_word(context, op.d, lane, yes);
    else if (mode == VoteMode::all     ? yes == members
             : mode == VoteMode::elect ? yes == 1u << lane
             : mode == VoteMode::any   ? yes != 0
                                       : yes == 0 || yes == members)
      answer |= 1u << lane;
  }
  if (mode != VoteMode::ballot) put_predicate(context, op.d, answer, context.mask);
}

/// match.any / match.all of a (immediate bit 0: all, bit 1: 64-bit, bit 2: there is a predicate e)
void match(const Op &op, Context &context) {
  const bool wide = op.immediate & 2;
  std::uint64_t values[32];
  std::uint32_t result[32] = {}, agreed = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) values[lane] = context.run->value(op.a, lane, wide);
  std::uint32_t left = context.mask;
  while (left != 0) {  // once for each value
    const std::uint64_t value = values[first_lane(left)];
    std::uint32_t equal = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      equal |= static_cast<std::uint32_t>(values[lane] == value) << lane;
    for (std::uint32_t rest = equal & left; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      const std::uint32_t members = word(context, op.site, lane) & context.mask, same = equal & members;
      if (same == members) agreed |= 1u << lane;
      result[lane] = (op.immediate & 1) && same != members ? 0 : same;
    }
    left &= ~equal;
  }
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    put_word(context, op.d, first_lane(rest), result[first_lane(rest)]);
  if (op.immediate & 4) put_predicate(context, op.e, agreed, context.mask);
}

void reduce_warp(const Op &op, Context &context) {
  const auto mode = static_cast<ReduceMode>(op.immediate);
  std::uint32_t result[32] = {};
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    std::uint32_t members = word(context, op.site, lane) & context.mask;
    std::uint32_t sum = word(context, op.a, first_lane(members));
    for (members &= members - 1; members; members &= members - 1) {
      const std::uint32_t next = word(context, op.a, first_lane(members));
      switch (mode) {
        case ReduceMode::add:
          sum += next;
          break;
        case ReduceMode::min_u:
          sum = next < sum ? next : sum;
          break;
        case ReduceMode::max_u:
          sum = next > sum ? next : sum;
          break;
        case ReduceMode::min_s:
          sum = static_cast<std::int32_t>(next) < static_cast<std::int32_t>(sum) ? next : sum;
          break;
        case ReduceMode::max_s:
          sum = static_cast<std::int32_t>(next) > static_cast<std::int32_t>(sum) ? next : sum;
          break;
        case ReduceMode::bit_and:
          sum &= next;
          break;
        case ReduceMode::bit_or:
          sum |= next;
          break;
        case ReduceMode::bit_xor:
          sum ^= next;
          break;
      }
    }
    result[lane] = sum;
  }
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    put_word(context, op.d, first_lane(rest), result[first_lane(rest)]);
}

void active_mask(const Op &op, Context &context) {
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    put_word(context, op.d, first_lane(rest), context.mask);
}

/// site: the row of the masks
void warp_sync(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  run.shared.enter_reads();  // they took place before
  run.order.time.advance();
  std::uint32_t masks[32];
  std::memcpy(masks, context.base[op.site & 1] + op.site, sizeof masks);
  bool some = false;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    some = some || (run.warp->live & ~masks[first_lane(rest)]) != 0;
  if (some) return run.order.sync_lanes(masks);
  run.order.sync_warp();
  run.warp->warp_cell = std::uint64_t{run.time()} << 32;
  if (context.warp_cell != UINT64_MAX) context.warp_cell = run.warp->warp_cell;
}

/// What the warp has done comes before all that it does from now on, for those who then acquire it. That lanes of one
/// warp see it too is more than a fence promises: a lock that one lane hands to the next does.
void fence(const Op &op, Context &context) {
  if (context.mask != 0) context.run->order.fence(static_cast<Scope>(op.immediate));
}

/// Time does not exist here: the clock counts its own readings. immediate: the result is 64 bits wide
void read_clock(const Op &op, Context &context) {
  const std::uint64_t now = context.run->tick();
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    if (op.immediate)
      std::memcpy(context.rows + op.d + lane * 8, &now, 8);
    else
      put_word(context, op.d, lane, static_cast<std::uint32_t>(now));
  }
}

void is_in_space(const Op &op, Context &context) {
  std::uint32_t mask = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t address = context.run->value(op.a, lane, true);
    const bool shared = address - shared_window < window_bytes, local = address - local_window < window_bytes;
    const bool param = address - param_window < window_bytes;
    const std::uint64_t named = (address - shared_window) >> rank_shift;
    const bool own = shared && (named == 0 || named > no_rank || named == context.run->cluster.rank() + 1);
    bool is = op.site == 0   ? own
              : op.site == 5 ? shared
              : op.site == 1 ? local
              : op.site == 2 ? param
                             : false;
    if ((op.site == 3 || op.site == 4) && !shared && !local && !param) {  // constants are in global memory
      const Allocation *found = context.run->launch.memory->find(address, address + 1);
      is = (found && !found->writable) == (op.site == 4);
    }
    if (is) mask |= 1u << lane;
  }
  std::memcpy(context.rows + op.d, &mask, 4);
}

void load_area(const Op &op, Context &context) {
  const Site &site = context.run->program.sites[op.site];
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::byte *from = context.run->area(op.e, lane) + op.immediate;
    for (std::uint32_t e = 0; e < site.elements; ++e) {
      if (!site.used[e]) continue;
      std::uint64_t value = 0;
      std::memcpy(&value, from + e * site.bytes, site.bytes);
      if (site.is_signed) {
        const int unused = 64 - 8 * site.bytes;
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
      }
      std::memcpy(context.rows + site.rows[e] + lane * (site.wide[e] ? 8 : 4), &value, site.wide[e] ? 8 : 4);
    }
  }
}

void store_area(const Op &op, Context &context) {
  const Site &site = context.run->program.sites[op.site];
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    std::byte *to = context.run->area(op.e, lane) + op.immediate;
    for (std::uint32_t e = 0; e < site.elements; ++e) {
      const std::uint64_t value = context.run->value(site.rows[e], lane, site.wide[e]);
      std::memcpy(to + e * site.bytes, &value, site.bytes);
    }
  }
}

void copy_area(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const AreaCopy &copy = run.program.copies[op.site];
  const std::uint32_t bytes = std::min(run.program.areas[copy.from].bytes, run.program.areas[copy.to].bytes);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    std::memcpy(run.area(copy.to, first_lane(rest)), run.area(copy.from, first_lane(rest)), bytes);
}

}  // namespace warpgrade::simt
