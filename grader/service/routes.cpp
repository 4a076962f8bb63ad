// The routes of the service, and the OpenAPI document that describes them.
#include <nlohmann/json.hpp>

#include "service/api.hpp"

namespace warpgrade::service {

const std::vector<Route> &routes() {
  static const std::vector<Route> all = {
      {"GET", "/v1/about", "What this service is: version, version of the API, assignments", true},
      {"GET", "/openapi.json", "This document", true},
      {"GET", "/v1/me", "Who the token belongs to"},
      {"GET", "/v1/assignments", "The assignments, their steps and files, and whether they are open"},
      {"POST", "/v1/submissions",
       "Submits files of steps. Once this answers, nothing is lost. The same files again are the same "
       "submission"},
      {"GET", "/v1/submissions", "One's own submissions, the latest first; ?student= for TAs, ?assignment="},
      {"GET", "/v1/submissions/{id}",
       "How far a submission is: place in the queue, expected wait, what runs; then score and exit status"},
      {"GET", "/v1/submissions/{id}/report",
       "The report once it is done: ?format=text, json, junit or html; for text also color, verbose, quiet "
       "(1) and "
       "columns"},
      {"GET", "/v1/queue", "The queue in its order; only one's own submissions have names"},
      {"GET", "/v1/health", "What grades, and how long the queue is", false, Role::ta},
  };
  return all;
}

std::string openapi() {
  using Json = nlohmann::ordered_json;
  const auto response = [](const char *description) { return Json{{"description", description}}; };
  const Json error = {
      {"description", "What went wrong: {\"error\": {\"code\": ..., \"message\": a sentence}}"},
      {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
  Json paths = Json::object();
  for (const Route &route : routes()) {
    Json operation = {{"summary", route.summary}};
    if (!route.open) {
      operation["security"] = Json::array({{{"token", Json::array()}}});
      operation["x-least-role"] = name_of(route.least);
    }
    std::string path = route.path;
    if (path.find("{id}") != std::string::npos)
      operation["parameters"] = Json::array(
          {{{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "integer"}}}}});
    if (route.method == "POST")
      operation["requestBody"] = {
          {"required", true},
          {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Upload"}}}}}}}};
    operation["responses"] = {{"200", response("The answer")}, {"default", error}};
    if (route.method == "POST") operation["responses"]["201"] = response("Accepted, and on the disk");
    std::string method = route.method;
    for (char &c : method) c = static_cast<char>(c - 'A' + 'a');
    paths[path][method] = operation;
  }
  const Json text = {{"type", "string"}};
  const Json file = {{"type", "object"},
                     {"required", {"name", "base64"}},
                     {"properties", {{"name", text}, {"base64", text}}}};
  const Json document = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "Warpgrade service"}, {"version", std::to_string(api_version)}}},
      {"paths", paths},
      {"components",
       {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"schemas",
         {{"Upload",
           {{"type", "object"},
            {"required", {"assignment", "files"}},
            {"properties", {{"assignment", text}, {"files", {{"type", "array"}, {"items", file}}}}}}},
          {"Error",
           {{"type", "object"},
            {"properties",
             {{"error", {{"type", "object"}, {"properties", {{"code", text}, {"message", text}}}}}}}}}}}}}};
  return document.dump(1) + "\n";
}

}  // namespace warpgrade::service
