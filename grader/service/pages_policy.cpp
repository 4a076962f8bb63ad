// The policy in a browser, and what other thresholds would change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "course/yaml.hpp"
#include "gradebook/variant_rules.hpp"
#include "sandbox/sandbox.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;
using report::PageField;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr std::size_t longest_yaml = 32 << 10, longest_difference = 4000;
constexpr int rows_of_yaml = 20;
constexpr fs::perms readable_by_all =
    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read;

/// A browser sends line ends of its own.
std::string yaml_of(const std::string &sent) {
  std::string text;
  for (const char c : sent)
    if (c != '\r') text += c;
  if (text.size() > longest_yaml)
    throw ApiError{413, "too_large", fmt::format("The text may have at most {} KiB.", longest_yaml >> 10)};
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

/// The lines that are in one of two texts alone, for the audit log.
std::string difference_of(const std::string &before, const std::string &after) {
  const std::vector<std::string> old_lines = lines_of(before), new_lines = lines_of(after);
  const std::set<std::string> old_set(old_lines.begin(), old_lines.end()),
      new_set(new_lines.begin(), new_lines.end());
  std::string text;
  for (const std::string &line : old_lines)
    if (!new_set.contains(line)) text += fmt::format("- {}\n", line);
  for (const std::string &line : new_lines)
    if (!old_set.contains(line)) text += fmt::format("+ {}\n", line);
  if (text.size() > longest_difference) text = text.substr(0, longest_difference) + "\n...";
  return text.empty() ? "the order of lines" : text;
}

/// The files of thresholds/ by the names that edits of variants know, with this text in `file`.
variants::Texts texts_if(const ServedCourse &served, const std::string &file, const std::string &text) {
  variants::Texts texts;
  for (const auto &entry : fs::directory_iterator(served.folder / "thresholds"))
    if (entry.is_regular_file())
      texts["thresholds/" + entry.path().filename().string()] = read_whole(entry.path());
  texts["thresholds/" + file] = text;
  return texts;
}

/// The thresholds of an assignment, or of a variant of it, for this GPU if its files were these. Throws ApiError that names
/// the line.
course::Thresholds thresholds_if(const ServedCourse &served, const course::Assignment &a,
                                 const std::string &gpu, const variants::Texts &texts) {
  const Scratch trial;
  const fs::path assignments = served.folder.parent_path(), folder = trial.path() / served.folder.filename();
  fs::create_directories(folder / "thresholds");
  if (fs::is_directory(assignments / "gpus")) fs::copy(assignments / "gpus", trial.path() / "gpus");
  for (const auto &[name, text] : texts) write_scratch(folder / name, text);
  try {
    return course::read_thresholds(folder, a, gpu);
  } catch (const course::ConfigError &e) {
    std::string message = e.what();
    if (const std::size_t at = message.find(trial.path().string() + "/"); at != std::string::npos)
      message.erase(at, trial.path().string().size() + 1);
    throw ApiError{400, "bad_yaml", for_terminal(message)};
  }
}

/// The course with this text in `file` of thresholds/, so far as variants are made of it.
gradebook::ClassCourse course_if(const ServedCourse &served, const std::string &file, const std::string &text,
                                 const fs::path &root) {
  const fs::path assignments = root / "assignments", folder = assignments / served.folder.filename();
  fs::create_directories(assignments);
  fs::copy(served.folder, folder, fs::copy_options::recursive);
  if (fs::is_directory(served.folder.parent_path() / "gpus"))
    fs::copy(served.folder.parent_path() / "gpus", assignments / "gpus");
  for (const char *other : {"starter", "solutions", "handouts"})
    if (fs::exists(served.root / other))
      fs::create_directory_symlink(fs::absolute(served.root / other), root / other);
  write_whole(folder / "thresholds" / file, text);
  return {root, folder, served.assignment, served.assignment.without_gpu};
}

/// Throws ApiError, which names the variant, where one cannot be read with the text.
void demand_that_variants_read_it(const ServedCourse &served, const std::string &gpu, const std::string &file,
                                  const std::string &text) {
  if (!served.variants) return;
  const variants::Texts as_they_are = texts_if(served, file, text);
  std::set<std::string> read;
  const variants::Variants all = served.variants->all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string variant = all.name_of(all.at(i));
    std::shared_ptr<const OwnCourse> own;
    try {
      own = served.variants->course_of(variant, gpu);
    } catch (const variants::UnreadableVariant &) {
      continue;  // with the present text either
    }
    variants::Texts texts = as_they_are;
    (void)variants::edit(all, all.at(i), texts);
    std::string what;
    for (const auto &[name, edited] : texts) what += edited;
    for (const course::Step &step : own->assignment.steps)
      what += fmt::format("\n{} {}", step.id, step.problem ? step.problem->name() : "");
    if (!read.insert(std::move(what)).second) continue;  // by a variant that differs in something else
    try {
      (void)thresholds_if(served, own->assignment, gpu, texts);
    } catch (ApiError &e) {
      e.message = fmt::format("variant '{}': {}", variant, e.message);
      throw;
    }
  }
}

