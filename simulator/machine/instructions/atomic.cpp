// Atomics, and the asynchronous copies of cp.async.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "machine/instructions/bulk.hpp"
#include "machine/instructions/quick_atomic.hpp"
#include "machine/instructions/scalar.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::ptrdiff_t most_copies = 1 << 15;  // of one warp that are in flight

/// The T in the low bytes.
template <class T>
T narrowed(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool is_nan(std::uint64_t bits) {
  return (bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000;
}
std::uint32_t low_half(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits) & 0xFFFF;
}
std::uint32_t high_half(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits) >> 16;
}

/// What memory holds afterwards. U: unsigned of the access's width.
template <class U>
U combine(AtomicKind kind, U old, U operand, U swap) {
  using S = std::make_signed_t<U>;
  switch (kind) {
    case AtomicKind::add:
      return static_cast<U>(old + operand);
    case AtomicKind::add_f32:
      return static_cast<U>(
          std::bit_cast<std::uint32_t>(canonical(narrowed<float>(old) + narrowed<float>(operand))));
    case AtomicKind::add_f32_global: {
      const float sum = flushed(narrowed<float>(old)) + flushed(narrowed<float>(operand));
      return static_cast<U>(std::bit_cast<std::uint32_t>(canonical(flushed(sum))));
    }
    case AtomicKind::add_f64: {
      const double sum = narrowed<double>(old) + narrowed<double>(operand);
      if (sum == sum) return static_cast<U>(std::bit_cast<std::uint64_t>(sum));
      return is_nan(operand) ? operand
             : is_nan(old)   ? old
                             : static_cast<U>(0xFFF8000000000000);  // as it comes
    }
    case AtomicKind::add_f64_shared: {
      const double x = narrowed<double>(old), y = narrowed<double>(operand);
      const double sum = x + y;
      return static_cast<U>(std::bit_cast<std::uint64_t>(sum == sum ? sum : nan_of({x, y})));
    }
    case AtomicKind::add_f16:
      return static_cast<U>(add_halves(low_half(old), low_half(operand)));
    case AtomicKind::add_f16x2:
      return static_cast<U>(add_halves(low_half(old), low_half(operand)) |
                            add_halves(high_half(old), high_half(operand)) << 16);
    case AtomicKind::add_bf16:
      return static_cast<U>(add_bfloats(low_half(old), low_half(operand)));
    case AtomicKind::add_bf16x2:
      return static_cast<U>(add_bfloats(low_half(old), low_half(operand)) |
                            add_bfloats(high_half(old), high_half(operand)) << 16);
    case AtomicKind::min_u:
      return old < operand ? old : operand;
    case AtomicKind::max_u:
      return old > operand ? old : operand;
    case AtomicKind::min_s:
      return static_cast<S>(old) < static_cast<S>(operand) ? old : operand;
    case AtomicKind::max_s:
      return static_cast<S>(old) > static_cast<S>(operand) ? old : operand;
    case AtomicKind::inc:
      return old >= operand ? 0 : static_cast<U>(old + 1);
    case AtomicKind::dec:
      return old == 0 || old > operand ? operand : static_cast<U>(old - 1);
    case AtomicKind::bit_and:
      return old & operand;
    case AtomicKind::bit_or:
      return old | operand;
    case AtomicKind::bit_xor:
      return old ^ operand;
    case AtomicKind::exch:
      return operand;
    case AtomicKind::cas:
      return old == operand ? swap : old;
  }
  return old;
}

/// shared: other host threads may access it now, which run other blocks of this launch
template <class U>
std::uint64_t update(AtomicKind kind, std::byte *at, std::uint64_t operand, std::uint64_t swap, bool shared) {
  if (!shared) {
    U old;
    std::memcpy(&old, at, sizeof old);
    const U now = combine<U>(kind, old, static_cast<U>(operand), static_cast<U>(swap));
    std::memcpy(at, &now, sizeof now);
    return old;
  }
  const std::atomic_ref<U> cell(*reinterpret_cast<U *>(at));
  U old = cell.load();
  while (!cell.compare_exchange_weak(old,
                                     combine<U>(kind, old, static_cast<U>(operand), static_cast<U>(swap)))) {
  }
  return old;
}

std::uint64_t narrow(std::uint64_t bits, std::uint32_t bytes) {
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
}

/// Sums of floats differ between shared memory, where the compiler makes a loop of them, and global memory.
AtomicKind kind_in(ptx::Space space, AtomicKind kind) {
  const bool shared = space == ptx::Space::shared;
  if (kind == AtomicKind::add_f32) return shared ? kind : AtomicKind::add_f32_global;
  if (kind == AtomicKind::add_f64) return shared ? AtomicKind::add_f64_shared : kind;
  return kind;
}

}  // namespace

