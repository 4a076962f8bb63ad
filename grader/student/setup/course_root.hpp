// Where a course lies and what this machine offers: what every program looks up before it starts.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/usage.hpp"
#include "course/assignment.hpp"
#include "grading/grading.hpp"
#include "setup/tools.hpp"

namespace warpgrade {

/// A step that the course does not have. what() says which it has, and which one may have been meant.
class UnknownStep : public UsageError {
 public:
  UnknownStep(std::string step, const std::string &what) : UsageError(what), word(std::move(step)) {}
  std::string word;  ///< as it was typed
};

/// The folder that contains assignments/ and starter/: the working directory or its nearest such parent,
/// otherwise the program's own folder or its nearest such parent.
std::filesystem::path find_root();

std::vector<std::string> assignment_names(const std::filesystem::path &root);

/// The assignment that a person means who names none: the one whose starter folder this is, the only one, or
/// the first that has all the steps named. Throws UsageError with the choice there is, UnknownStep when a
/// step is in none of them.
/// read: gets the assignment, if it was read to find out.
std::string guess_assignment(const std::filesystem::path &root, const std::vector<std::string> &steps,
                             const std::filesystem::path &submission = {},
                             std::optional<course::Assignment> *read = nullptr);

/// Whether there is something to run for a step: steps beyond the course are in no kit.
bool is_there(const std::filesystem::path &root, const course::Assignment &, const course::Step &);

/// Where the files to grade lie when no folder is named: here if a step's file is here, beside assignments/
/// in a kit, else the starter; for steps beyond the course, which have no starter, the solutions where they
/// are at hand.
std::filesystem::path guess_submission(const std::filesystem::path &root, const course::Assignment &,
                                       const std::vector<std::string> &steps);

enum class DeviceChoice { automatic, gpu, simulator };

/// All that grading needs besides the assignment. Owns what grading::Environment points to.
struct Machine {
  Tools tools;
  std::unique_ptr<sandbox::Sandbox> sandbox;
  std::unique_ptr<build::FrontEnd> front_end;
  course::Thresholds thresholds;                   ///< for the GPU here, or for none
  std::vector<course::Thresholds> all_thresholds;  ///< of the assignment
  grading::Environment environment;
  std::vector<gpu::DeviceInfo> gpus;  ///< all there are, unless the simulator was asked for
};
/// What does not depend on the assignment, on a thread of its own: it mostly waits for sandboxes to start.
std::future<std::unique_ptr<Machine>> begin_to_look(bool use_sandbox);
/// begun      by begin_to_look()
/// toolchain  of the command line; automatic: the assignment's
/// Throws UsageError when a GPU is demanded and there is none, or a compiler.
std::unique_ptr<Machine> look_at_machine(std::future<std::unique_ptr<Machine>> begun,
                                         const std::filesystem::path &root, const course::Assignment &,
                                         DeviceChoice,
                                         build::Toolchain toolchain = build::Toolchain::automatic);
/// The same, begun now.
std::unique_ptr<Machine> look_at_machine(const std::filesystem::path &root, const course::Assignment &,
                                         DeviceChoice, bool use_sandbox,
                                         build::Toolchain toolchain = build::Toolchain::automatic);

/// Has the machine measure on this one of its GPUs, with the thresholds for it.
void use_gpu(Machine &, const std::filesystem::path &root, const course::Assignment &,
             const gpu::DeviceInfo &);

/// The nvcc of PATH, CUDA_HOME or /usr/local/cuda.
std::optional<std::filesystem::path> find_nvcc();
/// The clang++ of PATH, or its newest clang++-NN.
std::optional<std::filesystem::path> find_clang();
/// Throws UsageError when that compiler is not there; or, with `automatic`, neither.
std::unique_ptr<build::FrontEnd> find_front_end(const sandbox::Sandbox &, const Tools &,
                                                const build::Limits &,
                                                build::Toolchain = build::Toolchain::automatic);
/// "auto", "nvcc" or "clang", as on the command line.
build::Toolchain toolchain_named(const std::string &);
std::string_view name_of(build::Toolchain);

/// For builds: $WARPGRADE_CACHE, $XDG_CACHE_HOME/warpgrade or ~/.cache/warpgrade; empty where none can be
/// made.
std::filesystem::path cache_folder();

/// Where programs may not run in the folder for temporary files (mounted noexec, as on some clusters), TMPDIR
/// becomes `tmp` in cache_folder(), if they may run there. Call it before there are threads.
void find_room_for_programs();

}  // namespace warpgrade
