// From a build and a call to a launch plan: runs the student's launcher in a recorder sandbox and reads what
// it wrote.
//
// Takes a CallRequest (shapes and a device, no data), returns a Recording. The sandbox is empty: no files, no
// network, no GPU; one per Recorder, with a fresh process for each call. Whatever the launcher does, record()
// returns within the limits and leaves nothing of it behind. Throws sandbox::SandboxError from the
// constructor only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/build.hpp"
#include "plan/launch_checks.hpp"
#include "plan/plan.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::record {

/// For one call of the launcher.
struct Limits {
  double wall_seconds = 2;
  std::uint32_t cpu_seconds = 2;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;   ///< address space
  std::uint64_t output_bytes = std::uint64_t{64} << 10;  ///< of its output, the rest is dropped
  plan::Limits plan;
  bool operator==(const Limits &) const = default;
};

/// What the launcher allocated.
struct Allocation {
  std::string name;  ///< as the plan calls it: "scratch 1"
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> callers;  ///< for Recorder::line_of
  bool operator==(const Allocation &) const = default;
};

/// Of a launcher that does something else when it is called a second time in the same process.
struct SecondCall {
  plan::LaunchPlan both;               ///< the operations of both calls
  std::size_t first_call = 0;          ///< how many of them belong to the first call
  std::string difference;              ///< plan::CallsDiffer::words
  std::vector<std::uint64_t> callers;  ///< of the launch that only one of the calls makes
  bool operator==(const SecondCall &) const = default;
};

struct Recording {
  enum class Outcome : std::uint8_t {
    plan,  ///< the launcher returned. The plan may contain a launch that no GPU starts: the replay reports it.
    crashed,  ///< it ended in any other way: a signal, exit, an exception
    time_limit,
    bad_plan,     ///< it did what a plan cannot contain, two recordings differ, or the bytes are not a plan
    our_failure,  ///< the sandbox or the server failed; never the student's fault
  };
  Outcome outcome = Outcome::our_failure;
  std::string message;  ///< if there is no plan: why, in a sentence. It may quote the student's own text.
  plan::LaunchPlan plan;
  std::optional<plan::RefusedLaunch> refused;  ///< the plan's first launch that no GPU starts
  std::vector<std::uint64_t> callers;          ///< of the call that made the plan bad, or of the crash
  int signal = 0;                              ///< that ended the launcher
  std::optional<std::size_t> first_call;       ///< operations of the first call, if there was a second one
  /// Of launches in that case, by operation; where there are several devices, of copies and fills too.
  std::map<std::size_t, std::vector<std::uint64_t>> launched_at;
  std::optional<SecondCall> again;           ///< if a second call does something else
  std::vector<std::uint64_t> failed_launch;  ///< callers of the first launch that the runtime refused
  std::vector<Allocation> allocations;       ///< in their order; also of a bad plan
  std::string printed;  ///< what the launcher wrote to standard output and error, capped; raw bytes
  bool printed_more = false;
  double seconds = 0;          ///< of the first recording's process
  double charged_seconds = 0;  ///< the part of it that the launcher caused, not a busy machine
  bool operator==(const Recording &) const = default;
};

class Recorder {
 public:
  /// server   the record_server program
  /// throws   sandbox::SandboxError when the worker or the server cannot be opened
  Recorder(const sandbox::Sandbox &, const build::Build &, const Limits &,
           const std::filesystem::path &server);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Calls the launcher in two fresh processes, twice in the second, and compares the recordings.
  /// `kernels` and `variables` of the request are filled in from the build. Not for several threads at once.
  /// most_seconds   of each process, if the machine is too busy to give it a processor
  Recording record(plan::CallRequest, double most_seconds = 1e9) const;

  /// The line of the student's file that the innermost of these addresses of a Recording belongs to; 0 if there
  /// is none. Runs on the student's object file, in a sandbox. Not for several threads at once.
  int line_of(const std::vector<std::uint64_t> &callers) const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace warpgrade::record
