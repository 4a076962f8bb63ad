// Variants in a service: which one each person has, and what it asks of them. The secret is that with which kits
// were made. A service keeps it in its own folder from its first start with one, so that nothing that happens to
// the course's changes who has which variant.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "course/assignment.hpp"
#include "service/people.hpp"
#include "service/service_store.hpp"
#include "variants/written_course.hpp"

namespace warpgrade::service {

using OwnCourse = variants::WrittenCourse;

/// All threads share it.
class OwnVariants {
 public:
  /// wrong  why nobody's variant is certain; empty: they are
  OwnVariants(std::filesystem::path root, variants::Variants all, std::optional<std::string> secret,
              std::string wrong = "")
      : root_(std::move(root)), all_(std::move(all)), secret_(std::move(secret)), wrong_(std::move(wrong)) {}
  /// The name of a student's variant. Empty for the staff, and where the service has no secret: the files as they
  /// are. Throws ApiError, for the student, where it is not certain.
  std::string of(const Person &) const;
  /// Why nobody's variant is certain, for the staff; empty: they are.
  const std::string &wrong() const { return wrong_; }
  /// With the edits of now, if these can be read.
  variants::Variants all() const;
  /// What a variant asks for, in sentences.
  std::string says(const std::string &variant) const;
  /// gpu  its name, or "none". Read again when the files of the assignment have changed. Throws
  /// variants::UnreadableVariant.
  std::shared_ptr<const OwnCourse> course_of(const std::string &variant, const std::string &gpu) const;
  /// A written handout as the variant has it.
  std::string handout(const std::string &variant, std::string html) const;

 private:
  void refresh() const;

  std::filesystem::path root_;
  variants::Variants all_;
  std::optional<std::string> secret_;
  std::string wrong_;
  mutable std::mutex mutex_;
  mutable std::string state_;  ///< of the assignment's files when the courses were read
  mutable std::optional<variants::Variants>
      read_;  ///< the same parameters and values, with the edits of then
  mutable std::map<std::string, std::shared_ptr<const OwnCourse>> courses_;  ///< by variant and GPU
};

/// Null: the assignment has no variants. Where demand_settled_variants() throws, nobody's variant is certain.
std::shared_ptr<const OwnVariants> read_own_variants(ServiceStore &, const std::filesystem::path &root,
                                                     const std::string &assignment);
/// For the processes of a service, which start again while it runs. Throws UsageError as settle_variants() does, by
/// what the service keeps itself.
void demand_settled_variants(ServiceStore &, const std::filesystem::path &root,
                             const std::string &assignment);

/// Before a service serves an assignment: keeps the secret of the course, or says on standard error that everybody
/// is graded by the files as they are although there are variants. secret_file  empty: that of the course. Throws
/// UsageError where the service was begun with another secret, without one, or for other parameters or values, and
/// where it has lost its secret.
void settle_variants(ServiceStore &, const std::filesystem::path &folder, const std::filesystem::path &root,
                     const std::string &assignment, const std::string &secret_file);

}  // namespace warpgrade::service
