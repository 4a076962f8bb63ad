// Ordinary accesses and those of bulk copies and wgmma, which go through the async proxy: only a fence.proxy.async orders
// the two. docs/memory-model.md says which fences are required.
#include <algorithm>

#include "decode/handlers.hpp"
#include "machine/checks/proxy_fences.hpp"
#include "machine/checks/watch.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t found_between_proxies = std::uint64_t{0x9D} << 56;

using Missing = ProxyFences::Missing;

/// What is said of a missing fence.
struct MissingText {
  Severity severity;
  const char *words;
};

constexpr const char *store_unseen_in_global =
    "global memory that ordinary stores of this kernel have written is read by a bulk copy, which may not "
    "see them: a "
    "fence.proxy.async (for global memory) is missing after the stores, before the barrier";
constexpr const char *read_overwritten =
    "a bulk copy overwrites shared memory that ordinary loads have read: PTX does not order the copy after "
    "the loads "
    "without a fence.proxy.async after them, before the barrier that lets the copy start; often it works "
    "without";
constexpr const char *write_overwritten =
    "a bulk copy overwrites shared memory that ordinary stores have written: PTX does not order the copy "
    "after the "
    "stores without a fence.proxy.async after them, before the barrier that lets the copy start; often it "
    "works without";

constexpr const char *read_overwritten_in_global =
    "a bulk copy overwrites global memory that ordinary loads have read: PTX does not order the "
    "copy after the loads without a fence.proxy.async (for global memory) after them, before the barrier "
    "that lets the copy start; often it works without";
constexpr const char *write_overwritten_in_global =
    "a bulk copy overwrites global memory that ordinary stores have written: PTX does not order "
    "the copy after the stores without a fence.proxy.async (for global memory) after them, before the "
    "barrier that lets the copy start; often it works without";
constexpr const char *read_overwritten_in_cluster =
    "a bulk copy overwrites shared memory of another block of the cluster that ordinary loads there have "
    "read: PTX does not order the copy after the loads without a fence.proxy.async after them, before the "
    "other block lets the copy start; often it works without";
constexpr const char *write_overwritten_in_cluster =
    "a bulk copy overwrites shared memory of another block of the cluster that ordinary stores there have "
    "written: PTX does not order the copy after the stores without a fence.proxy.async after them, before "
    "the other block lets the copy start; often it works without";

constexpr MissingText missing_texts[ProxyFences::kinds] = {
    {Severity::error,
     "shared memory that ordinary stores have written is read by a bulk copy or wgmma, which may not see "
     "them: a "
     "fence.proxy.async is missing after the stores, before the barrier"},
    {Severity::warning,
     "shared memory that cp.async has written is read by a bulk copy or wgmma, which PTX does not order "
     "after it: a "
     "fence.proxy.async is missing after the wait for the copies, before the barrier; often it works "
     "without"},
    {Severity::warning, read_overwritten},
    {Severity::warning, read_overwritten_in_global},
    {Severity::warning, read_overwritten_in_cluster},
};

/// words: null for those of the table
void report_unfenced(const LaneAccess &access, std::uint64_t before, Missing missing,
                     const char *words = nullptr) {
  BlockRun &run = access.run;
  const MissingText &text = missing_texts[static_cast<std::size_t>(missing)];
  const std::uint64_t site = before >> 12 & cell_sites;
  const SourceLine earlier = run.line_of(run.program.sites[site].location);
  const Side now = run.here(access.lane, access.op);
  const std::uint64_t handle = found_between_proxies | std::uint64_t{access.op.site} << 20 | site |
                               static_cast<std::uint64_t>(missing) << 52;
  const bool enough =
      text.severity == Severity::error ? run.findings.enough_races() : run.findings.enough_of_warnings();
  if (enough || run.count_known(handle, Code::race, text.severity)) return;
  if (!run.proxy_fences.is_first_report(missing, earlier, now.at)) return;
  Diagnostic made = run.diagnostic(Code::race, text.severity, now, words ? words : text.words);
  const auto from = static_cast<std::uint32_t>(before & cell_thread);
  made.other = run.side(from >> 5, from & 31, earlier);
  made.other->block = run.block_at(before);
  run.note(std::move(made), handle);
}

/// Whether an access comes before what the lane does now. If not, the two race, and that is reported as such.
bool is_ordered(const LaneAccess &access, std::uint64_t cell) {
  const BlockRun &run = access.run;
  const Context &context = run.context;
  const std::uint64_t mine = context.now_cell | access.lane;
  if (cell < context.epoch_cell || ((cell ^ mine) & cell_thread) == 0) return true;
  const bool own_warp = ((cell ^ mine) & cell_warp) == 0;
  if (own_warp && (cell < context.warp_cell || run.order.knows_lane(access.lane, cell))) return true;
  return run.order.comes_before(cell, access.lane);
}

