// Sending scores to a platform that checks every signature.
#include "gradebook/push.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "base/lock.hpp"
#include "batch/content.hpp"
#include "setup/files.hpp"
#include "tests/batch/a_class.hpp"
#include "tests/gradebook/a_platform.hpp"

namespace warpgrade::gradebook {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void make_key(const std::filesystem::path &file, const std::vector<std::string> &words) {
  std::vector<std::string> command = {"openssl", "genpkey", "-out", file.string()};
  command.insert(command.end(), words.begin(), words.end());
  const CommandOutcome made = run_command(command, 60);
  if (!made.ok()) throw std::runtime_error(made.error);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
}
const std::vector<std::string> rsa = {"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"};

template <class Work>
std::string refusal(const Work &work) {
  try {
    work();
  } catch (const UsageError &e) {
    return e.what();
  }
  return "";
}

/// A class of three students with 10 points each, and a platform that knows them.
class Push : public ::testing::Test {
 protected:
  Push() : platform(folder.path()) {
    for (const char *student : {"s1", "s2", "s3"}) {
      store.take_in(tests::handin(student, student, ""));
      store.keep({"base", batch::hash_of(student)}, tests::record("base"), 1);
    }
    store.finish_taking_in();
    conclude();
    make_key(folder / "key.pem", rsa);
    site = {"tool-1", platform.token_url(), platform.token_url(), folder / "key.pem", "", {}};
    site.line_items["hw"] = platform.line_item();
    platform.key_set = public_key_set(site.key);
  }
  void conclude() {
    const batch::RulesOf rules = batch::same_rules(a, {});
    for (const std::string &student : store.students())
      if (const batch::Scored s = batch::score_student(store, rules, student); s.complete)
        store.keep_score(s.row);
  }
  void change(const std::string &student) {
    store.keep({"base", batch::hash_of(student)}, tests::record("base", judge::Verdict::wrong_answer), 1);
    conclude();
  }
  int push(PushOptions w = {}) {
    w.folder = "class";
    ::testing::internal::CaptureStdout();
    const auto wait = [&](int seconds, const std::string &) { waited.push_back(seconds); };
    const int status = push_grades(store, a, batch::same_rules(a, {}), site, w, wait);
    said = ::testing::internal::GetCapturedStdout();
    return status;
  }
  tests::Folder folder;
  batch::Store store = tests::begun(folder.path());
  course::Assignment a = tests::two_steps();
  tests::APlatform platform;
  LtiSite site;
  std::string said;
  std::vector<int> waited;
};

TEST_F(Push, EachStudentsScoreGetsThereWithOneToken) {
  EXPECT_EQ(push(), full_score) << said;
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
  EXPECT_EQ(platform.tokens, 1);
  EXPECT_THAT(platform.refused, IsEmpty());
  const auto &score = platform.scores.at("s1");
  EXPECT_EQ(score.at("scoreGiven"), 10);
  EXPECT_EQ(score.at("scoreMaximum"), 10);
  EXPECT_EQ(score.at("gradingProgress"), "FullyGraded");
  EXPECT_THAT(said, AllOf(HasSubstr("s2               10/10 sent\n"),
                          HasSubstr(platform.line_item() + ": 3 sent, 0 unchanged, 0 failed, 0 left out\n")));
}

TEST_F(Push, WhatThePlatformHasIsNotSentAgainAndAChangedScoreIs) {
  ASSERT_EQ(push(), full_score);
  EXPECT_EQ(push(), full_score);
  EXPECT_EQ(platform.requests, 3);
  EXPECT_THAT(said, HasSubstr("0 sent, 3 unchanged"));
  change("s2");
  EXPECT_EQ(push(), full_score);
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3", "s2"));
  EXPECT_EQ(platform.scores.at("s2").at("scoreGiven"), 0);
  EXPECT_THAT(said, HasSubstr("0/10 sent, instead of 10/10"));
  EXPECT_EQ(push({.students = {"s3"}, .again = true}), full_score);
  EXPECT_EQ(platform.posted.back(), "s3");
  EXPECT_EQ(platform.requests, 5);
  site.line_items["hw"] += "&other=1";
  EXPECT_EQ(push(), full_score);
  EXPECT_EQ(platform.requests, 8) << "another line item has nothing yet";
}

TEST_F(Push, AnAnsweredDisputeIsSentWithTheScoreAndPointsOnTheirWayAreWaitedFor) {
  ASSERT_EQ(push(), full_score);
  PushOptions w;
  w.service.notes["s2"] = {"Dispute 1 (base), answer: See slide 12."};
  w.service.undecided = {"s3"};
  EXPECT_EQ(push(w), below);
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3", "s2"));
  EXPECT_THAT(platform.scores.at("s2").at("comment").get<std::string>(),
              HasSubstr("\nNote: Dispute 1 (base), answer: See slide 12."));
  EXPECT_THAT(said,
              AllOf(HasSubstr("s3               left out: points given by hand on the service's pages are "
                              "not applied yet: wait a few seconds, or start the service"),
                    HasSubstr("1 sent, 1 unchanged, 0 failed, 1 left out")));
  w.service.undecided.clear();
  EXPECT_EQ(push(w), full_score);
  EXPECT_THAT(said, HasSubstr("0 sent, 3 unchanged"));
}

TEST_F(Push, NothingIsSentWhereTheServicesStoreCannotBeRead) {
  PushOptions w;
  w.service.unread = "/srv/service.db: it cannot be opened";
  EXPECT_THAT(refusal([&] { push(w); }),
              HasSubstr("cannot be checked: /srv/service.db: it cannot be opened. Nothing was sent. Run this "
                        "command with the account of the service; after an update, start the service first"));
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(platform.requests, 0);
  w.service.unread.clear();
  EXPECT_EQ(push(w), full_score);
}

TEST_F(Push, ADryRunShowsWhatWouldBeSentAndSendsNothing) {
  EXPECT_EQ(push({.dry_run = true}), full_score);
  EXPECT_THAT(said, AllOf(HasSubstr("s1               10/10 would be sent\n"), HasSubstr("3 to send")));
  EXPECT_EQ(platform.requests + platform.tokens, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "gradebook.pushed.json"));
  ASSERT_EQ(push(), full_score);
  change("s2");
  EXPECT_EQ(push({.dry_run = true}), full_score);
  EXPECT_THAT(said,
              AllOf(HasSubstr("0/10 would be sent, instead of 10/10"), HasSubstr("1 to send, 2 unchanged")));
}

