#include "gradebook/shared_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/source_text.hpp"
#include "batch/content.hpp"
#include "mutants/names.hpp"
#include "setup/files.hpp"

namespace warpgrade::gradebook {

namespace {

/// The code without comments and spaces.
std::string without_spaces(const std::string &text) {
  std::string code = without_comments(text);
  std::erase_if(code, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  return code;
}

std::set<std::string> codes_of_starter(const ClassCourse &course) {
  std::set<std::string> codes;
  for (const course::Step &step : course.assignment.steps)
    for (const std::string &file : step.files())
      codes.insert(
          mutants::without_names(read_or_empty(course.root / "starter" / course.assignment.name / file)));
  return codes;
}

std::set<std::string> names_of_kernels(const course::Assignment &a) {
  std::set<std::string> names;
  for (const course::Step &step : a.steps)
    if (step.has_kernel() && !step.beyond) names.insert(step.path().string());
  return names;
}

bool several_students(const SharedFile &shared) {
  return std::any_of(shared.files.begin(), shared.files.end(),
                     [&](const auto &file) { return file.first != shared.files.front().first; });
}

}  // namespace

bool SharedFile::renamed() const {
  return std::any_of(files.begin(), files.end(),
                     [this](const auto &file) { return file.second != files.front().second; });
}

std::string_view in_words(Likeness likeness) {
  switch (likeness) {
    case Likeness::same_file:
      return "the same file";
    case Likeness::same_code:
      return "the same code, with other comments or spaces";
    case Likeness::renamed:
      break;
  }
  return "the same code, with other names";
}

std::vector<SharedFile> shared_files(const batch::Store &store, const ClassCourse &course) {
  const std::set<std::string> given = codes_of_starter(course), names = names_of_kernels(course.assignment);
  struct Hashes {
    std::string code, form;  ///< without comments and spaces; without names as well
  };
  std::map<std::string, Hashes> known;  // by the file's hash: identical files are read once
  struct Alike {
    SharedFile shared;
    std::set<std::string> files, codes;
  };
  std::map<std::string, Alike> by_form;
  for (const std::string &id : store.students())
    for (const auto &[name, hash] : store.student(id).files) {
      if (!names.contains(name)) continue;
      const auto [of_file, fresh] = known.try_emplace(hash);
      if (fresh) {
        const std::optional<std::string> text = store.file(hash);
        const std::string form = text ? mutants::without_names(*text) : "";
        if (!form.empty() && !given.contains(form))
          of_file->second = {batch::hash_of(without_spaces(*text)), batch::hash_of(form)};
      }
      if (of_file->second.form.empty()) continue;
      Alike &alike = by_form[of_file->second.form];
      alike.shared.files.emplace_back(id, name);
      alike.files.insert(hash);
      alike.codes.insert(of_file->second.code);
    }
  std::vector<SharedFile> all;
  for (auto &[form, alike] : by_form) {
    alike.shared.likeness = alike.files.size() == 1   ? Likeness::same_file
                            : alike.codes.size() == 1 ? Likeness::same_code
                                                      : Likeness::renamed;
    if (several_students(alike.shared)) all.push_back(std::move(alike.shared));
  }
  std::sort(all.begin(), all.end(),
            [](const SharedFile &a, const SharedFile &b) { return a.files < b.files; });
  return all;
}

std::string words_of(const SharedFile &shared) {
  const bool renamed = shared.renamed();
  std::vector<std::string> words;
  for (const auto &[student, file] : shared.files)
    words.push_back(renamed ? fmt::format("{} ({})", student, file) : student);
  return fmt::format("{}{}", fmt::join(words, ", "),
                     renamed ? "" : fmt::format(" ({})", shared.files.front().second));
}

}  // namespace warpgrade::gradebook
