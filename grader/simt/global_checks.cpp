// Races in global memory: between blocks, which nothing orders, and between warps of a block without a
// barrier. Lanes of one warp, reads beside atomics and kernels with fences and flags get the benefit of the
// doubt.
#include <fmt/format.h>

#include <cstring>

#include "simt/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t site_bits = 0x7FFFF;
/// Beside writer_atomic: the block had stored there plainly before.
constexpr std::uint64_t writer_both = writer_pending;

enum class Order { fine, warps, blocks };

struct Moment {
  std::uint64_t block, epoch, mine;
};

Order order_of(std::uint64_t cell, const Moment &now) {
  if (cell == 0) return Order::fine;
  if (cell < now.block) return Order::blocks;
  return cell >= now.epoch && ((cell ^ now.mine) & cell_warp) ? Order::warps : Order::fine;
}

Order order_of_reader(std::uint64_t cell, const Moment &now) {
  if (cell != 0 && (cell & reader_other_blocks)) return Order::blocks;
  if (cell >= now.epoch && (cell & reader_many_warps)) return Order::warps;
  return order_of(cell, now);
}

struct Hazard {
  const char *kind;
  Order order;
  bool same_value;  ///< both wrote the same
  std::uint64_t other;
};

void report(const LaneAccess &access, const Allocation &allocation, const Hazard &hazard) {
  BlockRun &run = access.run;
  if (!run.launch.alone) {
    run.launch.again.store(true);
    return;
  }
  const Severity severity = hazard.same_value ? Severity::info : Severity::error;
  const std::uint64_t other_site = hazard.other >> 12 & site_bits;
  const std::uint64_t handle =
      std::uint64_t{1} << 63 | std::uint64_t{1} << 60 | std::uint64_t{hazard.same_value} << 61 |
      (allocation.begin >> 9 & 0x7FFFF) << 40 | std::uint64_t{access.op.site} << 20 | other_site;
  if (run.count_known(handle, severity)) return;
  Diagnostic made = run.diagnostic(Code::race, severity, run.here(access.lane, access.op), {});
  const Site &site = run.program.sites[std::min<std::size_t>(other_site, run.program.sites.size() - 1)];
  const auto thread = static_cast<std::uint32_t>(hazard.other & cell_thread);
  made.other = run.side(thread >> 5, thread & 31, run.line_of(site.location));
  made.other->block = run.block_at(hazard.other);
  const bool several = made.other->block == made.here.block && made.other->thread == made.here.thread;
  made.buffer = allocation.name;
  made.message = fmt::format(
      "{} in {}, element {}: {}{}", hazard.kind, allocation.name,
      (access.address - allocation.begin) / access.site.bytes, several ? "others have read it; " : "",
      hazard.order == Order::blocks
          ? (hazard.same_value ? "two blocks write the same value; nothing orders blocks"
                               : "nothing orders the blocks of a launch; an atomic, or a second kernel?")
          : (hazard.same_value ? "two warps write the same value without a barrier between"
                               : "two warps, and no barrier between them; is a __syncthreads() missing?"));
  run.note(std::move(made), handle);
}

}  // namespace

void check_global(const LaneAccess &access, const Target &target, bool atomic, const std::byte *value) {
  if (!target.allocation || access.site.is_volatile) return;
  BlockRun &run = access.run;
  const Watched *watched = run.watched(*target.allocation, access.store);
  Context &context = run.context;
  if (!watched || context.epoch_cell == UINT64_MAX) return;
  const Moment now{context.block_start, context.epoch_cell,
                   context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane};
  const std::uint64_t at = access.address - target.allocation->begin;
  const std::uint32_t shift = context.global_shift;
  Hazard found{nullptr, Order::fine, false, 0};
  for (std::uint64_t i = at >> shift; i <= (at + access.bytes - 1) >> shift; ++i) {
    std::uint64_t &writer = watched->writers[i], &reader = watched->readers[i];
    if (access.store) {
      if (const Order order = order_of_reader(reader, now); order != Order::fine && !atomic)
        found = {"write after read", order, false, reader};
      if (const Order order = order_of(writer, now);
          order != Order::fine &&
          !(atomic && (writer & writer_atomic) && (order == Order::warps || !(writer & writer_both))))
        found = {"write after write", order, value && std::memcmp(value, target.host, access.bytes) == 0,
                 writer};
      const bool plain_before =
          writer >= now.block && writer != 0 && (!(writer & writer_atomic) || (writer & writer_both));
      writer = now.mine | (atomic ? writer_atomic | (plain_before ? writer_both : 0) : 0);
      continue;
    }
    if (const Order order = order_of(writer, now); order != Order::fine && !(writer & writer_atomic))
      found = {"read after write", order, false, writer};
    const std::uint64_t kept =
        reader != 0 && reader < now.block ? reader_other_blocks : reader & reader_other_blocks;
    const bool in_epoch = reader >= now.epoch;
    const std::uint64_t many =
        in_epoch ? (reader & reader_many_warps) | (((reader ^ now.mine) & cell_warp) ? reader_many_warps : 0)
                 : 0;
    reader = now.mine | kept | many;
  }
  if (found.kind) report(access, *target.allocation, found);
}

}  // namespace warpgrade::simt
