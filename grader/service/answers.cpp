#include "service/answers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "batch/bundle.hpp"
#include "service/api_error.hpp"
#include "service/disputes/dispute_pages.hpp"
#include "service/render.hpp"
#include "service/upload.hpp"

namespace warpgrade::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_listed = 200;

std::string_view word_of(State state) {
  return state == State::queued ? "queued" : state == State::running ? "running" : "done";
}

std::int64_t number_in(const std::string &text) {
  const std::int64_t number = whole_number(text).value_or(0);
  if (number <= 0) throw ApiError{404, "not_found", "There is no such submission of yours."};
  return number;
}

std::string query_of(const ApiRequest &r, const char *name, const char *otherwise = "") {
  const auto found = r.query.find(name);
  return found == r.query.end() ? otherwise : found->second;
}

struct Upload {
  std::string assignment;
  std::vector<StepText> steps;
};

/// What was uploaded, with each step's file and headers as one text.
Upload upload_of(const std::string &body,
                 const std::function<const ServedCourse &(const std::string &)> &course_named) {
  const auto bad = [](const std::string &why) { return ApiError{400, "bad_request", why}; };
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("assignment") || !json["assignment"].is_string() ||
      !json.contains("files") || !json["files"].is_array())
    throw bad(
        "Expected JSON: {\"assignment\": \"hw6\", \"files\": [{\"name\": \"...\", \"base64\": \"...\"}]}.");
  const course::Assignment &a = course_named(json["assignment"].get<std::string>()).assignment;
  if (json["files"].size() > most_files) throw bad(fmt::format("At most {} files are accepted.", most_files));
  std::map<std::string, std::string> files;
  for (const Json &file : json["files"]) {
    if (!file.is_object() || !file.contains("name") || !file["name"].is_string() ||
        !file.contains("base64") || !file["base64"].is_string())
      throw bad("Each file needs a name and its bytes: {\"name\": \"...\", \"base64\": \"...\"}.");
    const std::string name = file["name"].get<std::string>();
    std::optional<std::string> bytes = from_base64(file["base64"].get_ref<const std::string &>());
    if (!bytes) throw bad(fmt::format("{}: the bytes are not base64.", for_terminal(name.substr(0, 100))));
    if (!files.emplace(name, std::move(*bytes)).second)
      throw bad(fmt::format("{} appears twice.", for_terminal(name.substr(0, 100))));
  }
  return {a.name, steps_of_files(a, files)};
}

Json json_of(const Submission &s, const std::vector<Place> &queue) {
  Json json = {{"id", s.id}, {"assignment", s.assignment}, {"received", time_text(s.received)}};
  bool any_running = false;
  int ahead = -1;
  double wait = 0;
  Json steps = Json::array();
  for (const Part &part : s.parts) {
    Json step = {{"id", part.step}, {"state", word_of(part.state)}};
    if (part.state == State::running) {
      any_running = true;
      step["doing"] = for_json(part.phase.empty() ? "starting" : part.phase);
    }
    if (part.state == State::done) step["points"] = part.points;
    if (part.state == State::queued)
      for (const Place &place : queue)
        if (place.part == part.id) {
          step["ahead"] = place.ahead;
          if (ahead < 0) {
            ahead = place.ahead;
            wait = place.wait_seconds;
          }
        }
    steps.push_back(std::move(step));
  }
  json["state"] = s.done() ? "done" : any_running ? "running" : "queued";
  if (!s.done() && !any_running) {
    json["ahead"] = std::max(ahead, 0);
    json["wait_seconds"] = std::max(0.0, std::round(wait));
  }
  json["steps"] = std::move(steps);
  return json;
}

}  // namespace

