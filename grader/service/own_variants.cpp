#include "service/own_variants.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/usage.hpp"
#include "batch/content.hpp"
#include "batch/store.hpp"
#include "service/api.hpp"
#include "service/api_error.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

constexpr unsigned owner_alone = 0600;
constexpr int retry_seconds = 60;

/// Changes whenever a YAML file of the assignment does.
std::string state_of_yaml(const fs::path &folder) {
  std::map<std::string, std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    struct stat facts {};
    if (entry.path().extension() == ".yaml" && ::stat(entry.path().c_str(), &facts) == 0)
      files[entry.path().string()] =
          fmt::format("{} {}.{}", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  }
  std::string state;
  for (const auto &[file, facts] : files) state += file + " " + facts + "\n";
  return state;
}

bool has_submissions(ServiceStore &store, const std::string &assignment) {
  batch::Statement one = store.database().prepare(
      "SELECT 1 FROM submission s JOIN person p ON p.id = s.student WHERE s.assignment = ? AND p.role = "
      "'student' "
      "LIMIT 1");
  return one.text(assignment).step();
}

/// Whether a file of the assignment is marked as one of a variant, which it is from the submission on.
bool has_submissions_of_variants(ServiceStore &store, const std::string &assignment) {
  batch::Statement files = store.database().prepare(
      "SELECT bytes FROM content WHERE hash IN (SELECT p.file FROM part p JOIN submission s ON s.id = "
      "p.submission WHERE s.assignment = ?)");
  files.text(assignment);
  while (files.step())
    if (!variants::unmarked(batch::expanded(files.text_at(0))).variant.empty()) return true;
  try {
    const fs::path of_class = store.folder() / assignment;
    return fs::exists(of_class) && !batch::Store(of_class, batch::Store::Access::read).variants().empty();
  } catch (
      const batch::StoreError &) {  // no class yet, or one from an earlier version: then service.db knows
    return false;
  }
}

/// As settle_variants() does, by what the service keeps itself. all  null: the assignment has no variants
void demand_settled(ServiceStore &store, const fs::path &kept, const std::string &assignment,
                    const std::optional<variants::Variants> &all) {
  const bool begun = variants::secret_of(kept, assignment).has_value();
  if (begun && !all)
    throw UsageError(fmt::format("{} has no variants any more, but kits were made with them", assignment));
  if (begun) variants::demand_same_list(kept, *all, true);
  if (!begun && all && has_submissions_of_variants(store, assignment))
    throw UsageError(variants::secret_is_missing(kept, assignment));
}

}  // namespace

std::string OwnVariants::of(const Person &person) const {
  if (person.role != Role::student) return "";
  if (!wrong_.empty())
    throw ApiError{503, "variants",
                   fmt::format("Which variant of {} you have is not certain at the moment. This is our "
                               "mistake, not yours; the course staff can see what is wrong.",
                               all_.assignment),
                   retry_seconds};
  if (!secret_) return "";
  return all_.name_of(variants::variant_of(all_, person.id, *secret_));
}

/// Under the lock.
void OwnVariants::refresh() const {
  if (std::string state = state_of_yaml(root_ / "assignments" / all_.assignment); state != state_) {
    courses_.clear();
    state_ = std::move(state);
    try {  // who has which variant stays as it was when this process began
      read_ = variants::read_variants(root_ / "assignments" / all_.assignment);
      if (read_ && !variants::same_list(*read_, all_)) read_.reset();
    } catch (const course::ConfigError &) {  // somebody is editing it
      read_.reset();
    }
  }
}

variants::Variants OwnVariants::all() const {
  const std::lock_guard lock(mutex_);
  refresh();
  return read_ ? *read_ : all_;
}

std::string OwnVariants::says(const std::string &variant) const {
  return all_.says(all_.parse(variant));
}

std::string OwnVariants::handout(const std::string &variant, std::string html) const {
  return variants::edited_page(all_, all_.parse(variant), std::move(html));
}

