// An assignment's rules, checked on the compiled code and on a plan, never on the text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "judge/verdict.hpp"
#include "plan/plan.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"

namespace warpgrade::judge {

/// Rules that depend only on the code. `machine_code` is what a GPU would run, empty if none was made.
/// `launched` has the mangled names of the kernels that some plan launches.
std::vector<Finding> check_code_rules(const course::Rules &, const ptx::Module &,
                                      const std::vector<ptx::MachineCode> &machine_code,
                                      const std::vector<std::string> &launched);

/// Rules that need a plan: shared memory (static in the launched kernels, or dynamic), and constant memory
/// that is filled from device memory, which would serve as tiles that nothing counts.
std::vector<Finding> check_plan_rules(const course::Rules &, const ptx::Module &, const plan::LaunchPlan &);

/// The threads of a plan's launches, and which of its kernels do almost none of the work.
struct Workers {
  double threads = 0;          ///< of all launches that compute
  std::set<std::string> idle;  ///< kernels that together do less than a twentieth of the work
};
/// launch_flops  of each launch in order; empty: not known, so that all launches count
/// useful_flops  that the problem needs
Workers workers_of(const plan::LaunchPlan &, const std::vector<std::uint64_t> &launch_flops,
                   double useful_flops);
/// The threads of all launches except those of `idle` kernels.
double threads_of(const plan::LaunchPlan &, const std::set<std::string> &idle);

/// Whether shared memory was used as for tiles: at least `least_bytes` are read from it.
std::vector<Finding> check_shared_traffic(const course::Rules &, const simt::Counters &, double least_bytes,
                                          const std::string &case_name);

/// Outputs per thread at one size. `outputs`: elements of the result there; `threads`: of threads_of().
std::vector<Finding> check_outputs_per_thread(double at_least, double threads, std::uint64_t outputs,
                                              const std::string &case_name);

/// Remarks that cost nothing: cache hints, memory allocated on the device, machine code that cannot be read.
std::vector<Finding> remarks(const ptx::Module &, const std::vector<ptx::MachineCode> &);

/// Code that clang compiled and nvcc would reject, as warnings (docs/front-ends.md). `module` is from clang;
/// `source` is the student's file, used only to see whether it marks its lambdas.
std::vector<Finding> refused_by_nvcc(const ptx::Module &module, const std::string &source);

}  // namespace warpgrade::judge
