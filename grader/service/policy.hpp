// What an instructor decides about a service, in DIR/service.yaml; docs/server.md describes it. When an
// assignment is due, late days and their penalty are in assignment.yaml (course/late.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs.hpp"

namespace warpgrade::service {

inline constexpr const char *policy_file_name = "service.yaml";

struct Policy {
  std::optional<std::int64_t> opens, closes;  ///< seconds since 1970
  bool best_counts = false;  ///< for each step the file with the most points counts; else the last one
  Quota quota;
  bool leaderboard = false;              ///< students see the leaderboard, which has pseudonyms only
  bool reveal_hidden_after_due = false;  ///< then students see sizes and values of hidden cases
};

/// By assignment; what the file does not name has the defaults above. No such file: all defaults. Throws
/// course::ConfigError with file and line, also for an assignment that is not in `assignments`.
std::map<std::string, Policy> read_policies(const std::filesystem::path &file,
                                            const std::vector<std::string> &assignments);
std::map<std::string, Policy> parse_policies(const std::string &text, const std::string &name,
                                             const std::vector<std::string> &assignments);

/// Why a student cannot submit at this time; empty if nothing is against it.
std::string why_closed(const Policy &, std::int64_t now);

/// "2026-03-01 23:59 UTC"
std::string time_text(std::int64_t);

}  // namespace warpgrade::service
