#include "gradebook/variant_class.hpp"

#include <fmt/format.h>

#include "base/files.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

std::optional<VariantClass> VariantClass::of(const batch::Store &store, const ClassCourse &course,
                                             const std::string &secret_file, const fs::path &roster_file) {
  const std::string &name = course.assignment.name;
  const fs::path kept = store.folder() / variants::secrets_file;  // the same command continues the class
  const fs::path given = secret_file.empty() ? course.root / variants::secrets_file : fs::path(secret_file);
  auto secret = variants::secret_of(given, name);
  const auto before = variants::secret_of(kept, name);
  if (!secret && !secret_file.empty())
    throw UsageError(fmt::format("--secret {}: there is no secret of {} in it", secret_file, name));
  if (!secret) secret = before;
  auto all = variants::read_variants(course.folder);
  if (all && !before && !store.variants().empty()) throw UsageError(variants::secret_is_missing(kept, name));
  if (!secret) {
    if (all) fmt::print(stderr, "{}\n", variants::nobody_has_a_variant(given, name));
    return std::nullopt;
  }
  if (!all) throw UsageError(fmt::format("{} has no variants any more, but kits were made with them", name));
  variants::demand_same_list(given, *all);
  variants::demand_same_list(kept, *all, true);
  if (before && before != secret)
    throw UsageError(fmt::format("{}: this class was begun with another secret than that of {}",
                                 store.folder().string(), given.string()));
  if (!before && !store.students().empty())
    throw UsageError(fmt::format("{}: this class was begun without variants; name another folder with --out",
                                 store.folder().string()));
  if (roster_file.empty())
    throw UsageError(fmt::format(
        "students of {} have variants, which follow from the ids of the roster: name it with --roster",
        name));
  batch::Roster roster = batch::Roster::read(roster_file);
  roster.choose_key({});
  constexpr unsigned owner_alone = 0600;
  if (!before) write_whole(kept, variants::secret_line(*all, *secret), owner_alone);
  return VariantClass(std::move(*all), std::move(*secret), std::move(roster));
}

void VariantClass::mark(batch::Handin &handin, const course::Assignment &a) const {
  const batch::Roster::Row *const row = roster_.find(handin.student);
  if (!row) {
    if (!handin.files.empty()) {
      handin.refused = "this id is not on the roster exactly once, so the variant is unknown";
      handin.files.clear();
    }
    return;
  }
  const std::string variant =
      variants_.name_of(variants::variant_of(variants_, roster_.student(*row), secret_));
  for (batch::HandedFile &file : handin.files)
    for (const course::Step &step : a.steps)
      if (step.path().generic_string() == file.name)
        file.content = variants::marked(std::move(file.content), file.name, file.variant = variant);
  if (!handin.files.empty()) handin.notes.push_back("Variant: " + variant + ".");
}

}  // namespace warpgrade::gradebook
