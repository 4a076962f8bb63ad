// Pages about a class: the leaderboard and who is named on it, points by hand, policy, other thresholds.
#include "gradebook/class_pages.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"
#include "batch/content.hpp"
#include "batch/store.hpp"
#include "gpu/retired.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "service/class_book.hpp"
#include "service/policy.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two students whose step1 was timed.
class ClassPages : public tests::Browser {
 protected:
  ClassPages() {
    // Classes belong to the course of the folder in which the service runs.
    if (::chdir(WARPGRADE_ROOT) != 0) throw std::runtime_error("no folder of the course");
    people.add({"20261234", "A Name", Role::student}, "the test", now);
  }
  void grade() {
    const course::Assignment &a = shared.courses.at("hw6").assignment;
    const course::Thresholds thresholds =
        course::read_thresholds(shared.courses.at("hw6").folder, a, device.name);
    batch::Store graded(folder / "hw6", batch::Store::Access::create);
    graded.begin({"hw6", 42});
    for (const course::Step &step : a.steps)
      if (!step.beyond) {
        batch::Grading grading = tests::grading_of(step.id);
        grading.device = device;
        graded.grade_with(grading);
      }
    double seconds = 0.002;
    for (const char *student : {"20261234", "20265678"}) {
      batch::Handin handin;
      handin.student = student;
      handin.source = "submission";
      handin.files.push_back({a.find_step("step1")->path().string(), student});
      graded.take_in(handin);
      grading::StepRecord record = tests::record("step1");
      record.performance = grading::PerformanceRecord{};
      for (const course::StepThresholds &t : thresholds.steps)
        if (t.step == "step1") record.performance->size = t.size;
      record.performance->seconds.assign(30, seconds *= 2);
      record.performance->states.push_back({1980, 3201, 41, 345.6, 0});
      graded.keep({"step1", batch::hash_of(student)}, record, 1);
    }
    graded.finish_taking_in();
  }
  /// As it is drawn now, and not some seconds ago.
  ApiResponse board(const std::string &session) {
    shared.drawn.clear();
    return get("/class/hw6/leaderboard.html", session);
  }
  grading::DeviceRecord device{true, "NVIDIA H200", "sm_90", ""};
};

TEST_F(ClassPages, TheLeaderboardNamesOnlyConsentingStudents) {
  set_policy([](Policy &p) { p.leaderboard = Board::names_by_consent; });
  grade();
  const std::string before = board(other).body;
  EXPECT_THAT(before, HasSubstr("ranked by step1"));
  EXPECT_THAT(before, Not(HasSubstr("A Name")));
  EXPECT_THAT(before, Not(HasSubstr("20261234")));
  EXPECT_THAT(get("/", token).body, HasSubstr("Show my name"));
  EXPECT_EQ(send("/consent", token, {{"what", "perhaps"}}).status, 400);
  EXPECT_EQ(send("/consent", token, {{"what", "show"}}).status, 303);
  const std::string named = board(other).body;
  EXPECT_THAT(named, HasSubstr("A Name"));
  EXPECT_THAT(named, Not(HasSubstr("20265678")));
  EXPECT_THAT(get("/", token).body, HasSubstr("Hide my name"));
  EXPECT_THAT(get("/", other).body, HasSubstr("Show my name"));
  EXPECT_EQ(send("/consent", token, {{"what", "hide"}}).status, 303);
  EXPECT_EQ(board(other).body, before);
  set_policy([](Policy &p) { p.leaderboard = Board::pseudonyms; });
  people.consent("20261234", true, now);
  EXPECT_THAT(board(other).body, Not(HasSubstr("A Name")));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("my name")));
}

TEST_F(ClassPages, ANameOnTheLeaderboardIsTextWhateverItHolds) {
  set_policy([](Policy &p) { p.leaderboard = Board::names_by_consent; });
  people.add({"20261234", "<img src=x onerror=alert(1)>", Role::student}, "the test", now);
  people.consent("20261234", true, now);
  grade();
  EXPECT_THAT(board(other).body, HasSubstr("&lt;img"));
  EXPECT_THAT(board(other).body, Not(HasSubstr("<img")));
}

