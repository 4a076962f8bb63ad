// ./grade quiz STEP: questions about one's own kernel.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "quiz/quiz.hpp"

namespace warpgrade::apps {

int grade_quiz(const std::vector<std::string> &words) {
  constexpr std::size_t most = 30;
  quiz::QuizOptions w;
  CLI::App app(
      "Asks questions about your own kernel: which element a lane reads, how many sectors a request\n"
      "touches, what happens when a line changes. The simulator knows the answers, since it runs the kernel\n"
      "and its variants. Needs no GPU and gives no points. --seed repeats a quiz; without it, each one is "
      "new.",
      "grade quiz");
  app.add_option("step", w.step, "the step, such as step2")->required();
  add_common_options(app, w.common);
  app.add_option("--questions", w.questions, "how many (6)")->check(CLI::Range(std::size_t{1}, most));
  app.add_option("--json", w.json, "also write questions and answers to this file (schema warpgrade.quiz/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json"});
  return quiz::quiz(w);
}

}  // namespace warpgrade::apps
