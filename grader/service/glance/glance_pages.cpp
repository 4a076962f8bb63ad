#include "service/glance/glance_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gpu/retired.hpp"
#include "report/plot.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"

namespace warpgrade::service {

using report::PageCell;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr std::int64_t day = 86400, week = 7 * day;
constexpr std::int64_t silent_seconds = 180;  // these processes say more often that they are there
constexpr int most_of_student = 100;
constexpr std::size_t most_causes = 20, most_named = 200;

std::string of_all(std::size_t some, std::size_t all) {
  return fmt::format("{} of {}", some, all);
}

std::string mistake_in_words(const std::string &rule, const std::string &said) {
  return said.empty() ? rule + ", cause unknown" : rule + ": " + said;
}

std::size_t stuck_students(const Glance &g) {
  std::set<std::string> who;
  for (const Stuck &s : g.stuck) who.insert(s.student);
  return who.size();
}

PageCell source_cell(const Outcome &o) {
  if (o.of == Outcome::Of::run) return {"a run in the workspace"};
  return {fmt::format("submission {}", o.source), fmt::format("/submissions/{}", o.source)};
}

/// Students who have each step accepted at the end of each day; empty where nobody has any.
std::string progress_drawn(const std::string &name, const Glance &g, std::int64_t now) {
  std::int64_t first = now;
  for (const StepProgress &p : g.steps)
    if (!p.over_time.empty()) first = std::min(first, p.over_time.front().first);
  const std::int64_t first_day = first / day, days = now / day - first_day;
  report::Plot plot{fmt::format("{}: students with an accepted result", name),
                    fmt::format("days since {}", time_text(first).substr(0, 10)),
                    "students",
                    {},
                    false};
  for (const StepProgress &p : g.steps) {
    if (p.over_time.empty()) continue;
    report::Line line{p.step, {}};
    std::size_t next = 0;
    for (std::int64_t d = 0; d <= days; ++d) {
      while (next < p.over_time.size() && p.over_time[next].first / day - first_day <= d) ++next;
      line.points.emplace_back(static_cast<double>(d), static_cast<double>(next));
    }
    plot.lines.push_back(std::move(line));
  }
  return plot.lines.empty() ? "" : report::plot_to_svg(plot);
}

std::vector<std::string> steps_of(const ServedCourse &served) {
  std::vector<std::string> ids;
  for (const course::Step &step : served.assignment.steps)
    if (!step.beyond) ids.push_back(step.id);
  return ids;
}

double most_points(const ServedCourse &served, const std::string &id) {
  const course::Step *step = served.assignment.find_step(id);
  return step ? step->points.total() : 0;
}

}  // namespace

void GlancePages::catch_up(ServicePage *page) {
  const char *remark = "Older results are still being read. Open this page again, and more of them count.";
  try {
    if (outcomes_.catch_up(shared_.writing)) return;
  } catch (const batch::StoreError &) {  // locked, or the disk is full: what is known is shown
    remark = "The latest results could not be read just now, and do not count here yet.";
  }
  if (page) page->sections.push_back({"", {remark}, {}});
}

Glance GlancePages::glance(const ServedCourse &served) {
  std::vector<std::string> students;
  for (const Person &person : people_.all())
    if (person.role == Role::student) students.push_back(person.id);
  const std::string &name = served.assignment.name;
  return glance_at(outcomes_.of_assignment(name), students, outcomes_.begun(name), steps_of(served),
                   shared_.now(), week);
}

std::string GlancePages::name_of_student(const std::string &id) {
  const std::optional<Person> person = people_.find(id);
  return person ? person->name : "";
}

PageCell GlancePages::student_cell(const std::string &id) {
  const std::string name = name_of_student(id);
  return {name.empty() ? id : fmt::format("{}, {}", id, name), "/students/" + path_part(id)};
}

