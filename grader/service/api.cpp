#include "service/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "batch/bundle.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/render.hpp"
#include "service/upload.hpp"

namespace warpgrade::service {

namespace {

using Json = nlohmann::ordered_json;

constexpr int most_listed = 200;

ApiResponse json_response(const Json &json, int status = 200) {
  // Strings from outside may be no UTF-8.
  return {status, "application/json", json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", {}};
}

ApiResponse error_response(const ApiError &e) {
  ApiResponse r = json_response({{"error", {{"code", e.code}, {"message", e.message}}}}, e.status);
  if (e.retry_after > 0) r.headers.emplace_back("Retry-After", std::to_string(e.retry_after));
  if (e.status == 401) r.headers.emplace_back("WWW-Authenticate", "Bearer");
  return r;
}

std::string_view word_of(State state) {
  return state == State::queued ? "queued" : state == State::running ? "running" : "done";
}

std::int64_t number_in(const std::string &text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0)
    throw ApiError{404, "not_found", "There is no such submission of yours."};
  return number;
}

std::string query_of(const ApiRequest &r, const char *name, const char *otherwise = "") {
  const auto found = r.query.find(name);
  return found == r.query.end() ? otherwise : found->second;
}

}  // namespace

std::shared_ptr<const std::vector<Place>> Shared::queue(Jobs &jobs) {
  const std::lock_guard lock(mutex_);
  const auto at = std::chrono::steady_clock::now();
  if (!queue_ || at - queue_read_ > std::chrono::milliseconds(500)) {
    queue_ = std::make_shared<const std::vector<Place>>(
        jobs.queue([this](const std::string &name) { return courses.contains(name); }));
    queue_read_ = at;
  }
  return queue_;
}

void note_wrong_token(Shared &shared, const std::string &peer) {
  const std::int64_t now = shared.now();
  if (const std::int64_t wait = shared.throttle.wait(peer, now); wait > 0)
    throw ApiError{429, "too_many_wrong_tokens",
                   fmt::format("Too many wrong tokens came from your address. Try again in {} s.", wait),
                   wait};
  shared.throttle.wrong(peer, now);
}

struct Api::Context {
  const ApiRequest &request;
  Person person;
  std::vector<std::string> places;  ///< what stands for the parts of the route in braces
  Shared &shared;
  Jobs &jobs;

  ServedCourse &course(const std::string &name) const {
    const auto found = shared.courses.find(name);
    if (found != shared.courses.end()) return found->second;
    std::vector<std::string> names;
    for (const auto &[known, course] : shared.courses) names.push_back(known);
    throw ApiError{
        404, "no_such_assignment",
        fmt::format("'{}' is not graded here. Graded here: {}.", for_json(name), fmt::join(names, ", "))};
  }

