// The commands of ./grade. Each takes the words after its name and gives the exit status.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::apps {

int grade_steps(const std::vector<std::string> &words);
int grade_bench(const std::vector<std::string> &words);
int grade_explain(const std::vector<std::string> &words);
int grade_plan(const std::vector<std::string> &words);
int grade_roofline(const std::vector<std::string> &words);
int grade_mmdriver(const std::vector<std::string> &words);
int grade_tune(const std::vector<std::string> &words);
/// Internal: what a profiler looks at.
int replay_plan(const std::vector<std::string> &words);
int doctor(const std::vector<std::string> &words);

}  // namespace warpgrade::apps
