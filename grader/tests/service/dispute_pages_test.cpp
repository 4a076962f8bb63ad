// Disputes in a browser: what students write, what the staff see and decide, and who cannot.
#include "service/disputes/dispute_pages.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/zip.hpp"
#include "grading/record_json.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two students whose step0 has a race, in other lines and with other names of an array.
class DisputePagesTest : public tests::Browser {
 protected:
  DisputePagesTest() {
    people.add({"20261234", "A Name", Role::student}, "the test", now);
    mine = graded(token, "first line\n  As[ty][tx] = a;\nlast line\n", 2, "As");
    others = graded(other, "first line\nlast line\n  tile[ty][tx] = a;\n", 3, "tile");
  }
  static grading::StepRecord race(int line, const std::string &array) {
    grading::StepRecord r = tests::record("step0", judge::Verdict::race);
    r.file = "step0_naive.cu";
    r.reason = "a race";
    r.findings = {
        {"race", "error", r.file, line,
         "write after read on shared memory " + array + ", element 0: no barrier (thread (1, 0, 0))"}};
    judge::CaseVerdict failed;
    failed.name = "m=n=k=33";
    failed.values = {{33, 33, 33}, {1, 0}};
    failed.verdict = judge::Verdict::race;
    failed.where = "sim";
    failed.reason = "a race";
    failed.seed = 42;
    r.cases = {failed};
    return r;
  }
  /// The number of the submission.
  std::string graded(const std::string &session, const std::string &text, int line,
                     const std::string &array) {
    const std::string at =
        header(send("/upload", session, {{"assignment", "hw6"}}, {{"step0_naive.cu", text}}), "Location");
    while (!next().empty())
      jobs.finish(claimed.part, grading::to_json(race(line, array)), 0, 1, "conditions");
    return at.substr(at.rfind('/') + 1);
  }
  ApiResponse asked(const std::string &path, const std::string &session, const Fields &query) {
    ApiRequest r = request("GET", path, session);
    r.query = query;
    return api->answer(r);
  }
  static std::string value_after(const std::string &page, const std::string &start) {
    const std::size_t at = page.find(start);
    if (at == std::string::npos) return "";
    return page.substr(at + start.size(), page.find('"', at + start.size()) - at - start.size());
  }
  /// As the form on the page of a submission sends it.
  ApiResponse dispute(const std::string &submission, const std::string &session,
                      const std::string &about = "1.", const std::string &line = "",
                      const std::string &text = "There is a barrier in line 9.") {
    const std::string page = get("/submissions/" + submission, session).body;
    return send("/disputes", session,
                {{"submission", submission},
                 {"version", value_after(page, "name=\"version\" value=\"")},
                 {"about", about},
                 {"line", line},
                 {"text", text}});
  }
  std::string opened(const std::string &submission, const std::string &session,
                     const std::string &about = "1.", const std::string &line = "") {
    return header(dispute(submission, session, about, line), "Location");
  }
  ApiResponse decide(const std::string &at, Fields fields, const std::string &text = "See slide 12.") {
    fields.emplace("last", value_after(get(at, staff).body, "name=\"last\" value=\""));
    fields.emplace("text", text);
    return send(at, staff, std::move(fields));
  }
  std::string text_report(const std::string &submission, const std::string &session) {
    ApiRequest r = request("GET", "/v1/submissions/" + submission + "/report", "");
    r.token = session;
    return in_one_line(api->answer(r).body);
  }
  static std::string in_one_line(const std::string &text) {
    std::string words;
    for (const char c : text)
      if (c != ' ' && c != '\n')
        words += c;
      else if (!words.empty() && words.back() != ' ')
        words += ' ';
    return words;
  }
  std::string mine, others;
};

