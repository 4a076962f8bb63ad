// Students of a service who have variants: what their files are graded by, and what their pages show.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "base/scratch.hpp"
#include "base/usage.hpp"
#include "batch/content.hpp"
#include "grading/record_json.hpp"
#include "service/class_book.hpp"
#include "service/grade_queue.hpp"
#include "service/render.hpp"
#include "service/workspace/trials.hpp"
#include "tests/course/a_copy.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *secret = "00112233445566778899aabbccddeeff";

class ServedVariants : public tests::Browser {
 protected:
  ServedVariants() {
    tests::copy_course(WARPGRADE_ROOT, "reduction", root());
    write_whole(folder.path() / variants::secrets_file, std::string("reduction ") + secret + "\n");
    serve();
    all = variants::read_variants(root() / "assignments/reduction").value();
    // Two students whose variants differ in what they look for, and who have tokens.
    first = student_with("place=smallest_first", "largest");
    second = student_with("place=largest_first", "smallest");
  }
  fs::path root() const { return scratch.path(); }
  void serve() {
    ServedCourse course{root(), root() / "assignments/reduction", {}, {}};
    course.assignment = course::read_assignment(course.folder);
    course.variants = read_own_variants(store, root(), "reduction");
    shared.courses.insert_or_assign("reduction", std::move(course));
  }
  struct Someone {
    std::string id, variant, says, token;
  };
  Someone student_with(const std::string &choice, const std::string &not_said) {
    for (int i = 100;; ++i) {
      const std::string id = std::to_string(i);
      const auto v = variants::variant_of(all, id, secret);
      if (all.name_of(v).find(choice) == std::string::npos) continue;
      EXPECT_THAT(all.says(v), Not(HasSubstr(not_said)));
      people.add({id, "", Role::student}, "the test", now);
      return {id, all.name_of(v), all.says(v), people.make_token(id, "the test", now)};
    }
  }
  std::int64_t submit_argmin(const std::string &session, const std::string &text = "text") {
    const ApiResponse r = send("/upload", session, {{"assignment", "reduction"}}, {{"r6_argmin.cu", text}});
    EXPECT_EQ(r.status, 303) << r.body;
    return std::stoll(header(r, "Location").substr(13));
  }

  Scratch scratch;
  variants::Variants all;
  Someone first, second;
};

TEST_F(ServedVariants, AreWhatTheWorkspaceBeginsWithAndRunsBy) {
  service::Trials trials(store);
  const course::Assignment &a = shared.courses.at("reduction").assignment;
  const auto step = std::find_if(a.steps.begin(), a.steps.end(),
                                 [](const course::Step &s) { return s.file == "r6_argmin.cu"; });
  const std::string page = "/workspace/reduction/" + step->id;
  EXPECT_NE(get(page, first.token).body.find("<textarea"), std::string::npos);
  for (const Someone *student : {&first, &second}) {
    EXPECT_EQ(send(page, student->token, {{"what", "try"}, {"text", "text"}, {"based_on", "0"}}).status, 303);
    const auto trial = trials.latest({student->id, "reduction", step->id, TrialKind::grade});
    ASSERT_TRUE(trial);
    const variants::Unmarked run = variants::unmarked(trials.bytes_of(*trial));
    EXPECT_EQ(run.variant, student->variant);
    EXPECT_EQ(run.content, "text");
    EXPECT_TRUE(
        fs::exists(shared.courses.at("reduction").own_of(student->variant)->starter() / "r6_argmin.cu"));
  }
}

TEST_F(ServedVariants, GradeEachStudentByTheirOwnAndTheStaffByTheFilesAsTheyAre) {
  const auto of = [this](std::int64_t id) { return jobs.submission(id).value(); };
  const Submission mine = of(submit_argmin(first.token)), theirs = of(submit_argmin(second.token)),
                   tas = of(submit_argmin(staff));
  EXPECT_EQ(mine.variant, first.variant);
  EXPECT_EQ(theirs.variant, second.variant);
  EXPECT_EQ(tas.variant, "");
  EXPECT_NE(mine.parts[0].file, theirs.parts[0].file) << "one's result must not be the other's";
  EXPECT_EQ(variants::unmarked(jobs.content(mine.parts[0].file)).content, "text");
}

TEST_F(ServedVariants, AreNotChosenByWhatAStudentWritesIntoAFile) {
  const std::string forged = variants::marked("text", "r6_argmin.cu", second.variant);
  EXPECT_EQ(jobs.submission(submit_argmin(first.token, forged))->variant, first.variant);
}

