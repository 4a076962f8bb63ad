// An assignment's rules, checked on the compiled code and on a plan: never on the text.
#pragma once

#include <vector>

#include "course/assignment.hpp"
#include "judge/verdict.hpp"
#include "plan/plan.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"

namespace warpgrade::judge {

/// Rules that the code alone decides. `machine_code` is what a GPU runs of it, empty where none was made.
/// `launched` holds the mangled names of the kernels that some plan launches.
std::vector<Finding> check_code_rules(const course::Rules &, const ptx::Module &,
                                      const std::vector<ptx::MachineCode> &machine_code,
                                      const std::vector<std::string> &launched);

/// Rules that need a plan: shared memory (static of the launched kernels, or dynamic).
std::vector<Finding> check_plan_rules(const course::Rules &, const ptx::Module &, const plan::LaunchPlan &);

/// Results over the threads of the plan's largest launch; 0 without a launch.
double outputs_per_thread(const plan::LaunchPlan &, std::uint64_t outputs);

/// Outputs per thread at the size that the rule names. `outputs`: elements of the result there.
std::vector<Finding> check_outputs_per_thread(const course::Rules::OutputsPerThread &,
                                              const plan::LaunchPlan &, std::uint64_t outputs,
                                              const std::string &case_name);

/// Remarks that cost nothing: cache hints, memory allocated on the device, machine code that cannot be read.
std::vector<Finding> remarks(const ptx::Module &, const std::vector<ptx::MachineCode> &);

/// What clang compiled and nvcc would refuse, as warnings (docs/front-ends.md). `module` is of clang; `source`
/// is the student's file, which is asked only whether it marks its lambdas.
std::vector<Finding> refused_by_nvcc(const ptx::Module &module, const std::string &source);

}  // namespace warpgrade::judge
