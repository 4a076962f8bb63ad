// The pages of a service, as a browser requests them, without a network.
#include "service/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/zip.hpp"
#include "batch/store.hpp"
#include "grading/record_json.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ServicePages : public tests::Browser {};

TEST_F(ServicePages, ATokenLogsInOnceAndTheCookieIsOnlyForTheServer) {
  EXPECT_THAT(get("/", "").body, HasSubstr("type=\"password\""));
  ApiRequest login = request("POST", "/login", "");
  login.form = {{"token", " " + token + "\n"}};
  login.secure = true;
  const ApiResponse in = api->answer(login);
  EXPECT_EQ(in.status, 303);
  const std::string cookie = header(in, "Set-Cookie");
  EXPECT_THAT(cookie, HasSubstr("HttpOnly"));
  EXPECT_THAT(cookie, HasSubstr("SameSite=Strict"));
  EXPECT_THAT(cookie, HasSubstr("Secure"));
  EXPECT_EQ(session_in("a=b; " + cookie), token);
  EXPECT_THAT(get("/", token).body, HasSubstr("20261234"));
  people.revoke("20261234", "the test", now);
  EXPECT_EQ(header(get("/", token), "Location"), "/");
}

TEST_F(ServicePages, GuessingIsSlowedDownWhetherByTheFormOrByTheCookie) {
  for (std::size_t i = 0; i < Throttle::tries; ++i) {
    ApiRequest login = request("POST", "/login", "");
    login.form = {{"token", "wrong"}};
    EXPECT_EQ(api->answer(login).status, 401);
  }
  EXPECT_EQ(get("/", token + "x").status, 429);
  now += Throttle::seconds + 1;
  for (std::size_t i = 0; i < Throttle::tries; ++i) EXPECT_EQ(get("/", token + "x").status, 303);
  ApiRequest login = request("POST", "/login", "");
  login.form = {{"token", "wrong"}};
  EXPECT_EQ(api->answer(login).status, 429);
  login.form = {{"token", token}};
  EXPECT_EQ(api->answer(login).status, 303) << "others behind the same address go on";
  EXPECT_EQ(get("/", token).status, 200);
}

TEST_F(ServicePages, AnotherSiteCannotLogABrowserIn) {
  struct From {
    const char *host, *origin, *site;
  };
  const auto status = [&](const From &from) {
    ApiRequest login = request("POST", "/login", "");
    login.form = {{"token", token}};
    login.host = from.host;
    login.origin = from.origin;
    login.site = from.site;
    return api->answer(login).status;
  };
  for (const From &from : {From{"gpu.example.edu", "https://gpu.example.edu", "same-origin"},
                           {"gpu.example.edu", "https://gpu.example.edu", ""},
                           {"localhost", "https://localhost:8443", ""},
                           {"[::1]:8420", "http://[::1]:8420", ""},
                           {"gpu.example.edu", "", ""}})
    EXPECT_EQ(status(from), 303) << from.host << " " << from.origin << " " << from.site;
  for (const From &from : {From{"gpu.example.edu", "https://example.org", ""},
                           {"gpu.example.edu", "https://gpu.example.edu.example.org", ""},
                           {"gpu.example.edu", "https://example.org", "cross-site"},
                           {"gpu.example.edu", "https://other.example.edu", "same-site"},
                           {"gpu.example.edu", "null", ""},
                           {"[::1]:8420", "http://[::2]:8420", ""}})
    EXPECT_EQ(status(from), 403) << from.host << " " << from.origin << " " << from.site;
}

TEST_F(ServicePages, AHistoryReachesTheFirstSubmission) {
  quota = {0, 0, 1000, 1000};
  for (int i = 0; i < 101; ++i) submit("20261234", step("text " + std::to_string(i)));
  const std::string latest = get("/", token).body;
  EXPECT_THAT(latest, HasSubstr("\"/submissions/2\""));
  EXPECT_THAT(latest, Not(HasSubstr("\"/submissions/1\"")));
  EXPECT_THAT(latest, HasSubstr("\"/?before=2\""));
  ApiRequest earlier = request("GET", "/", token);
  earlier.query = {{"before", "2"}};
  const std::string first = api->answer(earlier).body;
  EXPECT_THAT(first, HasSubstr("\"/submissions/1\""));
  EXPECT_THAT(first, Not(HasSubstr("\"/submissions/2\"")));
  EXPECT_THAT(first, Not(HasSubstr("?before=")));
}