TEST_F(ServedVariants, GiveTheReportItsTitlesAndPoints) {
  for (const Someone &who : {first, second}) {
    const std::int64_t id = submit_argmin(who.token, "of " + who.id);
    const auto work = jobs.claim("reduction", 100, now);
    ASSERT_TRUE(work);
    jobs.finish(work->part, grading::to_json(tests::record("argmin", judge::Verdict::wrong_answer)), 0, 1,
                "x");
    const std::string page = get("/submissions/" + std::to_string(id), who.token).body;
    EXPECT_THAT(page,
                HasSubstr(who.id == first.id ? "The place of the smallest" : "The place of the largest"));
    EXPECT_THAT(
        page, Not(HasSubstr(who.id == first.id ? "The place of the largest" : "The place of the smallest")));
    const ApiResponse report = get("/submissions/" + std::to_string(id) + "/report", who.token);
    EXPECT_EQ(report.status, 200) << report.body;
    EXPECT_EQ(sources_of(shared.courses.at("reduction"), jobs.submission(id).value(), jobs).at("argmin"),
              "of " + who.id)
        << "the mark is ours and stands in no file of theirs";
  }
}

TEST_F(ServedVariants, HaveAPageWithTheirOwnWordsAlone) {
  for (const auto &[who, neighbour] : {std::pair(first, second), {second, first}}) {
    const std::string page = get("/variants/reduction", who.token).body;
    EXPECT_THAT(page, HasSubstr(who.says));
    EXPECT_THAT(page, HasSubstr("correct results"));
    EXPECT_THAT(page, HasSubstr("The course hands out your handout and your kit"));
    EXPECT_THAT(get("/", who.token).body, HasSubstr("/variants/reduction"));
    EXPECT_EQ(get("/variants/reduction/" + neighbour.id, who.token).status, 404);
    EXPECT_EQ(get("/variants/reduction/kit", who.token).status, 404);
    EXPECT_THAT(get("/students/" + who.id, staff).body, HasSubstr("reduction: " + who.variant));
  }
  EXPECT_EQ(get("/variants/reduction", staff).status, 404);
  EXPECT_EQ(get("/variants/hw6", first.token).status, 404);
}

TEST_F(ServedVariants, HandOutTheirHandoutAndTheKitOfTheirStudent) {
  fs::create_directories(root() / "build/handouts");
  fs::create_directories(root() / "build/kit/reduction");
  write_whole(root() / "build/handouts/reduction.html", "<h1>A</h1><h2>Goal</h2>");
  for (const Someone &who : {first, second})
    write_whole(root() / ("build/kit/reduction/" + who.id + ".tar.gz"), "kit of " + who.id);
  write_whole(root() / "build/kit/reduction/variants.csv", csv_row({"student", "variant", "kit"}) +
                                                               csv_row({first.id, first.variant, "x"}) +
                                                               csv_row({second.id, first.variant, "x"}));
  EXPECT_EQ(get("/variants/reduction/kit", first.token).body, "kit of " + first.id);
  EXPECT_EQ(get("/variants/reduction/kit", second.token).status, 404)
      << "a kit that was made with another secret is another's";
  EXPECT_THAT(get("/variants/reduction/handout", second.token).body, HasSubstr(second.says));
}

TEST_F(ServedVariants, AreShownToStudentsWhenTheAssignmentOpensAndToTheStaffBefore) {
  fs::create_directories(root() / "build/handouts");
  fs::create_directories(root() / "build/kit/reduction");
  write_whole(root() / "build/handouts/reduction.html", "<h1>A</h1><h2>Goal</h2>");
  write_whole(root() / ("build/kit/reduction/" + first.id + ".tar.gz"), "a kit");
  write_whole(root() / "build/kit/reduction/variants.csv",
              csv_row({"student", "variant", "kit"}) + csv_row({first.id, first.variant, "x"}));
  service::CurrentPolicy &policy = shared.courses.at("reduction").policy;
  service::Policy later = policy();
  later.opens = now + 60;
  policy.set(later);
  for (const char *page : {"/variants/reduction", "/variants/reduction/handout", "/variants/reduction/kit"}) {
    const ApiResponse early = get(page, first.token);
    EXPECT_EQ(early.status, 403) << page;
    EXPECT_THAT(early.body, HasSubstr(why_closed(later, now))) << page;
  }
  EXPECT_THAT(get("/", first.token).body, Not(HasSubstr("/variants/reduction")));
  EXPECT_THAT(get("/students/" + first.id, staff).body, HasSubstr("reduction: " + first.variant));
  now += 60;
  EXPECT_EQ(get("/variants/reduction", first.token).status, 200);
  EXPECT_EQ(get("/variants/reduction/kit", first.token).body, "a kit");
  EXPECT_THAT(get("/", first.token).body, HasSubstr("/variants/reduction"));
}

