// From an address of a lane to memory, with every check on the way. Internal to simt.
#pragma once

#include "machine/block_run.hpp"

namespace warpgrade::simt {

/// What the address of one lane refers to.
struct Target {
  ptx::Space space = ptx::Space::global;  ///< global, shared, local or param
  std::byte *host = nullptr;
  std::uint64_t offset = 0;          ///< in shared space
  Allocation *allocation = nullptr;  ///< of global memory
  const SharedVariable *variable = nullptr;
  BlockRun *owner = nullptr;  ///< of shared memory: the other block of the cluster that owns it
};

/// Whether an atomic only ever moves its word in one direction: min, max, and, or.
inline bool forms_a_bound(const Site &site) {
  if (site.mbarrier || (site.action != Site::Action::atomic && site.action != Site::Action::reduce))
    return false;
  const auto kind = static_cast<AtomicKind>(site.atomic);
  return (kind >= AtomicKind::min_u && kind <= AtomicKind::max_s) || kind == AtomicKind::bit_and ||
         kind == AtomicKind::bit_or;
}

/// Whether it is an exchange or a compare-and-swap: the first of these may be the first write of a word.
inline bool replaces(const Site &site) {
  const auto kind = static_cast<AtomicKind>(site.atomic);
  return !site.mbarrier && site.action == Site::Action::atomic &&
         (kind == AtomicKind::exch || kind == AtomicKind::cas);
}

/// Whether a strong access to a word that other threads access strongly may lose an update of theirs:
/// `now` against what another thread has done there before.
inline bool loses_update(const Site &now, const Site &before) {
  const auto changes = [](const Site &site) {
    const auto kind = static_cast<AtomicKind>(site.atomic);
    const bool atomic = site.action == Site::Action::atomic || site.action == Site::Action::reduce;
    return atomic && kind != AtomicKind::exch && kind != AtomicKind::cas && !forms_a_bound(site);
  };
  if (now.is_updated || now.updates) return before.updates || changes(before);
  return changes(now) && before.updates;
}
constexpr const char *lost_update = "lost update";
constexpr const char *update_advice =
    "a thread reads the word, adds to it and stores it again, and nothing keeps others from changing it in "
    "between; volatile does not help, use an atomic";

constexpr const char *no_syncwarp =
    "one lane of a warp arrives or waits at the mbarrier for the others, and no __syncwarp() is between it "
    "and "
    "them";

struct LaneAccess {
  const Op &op;
  const Site &site;
  BlockRun &run;
  std::uint32_t lane;
  std::uint64_t address;
  std::uint32_t bytes;
  bool store;
};

/// throws Fault: out of bounds, misaligned, use after free, read-only memory
Target resolve(const LaneAccess &);

/// The same; false if the access is bad and was noted, and is to be dropped.
bool try_resolve(const LaneAccess &, Target &);

/// Race and initialization checks of an access to shared memory; updates the shadow words.
/// same_value: the store does not change the value.
void check_shared(const LaneAccess &, std::uint64_t offset, bool atomic, bool pending,
                  bool same_value = false);
/// The same for the shared memory of another block of the cluster.
void check_remote(const LaneAccess &, const Target &, bool atomic, bool pending);
/// An access to a word that another block of the cluster has accessed. cell: index of its shadow word
void check_own(const LaneAccess &, std::uint64_t offset, std::uint64_t cell, bool strong);
/// Race checks of an access to watched global memory. `value`: what a store is about to write, else null.
void check_global(const LaneAccess &, const Target &, bool atomic, const std::byte *value);
/// Before a bulk copy or wgmma reads memory through the async proxy.
void check_proxy(const LaneAccess &, std::uint64_t offset);
void check_global_proxy(const LaneAccess &, const Target &);
/// Before a bulk copy writes to shared memory of its own block.
void check_overwritten(const LaneAccess &copy, std::uint64_t offset);
/// The same for the shared memory of another block of the cluster, and for global memory.
void check_overwritten_in_cluster(const LaneAccess &copy, const Target &);
void check_overwritten_in_global(const LaneAccess &copy, const Target &);
/// An atomic or strong store has changed a word: a lock may have been taken, or given back.
void note_lock(const LaneAccess &, const Target &, bool takes, bool changes);
/// An atomic or strong read has found a number: it may be a ticket, or show a thread that its turn has come.
void note_ticket(const LaneAccess &, const Target &, std::uint64_t found);
/// The cells of a word's last strong store and read. unordered: no happens-before order leads from that store to here
struct StrongCells {
  std::uint64_t writer = 0, reader = 0;
  bool unordered = false;
};
/// A strong store: how the locks of the last one fail to keep this one out; empty: they do not. Notes which are held now.
std::string unprotected_store(const LaneAccess &, Place word, const StrongCells &);
/// An exchange was the first write of a word of global memory.
void note_exchange(const LaneAccess &);
/// A strong load of a word to which the thread adds, and the store that ends the update: see UpdatesInProgress.
inline void begin_update(const LaneAccess &access, std::uint64_t cell) {
  access.run.order.updates.begin(static_cast<std::uint32_t>(access.run.thread(access.lane)), access.address,
                                 cell);
}
inline std::uint64_t end_update(const LaneAccess &access) {
  return access.run.order.updates.end(static_cast<std::uint32_t>(access.run.thread(access.lane)),
                                      access.address);
}
/// Bytes of a load from global memory that were never written.
void check_valid(const LaneAccess &, const Target &);

/// The lanes that give the addresses of rows of matrices: ldmatrix, stmatrix.
inline std::uint32_t rows_of(const Site &site) {
  return site.matrices >= 4 ? full_mask : (1u << 8 * site.matrices) - 1;
}
/// Counts a request.
void count_request(const Op &, Context &, std::uint32_t mask, const std::uint64_t *addresses,
                   const Target *targets);

/// The 32 addresses of a memory instruction.
void addresses_of(const Op &, const Site &, Context &, std::uint64_t (&addresses)[32]);

/// cp.async: where a lane reads, and how many bytes.
Address copy_source(const Op &, const Context &, std::uint32_t lane);
std::uint32_t copy_length(const Op &, const Site &, const Context &, std::uint32_t lane);

/// Wavefronts and conflicts of one request to shared memory (offsets in bytes, `bytes` per lane).
struct Wavefronts {
  std::uint32_t wavefronts = 0, conflicts = 0;
};
Wavefronts count_wavefronts(const std::uint64_t *offsets, std::uint32_t mask, std::uint32_t bytes,
                            bool store);
/// The same for the access into which the compiler merges this one and its neighbours.
Wavefronts count_compiled(const Site &, const std::uint64_t *offsets, std::uint32_t mask);
/// Distinct bytes of accesses that are equal or disjoint.
std::uint32_t count_used(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes);
std::uint32_t count_sectors(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes);
/// One request to global memory.
GlobalTraffic global_traffic(const std::uint64_t *addresses, std::uint32_t mask, std::uint32_t bytes);

}  // namespace warpgrade::simt