TEST_F(Push, AnUnknownStudentDoesNotKeepOthersFromTheirScores) {
  platform.users.erase("s1");
  EXPECT_EQ(push(), below);
  EXPECT_THAT(platform.posted, ElementsAre("s2", "s3"));
  EXPECT_THAT(said, AllOf(HasSubstr("s1               failed: HTTP status 404"), HasSubstr("no user s1"),
                          HasSubstr("2 sent, 0 unchanged, 1 failed")));
  platform.users.insert("s1");
  EXPECT_EQ(push(), full_score);
  EXPECT_THAT(platform.posted, ElementsAre("s2", "s3", "s1"));
}

TEST_F(Push, AKeyThatThePlatformDoesNotKnowStopsBeforeAnyScore) {
  make_key(folder / "other.pem", rsa);
  site.key = folder / "other.pem";
  EXPECT_EQ(push(), usage);
  EXPECT_THAT(platform.refused, ElementsAre("unknown kid"));
  auto under_its_name = nlohmann::json::parse(platform.key_set);
  under_its_name["keys"][0]["kid"] = nlohmann::json::parse(public_key_set(site.key))["keys"][0]["kid"];
  platform.key_set = under_its_name.dump();
  EXPECT_EQ(push(), usage);
  EXPECT_THAT(platform.refused, ElementsAre("unknown kid", "wrong signature"));
  EXPECT_EQ(platform.requests, 0);
  EXPECT_THAT(said, AllOf(HasSubstr("HTTP status 401, invalid_client: wrong signature"),
                          HasSubstr("--public-key"), HasSubstr("0 sent, 0 unchanged, 1 failed")));
}