TEST_F(ClassPages, TheStreamSaysWhichLeaderboardIsShownAndChangesWithIt) {
  set_policy([](Policy &p) { p.leaderboard = Board::names_by_consent; });
  EXPECT_EQ(get("/class/hw6/events", token).status, 404);  // nothing is graded yet
  grade();
  const std::string page = board(token).body;
  const ApiResponse r = get("/class/hw6/events", token);
  EXPECT_EQ(r.type, "text/event-stream");
  ASSERT_TRUE(r.stream);
  EXPECT_EQ(r.stream->person, "20261234");
  EXPECT_THAT(r.body, HasSubstr("event: board\ndata: " + r.stream->version + "\n\n"));
  EXPECT_THAT(page, HasSubstr(r.stream->version));
  EXPECT_EQ(api->version_of("hw6/leaderboard.html"), r.stream->version);
  EXPECT_THAT(page, HasSubstr("connect-src &apos;self&apos;"));
  people.consent("20261234", true, now);
  shared.drawn.clear();
  EXPECT_NE(api->version_of("hw6/leaderboard.html"), r.stream->version);
  set_policy([](Policy &p) { p.leaderboard = Board::off; });
  EXPECT_EQ(get("/class/hw6/events", token).status, 403);
  EXPECT_EQ(get("/class/hw6/events", staff).status, 200);
  EXPECT_EQ(send("/class/hw6/events", token, {}).status, 405);
  EXPECT_EQ(header(get("/class/hw6/events", ""), "Location"), "/");
}

TEST_F(ClassPages, TheClassIsLiveForTheStaff) {
  set_policy([](Policy &p) { p.leaderboard = Board::pseudonyms; });
  grade();
  EXPECT_EQ(get("/class/hw6/class-events", token).status, 403) << "it has names";
  const ApiResponse r = get("/class/hw6/class-events", staff);
  ASSERT_TRUE(r.stream);
  EXPECT_EQ(r.stream->topic, "hw6/class.html");
  EXPECT_THAT(r.body, HasSubstr("event: board\ndata: " + r.stream->version + "\n\n"));
  const std::string page = get("/class/hw6/class.html", staff).body;
  EXPECT_THAT(page, HasSubstr(r.stream->version));
  EXPECT_THAT(page, HasSubstr("connect-src &apos;self&apos;"));
  EXPECT_EQ(api->version_of("hw6/class.html"), r.stream->version);
  batch::Store(folder / "hw6", batch::Store::Access::change)
      .override_points("20261234", {"step0", 3.5, "on paper"});
  shared.drawn.clear();
  EXPECT_NE(api->version_of("hw6/class.html"), r.stream->version);
}

TEST_F(ClassPages, AStudentReadsPointsByHandWithTheirReason) {
  grade();
  batch::Store(folder / "hw6", batch::Store::Access::change)
      .override_points("20261234", {"step0", 3.5, "handed in on <b>paper</b>"});
  const std::string at = uploaded();
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::wrong_answer)), 0, 1,
              "x");
  EXPECT_THAT(get("/", token).body, HasSubstr("handed in on &lt;b&gt;paper&lt;/b&gt;"));
  EXPECT_THAT(get(at, token).body, HasSubstr("3.5 points were given by hand, in place of 0"));
  EXPECT_THAT(get(at + "/report", token).body, HasSubstr("handed in on &lt;b&gt;paper"));
  EXPECT_THAT(get("/students/20261234", staff).body, HasSubstr("handed in on"));
  EXPECT_THAT(get("/", other).body, Not(HasSubstr("handed in on")));
}

TEST_F(ClassPages, ListsHaveTheVerdictTheMaximumAndPointsByHand) {
  grade();
  uploaded();
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::wrong_answer)), 2, 1,
              "x");
  for (const auto &[path, session] : {std::pair("/", token), std::pair("/students/20261234", staff)}) {
    EXPECT_THAT(get(path, session).body, HasSubstr("wrong_answer (step0)")) << path;
    EXPECT_THAT(get(path, session).body, HasSubstr(">2/10<")) << path;
  }
  batch::Store(folder / "hw6", batch::Store::Access::change)
      .override_points("20261234", {"step0", 7.5, "on paper"});
  for (const auto &[path, session] : {std::pair("/", token), std::pair("/students/20261234", staff)})
    EXPECT_THAT(get(path, session).body, HasSubstr(">7.5/10 by hand (graded 2)<")) << path;
  EXPECT_THAT(get("/submissions/1", token).body, Not(HasSubstr("--verbose"))) << "a page has no options";
}

