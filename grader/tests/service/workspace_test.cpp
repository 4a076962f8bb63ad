// The workspace: drafts that nothing loses, a queue of runs that is fair, and a page that works without a script.
#include "service/workspace/workspace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/files.hpp"
#include "base/zip.hpp"
#include "grading/record_json.hpp"
#include "service/workspace/drafts.hpp"
#include "service/workspace/formatting.hpp"
#include "service/workspace/trial_queue.hpp"
#include "service/workspace/trials.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::tests {
namespace {

using service::Draft;
using service::Saved;
using service::Trial;
using service::TrialKind;
using service::TrialState;
using ::testing::HasSubstr;
using ::testing::Not;

class DraftTest : public ::testing::Test, protected AService {
 protected:
  Saved save(const std::string &text, std::int64_t based_on, const std::string &tab = "", bool keep = false) {
    return drafts.save(of, text, {based_on, keep, false, tab}, now);
  }
  std::string text_now() {
    const auto draft = drafts.current(of);
    return draft ? draft->text : "(the starter's)";
  }
  service::Drafts drafts{store};
  const service::DraftOf of{"20261234", "hw6", "step0_naive.cu"};
};

TEST_F(DraftTest, WhatIsTypedWithinAMinuteIsOneVersionAndTheNextMinuteBeginsAnother) {
  std::int64_t version = 0;
  for (int second = 0; second < 60; second += 10, now += 10)
    version = save("text " + std::to_string(second), version, "a").version;
  EXPECT_EQ(drafts.history(of, 10).size(), 1u);
  version = save("later", version, "a").version;
  EXPECT_EQ(drafts.history(of, 10).size(), 2u);
  EXPECT_EQ(text_now(), "later");
}

TEST_F(DraftTest, AVersionThatWasRunIsNotMergedWithTheNext) {
  const Saved run = save("run", 0, "a", true);
  save("typed on", run.version, "a");
  ASSERT_EQ(drafts.history(of, 10).size(), 2u);
  EXPECT_EQ(drafts.version(of, run.version)->text, "run");
}

TEST_F(DraftTest, ASecondTabPutsItsTextAsideAndNeitherIsLost) {
  const Saved first = save("as both read it", 0, "a");
  now += 100;
  const Saved one = save("from one tab", first.version, "a");
  const Saved other = save("from the other", first.version, "b");
  EXPECT_FALSE(one.conflict);
  EXPECT_TRUE(other.conflict);
  EXPECT_EQ(other.current, one.version);
  EXPECT_EQ(text_now(), "from one tab");
  EXPECT_EQ(drafts.version(of, other.version)->text, "from the other");
  // Its owner decides for it.
  EXPECT_FALSE(save("from the other", other.current, "b").conflict);
  EXPECT_EQ(text_now(), "from the other");
}

TEST_F(DraftTest, ATabThatMissedAnAnswerDoesNotContradictItself) {
  save("first", 0, "a");  // the answer is lost, so the tab does not know this version
  EXPECT_FALSE(save("second", 0, "a").conflict);
  EXPECT_EQ(text_now(), "second");
}

TEST_F(DraftTest, TheSameTextIsTheSameVersionWhoeverSavesIt) {
  const Saved first = save("text", 0, "a");
  const Saved again = save("text", 0, "b");
  EXPECT_FALSE(again.conflict);
  EXPECT_EQ(again.version, first.version);
}

TEST_F(DraftTest, OfVersionsThatNobodyKeptTheOldestGoFirstAndKeptOnesStay) {
  std::int64_t version = save("kept", 0, "a", true).version;
  const std::int64_t kept = version;
  for (int i = 0; i < service::Drafts::most_versions + 20; ++i) {
    now += 100;
    version = save("text " + std::to_string(i), version, "a").version;
  }
  EXPECT_TRUE(drafts.version(of, kept));
  EXPECT_EQ(drafts.history(of, 1000).size(), static_cast<std::size_t>(service::Drafts::most_versions) + 1);
  EXPECT_EQ(text_now(), "text 319");
}

TEST_F(DraftTest, WhatTakesThePlaceOfAnotherTextWithinTheMinuteLeavesThatInTheHistory) {
  const Saved typed = save("typed", 0, "a");
  drafts.save(of, "from a file", {typed.version, false, true, "a"}, now);
  EXPECT_EQ(text_now(), "from a file");
  EXPECT_EQ(drafts.version(of, typed.version)->text, "typed");
}

TEST_F(DraftTest, LargeVersionsAreBoundedByTheirBytesAndTheCurrentOneStays) {
  std::string noise(1 << 20, ' ');
  std::mt19937 random(1);
  std::int64_t version = 0;
  for (int i = 0; i < 20; ++i) {
    for (char &c : noise) c = static_cast<char>('!' + random() % 90);
    version = save(noise, version, "a", true).version;
  }
  EXPECT_LT(drafts.history(of, 100).size(), 20u);
  EXPECT_EQ(text_now(), noise);
}

TEST_F(DraftTest, SomebodyElsesVersionDoesNotExist) {
  const Saved mine = save("mine", 0, "a");
  EXPECT_FALSE(drafts.version({"20265678", "hw6", "step0_naive.cu"}, mine.version));
  EXPECT_FALSE(drafts.version({"20261234", "hw6", "step1_coalesced.cu"}, mine.version));
}

class TrialTest : public ::testing::Test, protected AService {
 protected:
  TrialTest() { trials.announce("hw6", {true, "", "{}", "conditions", now}); }
  std::int64_t ask(const std::string &student, const std::string &text, const std::string &step_id = "step0",
                   double seconds_an_hour = 0) {
    ++now;
    const auto asked =
        trials.ask({{student, "hw6", step_id, TrialKind::grade}, 1, text}, seconds_an_hour, now);
    refused_for = asked.retry_after;
    return asked.trial;
  }
  std::int64_t next() {
    const auto trial = trials.claim("hw6", now);
    return trial ? trial->id : 0;
  }
  void finish(std::int64_t id, double seconds) {
    Trial trial = *trials.find(id);
    trial.record = "{}";
    trial.seconds = seconds;
    trials.finish(trial, "conditions");
  }
  TrialState state(std::int64_t id) { return trials.find(id)->state; }
  service::Trials trials{store};
  std::int64_t refused_for = 0;
};

TEST_F(TrialTest, ALaterVersionReplacesTheOneThatWaits) {
  const auto first = ask("20261234", "one"), second = ask("20261234", "two");
  EXPECT_FALSE(trials.find(first));
  EXPECT_EQ(next(), second);
  EXPECT_EQ(next(), 0);
}

TEST_F(TrialTest, AKeyThatIsPressedTwiceIsOneRun) {
  const auto first = ask("20261234", "one");
  EXPECT_EQ(ask("20261234", "one"), first);
  EXPECT_EQ(next(), first);
  EXPECT_EQ(ask("20261234", "one"), first) << "while it runs, too";
}

TEST_F(TrialTest, OnePersonHasOneRunAtATimeAndOthersDoNotWaitForIt) {
  const auto first = ask("20261234", "one");
  EXPECT_EQ(next(), first);
  const auto second = ask("20261234", "two"), other = ask("20265678", "three");
  EXPECT_EQ(next(), other);
  EXPECT_EQ(next(), 0);
  finish(first, 1);
  EXPECT_EQ(next(), second);
}

TEST_F(TrialTest, ATextIsFormattedBeforeRunsAndBesideOnesOwn) {
  const auto run = ask("20261234", "text");
  EXPECT_EQ(next(), run);
  ask("20265678", "another");
  const auto of = [&](const char *text) {
    return trials.ask({{"20261234", "hw6", "step0", TrialKind::layout}, 1, text}, 0, now).trial;
  };
  const auto first = of("int  x;");
  EXPECT_EQ(next(), first);
  of("int  y;");
  EXPECT_EQ(trials.find(next())->person, "20265678") << "one text of each person at a time";
}

TEST_F(TrialTest, WhoUsedLessTimeInTheLastMinutesComesFirst) {
  finish((ask("20261234", "slow"), next()), 20);
  finish((ask("20265678", "quick"), next()), 1);
  ask("20261234", "more");
  const auto other = ask("20265678", "more of the other");
  EXPECT_EQ(next(), other);
}

TEST_F(TrialTest, OfARunThatWaitsOnlyOneOfTheSameStepIsDropped) {
  ask("20261234", "one", "step0");
  const auto second = ask("20261234", "two", "step1");
  EXPECT_EQ(state(second), TrialState::queued);
  EXPECT_EQ(state(next()), TrialState::running);
}

TEST_F(TrialTest, WhatIsDoneNoLongerHasItsBytes) {
  const auto id = ask("20261234", "text");
  EXPECT_EQ(trials.bytes_of(*trials.find(id)), "text");
  finish((next(), id), 1);
  EXPECT_EQ(trials.bytes_of(*trials.find(id)), "");
}

TEST_F(TrialTest, TheTimeOfAnHourIsLimitedAndTheRefusalSaysUntilWhen) {
  finish((ask("20261234", "slow", "step0", 60), next()), 61);
  EXPECT_EQ(ask("20261234", "again", "step0", 60), 0);
  EXPECT_GT(refused_for, 3000);
  EXPECT_LE(refused_for, 3600);
  const std::int64_t pause = refused_for;
  EXPECT_GT(ask("20265678", "another's", "step0", 60), 0) << "somebody else's time is not used";
  now += pause + 1;
  EXPECT_GT(ask("20261234", "again", "step0", 60), 0);
}

TEST_F(TrialTest, TheSameBytesUnderTheSameConditionsAreNotRunAgainWhoeverAsks) {
  finish((ask("20261234", "text"), next()), 2);
  const auto known = ask("20265678", "text");
  EXPECT_EQ(state(known), TrialState::done);
  EXPECT_EQ(trials.find(known)->record, "{}");
  EXPECT_EQ(trials.find(known)->seconds, 0);
  trials.announce("hw6", {true, "", "{}", "other conditions", now});
  EXPECT_EQ(state(ask("20265678", "text")), TrialState::queued);
}

TEST_F(TrialTest, WhatFailedOnOurSideIsRunAgain) {
  const auto id = (ask("20261234", "text"), next());
  Trial trial = *trials.find(id);
  trial.record = "{}";
  trials.finish(trial, "");
  EXPECT_EQ(state(ask("20261234", "text")), TrialState::queued);
}

TEST_F(TrialTest, OthersWaitWhileSomebodyElsesRunIsQueuedOrASubmissionThatCanBeGraded) {
  const auto others_wait = [&] { return trials.others_wait("20261234", "hw6"); };
  ask("20261234", "text");
  trials.ask({{"20265678", "hw6", "step0", TrialKind::layout}, 1, "to be formatted"}, 0, now);
  EXPECT_FALSE(others_wait()) << "one's own run is not another's, and formatting takes a moment";
  ask("20265678", "text");
  EXPECT_TRUE(others_wait());
  EXPECT_FALSE(trials.others_wait("20265678", "banks")) << "another assignment has workers of its own";
  while (const auto id = next()) finish(id, 1);
  jobs.submit("20265678", "hw6", {{"step0", "bytes"}}, {}, now);
  jobs.announce({"hw6", false, "no GPU", "", "conditions", 4, now});
  EXPECT_FALSE(others_wait()) << "nothing grades it";
  jobs.announce({"hw6", true, "", "", "conditions", 4, now});
  EXPECT_TRUE(others_wait());
  jobs.announce({"hw6", true, "", "", "conditions", service::slots_of_a_cluster, now});
  EXPECT_FALSE(others_wait()) << "a cluster grades it";
}

TEST_F(TrialTest, WhatRanWhenItsProcessEndedIsRunAgain) {
  const auto id = ask("20261234", "text");
  EXPECT_EQ(next(), id);
  trials.put_back("hw6");
  EXPECT_EQ(next(), id);
}

TEST_F(TrialTest, OnlyTheLatestPageOfAStepIsKept) {
  std::vector<std::int64_t> ids;
  for (const char *text : {"one", "two"}) {
    const auto asked = trials.ask({{"20261234", "hw6", "step0", TrialKind::debug}, 1, text}, 0, ++now);
    Trial trial = *trials.claim("hw6", now);
    trial.page = std::string("page of ") + text;
    trials.finish(trial, "conditions");
    ids.push_back(asked.trial);
  }
  EXPECT_EQ(trials.find(ids[0])->page, "");
  EXPECT_EQ(trials.find(ids[1])->page, "page of two");
}

class WorkspacePageTest : public Browser {
 protected:
  WorkspacePageTest() { trials.announce("hw6", {true, "", "", "conditions", now}); }
  using Json = nlohmann::json;
  ApiResponse post(const std::string &session, Fields fields) {
    fields.emplace("based_on", "0");
    return send(page, session, std::move(fields));
  }
  Json state(const std::string &session) { return Json::parse(get(page + "/state", session).body); }
  std::string draft_of(const std::string &person) {
    const auto draft = drafts.current({person, "hw6", "step0_naive.cu"});
    return draft ? draft->text : "(the starter's)";
  }
  /// The run that waits ends with this verdict.
  void run_ends(judge::Verdict verdict) {
    auto trial = trials.claim("hw6", now);
    ASSERT_TRUE(trial);
    trial->record = grading::to_json(record_of("step0", verdict));
    trials.finish(*trial, "conditions");
  }
  static grading::StepRecord record_of(const std::string &id, judge::Verdict verdict) {
    grading::StepRecord record;
    record.id = id, record.file = "step0_naive.cu";
    record.verdict = verdict;
    if (verdict != judge::Verdict::accepted) record.reason = "something is wrong <b>here</b>";
    return record;
  }
  const std::string page = "/workspace/hw6/step0";
  service::Drafts drafts{store};
  service::Trials trials{store};
};

TEST_F(WorkspacePageTest, BeginsWithTheStartersFileAndSavesByAForm) {
  const ApiResponse first = get(page, token);
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.body, HasSubstr("This is the starter&apos;s file"));
  EXPECT_THAT(first.body, HasSubstr("TODO"));
  EXPECT_EQ(post(token, {{"what", "save"}, {"text", "first line\r\nsecond line\r\n"}}).status, 303);
  EXPECT_EQ(draft_of("20261234"), "first line\nsecond line\n") << "as files have it";
  EXPECT_THAT(get(page, token).body, HasSubstr("first line\nsecond line\n"));
}

