#include "machine/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "machine/checks/warpgroup_checks.hpp"
#include "machine/cluster.hpp"
#include "machine/lanes.hpp"
#include "machine/recorder.hpp"
#include "machine/stall_reports.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t charge_slice = 1 << 16;
constexpr std::uint64_t most_waiting = 2 << 18;   // a second or two: another thread of the host may write
constexpr std::size_t most_watched_of_heap = 64;  // every access searches the list
constexpr std::uint32_t time_limit_of_cells = 0xFFFF'0000;

/// Operations that must not begin twice: see BlockRun::follow_from.
bool has_guarded_local(const Program &program) {
  return std::any_of(program.ops.begin(), program.ops.end(), [&program](const Op &op) {
    if (!op.guarded || !op.accesses_memory) return false;
    const ptx::Space space = program.sites[op.site].space;
    return space == ptx::Space::local || space == ptx::Space::generic;
  });
}

std::size_t warps_of(const Launch &launch) {
  return (std::size_t{launch.block.x} * launch.block.y * launch.block.z + 31) / 32;
}

std::size_t lines(std::size_t bytes) {
  return (bytes + 63) / 64;
}

}  // namespace

BlockRun::BlockRun(LaunchState &state)
    : findings(state.saturation),
      launch(state),
      program(*state.program),
      context{},
      shared(program, state.launch.dynamic_shared_bytes,
             state.options.check_races || state.options.check_initialized, context),
      shared_shadow(state.shadow ? state.shadow : std::make_shared<Shadow>()),
      order(program, context, shared, *shared_shadow, state.options.check_races),
      products(program),
      product_registers(program),
      local(program.local_bytes, warps_of(state.launch) * 32),
      frames_(program.frame, warps_of(state.launch) * 32),
      patterns_(program.patterns.size()),
      sites_(program.sites.size()),
      tally_(program, sites_, patterns_),
      keeps_path_(state.options.keep_path),
      time_(shared_shadow->time) {
  const Dim3 block = launch.launch.block;
  threads_ = block.x * block.y * block.z;
  const std::uint32_t warps = (threads_ + 31) / 32;
  warps_.resize(warps);
  order_.resize(warps);
  rows_.resize(lines(std::size_t{program.warp_bytes} * warps) + 1);
  uniforms_.resize(lines(program.uniform_bytes) + 1);
  areas_.resize(std::size_t{program.area_bytes} * warps);
  guard_lost_.resize(program.guard_slots + 1);
  site_counts_.resize(program.sites.size());
  if (launch.options.sample_lanes) samples.resize(program.sites.size());
  statistics_.resize(program.blocks.size());
  if (launch.options.keep_branches) branches.resize(program.blocks.size());
  notes_choices_ = !branches.empty();
  watching_ = launch.options.check_races;
  locks.follow(watching_ && program.holds_locks && (order.global.tracked() || program.orders_warps));
  if (watching_ && shared_shadow->watched.empty())
    for (const Allocation *one : launch.written)
      shared_shadow->watched.push_back(watch(*one, program.global_shift));
  context.run = this;
  context.global_shift = program.global_shift;
  context.scratch = program.scratch;
  context.sites = sites_.data();
  context.patterns = patterns_.data();
  context.scattered = &scattered_;
  context.guard_lost = guard_lost_.data();
  context.base[1] = uniforms_.data()->bytes - 1;
  fill_uniforms();
  for (std::uint32_t w = 0; w < warps; ++w) prepare_warp(w);
  const bool once = launch.options.sample_lanes || launch.options.trace || has_guarded_local(program);
  if (launch.options.check_initialized && (!program.unset.empty() || (once && !program.locals.empty())))
    undefined_ = std::make_unique<Undefined>(*this);
}

