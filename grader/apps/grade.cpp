// ./grade: one submission, one student, one answer.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "apps/commands.hpp"
#include "gpu/gpu.hpp"
#include "setup/course_root.hpp"
#include "setup/guarded.hpp"
#include "setup/supervise.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

const std::vector<Command> &grade_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = {
        {"list", "the steps, their files, points and rules", grade_list},
        {"debug", "step by step through what went wrong", grade_debug},
        {"search", "a case that fails where others do not", grade_search},
        {"sanitize", "compute-sanitizer on a step, beside our findings", grade_sanitize},
        {"prove", "what holds for all sizes", grade_prove},
        {"explain", "which lines are slow, and why", grade_explain},
        {"bench", "steps at many sizes, side by side", grade_bench},
        {"roofline", "steps under the roof of a GPU", grade_roofline},
        {"predict", "predicted times on a GPU that is not in this machine", grade_predict},
        {"tune", "a step with other values of its constants", grade_tune},
        {"quiz", "questions about your own kernel", grade_quiz}};
    // The course here may have a driver, under a name of its own.
    if (const auto driver = steps::find_driver())
      all.push_back({driver->command, "a kernel with any geometry", grade_drive});
    for (const Command &c :
         {Command{"errors", "the wrong elements of one product", grade_errors},
          Command{"report", "fill your report with measurements", grade_report},
          Command{"plan", "what a launcher launches", grade_plan},
          Command{"package", "the archive to hand in", grade_package},
          Command{"login", "keep your token for the course's service, for --remote", grade_login},
          Command{"doctor", "check whether this machine can grade", doctor},
          Command{"completion", "completion with the Tab key, for your shell", completion},
          Command{"replay-plan", nullptr, replay_plan}})
      all.push_back(c);
    return all;
  }();
  return commands;
}

bool is_offered(const Command &c) {
  return c.what != nullptr;
}

namespace {

/// A score that nobody could read must not end like one that was read.
int delivered(int status) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain("grade: the output could not be written");
  return grader_failed;
}

int run(std::vector<std::string> words) {
  // What one case frees serves the next: fetched anew, each page costs a fault.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  const auto work = [&] {
    const auto &all = grade_commands();
    const auto command =
        words.empty()
            ? all.end()
            : std::find_if(all.begin(), all.end(), [&](const Command &c) { return words.front() == c.name; });
    if (command == all.end()) return delivered(grade_steps(words));
    words.erase(words.begin());
    return delivered(command->run(words));
  };
  return guarded("grade", work, "the grader itself failed, which costs no points: ");
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  using namespace warpgrade;
  if (const auto status = gpu::run_as_child(argc, argv)) return *status;
  occupy_standard_descriptors();
  return guarded("grade", [&] {
    return supervise("grade", [&] { return apps::run({argv + 1, argv + argc}); });
  });
}