std::string gpu_of(const grading::DeviceRecord &device) {
  return device.gpu ? device.name : "none";
}

batch::Store store_of(const Shared &shared, const ServedCourse &served) {
  try {
    batch::Store store(shared.folder / served.assignment.name, batch::Store::Access::read);
    if (store.info()) return store;
  } catch (const batch::StoreError &e) {
    if (e.kind != batch::StoreError::Kind::unusable) throw;
  }
  throw ApiError{404, "not_found", "Nothing in this class is graded yet."};
}

PageField yaml_field(const std::string &label, const std::string &text) {
  PageField field{PageField::Kind::area, "text", label, text};
  field.rows = rows_of_yaml;
  field.required = false;
  return field;
}

}  // namespace

ApiResponse Pages::policy_page(const Visit &visit, const std::string &text, const std::string &made_from,
                               const std::string &mistake) {
  ServicePage p = page(&visit, "Policy");
  PageSection section{"service.yaml",
                      {"A policy is checked when you save it, and then takes effect immediately. The audit "
                       "log records the change."},
                      {}};
  if (!mistake.empty()) section.sentences.insert(section.sentences.begin(), mistake);
  section.forms.push_back({"/policy",
                           "Save",
                           {yaml_field("Policies; empty: everything is open", text),
                            {PageField::Kind::hidden, "made_from", "", made_from}}});
  p.sections.push_back(std::move(section));
  return shown(p, mistake.empty() ? 200 : 400);
}

ApiResponse Pages::policy(const Visit &visit) {
  need(visit, Role::instructor);
  const std::string text = read_or_empty(shared_.folder / policy_file_name);
  return policy_page(visit, text, batch::hash_of(text), "");
}

ApiResponse Pages::change_policy(const Visit &visit) {
  need(visit, Role::instructor);
  const std::string text = yaml_of(visit.field("text")), made_from = visit.field("made_from");
  const fs::path file = shared_.folder / policy_file_name;
  std::map<std::string, Policy> policies;
  try {
    const std::vector<std::string> known = assignment_names(shared_.courses.begin()->second.root);
    // An empty file is not YAML with a mistake: it says nothing, as when there is none.
    policies =
        trimmed(text).empty() ? read_policies({}, known) : parse_policies(text, policy_file_name, known);
  } catch (const course::ConfigError &e) {
    return policy_page(visit, text, made_from, for_terminal(e.what()));
  }
  const std::lock_guard writing(shared_.writing);
  const std::string before = read_or_empty(file);
  if (batch::hash_of(before) != made_from)
    throw ApiError{409, "changed",
                   "Somebody else changed service.yaml in the meantime. Nothing was saved: open the page "
                   "again, and make your change to the current text."};
  if (before == text) return go_to("/policy");
  if (trimmed(text).empty())
    fs::remove(file);
  else
    write_whole(file, text, 0600);
  const std::string now_there = read_or_empty(file);
  orders_.policy_changed(batch::hash_of(now_there), difference_of(before, now_there), visit.person.id,
                         shared_.now());
  for (auto &[name, served] : shared_.courses) {
    const bool counts_otherwise = served.policy().best_counts != policies.at(name).best_counts;
    served.policy.set(policies.at(name));
    if (counts_otherwise)
      orders_.give({0, Order::Kind::recount, name, visit.person.id, "", 0, ""}, visit.person.id,
                   shared_.now());
  }
  return go_to("/policy");
}

ApiResponse Pages::rescore_form(const Visit &visit) {
  need(visit, Role::ta);
  ServicePage p = page(&visit, "Other thresholds");
  p.sections.push_back({"",
                        {"Try other thresholds on the existing results. Nothing is run, and nothing changes "
                         "until an instructor applies them."},
                        {}});
  for (const auto &[name, served] : shared_.courses) {
    PageSection section{name, {}, {}};
    try {
      const batch::Store store = store_of(shared_, served);
      const course::Thresholds now = course::read_thresholds(
          served.folder, served.assignment, gpu_of(batch::device_of(store, served.assignment)));
      section.forms.push_back(
          {"/rescore",
           "What would change?",
           {{PageField::Kind::hidden, "assignment", "", name},
            yaml_field("thresholds/" + now.file, read_or_empty(served.folder / "thresholds" / now.file))}});
      if (const auto last = orders_.latest_thresholds_change(name); last && last->file == now.file) {
        section.sentences.push_back(fmt::format("{} changed them here on {}; the audit log says how.",
                                                for_terminal(last->actor), time_text(last->at)));
        section.forms.push_back({"/rescore",
                                 "What would the previous thresholds change?",
                                 {{PageField::Kind::hidden, "assignment", "", name},
                                  {PageField::Kind::hidden, "text", "", last->before}}});
      }
    } catch (const ApiError &e) {
      section.sentences.push_back(e.message);
    }
    p.sections.push_back(std::move(section));
  }
  return shown(p);
}

