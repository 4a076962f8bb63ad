#include "judge/measure.hpp"

namespace warpgrade::judge {

std::optional<double> value_of(course::Measure measure, const Counted &counted) {
  return course::metric(measure).value(counted);
}

std::optional<double> ideal_of(course::Measure measure, const Counted &counted) {
  return course::metric(measure).ideal(counted);
}

std::optional<simt::SourceLine> costliest_line(course::Measure measure, const simt::Counters &counters) {
  std::optional<simt::SourceLine> worst;
  std::uint64_t most = 0;
  for (const auto &[line, c] : counters.lines) {
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
