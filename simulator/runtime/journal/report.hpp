// A run on the simulator in words, for a person and for a program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/journal/journal.hpp"

namespace warpgrade::cuda {

/// Whether anything of that severity or a higher one was found.
bool has_findings(const std::vector<Journal> &, simt::Severity least);

/// Findings, the most serious first, each with its place and count; then notes on the figures.
/// counters: also a table for each kernel, by source line.
std::string report(const std::vector<Journal> &, bool counters);

/// Schema "warpgrade.simt/1": program, exit status, findings and kernels with all counters.
/// `more`: members to add.
std::string report_json(const std::vector<Journal> &, const std::vector<std::string> &command, int status,
                        const nlohmann::json *more = nullptr);

}  // namespace warpgrade::cuda