TEST_F(DisputePagesTest, AnAnswerIsOnThePageOfTheStudentAndInEveryReport) {
  const std::string at = opened(mine, token);
  ASSERT_EQ(at, "/disputes/1");
  EXPECT_THAT(get(at, token).body, HasSubstr("There is a barrier in line 9."));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("The course staff have answered")));
  EXPECT_EQ(decide(at, {{"what", "answer"}}).status, 303);
  EXPECT_THAT(get("/", token).body,
              AllOf(HasSubstr("The course staff have answered"), HasSubstr("Disputes (1 answered)")));
  EXPECT_THAT(get("/", other).body, Not(HasSubstr("The course staff have answered")));
  const std::string said = "Dispute 1 (step0, race in step0_naive.cu:2), answer: See slide 12.";
  EXPECT_THAT(text_report(mine, token), HasSubstr(said));
  EXPECT_THAT(get("/submissions/" + mine + "/report", token).body, HasSubstr(said));
  EXPECT_THAT(get("/", token).body, HasSubstr("The course staff have answered"))
      << "reports do not count as read";
  EXPECT_THAT(get(at, token).body, AllOf(HasSubstr("The course staff, "), HasSubstr("See slide 12."),
                                         Not(HasSubstr("assistant"))));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("The course staff have answered")));
  EXPECT_THAT(get("/submissions/" + mine, token).body, HasSubstr("answered"));
  EXPECT_THAT(get("/disputes", token).body, HasSubstr("step0, race in step0_naive.cu:2"));
  EXPECT_THAT(text_report(others, other), Not(HasSubstr("slide 12")));
}

TEST_F(DisputePagesTest, TheInboxHasNameLineCaseCommandAndSimilarOnes) {
  opened(mine, token);
  opened(others, other);
  EXPECT_THAT(get("/queue", staff).body, HasSubstr("Disputes (2)"));
  const std::string inbox = get("/disputes", staff).body;
  for (const char *part :
       {"20261234, A Name", "step0, race in step0_naive.cu:2", "As[ty][tx] = a;", "m=n=k=33",
        "./grade step0 --submission dispute-1 --case &quot;m=n=k=33&quot; --seed 42",
        "There is a barrier in line 9.", "/students/20261234", "/disputes/1#similar"})
    EXPECT_THAT(inbox, HasSubstr(part));
  EXPECT_THAT(inbox, HasSubstr("/submissions/" + mine + "/report"));
  EXPECT_LT(inbox.find("\"/disputes/1\""), inbox.find("\"/disputes/2\"")) << "the oldest first";
  EXPECT_THAT(get("/disputes/1", staff).body, HasSubstr("tile[ty][tx] = a;")) << "the same cause";
  const ApiResponse files = get("/disputes/1/files", staff);
  const auto entries = stored_entries(files.body);
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->at(0).path, "step0_naive.cu");
  EXPECT_THAT(entries->at(0).content, HasSubstr("As[ty][tx] = a;"));
}

TEST_F(DisputePagesTest, AnInboxThatIsTooLongSaysSoAndTheExportHasAll) {
  EXPECT_THAT(get("/disputes", staff).body, Not(HasSubstr("disputes.csv has all of them")));
  Disputes disputes(store);
  for (int i = 0; i < 201; ++i) {
    const std::string student = fmt::format("student{}", i);
    people.add({student, "", Role::student}, "the test", now);
    ASSERT_TRUE(disputes.open(student, {"hw6", std::stoll(mine), {"step0", "", ""}, "", "", 0, "", "", ""},
                              "x", now));
  }
  const std::string inbox = get("/disputes", staff).body;
  EXPECT_THAT(inbox, AllOf(HasSubstr("disputes.csv has all of them"), HasSubstr("201 open"),
                           HasSubstr("student199"), Not(HasSubstr("student200"))));
  EXPECT_THAT(get("/disputes.csv", staff).body, HasSubstr("student200"));
}

