#include "report/class.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/report/class_sample.hpp"

namespace warpgrade::report {
namespace {

TEST(ClassStudent, KeepsRatesAndWhatDoesNotDependOnThem) {
  const GpuSample s;
  const ClassStudent student =
      class_student({"20261234", "", "calm otter", "a.html", "graded"}, s.report(), s.sources);
  ASSERT_EQ(student.steps.size(), 5u);
  EXPECT_DOUBLE_EQ(student.points, 63.8);
  // step1: 11 correct, 0 of 3 for counters, 4.8 of 6 for speed.
  EXPECT_DOUBLE_EQ(student.steps[1].points, 15.8);
  EXPECT_DOUBLE_EQ(student.steps[1].other_points, 11);
  EXPECT_NEAR(student.steps[1].rate->median, 6900, 1);
  EXPECT_FALSE(student.steps[2].rate);
}

TEST(ClassStudent, NamesTheTextOfADiagnosedLineOnce) {
  const GpuSample s;
  const ClassStudent student = class_student({"1", "", "", "", "graded"}, s.report(), s.sources);
  ASSERT_EQ(student.diagnostics.size(), 3u)
      << "a wrong answer and two causes of three races; the warning is none";
  EXPECT_EQ(student.diagnostics[0].code, "wrong_answer");
  EXPECT_EQ(student.diagnostics[1].code, "race");
  EXPECT_EQ(student.diagnostics[1].line, 12);
  EXPECT_EQ(student.diagnostics[1].text, "sum += As[k][threadIdx.y] * Bs[k][threadIdx.x];");
}

/// A record of a step that failed with one finding.
grading::StepRecord failed(judge::Verdict verdict, const std::string &message, int line) {
  grading::StepRecord record;
  record.id = "step2";
  record.file = "step2_shared.cu";
  record.verdict = verdict;
  record.reason = message;
  if (line > 0)
    record.findings = {{std::string(judge::name_of(verdict)), "error", record.file, line, message, 1}};
  return record;
}

TEST(ClassDiagnostics, HaveOneGistForOneMistakeWhateverTheNames) {
  const std::string advice = "no barrier is between the two: put a __syncthreads() after line ";
  EXPECT_EQ(gist("load of 4 bytes, 8 bytes past the end of A (4096 bytes): element 1026"),
            gist("load of 4 bytes, 400 bytes past the end of my_a (64 bytes): element 7"));
  EXPECT_EQ(gist("the launch of multiply gives it no dynamic shared memory"),
            gist("the launch of k2 gives it no dynamic shared memory"));
  EXPECT_NE(gist("load of 4 bytes past the end of A"), gist("store of 4 bytes past the end of A"));
  const auto cause = [&](const std::string &buffer, const std::string &line) {
    const std::string message = "write after read on shared memory " + buffer + ", element 3: " + advice +
                                line + " (thread (1, 0, 0) of block (0, 0, 0) in multiply)";
    return gist(diagnostics_of(failed(judge::Verdict::race, message, 12), nullptr).at(0).cause);
  };
  EXPECT_EQ(cause("As", "12"), cause("tile", "30"));
}

TEST(ClassDiagnostics, HoldVerdictsWithoutAFindingAndTheCauseOfAWrongResult) {
  grading::StepRecord record = failed(judge::Verdict::wrong_answer, "61 of 3721 elements of C are wrong", 0);
  ASSERT_EQ(diagnostics_of(record, nullptr).size(), 1u);
  EXPECT_EQ(diagnostics_of(record, nullptr)[0].code, "wrong_answer");
  EXPECT_EQ(diagnostics_of(record, nullptr)[0].cause, "") << "how many are wrong is no cause";
  record.reason = "2 of 4 elements of C are wrong: row 1; does the tile of a block need 1024 threads?";
  EXPECT_EQ(diagnostics_of(record, nullptr)[0].cause, "does the tile of a block need 1024 threads?");
  record.cases.emplace_back();
  record.cases.back().comparison.emplace();
  record.cases.back().comparison->cause = "A and B are exchanged";
  EXPECT_EQ(diagnostics_of(record, nullptr)[0].cause, "A and B are exchanged");
  for (const judge::Verdict v : {judge::Verdict::accepted, judge::Verdict::not_implemented,
                                 judge::Verdict::missing, judge::Verdict::grader_error})
    EXPECT_TRUE(diagnostics_of(failed(v, "why", 0), nullptr).empty());
}

TEST(Dashboard, GroupsTheCommonestErrorsByCauseAndCountsWrongAnswers) {
  const GpuSample s;
  Class c = class_sample(s, 3);
  const std::string race = "read after write on shared memory ",
                    advice = ": put a __syncthreads() between them";
  for (std::size_t i = 0; i < 3; ++i) {
    c.students[i].diagnostics = diagnostics_of(
        failed(judge::Verdict::race, race + (i == 0 ? "As" : "tile") + advice, 10 + static_cast<int>(i)),
        nullptr);
    if (i > 0)
      c.students[i].diagnostics.push_back(
          diagnostics_of(failed(judge::Verdict::wrong_answer, "all 9 elements of C are wrong", 0), nullptr)
              .at(0));
  }
  const std::string page = class_to_html(c);
  const std::string rows = page.substr(page.find("The most common errors"));
  const auto row = [&](const std::string &code, int students) {
    return rows.find(fmt::format("{}</th><td class=\"n\" data-label=\"Students\">{}<", code, students));
  };
  EXPECT_NE(row("race", 3), std::string::npos);
  EXPECT_NE(row("wrong_answer", 2), std::string::npos);
  EXPECT_LT(row("race", 3), row("wrong_answer", 2));
  EXPECT_NE(rows.find("put a __syncthreads() between them"), std::string::npos);
  EXPECT_NE(rows.find("no cause was recognised"), std::string::npos);
}

TEST(Dashboard, NamesFilesOfSeveralStudents) {
  const GpuSample s;
  Class c = class_sample(s, 2);
  EXPECT_EQ(class_to_html(c).find("Files of several students"), std::string::npos);
  c.shared_files = {{"the same file", "a, <b> (step1.cu)"},
                    {"the same code, with other names", "a (step1.cu), c (step2.cu)"}};
  const std::string page = class_to_html(c);
  EXPECT_NE(page.find("a, &lt;b&gt; (step1.cu): the same file</li>"), std::string::npos);
  EXPECT_NE(page.find("a (step1.cu), c (step2.cu): the same code, with other names"), std::string::npos);
}

TEST(Dashboard, NamesFilesThatAreRightForAnotherVariantApartFromSharedOnes) {
  const GpuSample s;
  Class c = class_sample(s, 2);
  c.of_other_variants = {{"operation=<sum>", "a (step1.cu)"}};
  const std::string page = class_to_html(c);
  const std::size_t heading = page.find("<h2 id=\"variants\">Files that are right for another variant</h2>");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_NE(page.find("a (step1.cu): operation=&lt;sum&gt;</li>", heading), std::string::npos);
  EXPECT_EQ(page.find("Files of several students"), std::string::npos);
}

TEST(Dashboard, EscapesNamesAndLinks) {
  const GpuSample s;
  Class c{s.assignment, s.thresholds, "GPU", {}};
  c.students.push_back(class_student(
      {"<img src=x>", "<img src=y>", "calm otter", "reports/a\"b/report.html", "graded"}, s.report(), {}));
  const std::string page = class_to_html(c);
  const std::string body = page.substr(page.find("<body>"), page.find("<script>") - page.find("<body>"));
  EXPECT_EQ(body.find("<img"), std::string::npos);
  EXPECT_NE(body.find("href=\"reports/a&quot;b/report.html\""), std::string::npos);
}

/// The figure in the card above `label`.
std::string card(const std::string &page, const std::string &label) {
  const std::size_t end = page.find("</b>" + label), begin = page.rfind("<b>", end) + 3;
  return end == std::string::npos ? "" : page.substr(begin, end - begin);
}

TEST(Dashboard, HasOneMeanOfGradedHandins) {
  const GpuSample s;
  Class c = class_sample(s, 4);
  const double points[] = {60, 30, 0, 0};
  const char *status[] = {"graded", "overridden", "not_submitted", "pending"};
  for (std::size_t i = 0; i < 4; ++i) c.students[i].points = points[i], c.students[i].status = status[i];
  const std::string page = class_to_html(c);
  EXPECT_EQ(card(page, "mean of 100"), "45.0");
  EXPECT_EQ(card(page, "handed in"), "3");
  EXPECT_NE(page.find("\"mean\":45.0"), std::string::npos) << "of which the page's script makes its mark";
  c.students[2].status = "archive_refused";
  EXPECT_EQ(card(class_to_html(c), "mean of 100"), "30.0") << "it was handed in, and scores nothing";
}

TEST(Dashboard, ShowsNamesOfTheRosterAndDaysLate) {
  const GpuSample s;
  Class c = class_sample(s, 2);
  c.students[0].name = "Student, First";
  c.students[0].late_days = 2;
  c.students[1].name = "";
  const std::string page = class_to_html(c);
  EXPECT_NE(page.find("<span class=\"name\">Student, First</span>"), std::string::npos);
  EXPECT_NE(page.find(">graded, 2 days late</td>"), std::string::npos);
  EXPECT_NE(page.find(">graded</td>"), std::string::npos);
  EXPECT_NE(page.find("placeholder=\"name, id or result\""), std::string::npos);
}

TEST(Leaderboard, SaysWhatWillAppearOnceStepsAreTimed) {
  const GpuSample s;
  Class c = class_sample(s, 2);
  for (ClassStudent &student : c.students)
    for (ClassStep &step : student.steps) step.rate.reset();
  c.device = "Warpgrade simulator";
  for (ClassStudent &student : c.students)
    for (ClassStep &step : student.steps) step.counters.clear();
  const std::string page = leaderboard_to_html(c);
  EXPECT_NE(page.find("this class was graded on Warpgrade simulator. Once it is graded on a GPU"),
            std::string::npos);
  EXPECT_NE(page.find("this page ranks by the median GFLOPS of step3.</p>"), std::string::npos);
  EXPECT_EQ(page.find("<table"), std::string::npos);
}

TEST(Leaderboard, RanksByCountersWhereNothingWasTimed) {
  const GpuSample s;
  Class c = class_sample(s, 5);
  // The limit of step3 with more points ranks, the other one decides between equals; for both, less is
  // better. Only an accepted step counts.
  ASSERT_EQ(s.assignment.steps[3].counter_checks.size(), 2u);
  const double values[5][2] = {{0.08, 2}, {0.05, 1}, {0.08, 1}, {0.05, 1}, {0.01, 1}};
  for (std::size_t i = 0; i < 5; ++i) {
    c.students[i].pseudonym = "name" + std::to_string(i);
    for (ClassStep &step : c.students[i].steps) step.rate.reset();
    ClassStep &step3 = c.students[i].steps[3];
    step3.verdict = i == 4 ? judge::Verdict::race : judge::Verdict::accepted;
    step3.counters.clear();
    for (std::size_t k = 0; k < 2; ++k) {
      const course::CounterCheck &check = s.assignment.steps[3].counter_checks[k];
      ASSERT_FALSE(check.at_least);
      step3.counters.push_back({.check = check, .value = values[i][k], .passed = true, .at = "", .file = ""});
    }
  }
  const std::string page = leaderboard_to_html(c);
  EXPECT_NE(page.find("Until then, counters rank."), std::string::npos);
  EXPECT_NE(page.find("Counters of step3, ranked by"), std::string::npos);
  const std::string rows = page.substr(page.find("<tbody>"));
  std::size_t before = 0;
  for (const auto &[name, rank] : {std::pair("name1", 1), {"name3", 1}, {"name2", 3}, {"name0", 4}}) {
    const std::size_t at =
        rows.find(fmt::format("{}</th><td class=\"n\" data-label=\"Rank\">{}<", name, rank));
    ASSERT_NE(at, std::string::npos) << name << " in\n" << rows;
    EXPECT_LT(before, at);
    before = at;
  }
  EXPECT_EQ(page.find("name4"), std::string::npos);
}

TEST(Leaderboard, HoldsNoIdsAndNoNames) {
  const GpuSample s;
  Class c = class_sample(s, 60);
  c.students[7].name = "Student, Seventh";
  const std::string page = leaderboard_to_html(c);
  EXPECT_EQ(page.find("Seventh"), std::string::npos);
  for (const ClassStudent &student : c.students) {
    EXPECT_EQ(page.find(student.id), std::string::npos) << student.id;
    EXPECT_EQ(class_to_html(c).find(student.pseudonym) == std::string::npos, false);
  }
}

TEST(Leaderboard, IsRankedByTheStepThatGivesMostForSpeed) {
  const GpuSample s;
  Class c = class_sample(s, 3);
  const double rates[] = {100, 300, 200};
  for (std::size_t i = 0; i < 3; ++i) {
    c.students[i].pseudonym = std::string("name") + std::to_string(i);
    c.students[i].steps[3].rate = judge::Rate{rates[i], rates[i], rates[i]};
  }
  const std::string page = leaderboard_to_html(c);
  EXPECT_LT(page.find("name1"), page.find("name2"));
  EXPECT_LT(page.find("name2"), page.find("name0"));
}

TEST(Pseudonyms, AreDistinctForAClassOfThousandsAndStay) {
  std::mt19937_64 random(1);
  std::vector<std::string> ids;
  for (int i = 0; i < 3000; ++i) ids.push_back(std::to_string(i));
  const auto first = pseudonyms(ids, {}, random);
  std::set<std::string> distinct;
  for (const auto &[id, name] : first) distinct.insert(name);
  EXPECT_EQ(distinct.size(), 3000u);
  ids.push_back("new");
  const auto second = pseudonyms(ids, first, random);
  for (const auto &[id, name] : first) EXPECT_EQ(second.at(id), name);
  EXPECT_FALSE(distinct.contains(second.at("new")));
}

TEST(Dashboard, HoldsFiveHundredStudentsInAMegabyte) {
  const GpuSample s;
  EXPECT_LT(class_to_html(class_sample(s, 500)).size(), 1u << 20);
}

}  // namespace
}  // namespace warpgrade::report
