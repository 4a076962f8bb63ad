// What compute-sanitizer prints, as data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::sanitize {

/// The tools of compute-sanitizer.
enum class Tool : std::uint8_t { memcheck, racecheck, initcheck, synccheck };
inline constexpr std::array<Tool, 4> all_tools{Tool::memcheck, Tool::racecheck, Tool::initcheck,
                                               Tool::synccheck};
std::string_view name_of(Tool);  ///< "memcheck", as --tool takes it

/// One kind of mistake at one line, or pair of lines.
struct Finding {
  std::string what;    ///< in the tool's words, without addresses: "Invalid __global__ read of size 4 bytes"
  std::string detail;  ///< the same: "out of bounds, 1 bytes after the nearest allocation of size 400 bytes"
  std::string kernel;  ///< "tile", without arguments
  std::string file;    ///< base name; empty if the tool does not say
  int line = 0;
  int other_line = 0;         ///< of the other access of a race
  std::string thread, block;  ///< of the first one: "(100,0,0)"
  bool warning = false;
  std::uint64_t times = 1;  ///< how often it was printed; hazards of a race
  bool operator==(const Finding &) const = default;
};

struct Log {
  std::vector<Finding> findings;  ///< in the order in which they were printed
  bool complete = false;          ///< the tool printed its summary
  std::uint64_t unprinted = 0;    ///< errors beyond --print-limit
  std::string
      complaint;  ///< what the tool says first that is no finding: why it could not run, or a call that failed
};

/// Reads what the tools of compute-sanitizer 2022 to 2025 print; lines of the program beside it are skipped.
Log parse_sanitizer_log(std::string_view text);

}  // namespace warpgrade::sanitize
