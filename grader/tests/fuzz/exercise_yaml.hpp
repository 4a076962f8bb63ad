// What the fuzzer of a course's files does with one input; the tests repeat it with everything the fuzzer
// once found.
#pragma once

#include <cstddef>
#include <span>

namespace warpgrade::fuzz {

/// The bytes are files, each behind a line `@@ <name>`: assignment.yaml, hidden.yaml, default.yaml and
/// gpu.yaml (thresholds), roster.csv, pattern, names (one a line). Reads what is there, in place of a missing
/// assignment that of the harness, and holds the results to what their headers promise; a mistake has to be a
/// ConfigError with file and line, or a PatternError. Aborts otherwise, and when matching one name takes a
/// second.
void exercise_yaml(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
