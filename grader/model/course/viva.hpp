// An exam: a step of `kind: viva`, for which nothing is handed in. Its points come from questions about the student's own
// kernels, asked in person or in a quiz.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpgrade::course {

class Yaml;
struct Step;

struct Viva {
  std::size_t questions = 6;       ///< for each student
  int minutes = 20;                ///< for all of them, where a service asks
  std::vector<std::string> about;  ///< steps; none: any two of a student's that are right
  bool operator==(const Viva &) const = default;
};

/// The keys "questions", "minutes" and "about" of a step. `kernels` are the steps that it may be about. Throws ConfigError.
Viva read_viva(const Yaml &step, const std::vector<Step> &kernels);

}  // namespace warpgrade::course
