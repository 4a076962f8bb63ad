// submission_metadata.yml of a Gradescope export: the owner of each folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpgrade::batch {

struct GradescopeSubmission {
  struct Submitter {
    std::string name, sid, email;  ///< any of them may be empty
    bool operator==(const Submitter &) const = default;
  };
  std::vector<Submitter> submitters;  ///< several: a group
  std::int64_t created = 0;           ///< seconds since 1970; 0: unknown
  bool operator==(const GradescopeSubmission &) const = default;
};

/// By folder: "submission_12345678". `name` stands for the file in messages. Throws course::ConfigError.
std::map<std::string, GradescopeSubmission> read_gradescope(const std::string &yaml, const std::string &name);

}  // namespace warpgrade::batch
