#include "problem/problem.hpp"

#include "problem/sgemm.hpp"

namespace warpgrade::problem {

namespace {
const std::vector<const Problem *> &all_problems() {
  static const Sgemm sgemm;
  static const std::vector<const Problem *> all = {&sgemm};
  return all;
}
}  // namespace

const Problem *find_problem(std::string_view name) {
  for (const Problem *p : all_problems())
    if (p->name() == name) return p;
  return nullptr;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Problem *p : all_problems()) names.emplace_back(p->name());
  return names;
}

}  // namespace warpgrade::problem
