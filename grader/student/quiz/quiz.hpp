// Questions about a student's own kernel, whose answers the simulator knows: it runs the kernel, counts, records, changes
// a line and runs it again. Each question has one right answer and three that come from common mistakes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quiz/question.hpp"
#include "quiz/subject.hpp"
#include "setup/selection.hpp"

namespace warpgrade::quiz {

/// So many questions, each of another topic as long as there are topics left; a function of the kernel and the seed. At
/// most every fifth needs a changed kernel, which takes seconds to compile. Fewer where the kernel gives no more.
std::vector<Question> choose(Subject &, std::size_t how_many);

/// The names of all kinds.
std::vector<std::string_view> kind_names();

std::string to_json(const std::vector<Question> &, const course::Assignment &, const std::string &step,
                    std::uint64_t seed);

struct QuizOptions {
  Common common;
  std::string step, json;
  std::size_t questions = 6;
};
/// ./grade quiz: asks on a terminal, prints questions and then answers elsewhere. Gives the exit status.
int quiz(const QuizOptions &);

}  // namespace warpgrade::quiz
