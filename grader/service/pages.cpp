#include "service/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "batch/content.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "judge/speed.hpp"
#include "report/plot.hpp"
#include "service/answers.hpp"
#include "service/api_error.hpp"
#include "service/render.hpp"
#include "service/workspace/workspace.hpp"

namespace warpgrade::service {

using report::PageCell;
using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr std::string_view cookie_name = "warpgrade";
constexpr int most_in_history = 100;
constexpr const char *fresh_after_seconds = "3";

std::string cookie(const std::string &session, bool secure) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}{}", cookie_name, session,
                     secure ? "; Secure" : "", session.empty() ? "; Max-Age=0" : "");
}

/// A host without its port, which a proxy may not pass on.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon == std::string_view::npos || host.ends_with(']') ? host : host.substr(0, colon);
}

/// Whether a browser says that a form is not from a page of this service. Programs say nothing.
bool comes_from_elsewhere(const ApiRequest &request) {
  if (!request.site.empty()) return request.site != "same-origin" && request.site != "none";
  if (request.origin.empty()) return false;
  const std::size_t scheme = request.origin.find("://");
  return scheme == std::string::npos ||
         without_port(std::string_view(request.origin).substr(scheme + 3)) != without_port(request.host);
}

std::string state_of(const Submission &s) {
  if (s.done()) return "graded";
  for (const Part &part : s.parts)
    if (part.state == State::running)
      return fmt::format("{}: {}", part.step, part.phase.empty() ? "starting" : part.phase);
  return "queued";
}

double points_of(const Submission &s) {
  double sum = 0;
  for (const Part &part : s.parts) sum += part.state == State::done ? part.points : 0;
  return sum;
}

std::string steps_of(const Submission &s) {
  std::vector<std::string> ids;
  for (const Part &part : s.parts) ids.push_back(part.step);
  return fmt::format("{}", fmt::join(ids, ", "));
}

/// Empty: it is not graded yet.
std::string verdict_of(const Part &part) {
  if (part.state != State::done || part.record.empty()) return "";
  return std::string(judge::in_words(grading::step_record_of(part.record).verdict));
}

/// "accepted", or what is wrong with which steps: "race (step1), wrong_answer (step2)".
std::string verdicts_of(std::int64_t submission, Jobs &jobs) {
  const std::optional<Submission> whole = jobs.submission(submission);
  if (!whole) return "";
  std::vector<std::string> wrong;
  for (const Part &part : whole->parts)
    if (const std::string verdict = verdict_of(part); verdict != judge::name_of(judge::Verdict::accepted))
      wrong.push_back(fmt::format("{} ({})", verdict, part.step));
  return wrong.empty() ? std::string(judge::name_of(judge::Verdict::accepted))
                       : fmt::format("{}", fmt::join(wrong, ", "));
}

double maximum_of(const Part &part, const ServedCourse &course) {
  const course::Step *step = course.assignment.find_step(part.step);
  return step ? step->points.total() : 0;
}

/// "8/10", "20/30 by hand (graded 8)".
std::string points_text(const Part &part, const ServedCourse &course,
                        const std::vector<score::Override> &by_hand) {
  const double most = maximum_of(part, course);
  for (const score::Override &o : by_hand)
    if (o.step == part.step)
      return fmt::format("{}/{} by hand (graded {})", points(o.points), points(most), points(part.points));
  return fmt::format("{}/{}", points(part.points), points(most));
}

/// "48/100" or "50/100 by hand (graded 48)"
std::string points_text(const Submission &s, const Shared &shared,
                        const std::vector<score::Override> &by_hand) {
  const auto course = shared.courses.find(s.assignment);
  if (course == shared.courses.end()) return points(points_of(s));
  double most = 0, given = points_of(s);
  bool any = false;
  for (const Part &part : s.parts) {
    most += maximum_of(part, course->second);
    for (const score::Override &o : by_hand)
      if (o.step == part.step) given += o.points - part.points, any = true;
  }
  const std::string text = fmt::format("{}/{}", points(given), points(most));
  return any ? fmt::format("{} by hand (graded {})", text, points(points_of(s))) : text;
}

