#include "sanitize/compare.hpp"

#include <algorithm>
#include <set>

namespace warpgrade::sanitize {

using simt::Code;

bool looks_for(Tool tool, const simt::Diagnostic &d) {
  if (d.severity == simt::Severity::info) return false;
  switch (d.code) {
    case Code::out_of_bounds:
    case Code::misaligned:
    case Code::use_after_free:
      return tool == Tool::memcheck;
    case Code::race:
    case Code::lock:
    case Code::scope:
      return tool == Tool::racecheck;
    case Code::uninitialized_read:
      return tool == Tool::initcheck;
    case Code::barrier_divergence:
    case Code::deadlock:
    case Code::invalid_shuffle:
      return tool == Tool::synccheck;
    default:
      return false;
  }
}

namespace {

bool is_at(const simt::Diagnostic &d, const Finding &f) {
  const auto names = [&](const simt::Side &side) {
    return side.at.line != 0 && (side.at.line == f.line || side.at.line == f.other_line) &&
           side.at.file == f.file;
  };
  return names(d.here) || (d.other && names(*d.other));
}

}  // namespace

std::vector<Row> compare(const ToolReport &report, const std::vector<simt::Diagnostic> &ours) {
  std::vector<Row> both, theirs;
  std::set<const simt::Diagnostic *> paired;
  for (const Finding &f : report.findings) {
    bool seen = false, first = true;
    for (const simt::Diagnostic &d : ours) {
      if (!looks_for(report.tool, d) || !is_at(d, f)) continue;
      seen = true;
      if (!paired.insert(&d).second) continue;
      both.push_back({SeenBy::both, first ? &f : nullptr, &d});
      first = false;
    }
    if (!seen)
      theirs.push_back({SeenBy::sanitizer, &f, nullptr});
    else if (first)  // what the simulator says of it is in the rows of another finding
      both.push_back({SeenBy::both, &f, nullptr});
  }
  std::vector<Row> rows = std::move(both);
  rows.insert(rows.end(), theirs.begin(), theirs.end());
  for (const simt::Diagnostic &d : ours)
    if (looks_for(report.tool, d) && paired.count(&d) == 0) rows.push_back({SeenBy::simulator, nullptr, &d});
  return rows;
}

}  // namespace warpgrade::sanitize