TEST_F(ServedVariants, AreReadAgainWhenTheirThresholdsChange) {
  const auto &served = shared.courses.at("reduction");
  const fs::path file = root() / "assignments/reduction/assignment.yaml";
  const auto before = served.own_of(first.variant);
  EXPECT_EQ(served.own_of(first.variant), before) << "once for all pages";
  std::string text = read_whole(file);
  write_whole(file, text + "# a line more\n");
  EXPECT_NE(served.own_of(first.variant), before);
}

TEST_F(ServedVariants, CountTheirOwnThresholdsInTheClass) {
  const fs::path folder_of_course = root() / "assignments/reduction";
  const auto replace = [&](const char *file, const std::string &from, const std::string &to) {
    std::string text = read_whole(folder_of_course / file);
    const std::size_t at = text.rfind(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_whole(folder_of_course / file, text.replace(at, from.size(), to));
  };
  replace("assignment.yaml", "load_sectors_over_ideal: {at_most: 1.1, points: 4}\n",
          "global_atomics: {at_most: 5, points: 4}\n");
  replace("variants.yaml", "texts: {\"problem: argmin\": \"problem: argmax\", ",
          "texts: {\"problem: argmin\": \"problem: argmax\", \"global_atomics: {at_most: 5,\": "
          "\"global_atomics: {at_most: 50,\", ");
  serve();
  gradebook::ClassGrader grader;
  grader.course = {root(), folder_of_course, shared.courses.at("reduction").assignment,
                   course::WithoutGpu::leave};
  batch::Store class_store(folder.path() / "reduction", batch::Store::Access::create);
  class_store.begin({"reduction", 1, course::WithoutGpu::leave});
  for (const course::Step &step : grader.course.assignment.steps)
    if (!step.beyond) class_store.grade_with(tests::grading_of(step.id));
  ClassBook book(class_store, jobs, grader, Policy(), "x");
  grading::StepRecord record = tests::record("argmin");
  record.counters.emplace().counts.global_atomics = 20;
  for (const auto &[who, points] : {std::pair(first, 12.0), {second, 16.0}}) {
    submit_argmin(who.token, "of " + who.id);
    book.take_in_new();
    const auto work = jobs.claim("reduction", 100, now);
    ASSERT_TRUE(work);
    class_store.keep({work->step, work->file}, record, 1);
    EXPECT_EQ(book.points_of(record, work->file), points);
    jobs.finish(work->part, grading::to_json(record), book.points_of(record, work->file), 1, "x");
    book.recount(who.id);
    const auto rules = gradebook::rules_of(class_store, grader.course);
    EXPECT_EQ(batch::score_student(class_store, rules, who.id).score.points, points);
    EXPECT_THAT(get("/", who.token).body, HasSubstr(fmt::format("{}/16", points)));
  }
}

TEST_F(ServedVariants, ThatCannotBeReadWaitWhileOthersAreGraded) {
  const fs::path file = root() / "assignments/reduction/variants.yaml";
  const std::string as_it_is = read_whole(file);
  std::string text = as_it_is;
  const std::string edits = "edits:\n";
  const std::size_t at = text.find(edits, text.find("largest_first:"));
  ASSERT_NE(at, std::string::npos);
  const std::string idle = "        - in: [r6_argmin.cu]\n          texts: {\"no such text\": \"another\"}\n";
  write_whole(file, text.insert(at + edits.size(), idle));
  serve();
  const std::int64_t mine = submit_argmin(first.token), theirs = submit_argmin(second.token);
  gradebook::ClassGrader grader;
  grader.course = {root(), root() / "assignments/reduction", shared.courses.at("reduction").assignment,
                   course::WithoutGpu::leave};
  batch::Store class_store(folder.path() / "reduction", batch::Store::Access::create);
  class_store.begin({"reduction", 1, course::WithoutGpu::leave});
  for (const course::Step &step : grader.course.assignment.steps)
    if (!step.beyond) class_store.grade_with(tests::grading_of(step.id));
  ClassBook book(class_store, jobs, grader, Policy(), "x");
  ::testing::internal::CaptureStderr();
  book.take_in_new();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("variant '" + second.variant + "': "));
  EXPECT_THAT(said, HasSubstr("Its students wait; others are graded."));
  const auto file_of = [this](std::int64_t id) { return jobs.submission(id)->parts.at(0).file; };
  EXPECT_EQ(book.why_file_is_held(file_of(mine)), "");
  const std::string why = book.why_file_is_held(file_of(theirs));
  EXPECT_THAT(why, HasSubstr("this edit changes nothing"));

  int graded = 0;
  while (const auto work = jobs.claim("reduction", 100, now))
    if (const std::string held = book.why_file_is_held(work->file); held.empty()) {
      class_store.keep({work->step, work->file}, tests::record("argmin"), 1);
      jobs.finish(work->part, grading::to_json(tests::record("argmin")), 12, 1, "x");
      graded += work->student == first.id;
    } else {
      jobs.hold(work->part, held);
    }
  EXPECT_EQ(graded, 1);
  for (const Someone &who : {first, second}) book.recount(who.id);
  EXPECT_EQ(class_store.score(first.id)->status, batch::graded);
  book.rescore({});
  jobs.announce({"reduction", true, "", "", "x", 1, now});
  uploaded();
  EXPECT_EQ(next(), "20261234") << "what waits must not hold up other assignments";
  const std::string page = get("/submissions/" + std::to_string(theirs), second.token).body;
  EXPECT_THAT(page,
              HasSubstr("Your variant of reduction cannot be graded at the moment. This is our mistake"));
  EXPECT_THAT(page, Not(HasSubstr("no such text")));
  EXPECT_THAT(page, Not(HasSubstr("changes nothing")));
  for (const char *open : {"/", "/workspace"}) EXPECT_EQ(get(open, second.token).status, 200) << open;
  EXPECT_EQ(get("/variants/reduction", second.token).status, 503);
  EXPECT_EQ(get("/variants/reduction", first.token).status, 200);
  const std::string seen = get("/staff", staff).body;
  EXPECT_THAT(seen, HasSubstr("reduction: 1 step of 1 student waits"));
  EXPECT_THAT(seen, HasSubstr(second.variant));

  EXPECT_FALSE(book.mended());
  write_whole(file, as_it_is);
  EXPECT_TRUE(book.mended()) << "then the process ends, and its successor grades";
  EXPECT_EQ(get("/variants/reduction", second.token).status, 200);
  EXPECT_FALSE(jobs.claim("reduction", 100, now));
  jobs.put_back("reduction");
  const auto work = jobs.claim("reduction", 100, now);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->student, second.id);
}