void BlockRun::prepare_warp(std::uint32_t index) {
  Warp &w = warps_[index];
  w.index = index;
  const std::uint32_t first = index * 32;
  const std::uint32_t count = std::min(32u, threads_ - first);
  w.all = count == 32 ? full_mask : (1u << count) - 1;
  std::byte *rows = warp_rows(index);
  const Dim3 block = launch.launch.block;
  const auto set = [rows](Ref ref, std::uint32_t lane, std::uint32_t value) {
    std::memcpy(rows + ref + lane * 4, &value, 4);
  };
  const WarpRows &r = program.rows;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t thread = first + lane;
    set(r.tid_x, lane, thread % block.x);
    set(r.tid_y, lane, thread / block.x % block.y);
    set(r.tid_z, lane, thread / block.x / block.y);
    set(r.lane, lane, lane);
    set(r.warp_id, lane, index);
    const std::uint32_t bit = 1u << lane;
    set(r.eq, lane, bit);
    set(r.lt, lane, bit - 1);
    set(r.le, lane, bit | (bit - 1));
    set(r.gt, lane, ~(bit | (bit - 1)));
    set(r.ge, lane, ~(bit - 1));
  }
}

std::optional<std::uint64_t> LaunchState::take_block() {
  for (;;) {
    const std::uint64_t turn = next_block.fetch_add(1);
    if (turn >= blocks() || again.load()) return std::nullopt;
    const std::uint64_t index = order.empty() ? turn : order[turn];
    if (index <= first_failure.load()) return index;
    if (order.empty()) return std::nullopt;
  }
}

std::optional<std::uint64_t> BlockRun::run_all() {
  for (;;) {
    const std::optional<std::uint64_t> next = launch.take_block();
    if (!next) return std::nullopt;
    const std::uint64_t index = *next;
    try {
      if (!run_block(index)) return index;
    } catch (EndsHere &) {
      launch.first_failure = 0;
    } catch (Fault &fault) {
      if (recorder_) recorder_->finding(*this, fault.diagnostic);
      faults.push_back({index, std::move(fault)});
      std::uint64_t known = launch.first_failure.load();
      while (index < known && !launch.first_failure.compare_exchange_weak(known, index)) {
      }
    }
  }
}

Dim3 BlockRun::index_of(std::uint64_t block) const {
  const Dim3 grid = launch.launch.grid;
  return {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
          static_cast<std::uint32_t>(block / grid.x / grid.y)};
}

Watched *BlockRun::watched(const Allocation &allocation, bool store) {
  if (!watching_ || allocation.again) return nullptr;
  for (Watched &one : shared_shadow->watched)
    if (one.allocation == &allocation) return &one;
  if (!store || !launch.alone || (allocation.on_heap && shared_shadow->watched.size() > most_watched_of_heap))
    return nullptr;
  std::uint64_t cells = cells_of(allocation, program.global_shift);
  for (const Watched &one : shared_shadow->watched) cells += one.cells;
  if (cells > most_cells) return nullptr;
  shared_shadow->watched.push_back(watch(allocation, program.global_shift));
  find_ranges_anew();
  return &shared_shadow->watched.back();
}

bool BlockRun::may_be_written(const Allocation &allocation) const {
  const std::vector<Allocation *> &known = launch.written;
  return known.empty() || !launch.knows_written || program.writes_anything || allocation.on_heap ||
         std::find(known.begin(), known.end(), &allocation) != known.end();
}

void BlockRun::strengthen(Watched &watched) {
  if (watched.strong) return;
  watched.strengthen();
  find_ranges_anew();
}

/// Cached ranges include their shadow words, and these have changed.
void BlockRun::find_ranges_anew() {
  seen_version_ = ++shared_shadow->version;
  for (SiteState &site : sites_) site.begin = site.end = site.reach = 0;
}

/// Before a block runs, or resumes after others had their turn.
void BlockRun::resume_block() {
  if (!watching_) return;
  if (seen_version_ != shared_shadow->version) {
    seen_version_ = shared_shadow->version;
    for (SiteState &site : sites_) site.begin = site.end = site.reach = 0;
  }
  if (shared_shadow->running == block_number_) return;
  shared_shadow->running = block_number_;
  ++time_;
  shared_shadow->starts.emplace_back(time_, block_number_);
  if (context.block_start != 0) context.block_start = std::uint64_t{time_} << 32;
}

