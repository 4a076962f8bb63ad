// What the service answers to requests, hostile ones included, without a network.
#include "service/api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/base64.hpp"
#include "grading/record_json.hpp"
#include "tests/service/a_service.hpp"

namespace warpgrade::service {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class Service : public ::testing::Test, protected tests::AService {
 protected:
  Service() {
    shared.folder = folder.path();
    shared.now = [this] { return now; };
    const std::filesystem::path root = WARPGRADE_ROOT;
    ServedCourse course{root, root / "assignments/hw6", {}, {}};
    course.assignment = course::read_assignment(course.folder);
    shared.courses.emplace("hw6", std::move(course));
    api = std::make_unique<Api>(shared);
    token = people.make_token("20261234", "the test", now);
    other = people.make_token("20265678", "the test", now);
    staff = people.make_token("assistant", "the test", now);
  }
  void set_policy(const std::function<void(Policy &)> &change) {
    CurrentPolicy &current = shared.courses.at("hw6").policy;
    Policy policy = current();
    change(policy);
    current.set(policy);
  }
  ApiResponse get(const std::string &path, const std::string &with) {
    ApiRequest r;
    r.method = "GET";
    const std::size_t question = path.find('?');
    r.path = path.substr(0, question);
    for (std::size_t at = question; at < path.size();) {
      const std::size_t equal = path.find('=', at), end = std::min(path.find('&', equal), path.size());
      r.query[path.substr(at + 1, equal - at - 1)] = path.substr(equal + 1, end - equal - 1);
      at = end;
    }
    r.token = with;
    r.peer = "192.0.2.1";
    return api->answer(r);
  }
  ApiResponse post(const std::string &body, const std::string &with) {
    ApiRequest r;
    r.method = "POST";
    r.path = "/v1/submissions";
    r.body = body;
    r.token = with;
    r.peer = "192.0.2.1";
    return api->answer(r);
  }
  static std::string upload(const std::string &name, const std::string &text) {
    return Json{{"assignment", "hw6"}, {"files", {{{"name", name}, {"base64", base64(text)}}}}}.dump();
  }
  static std::string code(const ApiResponse &r) {
    const Json json = Json::parse(r.body, nullptr, false);
    return json.is_object() && json.contains("error") ? json["error"].value("code", "") : "";
  }
  std::int64_t submitted() {
    return Json::parse(post(upload("step0_naive.cu", "text"), token).body)["id"].get<std::int64_t>();
  }

  Shared shared;
  std::unique_ptr<Api> api;
  std::string token, other, staff;
};

TEST_F(Service, AcceptsASubmissionOnceAndSaysItsPlace) {
  const ApiResponse first = post(upload("step0_naive.cu", "text"), token),
                    again = post(upload("step0_naive.cu", "text"), token);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 200);
  const Json a = Json::parse(first.body), b = Json::parse(again.body);
  EXPECT_EQ(a["id"], b["id"]);
  EXPECT_FALSE(a["known"].get<bool>());
  EXPECT_TRUE(b["known"].get<bool>());
  EXPECT_EQ(a["state"], "queued");
  EXPECT_EQ(a["ahead"], 0);
}

TEST_F(Service, GivesTheReportAndTheExitStatusOnceItIsGraded) {
  const std::string path = "/v1/submissions/" + std::to_string(submitted());
  EXPECT_EQ(code(get(path + "/report?format=text", token)), "not_done");
  ASSERT_EQ(next(), "20261234");
  grading::StepRecord record = tests::record("step0", judge::Verdict::wrong_answer);
  jobs.finish(claimed.part, grading::to_json(record), 0, 1, "conditions");
  const Json done = Json::parse(get(path, token).body);
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["exit_status"], 1);
  EXPECT_THAT(get(path + "/report?format=text", token).body, HasSubstr("Score: 0/"));
  EXPECT_EQ(Json::parse(get(path + "/report?format=json", token).body)["score"], 0);
  EXPECT_THAT(get(path + "/report?format=html", token).body, HasSubstr("<html"));
  EXPECT_THAT(get(path + "/report?format=junit", token).body, HasSubstr("<testsuite"));
  EXPECT_EQ(get(path + "/report?format=exe", token).status, 400);
}

TEST_F(Service, AFailureOfTheGraderIsNotTheStudents) {
  const std::string path = "/v1/submissions/" + std::to_string(submitted());
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::grader_error)), 0, 1, "");
  EXPECT_EQ(Json::parse(get(path, token).body)["exit_status"], 3);
}

TEST_F(Service, AnotherStudentsSubmissionLooksLikeOneThatDoesNotExist) {
  const std::string path = "/v1/submissions/" + std::to_string(submitted());
  const ApiResponse theirs = get(path, other), nobodys = get("/v1/submissions/999999", other);
  EXPECT_EQ(theirs.status, 404);
  EXPECT_EQ(theirs.body, nobodys.body);
  EXPECT_EQ(get(path + "/report?format=html", other).status, 404);
  EXPECT_EQ(get(path, staff).status, 200);
  EXPECT_EQ(code(get("/v1/submissions?student=20261234", other)), "role");
  EXPECT_EQ(get("/v1/submissions?student=20261234", staff).status, 200);
}