/// Two students whose kernels were timed on a GPU: one adds up numbers, the other one squares.
class OtherThresholdsOfVariants : public ServedVariants {
 protected:
  OtherThresholdsOfVariants() {
    people.add({"teacher", "", Role::instructor}, "the test", now);
    const std::string rest = " place=smallest_first element=float";
    sums = student_with("operation=sum" + rest, "squares");
    squares = student_with("operation=squares" + rest, "themselves");
    const course::Assignment &a = shared.courses.at("reduction").assignment;
    const grading::DeviceRecord device{true, "NVIDIA H200", "sm_90", ""};
    batch::Store graded(folder / "reduction", batch::Store::Access::create);
    graded.begin({"reduction", 42});
    for (const course::Step &step : a.steps)
      for (const std::string &variant : {std::string(), sums.variant, squares.variant}) {
        batch::Grading grading = tests::grading_of(step.id);
        grading.device = device;
        grading.variant = variant;
        if (!step.beyond) graded.grade_with(grading);
      }
    for (const Someone &who : {sums, squares}) {
      const std::string content = variants::marked("text", "r4_shuffled.cu", who.variant);
      batch::Handin handin;
      handin.student = who.id;
      handin.source = "submission";
      handin.files.push_back({"r4_shuffled.cu", content, who.variant});
      graded.take_in(handin);
      grading::StepRecord record = tests::record("shuffled");
      record.performance = grading::PerformanceRecord{};
      record.performance->size =
          course::read_thresholds(shared.courses.at("reduction").folder, a, device.name)
              .find("shuffled")
              ->size;
      record.performance->seconds.assign(30, 0.01);
      graded.keep({"shuffled", batch::hash_of(content)}, record, 1);
    }
    graded.finish_taking_in();
    file = root() / "assignments/reduction/thresholds/nvidia-h200.yaml";
    text = read_whole(file);
  }
  std::string with(const std::string &limits) const {
    std::string changed = text;
    const std::string before = "pass: 0.5 cub, full: 0.9 cub";
    return changed.replace(changed.find(before, changed.find("shuffled: {")), before.size(), limits);
  }
  ApiResponse preview(const std::string &then, const std::string &what = "") {
    return send(
        "/rescore", teacher,
        {{"assignment", "reduction"}, {"what", what}, {"text", then}, {"made_from", batch::hash_of(text)}});
  }
  Someone sums, squares;
  fs::path file;
  std::string text;
};