TEST_F(ClassPages, PagesOfTheStaffListStudentsWithoutSubmissions) {
  grade();
  people.add({"20269999", "Not Yet", Role::student}, "the test", now);  // of the roster, without a token
  people.add({"20268888", "", Role::student}, "the test", now);
  people.make_token("20268888", "the test", now);
  const std::string staff_page = get("/staff", staff).body,
                    class_page = get("/class/hw6/class.html", staff).body;
  for (const char *id : {"20269999", "20268888"}) {
    EXPECT_THAT(staff_page, HasSubstr(std::string("href=\"/students/") + id)) << id;
    EXPECT_THAT(class_page, HasSubstr(std::string("href=\"/students/") + id)) << id;
    EXPECT_EQ(get(std::string("/students/") + id, staff).status, 200) << id;
  }
  EXPECT_THAT(staff_page, HasSubstr("none yet"));
  EXPECT_THAT(class_page, HasSubstr("not_submitted"));
  EXPECT_THAT(class_page, HasSubstr("Not Yet"));
  EXPECT_THAT(class_page, Not(HasSubstr("/students/assistant"))) << "staff are no students";
  set_policy([](Policy &p) { p.leaderboard = Board::pseudonyms; });
  EXPECT_THAT(board(other).body, Not(HasSubstr("Not Yet")));
  // Somebody who joins later appears although the store of the class did not change.
  EXPECT_THAT(get("/class/hw6/class.html", staff).body, Not(HasSubstr("20267777")));
  people.add({"20267777", "", Role::student}, "the test", now);
  shared.drawn.at("hw6/class.html").at -= std::chrono::seconds(20);
  EXPECT_THAT(get("/class/hw6/class.html", staff).body, HasSubstr("20267777"));
}

TEST_F(ClassPages, TheStaffStartWithTheCourseAndStudentsWithTheirSubmissions) {
  for (const std::string &session : {staff, teacher}) {
    EXPECT_THAT(get("/", session).body, HasSubstr("The course at a glance"));
    EXPECT_THAT(get("/", session).body, Not(HasSubstr("Your submissions")));
  }
  EXPECT_THAT(get("/", token).body, HasSubstr("Nothing was submitted yet."));
}

TEST_F(ClassPages, StudentsSeeOnlyTheirOwnPseudonym) {
  grade();
  set_policy([](Policy &p) { p.leaderboard = Board::pseudonyms; });
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("On the leaderboard"))) << "none is drawn yet";
  board(other);
  const std::string mine = gradebook::pseudonym_of(folder / "hw6", "20261234"),
                    theirs = gradebook::pseudonym_of(folder / "hw6", "20265678");
  ASSERT_FALSE(mine.empty());
  const std::string at = uploaded();
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::wrong_answer)), 0, 1,
              "x");
  for (const std::string &page : {get("/", token).body, get(at + "/report", token).body}) {
    EXPECT_THAT(page, HasSubstr(mine));
    EXPECT_THAT(page, Not(HasSubstr(theirs)));
  }
  EXPECT_THAT(get("/", token).body, HasSubstr("On the leaderboard of hw6 you are " + mine + "."));
  set_policy([](Policy &p) { p.leaderboard = Board::off; });
  EXPECT_THAT(get("/", token).body, Not(HasSubstr(mine)));
  EXPECT_THAT(get(at + "/report", token).body, Not(HasSubstr(mine)));
}