TEST_F(DisputePagesTest, ALineOfTheReportLeadsToTheFormForItsFindingOrForTheLine) {
  const std::string report = get("/submissions/" + mine + "/report", token).body;
  EXPECT_THAT(report, HasSubstr(fmt::format("\"/submissions/{}?step=step0&amp;line=3#dispute\"", mine)));
  EXPECT_THAT(get("/submissions/" + mine + "/report", staff).body, Not(HasSubstr("#dispute")));
  EXPECT_THAT(asked("/submissions/" + mine, token, {{"step", "step0"}, {"line", "2"}}).body,
              HasSubstr("<option selected>1. step0: race in step0_naive.cu:2"));
  const std::string of_line = asked("/submissions/" + mine, token, {{"step", "step0"}, {"line", "3"}}).body;
  EXPECT_THAT(of_line,
              AllOf(HasSubstr("<option selected>2. step0: the line below"), HasSubstr("value=\"3\"")));
  EXPECT_EQ(asked("/submissions/" + mine, token, {{"step", "<x>"}, {"line", "99999999999999999999"}}).status,
            200);
  EXPECT_THAT(get(opened(mine, token, "2.", "3"), token).body,
              AllOf(HasSubstr("line 3 of step0"), HasSubstr("last line")));
  EXPECT_THAT(dispute(mine, token, "2.", "4").body, HasSubstr("has the lines 1 to 3"));
  EXPECT_EQ(dispute(mine, token, "2.", "0").status, 400);
  EXPECT_EQ(dispute(mine, token, "3.").status, 400);
  EXPECT_EQ(dispute(mine, token, "").status, 400);
}

TEST_F(DisputePagesTest, AFaultOfTheGraderIsToldAsOursCountedAndLeadsToGradingAgain) {
  const std::string at = opened(mine, token);
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("1 open; 0 showed that the grader was wrong"));
  EXPECT_EQ(decide(at, {{"what", "our_fault"}}, "The barrier was not seen.").status, 303);
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("0 open; 1 showed that the grader was wrong"));
  EXPECT_THAT(get(at, staff).body,
              AllOf(HasSubstr("Grade again what counts"), HasSubstr("action=\"/regrading/hw6\"")));
  EXPECT_THAT(get(at, token).body, AllOf(HasSubstr("the grader was wrong, which is our fault and not yours"),
                                         Not(HasSubstr("Grade again"))));
  EXPECT_THAT(text_report(mine, token), HasSubstr("our fault and not yours: The barrier was not seen."));
  EXPECT_EQ(orders().audit(1).at(0).what, "dispute: fault of the grader");
}

TEST_F(DisputePagesTest, PointsAreAnOrderWithTheReasonAndWrongOnesDecideNothing) {
  const std::string at = opened(mine, token);
  for (const char *points : {"", "-1", "1e9", "nan", "5x"})
    EXPECT_EQ(decide(at, {{"what", "points"}, {"points", points}}).status, 400) << points;
  EXPECT_EQ(decide(at, {{"what", "points"}, {"points", "5"}, {"last", "99"}}).status, 409);
  EXPECT_TRUE(orders().open("hw6").empty());
  EXPECT_THAT(get(at, staff).body, HasSubstr("Dispute 1: open"));
  EXPECT_EQ(decide(at, {{"what", "points"}, {"points", "5"}}, "the header was ours").status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].student, "20261234");
  EXPECT_EQ(open[0].step, "step0");
  EXPECT_EQ(open[0].points, 5);
  EXPECT_EQ(open[0].reason, "the header was ours");
  EXPECT_THAT(get(at, token).body,
              AllOf(HasSubstr("points given"), HasSubstr("5 points for step0: the header was ours")));
}

