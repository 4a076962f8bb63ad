// Where a YAML file is wrong when the parser notices it only later: a quotation mark or a bracket that is
// never closed, a key without its colon.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgrade::course {

struct YamlFault {
  int line = 0;  ///< from 1
  std::string words;
  bool operator==(const YamlFault &) const = default;
};

/// Quoted text that continues over lines that look like keys: valid YAML, and never intended.
std::optional<YamlFault> quotes_left_open(std::string_view text);

/// The mistake that made yaml-cpp stop at line `at`; none: that line is wrong, or nothing more is known.
std::optional<YamlFault> fault_before(std::string_view text, int at);

}  // namespace warpgrade::course
