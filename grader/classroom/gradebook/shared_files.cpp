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
#include "variants/variants.hpp"

namespace warpgrade::gradebook {

namespace {

/// The code without comments and spaces.
std::string without_spaces(const std::string &text) {
  std::string code = without_comments(text);
  std::erase_if(code, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  return code;
}

std::set<std::string> codes_of_starter(const ClassCourse &course) {
  variants::Texts texts;
  for (const course::Step &step : course.assignment.steps)
    for (const std::string &file : step.files())
      texts[file] = read_or_empty(course.root / "starter" / course.assignment.name / file);
  std::set<std::string> codes;
  const auto add = [&codes](const variants::Texts &files) {
    for (const auto &[name, text] : files) codes.insert(mutants::without_names(text));
  };
  add(texts);
  const auto all = variants::read_variants(course.folder);
  for (std::size_t i = 1; all && i < all->size(); ++i) {
    variants::Texts own = texts;
    variants::edit(*all, all->at(i), own);
    add(own);
  }
  return codes;
}

/// The step of each file that holds a kernel.
std::map<std::string, std::string> steps_of_kernels(const course::Assignment &a) {
  std::map<std::string, std::string> steps;
  for (const course::Step &step : a.steps)
    if (step.has_kernel() && !step.beyond) steps.emplace(step.path().string(), step.id);
  return steps;
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
      return "the same code, with other names";
    case Likeness::same_device_code:
      break;
  }
  return "different text, of which the compiler makes the same code; for a short kernel that is to be "
         "expected";
}

namespace {

/// A file that a student handed in, and what it is compared by.
struct Compared {
  std::string student, name, hash;
  std::string code, form;   ///< hashes: without comments and spaces; without names as well
  std::string device_code;  ///< of the result; empty: unknown
};

/// Without what is the starter's.
std::vector<Compared> files_to_compare(const batch::Store &store, const ClassCourse &course) {
  const std::set<std::string> given = codes_of_starter(course);
  const std::map<std::string, std::string> steps = steps_of_kernels(course.assignment);
  std::map<std::string, Compared> known;  // by the file's name and hash: identical files are read once
  std::vector<Compared> all;
  for (const std::string &id : store.students())
    for (const auto &[name, hash] : store.student(id).files) {
      const auto step = steps.find(name);
      if (step == steps.end()) continue;
      const auto [of_file, fresh] = known.try_emplace(name + " " + hash);
      Compared &one = of_file->second;
      if (fresh) {
        std::optional<std::string> text = store.file(hash);
        if (text) *text = variants::unmarked(*text).content;
        const std::string form = text ? mutants::without_names(*text) : "";
        if (!form.empty() && !given.contains(form)) {
          one = {"", name, batch::hash_of(*text), batch::hash_of(without_spaces(*text)), batch::hash_of(form),
                 ""};
          const auto result = store.result_that_counts({step->second, hash});
          if (result && result->verdict != judge::Verdict::not_implemented)
            one.device_code = result->build.code;
        }
      }
      if (one.form.empty()) continue;
      all.push_back(one);
      all.back().student = id;
    }
  return all;
}

using Key = std::string Compared::*;

/// Files of several students that have this in common.
std::vector<std::vector<Compared>> groups(const std::vector<Compared> &files, Key key) {
  std::map<std::string, std::vector<Compared>> by_key;
  for (const Compared &one : files)
    if (!(one.*key).empty()) by_key[one.*key].push_back(one);
  std::vector<std::vector<Compared>> all;
  for (auto &[value, group] : by_key)
    if (std::any_of(group.begin(), group.end(),
                    [&](const Compared &c) { return c.student != group.front().student; }))
      all.push_back(std::move(group));
  return all;
}

bool all_have_the_same(const std::vector<Compared> &group, Key key) {
  return std::all_of(group.begin(), group.end(),
                     [&](const Compared &c) { return c.*key == group.front().*key; });
}

SharedFile shared(const std::vector<Compared> &group, Likeness likeness) {
  SharedFile made{likeness, {}};
  for (const Compared &one : group) made.files.emplace_back(one.student, one.name);
  return made;
}

}  // namespace

std::vector<SharedFile> shared_files(const batch::Store &store, const ClassCourse &course) {
  const std::vector<Compared> files = files_to_compare(store, course);
  std::vector<SharedFile> all;
  for (const std::vector<Compared> &group : groups(files, &Compared::form))
    all.push_back(shared(group, all_have_the_same(group, &Compared::hash)   ? Likeness::same_file
                                : all_have_the_same(group, &Compared::code) ? Likeness::same_code
                                                                            : Likeness::renamed));
  for (const std::vector<Compared> &group : groups(files, &Compared::device_code))
    if (!all_have_the_same(group, &Compared::form)) all.push_back(shared(group, Likeness::same_device_code));
  std::stable_sort(all.begin(), all.end(),
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
