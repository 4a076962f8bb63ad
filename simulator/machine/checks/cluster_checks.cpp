// Races in the shared memory of another block of the cluster. Its shadow words record its own threads' accesses;
// those of others are beside them (SharedMemory::RemoteCells), and a mark in the shadow word sends the
// block's own accesses to this file.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/cluster.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

enum class RemoteMistake : std::uint64_t {
  read_after_write,
  write_after_write,
  write_after_read,
  copy,
  unset,
  early,
  late
};

std::uint64_t remote_handle(RemoteMistake mistake, std::uint64_t site, std::uint64_t other) {
  return std::uint64_t{1} << 63 | std::uint64_t{1} << 59 | static_cast<std::uint64_t>(mistake) << 48 |
         site << 20 | other;
}

std::uint64_t site_of_cell(std::uint64_t cell) {
  return cell >> 12 & cell_sites;
}

const char *words_of_mistake(RemoteMistake mistake) {
  switch (mistake) {
    case RemoteMistake::read_after_write:
      return "read after write";
    case RemoteMistake::write_after_write:
      return "write after write";
    case RemoteMistake::write_after_read:
      return "write after read";
    case RemoteMistake::copy:
      return "access before the end of an asynchronous copy";
    case RemoteMistake::unset:
      return "uninitialized read";
    default:
      return "access";
  }
}

/// What would have ordered the access of a cell, by a thread of another block.
const char *missing_sync(const BlockRun &run, std::uint64_t cell) {
  if (!run.program.relaxed_clusters)
    return "the two threads are in different blocks of the cluster, and no barrier of the cluster is between "
           "the two "
           "accesses; is a cluster.sync() missing?";
  const std::uint64_t site = site_of_cell(cell);
  if (site < run.program.sites.size() && run.program.sites[site].mbarrier)
    return "the other block does not know of the mbarrier's initialization: an arrival at the barrier of the "
           "cluster that "
           "is .relaxed does not release it; a fence.mbarrier_init is missing after the initialization, or "
           "the arrival must "
           "not be .relaxed";
  return "the two threads are in different blocks of the cluster, and an arrival at the barrier of the "
         "cluster that is "
         ".relaxed releases only what was fenced before it; is a fence missing, or a cluster.sync()?";
}

/// place: in the shared memory of the block of rank `rank`; other: the earlier access, 0 if there is none
void report_remote(const LaneAccess &access, std::uint64_t place, std::uint32_t rank, std::uint64_t other,
                   RemoteMistake mistake, const char *why, Severity severity = Severity::error) {
  BlockRun &run = access.run;
  const std::uint64_t handle =
      remote_handle(mistake, access.op.site, other == 0 ? 0xFFFFF : site_of_cell(other));
  const Code code = mistake == RemoteMistake::unset ? Code::uninitialized_read : Code::race;
  const bool enough = code == Code::race ? run.findings.enough_races() : run.findings.enough_unset();
  if (enough || run.count_known(handle, code, severity)) return;
  Diagnostic made = run.diagnostic(code, severity, run.here(access.lane, access.op), {});
  if (other != 0) made.other = run.side_of(other);
  const SharedVariable *variable = run.shared.variable_at(place);
  if (variable) made.buffer = variable->name;
  made.message = fmt::format(
      "{} on shared memory{} of the block of rank {} in its cluster: {}", words_of_mistake(mistake),
      variable
          ? fmt::format(" {}, element {},", variable->name, (place - variable->begin) / access.site.bytes)
          : std::string(),
      rank, why);
  run.note(std::move(made), handle);
}

/// Whether a strong access to a word may release what came before. What an mbarrier releases is acquired when
/// its phase ends.
bool may_tell(const LaneAccess &access) {
  return access.run.program.has_fences && !access.site.mbarrier && !access.site.bulk;
}

bool is_strong_access(const BlockRun &run, std::uint64_t cell) {
  if (cell & writer_atomic) return true;
  const std::uint64_t site = site_of_cell(cell);
  return site < run.program.sites.size() && run.program.sites[site].is_volatile;
}

/// Whether an access by a thread of this block is ordered before what the warp does now.
bool is_ordered_by_block(const Context &context, std::uint64_t cell, std::uint64_t mine) {
  if (cell < context.epoch_cell || ((cell ^ mine) & cell_thread) == 0) return true;
  return ((cell ^ mine) & cell_warp) == 0 && cell < context.warp_cell;
}

}  // namespace

