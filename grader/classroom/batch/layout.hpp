// What the names of submissions say, in the exports of learning platforms and in plain folders: whose it is,
// and which of several is the latest. Names come from students and are bounded before anything matches them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/gradescope.hpp"
#include "course/assignment.hpp"
#include "course/name_pattern.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::batch {

/// A name at the top of what a class handed in, read.
struct Named {
  /// Usually one; the members of a group each have theirs.
  struct Owner {
    std::string student;               ///< fit for Handin::student
    std::vector<std::string> aliases;  ///< other ids that the platform gives: an e-mail address
    bool operator==(const Owner &) const = default;
  };
  std::vector<Owner> owners;
  std::int64_t serial = 0, attempt = 0;  ///< later is larger; serial counts first
  std::int64_t time = 0;                 ///< 0: the name does not say
  std::string file;   ///< the name that the student gave, without the number of a resubmission
  bool fits = true;   ///< else the owner is a guess
  bool late = false;  ///< the platform says so; of others nothing is known
  bool operator==(const Named &) const = default;
};

class Layout {
 public:
  /// "plain", "id", or a platform whose names have a pattern
  Layout(const std::string &name, const course::Assignment &);
  /// An own pattern; throws course::PatternError.
  static Layout own(const std::string &pattern, const course::Assignment &);
  /// Of a platform whose export has a file of metadata.
  static Layout of(const platforms::Platform &, std::map<std::string, GradescopeSubmission>,
                   const course::Assignment &);

  const std::string &name() const { return name_; }
  /// Answers for any name; one that does not fit stands for itself.
  Named read(std::string_view name) const;
  /// Another id that the name fits as well, fit for Handin::student: whose it is nobody can tell. Empty:
  /// none.
  std::string other_student(std::string_view name) const;
  /// Whether the ids are the students' own, as those in the names of their files are.
  bool has_student_ids() const { return platform_ == nullptr || platform_->names.student_ids; }
  /// Whether a file of metadata says whose the submissions are, and their names do not.
  bool has_metadata() const { return platform_ != nullptr && platform_->names.metadata != nullptr; }
  /// Whether each file is named after its student.
  bool has_pattern() const { return pattern_.has_value(); }

 private:
  std::string name_, assignment_;
  /// None: students chose the names, or the pattern is the course's.
  const platforms::Platform *platform_ = nullptr;
  std::optional<course::NamePattern> pattern_;
  std::map<std::string, GradescopeSubmission> metadata_;
};

/// The id in "20261234_HW6.zip", "20261234_hw6-2": what students call their archives and folders. Empty:
/// none.
std::string id_in(std::string_view name, const course::Assignment &);

/// The platform that lays something of this name beside submissions in which there are no files of a student;
/// nullptr: it may be a submission.
const platforms::Platform *without_files(std::string_view name);

/// The layout whose names these are, or at least half of them; "plain" where none is.
std::string guess_layout(const std::vector<std::string> &names, const course::Assignment &);

/// Bytes made fit for Handin::student.
std::string as_student(std::string_view);

}  // namespace warpgrade::batch