ApiResponse Pages::apply_thresholds(const Visit &visit, const ServedCourse &served, const std::string &name,
                                    const std::string &text) {
  need(visit, Role::instructor);
  const fs::path file = served.folder / "thresholds" / name;
  const std::lock_guard writing(shared_.writing);
  const std::string before = read_whole(file);
  if (batch::hash_of(before) != visit.field("made_from"))
    throw ApiError{409, "changed",
                   fmt::format("Somebody else changed thresholds/{} in the meantime. Nothing was saved: open "
                               "the page again, and make your change to the current text.",
                               name)};
  try {
    write_whole(file, text);
    fs::permissions(file, readable_by_all);  // ./grade of others reads it, whatever the service's umask
  } catch (const FileError &e) {
    throw ApiError{
        409, "cannot_write",
        fmt::format(
            "Nothing was changed: {}. Give the user who runs the service write access to "
            "assignments/{}/thresholds in the course, or edit the file there and restart the service.",
            for_terminal(e.what()), served.assignment.name)};
  }
  orders_.thresholds_changed({shared_.now(), visit.person.id, served.assignment.name, name, before, text},
                             difference_of(before, text));
  return go_to("/rescore");
}

ApiResponse Pages::rescore_preview(const Visit &visit) {
  need(visit, Role::ta);
  const ServedCourse &served = course(visit.field("assignment"));
  const course::Assignment &a = served.assignment;
  const std::string text = yaml_of(visit.field("text"));
  const batch::Store store = store_of(shared_, served);
  const std::string gpu = gpu_of(batch::device_of(store, a));
  const course::Thresholds now = course::read_thresholds(served.folder, a, gpu);
  const std::string here = read_or_empty(served.folder / "thresholds" / now.file);
  const course::Thresholds then = thresholds_if(served, a, gpu, texts_if(served, now.file, text));
  if (then.file != now.file)
    throw ApiError{400, "bad_yaml",
                   fmt::format("With this text, thresholds/{} no longer applies to the GPU that grades: {}.",
                               now.file, for_terminal(gpu))};
  demand_that_variants_read_it(served, gpu, now.file, text);
  if (visit.field("what") == "apply") return apply_thresholds(visit, served, now.file, text);
  PageTable table{"Students whose points would change",
                  {{"Student"}, {"Now", "", true}, {"Then", "", true}, {"Steps"}},
                  {},
                  "No student's points would change."};
  const Scratch trial;
  const gradebook::ClassCourse course_now{served.root, served.folder, a, a.without_gpu},
      course_then = course_if(served, now.file, text, trial.path());
  const batch::RulesOf rules_now = gradebook::rules_of(course_now, now),
                       rules_then = gradebook::rules_of(course_then, then);
  int students = 0, up = 0, down = 0;
  const std::lock_guard drawing(shared_.drawing);  // one reads a whole class at a time
  std::set<std::string> unreadable;                // what is wrong with each such variant
  for (const std::string &id : store.students()) {
    score::Score before, after;
    try {
      before = batch::score_student(store, rules_now, id).score;
      after = batch::score_student(store, rules_then, id).score;
    } catch (const variants::UnreadableVariant &e) {
      unreadable.insert(e.what());
      continue;
    }
    ++students;
    if (before.points == after.points) continue;
    ++(after.points > before.points ? up : down);
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < before.steps.size(); ++i)
      if (before.steps[i].points != after.steps[i].points)
        steps.push_back(fmt::format("{}: {} to {}", after.steps[i].id, points(before.steps[i].points),
                                    points(after.steps[i].points)));
    table.rows.push_back({{id, "/students/" + path_part(id)},
                          {points(before.points), "", true},
                          {points(after.points), "", true},
                          {fmt::format("{}", fmt::join(steps, ", "))}});
  }
  ServicePage p = page(&visit, "Other thresholds for " + a.name);
  p.sections.push_back({"",
                        {fmt::format("Of {} students, {} would have more points and {} fewer. Nothing was "
                                     "changed.",
                                     students, up, down)},
                        std::move(table)});
  for (const std::string &why : unreadable)
    p.sections.back().sentences.push_back(
        fmt::format("The students of a variant that cannot be read are left out: {}.", for_terminal(why)));
  if (visit.person.role == Role::instructor && text != here)
    p.sections.push_back(
        {"Apply",
         {fmt::format("This writes thresholds/{} in the course, and gives these points to all {} students "
                      "within seconds. The audit log records the change, and the page Other thresholds "
                      "offers to undo it.",
                      now.file, students)},
         {},
         "",
         "",
         {{"/rescore",
           "Apply these thresholds",
           {{PageField::Kind::hidden, "assignment", "", a.name},
            {PageField::Kind::hidden, "what", "", "apply"},
            {PageField::Kind::hidden, "made_from", "", batch::hash_of(here)},
            {PageField::Kind::hidden, "text", "", text}}}}});
  p.sections.push_back({"Try again",
                        {},
                        {},
                        "",
                        "",
                        {{"/rescore",
                          "What would change?",
                          {{PageField::Kind::hidden, "assignment", "", a.name},
                           yaml_field("thresholds/" + now.file, text)}}}});
  return shown(p);
}

}  // namespace warpgrade::service