TEST_F(OtherThresholdsOfVariants, AreRefusedWithTheNameOfOneThatCannotReadThem) {
  // Where squares are added up, there is no library to compare with, and no edit for this number.
  for (const char *what : {"", "apply"}) {
    const ApiResponse refused = preview(with("pass: 0.4 cub, full: 0.8 cub"), what);
    EXPECT_EQ(refused.status, 400) << what;
    EXPECT_THAT(refused.body, HasSubstr("operation=squares place=smallest_first element=float")) << what;
    EXPECT_THAT(refused.body, HasSubstr("reduction/thresholds/nvidia-h200.yaml:")) << what;
    EXPECT_EQ(read_whole(file), text) << what;
  }
}

TEST_F(OtherThresholdsOfVariants, ChangeThePointsOfEachStudentByTheirOwn) {
  const std::string both = preview(with("pass: 1, full: 2")).body;
  EXPECT_THAT(both, HasSubstr("Of 2 students, 2 would have more points and 0 fewer."));
  const fs::path edits = root() / "assignments/reduction/variants.yaml";
  std::string all_edits = read_whole(edits);
  const std::string place = "\"pass: 0.5 cub, full: 0.9 cub\": \"pass: 1229, full: 2211\"\n";
  const std::size_t at = all_edits.find(place);
  ASSERT_NE(at, std::string::npos);
  const std::string more = "            \"pass: 1, full: 2\": \"pass: 4000, full: 4700\"\n";
  write_whole(edits, all_edits.insert(at + place.size(), more));
  const std::string one = preview(with("pass: 1, full: 2")).body;
  EXPECT_THAT(one, HasSubstr("Of 2 students, 1 would have more points and 0 fewer."));
  EXPECT_THAT(one, HasSubstr("/students/" + sums.id));
  EXPECT_THAT(one, Not(HasSubstr("/students/" + squares.id)));
  EXPECT_EQ(preview(with("pass: 1, full: 2"), "apply").status, 303);
  EXPECT_EQ(read_whole(file), with("pass: 1, full: 2"));
}

std::string why_not(const std::function<void()> &settle) {
  try {
    settle();
  } catch (const UsageError &e) {
    return e.what();
  }
  return "";
}

TEST_F(ServedVariants, AreThoseOfTheSecretWithWhichTheServiceBegan) {
  const Scratch begun;
  const fs::path kept = begun.path() / variants::secrets_file, given = root() / variants::secrets_file;
  const auto settle = [&] {
    return why_not([&] { settle_variants(store, begun.path(), root(), "reduction", ""); });
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(settle(), "");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("everybody is graded by the files as they are"));
  EXPECT_FALSE(fs::exists(kept));
  ServiceStore begun_store(begun.path(), ServiceStore::Access::create);
  EXPECT_EQ(read_own_variants(begun_store, root(), "reduction")->of({"100", "", Role::student}), "");

  write_whole(given, std::string("reduction ") + secret + "\n");
  EXPECT_EQ(settle(), "");
  EXPECT_EQ(variants::secret_of(kept, "reduction"), secret);
  EXPECT_EQ(fs::status(kept).permissions() & fs::perms::mask, fs::perms::owner_read | fs::perms::owner_write);
  write_whole(given, "reduction ffff\n");
  EXPECT_THAT(settle(), HasSubstr("this service was begun with another secret"));
  fs::remove(given);
  EXPECT_EQ(settle(), "") << "its own copy is enough";
}

