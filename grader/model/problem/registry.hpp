// How a problem.cpp in assignments/NAME/ makes its problems known. The build compiles every such file into
// the programs; there is no list of them to keep.
#pragma once

#include <tuple>
#include <vector>

#include "problem/problem.hpp"

namespace warpgrade::problem {

class Registry {
 public:
  /// The problem must live as long as the program. Throws std::logic_error if another one has its name, or if
  /// its launcher cannot be called.
  void add(const Problem &);
  const std::vector<const Problem *> &all() const { return all_; }

 private:
  std::vector<const Problem *> all_;
};

}  // namespace warpgrade::problem

/// The last line of a problem.cpp: WARPGRADE_PROBLEMS(Sum(), Product()). The build names the function after
/// the folder.
#define WARPGRADE_PROBLEMS(...)                                               \
  void WARPGRADE_ADD_PROBLEMS(::warpgrade::problem::Registry &registry);      \
  void WARPGRADE_ADD_PROBLEMS(::warpgrade::problem::Registry &registry) {     \
    static const auto all = std::make_tuple(__VA_ARGS__);                     \
    std::apply([&](const auto &...each) { (registry.add(each), ...); }, all); \
  }
