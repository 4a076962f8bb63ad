// A service as browsers of a student, another one, a TA and an instructor see it, without a network.
#pragma once

#include "service/pages.hpp"
#include "tests/service/a_service.hpp"

namespace warpgrade::tests {

class Browser : public ::testing::Test, protected AService {
 protected:
  using Fields = std::map<std::string, std::string>;
  using ApiRequest = service::ApiRequest;
  using ApiResponse = service::ApiResponse;
  Browser() {
    shared.folder = folder.path();
    shared.now = [this] { return now; };
    const std::filesystem::path root = WARPGRADE_ROOT;
    service::ServedCourse course{root, root / "assignments/hw6", {}, {}};
    course.assignment = course::read_assignment(course.folder);
    shared.courses.emplace("hw6", std::move(course));
    api = std::make_unique<service::Api>(shared);
    people.add({"teacher", "", service::Role::instructor}, "the test", now);
    token = people.make_token("20261234", "the test", now);
    other = people.make_token("20265678", "the test", now);
    staff = people.make_token("assistant", "the test", now);
    teacher = people.make_token("teacher", "the test", now);
  }
  static ApiRequest request(const std::string &method, const std::string &path, const std::string &session) {
    ApiRequest r;
    r.method = method;
    r.path = path;
    r.session = session;
    r.peer = "192.0.2.1";
    return r;
  }
  ApiResponse get(const std::string &path, const std::string &session) {
    return api->answer(request("GET", path, session));
  }
  /// A form as the page of this session has it.
  ApiResponse send(const std::string &path, const std::string &session, Fields fields,
                   std::vector<std::pair<std::string, std::string>> files = {}) {
    ApiRequest r = request("POST", path, session);
    fields.emplace("csrf", service::csrf_of(session));
    r.form = std::move(fields);
    r.files = std::move(files);
    return api->answer(r);
  }
  static std::string header(const ApiResponse &r, const std::string &name) {
    for (const auto &[key, value] : r.headers)
      if (key == name) return value;
    return "";
  }
  std::string uploaded(const std::string &text = "text") {
    return header(send("/upload", token, {{"assignment", "hw6"}}, {{"step0_naive.cu", text}}), "Location");
  }

  void set_policy(const std::function<void(service::Policy &)> &change) {
    service::CurrentPolicy &current = shared.courses.at("hw6").policy;
    service::Policy policy = current();
    change(policy);
    current.set(policy);
  }
  service::Orders orders() { return service::Orders(store); }

  service::Shared shared;
  std::unique_ptr<service::Api> api;
  std::string token, other, staff, teacher;
};

}  // namespace warpgrade::tests