TEST_F(Service, TheQueueNamesNoOtherStudent) {
  submitted();
  EXPECT_THAT(get("/v1/queue", token).body, HasSubstr("20261234"));
  EXPECT_THAT(get("/v1/queue", other).body, ::testing::Not(HasSubstr("20261234")));
}

TEST_F(Service, WithoutAValidTokenNothingIsRevealedAndGuessingIsSlowedDown) {
  for (const Route &route : routes()) {
    ApiRequest r;
    r.method = route.method;
    r.path = route.path == "/v1/submissions/{id}" ? "/v1/submissions/1" : route.path;
    r.peer = "192.0.2.9";
    EXPECT_EQ(api->answer(r).status, route.open ? 200 : 401) << route.method << " " << route.path;
  }
  for (std::size_t i = 0; i < Throttle::tries; ++i) EXPECT_EQ(get("/v1/me", token + "x").status, 401);
  EXPECT_EQ(get("/v1/me", token + "x").status, 429);
  EXPECT_EQ(get("/v1/me", token).status, 200) << "others behind the same address go on";
  now += Throttle::seconds + 1;
  EXPECT_EQ(get("/v1/me", token + "x").status, 401);
}

TEST_F(Service, ARoleThatIsTooLowIsRefused) {
  EXPECT_EQ(code(get("/v1/health", token)), "role");
  EXPECT_EQ(get("/v1/health", staff).status, 200);
}

TEST_F(Service, AClientOfAnotherVersionGetsInstructions) {
  ApiRequest r;
  r.method = "GET";
  r.path = "/v1/about";
  r.client_api = "0";
  EXPECT_THAT(api->answer(r).body, HasSubstr("older than this server"));
  r.client_api = "999999999999999999999";
  EXPECT_THAT(api->answer(r).body, HasSubstr("This server is older"));
}

TEST_F(Service, ADeadlineClosesItForStudentsAndNotForStaff) {
  set_policy([&](Policy &p) { p.closes = now; });
  EXPECT_EQ(code(post(upload("step0_naive.cu", "text"), token)), "closed");
  EXPECT_EQ(post(upload("step0_naive.cu", "text"), staff).status, 201);
}

TEST_F(Service, RefusalsSayWhenToTryAgain) {
  set_policy([](Policy &p) { p.quota.queued = 1; });
  submitted();
  const ApiResponse r = post(upload("step0_naive.cu", "another"), token);
  EXPECT_EQ(r.status, 429);
  EXPECT_TRUE(std::any_of(r.headers.begin(), r.headers.end(),
                          [](const auto &h) { return h.first == "Retry-After"; }));
}

TEST_F(Service, UploadsThatAreNotSubmissionsAreRefusedInWords) {
  const auto refused = [&](const std::string &body, int status, const std::string &words) {
    const ApiResponse r = post(body, token);
    EXPECT_EQ(r.status, status) << body.substr(0, 200);
    EXPECT_THAT(r.body, HasSubstr(words)) << body.substr(0, 200);
  };
  refused("", 400, "Expected JSON");
  refused("{", 400, "Expected JSON");
  refused("[1]", 400, "Expected JSON");
  refused(R"({"assignment": 6, "files": []})", 400, "Expected JSON");
  refused(R"({"assignment": "hw6", "files": {}})", 400, "Expected JSON");
  refused(R"({"assignment": "hw6", "files": []})", 400, "no file");
  refused(R"({"assignment": "hw6", "files": [7]})", 400, "needs a name");
  refused(R"({"assignment": "hw6", "files": [{"name": "step0_naive.cu", "base64": "?"}]})", 400,
          "not base64");
  refused(R"({"assignment": "../../etc", "files": []})", 404, "not graded here");
  for (const char *name :
       {"../step0_naive.cu", "/etc/passwd", "Makefile", "step0_naive.cu\r\nX: y", "<script>", ""})
    refused(upload(name, "x"), 400, "is not a file of hw6");
  refused(upload("step0_naive.cu", std::string((1 << 20) + 1, 'x')), 413, "may have");
  refused(std::string(most_body_bytes + 1, ' '), 413, "MiB");
  refused(Json{{"assignment", "hw6"}, {"files", std::vector<int>(65, 1)}}.dump(), 400, "At most");
  EXPECT_TRUE(jobs.queue().empty());
}

TEST_F(Service, DeepJsonEndsARequestAndNotTheService) {
  for (const char *open : {"[", "{\"a\":"}) {
    std::string body;
    while (body.size() < most_body_bytes - 10) body += open;
    EXPECT_EQ(post(body, token).status, 400);
  }
  EXPECT_EQ(get("/v1/me", token).status, 200);
}

