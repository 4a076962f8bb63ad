// What a program that ran on the simulator leaves for the process that started it: findings and counters, one
// process a file, one JSON object a line, so that a program that dies in any way loses nothing that was
// found.
//
// The runtime library writes (library/recorder.cpp); `simt run` reads, when the program has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters.hpp"
#include "counters/diagnostic.hpp"
#include "links/operation.hpp"

namespace warpgrade::cuda {

/// Options travel from `simt run` to the library in one environment variable, as JSON.
struct Options {
  std::string folder;  ///< where journals are written; empty: the report goes to standard error at the end
  std::uint64_t seed = 0;
  int threads = 1;
  std::uint32_t schedules =
      1;  ///< orders of blocks and warps to try for each launch, until something is found
  bool stop_at_first = false;  ///< a bad access ends the launch
  bool check_races = true, check_initialized = true;
  std::uint64_t instruction_budget = 4'000'000'000;
  bool record = false;  ///< write a recording of the first launch with a finding to `folder`
  // The device that the program sees. It is small, so that programs that fill it end soon.
  std::string gpu = "Warpgrade simulated GPU";  ///< its name
  int capability = 90, multiprocessors = 8, clock_khz = 1'000'000;
  int devices = 1;       ///< how many of them there are: 1 to 16
  bool traffic = false;  ///< write what moves between devices and the host
  bool operator==(const Options &) const = default;
};
inline constexpr const char *options_variable = "WARPGRADE_SIMT";
std::string to_json(const Options &);
/// Defaults for what is missing or damaged.
Options options_from(const std::string &json);

/// One kind of mistake or remark. What the simulator saw has a kernel; what the host did has a call.
struct Finding {
  std::string
      code;  ///< of simt::Code, or "copy_out_of_bounds", "wrong_direction", "host_access", "leak", ...
  simt::Severity severity = simt::Severity::error;
  std::string message;  ///< one sentence
  std::string call;     ///< "cudaMemcpy": the host's mistake; empty for a kernel's
  std::string kernel;   ///< demangled
  std::optional<simt::Side> here, other;
  std::string buffer;
  std::int64_t distance_bytes = 0;
  std::string hint;            ///< a second sentence: what it means, what to do; may be empty
  std::uint64_t count = 1;     ///< how many times
  std::uint64_t launches = 1;  ///< in how many launches (or calls)
  int ordinal =
      0;  ///< of the findings that one launch has at this place, one for each allocation; not written
};

/// All launches of one kernel together. A launch that ended in an error counts in `launches` alone.
struct KernelTotals {
  std::string kernel;  ///< demangled
  std::uint64_t launches = 0, threads = 0;
  simt::Counters counters;
};

struct Journal {
  long process = 0;
  std::vector<Finding> findings;      ///< in the order in which they were found
  std::vector<KernelTotals> kernels;  ///< by name
  std::vector<links::Operation>
      operations;  ///< in the order of the program's calls, where they were asked for
  std::uint64_t launches = 0;
  bool timed = false;     ///< the program asked how long something took
  bool finished = false;  ///< the program ended by itself: leaks are known
  bool complete = false;  ///< sums are there; they are not after SIGKILL or _exit
};

/// The lines of a journal, each with its end of line.
std::string line_of_start(long process);
std::string line_of(std::size_t index, const Finding &);
std::string line_of_repetition(std::size_t index, const Finding &);  ///< count and launches alone
std::string line_of(const KernelTotals &);
std::string line_of(const links::Operation &);
std::string line_of_end(const Journal &);

/// A damaged or cut line ends the journal there; it never throws for what the file holds.
Journal read_journal(const std::filesystem::path &);
Journal read_journal(std::istream &);
/// All of a folder, by process.
std::vector<Journal> read_journals(const std::filesystem::path &folder);

/// "file.cu:12: error: <message>, thread (1,0,0) of block (0,0,0) of kernel(float*) (3 times in 2 launches)"
std::string to_text(const Finding &);

}  // namespace warpgrade::cuda