TEST_F(ServicePages, ASubmissionThatCannotBeGradedNowWaitsAndThePagesSaySo) {
  const std::string at = uploaded();
  jobs.announce({"hw6", false, "GPU 0000:01:00.0 is out", "", "conditions", 2, now});
  EXPECT_THAT(get(at, token).body, HasSubstr("hw6 cannot be graded at the moment"));
  EXPECT_THAT(get("/queue", token).body, HasSubstr("hw6 cannot be graded at the moment"));
  EXPECT_THAT(get(at, token).body, Not(HasSubstr("0000:01:00.0"))) << "why is for the staff";
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("cannot grade: GPU 0000:01:00.0 is out"));
  announce("conditions");
  EXPECT_THAT(get(at, token).body, HasSubstr("ahead of it in the queue"));
}

TEST_F(ServicePages, AFormOfAnotherSiteChangesNothing) {
  const auto before = jobs.submissions_of("20261234", "", 10).size();
  for (const Fields &fields : {Fields{{"csrf", ""}}, Fields{{"csrf", csrf_of(other)}}}) {
    for (const char *path : {"/upload", "/logout", "/points", "/regrade", "/announce", "/tokens", "/consent",
                             "/policy", "/rescore"}) {
      ApiRequest r = request("POST", path, teacher);
      r.form = fields;
      EXPECT_EQ(api->answer(r).status, 403) << path;
    }
  }
  EXPECT_EQ(jobs.submissions_of("20261234", "", 10).size(), before);
}

TEST_F(ServicePages, TheCookieIsNoKeyToTheInterfaceForPrograms) {
  EXPECT_EQ(get("/v1/me", token).status, 401);
}

TEST_F(ServicePages, TheArchiveThatPackageWritesIsASubmissionOfItsFiles) {
  const std::string packed =
      zip({{"step0_naive.cu", "text"}, {"report.pdf", "%PDF"}, {"benchmark.txt", "times"}});
  const auto upload = [&](std::vector<std::pair<std::string, std::string>> files) {
    return send("/upload", token, {{"assignment", "hw6"}}, std::move(files));
  };
  const std::string at = header(upload({{"20261234_HW6.zip", packed}}), "Location");
  ASSERT_THAT(at, ::testing::StartsWith("/submissions/"));
  EXPECT_EQ(uploaded("text"), at) << "the same file by itself";
  EXPECT_EQ(upload({{"20261234_HW6.zip", packed}, {"step0_naive.cu", "more"}}).status, 400);
  EXPECT_THAT(upload({{"20261234_HW6.zip", zip({{"benchmark.txt", "times"}})}}).body,
              HasSubstr("It contains no file."));
  for (const std::string &bad :
       {packed.substr(1), packed.substr(0, packed.size() - 1), std::string("PK"), std::string()})
    EXPECT_THAT(upload({{"20261234_HW6.zip", bad}}).body, HasSubstr("is not an archive that"));
  EXPECT_THAT(upload({{"20261234_HW6.zip", zip({{"step0_naive.cu", std::string(3 << 20, 'x')}})}}).body,
              HasSubstr("a file may have"));
}

TEST_F(ServicePages, AnUploadIsASubmissionAndIsReadWhereItLeads) {
  const std::string at = uploaded();
  ASSERT_THAT(at, ::testing::StartsWith("/submissions/"));
  EXPECT_EQ(uploaded(), at);  // the same files again
  const ApiResponse queued = get(at, token);
  EXPECT_THAT(queued.body, HasSubstr("ahead of it in the queue"));
  EXPECT_EQ(header(queued, "Refresh"), "3");
  EXPECT_EQ(header(get(at + "/report", token), "Location"), at);
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::wrong_answer)), 0, 1,
              "conditions");
  EXPECT_THAT(get(at, token).body, HasSubstr("Score: 0/"));
  EXPECT_EQ(header(get(at, token), "Refresh"), "");
  EXPECT_THAT(get(at + "/report", token).body, HasSubstr("<html"));
  EXPECT_THAT(get("/", token).body, HasSubstr(at));
}