TEST_F(WorkspacePageTest, ARunIsQueuedAndItsResultIsOnThePageAndInTheState) {
  const ApiResponse r = post(token, {{"what", "try"}, {"text", "kernel"}, {"script", "1"}});
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(Json::parse(r.body)["state"]["trial"]["state"], "queued");
  EXPECT_TRUE(state(token)["pending"]);
  run_ends(judge::Verdict::wrong_answer);
  const Json now_known = state(token);
  EXPECT_FALSE(now_known["pending"]);
  EXPECT_THAT(now_known["trial"]["words"].get<std::string>(), HasSubstr("wrong_answer"));
  EXPECT_EQ(now_known["trial"]["faults"].size(), 1u);
  const std::string html = get(page, token).body;
  EXPECT_THAT(html, HasSubstr("something is wrong &lt;b&gt;here&lt;/b&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<b>here</b>")));
  const ApiResponse report = get(page + "/report", token);
  EXPECT_EQ(report.status, 200);
  EXPECT_THAT(report.body, HasSubstr("a run in the workspace"));
  EXPECT_EQ(header(report, "X-Frame-Options"), "SAMEORIGIN");
  EXPECT_THAT(header(report, "Content-Security-Policy"), HasSubstr("frame-ancestors 'self'"));
  EXPECT_EQ(header(get("/", token), "X-Frame-Options"), "DENY") << "other pages are not framed";
}

