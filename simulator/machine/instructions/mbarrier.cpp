// Barriers in memory: the basis of cuda::barrier and cuda::pipeline.
//
// A token is a copy of the barrier's word. mbarrier_order.hpp says what the end of a phase orders.
#include "machine/instructions/mbarrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "machine/lanes.hpp"

namespace warpgrade::simt {

Mbarrier::Mbarrier(const Op &op, Context &context, std::uint32_t lane, std::uint64_t address, bool plain)
    : run_(*context.run),
      access_{op, site_of(op, context), run_, lane, address, 8, true},
      target_(resolve(access_)) {
  if (target_.space != ptx::Space::shared) fail("an mbarrier must be in shared memory");
  if (target_.owner) {
    if (plain) fail("an mbarrier can be initialized and invalidated only by its own block");
    check_remote(access_, target_, true, false);
  } else {
    check_shared(access_, target_.offset, !plain, false);
  }
  std::uint64_t word;
  std::memcpy(&word, target_.host, 8);
  state = MbarrierState::of(word);
  if (!plain) finish_if_due();
}

void Mbarrier::store() const {
  const std::uint64_t word = state.word();
  std::memcpy(target_.host, &word, 8);
}

void Mbarrier::initialise(std::uint32_t count) {
  if (count == 0 || count > MbarrierState::most_arrivals)
    fail(
        fmt::format("an mbarrier cannot wait for {} arrivals: 1 to {}", count, MbarrierState::most_arrivals));
  state = {0, count, count};
  run_.forget_transactions(offset());
  run_.order.mbarriers.initialize(offset());
  store();
  run_.mbarrier_progress();
}

void Mbarrier::invalidate() {
  state = {};
  run_.forget_transactions(offset());
  store();
}

void Mbarrier::tell(const Released &told, std::uint32_t lanes, bool waits) const {
  if (!is_remote()) return run_.order.arrive(offset(), told, lanes, waits);
  if (!run_.is_narrow(access_.site.scope)) owner().order.arrive(offset(), run_.order, told);
}

void Mbarrier::arrive(std::uint32_t count, bool drop) {
  if (count > state.missing)
    fail(fmt::format(
        "more threads arrive at an mbarrier than it was initialized for: {} are missing, {} arrive",
        state.missing, count));
  if (!is_remote()) run_.products.release(run_.context.warp, offset());
  if (drop) --state.expected;
  state.missing -= count;
  settle();
}

void Mbarrier::expect(std::uint32_t bytes) {
  Transactions &now = owner().transactions(offset());
  now.expected += bytes;
  if (now.expected > most_bytes)
    fail(fmt::format("an mbarrier counts at most {} bytes: {} are expected", most_bytes, now.expected));
  settle();
}

void Mbarrier::bring(std::uint64_t bytes) {
  owner().transactions(offset()).copied += static_cast<std::int64_t>(bytes);
  settle();
}

/// A phase without bulk copies ends here, if the last to arrive is of the same block. Others end when
/// somebody looks: until then copies may be under way, so that whoever reads without having waited is found.
void Mbarrier::settle() {
  run_.mbarrier_progress();
  store();
  if (!is_remote() && owner().transactions(offset()).expected == 0) finish_if_due();
}

void Mbarrier::finish_if_due() {
  const Transactions bytes = owner().transactions(offset());
  if (state.missing != 0 || state.expected == 0 || bytes.expected != bytes.copied) return;
  state.phase = (state.phase + 1) & 0xFFFFFF;
  state.missing = state.expected;
  store();
  owner().complete_phase(offset());
  if (is_remote()) run_.order.time.advance();
}

void Mbarrier::fail(std::string message) const {
  run_.fail(run_.diagnostic(Code::barrier_divergence, Severity::error, run_.here(access_.lane, access_.op),
                            std::move(message)));
}

namespace {

/// noinc: the copies arrive, and what the thread has done is released with them
bool arrives(const Op &op, MbarrierKind kind) {
  return (kind >= MbarrierKind::arrive && kind <= MbarrierKind::arrive_drop_expect) ||
         (kind == MbarrierKind::copies_arrive && op.e != 0);
}

}  // namespace

/// a: address; b: count, token, parity or bytes; d: token or predicate, if bit 0 of e. Site::atomic:
/// MbarrierKind
void mbarrier_access(const Op &op, Context &context) {
  if (context.mask == 0) return;
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const auto kind = static_cast<MbarrierKind>(site.atomic);
  std::uint64_t addresses[32];
  addresses_of(op, site, context, addresses);
  ++run.count(site).atomic_requests;
  std::uint32_t passed = 0;
  MbarrierState last;
  std::optional<Released> told;  // to the mbarrier of the previous lane, until its phase ends
  std::uint64_t told_at = 0;
  std::uint32_t waits_at = 0;
  std::uint32_t heard = 0, heard_at = 0;  // lanes that find a phase over
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    Mbarrier barrier(op, context, lane, addresses[lane],
                     kind == MbarrierKind::init || kind == MbarrierKind::inval);
    const std::uint64_t token = barrier.state.word();
    if (arrives(op, kind) && (!told || addresses[lane] != told_at)) {
      if (!told) told = run.order.release(context.mask, site.releases);
      barrier.tell(*told, context.mask, site.waits_next);
      told_at = addresses[lane];
    }
    switch (kind) {
      case MbarrierKind::init:
        barrier.initialise(static_cast<std::uint32_t>(run.value(op.b, lane, false)));
        break;
      case MbarrierKind::inval:
        barrier.invalidate();
        break;
      case MbarrierKind::arrive:
      case MbarrierKind::arrive_drop:
        barrier.arrive(static_cast<std::uint32_t>(run.value(op.b, lane, false)),
                       kind == MbarrierKind::arrive_drop);
        if (op.e) std::memcpy(context.rows + op.d + lane * 8, &token, 8);
        break;
      case MbarrierKind::expect:
        barrier.expect(static_cast<std::uint32_t>(run.value(op.b, lane, false)));
        break;
      case MbarrierKind::complete:
        barrier.bring(run.value(op.b, lane, false));
        break;
      case MbarrierKind::arrive_expect:
      case MbarrierKind::arrive_drop_expect:
        barrier.expect(static_cast<std::uint32_t>(run.value(op.b, lane, false)));
        barrier.arrive(1, kind == MbarrierKind::arrive_drop_expect);
        if (op.e) std::memcpy(context.rows + op.d + lane * 8, &token, 8);
        break;
      case MbarrierKind::copies_arrive:
        if (barrier.is_remote()) barrier.fail("cp.async can signal only the mbarriers of its own block");
        run.attach_copies(lane, barrier.offset());
        if (op.e) barrier.arrive(1, false);
        break;
      case MbarrierKind::test:
        if (MbarrierState::of(run.value(op.b, lane, true)).phase != barrier.state.phase) passed |= 1u << lane;
        break;
      case MbarrierKind::test_parity:
        if ((run.value(op.b, lane, false) & 1) != (barrier.state.phase & 1)) passed |= 1u << lane;
        break;
    }
    if (barrier.is_remote() && (kind == MbarrierKind::test || kind == MbarrierKind::test_parity))
      barrier.fail("a thread can wait only at an mbarrier of its own block");
    last = barrier.state, waits_at = barrier.offset();
    if (last.phase != MbarrierState::of(token).phase) told.reset();
    if ((passed >> lane & 1) == 0) continue;
    if (heard != 0 && heard_at != waits_at) run.acquire_phase(heard_at, std::exchange(heard, 0), site);
    heard |= 1u << lane;
    heard_at = waits_at;
  }
  if (arrives(op, kind)) run.order.time.advance();
  if (heard != 0) run.acquire_phase(heard_at, heard, site);
  if (kind != MbarrierKind::test && kind != MbarrierKind::test_parity) return;
  std::uint32_t before;
  std::memcpy(&before, context.rows + op.d, 4);
  const std::uint32_t after = (before & ~context.mask) | passed;
  std::memcpy(context.rows + op.d, &after, 4);
  if (passed == 0) run.wait_in_vain(op, last.missing, last.expected, run.transactions(waits_at));
}

