// What a kernel's counters amount to: the quantities that thresholds limit, and the line that costs most.
#pragma once

#include <optional>
#include <string>

#include "course/metric.hpp"

namespace warpgrade::judge {

using course::Counted;

/// None if there is nothing to measure: a kernel without stores has no sectors per store.
std::optional<double> value_of(course::Measure, const Counted &);

/// The best value that the same requests could reach, if it exists: 1 for anything counted relative to its
/// ideal, no conflicts, every lane active, every byte moved once. None if it is a matter of design.
std::optional<double> ideal_of(course::Measure, const Counted &);

/// The line that makes the value as bad as it is: the one with the most sectors, conflicts, bytes, ... beyond
/// the ideal, or in total if there is no ideal; of what moves between devices, a line of a kernel or of the launcher. None
/// if no line is to blame.
std::optional<simt::SourceLine> costliest_line(course::Measure, const Counted &);

/// "sectors per load request": as text, for a report.
std::string in_words(course::Measure);

}  // namespace warpgrade::judge
