// ./grade: one submission, one student, one answer.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <map>

#include "apps/commands.hpp"
#include "apps/course_root.hpp"
#include "apps/supervise.hpp"
#include "gpu/gpu.hpp"
#include "report/text.hpp"

namespace warpgrade::apps {
namespace {

/// Standard error may be closed or full: then nobody hears it, and the exit status says it alone.
void say(std::string_view text) {
  std::fputs((report::for_terminal(text, true) + "\n").c_str(), stderr);
}

/// A score that nobody could read must not end like one that was read.
int delivered(int status) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  say("grade: the output could not be written");
  return grader_failed;
}

int run(std::vector<std::string> words) {
  const std::map<std::string, std::function<int(const std::vector<std::string> &)>> commands = {
      {"bench", grade_bench},       {"explain", grade_explain},  {"plan", grade_plan},
      {"roofline", grade_roofline}, {"tune", grade_tune},        {"doctor", doctor},
      {"mmdriver", grade_mmdriver}, {"replay-plan", replay_plan}};
  try {
    if (!words.empty())
      if (const auto command = commands.find(words.front()); command != commands.end()) {
        words.erase(words.begin());
        return delivered(command->second(words));
      }
    return delivered(grade_steps(words));
  } catch (const course::ConfigError &e) {
    say(e.what());
    return usage;
  } catch (const UsageError &e) {
    say(fmt::format("grade: {}", e.what()));
    return usage;
  } catch (const std::exception &e) {
    say(fmt::format("grade: the grader itself failed, which costs no points: {}", e.what()));
    return grader_failed;
  }
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  using namespace warpgrade;
  if (const auto status = gpu::run_as_child(argc, argv)) return *status;
  apps::occupy_standard_descriptors();
  try {
    return apps::supervise("grade", [&] { return apps::run({argv + 1, argv + argc}); });
  } catch (const std::exception &e) {
    apps::say(fmt::format("grade: {}", e.what()));
    return apps::grader_failed;
  }
}