Side BlockRun::side_of(std::uint64_t cell) const {
  const auto thread = static_cast<std::uint32_t>(cell & cell_thread);
  const std::uint64_t site = site_of_cell(cell);
  Side made = side(thread >> 5, thread & 31,
                   site < program.sites.size() ? line_of(program.sites[site].location) : SourceLine{});
  made.block = index_of(shared_shadow->block_at(cell));
  return made;
}

bool BlockRun::knows_of(std::uint64_t cell) const {
  return cluster.orders(cell, shared_shadow->block_at(cell), *warp) || order.knows_of_block(cell) ||
         (cell != 0 && order.knowledge_of(cell, nullptr) == Knowledge::known);
}

/// An access of the block's own thread to a word that another block of the cluster has accessed.
void check_own(const LaneAccess &access, std::uint64_t offset, std::uint64_t cell, bool strong) {
  BlockRun &run = access.run;
  if (run.context.epoch_cell == UINT64_MAX) return;
  const RemoteCells &remote = run.shared.remote(cell);
  const std::uint64_t writer = remote.writer, reader = remote.reader;
  if (writer & writer_pending) {
    if (!access.store || !strong)
      report_remote(
          access, offset, run.cluster.rank(), writer, RemoteMistake::copy,
          "another block of the cluster has started the copy; is the wait at its mbarrier missing?");
    return;
  }
  const bool both_strong = (strong || access.site.is_volatile) && is_strong_access(run, writer);
  if (both_strong && may_tell(access) && !run.knows_of(writer)) return run.meet_others();
  if (!both_strong && !run.knows_of(writer))
    report_remote(access, offset, run.cluster.rank(), writer,
                  access.store ? RemoteMistake::write_after_write : RemoteMistake::read_after_write,
                  missing_sync(run, writer));
  if (!access.store || run.knows_of(reader)) return;
  if ((strong || access.site.is_volatile) && is_strong_access(run, reader)) return;
  report_remote(access, offset, run.cluster.rank(), reader, RemoteMistake::write_after_read,
                missing_sync(run, reader));
}

void check_remote(const LaneAccess &access, const Target &target, bool atomic, bool pending) {
  BlockRun &run = access.run, &owner = *target.owner;
  Context &context = run.context;
  if (access.store) owner.define_shared(target.offset, access.bytes);
  if (!context.writers || !owner.context.writers) return;
  if (target.offset < shared_start) return;
  const bool strong = atomic || access.site.is_volatile;
  const std::uint64_t mine = context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane;
  const bool races = context.epoch_cell != UINT64_MAX;
  if (races && !run.cluster.has_met(*run.warp) && !run.order.knows_others())
    return report_remote(access, target.offset, owner.cluster.rank(), 0, RemoteMistake::early,
                         "that block may not have started yet; call cluster.sync() before the first access");
  if (races && owner.cluster.has_ended())
    return report_remote(
        access, target.offset, owner.cluster.rank(), 0, RemoteMistake::late,
        "that block may have ended; call cluster.sync() after the last access, before it returns");
  if (races) owner.cluster.note_access(run.cluster.rank(), mine);
  owner.shared.enter_reads();
  const std::uint32_t shift = run.cell_shift();
  const bool reads = !access.store || atomic;
  bool contact = false;
  for (std::uint64_t i = target.offset >> shift; i <= (target.offset + access.bytes - 1) >> shift; ++i) {
    const std::uint64_t at = i << shift;
    std::uint64_t mark = 0;
    {
      const Uncovered open(owner.shared, owner.context, i);
      RemoteCells &remote = owner.shared.remote(i);
      const std::uint64_t writer = owner.context.writers[i];
      const bool is_set = writer >= owner.context.block_cell || remote.writer != 0;
      if (reads && !is_set) {
        report_remote(access, at, owner.cluster.rank(), 0, RemoteMistake::unset, "no thread has written it");
        continue;
      }
      if (!races) continue;
      const auto is_own_access = [&](std::uint64_t cell) {  // of a thread of the owner, in this block
        return cell >> 32 >= owner.block_time();
      };
      const bool both_strong = strong && is_strong_access(owner, writer);
      if (is_in_flight(writer) && (reads || !strong)) {
        // A copy in flight has no time of its own.
        const std::uint64_t starter = std::uint64_t{owner.block_time()} << 32 | (writer & UINT32_MAX);
        report_remote(access, at, owner.cluster.rank(), starter, RemoteMistake::copy,
                      "is the wait for the copy missing?");
      } else if (!is_in_flight(writer) && is_own_access(writer) && !run.knows_of(writer)) {
        if (both_strong)
          contact = contact || may_tell(access);
        else
          report_remote(access, at, owner.cluster.rank(),
                        has_arrived(writer) ? owner.order.mbarriers.starter_of(writer) : writer,
                        access.store ? RemoteMistake::write_after_write : RemoteMistake::read_after_write,
                        missing_sync(run, writer));
      }
      for (const std::uint64_t flagged : {owner.context.readers[i], owner.context.earlier_readers[i]}) {
        const std::uint64_t reader = flagged & ~reader_many_warps;
        if (!access.store || !is_own_access(reader) || (strong && is_strong_access(owner, reader)) ||
            run.knows_of(reader))
          continue;
        report_remote(access, at, owner.cluster.rank(), reader, RemoteMistake::write_after_read,
                      missing_sync(run, reader));
        break;
      }
      const auto look = [&](std::uint64_t cell, RemoteMistake mistake) {
        if (cell == 0) return;
        if (strong && is_strong_access(run, cell)) {
          contact = contact || (may_tell(access) && !run.knows_of(cell));
          return;
        }
        const bool own = run.shadow().block_at(cell) == run.block_number();
        if (!(own && is_ordered_by_block(context, cell, mine)) && !run.knows_of(cell))
          report_remote(access, at, owner.cluster.rank(), cell, mistake, missing_sync(run, cell));
      };
      // Whoever has not waited there knows nothing of the end of a copy, the thread that started it included.
      if ((remote.writer & writer_pending) == 0)
        look(remote.writer,
             access.store ? RemoteMistake::write_after_write : RemoteMistake::read_after_write);
      else if (!access.store || !strong)
        report_remote(access, at, owner.cluster.rank(), remote.writer, RemoteMistake::copy,
                      "that block has not waited for the copy at its mbarrier");
      if (access.store) look(remote.reader, RemoteMistake::write_after_read);
      mark = mine | (strong ? writer_atomic : 0) | (pending ? writer_pending : 0);
      (access.store ? remote.writer : remote.reader) = mark;
    }
    if (mark != 0) owner.shared.cover(i);
  }
  if (contact) run.meet_others();
}

