// Cases of every problem that has a problem.cu: what test_problem tries on the host and test_gpu on a GPU.
// They are the assignments' own, so that a new problem.cu is tried without a line here.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "course/assignment.hpp"
#include "problem/problem.hpp"

namespace warpgrade::problem {

struct OnDeviceTest {
  std::string problem, size;
  bool operator==(const OnDeviceTest &) const = default;
};

inline void PrintTo(const OnDeviceTest &test, std::ostream *out) {
  *out << test.problem << " at " << test.size;
}

/// The open cases of all steps, of those problems that have kernels. The host computes each of them, so they
/// are small.
inline std::vector<OnDeviceTest> on_device_tests(
    const std::filesystem::path &assignments, const std::function<bool(const std::string &)> &has_kernels) {
  constexpr double most_bytes = 4e6, most_flops = 4e7;
  std::vector<OnDeviceTest> all;
  for (const auto &folder : std::filesystem::directory_iterator(assignments)) {
    if (!std::filesystem::exists(folder.path() / "problem.cu")) continue;
    for (const course::Step &step : course::read_assignment(folder.path()).steps) {
      if (step.problem == nullptr || !has_kernels(std::string(step.problem->name()))) continue;
      for (const course::Case &c : step.cases) {
        const OnDeviceTest test{std::string(step.problem->name()), step.problem->case_name(c.values)};
        if (c.visibility == course::Visibility::open &&
            step.problem->compulsory_bytes(c.values) <= most_bytes &&
            step.problem->flops(c.values) <= most_flops &&
            std::find(all.begin(), all.end(), test) == all.end())
          all.push_back(test);
      }
    }
  }
  // A problem that variants alone name takes the cases of one with the same sizes.
  const auto sizes_of = [](const std::string &name) {
    std::vector<std::string> names;
    for (const Integer &i : find_problem(name)->integers()) names.push_back(i.name);
    return names;
  };
  const std::vector<OnDeviceTest> named = all;
  for (const std::string &name : problem_names()) {
    if (!has_kernels(name) || std::ranges::any_of(named, [&](const auto &t) { return t.problem == name; }))
      continue;
    for (const OnDeviceTest &test : named)
      if (sizes_of(test.problem) == sizes_of(name)) all.push_back({name, test.size});
  }
  std::sort(all.begin(), all.end(), [](const OnDeviceTest &a, const OnDeviceTest &b) {
    return std::tie(a.problem, a.size) < std::tie(b.problem, b.size);
  });
  return all;
}

}  // namespace warpgrade::problem