TEST_F(ServicePages, UploadsThatAreNoFilesOfTheAssignmentAreRefusedInWords) {
  const auto refused = [&](std::vector<std::pair<std::string, std::string>> files, const char *words) {
    const ApiResponse r = send("/upload", token, {{"assignment", "hw6"}}, std::move(files));
    EXPECT_EQ(r.status / 100, 4);
    EXPECT_THAT(r.body, HasSubstr(words));
  };
  refused({}, "It contains no file");
  refused({{"", ""}}, "It contains no file");
  refused({{"../step0_naive.cu", "x"}}, "is not a file of hw6");
  refused({{"<script>", "x"}}, "&lt;script&gt; is not a file");
  refused({{"step0_naive.cu", "x"}, {"step0_naive.cu", "y"}}, "twice");
  refused({{"step0_naive.cu", std::string((1 << 20) + 1, 'x')}}, "may have");
  EXPECT_EQ(send("/upload", token, {{"assignment", "../../etc"}}, {{"step0_naive.cu", "x"}}).status, 404);
  set_policy([&](Policy &p) { p.closes = now; });
  refused({{"step0_naive.cu", "x"}}, "closed");
  EXPECT_TRUE(jobs.queue().empty());
}

TEST_F(ServicePages, AStudentSeesNoOtherStudent) {
  const std::string at = uploaded();
  EXPECT_EQ(get(at, other).status, 404);
  EXPECT_EQ(get(at + "/report", other).status, 404);
  EXPECT_THAT(get("/queue", other).body, Not(HasSubstr("20261234")));
  for (const char *path : {"/staff", "/students/20261234", "/class/hw6/class.html",
                           "/class/hw6/leaderboard.html", "/class/hw6/events", "/policy", "/rescore"})
    EXPECT_EQ(get(path, other).status, 403) << path;
  for (const char *path : {"/points", "/regrade"})
    EXPECT_EQ(send(path, other, {{"student", "20261234"}, {"assignment", "hw6"}}).status, 403) << path;
  EXPECT_EQ(send("/announce", other, {{"text", "x"}}).status, 403);
  for (const char *path : {"/policy", "/rescore"})
    EXPECT_EQ(send(path, other, {{"text", ""}, {"assignment", "hw6"}}).status, 403) << path;
  EXPECT_EQ(send("/policy", staff, {{"text", ""}}).status, 403);
  EXPECT_EQ(get("/policy", staff).status, 403);
  EXPECT_EQ(send("/tokens", staff, {{"what", "make"}, {"person", "20261234"}, {"role", "student"}}).status,
            403);
  EXPECT_EQ(get("/students/20261234", staff).status, 200);
}