TEST_F(WorkspacePageTest, TwoTabsKeepBothTextsAndWithoutAScriptThePageSaysSo) {
  post(token, {{"what", "save"}, {"text", "from one tab"}});
  const ApiResponse r = post(token, {{"what", "save"}, {"text", "from the other"}});
  EXPECT_EQ(r.status, 200);
  EXPECT_THAT(r.body, HasSubstr("This file was saved in another tab"));
  EXPECT_THAT(r.body, HasSubstr("from the other</textarea>"));
  EXPECT_EQ(draft_of("20261234"), "from one tab");
  const std::string history = get(page + "/history", token).body;
  EXPECT_THAT(history, HasSubstr("put aside"));
  const Json answer =
      Json::parse(post(token, {{"what", "save"}, {"text", "a third"}, {"script", "1"}, {"tab", "c"}}).body);
  EXPECT_EQ(answer["conflict"], true);
  EXPECT_EQ(answer["theirs"], "from one tab");
}

TEST_F(WorkspacePageTest, AnEarlierVersionIsShownAndCanBeGoneBackTo) {
  post(token, {{"what", "try"}, {"text", "early"}});
  const std::int64_t early = drafts.current({"20261234", "hw6", "step0_naive.cu"})->id;
  post(token, {{"what", "save"}, {"text", "late"}, {"based_on", std::to_string(early)}});
  ASSERT_EQ(draft_of("20261234"), "late");
  const std::int64_t late = drafts.current({"20261234", "hw6", "step0_naive.cu"})->id;
  const std::string of_version = page + "/history?version=" + std::to_string(early);
  ApiRequest r = request("GET", page + "/history", token);
  r.query["version"] = std::to_string(early);
  EXPECT_THAT(api->answer(r).body, HasSubstr("early"));
  EXPECT_EQ(post(token, {{"what", "restore"}, {"version", std::to_string(early)}}).status, 303);
  EXPECT_EQ(draft_of("20261234"), "early");
  EXPECT_TRUE(drafts.version({"20261234", "hw6", "step0_naive.cu"}, late)) << "the page says that it stays";
  EXPECT_EQ(post(token, {{"what", "restore"}, {"version", "0"}}).status, 303);
  EXPECT_THAT(draft_of("20261234"), HasSubstr("TODO")) << "the starter's file again";
}

