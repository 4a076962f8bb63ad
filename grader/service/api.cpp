#include "service/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "service/answers.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"

namespace warpgrade::service {

namespace {

using Json = nlohmann::ordered_json;

ApiResponse error_response(const ApiError &e) {
  ApiResponse r = json_response({{"error", {{"code", e.code}, {"message", e.message}}}}, e.status);
  if (e.retry_after > 0) r.headers.emplace_back("Retry-After", std::to_string(e.retry_after));
  if (e.status == 401) r.headers.emplace_back("WWW-Authenticate", "Bearer");
  return r;
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
  if (std::none_of(response.headers.begin(), response.headers.end(),
                   [](const auto &h) { return h.first == "Cache-Control"; }))
    response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  // With "no-referrer", a browser would not say that our own forms come from us.
  response.headers.emplace_back("Referrer-Policy", "same-origin");
  response.headers.emplace_back("X-Frame-Options", response.framed ? "SAMEORIGIN" : "DENY");
  const std::string ancestors = response.framed ? "frame-ancestors 'self'" : "frame-ancestors 'none'";
  // A page says itself what it may run and request; nothing else of the service may do anything in a browser.
  response.headers.emplace_back("Content-Security-Policy",
                                response.type.starts_with("text/html")
                                    ? ancestors + "; object-src 'none'; base-uri 'none'"
                                    : "default-src 'none'; " + ancestors);
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
  Context context{request, {}, places, shared_, jobs_, store_};
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
  return route->answers(context);
}

}  // namespace warpgrade::service
