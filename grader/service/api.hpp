// What the service answers: from a request to a response, as data. Knows nothing of sockets, so that tests
// and the fuzzer call it directly; http/ connects it to the network. One of these serves one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "remote/protocol.hpp"
#include "service/jobs.hpp"
#include "service/own_variants.hpp"
#include "service/people.hpp"
#include "service/policy.hpp"
#include "service/throttle.hpp"

namespace warpgrade::service {

using remote::api_version;
inline constexpr std::size_t most_body_bytes = 4 << 20, most_path_bytes = 512;
/// Of the fields of a form as they are sent, where a Korean syllable takes nine: the longest are a policy and thresholds.
inline constexpr std::size_t most_form_bytes = 256 << 10;

struct ApiRequest {
  std::string method, path;                                ///< the path decoded, without the query
  std::map<std::string, std::string> query;                ///< decoded
  std::string token;                                       ///< of "Authorization: Bearer"
  std::string client_api;                                  ///< header Warpgrade-Api; empty: none
  std::string body, peer;                                  ///< the address of the client
  std::string session;                                     ///< of the cookie; pages alone look at it
  bool secure = false;                                     ///< the proxy says that the client uses TLS
  std::string host, origin, site;                          ///< Host, Origin and Sec-Fetch-Site, as they came
  std::map<std::string, std::string> form;                 ///< decoded fields of a form
  std::vector<std::pair<std::string, std::string>> files;  ///< of a form: name and bytes
  std::string field(const char *name) const { return of(form, name); }   ///< of the form; empty: it has none
  std::string asked(const char *name) const { return of(query, name); }  ///< of the address, likewise

 private:
  static std::string of(const std::map<std::string, std::string> &values, const char *name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  }
};

struct ApiResponse {
  int status = 200;
  std::string type = "application/json", body;
  std::vector<std::pair<std::string, std::string>> headers;
  /// Of an event stream, which begins with `body` and goes on for as long as the client listens.
  struct Stream {
    std::string topic, version, person;  ///< for Api::version_of; as in `body`; who listens
  };
  std::optional<Stream> stream = {};
  bool framed = false;  ///< a page of this service may show it within itself
};

/// An assignment that is served.
struct ServedCourse {
  std::filesystem::path root, folder;  ///< of the course; of the assignment's YAML
  course::Assignment assignment;
  CurrentPolicy policy;
  std::shared_ptr<const OwnVariants> variants = {};  ///< null: it has none
  /// The name of a person's variant; empty: the files as they are.
  std::string variant_of(const Person &person) const { return variants ? variants->of(person) : ""; }
  /// Null for the files as they are. gpu  its name, or "none". Throws ApiError where the variant cannot be read, and
  /// UsageError where the assignment has none any more.
  std::shared_ptr<const OwnCourse> own_of(const std::string &variant, const std::string &gpu = "none") const;
};

/// What all threads share.
struct Shared {
  std::filesystem::path folder;  ///< of the service
  std::map<std::string, ServedCourse> courses;
  std::function<std::int64_t()> now;
  Throttle throttle;
  /// The order of the queue, at most half a second old: many clients ask for their places at the same time.
  std::shared_ptr<const std::vector<Place>> queue(Jobs &);
  /// A page of a class as it was drawn last: drawing reads every student, and many may ask for it.
  struct Drawn {
    std::chrono::steady_clock::time_point at;
    std::chrono::steady_clock::duration took{};
    std::string drawn_from;     ///< changes with what a page shows
    std::string html, version;  ///< of a leaderboard: two that differ have different versions
  };
  std::mutex drawing;                  ///< held while a page of a class is drawn
  std::map<std::string, Drawn> drawn;  ///< by path, under `drawing`
  std::mutex writing;  ///< of the threads of this process one writes at a time; SQLite would have them poll

 private:
  std::mutex mutex_;
  std::shared_ptr<const std::vector<Place>> queue_;
  std::chrono::steady_clock::time_point queue_read_;
};

struct Context;

/// A route as the OpenAPI document and the dispatcher know it.
struct Route {
  std::string method, path;  ///< "/v1/submissions/{id}"
  ApiResponse (*answers)(const Context &);
  std::string summary;
  std::string answer = {};  ///< the schema of what it answers; empty: not JSON, or this document
  std::vector<std::pair<std::string, std::string>> query = {};  ///< names, and what each does
  bool open = false;                                            ///< needs no token
  Role least = Role::student;
};
const std::vector<Route> &routes();
/// The OpenAPI document, made of routes().
std::string openapi();

class Api {
 public:
  explicit Api(Shared &);
  /// Never throws.
  ApiResponse answer(const ApiRequest &);
  /// What the listeners of a stream's topic should know. Throws ApiError, batch::StoreError.
  std::string version_of(const std::string &topic);

 private:
  ApiResponse dispatch(const ApiRequest &);
  Shared &shared_;
  ServiceStore store_;
  Jobs jobs_;
  People people_;
};

}  // namespace warpgrade::service