TEST_F(WorkspacePageTest, SomebodyElsesDraftsRunsAndVersionsLookLikeNone) {
  post(token, {{"what", "try"}, {"text", "a secret of the first student"}});
  run_ends(judge::Verdict::accepted);
  const std::int64_t version = drafts.current({"20261234", "hw6", "step0_naive.cu"})->id;
  const std::int64_t run = trials.latest({"20261234", "hw6", "step0", TrialKind::grade})->id;
  for (const std::string &session : {other, staff}) {
    EXPECT_THAT(get(page, session).body, Not(HasSubstr("a secret of")));
    ApiRequest r = request("GET", page + "/history", session);
    r.query["version"] = std::to_string(version);
    EXPECT_EQ(api->answer(r).status, 404);
    r = request("GET", page + "/report", session);
    r.query["trial"] = std::to_string(run);
    EXPECT_EQ(api->answer(r).status, 404);
    EXPECT_EQ(post(session, {{"what", "restore"}, {"version", std::to_string(version)}}).status, 404);
  }
}

TEST_F(WorkspacePageTest, HandingInSubmitsTheTextOfThePageAndSaysWhetherTheDraftHasChangedSince) {
  const Json answer =
      Json::parse(post(token, {{"what", "hand_in"}, {"text", "to be graded"}, {"script", "1"}}).body);
  const auto submission = jobs.submission(answer["submission"].get<std::int64_t>());
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->student, "20261234");
  EXPECT_EQ(jobs.content(submission->parts.front().file), "to be graded");
  EXPECT_THAT(state(token)["handed_in"].get<std::string>(), HasSubstr("The draft is the same."));
  post(token, {{"what", "save"}, {"text", "changed"}, {"based_on", answer["version"].dump()}});
  EXPECT_THAT(state(token)["handed_in"].get<std::string>(), HasSubstr("The draft has changed since."));
}