  /// Somebody else's looks the same as one that does not exist.
  Submission own_submission() const {
    std::optional<Submission> s = jobs.submission(number_in(places.at(0)));
    if (!s || (s->student != person.id && person.role == Role::student) ||
        !shared.courses.contains(s->assignment))
      throw ApiError{404, "not_found", "There is no such submission of yours."};
    return std::move(*s);
  }
};

namespace {

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

Api::Api(Shared &shared)
    : shared_(shared), store_(shared.folder, ServiceStore::Access::open), jobs_(store_), people_(store_) {}

ApiResponse Api::answer(const ApiRequest &request) {
  ApiResponse response;
  try {
    response = dispatch(request);
  } catch (const ApiError &e) {
    response = error_response(e);
  } catch (const batch::StoreError &e) {
    fmt::print(stderr, "{}\n", for_terminal(e.what()));
    response = error_response(
        {503, "store", "The service cannot reach its store at the moment. Nothing was lost; try again.", 10});
  } catch (const std::exception &e) {
    fmt::print(stderr, "{} {}: {}\n", for_terminal(request.method), for_terminal(request.path),
               for_terminal(e.what()));
    response =
        error_response({500, "internal", "The service failed, which is not your fault. Its log says why."});
  }
  response.headers.emplace_back("Warpgrade-Api", std::to_string(api_version));
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  // With "no-referrer", a browser would not say that our own forms come from us.
  response.headers.emplace_back("Referrer-Policy", "same-origin");
  response.headers.emplace_back("X-Frame-Options", "DENY");
  // A page says itself what it may run and request; nothing else of the service may do anything in a browser.
  response.headers.emplace_back("Content-Security-Policy",
                                response.type.starts_with("text/html")
                                    ? "frame-ancestors 'none'; object-src 'none'; base-uri 'none'"
                                    : "default-src 'none'; frame-ancestors 'none'");
  return response;
}

std::string Api::version_of(const std::string &topic) {
  return Pages(shared_, store_, jobs_, people_).version_of(topic);
}

namespace {

bool fits(const std::string &pattern, const std::string &path, std::vector<std::string> &places) {
  places.clear();
  std::size_t p = 0, at = 0;
  while (p < pattern.size()) {
    if (pattern[p] != '{') {
      if (at >= path.size() || path[at++] != pattern[p++]) return false;
      continue;
    }
    p = pattern.find('}', p) + 1;
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end == at) return false;
    places.push_back(path.substr(at, end - at));
    at = end;
  }
  return at == path.size();
}

}  // namespace

ApiResponse Api::dispatch(const ApiRequest &request) {
  if (request.path.size() > most_path_bytes) throw ApiError{414, "path_too_long", "The path is too long."};
  if (request.body.size() > most_body_bytes)
    throw ApiError{413, "too_large",
                   fmt::format("A request may have at most {} MiB.", most_body_bytes >> 20)};
  if (!request.client_api.empty() && request.client_api != std::to_string(api_version)) {
    const bool newer = request.client_api.size() > 3 || std::atoi(request.client_api.c_str()) > api_version;
    throw ApiError{newer ? 501 : 426, newer ? "server_older" : "client_older",
                   newer ? "This server is older than your ./grade. Ask the course to update it."
                         : "Your ./grade is older than this server accepts. Get the course's current kit."};
  }
  if (Pages::has(request.path)) return Pages(shared_, store_, jobs_, people_).answer(request);
  std::vector<std::string> places;
  const Route *route = nullptr;
  bool path_known = false;
  for (const Route &r : routes()) {
    if (!fits(r.path, request.path, places)) continue;
    path_known = true;
    if (r.method != request.method) continue;
    route = &r;
    break;
  }
  if (!route && path_known)
    throw ApiError{405, "method_not_allowed",
                   "This path does not accept that method; /openapi.json says which."};
  if (!route) throw ApiError{404, "no_such_path", "There is no such path; /openapi.json lists them."};
  Context context{request, {}, places, shared_, jobs_};
  if (!route->open) {
    const std::optional<Person> person = people_.whose(request.token);
    if (!person) {
      if (!request.token.empty()) note_wrong_token(shared_, request.peer);
      throw ApiError{
          401, request.token.empty() ? "no_token" : "wrong_token",
          request.token.empty()
              ? "This needs a token: './grade login URL' asks for it."
              : "The token is not valid, or no longer valid: './grade login URL' asks for a new one."};
    }
    context.person = *person;
    if (person->role < route->least)
      throw ApiError{403, "role",
                     fmt::format("This is for the role '{}'; you are '{}'.", name_of(route->least),
                                 name_of(person->role))};
  }

  const auto is = [&](const char *method, const char *path) {
    return route->method == method && route->path == path;
  };
  if (is("GET", "/v1/about")) {
    Json assignments = Json::array();
    for (const auto &[name, course] : shared_.courses) assignments.push_back(name);
    return json_response({{"service", "warpgrade"},
                          {"version", WARPGRADE_VERSION},
                          {"api", api_version},
                          {"assignments", assignments}});
  }
  if (is("GET", "/openapi.json")) return {200, "application/json", openapi(), {}};
  if (is("GET", "/v1/me"))
    return json_response({{"id", for_json(context.person.id)},
                          {"name", for_json(context.person.name)},
                          {"role", name_of(context.person.role)}});
  if (is("GET", "/v1/assignments")) {
    Json list = Json::array();
    for (const auto &[name, course] : shared_.courses) {
      Json one = {{"name", name}, {"title", course.assignment.title}};
      if (const std::string why = why_closed(course.policy(), shared_.now()); !why.empty())
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
  if (is("POST", "/v1/submissions")) {
    const Upload upload = upload_of(
        request.body, [&](const std::string &n) -> const ServedCourse & { return context.course(n); });
    const ServedCourse &course = context.course(upload.assignment);
    const Receipt receipt = submit(shared_, jobs_, course, context.person, upload.steps);
    const std::optional<Submission> s = jobs_.submission(receipt.submission);
    Json json = json_of(*s, *shared_.queue(jobs_));
    json["known"] = receipt.known;
    return json_response(json, receipt.known ? 200 : 201);
  }
  if (is("GET", "/v1/submissions")) {
    const std::string student = query_of(request, "student", context.person.id.c_str());
    if (student != context.person.id && context.person.role == Role::student)
      throw ApiError{403, "role", "You can see your own submissions only."};
    Json list = Json::array();
    const auto queue = shared_.queue(jobs_);
    const std::string before = query_of(request, "before");
    for (const Submission &s : jobs_.submissions_of(student, query_of(request, "assignment"), most_listed,
                                                    before.empty() ? 0 : number_in(before)))
      list.push_back(json_of(s, *queue));
    return json_response({{"submissions", list}});
  }
  if (is("GET", "/v1/submissions/{id}")) {
    const Submission s = context.own_submission();
    Json json = json_of(s, *shared_.queue(jobs_));
    if (s.done()) {
      const ServedCourse &course = context.course(s.assignment);
      const Rendered rendered(course, s, device_of(jobs_, s.assignment),
                              reveals_hidden(course, context.person, shared_.now()),
                              points_by_hand(shared_.folder, s.assignment, s.student));
      json["score"] = rendered.score().points;
      json["max_score"] = rendered.score().max_points;
      json["exit_status"] = rendered.exit_status();
    } else if (const std::string why = jobs_.why_waiting(s.assignment); !why.empty()) {
      json["waiting_for"] = why;
    }
    return json_response(json);
  }
  if (is("GET", "/v1/submissions/{id}/report")) {
    const Submission s = context.own_submission();
    if (!s.done()) throw ApiError{409, "not_done", "It is not graded yet."};
    const std::string format = query_of(request, "format", "text");
    static const std::map<std::string, std::string> types = {{"text", "text/plain; charset=utf-8"},
                                                             {"json", "application/json"},
                                                             {"junit", "application/xml"},
                                                             {"html", "text/html; charset=utf-8"}};
    if (!types.contains(format))
      throw ApiError{400, "bad_request", "format is one of: text, json, junit, html."};
    const ServedCourse &course = context.course(s.assignment);
    const Rendered rendered(course, s, device_of(jobs_, s.assignment),
                            reveals_hidden(course, context.person, shared_.now()),
                            points_by_hand(shared_.folder, s.assignment, s.student));
    report::Style style{query_of(request, "color") == "1", query_of(request, "verbose") == "1",
                        query_of(request, "quiet") == "1"};
    const std::string columns = query_of(request, "columns", "80");
    std::from_chars(columns.data(), columns.data() + columns.size(), style.columns);
    const auto sources =
        format == "html" ? sources_of(course, s, jobs_) : std::map<std::string, std::string>{};
    return {200, types.at(format), rendered.as(format, style, sources), {}};
  }
  if (is("GET", "/v1/queue")) {
    const auto queue = shared_.queue(jobs_);
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
        {{"queued", queue->size()}, {"running", jobs_.count(State::running)}, {"queue", list}});
  }
  if (is("GET", "/v1/health")) {
    Json graders = Json::array();
    for (const GraderState &g : jobs_.graders())
      graders.push_back({{"assignment", g.assignment},
                         {"ready", g.ready},
                         {"detail", for_json(g.detail)},
                         {"device", g.device.empty() ? Json(nullptr) : Json::parse(g.device)},
                         {"slots", g.slots},
                         {"seconds_since_seen", shared_.now() - g.seen}});
    return json_response({{"graders", graders},
                          {"queued", jobs_.count(State::queued)},
                          {"running", jobs_.count(State::running)}});
  }
  throw ApiError{500, "internal", "This path is listed but has no handler."};
}

}  // namespace warpgrade::service
