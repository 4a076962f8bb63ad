// What an instructor decides about a service, in DIR/service.yaml; docs/server.md describes it. When an
// assignment is due, late days and their penalty are in assignment.yaml (course/late.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs.hpp"

namespace warpgrade::service {

inline constexpr const char *policy_file_name = "service.yaml";

/// Who is named on the leaderboard that students see.
enum class Board {
  off,               ///< students see none
  pseudonyms,        ///< nobody
  names_by_consent,  ///< those who agreed to it, each on a page of their own
};

struct Policy {
  std::optional<std::int64_t> opens, closes;  ///< seconds since 1970
  bool best_counts = false;  ///< for each step the file with the most points counts; else the last one
  Quota quota;
  Board leaderboard = Board::off;
  bool reveal_hidden_after_due = false;  ///< then students see sizes and values of hidden cases
  bool workspace = true;                 ///< students may edit and try their files in the browser
  int workspace_minutes = 30;            ///< in an hour, for the runs of one student; 0: no limit
};

/// The policy of an assignment that is served. Threads read it while another one changes it.
class CurrentPolicy {
 public:
  CurrentPolicy(Policy policy = {}) : shared_(std::make_shared<Guarded>()) { set(std::move(policy)); }
  Policy operator()() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->policy;
  }
  void set(Policy policy) {
    const std::lock_guard lock(shared_->mutex);
    shared_->policy = std::move(policy);
  }

 private:
  struct Guarded {
    std::mutex mutex;
    Policy policy;
  };
  std::shared_ptr<Guarded> shared_;
};

/// By assignment; what the file does not name has the defaults above. No such file: all defaults. Throws
/// course::ConfigError with file and line, also for an assignment that is not in `assignments`.
std::map<std::string, Policy> read_policies(const std::filesystem::path &file,
                                            const std::vector<std::string> &assignments);
std::map<std::string, Policy> parse_policies(const std::string &text, const std::string &name,
                                             const std::vector<std::string> &assignments);

/// Until then, students neither submit nor see what an assignment asks of them.
bool opens_later(const Policy &, std::int64_t now);
/// Why a student cannot submit at this time; empty if submission is open.
std::string why_closed(const Policy &, std::int64_t now);

/// "2026-03-01 23:59 UTC"
std::string time_text(std::int64_t);

}  // namespace warpgrade::service