TEST_F(Push, AnAssertionOutsideItsTimePointsToTheClock) {
  platform.clock_ahead = 120;
  EXPECT_EQ(push(), usage);
  EXPECT_THAT(platform.refused, ElementsAre("expired"));
  EXPECT_THAT(said, HasSubstr("the clock of this machine"));
}

TEST_F(Push, ATokenThatRanOutIsReplaced) {
  platform.uses_of_token = 1;
  EXPECT_EQ(push(), full_score) << said;
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
  EXPECT_EQ(platform.tokens, 3);
  platform.uses_of_token = 0;
  EXPECT_EQ(push({.again = true}), usage) << "but not for ever";
  EXPECT_EQ(platform.tokens, 5);
}

TEST_F(Push, ABusyPlatformIsRetriedWhenItSays) {
  platform.failures = {{429, "7"}, {503}, {502}};
  EXPECT_EQ(push(), full_score) << said;
  EXPECT_THAT(waited, ElementsAre(7, 2, 4));
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
}

TEST_F(Push, APlatformThatStaysBusyEndsTheCommandAndTheNextOneContinues) {
  ASSERT_EQ(push({.students = {"s1"}}), full_score);
  platform.failures = {{429}, {429}, {429}, {429}};
  EXPECT_EQ(push(), grader_failed);
  EXPECT_THAT(platform.posted, ElementsAre("s1"));
  platform.failures = {{429, "86400"}};
  EXPECT_EQ(push(), grader_failed);
  EXPECT_THAT(waited, ElementsAre(1, 2, 4)) << "it waits no day";
  EXPECT_THAT(said, HasSubstr("it asks to wait 86400 s"));
  EXPECT_EQ(push(), full_score);
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
}

TEST_F(Push, ErrorsOfThePlatformForOneStudentLeaveTheOthersAndForThreeEndTheCommand) {
  platform.failures = {{500}, {500}, {500}, {500}};
  EXPECT_EQ(push(), below);
  EXPECT_THAT(platform.posted, ElementsAre("s2", "s3"));
  store.take_in(tests::handin("s4", "s1", ""));
  store.finish_taking_in();
  conclude();
  platform.failures.assign(100, {500});
  EXPECT_EQ(push({.again = true}), grader_failed);
  EXPECT_EQ(100 - platform.failures.size(), 3u * 4u) << "s4 is not tried";
}

TEST_F(Push, AnUnreachablePlatformIsNamed) {
  site.token_url = "http://127.0.0.1:1/token";
  EXPECT_EQ(push(), grader_failed);
  EXPECT_THAT(said, HasSubstr("http://127.0.0.1:1/token does not answer: "));
  EXPECT_EQ(waited.size(), 3u);
}

TEST_F(Push, ATokenWithoutTheRightToWriteScoresIsNotUsed) {
  platform.scope = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly";
  EXPECT_EQ(push(), usage);
  EXPECT_EQ(platform.requests, 0);
  EXPECT_THAT(said, HasSubstr("allow it the scope"));
}

TEST_F(Push, StudentsWithoutAGradeAreLeftOut) {
  store.take_in(tests::handin("s4", "new", ""));
  store.finish_taking_in();
  EXPECT_EQ(push(), below);
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT(said, HasSubstr("s4               left out: not yet graded"));
}

