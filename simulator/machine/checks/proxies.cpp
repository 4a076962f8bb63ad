// Ordinary stores that bulk copies and wgmma read: those access memory through the async proxy, and see
// the stores only after a fence.proxy.async. docs/memory-model.md says which fences are required.
#include <algorithm>

#include "decode/handlers.hpp"
#include "machine/checks/proxy_fences.hpp"
#include "machine/checks/watch.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t found_between_proxies = std::uint64_t{0x9D} << 56;

void report_unfenced(const LaneAccess &access, std::uint64_t writer, const char *why) {
  BlockRun &run = access.run;
  const std::uint64_t site = writer >> 12 & cell_sites;
  const SourceLine stored = run.line_of(run.program.sites[site].location);
  const Side reader = run.here(access.lane, access.op);
  const std::uint64_t handle = found_between_proxies | std::uint64_t{access.op.site} << 20 | site;
  if (run.findings.enough_races() || run.count_known(handle, Code::race, Severity::error)) return;
  if (!run.proxy_fences.is_first_report(stored, reader.at)) return;
  Diagnostic made = run.diagnostic(Code::race, Severity::error, reader, why);
  const auto from = static_cast<std::uint32_t>(writer & cell_thread);
  made.other = run.side(from >> 5, from & 31, stored);
  made.other->block = run.block_at(writer);
  run.note(std::move(made), handle);
}

}  // namespace

void ProxyFences::begin(std::size_t threads) {
  shared_.assign(threads, 0);
  global_.assign(threads, 0);
  reported_.clear();
}

void ProxyFences::fence(std::uint32_t warp, std::uint32_t lanes, std::uint32_t spaces, std::uint32_t time) {
  for (; lanes; lanes &= lanes - 1) {
    const std::size_t thread = std::size_t{warp} * 32 + first_lane(lanes);
    if (spaces & proxy_of_shared) shared_[thread] = time;
    if (spaces & proxy_of_global) global_[thread] = time;
  }
}

bool ProxyFences::is_fenced(Space space, std::uint64_t writer, std::uint32_t warp) const {
  const std::vector<std::uint32_t> &fences = space == Space::shared ? shared_ : global_;
  const std::uint64_t time = writer >> 32, from = writer & cell_thread;
  const auto reader = fences.begin() + static_cast<std::ptrdiff_t>(warp) * 32;
  return from >= fences.size() || fences[from] > time || *std::max_element(reader, reader + 32) > time;
}

bool ProxyFences::is_first_report(const SourceLine &stored, const SourceLine &read) {
  const auto is_known = [this](const SourceLine &line) {
    return line.line != 0 && std::find(reported_.begin(), reported_.end(), line) != reported_.end();
  };
  if (is_known(stored) || is_known(read)) return false;
  reported_.push_back(stored);
  reported_.push_back(read);
  return true;
}

/// What the threads have stored becomes visible to bulk copies and wgmma, wherever that is ordered.
/// immediate: for which memory, as bits of ProxySpace
void fence_proxy(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const auto spaces = static_cast<std::uint32_t>(op.immediate);
  run.order.time.advance();
  run.proxy_fences.fence(context.warp, context.mask, spaces, run.time());
  if (spaces & proxy_of_global) run.shared_shadow->proxy_fence = run.time();
}

void check_proxy(const LaneAccess &access, std::uint64_t offset) {
  const BlockRun &run = access.run;
  const Context &context = run.context;
  if (!context.writers || context.epoch_cell == UINT64_MAX) return;
  const std::uint32_t shift = run.cell_shift();
  for (std::uint64_t i = offset >> shift; i <= (offset + access.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer = context.writers[i], site = writer >> 12 & cell_sites;
    if (writer >> 32 < run.block_time() || (writer & writer_pending) != 0 || site >= run.program.sites.size())
      continue;
    if (run.program.sites[site].action == Site::Action::copy_async ||
        run.proxy_fences.is_fenced(ProxyFences::Space::shared, writer, context.warp))
      continue;
    return report_unfenced(
        access, writer,
        "shared memory that ordinary stores have written is read by a bulk copy or wgmma, which may not see "
        "them: a fence.proxy.async is missing after the stores, before the barrier");
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
    // Of another block it is enough that anybody has fenced since.
    const bool fenced = run.is_other_block(writer) ? run.shadow().proxy_fence > writer >> 32
                                                   : run.proxy_fences.is_fenced(ProxyFences::Space::global,
                                                                                writer, run.context.warp);
    if (fenced) continue;
    return report_unfenced(
        access, writer,
        "global memory that ordinary stores of this kernel have written is read by a bulk copy, which may "
        "not "
        "see them: a fence.proxy.async (for global memory) is missing after the stores, before the barrier");
  }
}

}  // namespace warpgrade::simt