TEST_F(DisputePagesTest, ANoteIsReadByEverybodyWithTheFindingUntilItIsTakenBack) {
  const std::string at = opened(mine, token);
  EXPECT_EQ(send("/disputes/notes", staff,
                 {{"dispute", "1"}, {"where", "this step"}, {"text", "Look at slide 12."}})
                .status,
            303);
  const std::string said = "The course staff about race at step0_naive.cu:3 in step0: Look at slide 12.";
  EXPECT_THAT(text_report(others, other), HasSubstr(said)) << "another line, another array";
  EXPECT_THAT(get("/submissions/" + others, other).body, HasSubstr("Look at slide 12."));
  EXPECT_THAT(get("/submissions/" + others + "/report", other).body, HasSubstr(said));
  const std::string later = graded(other, "first\nsecond\nthird\nfourth\n", 4, "B");
  EXPECT_THAT(text_report(later, other), HasSubstr("step0_naive.cu:4 in step0: Look at slide 12."));
  EXPECT_THAT(get(at, staff).body, HasSubstr("Take back"));
  EXPECT_EQ(send("/disputes/notes", staff, {{"note", "1"}}).status, 303);
  EXPECT_THAT(text_report(others, other), Not(HasSubstr("slide 12")));
  EXPECT_EQ(send("/disputes/notes", staff, {{"note", "1"}}).status, 404);
  EXPECT_EQ(orders().audit(2).at(1).what, "note on a finding");
  EXPECT_EQ(orders().audit(2).at(0).what, "note taken back");
}

TEST_F(DisputePagesTest, ANoteNeedsNoDisputeAndIsForItsCauseAlone) {
  const std::string page = get("/submissions/" + mine, staff).body;
  const Fields form = {{"submission", mine},
                       {"version", value_after(page, "name=\"version\" value=\"")},
                       {"about", "1."},
                       {"where", "every step"},
                       {"text", "Look at slide 12."}};
  EXPECT_EQ(send("/disputes/notes", staff, form).status, 303);
  EXPECT_THAT(text_report(others, other), HasSubstr("slide 12"));
  grading::StepRecord another = race(2, "As");
  another.findings[0].message =
      "write after read on shared memory As, element 0: the barrier is not reached by all";
  const std::string at =
      header(send("/upload", other, {{"assignment", "hw6"}}, {{"step0_naive.cu", "other text"}}), "Location");
  ASSERT_EQ(next(), "20265678");
  jobs.finish(claimed.part, grading::to_json(another), 0, 1, "conditions");
  EXPECT_THAT(get(at, other).body, Not(HasSubstr("slide 12"))) << "the same rule with another cause";
  Fields wrong = form;
  wrong["about"] = "2.";
  EXPECT_EQ(send("/disputes/notes", staff, wrong).status, 400) << "a whole step is no finding";
  wrong = form;
  wrong["version"] = "of another grading";
  EXPECT_EQ(send("/disputes/notes", staff, wrong).status, 409);
}

TEST_F(DisputePagesTest, OneAnswerCanBeForAllSimilarOpenOnes) {
  const std::string at = opened(mine, token), second = opened(others, other),
                    whole = opened(others, other, "2.");
  const std::string page = get(at, staff).body;
  EXPECT_THAT(page, AllOf(HasSubstr("<option>this and 1 similar open one</option>"),
                          HasSubstr("<option>this and 1 other open one with the same cause</option>")));
  const std::string similar = value_after(page, "name=\"similar\" value=\"");
  EXPECT_EQ(similar, "2:2");
  EXPECT_EQ(decide(at, {{"what", "answer"}, {"scope", "all of them"}}).status, 400);
  const ApiResponse decided =
      decide(at, {{"what", "answer"}, {"scope", "this and 1 similar open one"}, {"similar", similar}});
  EXPECT_EQ(header(decided, "Location"), "/disputes/1");
  EXPECT_THAT(get(second, other).body, HasSubstr("See slide 12."));
  EXPECT_THAT(get(whole, other).body, Not(HasSubstr("See slide 12.")));
}

TEST_F(DisputePagesTest, AnAnswerForAllLeavesOutThoseThatChangedAfterThePageWasMade) {
  const std::string at = opened(mine, token), second = opened(others, other);
  const std::string page = get(at, staff).body, similar = value_after(page, "name=\"similar\" value=\"");
  const std::string later = opened(others, other);
  EXPECT_EQ(send(second, other, {{"what", "comment"}, {"text", "Line 9, I mean."}}).status, 303);
  const std::string to =
      header(decide(at, {{"what", "answer"}, {"scope", "this and 1 similar open one"}, {"similar", similar}}),
             "Location");
  EXPECT_EQ(to, "/disputes/1?left_out=1");
  EXPECT_THAT(asked("/disputes/1", staff, {{"left_out", "1"}}).body,
              HasSubstr("1 of the similar disputes was left out"));
  EXPECT_THAT(get(at, token).body, HasSubstr("See slide 12."));
  for (const std::string &unread : {second, later})
    EXPECT_THAT(get(unread, other).body, Not(HasSubstr("See slide 12."))) << unread;
}