void BlockRun::order_block() {
  ++time_;
  begin_epoch();
  if (cluster.joined()) ClusterPort::share(warps_);
  order.time.set_cell();
}

void BlockRun::acquire_phase(std::uint32_t barrier, std::uint32_t lanes, const Site &site) {
  products.acquire(context.warp, barrier);
  order.acquire(barrier, lanes, site);
}

void BlockRun::complete_phase(std::uint32_t barrier) {
  forget_transactions(barrier);
  order.time.advance();
  for (Warp &one : warps_)
    std::erase_if(one.copies, [&](const PendingCopy &copy) {
      if (copy.barrier != barrier) return false;
      const std::uint64_t starter = std::uint64_t{block_time_} << 32 | std::uint64_t{one.index} << 5 |
                                    std::uint64_t{copy.site} << 12 | copy.lane;
      deliver_counted(copy.to, copy.bytes, copy.data, barrier, starter);
      return true;
    });
  std::erase_if(remote_copies_, [&](const RemoteCopy &copy) {
    if (copy.barrier != barrier) return false;
    receive(copy);
    return true;
  });
  const std::uint32_t meet = order.mbarriers.end_phase(barrier, time_ + 1, cluster.joined());
  const bool all_meet = std::all_of(warps_.begin(), warps_.end(), [meet](const Warp &one) {
    return one.live == 0 || (meet >> one.index & 1) != 0;
  });
  all_meet ? order_block() : order.time.advance();
}

