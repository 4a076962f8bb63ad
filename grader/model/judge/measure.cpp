#include "judge/measure.hpp"

#include <algorithm>
#include <map>

namespace warpgrade::judge {

std::optional<double> value_of(course::Measure measure, const Counted &counted) {
  return course::metric(measure).value(counted);
}

std::optional<double> ideal_of(course::Measure measure, const Counted &counted) {
  return course::metric(measure).ideal(counted);
}

std::optional<simt::SourceLine> costliest_line(course::Measure measure, const Counted &counted) {
  std::optional<simt::SourceLine> worst;
  if (const auto cost = course::metric(measure).link_cost; cost != nullptr && counted.links) {
    std::map<simt::SourceLine, double> lines;  // in all directions
    for (const run::LinkCounts::Line &l : counted.links->lines)
      if (l.line > 0) lines[{l.file, l.line}] += cost(l);
    const auto most = std::ranges::max_element(lines, {}, [](const auto &one) { return one.second; });
    if (most != lines.end() && most->second > 0) worst = most->first;
    return worst;
  }
  std::uint64_t most = 0;
  for (const auto &[line, c] : counted.counts.lines) {
    const std::uint64_t here = course::metric(measure).cost(c);
    if (here <= most || line.line == 0) continue;
    most = here;
    worst = line;
  }
  return worst;
}

std::string in_words(course::Measure measure) {
  return std::string(course::metric(measure).words);
}

}  // namespace warpgrade::judge
