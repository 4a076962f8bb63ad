// Ordinary stores that bulk copies and wgmma read: those access memory through the async proxy, and see
// the stores only after a fence.proxy.async. docs/memory-model.md says which fences are required.
#include <algorithm>

#include "simt/handlers.hpp"
#include "simt/lanes.hpp"
#include "simt/resolve.hpp"
#include "simt/watch.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t found_between_proxies = std::uint64_t{0x9D} << 56;

}  // namespace

/// immediate: for which memory, as bits of ProxySpace
void fence_proxy(const Op &op, Context &context) {
  context.run->fence_proxy(static_cast<std::uint32_t>(op.immediate));
}

/// What the threads have stored becomes visible to bulk copies and wgmma, wherever that is ordered.
void BlockRun::fence_proxy(std::uint32_t spaces) {
  advance_time();
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t one = thread(first_lane(rest));
    if (spaces & proxy_of_shared) proxy_fences_[one] = time_;
    if (spaces & proxy_of_global) global_proxy_fences_[one] = time_;
  }
  if (spaces & proxy_of_global) shadow_->proxy_fence = time_;
}

/// A fence counts if the thread that has stored executes it, or one of the warp that reads.
bool BlockRun::is_fenced(const std::vector<std::uint32_t> &fences, std::uint64_t writer) const {
  const std::uint64_t time = writer >> 32, from = writer & cell_thread;
  const auto reader = fences.begin() + static_cast<std::ptrdiff_t>(thread(0));
  return from >= fences.size() || fences[from] > time || *std::max_element(reader, reader + 32) > time;
}

void BlockRun::check_proxy(const LaneAccess &access, std::uint64_t offset) {
  if (!context.writers || context.epoch_cell == UINT64_MAX) return;
  for (std::uint64_t i = offset >> cell_shift(); i <= (offset + access.bytes - 1) >> cell_shift(); ++i) {
    const std::uint64_t writer = context.writers[i], site = writer >> 12 & cell_sites;
    if (writer >> 32 < block_time_ || (writer & writer_pending) != 0 || site >= program.sites.size())
      continue;
    if (program.sites[site].action == Site::Action::copy_async || is_fenced(proxy_fences_, writer)) continue;
    return report_unfenced_proxy(
        access, writer,
        "shared memory that ordinary stores have written is read by a bulk copy or wgmma, which may not see "
        "them: a fence.proxy.async is missing after the stores, before the barrier");
  }
}

void BlockRun::check_global_proxy(const LaneAccess &access, const Target &target) {
  Watched *const cells = target.allocation ? watched(*target.allocation, false) : nullptr;
  if (!cells || context.epoch_cell == UINT64_MAX) return;
  const std::uint64_t at = access.address - target.allocation->begin;
  const std::uint32_t shift = context.global_shift;
  for (std::uint64_t i = at >> shift; i <= (at + access.bytes - 1) >> shift; ++i) {
    const std::uint64_t writer =
        std::max(cells->writers[i], cells->strong ? cells->strong[i] : std::uint64_t{0});
    const std::uint64_t site = writer >> 12 & cell_sites;
    if (writer == 0 || site >= program.sites.size() || program.sites[site].bulk) continue;
    // Of another block it is enough that anybody has fenced since.
    const bool fenced = is_other_block(writer) ? shadow_->proxy_fence > writer >> 32
                                               : is_fenced(global_proxy_fences_, writer);
    if (fenced) continue;
    return report_unfenced_proxy(
        access, writer,
        "global memory that ordinary stores of this kernel have written is read by a bulk copy, which may "
        "not "
        "see them: a fence.proxy.async (for global memory) is missing after the stores, before the barrier");
  }
}

/// Once for each line that stores and each that reads: an unrolled loop lacks one fence, not eight.
void BlockRun::report_unfenced_proxy(const LaneAccess &access, std::uint64_t writer, const char *why) {
  const std::uint64_t site = writer >> 12 & cell_sites;
  const SourceLine stored = line_of(program.sites[site].location);
  const SourceLine read = here(access.lane, access.op).at;
  const auto is_known = [&](const SourceLine &line) {
    return line.line != 0 &&
           std::find(unfenced_lines_.begin(), unfenced_lines_.end(), line) != unfenced_lines_.end();
  };
  const std::uint64_t handle = found_between_proxies | std::uint64_t{access.op.site} << 20 | site;
  if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) return;
  if (is_known(stored) || is_known(read)) return;
  unfenced_lines_.push_back(stored);
  unfenced_lines_.push_back(read);
  Diagnostic made = diagnostic(Code::race, Severity::error, here(access.lane, access.op), why);
  const auto from = static_cast<std::uint32_t>(writer & cell_thread);
  made.other = side(from >> 5, from & 31, stored);
  made.other->block = block_at(writer);
  note(std::move(made), handle);
}

}  // namespace warpgrade::simt
