// Grading a class again in a browser: what that would change, and who gets it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "batch/store.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/preview.hpp"
#include "gradebook/variant_rules.hpp"
#include "score/late.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::service {

using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr const char *marked = "student:";  // before the id, in the name of a field
constexpr std::size_t most_marks = 200;     // more make a form that is too long to be sent

/// None: nothing of this class is graded yet.
std::optional<batch::Store> graded_class(const Shared &shared, const std::string &assignment) {
  try {
    batch::Store store(shared.folder / assignment, batch::Store::Access::read);
    if (store.info()) return store;
  } catch (const batch::StoreError &e) {
    if (e.kind != batch::StoreError::Kind::unusable) throw;
  }
  return std::nullopt;
}

/// Where the best submission counts: which other one would count for a step if the previewed points were applied, as
/// ClassBook::recount() chooses. Nothing: the same one.
std::optional<Part> better_one(const std::vector<std::pair<Part, std::int64_t>> &parts,  // the latest first
                               const course::Assignment &a, const std::string &student,
                               const batch::Task &previewed, double points_now) {
  const Part *chosen = nullptr;
  double most = 0;
  for (const auto &[part, received] : parts) {
    if (part.step != previewed.step || part.state != State::done) continue;
    const std::optional<score::Late> late = score::lateness(a.late, student, {false, received});
    const double worth =
        (part.file == previewed.file ? points_now : part.points) * (1 - (late ? late->share : 0));
    if (!chosen || worth > most) chosen = &part, most = worth;
  }
  return chosen && chosen->file != previewed.file ? std::optional(*chosen) : std::nullopt;
}

void name_better_ones(gradebook::PreviewList &list, const batch::Store &store, const course::Assignment &a,
                      Jobs &jobs) {
  std::map<std::pair<std::string, std::string>, batch::Task> previewed;  // by student and step
  for (const batch::PreviewFile &f : store.preview_files()) previewed[{f.student, f.task.step}] = f.task;
  for (gradebook::StudentChange &c : list.changes) {
    const auto parts = jobs.parts_of(c.student, a.name);
    for (gradebook::StepChange &s : c.steps)
      if (const auto task = previewed.find({c.student, s.step}); task != previewed.end())
        if (const auto other = better_one(parts, a, c.student, task->second, s.points_now))
          s.why += fmt::format("; submission {} with {} would count instead", other->submission,
                               points(other->points));
  }
}

/// With the files of the course as they are now, by which the process that grades counts.
gradebook::PreviewList preview_of(const batch::Store &store, const ServedCourse &served,
                                  const std::map<std::string, std::string> &names, Jobs &jobs) {
  gradebook::ClassCourse course{served.root, served.folder, course::read_assignment(served.folder), {}};
  course.without_gpu_now = course.assignment.without_gpu;
  if (const auto preview = store.preview()) course.assignment.without_gpu = preview->without_gpu;
  const batch::RulesOf rules = gradebook::rules_of(store, course);
  gradebook::PreviewList list = gradebook::list_preview(store, rules);
  if (served.policy().best_counts) name_better_ones(list, store, course.assignment, jobs);
  for (gradebook::StudentChange &c : list.changes)
    if (const auto name = names.find(c.student); c.name.empty() && name != names.end()) c.name = name->second;
  return list;
}

std::string score_text(double points_now, double most) {
  return fmt::format("{}/{}", points(points_now), points(most));
}

PageTable table_of(const gradebook::PreviewList &list) {
  PageTable table{"Who would change, by how much and why",
                  {{"Student"},
                   {"Name"},
                   {"Step"},
                   {"Verdict before"},
                   {"Verdict now"},
                   {"Points before", "", true},
                   {"Points now", "", true},
                   {"Why"},
                   {"Score before", "", true},
                   {"Score now", "", true}},
                  {},
                  "Nobody's verdicts or points would change."};
  for (const gradebook::StudentChange &c : list.changes) {
    const auto row = [&](const std::string &step, const std::string &before, const std::string &now,
                         const std::string &points_before, const std::string &points_now,
                         const std::string &why) {
      table.rows.push_back({{c.student, "/students/" + path_part(c.student)},
                            {c.name},
                            {step},
                            {before},
                            {now},
                            {points_before, "", true},
                            {points_now, "", true},
                            {why},
                            {score_text(c.before, c.max_before), "", true},
                            {score_text(c.now, c.max_now), "", true}});
    };
    for (const gradebook::StepChange &s : c.steps)
      row(s.step, s.verdict_before, s.verdict_now, points(s.points_before), points(s.points_now),
          s.why + (s.by_hand ? "; points by hand stay" : ""));
    if (c.steps.empty()) row("", "", "", "", "", c.why);
  }
  return table;
}