TEST_F(ServedVariants, DoNotGoOnWithoutTheSecretThatABackupLacked) {
  submit_argmin(first.token);
  fs::remove(folder.path() / variants::secrets_file);
  const auto settle = [&] {
    return why_not([&] { settle_variants(store, folder.path(), root(), "reduction", ""); });
  };
  const std::string missing =
      (folder.path() / variants::secrets_file).string() + ": this file is missing, but files of reduction";
  EXPECT_THAT(settle(), HasSubstr(missing));
  EXPECT_THAT(settle(), HasSubstr("Put back the file from the backup of " + folder.path().string()));
  write_whole(root() / variants::secrets_file, "reduction ffff\n");
  EXPECT_THAT(settle(), HasSubstr(missing)) << "another secret does not take its place";
  EXPECT_FALSE(fs::exists(folder.path() / variants::secrets_file));
  write_whole(folder.path() / variants::secrets_file, std::string("reduction ") + secret + "\n");
  fs::remove(root() / variants::secrets_file);
  EXPECT_EQ(settle(), "");
}

TEST_F(ServedVariants, AreNotHandedOutByAProcessThatFindsOtherOnesWhenItStartsAgain) {
  write_whole(folder.path() / variants::secrets_file, variants::secret_line(all, secret));
  serve();
  EXPECT_EQ(get("/variants/reduction", first.token).status, 200);
  const fs::path file = root() / "assignments/reduction/variants.yaml";
  const std::string as_it_is = read_whole(file);
  std::string text = as_it_is;
  for (std::size_t at = 0; (at = text.find("squares:", at)) != std::string::npos;)
    text.replace(at, 8, "cubes:");
  write_whole(file, text);
  const std::string changed = "the parameters or values in variants.yaml of reduction are not those";
  EXPECT_THAT(why_not([&] { demand_settled_variants(store, root(), "reduction"); }), HasSubstr(changed));
  serve();
  for (const char *page : {"/variants/reduction", "/workspace/reduction/argmin"}) {
    EXPECT_EQ(get(page, first.token).status, 503) << page;
    EXPECT_THAT(get(page, first.token).body, HasSubstr("This is our mistake, not yours")) << page;
  }
  EXPECT_EQ(send("/upload", first.token, {{"assignment", "reduction"}}, {{"r6_argmin.cu", "text"}}).status,
            503);
  EXPECT_EQ(get("/", first.token).status, 200);
  EXPECT_EQ(get("/workspace", first.token).status, 200);
  EXPECT_EQ(send("/upload", first.token, {{"assignment", "hw6"}}, {{"step0_naive.cu", "text"}}).status, 303)
      << "other assignments go on";
  for (const std::string &page : {std::string("/staff"), "/students/" + first.id})
    EXPECT_THAT(get(page, staff).body, HasSubstr(changed)) << page;
  write_whole(file, as_it_is);
  serve();
  EXPECT_EQ(get("/variants/reduction", first.token).status, 200);
}

TEST_F(ServedVariants, AreNotGradedByAProcessThatFindsOtherOnesWhenItStartsAgain) {
  write_whole(folder.path() / variants::secrets_file,
              "reduction " + std::string(secret) + " 0123456789abcdef\n");
  const fs::path before = fs::current_path();
  fs::current_path(root());
  gradebook::GradingWords words;
  words.assignment = "reduction";
  words.device = "sim";
  std::vector<std::string> arguments = words_of(folder.path(), words);
  arguments.erase(arguments.begin());  // the command
  const std::string why = why_not([&] { grade_queue(arguments); });
  fs::current_path(before);
  EXPECT_THAT(why, HasSubstr("are not those for which this secret was drawn"));
  const std::vector<GraderState> graders = jobs.graders();
  const auto state = std::find_if(graders.begin(), graders.end(),
                                  [](const GraderState &g) { return g.assignment == "reduction"; });
  ASSERT_NE(state, graders.end());
  EXPECT_FALSE(state->ready);
  EXPECT_EQ(state->detail, why);
}

TEST_F(ServedVariants, DoNotBeginAmongSubmissionsWithoutThem) {
  const Scratch begun;
  fs::remove(folder.path() / variants::secrets_file);
  serve();
  submit_argmin(first.token);
  write_whole(root() / variants::secrets_file, std::string("reduction ") + secret + "\n");
  EXPECT_THAT(why_not([&] { settle_variants(store, begun.path(), root(), "reduction", ""); }),
              HasSubstr("graded without variants"));
}

}  // namespace
}  // namespace warpgrade::service