TEST_F(ClassPages, APolicySavedOnItsPageAppliesImmediatelyAndIsInTheAuditLog) {
  const std::string nothing = batch::hash_of(""),
                    text = "assignments:\n  hw6:\n    counts: best\n    quota: {hour: 7}\n";
  EXPECT_EQ(send("/policy", teacher,
                 {{"text", "assignments:\r\n  hw6:\r\n    counts: best\r\n    quota: {hour: 7}"},
                  {"made_from", nothing}})
                .status,
            303);
  EXPECT_EQ(read_whole(folder / policy_file_name), text);
  EXPECT_EQ(shared.courses.at("hw6").policy().quota.hour, 7);
  EXPECT_THAT(get("/policy", teacher).body, HasSubstr("quota: {hour: 7}"));
  const auto open = orders().open("hw6");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].kind, Order::Kind::recount);
  const auto audit = orders().audit(10);
  const auto edited =
      std::find_if(audit.begin(), audit.end(), [](const AuditEntry &e) { return e.what == "policy edited"; });
  ASSERT_NE(edited, audit.end());
  EXPECT_EQ(edited->actor, "teacher");
  EXPECT_THAT(edited->detail, HasSubstr("+     quota: {hour: 7}"));

  // Somebody else has changed it in between: no change is lost.
  EXPECT_EQ(send("/policy", teacher, {{"text", "assignments: {}"}, {"made_from", nothing}}).status, 409);
  EXPECT_EQ(read_whole(folder / policy_file_name), text);
  // Empty: everything is open again.
  EXPECT_EQ(send("/policy", teacher, {{"text", " \r\n"}, {"made_from", batch::hash_of(text)}}).status, 303);
  EXPECT_FALSE(std::filesystem::exists(folder / policy_file_name));
  EXPECT_EQ(shared.courses.at("hw6").policy().quota.hour, 0);
}