/// Whether a shadow word names an ordinary access of this block, which no fence orders before what the warp does now.
bool is_unfenced_here(const LaneAccess &access, std::uint64_t cell) {
  const BlockRun &run = access.run;
  const std::uint64_t site = cell >> 12 & cell_sites;
  return cell >> 32 >= run.block_time() && site < run.program.sites.size() &&
         !run.proxy_fences.is_fenced(ProxyFences::Space::shared, cell, run.context.warp);
}

/// Whether a shadow word names an ordinary access, and not one of a copy or product.
bool is_ordinary(const BlockRun &run, std::uint64_t cell) {
  const std::uint64_t number = cell >> 12 & cell_sites;
  if (cell == 0 || number >= run.program.sites.size()) return false;
  const Site &site = run.program.sites[number];
  return !site.bulk && !site.product && !site.mbarrier;
}

/// Whether a fence may lie between an access by a thread of another block, to its shared memory, and what this block does
/// now: one of its threads on the way, or any of another block.
bool is_fenced_in_cluster(const BlockRun &owner, std::uint64_t cell) {
  const auto thread = static_cast<std::uint32_t>(cell & cell_thread);
  if (owner.proxy_fences.is_fenced(ProxyFences::Space::shared, cell, thread / 32)) return true;
  const std::vector<BlockRun *> &blocks = owner.cluster.cluster().blocks;
  return std::any_of(blocks.begin(), blocks.end(), [&owner, cell](const BlockRun *one) {
    return one != &owner && one->proxy_fences.latest(ProxyFences::Space::shared) > cell >> 32;
  });
}

/// Whether a fence may lie between an access to global memory and what the warp does now. Of another block it is enough
/// that anybody has fenced since.
bool is_fenced_in_global(BlockRun &run, std::uint64_t cell) {
  if (run.is_other_block(cell)) return run.shadow().proxy_fence > cell >> 32;
  return run.proxy_fences.is_fenced(ProxyFences::Space::global, cell, run.context.warp);
}

/// cuda::memcpy_async makes a bulk copy where it can, and its callers are promised that a barrier is enough. Without
/// lines, any copy may be one.
bool may_be_memcpy_async(const LaneAccess &access) {
  if (access.site.location < 0) return true;
  const ptx::Module &module = *access.run.program.module;
  return ptx::is_inlined_from(module, access.site.location, "/__memcpy_async/") &&
         !ptx::is_inlined_from(module, access.site.location, "/memcpy_async_tx");
}

}  // namespace

void ProxyFences::begin(std::size_t threads) {
  for (Fences *one : {&shared_, &global_}) {
    one->of_thread.assign(threads, 0);
    one->known.assign(threads / 32, 0);
    one->latest = 0;
  }
  for (auto &lines : reported_) lines.clear();
}

void ProxyFences::fence(std::uint32_t warp, std::uint32_t lanes, std::uint32_t spaces, std::uint32_t time,
                        const std::vector<std::uint32_t> &known) {
  for (const Space space : {Space::shared, Space::global}) {
    if ((spaces & (space == Space::shared ? proxy_of_shared : proxy_of_global)) == 0) continue;
    Fences &fences = in(space);
    fences.latest = time;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
      fences.of_thread[std::size_t{warp} * 32 + first_lane(rest)] = time;
    for (std::size_t w = 0; w < known.size(); ++w) fences.known[w] = std::max(fences.known[w], known[w]);
  }
}

bool ProxyFences::is_fenced(Space space, std::uint64_t access, std::uint32_t warp) const {
  const Fences &fences = space == Space::shared ? shared_ : global_;
  const std::uint64_t time = access >> 32, from = access & cell_thread;
  const auto now = fences.of_thread.begin() + static_cast<std::ptrdiff_t>(warp) * 32;
  return from >= fences.of_thread.size() || fences.of_thread[from] > time || fences.known[from / 32] > time ||
         *std::max_element(now, now + 32) > time;
}

bool ProxyFences::is_first_report(Missing missing, const SourceLine &before, const SourceLine &now) {
  std::vector<SourceLine> &reported = reported_[static_cast<std::size_t>(missing)];
  const auto is_known = [&reported](const SourceLine &line) {
    return line.line != 0 && std::find(reported.begin(), reported.end(), line) != reported.end();
  };
  if (is_known(before) || is_known(now)) return false;
  reported.push_back(before);
  reported.push_back(now);
  return true;
}

/// What the threads have done, and what they know of others, comes before bulk copies and wgmma, wherever that is ordered.
/// immediate: for which memory, as bits of ProxySpace
void fence_proxy(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const auto spaces = static_cast<std::uint32_t>(op.immediate);
  run.order.time.advance();
  std::vector<std::uint32_t> known(run.warps());
  for (std::uint32_t w = 0; w < known.size(); ++w) known[w] = run.order.known_before(w);
  run.proxy_fences.fence(context.warp, context.mask, spaces, run.time(), known);
  if (spaces & proxy_of_global) run.shared_shadow->proxy_fence = run.time();
}