TEST_F(Service, PathsThatAreNotListedAreNotFound) {
  for (const char *path :
       {"", "/v1", "/v1/submissions/", "/v1/submissions/1/", "/v1/submissions/../me", "/v1/submissions/-1",
        "/v1/submissions/1e3", "/v1/submissions/99999999999999999999", "/service.db", "//v1/me"})
    EXPECT_EQ(get(path, token).status, 404) << path;
  EXPECT_EQ(get("/" + std::string(most_path_bytes, 'a'), token).status, 414);
}

TEST_F(Service, RandomChangesToAnUploadNeverGetAnythingButAnAnswer) {
  std::mt19937_64 random(20261234);
  const std::string good = upload("step0_naive.cu", "text");
  for (int i = 0; i < 20'000; ++i) {
    std::string body = good;
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % (body.size() + 1);
      switch (random() % 4) {
        case 0:
          body.insert(at, 1, static_cast<char>(random()));
          break;
        case 1:
          body.erase(at, random() % 8);
          break;
        case 2:
          body.insert(
              at, std::string_view("{}[]\",:\\u0000nulltrue1e999").substr(random() % 20, 1 + random() % 6));
          break;
        default:
          if (at < body.size()) body[at] = static_cast<char>(random());
      }
    }
    const ApiResponse r = post(body, token);
    EXPECT_TRUE(r.status == 201 || r.status == 200 || r.status == 400 || r.status == 404 || r.status == 429)
        << r.status << " " << body;
    EXPECT_FALSE(Json::parse(r.body, nullptr, false).is_discarded()) << body;
  }
}

TEST_F(Service, ItsOpenApiDocumentListsEveryRoute) {
  const Json document = Json::parse(get("/openapi.json", "").body);
  for (const Route &route : routes()) EXPECT_TRUE(document["paths"].contains(route.path)) << route.path;
}

/// How JSON differs from a schema of the document; empty: it does not.
std::string differs(const Json &document, const Json &schema, const Json &json, const std::string &at) {
  if (schema.contains("$ref"))
    return differs(document, document[Json::json_pointer(schema["$ref"].get<std::string>().substr(1))], json,
                   at);
  const std::string type = schema["type"];
  const bool fits =
      (type == "object" && (json.is_object() || (json.is_null() && schema.contains("nullable")))) ||
      (type == "array" && json.is_array()) || (type == "string" && json.is_string()) ||
      (type == "boolean" && json.is_boolean()) || (type == "number" && json.is_number()) ||
      (type == "integer" && json.is_number_integer());
  if (!fits) return at + " is no " + type + "\n";
  std::string all;
  if (type == "array")
    for (const Json &item : json) all += differs(document, schema["items"], item, at + "[]");
  if (type != "object" || !schema.contains("properties")) return all;
  for (const Json &name : schema["required"])
    if (!json.contains(name.get<std::string>())) all += at + "." + name.get<std::string>() + " is missing\n";
  for (const auto &[name, value] : json.items())
    all += schema["properties"].contains(name)
               ? differs(document, schema["properties"][name], value, at + "." + name)
               : at + "." + name + " is not in the document\n";
  return all;
}

TEST_F(Service, AnswersHaveTheFieldsOfItsOpenApiDocument) {
  const Json document = Json::parse(get("/openapi.json", "").body);
  const auto check = [&](const std::string &route, const ApiResponse &r) {
    const Json &operation =
        document["paths"][route][route == "/v1/submissions" && r.status == 201 ? "post" : "get"];
    const Json &schema =
        operation["responses"][std::to_string(r.status)]["content"]["application/json"]["schema"];
    EXPECT_EQ(differs(document, schema, Json::parse(r.body), route), "") << r.body;
  };
  check("/v1/submissions", post(upload("step0_naive.cu", "text"), token));
  post(upload("step0_naive.cu", "waits"), other);
  check("/v1/submissions/{id}", get("/v1/submissions/2", other));
  ASSERT_EQ(next(), "20261234");
  jobs.phase(claimed.part, "building");
  check("/v1/submissions/{id}", get("/v1/submissions/1", token));
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::accepted)), 5, 1,
              "conditions");
  check("/v1/submissions/{id}", get("/v1/submissions/1", token));
  for (const char *path :
       {"/v1/about", "/v1/me", "/v1/assignments", "/v1/submissions", "/v1/queue", "/v1/health"})
    check(path, get(path, staff));
  check("/v1/queue", get("/v1/queue", other));
  check("/v1/submissions", get("/v1/submissions", token));
  jobs.announce({"hw6", false, "why", "", "conditions", 2, now});
  check("/v1/submissions/{id}", get("/v1/submissions/2", other));
}

}  // namespace
}  // namespace warpgrade::service