namespace {

/// Changes the value of one lane's atomic in memory. Returns the previous one.
std::uint64_t update_lane(const Op &op, const Site &site, Context &context, std::uint32_t lane,
                          ptx::Space space, std::byte *host) {
  BlockRun &run = *context.run;
  const bool wide = site.bytes == 8;
  const std::uint64_t operand = run.value(op.b, lane, wide), swap = run.value(op.c, lane, wide);
  const AtomicKind kind = kind_in(space, static_cast<AtomicKind>(site.atomic));
  const bool shared = space == ptx::Space::global && !run.launch.alone;
  const std::uint64_t old = site.bytes == 8   ? update<std::uint64_t>(kind, host, operand, swap, shared)
                            : site.bytes == 4 ? update<std::uint32_t>(kind, host, operand, swap, shared)
                                              : update<std::uint16_t>(kind, host, operand, swap, shared);
  if (site.action == Site::Action::atomic)
    std::memcpy(context.rows + op.d + lane * (wide ? 8 : 4), &old, wide ? 8 : 4);
  if (run.wait_detector.records() && std::memcmp(host, &old, site.bytes) != 0)
    run.wait_detector.note_change();
  return old;
}

/// An exchange or a compare-and-swap finds what nobody has written: the use of it is the mistake. A thread that looks at
/// the word, and might have looked before that, finds nothing either: Check::look_at_exchange. Looks by atomics are not
/// followed word by word, so in a kernel that has some, the exchange is the mistake.
bool finds_nothing(const LaneAccess &access, const Target &target) {
  if (!replaces(access.site) || (target.allocation && access.run.program.looks_by_atomics) ||
      !access.run.follows() || !is_unwritten(access, target))
    return false;
  Replaced &replaced = access.run.replaced();
  const SharedVariable *const variable =
      target.space == ptx::Space::shared ? access.run.shared.variable_at(target.offset) : nullptr;
  const std::uint64_t begin = target.allocation ? target.allocation->begin : variable ? variable->begin : 0;
  const std::uint64_t at = target.allocation ? access.address : target.offset;
  replaced.lanes |= 1u << access.lane;
  replaced.elements[access.lane] = static_cast<std::uint32_t>((at - begin) / access.bytes);
  replaced.offsets[access.lane] = target.offset;
  replaced.name = target.allocation ? target.allocation->name : variable ? variable->name : std::string();
  return true;
}

void atomic_slowly(const Op &op, const Site &site, Context &context, std::uint32_t lane,
                   std::uint64_t address) {
  BlockRun &run = *context.run;
  const LaneAccess access{op, site, run, lane, address, site.bytes, true};
  Target target;
  if (!try_resolve(access, target)) {
    if (site.action == Site::Action::atomic)
      std::memset(context.rows + op.d + lane * (site.bytes == 8 ? 8 : 4), 0, site.bytes == 8 ? 8 : 4);
    return;
  }
  const bool nothing = finds_nothing(access, target);
  if (target.owner)
    check_remote(access, target, true, false);
  else if (target.space == ptx::Space::shared)
    check_shared(access, target.offset, true, false);
  else if (target.space == ptx::Space::local)
    run.local.fill_unset(run.thread(lane), target.offset, site.bytes),
        run.local.mark_written(run.thread(lane), target.offset, site.bytes);
  else {
    if (!nothing) check_valid(access, target);
    check_global(access, target, true, nullptr);
    ++run.count(site).global_atomics;
  }
  if (target.allocation) run.tally().touch(*target.allocation, Touch::atomic, address, site.bytes);
  const std::uint64_t operand = run.value(op.b, lane, site.bytes == 8);
  const std::uint64_t old = update_lane(op, site, context, lane, target.space, target.host);
  const bool swaps = static_cast<AtomicKind>(site.atomic) == AtomicKind::cas;
  const bool asked =
      old == narrow(operand, site.bytes);  // an exchange that finds what it puts there takes no lock
  const bool writes = !swaps || asked;
  const bool changes = std::memcmp(target.host, &old, site.bytes) != 0;
  note_lock(access, target, swaps ? asked : !asked, changes);
  note_ticket(access, target, old);
  if (nothing && !writes && !target.allocation) run.replaced().kept |= 1u << lane;
  if (nothing && writes && target.allocation) note_exchange(access);
  if (!target.allocation) return;
  if (target.allocation->valid && (writes || !nothing))
    std::memset(target.allocation->valid.get() + (address - target.allocation->begin), 1, site.bytes);
  run.order.access_global({site, op.site, lane, address}, site.action == Site::Action::atomic, writes,
                          changes);
}

}  // namespace