void BlockRun::prepare_block(std::uint64_t index) {
  block_number_ = index;
  cluster.begin(index);
  barriers_before_ = barriers_;
  block_ = index_of(index);
  set_block_uniforms();
  path.clear();
  findings.begin_block(index);
  frames_.begin_block();
  local.begin_block();
  some_exited_ = false;
  std::fill(std::begin(arrivals_), std::end(arrivals_), 0u);
  if (time_ > time_limit_of_cells - (1u << 24)) {  // old shadow words would look recent
    shared.forget_times();
    if (cluster.joined())
      for (BlockRun *one : cluster.cluster().blocks) one->shared.forget_times();
    for (Watched &one : shared_shadow->watched) one = watch(*one.allocation, program.global_shift);
    find_ranges_anew();
    shared_shadow->starts.clear();
    shared_shadow->flags = {};
    shared_shadow->guards.clear();
    shared_shadow->exchanged.clear();
    shared_shadow->proxy_fence = 0;
    time_ = 0;
  }
  ++time_;
  const std::uint64_t now = std::uint64_t{time_} << 32;
  context.block_cell = launch.options.check_initialized ? now : 0;
  context.epoch_cell = launch.options.check_races ? now : UINT64_MAX;
  shared_shadow->running = index;
  ++shared_shadow->begun;
  if (watching_) shared_shadow->starts.emplace_back(time_, index);
  context.block_start = now;
  context.read_hazards = cell_thread | writer_atomic | writer_pending;
  context.write_hazards = cell_thread | reader_many_lanes | reader_many_warps;
  watch_less();
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp &one = warps_[w];
    one.state = Warp::State::ready;
    one.live = one.all;
    one.groups.assign(1, Group{program.entry, one.all, false, 0});
    one.warp_cell = now;
    one.lanes_seen.clear();
    for (const PendingCopy &copy : one.copies) shared.abandon(copy);
    one.copies.clear();
    one.sends.clear();
    one.spins = 0;
    one.cluster_arrived = one.cluster_owes = one.cluster_time = one.cluster_phase = one.fence_time = 0;
    std::fill(std::begin(one.committed), std::end(one.committed), 0u);
    std::fill(std::begin(one.committed_sends), std::end(one.committed_sends), 0u);
  }
  // What a block reads before it is set is the same in every block, on every worker.
  if (undefined_) undefined_->begin_block();
  for (Warp &one : warps_) {
    context.warp = one.index;
    context.rows = warp_rows(one.index);
    forget_registers(program.entry, full_mask);
  }
  std::fill(areas_.begin(), areas_.end(), std::byte{unset_byte});
  shared.begin_block(!launch.options.check_initialized);
  block_time_ = time_;
  proxy_fences.begin(warps_.size() * 32);
  begin_products(*this);
  locks.clear();
  order.begin(index, warps_.size(), cluster.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (launch.warps_backwards) std::reverse(order_.begin(), order_.end());
  if (launch.options.schedule_seed != 0) {  // xorshift: the same order with every standard library
    std::uint64_t state = launch.options.schedule_seed * 0x9E3779B97F4A7C15ull + index + 1;
    for (std::size_t i = order_.size(); i > 1; --i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      std::swap(order_[i - 1], order_[state % i]);
    }
  }
  if (const auto first = launch.options.warp_first; first && *first < order_.size()) {
    const auto chosen = std::find(order_.begin(), order_.end(), *first);
    std::rotate(order_.begin(), chosen, chosen + 1);
  }
}

void BlockRun::begin(std::uint64_t index) {
  prepare_block(index);
  if (launch.recorder) {
    if (!launch.together && launch.recorder->is_complete(index)) throw EndsHere{};
    recorder_ = launch.recorder->begins(index, block_, threads_) ? launch.recorder : nullptr;
    notes_choices_ = recorder_ != nullptr || !branches.empty();
  }
  vain_rounds_ = 0;
  only_waited_ = 0;
  wait_detector.begin(launch.together);
  transactions_.clear();
  remote_copies_.clear();
}

