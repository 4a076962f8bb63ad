// What goes wrong around products of warpgroups: registers and shared memory that are touched before the wait, and
// fences that are missing. GroupProducts and ProductRegisters know; these functions report. Internal to simt.
#pragma once

#include "machine/resolve.hpp"

namespace warpgrade::simt {

/// A block begins.
void begin_products(BlockRun &);
/// Whether check_released() finds every violation.
bool follows_product_reads(const BlockRun &);
/// A bulk copy is about to write 16 bytes of shared memory.
void check_released(const LaneAccess &, std::uint64_t offset);
/// Before the operations of a basic block run.
void watch_registers(BlockRun &, const Op *op, const Op *end);
/// A product needs a wgmma.fence between it and what wrote its registers.
void check_product_fence(const Op &, const GroupProduct &, bool adds, BlockRun &);
/// What a product has read must be as it was, and counts as read now: releasing the memory before the wait is too early.
void verify_sources(FlyingProduct &, BlockRun &);
/// A sum of the writers of 16 bytes.
std::uint64_t sum_of_writers(const BlockRun &, std::uint32_t offset);
[[noreturn]] void report_warpgroup_wait(const BlockRun &, const Warp &);

}  // namespace warpgrade::simt