TEST_F(DisputePagesTest, AFaultOfTheGraderReachesOnlyTheSameCause) {
  const std::string at = opened(mine, token, "2.", "2");
  const std::string same_line = opened(mine, token);
  const std::string page = get(at, staff).body;
  EXPECT_THAT(
      page, AllOf(HasSubstr("this and 1 similar open one"), Not(HasSubstr("with the same cause</option>"))));
  EXPECT_EQ(header(decide(at, {{"what", "our_fault"},
                               {"scope", "this and 1 similar open one"},
                               {"similar", value_after(page, "name=\"similar\" value=\"")}}),
                   "Location"),
            "/disputes/1?left_out=1");
  EXPECT_THAT(get(same_line, staff).body, HasSubstr("Dispute 2: open"));
}

TEST_F(DisputePagesTest, AfterItIsOpenedAgainTheReportSaysSoAndNoLongerThatItWasOurFault) {
  const std::string at = opened(mine, token), which = "Dispute 1 (step0, race in step0_naive.cu:2)";
  decide(at, {{"what", "our_fault"}}, "The barrier was not seen.");
  decide(at, {{"what", "reopen"}}, "There is none.");
  EXPECT_THAT(
      text_report(mine, token),
      AllOf(HasSubstr(which + " is open again, and that the grader was wrong is taken back: There is none."),
            Not(HasSubstr("our fault"))));
  EXPECT_THAT(get("/", token).body,
              AllOf(Not(HasSubstr("The course staff have answered")), Not(HasSubstr("(1 answered)"))));
  EXPECT_THAT(get(at, token).body, AllOf(HasSubstr("our fault and not yours (taken back)"),
                                         HasSubstr("opened it again, and have not decided yet")));
  decide(at, {{"what", "answer"}});
  EXPECT_THAT(text_report(mine, token),
              AllOf(HasSubstr(which + ", answer: See slide 12."), Not(HasSubstr("open again"))));
  send(at, token, {{"what", "comment"}, {"text", "But look."}});
  EXPECT_THAT(text_report(mine, token), AllOf(HasSubstr(which + " is open again, after a further comment."),
                                              Not(HasSubstr("taken back"))));
}

TEST_F(DisputePagesTest, AFaultOfTheGraderCanBeTakenBackWhileTheDisputeIsOpen) {
  const std::string at = opened(mine, token);
  EXPECT_THAT(get(at, staff).body, Not(HasSubstr("Take back</button>")));
  decide(at, {{"what", "our_fault"}}, "The barrier was not seen.");
  send(at, token, {{"what", "comment"}, {"text", "Thank you."}});
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("1 open; 1 showed that the grader was wrong"));
  EXPECT_THAT(get(at, staff).body, HasSubstr("Take back</button>"));
  decide(at, {{"what", "reopen"}}, "It was seen.");
  EXPECT_THAT(get("/staff", staff).body, HasSubstr("1 open; 0 showed that the grader was wrong"));
}

TEST_F(DisputePagesTest, AReasonForPointsIsOneLineOfTheReportAndCountsInCharacters) {
  const std::string at = opened(mine, token);
  std::string syllables;
  for (std::size_t i = 0; i < longest_comment - 2; ++i) syllables += "\uac00";  // three bytes each
  EXPECT_EQ(decide(at, {{"what", "points"}, {"points", "5"}}, syllables + "\r\nb").status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].reason, syllables + " b");
  EXPECT_EQ(send("/announce", staff, {{"text", syllables}}).status, 303);
  EXPECT_EQ(send("/announce", staff, {{"text", syllables + "abc"}}).status, 413);
}