void BlockRun::define_shared(std::uint64_t offset, std::uint32_t bytes) {
  if (undefined_) undefined_->define_shared(offset, bytes);
}

/// A copy that another block has started arrives. From now on it counts as one of this block.
void BlockRun::receive(const RemoteCopy &copy) {
  deliver_counted(copy.to, copy.bytes, copy.data, copy.barrier, copy.starter);
  if (!context.writers) return;
  for (std::uint64_t i = copy.to >> cell_shift(); i <= (copy.to + copy.bytes - 1) >> cell_shift(); ++i)
    shared.remote(i).writer = 0;
}

/// The block has ended: every thread that accessed its shared memory must have synchronized with one of its
/// threads before.
void BlockRun::leave_cluster() {
  cluster.end();
  std::uint32_t phase = 0;
  for (const Warp &w : warps_) phase = std::max(phase, w.cluster_phase);
  const Clock acquired = order.acquired_from_blocks();
  for (std::size_t i = 0; i < cluster.accesses().size(); ++i) {
    const std::uint64_t cell = cluster.accesses()[i];
    if (cell == 0 || cell >> 32 < cluster.cluster().all_before ||
        cluster.is_ordered_by(phase, cell, shared_shadow->block_at(cell)) ||
        acquired.knows(shared_shadow->block_at(cell), static_cast<std::uint32_t>(cell & cell_warp) >> 5,
                       static_cast<std::uint32_t>(cell >> 32)))
      continue;
    if (context.epoch_cell == UINT64_MAX) break;
    if (order.global.any_warp_knows_anything()) continue;
    const std::uint64_t handle = remote_handle(RemoteMistake::late, site_of_cell(cell), 0xFFFFE);
    if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) continue;
    Diagnostic made = diagnostic(
        Code::race, Severity::error, side_of(cell),
        fmt::format(
            "access on shared memory of the block of rank {} in its cluster: that block may have ended; "
            "call cluster.sync() after the last access, before it returns",
            cluster.rank()));
    made.other = side(first_exit_.warp, first_exit_.lane, line_of(first_exit_.location));
    note(std::move(made), handle);
  }
}

}  // namespace warpgrade::simt