/// The files of the course have a mistake, for people; empty: they can be read.
std::string mistake_of(const std::function<void()> &reads_them) {
  try {
    reads_them();
    return "";
  } catch (const course::ConfigError &e) {
    return for_terminal(e.what());
  }
}

PageField what(const char *value) {
  return {PageField::Kind::hidden, "what", "", value};
}

/// How many students have results under other conditions than those of now.
std::string outdated_words(const batch::Store &store, const course::Assignment &a) {
  std::set<std::string> students, keys;
  std::map<std::string, std::string> now;
  for (const auto &one : store.conditions_that_count(batch::steps_of(a))) {
    if (!one.variant.empty()) continue;
    const auto [place, fresh] = now.try_emplace(one.task.step);
    if (fresh)
      if (const auto grading = store.grading_of(one.task.step)) place->second = grading->conditions;
    if (place->second.empty()) continue;
    const std::string difference = batch::difference(one.conditions, place->second);
    if (difference.empty()) continue;
    keys.insert(difference);
    students.insert(one.students.begin(), one.students.end());
  }
  if (students.empty()) return "";
  return fmt::format(
      "{} student{} graded under other conditions than what is submitted now ({} changed). These results "
      "count until "
      "a preview is applied.",
      students.size(), students.size() == 1 ? " was" : "s were", fmt::join(keys, "; "));
}

}  // namespace

