// A class as its pages show it, read from its store: `gradebook report` writes them, a service draws them
// when somebody asks.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "gradebook/class_run.hpp"
#include "report/class.hpp"

namespace warpgrade::gradebook {

/// A student while the class is read.
struct SeenStudent {
  const std::string &id;
  const batch::Scored &scored;
  const report::Report &report;
  const std::map<std::string, std::string> &sources;  ///< by step: the files that count
  const std::string &pseudonym;
};

struct ClassView {
  ClassCourse course;
  course::Thresholds thresholds;
  grading::DeviceRecord device;
  std::vector<report::ClassStudent> students;
  std::vector<report::ClassSharedFile> shared_files, of_other_variants;
  bool timed = false, named = false;  ///< somebody's step was timed; somebody's name is known
  bool stopped = false;               ///< not everybody was read
  std::set<std::string>
      unreadable;  ///< what is wrong with variants whose students are left out, for the staff

  std::string dashboard(const report::LivePage & = {}) const;  ///< HTML, with names
  /// HTML with pseudonyms, and the names of those who agreed to show theirs: `names` by id.
  std::string leaderboard(const std::map<std::string, std::string> &names = {},
                          const report::LivePage & = {}) const;
};

/// link_of  the address of a student's page, relative to the dashboard; empty: there is none
/// stop     asked between two students
/// expected  names by id, of students who belong to the class although its store may not know them
/// Pseudonyms are drawn for students who have none, and kept in DIR/pseudonyms.json. Throws
/// batch::StoreError, UsageError, course::ConfigError.
ClassView view_of(const batch::Store &, const std::function<std::string(const SeenStudent &)> &link_of,
                  const std::function<bool()> &stop = {},
                  const std::map<std::string, std::string> &expected = {});

/// The pseudonym that was drawn for a student of the class in `folder`; empty: none yet.
std::string pseudonym_of(const std::filesystem::path &folder, const std::string &student);

}  // namespace warpgrade::gradebook