/// Speed of each timed step over a student's submissions, the first on the left; empty if nothing was timed.
std::string speed_over_time(const ServedCourse &course, const std::vector<Submission> &latest_first,
                            Jobs &jobs) {
  report::Plot plot{fmt::format("{}: speed over time", course.assignment.name),
                    "submission, the first is 1",
                    "",
                    {},
                    false};
  std::map<std::string, report::Line> lines;
  double number = 0;
  for (auto s = latest_first.rbegin(); s != latest_first.rend(); ++s) {
    if (s->assignment != course.assignment.name) continue;
    ++number;
    const std::optional<Submission> whole = jobs.submission(s->id);
    if (!whole) continue;
    std::shared_ptr<const OwnCourse> own;
    try {
      own = course.own_of(whole->variant);
    } catch (const ApiError &) {  // the other submissions are there all the same
      continue;
    }
    const course::Assignment &a = own ? own->assignment : course.assignment;
    for (const Part &part : whole->parts) {
      const course::Step *step = a.find_step(part.step);
      if (!step || part.record.empty()) continue;
      const grading::StepRecord record = grading::step_record_of(part.record);
      if (!record.performance) continue;
      const auto &problem = a.problem_of(part.step);
      const double rate =
          judge::rate_of(problem.work(record.performance->size), record.performance->seconds).median;
      plot.up = problem.rate_unit();
      report::Line &line = lines[part.step];
      line.label = part.step;
      line.points.emplace_back(number, rate);
    }
  }
  for (auto &[step, line] : lines) plot.lines.push_back(std::move(line));
  return plot.lines.empty() ? "" : report::plot_to_svg(plot);
}

}  // namespace

std::string session_in(std::string_view cookies) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    const std::string one = trimmed(cookies.substr(0, end));
    if (one.size() > cookie_name.size() && one.starts_with(cookie_name) && one[cookie_name.size()] == '=')
      return one.substr(cookie_name.size() + 1);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return "";
}

ApiResponse go_to(const std::string &path) {
  return {303, "text/html; charset=utf-8", "", {{"Location", path}}};
}

ApiResponse page_response(const ServicePage &page, int status) {
  return {status, "text/html; charset=utf-8", report::to_html(page), {}};
}

