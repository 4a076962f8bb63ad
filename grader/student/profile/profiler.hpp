// NVIDIA's profiler on a launch plan: what a plan's kernels moved and how long they took, as the hardware
// counted. ncu runs this same program, which replays the plan a few times and does nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "profile/ncu_csv.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::profile {

/// The program of this name in CUDA_HOME, PATH or /usr/local/cuda, such as ncu.
std::optional<std::filesystem::path> find_cuda_program(const std::string &name);

/// All that a replay needs, in one file: what replay-plan is handed.
struct ReplayRequest {
  int device = 0;  ///< in the order of PCI bus ids
  std::vector<std::byte> fat_binary;
  plan::LaunchPlan plan;
  std::string problem;
  problem::Case size;
  std::uint64_t seed = 0;
  std::uint32_t runs = 1;
  bool bare = false;        ///< see gpu::Replay::replay_bare()
  double run_seconds = 60;  ///< of one replay: the profiler repeats every kernel, and saves its memory
  std::uint64_t scratch_bytes = std::uint64_t{4} << 30;
};
void write_replay_request(const std::filesystem::path &file, const ReplayRequest &);
/// Throws std::runtime_error when it is not one.
ReplayRequest read_replay_request(const std::filesystem::path &file);
/// ./grade replay-plan: what the profiler looks at. Gives the exit status; throws std::runtime_error.
int replay(const std::filesystem::path &file);

class Profiler {
 public:
  /// program  what ncu starts: this program
  explicit Profiler(std::filesystem::path ncu, std::filesystem::path program = "/proc/self/exe")
      : ncu_(std::move(ncu)), program_(std::move(program)) {}

  /// Only kernels of the plan are counted. Throws ProfilerError with one sentence when it cannot be done.
  Profile profile(const ReplayRequest &, double wall_seconds = 120) const;

 private:
  std::filesystem::path ncu_, program_;
};

/// --profile of a command: profiles one step after the other, and stops at the first that cannot be.
class Profiling {
 public:
  /// wanted  whether --profile was given; when not, of() gives nothing and why_not() is empty
  Profiling(bool wanted, const Machine &, const grading::Grader &, const course::Assignment &,
            std::uint64_t seed);

  std::optional<Profile> of(const course::Step &, const build::Build &, const problem::Case &);
  bool wanted() const { return wanted_; }
  /// One sentence for a person when something that was wanted could not be profiled.
  const std::string &why_not() const { return why_not_; }

 private:
  bool wanted_;
  std::optional<Profiler> profiler_;
  const Machine &machine_;
  const grading::Grader &grader_;
  const course::Assignment &assignment_;
  std::uint64_t seed_;
  std::string why_not_;
};

}  // namespace warpgrade::profile
