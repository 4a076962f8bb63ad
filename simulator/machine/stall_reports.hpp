// What to report when warps of a block wait for something that never happens, or that may never happen. Internal to simt.
#pragma once

#include <string>
#include <vector>

#include "machine/block_run.hpp"

namespace warpgrade::simt {

/// "k.cu:12"
std::string place_text(const SourceLine &);
/// Whether the warp is in a loop that polls a flag and changes nothing.
bool polls(const Program &, const Warp &);
/// Where the first of the warps that wait reads a flag; nowhere if none waits.
Side first_wait(const BlockRun &);

/// Two groups of one warp wait at different places, and neither can go on.
[[noreturn]] void report_divergent_warp(const BlockRun &, const Warp &);
/// Every live warp waits, and no barrier has all that it needs.
[[noreturn]] void report_stuck(const BlockRun &);
/// Says how many threads wait at either of two barriers, of all that wait.
[[noreturn]] void report_different(const BlockRun &, const std::vector<const Warp *> &waiting, const Side &,
                                   const Side &);
/// The block waits for blocks that never arrive.
[[noreturn]] void report_grid_wait(const BlockRun &);
/// All warps that can run wait at an mbarrier, and nothing that they wait for comes any more.
[[noreturn]] void report_vain_wait(const BlockRun &, const VainWait &);

}  // namespace warpgrade::simt