void atomic_access(const Op &op, Context &context) {
  if (context.mask == 0) return;
  const Site &site = site_of(op, context);
  std::uint64_t addresses[32];
  addresses_of(op, site, context, addresses);
  ++context.run->count(site).atomic_requests;
  const ptx::Space space = site.space == ptx::Space::shared ? ptx::Space::shared : ptx::Space::global;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    if (std::byte *const host = enter_quickly(op, site, context, lane, addresses[lane]))
      update_lane(op, site, context, lane, space, host);
    else
      atomic_slowly(op, site, context, lane, addresses[lane]);
  }
  if (context.run->replaced().lanes != 0) [[unlikely]]
    context.run->follow_replaced(op);
}

/// red.async: [shared of any block of the cluster a + immediate], b, [mbarrier e + barrier_offset]. Memory
/// changes at once: whoever reads it without having waited at the barrier is found as for any reduction.
void reduce_async(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  std::uint64_t addresses[32];
  addresses_of(op, site, context, addresses);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    Mbarrier barrier(op, context, lane, run.value(op.e, lane, site.wide_barrier) + site.barrier_offset,
                     false);
    const LaneAccess access{op, site, run, lane, addresses[lane], site.bytes, true};
    Target target;
    if (try_resolve(access, target)) {
      need_same_block(access, target, barrier);
      if (target.owner)
        check_remote(access, target, true, false);
      else
        check_shared(access, target.offset, true, false);
      update_lane(op, site, context, lane, ptx::Space::shared, target.host);
      barrier.tell(run.order.release(1u << lane, true), 1u << lane,
                   false);  // there with the end of the phase
    }
    barrier.bring(site.bytes);
  }
  run.order.time.advance();
}

Address copy_source(const Op &op, const Context &context, std::uint32_t lane) {
  const auto offset = static_cast<std::int64_t>(static_cast<std::int32_t>(op.e));
  return context.run->value(op.b, lane, true) + static_cast<std::uint64_t>(offset);
}

std::uint32_t copy_length(const Op &op, const Site &site, const Context &context, std::uint32_t lane) {
  return std::min(site.copy_bytes, static_cast<std::uint32_t>(context.run->value(op.c, lane, false)));
}

/// cp.async [shared a], [global b + e], copy_bytes, source bytes c: the data is read now and arrives at the
/// wait.
void copy_async(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  std::uint64_t to[32], from[32];
  addresses_of(op, site, context, to);
  std::uint32_t reading = 0;
  const Allocation *buffer = nullptr;
  bool one_buffer = true;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    from[lane] = copy_source(op, context, lane);
    const std::uint32_t bytes = copy_length(op, site, context, lane);
    const LaneAccess store{op, site, run, lane, to[lane], site.copy_bytes, true};
    Target target;
    if (!try_resolve(store, target)) continue;
    PendingCopy copy;
    copy.to = static_cast<std::uint32_t>(target.offset);
    copy.bytes = site.copy_bytes;
    copy.site = op.site;
    copy.lane = static_cast<std::uint8_t>(lane);
    if (bytes > 0) {
      const LaneAccess load{op, site, run, lane, from[lane], bytes, false};
      Target source;
      if (!try_resolve(load, source)) continue;
      check_valid(load, source);
      check_global(load, source, false, nullptr);
      std::memcpy(copy.data, source.host, bytes);
      run.tally().touch(*source.allocation, Touch::load, from[lane], bytes);
      one_buffer = one_buffer && (reading == 0 || source.allocation == buffer);
      buffer = source.allocation;
      reading |= 1u << lane;
    }
    if (target.space == ptx::Space::shared) check_shared(store, target.offset, false, true);
    run.warp->copies.push_back(copy);
  }
  // A loop that never waits: the oldest ones have long arrived.
  std::vector<PendingCopy> &copies = run.warp->copies;
  if (std::ssize(copies) > most_copies) {
    const auto half = copies.begin() + most_copies / 2;
    std::for_each(copies.begin(), half, [&](const PendingCopy &copy) { run.deliver(copy, run.warp->index); });
    copies.erase(copies.begin(), half);
  }
  if (!reading) return;
  run.tally().of(op.site, ptx::Space::global, one_buffer ? buffer : nullptr).global +=
      global_traffic(from, reading, site.copy_bytes);
}

void commit_copies(const Op &, Context &context) {
  Warp &warp = *context.run->warp;
  for (PendingCopy &copy : warp.copies)
    if (!copy.committed && (context.mask >> copy.lane & 1)) {
      copy.committed = true;
      copy.group = warp.committed[copy.lane];
    }
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) ++warp.committed[first_lane(rest)];
}

/// Leaves at most `immediate` committed groups in flight; ~0: waits for everything.
void wait_copies(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  Warp &warp = *run.warp;
  std::erase_if(warp.copies, [&](const PendingCopy &copy) {
    if (!(context.mask >> copy.lane & 1)) return false;
    if (op.immediate != UINT64_MAX &&
        (!copy.committed || copy.group + op.immediate >= warp.committed[copy.lane]))
      return false;
    run.deliver(copy, warp.index);
    return true;
  });
}

}  // namespace warpgrade::simt
