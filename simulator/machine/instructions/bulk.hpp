// Shared by bulk copies of one dimension and of tensors. Internal to simt.
#pragma once

#include <cstring>
#include <vector>

#include "machine/instructions/mbarrier.hpp"

namespace warpgrade::simt {

constexpr std::uint32_t bulk_unit = 16;  ///< bytes: sizes and addresses of bulk copies are multiples of it

/// The same instruction, as an access to one of the two spaces.
inline Site seen_as(Site::Action action, ptx::Space space, const Site &site) {
  Site made = site;
  made.action = action, made.space = space;
  return made;
}

/// Up to 16 bytes are in flight to shared memory: they arrive when the phase of the barrier ends.
/// target: the destination of the store
void send_to_shared(const LaneAccess &store, const Target &target, const std::byte *data,
                    const Mbarrier &barrier);
/// throws Fault if the barrier is in another block than the target
void need_same_block(const LaneAccess &store, const Target &target, const Mbarrier &barrier);
/// The ranks of the blocks that receive a copy: those of a multicast, else own_block only.
std::vector<std::uint32_t> receivers_of(const Op &, const Site &, BlockRun &, std::uint32_t lane);
constexpr std::uint32_t own_block = UINT32_MAX;  ///< or wherever the address leads
/// The same place in the shared memory of the block of a rank.
std::uint64_t address_in(std::uint32_t rank, std::uint64_t address);
/// The bytes of a store by a bulk copy, which were checked, reach global memory.
void write_global(const LaneAccess &store, const Target &target, const std::byte *data);

}  // namespace warpgrade::simt
