// The routes of the service, and the OpenAPI document that describes them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "service/answers.hpp"

namespace warpgrade::service {

namespace {

using Json = nlohmann::ordered_json;

/// An object with these fields; those of `sometimes` may be missing.
Json object(Json fields, const std::vector<std::string> &sometimes = {}) {
  Json required = Json::array();
  for (const auto &[name, type] : fields.items())
    if (std::find(sometimes.begin(), sometimes.end(), name) == sometimes.end()) required.push_back(name);
  return {{"type", "object"}, {"required", required}, {"properties", std::move(fields)}};
}

Json list_of(const Json &items) {
  return {{"type", "array"}, {"items", items}};
}

Json schema_named(const std::string &name) {
  return {{"$ref", "#/components/schemas/" + name}};
}

Json schemas() {
  const Json text = {{"type", "string"}}, number = {{"type", "number"}}, whole = {{"type", "integer"}},
             yes_or_no = {{"type", "boolean"}};
  const Json state = {{"type", "string"}, {"enum", {"queued", "running", "done"}}};
  const Json step_of_assignment = object({{"id", text}, {"title", text}, {"files", list_of(text)}});
  const Json step =
      object({{"id", text}, {"state", state}, {"doing", text}, {"points", number}, {"ahead", whole}},
             {"doing", "points", "ahead"});
  const Json place = object({{"ahead", whole},
                             {"assignment", text},
                             {"step", text},
                             {"wait_seconds", number},
                             {"submission", whole},
                             {"student", text}},
                            {"submission", "student"});
  const Json grader = object({{"assignment", text},
                              {"ready", yes_or_no},
                              {"detail", text},
                              {"device", {{"type", "object"}, {"nullable", true}}},
                              {"slots", whole},
                              {"seconds_since_seen", whole}});
  return {{"Upload",
           object({{"assignment", text}, {"files", list_of(object({{"name", text}, {"base64", text}}))}})},
          {"Error", object({{"error", object({{"code", text}, {"message", text}})}})},
          {"About",
           object({{"service", text}, {"version", text}, {"api", whole}, {"assignments", list_of(text)}})},
          {"Person", object({{"id", text}, {"name", text}, {"role", text}})},
          {"Assignments", object({{"assignments", list_of(object({{"name", text},
                                                                  {"title", text},
                                                                  {"closed", text},
                                                                  {"due", text},
                                                                  {"steps", list_of(step_of_assignment)}},
                                                                 {"closed", "due"}))}})},
          {"Submission",
           object({{"id", whole},
                   {"assignment", text},
                   {"received", text},
                   {"state", state},
                   {"known", yes_or_no},
                   {"ahead", whole},
                   {"wait_seconds", number},
                   {"waiting_for", text},
                   {"steps", list_of(step)},
                   {"score", number},
                   {"max_score", number},
                   {"exit_status", whole}},
                  {"known", "ahead", "wait_seconds", "waiting_for", "score", "max_score", "exit_status"})},
          {"Submissions", object({{"submissions", list_of(schema_named("Submission"))}})},
          {"Queue", object({{"queued", whole}, {"running", whole}, {"queue", list_of(place)}})},
          {"Health", object({{"graders", list_of(grader)}, {"queued", whole}, {"running", whole}})}};
}

Json json_content(const std::string &schema) {
  return {{"application/json", {{"schema", schema_named(schema)}}}};
}

}  // namespace

const std::vector<Route> &routes() {
  static const std::vector<Route> all = {
      {"GET",
       "/v1/about",
       answers::about,
       "What this service is: version, version of the API, assignments",
       "About",
       {},
       true},
      {"GET", "/openapi.json", answers::document, "This document", "", {}, true},
      {"GET", "/v1/me", answers::me, "Who the token belongs to", "Person"},
      {"GET", "/v1/assignments", answers::assignments,
       "The assignments, their steps and files, and whether they are open", "Assignments"},
      {"POST", "/v1/submissions", answers::submit_files,
       "Submits files of steps. The answer means that they are stored durably. The same files again are the "
       "same "
       "submission",
       "Submission"},
      {"GET",
       "/v1/submissions",
       answers::submissions,
       "Your submissions, the latest first",
       "Submissions",
       {{"assignment", "only those of this assignment"},
        {"student", "those of this student; for TAs"},
        {"before", "only those with a smaller id"}}},
      {"GET", "/v1/submissions/{id}", answers::submission,
       "The progress of a submission: place in the queue, expected wait, running case; then score and exit "
       "status",
       "Submission"},
      {"GET",
       "/v1/submissions/{id}/report",
       answers::report_of,
       "The report once it is done",
       "",
       {{"format", "text (the default), json, junit or html"},
        {"color", "1: with colours, for a terminal"},
        {"verbose", "1: with every case"},
        {"quiet", "1: the score alone"},
        {"columns", "the width of the text"}}},
      {"GET", "/v1/queue", answers::queue, "The queue in order; only your own submissions have names",
       "Queue"},
      {"GET",
       "/v1/health",
       answers::health,
       "The graders, and the length of the queue",
       "Health",
       {},
       false,
       Role::ta},
  };
  return all;
}

std::string openapi() {
  Json paths = Json::object();
  for (const Route &route : routes()) {
    Json operation = {{"summary", route.summary}};
    if (!route.open) {
      operation["security"] = Json::array({{{"token", Json::array()}}});
      operation["x-least-role"] = name_of(route.least);
    }
    Json parameters = Json::array();
    if (route.path.find("{id}") != std::string::npos)
      parameters.push_back(
          {{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "integer"}}}});
    for (const auto &[name, what] : route.query)
      parameters.push_back(
          {{"name", name}, {"in", "query"}, {"description", what}, {"schema", {{"type", "string"}}}});
    if (!parameters.empty()) operation["parameters"] = std::move(parameters);
    if (route.method == "POST")
      operation["requestBody"] = {{"required", true}, {"content", json_content("Upload")}};
    Json answer = {{"description", "The answer"}};
    if (!route.answer.empty()) answer["content"] = json_content(route.answer);
    operation["responses"] = {{"200", answer}};
    if (route.method == "POST") {
      answer["description"] = "Accepted, and stored on the disk";
      operation["responses"]["201"] = answer;
    }
    operation["responses"]["default"] = {{"description", "What went wrong; the message is a sentence"},
                                         {"content", json_content("Error")}};
    std::string method = route.method;
    for (char &c : method) c = static_cast<char>(c - 'A' + 'a');
    paths[route.path][method] = operation;
  }
  const Json document = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "Warpgrade service"}, {"version", std::to_string(api_version)}}},
      {"paths", paths},
      {"components",
       {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}, {"schemas", schemas()}}}};
  return document.dump(1) + "\n";
}

}  // namespace warpgrade::service