TEST_F(DisputePagesTest, ANoteBelowAReportSaysWhomItReachesWithoutARecognisedCause) {
  const std::string warning =
      "Finding 1: The grader recognised no cause here, so this reaches every wrong_answer "
      "without a recognised cause.";
  EXPECT_THAT(get("/submissions/" + mine, staff).body, Not(HasSubstr("recognised no cause")));
  const std::string at =
      header(send("/upload", other, {{"assignment", "hw6"}}, {{"step0_naive.cu", "unknown"}}), "Location");
  ASSERT_EQ(next(), "20265678");
  grading::StepRecord record = tests::record("step0", judge::Verdict::wrong_answer);
  record.reason = "all 9 elements of C are wrong";
  jobs.finish(claimed.part, grading::to_json(record), 0, 1, "conditions");
  EXPECT_THAT(get(at, staff).body, HasSubstr(warning));
  EXPECT_THAT(get(at, other).body, Not(HasSubstr("recognised no cause")));
}

TEST_F(DisputePagesTest, ALineBesideAFindingIsItsOwnOrRefused) {
  EXPECT_EQ(dispute(mine, token, "1.", "2").status, 303);
  for (const char *line : {"3", "0", "x", "2x"}) {
    const ApiResponse refused = dispute(mine, token, "1.", line);
    EXPECT_EQ(refused.status, 400) << line;
    EXPECT_THAT(refused.body,
                HasSubstr(std::string("You chose the finding at line 2, and line ") + line + " too."));
  }
}

TEST_F(DisputePagesTest, AQuotedLineEndsWithAWholeCharacter) {
  std::string line = "  //";
  for (int i = 0; i < 60; ++i) line += "\uac00";  // three bytes each, after two
  const std::string text = "first line\n" + line + "\n";
  const std::string number = graded(token, text, 2, "As");
  for (const std::string &at : {opened(number, token), opened(number, token, "2.", "2")}) {
    const std::string quoted = Disputes(store).find(std::stoll(at.substr(at.rfind('/') + 1)))->about.quoted;
    EXPECT_EQ(quoted, line.substr(2, 119)) << at;
    EXPECT_THAT(get(at, token).body, Not(HasSubstr("\\x"))) << at;
  }
}

TEST_F(DisputePagesTest, AFormThatIsTooLongIsRefusedOnAPageThatSaysSo) {
  ApiRequest r = request("POST", "/disputes", token);
  r.body = std::string(most_form_bytes + 1, 'x');
  const ApiResponse refused = api->answer(r);
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.type, "text/html; charset=utf-8");
  EXPECT_THAT(refused.body,
              HasSubstr("This form has 257 KiB as it was sent, and a form may have at most 256."));
}

TEST_F(DisputePagesTest, AReportThatChangedIsReadAgainBeforeItIsDisputed) {
  const std::string page = get("/submissions/" + mine, token).body;
  const Fields form = {{"submission", mine},
                       {"version", value_after(page, "name=\"version\" value=\"")},
                       {"about", "1."},
                       {"line", ""},
                       {"text", "x"}};
  const std::string at = opened(mine, token);
  const std::string file = jobs.submission(std::stoll(mine))->parts.at(0).file;
  jobs.queue_again("hw6", "step0", file);
  EXPECT_EQ(send("/disputes", token, form).status, 409) << "not graded";
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(tests::record("step0")), 10, 1, "conditions");
  EXPECT_THAT(send("/disputes", token, form).body, HasSubstr("was graded again"));
  EXPECT_THAT(get(at, staff).body, AllOf(HasSubstr("step0, race in step0_naive.cu:2"), HasSubstr("m=n=k=33")))
      << "what was disputed";
}