ApiResponse Pages::regrading(const Visit &visit, const std::string &rest) {
  need(visit, Role::ta);
  if (rest.empty()) {
    ServicePage p = page(&visit, "Grading again");
    PageTable table{"Assignments", {{"Assignment"}, {"Preview"}}, {}, ""};
    for (const auto &[name, served] : shared_.courses) {
      const auto store = graded_class(shared_, name);
      table.rows.push_back({{name, "/regrading/" + path_part(name)},
                            {!store                        ? "nothing is graded yet"
                             : !store->preview()           ? "none"
                             : store->to_preview().empty() ? "ready"
                                                           : "running"}});
    }
    p.sections.push_back({"",
                          {"A preview grades what counts again, beside the results that count, and shows "
                           "whose verdicts and points "
                           "would change. Nothing changes until an instructor applies it."},
                          std::move(table)});
    return shown(p);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const ServedCourse &served = course(rest.substr(0, slash));
  const std::string &name = served.assignment.name, of_it = rest.substr(slash),
                    address = "/regrading/" + path_part(name);
  const std::optional<batch::Store> store = graded_class(shared_, name);
  if ((!of_it.empty() && of_it != "/list.csv") || (!of_it.empty() && !(store && store->preview())))
    throw ApiError{404, "not_found", "There is no such page."};
  std::map<std::string, std::string> names;
  for (const Person &person : people_.all()) names[person.id] = person.name;
  if (!of_it.empty()) {
    const std::lock_guard drawing(shared_.drawing);
    std::string csv;
    if (const std::string mistake =
            mistake_of([&] { csv = gradebook::csv_of(preview_of(*store, served, names, jobs_)); });
        !mistake.empty())
      throw ApiError{409, "mistake", "There is no list, since the course's files have a mistake: " + mistake};
    return csv_response(fmt::format("{}-regrading.csv", name), std::move(csv));
  }
  ServicePage p = page(&visit, "Grading " + name + " again");
  PageSection about{"", {}, {}};
  const bool instructor = visit.person.role == Role::instructor;
  bool running = false;
  if (const auto latest = orders_.latest_regrading(name))
    about.sentences.push_back(fmt::format("{}, {}: {}{}{}", time_text(latest->at), latest->actor,
                                          latest->what, latest->detail.empty() ? "." : ": ", latest->detail));
  for (const Order &o : orders_.open(name))
    if (o.kind >= Order::Kind::preview) {
      about.sentences.emplace_back("An order is being carried out. This page updates itself.");
      running = true;
      break;
    }
  if (!store) {
    about.sentences.emplace_back("Nothing in this class is graded yet.");
    p.sections.push_back(std::move(about));
    return shown(p);
  }
  if (std::string words = outdated_words(*store, served.assignment); !words.empty())
    about.sentences.push_back(std::move(words));
  const std::optional<batch::Preview> preview = store->preview();
  if (preview && !running) {
    const std::size_t to_run = store->to_preview().size();
    std::set<std::pair<std::string, std::string>> files;
    for (const batch::PreviewFile &f : store->preview_files()) files.emplace(f.task.step, f.task.file);
    about.sentences.push_back(fmt::format("A preview that {} wanted at {} UTC, of {} different file{}.",
                                          preview->actor, preview->begun, files.size(),
                                          files.size() == 1 ? "" : "s"));
    if (to_run > 0) {
      running = true;
      about.sentences.push_back(
          fmt::format("{} of them {} still to be run. Submissions go first. This page updates itself.",
                      to_run, to_run == 1 ? "is" : "are"));
    }
  }
  p.sections.push_back(std::move(about));
  gradebook::PreviewList list;
  std::string mistake;
  if (preview && !running) {
    const std::lock_guard drawing(shared_.drawing);  // one reads a whole class at a time
    mistake = mistake_of([&] { list = preview_of(*store, served, names, jobs_); });
  }
  if (preview && (running || !mistake.empty())) {
    PageSection discard{"Decide", {}, {}};
    if (!mistake.empty())
      discard.sentences.push_back(
          "The course's files have a mistake, so nobody can see or apply what would change. Correct it, and "
          "preview again. " +
          mistake);
    discard.forms.push_back({address,
                             "Discard the preview",
                             {what("discard"), {PageField::Kind::hidden, "begun", "", preview->begun}}});
    p.sections.push_back(std::move(discard));
  } else if (preview) {
    PageSection changes{"What would change", {gradebook::summary_of(list)}, table_of(list)};
    for (const auto &[who, why] :
         {std::pair(&list.newer,
                    "Left out, since they handed in something since, or were graded otherwise: {}."),
          {&list.failed, "Left out, since the grader failed on a file; another preview tries again: {}."}})
      if (!who->empty()) changes.sentences.push_back(fmt::format(fmt::runtime(why), fmt::join(*who, ", ")));
    if (served.policy().best_counts)
      changes.sentences.emplace_back(
          "The best submission of each step counts in this course. The preview is about those that count "
          "now: "
          "where another one is worth more once this is applied, that one counts instead, as the list says. "
          "The scores in the list are without that.");
    p.sections.push_back(std::move(changes));
    PageTable links{"The list", {{"File"}, {"For"}}, {}, ""};
    links.rows = {{{"The list as CSV", address + "/list.csv"}, {"a spreadsheet"}}};
    PageSection decide{"Decide", {}, std::move(links)};
    if (instructor) {
      decide.sentences.emplace_back(
          "What is applied counts within seconds, for exactly these students, and can be undone. Points by "
          "hand "
          "stay.");
      const std::size_t all = list.changes.size() + list.same.size();
      if (all > 0)
        decide.forms.push_back({address,
                                all == 1 ? "Apply to the student of the preview"
                                         : fmt::format("Apply to all {} students of the preview", all),
                                {what("apply"),
                                 {PageField::Kind::hidden, "all", "", "yes"},
                                 {PageField::Kind::hidden, "begun", "", preview->begun}}});
      if (!list.changes.empty()) {
        PageForm some{address,
                      "Apply to the marked students",
                      {what("apply"), {PageField::Kind::hidden, "begun", "", preview->begun}}};
        for (const gradebook::StudentChange &c : list.changes) {
          if (some.fields.size() > most_marks + 1) {
            decide.sentences.push_back(fmt::format(
                "Only the first {} students can be marked here; the next ones once these are applied.",
                most_marks));
            break;
          }
          some.fields.push_back({PageField::Kind::mark,
                                 marked + c.student,
                                 fmt::format("{}{}{}: {} to {}", c.student, c.name.empty() ? "" : ", ",
                                             c.name, points(c.before), points(c.now)),
                                 "yes",
                                 {},
                                 false});
        }
        decide.forms.push_back(std::move(some));
      }
    } else {
      decide.sentences.emplace_back("An instructor can apply it.");
    }
    decide.forms.push_back({address,
                            "Apply to nobody: discard the preview",
                            {what("discard"), {PageField::Kind::hidden, "begun", "", preview->begun}}});
    p.sections.push_back(std::move(decide));
  }
  PageSection begin{
      "Preview",
      {"Grades again what counts of everybody, where the course's files, the compiler or the grader "
       "changed since. For one student, use the student's page: that runs all steps again.",
       "The preview is about results. Points, thresholds and late days count for everybody, as the course's "
       "files have them now, as soon as grading restarts. A preview restarts it where the files changed."},
      {}};
  begin.forms.push_back({address, "Preview grading again", {what("preview")}});
  p.sections.push_back(std::move(begin));
  if (const auto latest = store->latest_regrading(); latest && instructor)
    p.sections.push_back(
        {"Undo",
         {fmt::format(
             "What {} changed at {} UTC: {}. Undo returns the results that counted before, but for what was "
             "graded again since. Points are those of the course's files as they are now.",
             latest->actor, latest->at, latest->detail)},
         {},
         "",
         "",
         {{address,
           "Undo",
           {what("undo"), {PageField::Kind::hidden, "id", "", std::to_string(latest->id)}}}}});
  ApiResponse r = shown(p);
  if (running) r.headers.emplace_back("Refresh", "3");
  return r;
}

ApiResponse Pages::change_regrading(const Visit &visit, const std::string &rest) {
  need(visit, Role::ta);
  const std::string &name = course(rest).assignment.name, what = visit.field("what");
  Order order{0, Order::Kind::preview, name, visit.person.id, "*", 0, ""};
  const auto stale = [] {
    return ApiError{409, "changed",
                    "What you saw is no longer the latest. Nothing was changed: open the page again."};
  };
  if (what == "preview") {
    order.reason = visit.person.id;
    if (const std::string id = visit.field("student"); !id.empty()) {
      order.student = named(id).id;
      order.step.clear();
    }
  } else if (what == "discard") {
    order.kind = Order::Kind::discard;
    const std::optional<batch::Store> store = graded_class(shared_, name);
    const auto preview = store ? store->preview() : std::nullopt;
    if (!preview || preview->begun != visit.field("begun")) throw stale();
    order.step = preview->begun;
  } else if (what == "apply" || what == "undo") {
    need(visit, Role::instructor);
    const std::optional<batch::Store> store = graded_class(shared_, name);
    if (what == "undo") {
      order.kind = Order::Kind::undo;
      const auto latest = store ? store->latest_regrading() : std::nullopt;
      if (!latest || std::to_string(latest->id) != visit.field("id")) throw stale();
      order.step = std::to_string(latest->id);
    } else {
      order.kind = Order::Kind::apply;
      const auto preview = store ? store->preview() : std::nullopt;
      if (!preview || preview->begun != visit.field("begun")) throw stale();
      order.step = preview->begun;
      for (const auto &[field, value] : visit.request.form)
        if (field.starts_with(marked))
          order.reason +=
              (order.reason.empty() ? "" : "\n") + named(field.substr(std::string(marked).size())).id;
      if (order.reason.empty() && visit.field("all") != "yes")
        throw ApiError{400, "bad_request", "No student is marked. Nothing was applied."};
    }
  } else {
    throw ApiError{400, "bad_request", "There is no such choice."};
  }
  orders_.give(order, visit.person.id, shared_.now());
  return go_to("/regrading/" + path_part(name));
}

}  // namespace warpgrade::service