TEST_F(WorkspacePageTest, AFormattedTextIsForItsAuthorAndTakesThePlaceOfTheDraftOnRequest) {
  const ApiResponse r = post(token, {{"what", "layout"}, {"text", "int  x;"}, {"script", "1"}});
  ASSERT_EQ(r.status, 200) << r.body;
  auto trial = trials.claim("hw6", now);
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->id, Json::parse(r.body)["layout"].get<std::int64_t>());
  EXPECT_EQ(trials.bytes_of(*trial), "step0_naive.cu\nint  x;");
  trial->page = "int x;\n";
  trials.finish(*trial, "conditions");
  EXPECT_EQ(state(token)["layout"]["text"], "int x;\n");
  EXPECT_EQ(draft_of("20261234"), "int  x;") << "nothing is replaced without being asked";
  const std::string id = std::to_string(trial->id);
  EXPECT_THAT(get(page, token).body, HasSubstr("name=\"layout\" value=\"" + id + "\""));
  EXPECT_EQ(post(other, {{"what", "use_layout"}, {"layout", id}}).status, 404);
  EXPECT_EQ(post(token, {{"what", "use_layout"}, {"layout", id}}).status, 303);
  EXPECT_EQ(draft_of("20261234"), "int x;\n");
  EXPECT_EQ(drafts.history({"20261234", "hw6", "step0_naive.cu"}, 10).size(), 2u);
}