TEST_F(DisputePagesTest, ADecisionIsRefusedAfterAFurtherComment) {
  const std::string at = opened(mine, token);
  const std::string last = value_after(get(at, staff).body, "name=\"last\" value=\"");
  EXPECT_EQ(send(at, token, {{"what", "comment"}, {"text", "Line 9, I mean."}}).status, 303);
  EXPECT_EQ(decide(at, {{"what", "answer"}, {"last", last}}).status, 409);
  EXPECT_EQ(decide(at, {{"what", "answer"}}).status, 303);
  EXPECT_EQ(decide(at, {{"what", "reopen"}}, "I was wrong").status, 303);
  EXPECT_THAT(get(at, staff).body, HasSubstr("Dispute 1: open"));
  EXPECT_EQ(decide(at, {{"what", "dance"}}).status, 400);
}

TEST_F(DisputePagesTest, TheExportHasNamesAndNothingThatASpreadsheetRuns) {
  const std::string at = header(dispute(mine, token, "1.", "", "=HYPERLINK(\"x\")"), "Location");
  decide(at, {{"what", "answer"}}, "no, \"x\"");
  const ApiResponse csv = get("/disputes.csv", staff);
  EXPECT_EQ(csv.type, "text/csv; charset=utf-8");
  EXPECT_THAT(csv.body, HasSubstr("dispute,opened,student,name,assignment,submission,step,finding,"));
  EXPECT_THAT(csv.body,
              AllOf(HasSubstr("20261234,A Name,hw6,"), HasSubstr("m=n=k=33"), HasSubstr("\"'=HYPERLINK"),
                    HasSubstr(",answered,no,assistant,\"no, \"\"x\"\"\"")));
}

TEST_F(DisputePagesTest, SomebodyElsesDisputeLooksLikeNoneAndOnlyTheStaffDecide) {
  const std::string at = opened(mine, token);
  for (const std::string &path : {at, at + "/files", std::string("/disputes/99"), std::string("/disputes/x"),
                                  std::string("/disputes/")}) {
    EXPECT_EQ(get(path, other).status, 404) << path;
    EXPECT_EQ(get(path, other).body, get("/disputes/99", other).body) << path;
  }
  EXPECT_EQ(get(at + "/files", token).status, 403);
  EXPECT_THAT(get("/disputes", other).body,
              AllOf(Not(HasSubstr("20261234")), HasSubstr("You have disputed nothing")));
  EXPECT_EQ(get("/disputes.csv", token).status, 403);
  EXPECT_EQ(dispute(mine, other).status, 404) << "a submission of somebody else";
  EXPECT_EQ(send("/disputes", staff, {{"submission", mine}, {"text", "x"}}).status, 403);
  EXPECT_EQ(send(at, other, {{"what", "comment"}, {"text", "x"}}).status, 404);
  EXPECT_EQ(send(at, staff, {{"what", "comment"}, {"text", "x"}}).status, 403);
  for (const char *what : {"answer", "points", "our_fault", "reopen"})
    EXPECT_EQ(send(at, token, {{"what", what}, {"text", "x"}, {"points", "5"}, {"last", "1"}}).status, 403)
        << what;
  EXPECT_EQ(send("/disputes/notes", token, {{"dispute", "1"}, {"where", "this step"}, {"text", "x"}}).status,
            403);
  EXPECT_THAT(get(at, token).body, AllOf(HasSubstr("open"), Not(HasSubstr("Give points"))));
  EXPECT_TRUE(orders().open("hw6").empty());
}

TEST_F(DisputePagesTest, TheCaseOfADisputeIsForTheStaffAloneWhereItIsHidden) {
  grading::StepRecord record = race(2, "As");
  record.cases[0].name = "m=77 n=5 k=3";
  record.cases[0].visibility = course::Visibility::hidden;
  const std::string at =
      header(send("/upload", token, {{"assignment", "hw6"}}, {{"step0_naive.cu", "hidden"}}), "Location");
  ASSERT_EQ(next(), "20261234");
  jobs.finish(claimed.part, grading::to_json(record), 0, 1, "conditions");
  const std::string dispute_at = opened(at.substr(at.rfind('/') + 1), token);
  decide(dispute_at, {{"what", "answer"}});
  for (const std::string &path : {at, at + "/report", dispute_at, std::string("/disputes"), std::string("/")})
    EXPECT_THAT(get(path, token).body, Not(HasSubstr("m=77"))) << path;
  EXPECT_THAT(get(dispute_at, staff).body, HasSubstr("m=77 n=5 k=3"));
}