/// A copy that an mbarrier counts arrives: only threads that have waited for it observe it.
void BlockRun::deliver_counted(std::uint32_t to, std::uint32_t bytes, const std::byte *data,
                               std::uint32_t barrier, std::uint64_t starter) {
  define_shared(to, bytes);
  std::memcpy(context.shared + to, data, bytes);
  if (!context.writers) return;
  const std::uint64_t cell = std::uint64_t{time_} << 32 | order.mbarriers.add_copy(barrier, starter);
  for (std::uint64_t i = to >> cell_shift(); i <= (to + bytes - 1) >> cell_shift(); ++i)
    (context.writers[i] == remote_mark ? shared.remote(i).hidden : context.writers[i]) = cell;
}

/// The copies that a lane has started complete no later than the phase of the barrier.
void BlockRun::attach_copies(std::uint32_t lane, std::uint32_t barrier) {
  for (PendingCopy &copy : warp->copies)
    if (copy.lane == lane && copy.barrier == 0) copy.barrier = barrier;
}

/// A copy of cp.async arrives.
void BlockRun::deliver(const PendingCopy &copy, std::uint32_t warp_index) {
  if (undefined_) undefined_->define_shared(copy.to, copy.bytes);
  std::memcpy(context.shared + copy.to, copy.data, copy.bytes);
  if (!context.writers) return;
  const std::uint64_t cell = std::uint64_t{time_} << 32 | std::uint64_t{warp_index} << 5 |
                             std::uint64_t{copy.site} << 12 | copy.lane;
  for (std::uint64_t i = copy.to >> cell_shift(); i <= (copy.to + copy.bytes - 1) >> cell_shift(); ++i)
    (context.writers[i] == remote_mark ? shared.remote(i).hidden : context.writers[i]) = cell;
}

/// No lane of the group may go on. If nothing else of the warp can run, or all of it has waited in vain during
/// this turn, other warps have their turn at once.
void BlockRun::wait_in_vain(const Op &op, std::uint32_t missing, std::uint32_t expected, Transactions bytes) {
  bool all_wait = true;
  for (Group &group : warp->groups) {
    const Block &block = program.blocks[group.block];
    if (group.mask == context.mask) {
      group.vain = warp_turns_;
      group.turn = ++turns_;
    }
    const bool runs = !group.waiting || (block.end == End::sync && sync_ready(*warp, block, group));
    all_wait = all_wait && (!runs || group.vain == warp_turns_);
  }
  if (!all_wait) {
    others_first_ = true;
    return;
  }
  turn_left_ = 0;
  vain_ = {true, &op, warp->index, first_lane(context.mask), missing, expected, bytes};
}

}  // namespace warpgrade::simt