TEST_F(Push, UndecidedPointsDoNotEraseAGrade) {
  ASSERT_EQ(push(), full_score);
  a.steps[0].points = {6, 4, 0};  // the 4 are for counters, which the record of s1 to s3 does not have
  conclude();
  EXPECT_EQ(push(), below);
  EXPECT_EQ(platform.requests, 3);
  EXPECT_EQ(platform.scores.at("s1").at("scoreGiven"), 10) << "as before";
  EXPECT_THAT(said, AllOf(HasSubstr("s1               left out: 4 points wait; --partial sends "
                                    "6/10 without them\n"),
                          HasSubstr("0 sent, 0 unchanged, 0 failed, 3 left out")));
  EXPECT_EQ(push({.partial = true}), full_score);
  EXPECT_EQ(platform.scores.at("s1").at("scoreGiven"), 6);
  EXPECT_THAT(said, HasSubstr("s1               6/10 sent, without 4 undecided, instead of 10/10\n"));
  EXPECT_EQ(push({.partial = true}), full_score);
  EXPECT_THAT(said, HasSubstr("0 sent, 3 unchanged"));
}

TEST_F(Push, StudentsWithARefusedArchiveAreLeftOutAndNamed) {
  batch::Handin refused = tests::handin("s4", "", "");
  refused.refused = "s4.zip is not a zip file";
  store.take_in(refused);
  store.finish_taking_in();
  conclude();
  EXPECT_EQ(push(), below);
  EXPECT_THAT(platform.posted, ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT(said, HasSubstr("s4               left out: nothing was graded, a person must look: s4.zip is "
                              "not a zip file\n"));
}

TEST_F(Push, ScoresOfOlderYamlFilesAreNotSent) {
  a.steps[0].points = {6, 0, 0};
  EXPECT_THAT(refusal([&] { push(); }),
              "the YAML files changed after 3 students were scored; run 'gradebook rescore class' first");
  ::testing::internal::GetCapturedStdout();
}

TEST_F(Push, ATableGivesThePlatformsIds) {
  site.users = folder / "users.csv";
  platform.users = {"u-1", "u-2"};
  write_whole(site.users, "user,Student,name\nu-1,s1,x\nu-2,s2,y\n,s3,z\n");
  EXPECT_EQ(push(), below);
  EXPECT_THAT(platform.posted, ElementsAre("u-1", "u-2"));
  EXPECT_THAT(said, AllOf(HasSubstr("s2               10/10 sent for user u-2"),
                          HasSubstr("users.csv has no user for this student")));
  write_whole(site.users, "student,user\ns1,u-1\ns2,u-1\n");
  EXPECT_THAT(refusal([&] { push(); }), HasSubstr("users.csv:3: user 'u-1' belongs to two students"));
  ::testing::internal::GetCapturedStdout();
  write_whole(site.users, "student\ns1\n");
  EXPECT_THAT(refusal([&] { push(); }), HasSubstr("users.csv:1: "));
  ::testing::internal::GetCapturedStdout();
}

TEST_F(Push, ARecordThatCannotBeReadIsNotReplaced) {
  write_whole(folder / "gradebook.pushed.json", "{\"cut");
  EXPECT_THAT(refusal([&] { push(); }), HasSubstr("gradebook.pushed.json"));
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(read_whole(folder / "gradebook.pushed.json"), "{\"cut");
  EXPECT_EQ(platform.requests, 0);
}

TEST_F(Push, OneAtATimeSendsTheScoresOfAClass) {
  const Descriptor other(::open((folder / "gradebook.push.lock").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_TRUE(lock_file(other.get(), Lock::alone, 0));
  EXPECT_THAT(refusal([&] { push(); }), HasSubstr("another 'gradebook push'"));
  ::testing::internal::GetCapturedStdout();
}

TEST(LtiKey, IsRsaOfTwoThousandBitsWithoutAPassphraseAndOnlyForItsOwner) {
  const tests::Folder folder;
  LtiSite site;
  site.key = folder / "key.pem";
  const auto why = [&] { return refusal([&] { client_assertion(site, 0); }); };
  EXPECT_THAT(why(), AllOf(HasSubstr("cannot open the key"), HasSubstr("openssl genrsa -out")));
  make_key(site.key, rsa);
  EXPECT_EQ(why(), "");
  std::filesystem::permissions(site.key, std::filesystem::perms(0640));
  EXPECT_THAT(why(), AllOf(HasSubstr("other users can read the key"), HasSubstr("chmod 600")));
  EXPECT_EQ(std::filesystem::status(site.key).permissions(), std::filesystem::perms(0640)) << "as it was";
  make_key(site.key, {"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"});
  EXPECT_THAT(why(), HasSubstr("has 1024 bits; platforms want 2048 or more"));
  make_key(site.key, {"-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"});
  EXPECT_THAT(why(), HasSubstr("is a key of another kind"));
  std::vector<std::string> locked = rsa;
  locked.insert(locked.end(), {"-aes256", "-pass", "pass:secret"});
  make_key(site.key, locked);
  EXPECT_THAT(why(), HasSubstr("without a passphrase"));
  write_whole(site.key, "no key");
  std::filesystem::permissions(site.key, std::filesystem::perms(0600));
  EXPECT_THAT(why(), HasSubstr("is not an RSA key in PEM"));
}

TEST(LtiSite, IsReadFromYamlAndSendsNoTokenInTheClear) {
  const tests::Folder folder;
  const auto file = folder / "lti.yaml";
  const auto with = [&](const std::string &token, const std::string &line_item) {
    write_whole(file, "client_id: abc\ntoken_url: " + token +
                          "\nkey: keys/lti.pem\nusers: users.csv\nline_items: {hw6: '" + line_item + "'}\n");
    return read_lti_site(file);
  };
  const std::string good = "https://lms.example.edu/token",
                    item = "https://lms.example.edu/5/lineitem?type_id=1";
  const LtiSite site = with(good, item);
  EXPECT_EQ(site.audience, good) << "unless it is given";
  EXPECT_EQ(site.key, folder / "keys/lti.pem");
  EXPECT_EQ(site.users, folder / "users.csv");
  EXPECT_EQ(site.line_items.at("hw6"), item);
  EXPECT_EQ(scores_url(item), "https://lms.example.edu/5/lineitem/scores?type_id=1");
  EXPECT_EQ(scores_url("https://lms.example.edu/7"), "https://lms.example.edu/7/scores");
  EXPECT_NO_THROW(with("http://127.0.0.1:8080/token", item));
  EXPECT_NO_THROW(with("http://[::1]:8080/token", item));
  for (const std::string clear : {"http://lms.example.edu/token", "http://localhost.example.edu/token",
                                  "http://127.0.0.1@lms.example.edu/", "http://127.0.0.1.example.edu?x=1",
                                  "ftp://lms.example.edu/", "lms.example.edu"}) {
    EXPECT_THROW(with(clear, item), course::ConfigError) << clear;
    EXPECT_THROW(with(good, clear), course::ConfigError) << clear;
  }
  write_whole(file, "client_id: abc\nsecret: x\n");
  EXPECT_THROW(read_lti_site(file), course::ConfigError);
}

TEST(LtiSite, CanBeWrittenAsTheDocumentationShows) {
  const std::string page = read_whole(WARPGRADE_ROOT "/docs/platforms.md");
  const std::size_t begin = page.find("```yaml\nclient_id"), end = page.find("```", begin + 3);
  ASSERT_NE(end, std::string::npos);
  const tests::Folder folder;
  write_whole(folder / "lti.yaml", page.substr(begin + 8, end - begin - 8));
  const LtiSite site = read_lti_site(folder / "lti.yaml");
  EXPECT_EQ(site.client_id, "10000000000007");
  EXPECT_EQ(site.key, folder / "lti.pem");
  EXPECT_EQ(site.line_items.count("hw6"), 1u);
}

}  // namespace
}  // namespace warpgrade::gradebook