ApiResponse GlancePages::answer(const Visit &visit) {
  if (visit.person.role == Role::student)
    throw ApiError{403, "forbidden", "This page is for the course staff."};
  if (visit.request.method != "GET") throw ApiError{405, "method_not_allowed", "This page accepts no forms."};
  const std::string &path = visit.request.path;
  if (!has(path) || path == "/course") return start(visit);
  if (path == "/course.csv") return overview_csv();
  const std::string rest = path.substr(std::string("/course/").size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string name = rest.substr(0, slash);
  const auto served = shared_.courses.find(name);
  if (served == shared_.courses.end()) throw ApiError{404, "not_found", "There is no such assignment here."};
  if (slash == rest.size()) return assignment(visit, name);
  catch_up(nullptr);
  return csv(served->second, rest.substr(slash + 1));
}

std::vector<std::string> GlancePages::why_nothing_runs(const std::string &name, const ServedCourse &served) {
  std::vector<std::string> all;
  const std::int64_t now = shared_.now();
  const auto look = [&](const char *what, bool known, bool ready, const std::string &detail,
                        std::int64_t seen) {
    if (!known)
      all.push_back(fmt::format("{}: the process that {} has not started yet.", name, what));
    else if (!ready)
      all.push_back(fmt::format("{}: the process that {} cannot: {}.", name, what, for_json(detail)));
    else if (seen < now - silent_seconds)
      all.push_back(
          fmt::format("{}: the process that {} has said nothing for {} s.", name, what, now - seen));
  };
  const std::vector<GraderState> graders = jobs_.graders();
  const auto g = std::find_if(graders.begin(), graders.end(),
                              [&](const GraderState &one) { return one.assignment == name; });
  const bool known = g != graders.end();
  look("grades submissions", known, known && g->ready, known ? g->detail : "", known ? g->seen : 0);
  if (!served.policy().workspace) return all;
  const auto r = trials_.runner(name);
  look("runs what is tried in the workspace", r.has_value(), r && r->ready, r ? r->detail : "",
       r ? r->seen : 0);
  return all;
}

std::vector<GlancePages::Overview> GlancePages::overview() {
  std::map<std::string, int> waiting;
  for (const Place &place : *shared_.queue(jobs_)) ++waiting[place.assignment];
  std::vector<Overview> all;
  for (const auto &[name, served] : shared_.courses) {
    Overview o{&served, glance(served), 0, waiting[name]};
    for (const auto &[student, steps] : o.glance.students)
      o.whole += !o.glance.steps.empty() &&
                 std::all_of(o.glance.steps.begin(), o.glance.steps.end(), [&](const auto &step) {
                   const auto found = steps.find(step.step);
                   return found != steps.end() && found->second.accepted_as_submitted;
                 });
    all.push_back(std::move(o));
  }
  return all;
}

ApiResponse GlancePages::start(const Visit &visit) {
  ServicePage p = visit.frame;
  p.title = "The course at a glance";
  catch_up(&p);
  PageTable table{"Students, of those on the roster",
                  {{"Assignment"},
                   {"Closes"},
                   {"Not started", "", true},
                   {"Handed something in", "", true},
                   {"Every step accepted", "", true},
                   {"Stuck", "", true},
                   {"Waiting", "", true}},
                  {},
                  "No assignment is served."};
  PageTable stuck{fmt::format("The same finding in the last {} results of a step, or more", stuck_after),
                  {{"Student"}, {"Assignment"}, {"Step"}, {"Finding"}, {"Times", "", true}, {"Latest"}},
                  {},
                  "Nobody is stuck."};
  PageSection machines{
      "Queue and machines",
      {fmt::format("{} waiting, {} running.", jobs_.count(State::queued), jobs_.count(State::running))},
      {}};
  for (const Overview &o : overview()) {
    const std::string &name = o.served->assignment.name;
    const Glance &g = o.glance;
    const Policy policy = o.served->policy();
    table.rows.push_back(
        {{fmt::format("{}: {}", name, o.served->assignment.title), "/course/" + path_part(name)},
         {policy.closes ? time_text(*policy.closes) : "never"},
         {of_all(g.not_started.size(), g.students.size()), "", true},
         {of_all(g.submitted.size(), g.students.size()), "", true},
         {of_all(o.whole, g.students.size()), "", true},
         {of_all(stuck_students(g), g.students.size()), "", true},
         {fmt::format("{}", o.waiting), "", true}});
    for (const Stuck &s : g.stuck)
      stuck.rows.push_back({student_cell(s.student),
                            {name},
                            {s.step},
                            {mistake_in_words(s.latest.rule, s.latest.said)},
                            {fmt::format("{}", s.times), "", true},
                            source_cell(s.latest)});
    for (std::string &why : why_nothing_runs(name, *o.served)) machines.sentences.push_back(std::move(why));
  }
  if (!table.rows.empty())
    table.rows.push_back({{"All of them as CSV", "/course.csv"}, {}, {}, {}, {}, {}, {}});
  p.sections.push_back({"Assignments", {}, std::move(table)});
  p.sections.push_back({"Stuck", {}, std::move(stuck)});
  for (const gpu::RetiredGpu &gpu : gpu::retired_gpus(std::filesystem::temp_directory_path().string()))
    machines.sentences.push_back(gpu.sentence + ".");
  if (machines.sentences.size() == 1) machines.sentences.emplace_back("All processes are at work.");
  p.sections.push_back(std::move(machines));
  if (!jobs_.submissions_of(visit.person.id, "", 1).empty())
    p.sections.push_back(
        {"Your own submissions",
         {},
         PageTable{"What you handed in yourself", {{"Page"}}, {{student_cell(visit.person.id)}}, ""}});
  return page_response(p);
}

ApiResponse GlancePages::overview_csv() {
  catch_up(nullptr);
  std::string text = csv_row({"assignment", "title", "closes", "students", "not_started", "handed_in",
                              "every_step_accepted", "stuck", "waiting", "not_graded_because"});
  for (const Overview &o : overview()) {
    const course::Assignment &a = o.served->assignment;
    const Policy policy = o.served->policy();
    text += csv_row({csv_text(a.name), csv_text(a.title),
                     csv_text(policy.closes ? time_text(*policy.closes) : ""),
                     std::to_string(o.glance.students.size()), std::to_string(o.glance.not_started.size()),
                     std::to_string(o.glance.submitted.size()), std::to_string(o.whole),
                     std::to_string(stuck_students(o.glance)), std::to_string(o.waiting),
                     csv_text(fmt::format("{}", fmt::join(why_nothing_runs(a.name, *o.served), " ")))});
  }
  return csv_response("course.csv", std::move(text));
}

ApiResponse GlancePages::assignment(const Visit &visit, const std::string &name) {
  const ServedCourse &served = shared_.courses.at(name);
  ServicePage p = visit.frame;
  p.title = fmt::format("{} at a glance", name);
  catch_up(&p);
  const Glance g = glance(served);
  const std::size_t all = g.students.size();

  PageTable quiet{"Neither saved, run nor handed in anything", {{"Student"}}, {}, "Everybody has started."};
  for (const std::string &id : g.not_started)
    if (quiet.rows.size() < most_named) quiet.rows.push_back({student_cell(id)});
  p.sections.push_back(
      {"Not started", {of_all(g.not_started.size(), all) + " students have not started."}, std::move(quiet)});

  PageTable stuck{"The same finding again and again, most often first",
                  {{"Student"}, {"Step"}, {"Finding"}, {"Times", "", true}, {"Since"}, {"Latest"}},
                  {},
                  "Nobody is stuck."};
  for (const Stuck &s : g.stuck)
    stuck.rows.push_back({student_cell(s.student),
                          {s.step},
                          {mistake_in_words(s.latest.rule, s.latest.said)},
                          {fmt::format("{}", s.times), "", true},
                          {time_text(s.since)},
                          source_cell(s.latest)});
  p.sections.push_back({"Stuck", {}, std::move(stuck)});

  PageTable progress{"Students, in the workspace or in a submission",
                     {{"Step"}, {"Started", "", true}, {"Accepted", "", true}},
                     {},
                     ""};
  for (const StepProgress &s : g.steps)
    progress.rows.push_back({{s.step},
                             {of_all(static_cast<std::size_t>(s.started), all), "", true},
                             {of_all(static_cast<std::size_t>(s.accepted), all), "", true}});
  p.sections.push_back({"Progress by step", {}, std::move(progress), progress_drawn(name, g, shared_.now())});

  PageTable causes{
      "Students with a mistake: in the last seven days, in the seven before, and ever; those that grow on "
      "top",
      {{"Step"}, {"Finding"}, {"Lately", "", true}, {"Before", "", true}, {"Ever", "", true}},
      {},
      "Nothing has gone wrong yet."};
  for (const GrowingCause &c : g.causes)
    if (causes.rows.size() < most_causes)
      causes.rows.push_back({{c.step},
                             {mistake_in_words(c.rule, c.said)},
                             {fmt::format("{}", c.lately), "", true},
                             {fmt::format("{}", c.before), "", true},
                             {of_all(static_cast<std::size_t>(c.students), all), "", true}});
  p.sections.push_back({"Mistakes", {}, std::move(causes)});

  PageTable students{"Points of the best submission of each step; the class has the grades",
                     {{"Student"},
                      {"Runs", "", true},
                      {"Submissions", "", true},
                      {"Steps accepted", "", true},
                      {"Points", "", true},
                      {"Latest"}},
                     {},
                     "The roster names no students."};
  for (const auto &[id, steps] : g.students) {
    int runs = 0, submissions = 0;
    std::size_t accepted = 0;
    double sum = 0, most = 0;
    std::int64_t latest = 0;
    for (const StepProgress &step : g.steps) most += most_points(served, step.step);
    for (const auto &[step, at] : steps) {
      runs += at.runs, submissions += at.submissions, accepted += at.accepted, sum += at.points;
      latest = std::max(latest, at.latest);
    }
    students.rows.push_back({student_cell(id),
                             {fmt::format("{}", runs), "", true},
                             {fmt::format("{}", submissions), "", true},
                             {of_all(accepted, g.steps.size()), "", true},
                             {fmt::format("{}/{}", points(sum), points(most)), "", true},
                             {latest > 0 ? time_text(latest) : "never"}});
  }
  p.sections.push_back({"Students", {}, std::move(students)});

  PageTable files{"For a spreadsheet", {{"File"}}, {}, ""};
  for (const char *file : {"students.csv", "stuck.csv", "progress.csv", "mistakes.csv", "history.csv"})
    files.rows.push_back({{file, fmt::format("/course/{}/{}", path_part(name), file)}});
  p.sections.push_back({"As CSV", {}, std::move(files)});
  return page_response(p);
}

ApiResponse GlancePages::csv(const ServedCourse &served, const std::string &which) {
  const Glance g = glance(served);
  const auto at_text = [](std::int64_t at) { return csv_text(at > 0 ? time_text(at) : ""); };
  std::string text;
  if (which == "students.csv") {
    text = csv_row({"student", "name", "started", "step", "runs", "submissions", "accepted", "points",
                    "max_points", "latest"});
    for (const auto &[id, steps] : g.students)
      for (const StepProgress &step : g.steps) {
        const auto found = steps.find(step.step);
        const StudentAtStep at = found == steps.end() ? StudentAtStep{} : found->second;
        text += csv_row({csv_text(id), csv_text(name_of_student(id)),
                         g.not_started.contains(id) ? "no" : "yes", csv_text(step.step),
                         std::to_string(at.runs), std::to_string(at.submissions), at.accepted ? "yes" : "no",
                         points(at.points), points(most_points(served, step.step)), at_text(at.latest)});
      }
  } else if (which == "stuck.csv") {
    text = csv_row({"student", "name", "step", "finding", "cause", "times", "since", "latest", "submission"});
    for (const Stuck &s : g.stuck)
      text += csv_row({csv_text(s.student), csv_text(name_of_student(s.student)), csv_text(s.step),
                       csv_text(s.latest.rule), csv_text(s.latest.said), std::to_string(s.times),
                       at_text(s.since), at_text(s.latest.at),
                       s.latest.of == Outcome::Of::submission ? std::to_string(s.latest.source) : ""});
  } else if (which == "progress.csv") {
    text = csv_row({"step", "at", "students_accepted", "students"});
    for (const StepProgress &p : g.steps)
      for (const auto &[at, students] : p.over_time)
        text += csv_row(
            {csv_text(p.step), at_text(at), std::to_string(students), std::to_string(g.students.size())});
  } else if (which == "mistakes.csv") {
    text = csv_row(
        {"step", "finding", "cause", "students_last_7_days", "students_7_days_before", "students_ever"});
    for (const GrowingCause &c : g.causes)
      text += csv_row({csv_text(c.step), csv_text(c.rule), csv_text(c.said), std::to_string(c.lately),
                       std::to_string(c.before), std::to_string(c.students)});
  } else if (which == "history.csv") {
    text = csv_row({"student", "name", "at", "step", "what", "submission", "verdict", "finding", "cause",
                    "points", "max_points"});
    for (const Outcome &o : outcomes_.of_assignment(served.assignment.name)) {
      const bool run = o.of == Outcome::Of::run;
      text += csv_row({csv_text(o.student), csv_text(name_of_student(o.student)), at_text(o.at),
                       csv_text(o.step), run ? "run" : "submission", run ? "" : std::to_string(o.source),
                       csv_text(o.verdict), csv_text(o.rule), csv_text(o.said), run ? "" : points(o.points),
                       points(most_points(served, o.step))});
    }
  } else {
    throw ApiError{404, "not_found", "There is no such file."};
  }
  return csv_response(fmt::format("{}-{}", served.assignment.name, which), std::move(text));
}

std::optional<PageSection> GlancePages::of_student(const Person &person) {
  catch_up(nullptr);
  PageTable table{
      fmt::format("The latest {}, the newest first", most_of_student),
      {{"When"}, {"Assignment"}, {"Step"}, {"What"}, {"Verdict"}, {"Finding"}, {"Points", "", true}},
      {},
      ""};
  for (const Outcome &o : outcomes_.of_student(person.id, most_of_student)) {
    const auto served = shared_.courses.find(o.assignment);
    const double most = served == shared_.courses.end() ? 0 : most_points(served->second, o.step);
    table.rows.push_back(
        {{time_text(o.at)},
         {o.assignment},
         {o.step},
         source_cell(o),
         {o.verdict},
         {o.rule.empty() ? "" : mistake_in_words(o.rule, o.said)},
         {o.of == Outcome::Of::submission ? fmt::format("{}/{}", points(o.points), points(most)) : "", "",
          true}});
  }
  if (table.rows.empty()) return std::nullopt;
  return PageSection{"Runs in the workspace and submissions, step by step",
                     {"The file history.csv on the page of an assignment has all of them."},
                     std::move(table)};
}

}  // namespace warpgrade::service