TEST_F(ClassPages, AMistakeInAPolicyIsNamedWithItsLineAndChangesNothing) {
  const std::string made_from = batch::hash_of("");
  const auto refused = [&](const std::string &text, const char *words, int status = 400) {
    const ApiResponse r = send("/policy", teacher, {{"text", text}, {"made_from", made_from}});
    EXPECT_EQ(r.status, status) << text;
    EXPECT_THAT(r.body, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder / policy_file_name)) << text;
  };
  refused("assignments:\n  hw6:\n    counts: all\n", "service.yaml:3");
  refused("assignments:\n  nothing: {}\n", "is not an assignment of this course");
  refused("assignments: [", "service.yaml:");
  refused("</textarea><img src=x>: 1\n", "&lt;/textarea&gt;");
  refused(std::string(40'000, '#'), "KiB", 413);
  for (const AuditEntry &e : orders().audit(100)) EXPECT_THAT(e.what, Not(HasSubstr("policy")));
}

TEST_F(ClassPages, OtherThresholdsShowWhosePointsWouldChangeAndChangeNothing) {
  const Fields form = {{"assignment", "hw6"}};
  EXPECT_THAT(get("/rescore", staff).body, HasSubstr("Nothing in this class is graded yet."));
  EXPECT_EQ(send("/rescore", staff, form).status, 404);
  grade();
  const std::string page = get("/rescore", staff).body;
  EXPECT_THAT(page, HasSubstr("thresholds/nvidia-h200.yaml"));
  const std::filesystem::path file = shared.courses.at("hw6").folder / "thresholds/nvidia-h200.yaml";
  const std::string text = read_whole(file);
  EXPECT_THAT(send("/rescore", staff, {{"assignment", "hw6"}, {"text", text}}).body,
              HasSubstr("No student&apos;s points would change."));
  // The faster of the two reaches everything once a tenth of the speed is enough.
  const std::size_t at = text.find("pass:", text.find("step1:"));
  ASSERT_NE(at, std::string::npos);
  std::string lower = text;
  lower.replace(at, text.find('}', at) - at, "pass: 1, full: 2");
  const std::string changed = send("/rescore", staff, {{"assignment", "hw6"}, {"text", lower}}).body;
  EXPECT_THAT(changed, HasSubstr("Of 2 students, 2 would have more points and 0 fewer."));
  EXPECT_THAT(changed, HasSubstr("step1: "));
  const ApiResponse wrong = send("/rescore", staff, {{"assignment", "hw6"}, {"text", text + "\n<img>: 1\n"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("hw6/thresholds/nvidia-h200.yaml:"));
  EXPECT_THAT(wrong.body, Not(HasSubstr("<img>")));
  EXPECT_THAT(wrong.body, Not(HasSubstr("warpgrade-rescore")));
  EXPECT_EQ(send("/rescore", staff, {{"assignment", "hw6"}, {"text", "gpu: {match: \"none\"}\nsteps: {}\n"}})
                .status,
            400);
  EXPECT_EQ(send("/rescore", staff, {{"assignment", "../../etc"}, {"text", text}}).status, 404);
  EXPECT_EQ(read_whole(file), text);
}

/// A separate course, whose thresholds a test may change.
class CourseOfOurs : public ClassPages {
 protected:
  CourseOfOurs() {
    const std::filesystem::path root = WARPGRADE_ROOT;
    ServedCourse &course = shared.courses.at("hw6");
    course.root = folder / "course";
    course.folder = course.root / "assignments/hw6";
    std::filesystem::create_directories(course.folder);
    std::filesystem::copy(root / "assignments/hw6/thresholds", course.folder / "thresholds");
    std::filesystem::copy(root / "assignments/gpus", course.root / "assignments/gpus");
    file = course.folder / "thresholds/nvidia-h200.yaml";
    text = lower = read_whole(file);
    const std::size_t at = lower.find("pass:", lower.find("step1:"));
    lower.replace(at, lower.find('}', at) - at, "pass: 1, full: 2");
  }
  Fields applied(const std::string &then, const std::string &made_from) const {
    return {
        {"assignment", "hw6"}, {"what", "apply"}, {"text", then}, {"made_from", batch::hash_of(made_from)}};
  }
  std::filesystem::path file;
  std::string text, lower;  ///< of the file, and with less to reach in step1
};

TEST_F(CourseOfOurs, AnInstructorAppliesThresholdsAfterSeeingWhatTheyChangeAndCanUndoIt) {
  grade();
  const Fields preview = {{"assignment", "hw6"}, {"text", lower}};
  EXPECT_THAT(send("/rescore", staff, preview).body, Not(HasSubstr("Apply these thresholds")));
  EXPECT_EQ(send("/rescore", staff, applied(lower, text)).status, 403);
  const std::string seen = send("/rescore", teacher, preview).body;
  EXPECT_THAT(seen, HasSubstr("Apply these thresholds"));
  EXPECT_THAT(seen, HasSubstr(batch::hash_of(text)));
  EXPECT_THAT(send("/rescore", teacher, {{"assignment", "hw6"}, {"text", text}}).body,
              Not(HasSubstr("Apply these thresholds")));
  EXPECT_EQ(read_whole(file), text);

  EXPECT_EQ(send("/rescore", teacher, applied(lower + "\n<img>: 1\n", text)).status, 400);
  EXPECT_EQ(header(send("/rescore", teacher, applied(lower, text)), "Location"), "/rescore");
  EXPECT_EQ(read_whole(file), lower);
  const auto open = orders().open("hw6");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].kind, Order::Kind::rescore);
  const std::vector<AuditEntry> audit = orders().audit(1);
  EXPECT_EQ(audit.at(0).actor, "teacher");
  EXPECT_EQ(audit.at(0).what, "thresholds");
  EXPECT_EQ(audit.at(0).subject, "hw6 nvidia-h200.yaml");
  EXPECT_THAT(audit.at(0).detail, HasSubstr("pass: 1, full: 2"));

  // Somebody else saw what was there before: no change is lost.
  EXPECT_EQ(send("/rescore", teacher, applied(text + "# later\n", text)).status, 409);
  EXPECT_EQ(read_whole(file), lower);
  EXPECT_THAT(get("/rescore", staff).body, HasSubstr("What would the previous thresholds change?"));
  const auto last = orders().latest_thresholds_change("hw6");
  ASSERT_TRUE(last);
  EXPECT_EQ(send("/rescore", teacher, applied(last->before, lower)).status, 303);
  EXPECT_EQ(read_whole(file), text);
}

TEST_F(CourseOfOurs, ThresholdsThatCannotBeWrittenAreRefusedInWordsAndChangeNothing) {
  grade();
  // In the way of the new file, also for root.
  std::filesystem::create_directory(file.parent_path() /
                                    fmt::format(".nvidia-h200.yaml.{}.{}.new", host_name(), ::getpid()));
  const ApiResponse r = send("/rescore", teacher, applied(lower, text));
  EXPECT_EQ(r.status, 409);
  EXPECT_THAT(r.body, HasSubstr("Nothing was changed"));
  EXPECT_EQ(read_whole(file), text);
  EXPECT_TRUE(orders().open("hw6").empty());
}

TEST_F(CourseOfOurs, PointsFollowThresholdsAndTheBestSubmissionMayThenBeAnother) {
  grade();
  const ServedCourse &served = shared.courses.at("hw6");
  const course::Step &step1 = *served.assignment.find_step("step1");
  gradebook::ClassGrader grader;
  grader.course = {served.root, served.folder, served.assignment};
  grader.device = device;
  grader.thresholds = course::read_thresholds(served.folder, served.assignment, device.name);
  batch::Store graded(folder / "hw6", batch::Store::Access::change);
  Policy policy;
  policy.best_counts = true;
  ClassBook book(graded, jobs, grader, policy, "conditions");
  // The later one is faster; both are far from the thresholds of now.
  for (const double seconds : {40.0, 0.5}) {
    submit("20261234", {{"step1", std::to_string(seconds)}});
    ASSERT_EQ(next(), "20261234");
    grading::StepRecord record = tests::record("step1");
    record.performance = grading::PerformanceRecord{};
    record.performance->size = grader.thresholds.find("step1")->size;
    record.performance->seconds.assign(30, seconds);
    book.take_in_new();
    graded.keep({"step1", claimed.file}, record, 1);
    jobs.finish(claimed.part, grading::to_json(record), book.points_of(record, claimed.file), 1,
                "conditions");
    book.recount("20261234");
  }
  const auto points = [&] {
    std::vector<double> of;
    for (const auto &[part, received] : jobs.parts_of("20261234", "hw6")) of.push_back(part.points);
    return of;
  };
  const std::vector<double> before = points();
  EXPECT_EQ(before.at(0), before.at(1));
  write_whole(file, lower);
  book.rescore(gradebook::thresholds_of(graded, served.folder, served.assignment));
  EXPECT_THAT(points(), ::testing::ElementsAre(before.at(0) + step1.points.fast, before.at(1)));
  EXPECT_EQ(graded.score("20261234")->points, before.at(0) + step1.points.fast);
  write_whole(file, text);
  book.rescore(gradebook::thresholds_of(graded, served.folder, served.assignment));
  EXPECT_EQ(points(), before);
  EXPECT_EQ(graded.score("20261234")->points, before.at(0));
}

TEST_F(ClassPages, HealthNamesRetiredGpus) {
  gpu::DeviceInfo gone;
  gone.pci_bus_id = "0000:01:00.0";
  const std::string before = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  gpu::retire(folder.path().string(), gone);
  const std::string page = get("/staff", staff).body;
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  EXPECT_THAT(page, HasSubstr("GPU 0000:01:00.0 is out since "));
}

TEST_F(ClassPages, HealthHasTheLatestClocksAndTheGradersFailures) {
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("The grader itself has not failed on any step."));
  const std::string failed = uploaded("one"), measured = uploaded("another");
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0", judge::Verdict::grader_error)), 0, 1, "");
  ASSERT_EQ(next(), "20261234");
  grading::StepRecord record = tests::record("step0");
  record.performance = grading::PerformanceRecord{};
  record.performance->size = shared.courses.at("hw6").assignment.find_step("step0")->cases.at(0).values;
  record.performance->seconds = {0.001};
  record.performance->states = {{1755, 3201, 67, 345.6, 0x04}};
  jobs.finish(claimed.part, grading::to_json(record), 0, 1, "conditions");
  const std::string page = get("/staff", staff).body;
  EXPECT_THAT(page, HasSubstr("1755 MHz"));
  EXPECT_THAT(page, HasSubstr("power limit"));
  const std::size_t failures = page.find("<h2>Failures");
  ASSERT_NE(failures, std::string::npos);
  EXPECT_THAT(page.substr(failures), HasSubstr(failed + "\""));
  EXPECT_THAT(page.substr(failures, page.find("<h2>", failures + 4) - failures),
              Not(HasSubstr(measured + "\"")));
}

}  // namespace
}  // namespace warpgrade::service
