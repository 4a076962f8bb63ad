// Grades whole submissions as the programs do: on the simulator, or, built with WARPGRADE_ON_GPU, on the GPU.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grading/record_json.hpp"
#include "ptx/architecture.hpp"
#include "report/report.hpp"
#include "score/score.hpp"
#include "setup/course_root.hpp"
#include "setup/fixtures.hpp"
#include "tests/places.hpp"

namespace warpgrade {

namespace fs = std::filesystem;
#ifdef WARPGRADE_ON_GPU
// It may have been built elsewhere: the course is where it is started.
inline const fs::path root = find_root();
inline constexpr auto device = DeviceChoice::gpu;
inline constexpr auto quickest = build::Toolchain::automatic;
#else
inline const fs::path root = fs::path(place::root).lexically_normal();
inline constexpr auto device = DeviceChoice::simulator;
// clang takes a sixth of nvcc's time. FrontEnds looks at what nvcc makes of the same submissions.
#ifdef WARPGRADE_CLANG
inline constexpr auto quickest = build::Toolchain::clang;
#else
inline constexpr auto quickest = build::Toolchain::automatic;
#endif
#endif

/// Grades the steps whose files a folder holds or makes with edits (setup/fixtures); all it has is missing
/// when it holds none. Of steps that share a file it is the first, or the one that a file `step` in the
/// folder names. The seed is `seed` if that is given, the number in a file `seed` of the folder, or the
/// course's public one.
class Bench {
 public:
  explicit Bench(const std::string &assignment = "hw6",
                 build::Toolchain toolchain = build::Toolchain::automatic)
      : assignment_(course::read_assignment(root / "assignments" / assignment)),
        machine_(look_at_machine(root, assignment_, device, true, toolchain)) {}

  /// To be changed before grade().
  course::Limits &limits() { return assignment_.limits; }
  bool with_clang() const { return machine_->front_end->name().starts_with("clang"); }

  std::function<bool()> others_wait = {};  ///< of grading::Options
  grading::Options::Kept kept = {};        ///< likewise

  /// The folder with the files that edits in it make.
  fs::path whole(const fs::path &folder) { return fixtures_.whole(folder); }

  grading::SubmissionRecord grade(const fs::path &fixture, bool all_steps = false, bool measure = false,
                                  std::optional<std::uint64_t> seed = {}) {
    const fs::path folder = whole(fixture);
    grading::Options options;
    options.measure = measure;
    options.seed = assignment_.seed;
    std::ifstream(folder / "seed") >> options.seed;
    if (seed) options.seed = *seed;
    options.others_wait = others_wait;
    options.kept = kept;
    grading::Grader grader(assignment_, machine_->environment, options);
    grading::SubmissionRecord record{
        assignment_.name, fixture.lexically_relative(root).string(), options.seed, grader.device(), {}};
    for (const course::Step *s : steps_of(folder, all_steps)) {
      const build::Build build =
          grading::Grader(assignment_, machine_for(*s).environment, options).build(*s, folder);
      record.steps.push_back(grader.grade(*s, build, folder));
    }
    return record;
  }
  /// The records of a submission's steps, once for each of these numbers of threads; it is built once.
  std::vector<std::string> records(const fs::path &fixture, const std::vector<int> &threads) {
    const fs::path folder = whole(fixture);
    std::vector<std::string> all(threads.size());
    for (const course::Step *s : steps_of(folder, false)) {
      std::optional<build::Build> built;
      for (std::size_t i = 0; i < threads.size(); ++i) {
        grading::Options options;
        options.measure = false;
        options.seed = assignment_.seed;
        options.threads = threads[i];
        options.threads_at_once = true;
        grading::Grader grader(assignment_, machine_->environment, options);
        if (!built) built = grader.build(*s, folder);
        all[i] += grading::to_json(grader.grade(*s, *built, folder)) + "\n";
      }
    }
    return all;
  }
  bool contained() const { return machine_->sandbox->mode() != sandbox::Sandbox::Mode::none; }
  score::Score score(const grading::SubmissionRecord &record) const {
    return score::score(assignment_, machine_->thresholds, record);
  }
  std::string terminal(const grading::SubmissionRecord &record) const {
    const score::Score s = score(record);
    return report::to_terminal({assignment_, machine_->thresholds, record, s, "./grade {step}"}, {});
  }
  std::string json(const grading::SubmissionRecord &record) const {
    const score::Score s = score(record);
    return report::to_json({assignment_, machine_->thresholds, record, s, "./grade {step}"});
  }

 private:
  /// clang leaves code for one generation of GPUs to nvcc, and assignments that need it, if it is here.
  const Machine &machine_for(const course::Step &s) {
    const bool needs_nvcc = assignment_.toolchain == build::Toolchain::nvcc;
    if (!with_clang() || (!needs_nvcc && !ptx::Architecture(s.arch).exact)) return *machine_;
    try {
      if (!nvcc_) nvcc_ = look_at_machine(root, assignment_, device, true, build::Toolchain::nvcc);
    } catch (const std::runtime_error &) {
      return *machine_;
    }
    return *nvcc_;
  }
  std::vector<const course::Step *> steps_of(const fs::path &folder, bool all_steps) const {
    std::string named;
    std::ifstream(folder / "step") >> named;
    std::set<std::string> files;
    std::vector<const course::Step *> steps;
    for (const course::Step &s : assignment_.steps)
      if (all_steps ||
          (named.empty() ? fs::exists(folder / s.file) && files.insert(s.file).second : s.id == named))
        steps.push_back(&s);
    if (steps.empty()) steps.push_back(&assignment_.steps[2]);
    return steps;
  }

  course::Assignment assignment_;
  std::unique_ptr<Machine> machine_, nvcc_;
  WholeFixtures fixtures_{root};
};

}  // namespace warpgrade