std::shared_ptr<const OwnCourse> OwnVariants::course_of(const std::string &variant,
                                                        const std::string &gpu) const {
  const std::lock_guard lock(mutex_);
  refresh();
  std::shared_ptr<const OwnCourse> &known = courses_[variant + "\n" + gpu];
  if (!known) known = std::make_shared<OwnCourse>(root_, read_ ? *read_ : all_, variant, gpu);
  return known;
}

std::shared_ptr<const OwnCourse> ServedCourse::own_of(const std::string &variant,
                                                      const std::string &gpu) const {
  if (variant.empty()) return nullptr;
  if (!variants)
    throw UsageError(
        fmt::format("{} has no variants any more, but files were graded by one", assignment.name));
  try {
    return variants->course_of(variant, gpu);
  } catch (const variants::UnreadableVariant &e) {
    fmt::print(stderr, "{}: {}\n", assignment.name, for_terminal(e.what()));
    throw ApiError{
        503, "variant",
        fmt::format("This variant of {} cannot be read at the moment. This is our mistake, not a "
                    "student's; the course staff can see what is wrong. What was submitted is safe.",
                    assignment.name),
        retry_seconds};
  }
}

std::shared_ptr<const OwnVariants> read_own_variants(ServiceStore &store, const fs::path &root,
                                                     const std::string &assignment) {
  const fs::path kept = store.folder() / variants::secrets_file;
  auto all = variants::read_variants(root / "assignments" / assignment);
  std::string wrong;
  try {
    demand_settled(store, kept, assignment, all);
  } catch (const UsageError &e) {
    wrong = e.what();
    if (!all) all.emplace().assignment = assignment;
  }
  if (!all) return nullptr;
  return std::make_shared<OwnVariants>(root, std::move(*all), variants::secret_of(kept, assignment),
                                       std::move(wrong));
}

void demand_settled_variants(ServiceStore &store, const fs::path &root, const std::string &assignment) {
  demand_settled(store, store.folder() / variants::secrets_file, assignment,
                 variants::read_variants(fs::relative(root / "assignments" / assignment)));
}

void settle_variants(ServiceStore &store, const fs::path &folder, const fs::path &root,
                     const std::string &assignment, const std::string &secret_file) {
  const fs::path kept = folder / variants::secrets_file,
                 given = secret_file.empty() ? root / variants::secrets_file : fs::path(secret_file);
  const auto all = variants::read_variants(fs::relative(root / "assignments" / assignment));
  const auto before = variants::secret_of(kept, assignment), secret = variants::secret_of(given, assignment);
  if (!secret_file.empty() && !secret && all)
    throw UsageError(fmt::format("--secret {}: there is no secret of {} in it", secret_file, assignment));
  demand_settled(store, kept, assignment, all);
  if (!secret && !before) {
    if (all) fmt::print(stderr, "{}\n", variants::nobody_has_a_variant(given, assignment));
    return;
  }
  if (!all)
    throw UsageError(fmt::format("{} has no variants any more, but kits were made with them", assignment));
  variants::demand_same_list(given, *all);
  if (before && secret && before != secret)
    throw UsageError(fmt::format("{}: this service was begun with another secret of {} than that of {}",
                                 folder.string(), assignment, given.string()));
  if (before) return;
  if (has_submissions(store, assignment))
    throw UsageError(
        fmt::format("{0} has submissions of {1} that were graded without variants, and {2} now has a secret "
                    "of {1}. Serve it "
                    "from another folder or, if these students have the files as they are, put # before the "
                    "line of {1} in {2}",
                    folder.string(), assignment, given.string()));
  std::string text = read_or_empty(kept);
  if (!text.empty() && text.back() != '\n') text += '\n';
  write_whole(kept, text + variants::secret_line(*all, *secret), owner_alone);
}

}  // namespace warpgrade::service