TEST_F(WorkspacePageTest, WhatCouldNotBeFormattedIsSaidWithTheReason) {
  post(token, {{"what", "layout"}, {"text", "int x;"}, {"script", "1"}});
  auto trial = trials.claim("hw6", now);
  trial->why = "clang-format did not end within its limits";
  trials.finish(*trial, "");
  EXPECT_EQ(state(token)["layout"]["why"], "clang-format did not end within its limits");
  EXPECT_EQ(draft_of("20261234"), "int x;");
}

TEST_F(WorkspacePageTest, AllFilesComeWithDraftsInPlaceOfTheStartersAndCanBeBroughtBack) {
  post(token, {{"what", "save"}, {"text", "mine\n"}});
  const ApiResponse r = get("/workspace/hw6/files", token);
  ASSERT_EQ(r.status, 200);
  auto entries = stored_entries(r.body);
  ASSERT_TRUE(entries);
  const auto entry = [&](const std::string &name) {
    const auto found =
        std::find_if(entries->begin(), entries->end(), [&](const auto &e) { return e.path == name; });
    return found == entries->end() ? std::string("(missing)") : found->content;
  };
  EXPECT_EQ(entry("step0_naive.cu"), "mine\n");
  EXPECT_THAT(entry("step1_coalesced.cu"), HasSubstr("TODO"));
  EXPECT_NE(entry("Makefile"), "(missing)") << "as a kit has it";
  EXPECT_THAT(stored_entries(get("/workspace/hw6/files", other).body)->front().content,
              Not(HasSubstr("mine")));
  for (ZipEntry &e : *entries)
    if (e.path == "step1_coalesced.cu") e.content = "edited elsewhere\r\n";
  const ApiResponse taken = send("/workspace/hw6/files", token, {}, {{"hw6.zip", zip(*entries)}});
  EXPECT_EQ(taken.status, 200);
  EXPECT_THAT(taken.body, HasSubstr("step1_coalesced.cu"));
  EXPECT_THAT(taken.body, HasSubstr("As it was here already: step0_naive.cu"));
  EXPECT_EQ(drafts.current({"20261234", "hw6", "step1_coalesced.cu"})->text, "edited elsewhere\n");
  EXPECT_EQ(draft_of("20261234"), "mine\n");
}

TEST_F(WorkspacePageTest, OfFilesOfWhichOneIsRefusedNoneIsSaved) {
  const auto refused = [&](std::vector<std::pair<std::string, std::string>> files, const char *words) {
    files.insert(files.begin(), {"step0_naive.cu", "new text"});
    const ApiResponse r = send("/workspace/hw6/files", token, {}, std::move(files));
    EXPECT_GE(r.status, 400) << words;
    EXPECT_THAT(r.body, HasSubstr(words));
    EXPECT_THAT(r.body, HasSubstr("Nothing was saved"));
    EXPECT_EQ(draft_of("20261234"), "(the starter's)");
  };
  refused({{"other.cu", "text"}}, "not a file of hw6");
  refused({{"step1_coalesced.cu", std::string(2 << 20, 'x')}}, "may have at most");
  refused({{"step1_coalesced.cu", "a\xff"}}, "not text in UTF-8");
  refused({{"step0_naive.cu", "another"}}, "appears twice");
  refused({{"class.zip", "PK\x03\x04 compressed"}}, "Choose the files in it");
  EXPECT_EQ(send("/workspace/hw6/files", token, {}, {{"", ""}}).status, 400) << "no file was chosen";
  EXPECT_EQ(send("/workspace/hw9/files", token, {}, {{"step0_naive.cu", "x"}}).status, 404);
  set_policy([](service::Policy &p) { p.workspace = false; });
  EXPECT_EQ(get("/workspace/hw6/files", token).status, 403);
}

