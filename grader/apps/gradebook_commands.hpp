// The commands of ./gradebook on a class. Each takes the words after its name and gives the exit status.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::apps {

int gradebook_new(const std::vector<std::string> &words);
int gradebook_facts(const std::vector<std::string> &words);
int gradebook_run(const std::vector<std::string> &words);
int gradebook_regrade(const std::vector<std::string> &words);
int gradebook_rescore(const std::vector<std::string> &words);
int gradebook_status(const std::vector<std::string> &words);
int gradebook_report(const std::vector<std::string> &words);
int gradebook_override(const std::vector<std::string> &words);
int gradebook_export(const std::vector<std::string> &words);
int gradebook_push(const std::vector<std::string> &words);
int gradebook_autograder(const std::vector<std::string> &words);
int gradebook_kit(const std::vector<std::string> &words);
int gradebook_similar(const std::vector<std::string> &words);
int gradebook_handout(const std::vector<std::string> &words);
int gradebook_harden(const std::vector<std::string> &words);
int gradebook_hunt(const std::vector<std::string> &words);
int gradebook_calibrate(const std::vector<std::string> &words);
int gradebook_serve(const std::vector<std::string> &words);
int gradebook_tokens(const std::vector<std::string> &words);
int gradebook_table(const std::vector<std::string> &words);
int gradebook_variants(const std::vector<std::string> &words);
int gradebook_viva(const std::vector<std::string> &words);
int gradebook_lint(const std::vector<std::string> &words);

}  // namespace warpgrade::apps