TEST_F(DisputePagesTest, AFormOfAnotherSiteDisputesAndDecidesNothing) {
  const std::string at = opened(mine, token);
  for (const Fields &fields : {Fields{{"csrf", ""}}, Fields{{"csrf", csrf_of(other)}}, Fields{}})
    for (const auto &[path, session] :
         std::vector<std::pair<std::string, std::string>>{{"/disputes", token},
                                                          {at, token},
                                                          {at, staff},
                                                          {"/disputes/notes", staff},
                                                          {"/disputes/99", token}}) {
      ApiRequest r = request("POST", path, session);
      r.form = fields;
      r.form.insert({{"submission", mine}, {"what", "answer"}, {"text", "x"}, {"last", "1"}, {"note", "1"}});
      EXPECT_EQ(api->answer(r).status, 403) << path;
    }
  EXPECT_THAT(get(at, staff).body, HasSubstr("Dispute 1: open"));
}

TEST_F(DisputePagesTest, MarkupInACommentAnAnswerAndANoteStaysText) {
  const std::string evil = "<img src=x onerror=alert(1)>\n</pre><script>\"'&\xe2\x80\xae";
  const std::string at = header(dispute(mine, token, "1.", "", evil), "Location");
  decide(at, {{"what", "answer"}}, evil);
  send("/disputes/notes", staff, {{"dispute", "1"}, {"where", "every step"}, {"text", evil}});
  for (const auto &[path, session] :
       std::vector<std::pair<std::string, std::string>>{{at, token},
                                                        {at, staff},
                                                        {"/disputes", staff},
                                                        {"/disputes", token},
                                                        {"/", token},
                                                        {"/submissions/" + mine, token},
                                                        {"/submissions/" + mine, staff},
                                                        {"/submissions/" + mine + "/report", token},
                                                        {"/staff", teacher}}) {
    const std::string page = get(path, session).body;
    EXPECT_THAT(page, Not(HasSubstr("<img"))) << path;
    EXPECT_THAT(page, Not(HasSubstr("</pre><script>"))) << path;
    EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xae"))) << path << " reorders text";
  }
  EXPECT_THAT(get(at, staff).body, HasSubstr("&lt;img src=x"));
  EXPECT_THAT(get(at, staff).body, HasSubstr("script-src &apos;none&apos;"));
}

TEST_F(DisputePagesTest, TextThatIsTooLongOrNoTextIsRefusedAndNothingIsKept) {
  std::string most;
  for (std::size_t i = 0; i < longest_comment; ++i) most += "\u00e9";  // two bytes each
  EXPECT_EQ(dispute(mine, token, "1.", "", most + "x").status, 413);
  EXPECT_THAT(dispute(mine, token, "1.", "", most + "x").body,
              HasSubstr("has 2001 characters, and at most 2000 are taken"));
  EXPECT_EQ(dispute(mine, token, "1.", "", " \r\n").status, 400);
  EXPECT_EQ(dispute(mine, token, "1.", "", "\xff").status, 400);
  EXPECT_EQ(dispute(mine, token, "1.", "", std::string("a\0b", 3)).status, 400);
  EXPECT_THAT(get("/disputes", token).body, HasSubstr("You have disputed nothing"));
  const std::string at = header(dispute(mine, token, "1.", "", most), "Location");
  EXPECT_EQ(decide(at, {{"what", "answer"}}, most + "x").status, 413);
  EXPECT_EQ(
      send("/disputes/notes", staff, {{"dispute", "1"}, {"where", "this step"}, {"text", most + "x"}}).status,
      413);
  for (int i = 1; i < most_open_disputes; ++i) EXPECT_EQ(dispute(mine, token).status, 303);
  const ApiResponse refused = dispute(mine, token);
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("You have 20 open disputes in hw6"));
}

}  // namespace
}  // namespace warpgrade::service
