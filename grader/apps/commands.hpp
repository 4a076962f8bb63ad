// The commands of ./grade. Each takes the words after its name and gives the exit status.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::apps {

int grade_steps(const std::vector<std::string> &words);
int grade_bench(const std::vector<std::string> &words);
int grade_debug(const std::vector<std::string> &words);
int grade_explain(const std::vector<std::string> &words);
int grade_list(const std::vector<std::string> &words);
int grade_login(const std::vector<std::string> &words);
int grade_package(const std::vector<std::string> &words);
int grade_plan(const std::vector<std::string> &words);
int grade_predict(const std::vector<std::string> &words);
int grade_quiz(const std::vector<std::string> &words);
int grade_sanitize(const std::vector<std::string> &words);
int grade_search(const std::vector<std::string> &words);
int grade_prove(const std::vector<std::string> &words);
int grade_roofline(const std::vector<std::string> &words);
int grade_drive(const std::vector<std::string> &words);
int grade_tune(const std::vector<std::string> &words);
int grade_errors(const std::vector<std::string> &words);
int grade_report(const std::vector<std::string> &words);
int completion(const std::vector<std::string> &words);
/// Internal: what a profiler looks at.
int replay_plan(const std::vector<std::string> &words);
int doctor(const std::vector<std::string> &words);

struct Command {
  std::string name;
  const char *what;  ///< without it, it is not for people
  int (*run)(const std::vector<std::string> &words);
};
/// Whether help and the Tab key name it.
bool is_offered(const Command &);
/// All but grade_steps, which is what ./grade does without a command.
const std::vector<Command> &grade_commands();

}  // namespace warpgrade::apps