/// False when it waits for other blocks.
bool BlockRun::run_block(std::uint64_t index) {
  begin(index);
  while (take_turns())
    if (wait_detector.waits() && launch.alone && !launch.program->uses_clusters) return false;
  return true;
}

/// A turn of each warp that can run. False when the block has ended.
bool BlockRun::take_turns() {
  bool progress = false, vain = true;  // vain: all wait at mbarriers, and no thread arrives
  std::uint64_t executed = 0;
  only_waits_ = true;
  for (const std::uint32_t w : order_) {
    if (waits_at(program, warps_[w], BarrierKind::warpgroup)) {
      const Group &group = warps_[w].groups.front();
      if (products.may_continue(warps_[w], program.blocks[group.block], group))
        warps_[w].state = Warp::State::ready;
    }
    if (cluster.joined() && waits_for_cluster(warps_[w])) {
      if (warps_[w].cluster_arrived != 0) end_cluster_phase();
      if ((warps_[w].cluster_arrived & warps_[w].live) == 0) warps_[w].state = Warp::State::ready;
    }
    if (warps_[w].state != Warp::State::ready) continue;
    progress = true;
    vain_.waits = arrived_ = false;
    enter(warps_[w]);
    run_warp(warps_[w]);
    wait_detector.end_turn(turn_given_ - turn_left_);
    executed += turn_given_ - turn_left_;
    vain = vain && vain_.waits && !arrived_;
    if (launch.together || program.waits_for_blocks) {
      warps_[w].waits = (turn_left_ == 0 || wait_detector.only_looks()) && polls(program, warps_[w]);
      only_waits_ = only_waits_ && warps_[w].waits;
    }
  }
  moved_ = progress;
  moved_in_vain_ = progress && vain && !release_counted_barriers();
  vain_rounds_ =
      moved_in_vain_ && !cluster.joined() ? vain_rounds_ + 1 : 0;  // of a cluster, others may arrive yet
  if (vain_rounds_ > most_vain_rounds) report_vain_wait(*this, vain_);
  only_waits_ = only_waits_ && progress;
  only_waited_ = only_waits_ && !launch.together ? only_waited_ + executed : 0;
  if (only_waited_ > most_waiting) look_for_host_wait();
  if (block_number_ <= launch.first_failure.load()) {
    if (!progress && waits_in_cluster()) {
      moved_ = release_counted_barriers();
      return true;
    }
    if (progress || release_barriers()) return moved_ = true;
    look_for_sends();
    if (cluster.joined()) leave_cluster();
  }
  charge(0);
  return false;
}

void BlockRun::enter(Warp &w) {
  resume_block();
  warp = &w;
  if (seen_freed_ != launch.freed) forget_ranges();  // by another block
  context.warp = w.index;
  context.rows = warp_rows(w.index);
  context.base[0] = context.rows;
  context.live = w.live;
  context.warp_cell = launch.options.check_races ? w.warp_cell : UINT64_MAX;
  order.time.set_cell();
  context.mask = 0;  // the first group sets it
  order.enter(w);
}

/// Adds to the launch's instruction count, in slices: the total decides, so it does not depend on who ran
/// what.
void BlockRun::charge(std::uint64_t instructions) {
  pending_charge_ += instructions;
  if (instructions != 0 && pending_charge_ < charge_slice) return;
  const std::uint64_t total = launch.instructions.fetch_add(pending_charge_) + pending_charge_;
  pending_charge_ = 0;
  if (launch.is_interrupted()) report_interruption(total);
  if (launch.call_others && total >= launch.options.alone_until) std::exchange(launch.call_others, nullptr)();
  if (total > launch.most_instructions.load()) {
    if (!launch.alone) launch.again = true;
    throw EndsHere{};
  }
  if (total <= launch.options.instruction_budget) return;
  if (!launch.alone) launch.again = true;  // which block it is depends on the workers
  fail(diagnostic(Code::time_limit, Severity::error, place_now(),
                  fmt::format("the launch did not end within {} warp instructions; is there an endless loop?",
                              launch.options.instruction_budget)),
       Status::time_limit);
}

