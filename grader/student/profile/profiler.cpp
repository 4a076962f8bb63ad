#include "profile/profiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>

#include "base/process.hpp"
#include "gpu/device_lock.hpp"
#include "gpu/run_request.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/files.hpp"

namespace warpgrade::profile {

namespace fs = std::filesystem;

namespace {

constexpr const char *magic = "warpgrade.replay/2";

/// The mangled names of what a plan launches, and how many launches there are.
struct Launched {
  std::set<std::string> kernels;
  std::size_t launches = 0;
};
Launched launched_by(const plan::LaunchPlan &plan) {
  Launched l;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation)) {
      l.kernels.insert(launch->kernel);
      ++l.launches;
    }
  return l;
}

/// Matches these names and no others.
std::string pattern_of(const std::set<std::string> &names) {
  std::string pattern;
  for (const std::string &name : names) {
    if (!pattern.empty()) pattern += '|';
    for (const char c : name) pattern += std::strchr("$.", c) ? std::string{'\\', c} : std::string{c};
  }
  return "regex:^(" + pattern + ")$";
}

}  // namespace

std::optional<fs::path> find_cuda_program(const std::string &name) {
  std::vector<fs::path> places;
  if (const std::string home = environment("CUDA_HOME"); !home.empty())
    places.push_back(fs::path(home) / "bin");
  const std::string path = environment("PATH");
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    if (end > from) places.emplace_back(path.substr(from, end - from));
    from = end + 1;
  }
  places.emplace_back("/usr/local/cuda/bin");
  for (const fs::path &place : places)
    if (const fs::path one = place / name; ::access(one.c_str(), X_OK) == 0 && fs::is_regular_file(one))
      return fs::canonical(one);
  return std::nullopt;
}

void write_replay_request(const fs::path &file, const ReplayRequest &r) {
  Writer to;
  to.put_string(magic).put(std::int32_t{r.device}).put_bytes(r.fat_binary).put_string(r.problem);
  to.put(std::uint64_t{r.size.integers.size()});
  for (const std::int64_t n : r.size.integers) to.put(n);
  to.put(std::uint64_t{r.size.reals.size()});
  for (const double x : r.size.reals) to.put(x);
  to.put(r.seed).put(r.runs).put(r.run_seconds).put(r.scratch_bytes).put(std::uint8_t{r.bare});
  gpu::RunRequest run;
  run.plan = r.plan;
  gpu::encode(to, run);
  write_whole(file, to.text());
}

ReplayRequest read_replay_request(const fs::path &file) {
  const std::string bytes = read_whole(file);
  Reader from(std::as_bytes(std::span(bytes)));
  ReplayRequest r;
  if (from.get_string() != magic)
    throw std::runtime_error(fmt::format("{} is not a replay request", file.string()));
  r.device = from.get<std::int32_t>();
  r.fat_binary = from.copy_bytes();
  r.problem = from.get_string();
  r.size.integers.resize(from.get_count(sizeof(std::int64_t)));
  for (std::int64_t &n : r.size.integers) n = from.get<std::int64_t>();
  r.size.reals.resize(from.get_count(sizeof(double)));
  for (double &x : r.size.reals) x = from.get<double>();
  r.seed = from.get<std::uint64_t>();
  r.runs = from.get<std::uint32_t>();
  r.run_seconds = from.get<double>();
  r.scratch_bytes = from.get<std::uint64_t>();
  r.bare = from.get<std::uint8_t>() != 0;
  r.plan = gpu::decode_run_request(from).plan;
  return r;
}

Profile Profiler::profile(const ReplayRequest &request, double wall_seconds) const {
  const Launched launched = launched_by(request.plan);
  if (launched.launches == 0) throw ProfilerError("nothing is launched");
  const Scratch scratch;
  const fs::path file = scratch.path() / "request", log = scratch.path() / "log";
  write_replay_request(file, request);
  // The link would be ncu's own once ncu follows it.
  const fs::path program = fs::is_symlink(program_) ? fs::read_symlink(program_) : program_;
  Start start{.program = ncu_,
              .arguments = {ncu_.string(),
                            "--target-processes",
                            "all",
                            "--clock-control",
                            "none",
                            "--csv",
                            "--page",
                            "raw",
                            "--print-units",
                            "base",
                            "--print-kernel-base",
                            "mangled",
                            "--kernel-name-base",
                            "mangled",
                            "--kernel-name",
                            pattern_of(launched.kernels),
                            "--metrics",
                            profiler_metrics(),
                            "--log-file",
                            log.string(),
                            program.string(),
                            "replay-plan",
                            file.string()},
              .dies_with_us = true};
  CommandOutcome ncu;
  try {
    ncu = run_program(start, wall_seconds);
  } catch (const std::system_error &e) {
    throw ProfilerError(fmt::format("the profiler could not be started: {}", e.what()));
  }
  if (!ncu.in_time) throw ProfilerError(fmt::format("the profiler did not end in {:g} s", wall_seconds));
  const std::string text = read_or_empty(log), words = ncu.out + ncu.error;
  const bool well = ncu.ok();
  if (!well && text.find("==ERROR==") == std::string::npos &&
      words.find("ERR_NVGPUCTRPERM") == std::string::npos)
    throw ProfilerError(
        fmt::format("the profiler ended with {}: {}", ncu.end, last_words(words.empty() ? text : words)));
  return summarise(parse_ncu_log(well ? text : text + words), launched.launches, request.runs);
}

Profiling::Profiling(bool wanted, const Machine &machine, const grading::Grader &grader,
                     const course::Assignment &assignment, std::uint64_t seed)
    : wanted_(wanted), machine_(machine), grader_(grader), assignment_(assignment), seed_(seed) {
  if (!wanted) return;
  const auto ncu = find_cuda_program("ncu");
  if (!machine.environment.gpu)
    why_not_ = "--profile: nothing was profiled, since there is no GPU here";
  else if (!ncu)
    why_not_ =
        "--profile: nothing was profiled, since there is no ncu (Nsight Compute's command line) on PATH, in "
        "CUDA_HOME/bin or in /usr/local/cuda/bin";
  else
    profiler_.emplace(*ncu);
}

std::optional<Profile> Profiling::of(const course::Step &step, const build::Build &build,
                                     const problem::Case &size) {
  if (!profiler_) return std::nullopt;
  if (step.problem->devices(size) > 1) {
    why_not_ = fmt::format("--profile: {} was not profiled, since it is for several GPUs", step.id);
    return std::nullopt;
  }
  constexpr std::uint32_t runs = 7;  // the first may find the GPU with low clocks
  try {
    ReplayRequest request;
    request.device = machine_.environment.gpu->index;
    request.fat_binary = build.fatbin;
    request.plan = grader_.plan(step, build, size);
    request.problem = step.problem->name();
    request.size = size;
    request.seed = seed_;
    request.runs = runs;
    request.scratch_bytes = assignment_.limits.plan.scratch_bytes;
    const grading::Environment &e = machine_.environment;
    std::optional<gpu::DeviceLock> alone;
    if (!e.lock_directory.empty()) alone.emplace(e.lock_directory, *e.gpu, 600);
    if (alone && !alone->held())
      throw ProfilerError("another grader has been measuring on this GPU for 10 minutes");
    return profiler_->profile(request);
  } catch (const ProfilerError &e) {
    why_not_ = fmt::format("--profile: {} was not profiled, nor what came after it: {}", step.id, e.what());
    profiler_.reset();
  } catch (const std::runtime_error &) {  // a step without a plan: its line says why
  }
  return std::nullopt;
}

}  // namespace warpgrade::profile
