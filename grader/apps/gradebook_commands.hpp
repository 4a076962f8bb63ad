// The commands of ./gradebook on a class. Each takes the words after its name and gives the exit status.
#pragma once

#include <filesystem>
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
int gradebook_autograder(const std::vector<std::string> &words);
int gradebook_kit(const std::vector<std::string> &words);
int gradebook_similar(const std::vector<std::string> &words);
/// What is wrong with handouts/NAME.md once it is filled in: nothing, or what 'gradebook handout' says.
std::vector<std::string> mistakes_in_whole_handout(const std::filesystem::path &root,
                                                   const std::string &name);
int gradebook_handout(const std::vector<std::string> &words);

/// A process that grades one file after another for the commands above; not for people.
inline constexpr const char *worker_command = "grade-files";
inline constexpr const char *seed_variable = "WARPGRADE_CLASS_SEED";  ///< of its environment
int gradebook_worker(const std::vector<std::string> &words);

/// A task of a job array on a node of a cluster, which has such processes grade what a file names; and one
/// that only looks at the node. Not for people either.
inline constexpr const char *task_command = "grade-array";
int gradebook_task(const std::vector<std::string> &words);
inline constexpr const char *probe_command = "look-at-node";
int gradebook_probe(const std::vector<std::string> &words);

}  // namespace warpgrade::apps