/// Stops the checks of which a block has enough findings.
void BlockRun::watch_less() {
  if (findings.enough_unset()) context.block_cell = 0;
  if (findings.enough_races()) {
    context.epoch_cell = UINT64_MAX;
    context.block_start = 0;
  }
  if (findings.enough_of_warnings()) {
    context.read_hazards = cell_warp | writer_atomic | writer_pending;
    context.write_hazards = cell_warp | reader_many_warps;
  }
}

void BlockRun::forget_registers(std::uint32_t function, std::uint32_t mask) {
  const auto unset = program.unset.find(function);
  if (unset == program.unset.end()) return;
  const auto forget = [&](Ref ref, std::size_t bytes) {
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      std::memset(context.rows + ref + first_lane(rest) * bytes, unset_byte, bytes);
  };
  for (const Ref ref : unset->second.words) forget(ref, 4);
  for (const Ref ref : unset->second.wides) forget(ref, 8);
  for (const Ref ref : unset->second.predicates) {
    std::uint32_t holds;
    std::memcpy(&holds, context.rows + ref, 4);
    holds |= mask;
    std::memcpy(context.rows + ref, &holds, 4);
  }
  if (undefined_) undefined_->begin_function(unset->second, mask);
}

bool BlockRun::is_unset(std::uint32_t lane, std::uint64_t offset, std::uint32_t bytes) {
  for (std::uint64_t i = offset; i < offset + bytes; ++i)
    if (local.has_value(thread(lane), i) && (!undefined_ || undefined_->local_bits(lane)[i] != 255))
      return false;
  return true;
}

void BlockRun::mark_set(std::uint32_t lane, std::uint64_t offset, std::uint32_t bytes) {
  local.mark_written(thread(lane), offset, bytes);
  if (undefined_) std::memset(undefined_->local_bits(lane) + offset, 0, bytes);
}

void BlockRun::note_step(const Warp &w, std::uint32_t block) {
  if (w.index == 0 && path.size() <= Path::most) path.push_back(block);
}

void BlockRun::follow_from(const Op &op) const {
  if (!undefined_ && launch.options.check_initialized && !launch.options.trace) throw Undefined::Found{&op};
}

void BlockRun::follow_replaced(const Op &op) const {
  if (!undefined_) throw Undefined::Found{&op, true};
}

std::byte *BlockRun::area(std::uint32_t index, std::uint32_t lane) {
  const CallArea &one = program.areas[index];
  return areas_.data() + std::size_t{context.warp} * program.area_bytes + one.offset +
         std::size_t{lane} * one.bytes;
}

void BlockRun::forget_pattern(std::uint32_t pattern) {
  const std::vector<std::uint32_t> &sites = program.patterns[pattern];
  if (program.sites[sites.front()].space == ptx::Space::shared) shared.enter_reads();
  for (const std::uint32_t site : sites) {
    tally_.settle(sites_[site]);
    sites_[site].reach = 0;
  }
  tally_.forget(pattern);
}

/// After a barrier of the block: who has read no longer matters, nor who has written, but for copies under way.
void BlockRun::begin_epoch() {
  // Other blocks are not ordered by it, nor are bulk copies, for which a fence must follow.
  if (cluster.joined() || program.refills_shared) shared.enter_reads();
  if (context.epoch_cell != UINT64_MAX) context.epoch_cell = std::uint64_t{time_} << 32;
  shared.begin_epoch();
  if (cluster.joined()) shared.keep_covered();
  for (const Warp &one : warps_)
    for (const PendingCopy &copy : one.copies) shared.mark_written(copy.to, copy.bytes);
  locks.share();
  order.pass_all();
}

void make_room(Context &context, SharedRange &range) {
  context.run->shared.make_room(range);
}

void BlockRun::forget_ranges() {
  seen_freed_ = launch.freed;
  for (SiteState &site : sites_) site.begin = site.end = site.reach = 0;
}

}  // namespace warpgrade::simt