TEST(Formatting, LaysATextOutInAStyleOfTheCourseWhereThereIsOne) {
  ASSERT_FALSE(service::formatter().empty()) << "tools/setup installs clang-format";
  const auto sandbox = sandbox::Sandbox::detect();
  const Scratch starter;
  const std::string text = "__global__ void f(float*a){if(a){a[0]=1;}}\n";
  EXPECT_EQ(service::formatted(sandbox, starter.path(), "x.cu", text),
            "__global__ void f(float *a) {\n  if (a) {\n    a[0] = 1;\n  }\n}\n");
  write_whole(starter.path() / ".clang-format", "BasedOnStyle: LLVM\nIndentWidth: 8\n");
  EXPECT_THAT(service::formatted(sandbox, starter.path(), "x.cu", text), HasSubstr("\n        if (a) {"));
}

TEST(Formatting, NamesWithFoldersAndEmptyFilesDoNoHarm) {
  ASSERT_FALSE(service::formatter().empty()) << "tools/setup installs clang-format";
  const Scratch starter;
  EXPECT_EQ(service::formatted(sandbox::Sandbox::detect(), starter.path(), "../../x.cu", ""), "");
}

TEST_F(WorkspacePageTest, AfterTheDeadlineTextsAreSavedAndRunButNotHandedIn) {
  set_policy([this](service::Policy &p) { p.closes = now - 1; });
  EXPECT_THAT(get(page, token).body, Not(HasSubstr("Hand in this version")));
  EXPECT_EQ(post(token, {{"what", "hand_in"}, {"text", "late"}}).status, 403);
  EXPECT_EQ(draft_of("20261234"), "late") << "it is saved all the same";
  EXPECT_EQ(state(token)["handed_in"],
            "Nothing is handed in for this step yet. What you hand in counts; drafts do not.");
}

TEST_F(WorkspacePageTest, BeforeTheAssignmentOpensOrWithoutAWorkspaceThereIsNoPage) {
  set_policy([this](service::Policy &p) { p.opens = now + 100; });
  EXPECT_EQ(get(page, token).status, 403);
  EXPECT_EQ(get(page, staff).status, 200);
  set_policy([](service::Policy &p) { p.workspace = false; });
  const ApiResponse closed = get(page, token);
  EXPECT_EQ(closed.status, 403);
  EXPECT_THAT(closed.body, HasSubstr("The course staff have closed the workspace of hw6."));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("/workspace")));
}

TEST_F(WorkspacePageTest, FormsOfOtherSitesAreRefusedAndScriptsGetTheReasonAsData) {
  const ApiResponse r =
      post(token, {{"what", "save"}, {"text", "forged"}, {"csrf", "forged"}, {"script", "1"}});
  EXPECT_EQ(r.status, 403);
  EXPECT_THAT(Json::parse(r.body)["error"].get<std::string>(), HasSubstr("does not belong"));
  EXPECT_EQ(draft_of("20261234"), "(the starter's)");
}

TEST_F(WorkspacePageTest, TextThatIsTooLongOrNoTextIsRefusedAndTheDraftStays) {
  post(token, {{"what", "save"}, {"text", "good"}});
  const std::size_t most = shared.courses.at("hw6").assignment.archive_limits.source_bytes;
  EXPECT_EQ(post(token, {{"what", "save"}, {"text", std::string(most + 1, 'x')}}).status, 413);
  EXPECT_EQ(post(token, {{"what", "save"}, {"text", "\xff\xfe"}}).status, 400);
  EXPECT_EQ(post(token, {{"what", "save"}, {"text", std::string("a\0b", 3)}}).status, 400);
  EXPECT_EQ(post(token, {{"what", "save"}}).status, 400);
  EXPECT_EQ(draft_of("20261234"), "good");
}