TEST_F(ServicePages, MarkupFromOutsideIsTextAndThePolicyLetsNothingRun) {
  const std::string evil = "<img src=x onerror=alert(1)>\"'&";
  people.add({evil, evil, Role::student}, "the test", now);
  orders().announce(evil, "the test", now);
  const std::string of_evil = people.make_token(evil, "the test", now);
  for (const auto &[path, session] : std::vector<std::pair<std::string, std::string>>{
           {"/", of_evil}, {"/staff", teacher}, {"/students/" + evil, staff}, {"/" + evil, token}}) {
    const ApiResponse r = get(path, session);
    EXPECT_THAT(r.body, Not(HasSubstr("<img"))) << path;
    EXPECT_THAT(r.body, Not(HasSubstr("<script>"))) << path;
    EXPECT_EQ(header(r, "X-Content-Type-Options"), "nosniff");
    EXPECT_THAT(header(r, "Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
  }
  const std::string page = get("/", of_evil).body;
  EXPECT_THAT(page, HasSubstr("&lt;img"));
  EXPECT_THAT(page, HasSubstr("script-src &apos;none&apos;"));
}

TEST_F(ServicePages, DecisionsOfTheStaffAreOrdersInTheAuditLog) {
  uploaded();
  const auto give = [&](const std::string &points, const std::string &reason) {
    return send("/points", staff,
                {{"student", "20261234"},
                 {"assignment", "hw6"},
                 {"step", "step0"},
                 {"points", points},
                 {"reason", reason}});
  };
  EXPECT_EQ(give("5", "").status, 400);
  for (const char *points : {"-1", "1e9", "nan", "5x"})
    EXPECT_EQ(give(points, "late bus").status, 400) << points;
  EXPECT_TRUE(orders().open("hw6").empty());
  EXPECT_EQ(give("5", "late bus").status, 303);
  EXPECT_EQ(send("/regrade", staff, {{"student", "20261234"}, {"assignment", "hw6"}}).status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].points, 5);
  EXPECT_EQ(open[0].reason, "late bus");
  EXPECT_EQ(open[1].kind, Order::Kind::regrade);
  const std::string page = get("/staff", teacher).body;
  EXPECT_THAT(page, HasSubstr("hw6 step0: 5 (late bus)"));
  orders().done(open[0].id);
  EXPECT_EQ(orders().open("hw6").size(), 1u);
}

TEST_F(ServicePages, AnAnnouncementIsOnEveryPageUntilItEnds) {
  EXPECT_EQ(send("/announce", staff, {{"text", "The deadline moved."}}).status, 303);
  for (const char *page : {"/", "/queue", "/upload"})
    EXPECT_THAT(get(page, other).body, HasSubstr("The deadline moved.")) << page;
  EXPECT_EQ(send("/announce", staff, {{"end", std::to_string(orders().announcements().at(0).id)}}).status,
            303);
  EXPECT_THAT(get("/queue", other).body, Not(HasSubstr("The deadline moved.")));
}

TEST_F(ServicePages, ATokenMadeOnAPageWorksUntilItIsRevoked) {
  const ApiResponse made =
      send("/tokens", teacher, {{"what", "make"}, {"person", "20269999"}, {"role", "student"}});
  const std::size_t at = made.body.find("wg_");
  ASSERT_NE(at, std::string::npos);
  const std::string fresh = made.body.substr(at, token.size());
  EXPECT_EQ(people.whose(fresh)->id, "20269999");
  EXPECT_EQ(
      send("/tokens", teacher, {{"what", "make"}, {"person", "assistant"}, {"role", "instructor"}}).status,
      400);
  EXPECT_EQ(send("/tokens", teacher, {{"what", "revoke"}, {"person", "20269999"}}).status, 303);
  EXPECT_FALSE(people.whose(fresh));
}

TEST_F(ServicePages, StudentsSeeTheLeaderboardWhereThePolicySaysSoAndNeverTheClass) {
  set_policy([](Policy &p) { p.leaderboard = Board::pseudonyms; });
  EXPECT_THAT(get("/", token).body, HasSubstr("/class/hw6/leaderboard.html"));
  EXPECT_THAT(get("/class/hw6/leaderboard.html", token).body,
              HasSubstr("Nothing in this class is graded yet."));
  EXPECT_EQ(get("/class/hw6/class.html", token).status, 403);
}

TEST_F(ServicePages, APageWithAFormDoesNotUpdateWhileItIsFilledIn) {
  uploaded();
  EXPECT_EQ(header(get("/", token), "Refresh"), "3");
  EXPECT_EQ(header(get("/students/20261234", staff), "Refresh"), "");
}

TEST_F(ServicePages, AClassBeforeItsFirstGradeListsItsStudents) {
  const ApiResponse page = get("/class/hw6/class.html", staff);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("Nothing in this class is graded yet."));
  EXPECT_THAT(page.body, HasSubstr("20261234"));
  EXPECT_THAT(get("/class/hw6/leaderboard.html", staff).body, Not(HasSubstr("20261234")));
  EXPECT_EQ(get("/class/hw6/class-events", staff).status, 404);
}

TEST_F(ServicePages, APathOutsideTheClassIsNotFound) {
  EXPECT_EQ(get("/class/../class.html", staff).status, 404);
  EXPECT_EQ(get("/class/hw6/../../service.db", staff).status, 404);
}

TEST_F(ServicePages, CookiesAreReadWhateverIsAroundThem) {
  EXPECT_EQ(session_in(""), "");
  EXPECT_EQ(session_in(";;;=;warpgrade"), "");
  EXPECT_EQ(session_in("xwarpgrade=1"), "");
  EXPECT_EQ(session_in("warpgrade=1; warpgrade=2"), "1");
  EXPECT_EQ(path_part("$(touch pwned)/../%"), "%24%28touch%20pwned%29%2F%2E%2E%2F%25");
}

}  // namespace
}  // namespace warpgrade::service