void check_proxy(const LaneAccess &access, std::uint64_t offset) {
  const BlockRun &run = access.run;
  const Context &context = run.context;
  if (!context.writers || context.epoch_cell == UINT64_MAX) return;
  const std::uint32_t shift = run.cell_shift();
  for (std::uint64_t i = offset >> shift; i <= (offset + access.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer = context.writers[i];
    if ((writer & writer_pending) != 0 || !is_unfenced_here(access, writer)) continue;
    const Site &site = run.program.sites[writer >> 12 & cell_sites];
    if (site.bulk) continue;
    const bool copied = site.action == Site::Action::copy_async;
    return report_unfenced(access, writer, copied ? Missing::copy_unseen : Missing::store_unseen);
  }
}

void check_overwritten(const LaneAccess &copy, std::uint64_t offset) {
  BlockRun &run = copy.run;
  const Context &context = run.context;
  if (!context.writers || context.epoch_cell == UINT64_MAX) return;
  run.shared.enter_reads();
  const auto look = [&](std::uint64_t cell, const char *words) {
    if (!is_unfenced_here(copy, cell) || !is_ordinary(run, cell) || !is_ordered(copy, cell)) return false;
    if (!may_be_memcpy_async(copy)) report_unfenced(copy, cell, Missing::overwritten, words);
    return true;
  };
  const std::uint32_t shift = run.cell_shift();
  for (std::uint64_t i = offset >> shift; i <= (offset + copy.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer = context.writers[i];
    if (look(context.readers[i], read_overwritten) || look(context.earlier_readers[i], read_overwritten))
      return;
    if ((writer & writer_pending) == 0 && writer != remote_mark && look(writer, write_overwritten)) return;
  }
}

void check_overwritten_in_cluster(const LaneAccess &copy, const Target &target) {
  BlockRun &run = copy.run, &owner = *target.owner;
  if (!run.context.writers || !owner.context.writers || run.context.epoch_cell == UINT64_MAX ||
      owner.cluster.has_ended())
    return;
  owner.shared.enter_reads();
  const auto look = [&](std::uint64_t cell, const char *words) {
    // What is not ordered before the copy races with it, and is reported as such.
    if (cell >> 32 < owner.block_time() || !is_ordinary(run, cell) || !run.knows_of(cell) ||
        is_fenced_in_cluster(owner, cell))
      return false;
    report_unfenced(copy, cell, Missing::overwritten_in_cluster, words);
    return true;
  };
  const std::uint32_t shift = run.cell_shift();
  for (std::uint64_t i = target.offset >> shift; i <= (target.offset + copy.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer = owner.shared.settled_writer(i);
    if (look(owner.context.readers[i], read_overwritten_in_cluster) ||
        look(owner.context.earlier_readers[i], read_overwritten_in_cluster))
      return;
    if ((writer & writer_pending) == 0 && look(writer, write_overwritten_in_cluster)) return;
  }
}

void check_overwritten_in_global(const LaneAccess &copy, const Target &target) {
  BlockRun &run = copy.run;
  const Watched *const cells = target.allocation ? run.watched(*target.allocation, false) : nullptr;
  if (!cells || run.context.epoch_cell == UINT64_MAX) return;
  const auto look = [&](const Cells &kind, std::uint64_t i, const char *words) {
    const std::uint64_t cell = kind ? kind[i] : 0;
    // What is not ordered before the copy races with it, and is reported as such.
    const auto is_before = [&] {
      return run.is_other_block(cell) ? run.knows_of(cell) : is_ordered(copy, cell);
    };
    if (!is_ordinary(run, cell) || !is_before() || is_fenced_in_global(run, cell)) return false;
    report_unfenced(copy, cell, Missing::overwritten_in_global, words);
    return true;
  };
  const std::uint64_t at = copy.address - target.allocation->begin;
  const std::uint32_t shift = run.context.global_shift;
  for (std::uint64_t i = at >> shift; i <= (at + copy.bytes - 1) >> shift; ++i) {
    for (const Cells *kind : {&cells->readers, &cells->earlier, &cells->strong_readers})
      if (look(*kind, i, read_overwritten_in_global)) return;
    for (const Cells *kind : {&cells->writers, &cells->strong})
      if (look(*kind, i, write_overwritten_in_global)) return;
  }
}

void check_global_proxy(const LaneAccess &access, const Target &target) {
  BlockRun &run = access.run;
  Watched *const cells = target.allocation ? run.watched(*target.allocation, false) : nullptr;
  if (!cells || run.context.epoch_cell == UINT64_MAX) return;
  const std::uint64_t at = access.address - target.allocation->begin;
  const std::uint32_t shift = run.context.global_shift;
  for (std::uint64_t i = at >> shift; i <= (at + access.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer =
        std::max(cells->writers[i], cells->strong ? cells->strong[i] : std::uint64_t{0});
    const std::uint64_t site = writer >> 12 & cell_sites;
    if (writer == 0 || site >= run.program.sites.size() || run.program.sites[site].bulk) continue;
    if (is_fenced_in_global(run, writer)) continue;
    return report_unfenced(access, writer, Missing::store_unseen, store_unseen_in_global);
  }
}

}  // namespace warpgrade::simt