ApiResponse csv_response(const std::string &name, std::string text) {
  return {
      200,
      "text/csv; charset=utf-8",
      std::move(text),
      {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", percent_encoded(name, "-._"))}}};
}

std::string csrf_of(const std::string &session) {
  return batch::hash_of("a form of the session " + session);
}

std::string path_part(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

bool Pages::has(const std::string &path) {
  static const std::set<std::string> whole = {"/",        "/login",    "/logout",  "/queue",    "/upload",
                                              "/staff",   "/announce", "/points",  "/regrade",  "/tokens",
                                              "/consent", "/policy",   "/rescore", "/regrading"};
  return whole.contains(path) || path.starts_with("/submissions/") || path.starts_with("/students/") ||
         path.starts_with("/class/") || path.starts_with("/exams/") || path.starts_with("/variants/") ||
         path.starts_with("/regrading/") || GlancePages::has(path) || Workspace::has(path) ||
         DisputePages::has(path);
}

ApiResponse Pages::answer(const ApiRequest &request) {
  try {
    return visit(request);
  } catch (const ApiError &e) {
    if (Workspace::for_script(request))
      return json_response({{"error", e.message}, {"retry_after", e.retry_after}}, e.status);
    ServicePage page;
    page.title = "That did not work";
    page.menu = {{"Start", "/"}};
    page.sections = {{"", {e.message}, {}}};
    ApiResponse r = shown(page, e.status);
    if (e.retry_after > 0) r.headers.emplace_back("Retry-After", std::to_string(e.retry_after));
    return r;
  }
}

ApiResponse Pages::visit(const ApiRequest &request) {
  const std::string &path = request.path;
  if (request.method != "GET" && request.method != "POST")
    throw ApiError{405, "method_not_allowed", "Pages accept only GET and POST."};
  if (request.body.size() > most_form_bytes)  // files come as parts, and are not in the body
    throw ApiError{
        413, "too_large",
        fmt::format("This form has {} KiB as it was sent, and a form may have at most {}. Nothing was "
                    "saved: go back, and shorten it.",
                    (request.body.size() + 1023) >> 10, most_form_bytes >> 10)};
  if (path == "/login" && request.method == "POST") return log_in(request);
  if (auto asset = Workspace::asset(request)) return std::move(*asset);
  const std::optional<Person> person = people_.whose(request.session);
  if (!person) {
    if (path != "/" || !request.session.empty()) {
      ApiResponse r = go_to("/");
      if (!request.session.empty()) {
        note_wrong_token(shared_, request.peer);
        r.headers.emplace_back("Set-Cookie", cookie("", request.secure));
      }
      return r;
    }
    ServicePage page;
    page.title = "Log in";
    page.sections = {{"",
                      {"The course staff gave you a token. It identifies you, so keep it secret."},
                      {},
                      "",
                      "",
                      {{"/login", "Log in", {{PageField::Kind::password, "token", "Token", ""}}}}}};
    return shown(page);
  }
  const Visit visit{request, *person};
  if (request.method == "POST") {
    if (!equal_in_constant_time(visit.field("csrf"), csrf_of(request.session)))
      throw ApiError{
          403, "csrf",
          "This form does not belong to this page. Open the page again and send the form from there."};
    if (DisputePages::has(path)) return disputes(visit);
    return Workspace::has(path) ? workspace(visit) : change(visit);
  }
  if (Workspace::has(path)) return workspace(visit);
  if (DisputePages::has(path)) return disputes(visit);
  if (GlancePages::has(path) || (path == "/" && visit.staff()))
    return glance_.answer({request, *person, page(&visit, "")});
  if (path == "/") return history(visit, *person);
  if (path == "/queue") return queue(visit);
  if (path == "/staff") return staff(visit);
  if (path == "/policy") return policy(visit);
  if (path == "/rescore") return rescore_form(visit);
  if (path == "/regrading") return regrading(visit, "");
  if (path.starts_with("/regrading/")) return regrading(visit, path.substr(11));
  if (path == "/upload") {
    const auto found = request.query.find("assignment");
    return upload_form(visit, found == request.query.end() ? "" : found->second);
  }
  if (path.starts_with("/submissions/")) return submission(visit, path.substr(13));
  if (path.starts_with("/students/")) {
    need(visit, Role::ta);
    return history(visit, named(path.substr(10)));
  }
  if (path.starts_with("/class/")) return class_page(visit, path.substr(7));
  if (path.starts_with("/exams/")) return exam(visit, path.substr(7));
  if (path.starts_with("/variants/")) return variant(visit, path.substr(10));
  throw ApiError{404, "not_found", "There is no such page."};
}

ApiResponse Pages::workspace(const Visit &visit) {
  return Workspace(shared_, store_, jobs_).answer({visit.request, visit.person, page(&visit, "")});
}

ApiResponse Pages::disputes(const Visit &visit) {
  return disputes_.answer({visit.request, visit.person, page(&visit, "")});
}

ApiResponse Pages::log_in(const ApiRequest &request) {
  // Another site that logged a browser in would receive what its owner uploads there.
  if (comes_from_elsewhere(request))
    throw ApiError{403, "other_site",
                   "Another site sent this form. Open the service's own page and log in there."};
  const auto found = request.form.find("token");
  const std::string token = found == request.form.end() ? "" : trimmed(found->second);
  if (!people_.whose(token)) {
    note_wrong_token(shared_, request.peer);
    throw ApiError{401, "wrong_token",
                   "That token is not valid. Copy it again, or ask the course staff for another."};
  }
  ApiResponse r = go_to("/");
  r.headers.emplace_back("Set-Cookie", cookie(token, request.secure));
  return r;
}

ApiResponse Pages::change(const Visit &visit) {
  const std::string &path = visit.request.path;
  if (path == "/logout") {
    ApiResponse r = go_to("/");
    r.headers.emplace_back("Set-Cookie", cookie("", visit.request.secure));
    return r;
  }
  if (path == "/upload") return upload(visit);
  if (path == "/points") return give_points(visit);
  if (path == "/regrade") return regrade(visit);
  if (path == "/announce") return announce(visit);
  if (path == "/tokens") return tokens(visit);
  if (path == "/consent") return consent(visit);
  if (path == "/policy") return change_policy(visit);
  if (path == "/rescore") return rescore_preview(visit);
  if (path.starts_with("/exams/")) return change_exam(visit, path.substr(7));
  if (path.starts_with("/regrading/")) return change_regrading(visit, path.substr(11));
  throw ApiError{405, "method_not_allowed", "This page accepts no forms."};
}

const ServedCourse &Pages::course(const std::string &name) const {
  const auto found = shared_.courses.find(name);
  if (found == shared_.courses.end())
    throw ApiError{404, "no_such_assignment",
                   fmt::format("'{}' is not graded here. Graded here: {}.", for_json(name),
                               fmt::join(course_names(), ", "))};
  return found->second;
}

std::vector<std::string> Pages::course_names() const {
  std::vector<std::string> names;
  for (const auto &[name, course] : shared_.courses) names.push_back(name);
  return names;
}

Person Pages::named(const std::string &id) {
  const std::optional<Person> person = people_.find(id);
  if (!person) throw ApiError{404, "not_found", "There is no such person."};
  return *person;
}

void Pages::need(const Visit &visit, Role least) const {
  if (visit.person.role < least)
    throw ApiError{
        403, "role",
        fmt::format("This is for the role '{}'; you are '{}'.", name_of(least), name_of(visit.person.role))};
}

ServicePage Pages::page(const Visit *visit, const std::string &title) {
  ServicePage page;
  page.title = title;
  page.person =
      fmt::format("{}{}{}", visit->person.id, visit->person.name.empty() ? "" : ", " + visit->person.name,
                  visit->staff() ? fmt::format(" ({})", name_of(visit->person.role)) : "");
  page.menu = {{visit->staff() ? "Start" : "Submissions", "/"}, {"Upload", "/upload"}, {"Queue", "/queue"}};
  if (std::any_of(shared_.courses.begin(), shared_.courses.end(),
                  [](const auto &served) { return served.second.policy().workspace; }))
    page.menu.insert(page.menu.begin() + 1, {"Workspace", "/workspace"});
  for (const auto &[name, course] : shared_.courses)
    if (course.variants && course.variants->wrong().empty() && !opens_later(course.policy(), shared_.now()) &&
        !course.variant_of(visit->person).empty())
      page.menu.push_back({"Your variant of " + name, "/variants/" + path_part(name)});
  for (const auto &[name, course] : shared_.courses)
    for (const course::Step &exam : course.assignment.exams)
      page.menu.push_back({fmt::format("{} of {}", exam.title, name),
                           fmt::format("/exams/{}/{}", path_part(name), path_part(exam.id))});
  for (const auto &[name, course] : shared_.courses)
    if (visit->staff())
      page.menu.push_back({"Class of " + name, "/class/" + path_part(name) + "/class.html"});
    else if (course.policy().leaderboard != Board::off)
      page.menu.push_back({"Leaderboard of " + name, "/class/" + path_part(name) + "/leaderboard.html"});
  if (auto entry = disputes_.menu(visit->person)) page.menu.push_back(std::move(*entry));
  if (visit->staff()) {
    page.menu.push_back({"Staff", "/staff"});
    page.menu.push_back({"Other thresholds", "/rescore"});
    page.menu.push_back({"Grading again", "/regrading"});
  }
  if (visit->person.role == Role::instructor) page.menu.push_back({"Policy", "/policy"});
  for (const Announcement &a : orders_.announcements())
    page.announcements.push_back(fmt::format("{} ({})", a.text, time_text(a.at)));
  page.csrf = csrf_of(visit->request.session);
  return page;
}

ApiResponse Pages::shown(const ServicePage &page, int status) const {
  return page_response(page, status);
}

ApiResponse Pages::history(const Visit &visit, const Person &whose) {
  const bool own = whose.id == visit.person.id;
  ServicePage p = page(&visit, own ? "Your submissions" : "Submissions of " + whose.id);
  const auto asked = visit.request.query.find("before");
  std::int64_t before = 0;
  if (asked != visit.request.query.end())
    std::from_chars(asked->second.data(), asked->second.data() + asked->second.size(), before);
  const std::vector<Submission> all = jobs_.submissions_of(whose.id, "", most_in_history, before);
  if (own)
    if (auto answers = disputes_.unread(whose)) p.sections.push_back(std::move(*answers));
  PageTable table{
      before > 0 ? fmt::format("Submissions before {}, the newest first", before)
                 : fmt::format("The latest {} submissions, the newest first", most_in_history),
      {{"Submission"}, {"Received"}, {"Assignment"}, {"Steps"}, {"State"}, {"Verdict"}, {"Points", "", true}},
      {},
      "Nothing was submitted yet."};
  bool waiting = false;
  std::map<std::string, std::vector<score::Override>> by_hand;
  for (const Submission &s : all) {
    waiting |= !s.done();
    if (!by_hand.contains(s.assignment))
      by_hand[s.assignment] = points_by_hand(shared_.folder, s.assignment, whose.id);
    table.rows.push_back({{fmt::format("{}", s.id), fmt::format("/submissions/{}", s.id)},
                          {time_text(s.received)},
                          {s.assignment},
                          {steps_of(s)},
                          {state_of(s)},
                          {s.done() ? verdicts_of(s.id, jobs_) : ""},
                          {s.done() ? points_text(s, shared_, by_hand.at(s.assignment)) : "", "", true}});
  }
  if (all.size() == static_cast<std::size_t>(most_in_history))
    table.rows.push_back(
        {{"earlier ones",
          fmt::format("{}?before={}", own ? "/" : "/students/" + path_part(whose.id), all.back().id)},
         {},
         {},
         {},
         {},
         {},
         {}});
  p.sections.push_back({"", {}, std::move(table)});
  if (auto given = points_given(whose)) p.sections.push_back(std::move(*given));
  for (const auto &[name, served] : shared_.courses)
    if (std::string drawing = speed_over_time(served, all, jobs_); !drawing.empty())
      p.sections.push_back({"Speed of " + name, {}, {}, std::move(drawing)});
  if (own)
    if (auto name = name_on_leaderboards(whose)) p.sections.push_back(std::move(*name));
  if (visit.staff())
    if (auto outcomes = glance_.of_student(whose)) p.sections.push_back(std::move(*outcomes));
  if (!own)
    if (auto variants = variants_of(whose)) p.sections.push_back(std::move(*variants));
  if (!own)
    for (const auto &[name, served] : shared_.courses) {
      if (std::none_of(all.begin(), all.end(),
                       [&, &name = name](const Submission &s) { return s.assignment == name; }))
        continue;
      std::vector<std::string> steps;
      for (const course::Step &step : served.assignment.steps)
        if (!step.beyond) steps.push_back(step.id);
      const PageField student{PageField::Kind::hidden, "student", "", whose.id},
          assignment{PageField::Kind::hidden, "assignment", "", name};
      p.sections.push_back(
          {"Change " + name,
           {"Points by hand replace what was graded. The reason is kept with them."},
           {},
           "",
           "",
           {{"/points",
             "Give points",
             {student,
              assignment,
              {PageField::Kind::choice, "step", "Step", "", steps},
              {PageField::Kind::number, "points", "Points; empty to withdraw", "", {}, false},
              {PageField::Kind::text, "reason", "Reason", "", {}, false}}},
            {"/regrading/" + path_part(name),
             "Preview grading again",
             {student, {PageField::Kind::hidden, "what", "", "preview"}}},
            {"/regrade", "Grade again what counts", {student, assignment}}}});
    }
  ApiResponse r = shown(p);
  // Not while somebody of the staff fills in a form.
  if (waiting && own) r.headers.emplace_back("Refresh", fresh_after_seconds);
  return r;
}

ApiResponse Pages::submission(const Visit &visit, const std::string &rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string number = rest.substr(0, slash), part_of_it = rest.substr(slash);
  const std::int64_t id = whole_number(number).value_or(0);
  const std::optional<Submission> s = jobs_.submission(id);
  if (!s || (s->student != visit.person.id && !visit.staff()) || !shared_.courses.contains(s->assignment) ||
      (!part_of_it.empty() && part_of_it != "/report"))
    throw ApiError{404, "not_found", "There is no such submission of yours."};
  const ServedCourse &served = course(s->assignment);
  if (part_of_it == "/report") {
    if (!s->done()) return go_to(fmt::format("/submissions/{}", id));
    Rendered rendered(served, *s, device_of(jobs_, s->assignment),
                      reveals_hidden(served, visit.person, shared_.now()),
                      points_by_hand(shared_.folder, s->assignment, s->student));
    rendered.remark(remarks_on(store_, *s, rendered));
    const bool own = s->student == visit.person.id;
    return {200,
            "text/html; charset=utf-8",
            rendered.as("html", {}, sources_of(served, *s, jobs_), pseudonym(served, s->student),
                        own ? fmt::format("/submissions/{}", id) : ""),
            {}};
  }
  ServicePage p = page(&visit, fmt::format("Submission {}", id));
  PageSection section{"", {fmt::format("{}, received {}.", s->assignment, time_text(s->received))}, {}};
  if (!s->done()) {
    const auto order = shared_.queue(jobs_);
    const auto place =
        std::find_if(order->begin(), order->end(), [&](const Place &q) { return q.submission == id; });
    if (const std::string why = jobs_.why_waiting(*s); !why.empty())
      section.sentences.push_back(why);
    else if (place != order->end())
      section.sentences.push_back(
          fmt::format("{} ahead of it in the queue; it starts in about {:.0f} s. This page updates itself.",
                      place->ahead, std::ceil(place->wait_seconds)));
  }
  PageTable table{"Steps", {{"Step"}, {"State"}, {"Verdict"}, {"Points", "", true}}, {}, ""};
  const auto by_hand = points_by_hand(shared_.folder, s->assignment, s->student);
  for (const Part &part : s->parts)
    table.rows.push_back({{part.step},
                          {part.state == State::done      ? "graded"
                           : part.state == State::running ? part.phase.empty() ? "starting" : part.phase
                           : part.held()                  ? "waiting"
                                                          : "queued"},
                          {verdict_of(part)},
                          {part.state == State::done ? points_text(part, served, by_hand) : "", "", true}});
  section.table = std::move(table);
  p.sections.push_back(std::move(section));
  if (s->done()) {
    PageTable links{"Available reports", {{"Report"}, {"For"}}, {}, ""};
    links.rows = {{{"The whole report", fmt::format("/submissions/{}/report", id)}, {"a browser, or paper"}}};
    p.sections.push_back({"Report", {}, std::move(links)});
    Rendered rendered(served, *s, device_of(jobs_, s->assignment),
                      reveals_hidden(served, visit.person, shared_.now()),
                      points_by_hand(shared_.folder, s->assignment, s->student));
    rendered.remark(remarks_on(store_, *s, rendered));
    p.sections.back().text = rendered.as("text", {.in_page = true}, {});
    disputes_.put_on(p, visit.request, visit.person, *s, rendered);
  }
  ApiResponse r = shown(p);
  if (!s->done()) r.headers.emplace_back("Refresh", fresh_after_seconds);
  return r;
}

ApiResponse Pages::queue(const Visit &visit) {
  ServicePage p = page(&visit, "The queue");
  const auto order = shared_.queue(jobs_);
  PageTable table{"In the order in which they are graded",
                  {{"Place"}, {"Assignment"}, {"Step"}, {"Starts in", "", true}, {"Whose"}},
                  {},
                  "Nothing is waiting."};
  for (const Place &place : *order) {
    const bool shows = visit.staff() || place.student == visit.person.id;
    table.rows.push_back(
        {{fmt::format("{}", place.ahead + 1), shows ? fmt::format("/submissions/{}", place.submission) : ""},
         {place.assignment},
         {place.step},
         {fmt::format("{:.0f} s", place.wait_seconds), "", true},
         {shows ? place.student : ""}});
    if (table.rows.size() >= 200) break;
  }
  PageSection section{
      "", {fmt::format("{} waiting, {} running.", order->size(), jobs_.count(State::running))}, {}};
  for (const auto &[name, served] : shared_.courses)
    if (const std::string why = jobs_.why_waiting(name); !why.empty()) section.sentences.push_back(why);
  section.table = std::move(table);
  p.sections.push_back(std::move(section));
  ApiResponse r = shown(p);
  r.headers.emplace_back("Refresh", fresh_after_seconds);
  return r;
}

}  // namespace warpgrade::service