TEST_F(WorkspacePageTest, EveryCharacterOfATextIsInThePageAsItIs) {
  const std::string text = "\n// \xe2\x80\x8b \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac \x0c & \"'";
  post(token, {{"what", "save"}, {"text", text}});
  const std::string html = get(page, token).body;
  EXPECT_THAT(html, HasSubstr("aria-describedby=\"keys\">\n\n// \xe2\x80\x8b "
                              "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac \x0c &amp; \"'</textarea>"));
}

TEST_F(WorkspacePageTest, MarkupInADraftStaysText) {
  post(token, {{"what", "save"}, {"text", "</textarea><script>alert(1)</script>"}});
  EXPECT_THAT(get(page, token).body, Not(HasSubstr("<script>alert")));
  ApiRequest r = request("GET", page + "/history", token);
  r.query["version"] = std::to_string(drafts.current({"20261234", "hw6", "step0_naive.cu"})->id);
  EXPECT_THAT(api->answer(r).body, HasSubstr("&lt;script&gt;alert"));
  const ApiResponse file = get(page + "/file", token);
  EXPECT_EQ(file.type, "text/plain; charset=utf-8");
  EXPECT_EQ(header(file, "Content-Disposition"), "attachment; filename=\"step0_naive.cu\"");
}

TEST_F(WorkspacePageTest, WithoutALoginThereAreOnlyTheScriptAndTheStyle) {
  EXPECT_EQ(get(page, "").status, 303);
  EXPECT_EQ(get(page + "/state", "").status, 303);
  EXPECT_EQ(get("/workspace/style.css", "").type, "text/css; charset=utf-8");
  EXPECT_EQ(get("/workspace/workspace.js", "").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/workspace/../service.db", "").status, 303);
}

TEST_F(WorkspacePageTest, ThePolicyOfThePageAllowsScriptsOfTheServiceAlone) {
  const std::string html = get(page, token).body;
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_NE(html.substr(0, 700), get(page, token).body.substr(0, 700)) << "each page has a nonce of its own";
}

TEST_F(WorkspacePageTest, UnknownStepsFilesAndPartsAreNotThere) {
  for (const char *path : {"/workspace/hw6", "/workspace/hw6/", "/workspace/hw6/step99",
                           "/workspace/none/step0", "/workspace/hw6/step0/else", "/workspace//step0"})
    EXPECT_EQ(get(path, token).status, 404) << path;
  ApiRequest r = request("GET", page, token);
  r.query["file"] = "../../../etc/passwd";
  EXPECT_EQ(api->answer(r).status, 404);
  EXPECT_EQ(send("/workspace", token, {}).status, 405);
}

TEST_F(WorkspacePageTest, WhenTheTimeOfTheHourIsUsedTheTextIsSavedAndTheReasonSaid) {
  set_policy([](service::Policy &p) { p.workspace_minutes = 1; });
  post(token, {{"what", "try"}, {"text", "slow"}});
  auto trial = trials.claim("hw6", now);
  ASSERT_TRUE(trial);
  trial->record = grading::to_json(record_of("step0", judge::Verdict::time_limit));
  trial->seconds = 61;
  trials.finish(*trial, "conditions");
  const std::string version = std::to_string(drafts.current({"20261234", "hw6", "step0_naive.cu"})->id);
  const ApiResponse r =
      post(token, {{"what", "try"}, {"text", "again"}, {"based_on", version}, {"script", "1"}});
  EXPECT_EQ(r.status, 429);
  EXPECT_THAT(r.body, HasSubstr("Your text is saved"));
  EXPECT_EQ(draft_of("20261234"), "again");
}

TEST(Practice, HasNoHiddenCases) {
  const std::filesystem::path folder = std::filesystem::path(WARPGRADE_ROOT) / "assignments/hw6";
  ASSERT_TRUE(course::read_assignment(folder).has_hidden_cases);
  for (const course::Step &step : service::without_hidden_cases(course::read_assignment(folder)).steps) {
    EXPECT_FALSE(step.cases.empty()) << step.id;
    for (const course::Case &c : step.cases) EXPECT_EQ(c.visibility, course::Visibility::open) << step.id;
  }
}

}  // namespace
}  // namespace warpgrade::tests
