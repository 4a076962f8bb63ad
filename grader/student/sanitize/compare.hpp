// What NVIDIA's tools and the simulator say about one launch, side by side.
#pragma once

#include <string>
#include <vector>

#include "counters/diagnostic.hpp"
#include "sanitize/findings.hpp"

namespace warpgrade::sanitize {

/// What one tool found; or why it could not look.
struct ToolReport {
  Tool tool = Tool::memcheck;
  std::vector<Finding> findings;
  std::string why_not;
  bool whole = true;  ///< it saw the launch to its end and printed all that it found
};

/// Who sees a mistake at a line: the tool, the simulator, or both.
enum class SeenBy : std::uint8_t { both, sanitizer, simulator };
/// Of `both`, one side is null where a row above has it: one finding of one side may be several of the other.
struct Row {
  SeenBy by = SeenBy::both;
  const Finding *theirs = nullptr;
  const simt::Diagnostic *ours = nullptr;
};

/// The kind of finding of the simulator that a tool looks for as well. Information and remarks are none.
bool looks_for(Tool, const simt::Diagnostic &);

/// The rows of a tool: pairs at one line first, then what only the tool saw, then what only the simulator saw. Findings
/// of the simulator that a tool does not look for are in no row. The rows point into the arguments.
std::vector<Row> compare(const ToolReport &, const std::vector<simt::Diagnostic> &);

}  // namespace warpgrade::sanitize