ApiResponse json_response(const Json &json, int status) {
  // Strings from outside may be no UTF-8.
  return {status, "application/json", json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", {}};
}

ServedCourse &Context::course(const std::string &name) const {
  const auto found = shared.courses.find(name);
  if (found != shared.courses.end()) return found->second;
  std::vector<std::string> names;
  for (const auto &[known, course] : shared.courses) names.push_back(known);
  throw ApiError{
      404, "no_such_assignment",
      fmt::format("'{}' is not graded here. Graded here: {}.", for_json(name), fmt::join(names, ", "))};
}

Submission Context::own_submission() const {
  std::optional<Submission> s = jobs.submission(number_in(places.at(0)));
  if (!s || (s->student != person.id && person.role == Role::student) ||
      !shared.courses.contains(s->assignment))
    throw ApiError{404, "not_found", "There is no such submission of yours."};
  return std::move(*s);
}

namespace answers {

ApiResponse about(const Context &context) {
  Json assignments = Json::array();
  for (const auto &[name, course] : context.shared.courses) assignments.push_back(name);
  return json_response({{"service", "warpgrade"},
                        {"version", WARPGRADE_VERSION},
                        {"api", api_version},
                        {"assignments", assignments}});
}

ApiResponse document(const Context &) {
  return {200, "application/json", openapi(), {}};
}

ApiResponse me(const Context &context) {
  return json_response({{"id", for_json(context.person.id)},
                        {"name", for_json(context.person.name)},
                        {"role", name_of(context.person.role)}});
}

ApiResponse assignments(const Context &context) {
  Json list = Json::array();
  for (const auto &[name, course] : context.shared.courses) {
    Json one = {{"name", name}, {"title", course.assignment.title}};
    if (const std::string why = why_closed(course.policy(), context.shared.now()); !why.empty())
      one["closed"] = why;
    if (course.assignment.late && course.assignment.late->due)
      one["due"] = time_text(*course.assignment.late->due);
    Json steps = Json::array();
    for (const course::Step &step : course.assignment.steps)
      if (!step.beyond) steps.push_back({{"id", step.id}, {"title", step.title}, {"files", step.files()}});
    one["steps"] = steps;
    list.push_back(one);
  }
  return json_response({{"assignments", list}});
}

ApiResponse submit_files(const Context &context) {
  const Upload upload = upload_of(
      context.request.body, [&](const std::string &n) -> const ServedCourse & { return context.course(n); });
  const ServedCourse &course = context.course(upload.assignment);
  const Receipt receipt = submit(context.shared, context.jobs, course, context.person, upload.steps);
  const std::optional<Submission> s = context.jobs.submission(receipt.submission);
  Json json = json_of(*s, *context.shared.queue(context.jobs));
  json["known"] = receipt.known;
  return json_response(json, receipt.known ? 200 : 201);
}

ApiResponse submissions(const Context &context) {
  const std::string student = query_of(context.request, "student", context.person.id.c_str());
  if (student != context.person.id && context.person.role == Role::student)
    throw ApiError{403, "role", "You can see your own submissions only."};
  Json list = Json::array();
  const auto queue = context.shared.queue(context.jobs);
  const std::string before = query_of(context.request, "before");
  for (const Submission &s : context.jobs.submissions_of(student, query_of(context.request, "assignment"),
                                                         most_listed, before.empty() ? 0 : number_in(before)))
    list.push_back(json_of(s, *queue));
  return json_response({{"submissions", list}});
}

ApiResponse submission(const Context &context) {
  const Submission s = context.own_submission();
  Json json = json_of(s, *context.shared.queue(context.jobs));
  if (s.done()) {
    const ServedCourse &course = context.course(s.assignment);
    const Rendered rendered(course, s, device_of(context.jobs, s.assignment),
                            reveals_hidden(course, context.person, context.shared.now()),
                            points_by_hand(context.shared.folder, s.assignment, s.student));
    json["score"] = rendered.score().points;
    json["max_score"] = rendered.score().max_points;
    json["exit_status"] = rendered.exit_status();
  } else if (const std::string why = context.jobs.why_waiting(s); !why.empty()) {
    json["waiting_for"] = why;
  }
  return json_response(json);
}

ApiResponse report_of(const Context &context) {
  const Submission s = context.own_submission();
  if (!s.done()) throw ApiError{409, "not_done", "It is not graded yet."};
  const std::string format = query_of(context.request, "format", "text");
  static const std::map<std::string, std::string> types = {{"text", "text/plain; charset=utf-8"},
                                                           {"json", "application/json"},
                                                           {"junit", "application/xml"},
                                                           {"html", "text/html; charset=utf-8"}};
  if (!types.contains(format))
    throw ApiError{400, "bad_request", "format is one of: text, json, junit, html."};
  const ServedCourse &course = context.course(s.assignment);
  Rendered rendered(course, s, device_of(context.jobs, s.assignment),
                    reveals_hidden(course, context.person, context.shared.now()),
                    points_by_hand(context.shared.folder, s.assignment, s.student));
  rendered.remark(remarks_on(context.store, s, rendered));
  report::Style style{query_of(context.request, "color") == "1", query_of(context.request, "verbose") == "1",
                      query_of(context.request, "quiet") == "1"};
  const std::string columns = query_of(context.request, "columns", "80");
  std::from_chars(columns.data(), columns.data() + columns.size(), style.columns);
  const auto sources =
      format == "html" ? sources_of(course, s, context.jobs) : std::map<std::string, std::string>{};
  return {200, types.at(format), rendered.as(format, style, sources), {}};
}

ApiResponse queue(const Context &context) {
  const auto queue = context.shared.queue(context.jobs);
  Json list = Json::array();
  for (const Place &place : *queue) {
    Json one = {{"ahead", place.ahead},
                {"assignment", place.assignment},
                {"step", place.step},
                {"wait_seconds", std::round(place.wait_seconds)}};
    // Whose it is, only its owner and the staff see.
    if (place.student == context.person.id || context.person.role != Role::student) {
      one["submission"] = place.submission;
      one["student"] = for_json(place.student);
    }
    list.push_back(one);
    if (list.size() >= static_cast<std::size_t>(most_listed)) break;
  }
  return json_response(
      {{"queued", queue->size()}, {"running", context.jobs.count(State::running)}, {"queue", list}});
}

ApiResponse health(const Context &context) {
  Json graders = Json::array();
  for (const GraderState &g : context.jobs.graders())
    graders.push_back({{"assignment", g.assignment},
                       {"ready", g.ready},
                       {"detail", for_json(g.detail)},
                       {"device", g.device.empty() ? Json(nullptr) : Json::parse(g.device)},
                       {"slots", g.slots},
                       {"seconds_since_seen", context.shared.now() - g.seen}});
  return json_response({{"graders", graders},
                        {"queued", context.jobs.count(State::queued)},
                        {"running", context.jobs.count(State::running)}});
}

}  // namespace answers
}  // namespace warpgrade::service
