// ./grade: one submission, one student, one answer.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <map>

#include "apps/commands.hpp"
#include "apps/course_root.hpp"
#include "gpu/gpu.hpp"

int main(int argc, char **argv) {
  using namespace warpgrade;
  if (const auto status = gpu::run_as_child(argc, argv)) return *status;
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::map<std::string, std::function<int(const std::vector<std::string> &)>> commands = {
      {"plan", apps::grade_plan}, {"doctor", apps::doctor}};
  try {
    if (!words.empty())
      if (const auto command = commands.find(words.front()); command != commands.end()) {
        words.erase(words.begin());
        return command->second(words);
      }
    return apps::grade_steps(words);
  } catch (const course::ConfigError &e) {
    fmt::print(stderr, "{}\n", e.what());
    return apps::usage;
  } catch (const apps::UsageError &e) {
    fmt::print(stderr, "grade: {}\n", e.what());
    return apps::usage;
  } catch (const std::exception &e) {
    fmt::print(stderr, "grade: the grader itself failed, which costs no points: {}\n", e.what());
    return apps::grader_failed;
  }
}
