// Disputes: what students say against a report, what the staff decide, and sentences for everybody with a finding.
#include "service/disputes/disputes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "service/disputes/said.hpp"
#include "service/orders.hpp"
#include "tests/service/a_service.hpp"

namespace warpgrade::service {
namespace {

constexpr const char *disputing = "20261234", *another = "20265678";

/// What `action` says in a separate process, as nobody if we are root.
bool elsewhere(const std::function<bool()> &action) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    bool ok = ::geteuid() != 0 || ::setresuid(nobody, nobody, nobody) == 0;
    try {
      ok = ok && action();
    } catch (...) {
      ok = false;
    }
    ::_exit(ok ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class DisputeStore : public ::testing::Test, protected tests::AService {
 protected:
  Disputed about(const std::string &gist = "no barrier", const std::string &quoted = "As[ty][tx] = a;") {
    if (submission == 0) submission = submit(disputing, step("text")).submission;
    return {"hw6",      submission, {"step0", "race", gist}, "race: " + gist, "step0_naive.cu", 24, quoted,
            "m=n=k=33", "./grade"};
  }
  std::int64_t opened(const std::string &who = disputing) {
    return *disputes.open(who, about(), "It has a barrier.", now);
  }
  Dispute found(std::int64_t id) { return disputes.find(id).value(); }
  std::int64_t last(std::int64_t id) { return disputes.messages(id).back().id; }
  bool decide(std::int64_t id, DisputeKind kind, const std::string &text = "See slide 12.") {
    return disputes.decide({id, kind, text, last(id)}, "assistant", ++now);
  }
  std::vector<std::int64_t> ids(const std::vector<Dispute> &all) {
    std::vector<std::int64_t> list;
    for (const Dispute &d : all) list.push_back(d.id);
    return list;
  }
  Disputes disputes{store};
  std::int64_t submission = 0;
};

TEST_F(DisputeStore, ADisputeKeepsWhatTheReportSaidAndWhatWasWritten) {
  const std::int64_t id = opened();
  const Dispute d = found(id);
  EXPECT_EQ(d.student, disputing);
  EXPECT_EQ(d.about.submission, submission);
  EXPECT_EQ(d.about.cause, (Cause{"step0", "race", "no barrier"}));
  EXPECT_EQ(d.about.line, 24);
  EXPECT_EQ(d.about.seen_in, "m=n=k=33");
  EXPECT_EQ(about_in_words(d.about), "step0, race in step0_naive.cu:24");
  EXPECT_EQ(state_in_words(d), "open");
  ASSERT_EQ(disputes.messages(id).size(), 1u);
  EXPECT_EQ(disputes.messages(id)[0].text, "It has a barrier.");
  EXPECT_EQ(ids(disputes.of_submission(submission)), (std::vector{id}));
  EXPECT_EQ(ids(disputes.of_student(disputing)), (std::vector{id}));
  EXPECT_FALSE(disputes.find(id + 1));
}

TEST_F(DisputeStore, AnAnswerIsUnreadUntilTheStudentReadsIt) {
  const std::int64_t id = opened();
  EXPECT_EQ(disputes.unread(disputing).size(), 0u) << "the student's own words";
  EXPECT_TRUE(decide(id, DisputeKind::answer));
  EXPECT_EQ(state_in_words(found(id)), "answered");
  EXPECT_EQ(disputes.unread(disputing).size(), 1u);
  EXPECT_EQ(disputes.unread(another).size(), 0u);
  disputes.read(found(id));
  EXPECT_EQ(disputes.unread(disputing).size(), 0u);
  EXPECT_TRUE(disputes.comment(found(id), "But it is there.", now));
  EXPECT_TRUE(found(id).open);
  EXPECT_EQ(disputes.unread(disputing).size(), 0u);
}

TEST_F(DisputeStore, ADecisionIsRefusedUntilItsAuthorHasReadTheLastMessage) {
  const std::int64_t id = opened(), before = last(id);
  EXPECT_TRUE(disputes.comment(found(id), "Sorry, line 30.", now));
  EXPECT_FALSE(disputes.decide({id, DisputeKind::answer, "See slide 12.", before}, "assistant", now));
  EXPECT_FALSE(disputes.decide({id + 1, DisputeKind::answer, "See slide 12.", 0}, "assistant", now));
  EXPECT_TRUE(found(id).open);
  EXPECT_EQ(disputes.messages(id).size(), 2u);
}

TEST_F(DisputeStore, AFaultOfTheGraderIsCountedUntilItIsOpenedAgain) {
  const std::int64_t id = opened();
  EXPECT_TRUE(decide(id, DisputeKind::our_fault));
  EXPECT_TRUE(decide(id, DisputeKind::points));
  EXPECT_EQ(state_in_words(found(id)), "fault of the grader, points given");
  EXPECT_EQ(disputes.count_our_fault(), 1);
  EXPECT_EQ(disputes.count_open(), 0);
  EXPECT_TRUE(decide(id, DisputeKind::reopened));
  EXPECT_EQ(state_in_words(found(id)), "open");
  EXPECT_EQ(disputes.count_our_fault(), 0);
  EXPECT_EQ(disputes.count_open(), 1);
}

TEST_F(DisputeStore, TheInboxHasOpenOnesFirstTheOldestOnTop) {
  const std::int64_t first = opened(), second = opened(), third = opened(), fourth = opened();
  EXPECT_TRUE(decide(second, DisputeKind::answer));
  EXPECT_TRUE(decide(first, DisputeKind::answer));
  EXPECT_EQ(ids(disputes.all(10)), (std::vector{third, fourth, first, second}));
  EXPECT_EQ(ids(disputes.all(1)), (std::vector{third, first}));
}

TEST_F(DisputeStore, AReopeningIsNoAnswerAndTakesBackOneThatWasNotRead) {
  const std::int64_t id = opened();
  EXPECT_TRUE(decide(id, DisputeKind::our_fault));
  EXPECT_EQ(disputes.unread(disputing).size(), 1u);
  EXPECT_TRUE(decide(id, DisputeKind::reopened, "It was right."));
  EXPECT_TRUE(disputes.unread(disputing).empty());
  EXPECT_TRUE(taken_back(disputes.messages(id), disputes.messages(id)[1]));
  EXPECT_FALSE(taken_back(disputes.messages(id), disputes.messages(id)[0])) << "a comment";
  EXPECT_TRUE(decide(id, DisputeKind::answer));
  EXPECT_EQ(disputes.unread(disputing).size(), 1u);
  EXPECT_FALSE(taken_back(disputes.messages(id), disputes.messages(id)[3]));
}

TEST_F(DisputeStore, ManyAreDecidedInOneChangeWithoutThoseInWhichSomebodyWrote) {
  const std::int64_t mine = opened(), second = opened(another), third = opened(another),
                     fourth = opened(another);
  const std::vector<Decision> all = {{mine, DisputeKind::answer, "See slide 12.", last(mine)},
                                     {second, DisputeKind::answer, "See slide 12.", last(second)},
                                     {third, DisputeKind::answer, "See slide 12.", last(third)},
                                     {fourth, DisputeKind::answer, "See slide 12.", last(fourth)}};
  EXPECT_TRUE(disputes.comment(found(second), "Line 9, I mean.", now));
  EXPECT_TRUE(decide(third, DisputeKind::points));
  EXPECT_EQ(disputes.decide_all(all, "assistant", now), 2u);
  EXPECT_EQ(state_in_words(found(second)), "open");
  EXPECT_EQ(state_in_words(found(third)), "points given");
  EXPECT_EQ(state_in_words(found(fourth)), "answered");
  EXPECT_FALSE(disputes.decide_all(all, "assistant", now)) << "the first was decided since";
}

TEST_F(DisputeStore, ADecisionThatFailsInTheMiddleChangesNothingAndCanBeRepeated) {
  const std::int64_t mine = opened(), second = opened(another);
  const Order order{0, Order::Kind::points, "hw6", disputing, "step0", 5, "ours"};
  const std::vector<Decision> all = {{mine, DisputeKind::points, "5 points", last(mine), order},
                                     {second, DisputeKind::answer, "See slide 12.", last(second)}};
  store.database().execute(
      "CREATE TRIGGER full BEFORE INSERT ON dispute_message WHEN NEW.text LIKE 'See%' BEGIN SELECT "
      "RAISE(ABORT, 'the disk is full'); END");
  EXPECT_THROW(disputes.decide_all(all, "assistant", now), batch::StoreError);
  EXPECT_TRUE(found(mine).open);
  EXPECT_TRUE(Orders(store).open("hw6").empty()) << "points without their message";
  store.database().execute("DROP TRIGGER full");
  EXPECT_EQ(disputes.decide_all(all, "assistant", now), 0u);
  ASSERT_EQ(Orders(store).open("hw6").size(), 1u);
  EXPECT_EQ(Orders(store).open("hw6")[0].points, 5);
  EXPECT_EQ(state_in_words(found(second)), "answered");
}

TEST_F(DisputeStore, TheSameTextOfALineIsNotSimilarWhereItSaysNothingOrHasAnotherCause) {
  const std::int64_t brace = *disputes.open(disputing, about("", "}"), "x", now);
  ASSERT_TRUE(disputes.open(another, about("", "}"), "x", now));
  EXPECT_TRUE(disputes.similar(found(brace)).empty());
  const std::int64_t mine = opened();
  ASSERT_TRUE(disputes.open(another, about("outside of As"), "x", now));
  EXPECT_TRUE(disputes.similar(found(mine)).empty());
  const std::int64_t same = opened(another);
  EXPECT_TRUE(same_cause(found(mine), found(same)));
  EXPECT_FALSE(same_cause(found(brace), found(brace))) << "none was recognised";
}

TEST_F(DisputeStore, SimilarOnesHaveTheSameCauseOrTheSameTextOfALine) {
  const std::int64_t mine = opened();
  const std::int64_t cause = *disputes.open(another, about("no barrier", "other[0] = 1;"), "x", now);
  Disputed line = about("");
  line.cause.rule.clear();
  const std::int64_t text = *disputes.open(another, line, "x", now);
  Disputed elsewhere = about();
  elsewhere.cause.step = "step1";
  ASSERT_TRUE(disputes.open(another, elsewhere, "x", now));
  ASSERT_TRUE(disputes.open(another, about("outside of As", "other[0] = 1;"), "x", now));
  EXPECT_EQ(ids(disputes.similar(found(mine))), (std::vector{text, cause}));
  Disputed whole = about("", "");
  whole.cause.rule.clear();
  const std::int64_t alone = *disputes.open(disputing, whole, "x", now);
  ASSERT_TRUE(disputes.open(another, whole, "x", now));
  EXPECT_TRUE(disputes.similar(found(alone)).empty()) << "a whole step is no cause";
  const std::int64_t unknown = *disputes.open(disputing, about("", ""), "x", now);
  ASSERT_TRUE(disputes.open(another, about("", ""), "x", now));
  EXPECT_TRUE(disputes.similar(found(unknown)).empty()) << "nor is one that was not recognised";
}

TEST_F(DisputeStore, OpenDisputesAndCommentsAreLimited) {
  std::int64_t id = 0;
  for (int i = 0; i < most_open_disputes; ++i) id = opened();
  EXPECT_FALSE(disputes.open(disputing, about(), "one more", now));
  EXPECT_TRUE(disputes.open(another, about(), "the first", now));
  EXPECT_TRUE(decide(id, DisputeKind::answer));
  const std::int64_t fresh = opened();
  EXPECT_FALSE(disputes.comment(found(id), "it would be open again", now));
  for (int i = 1; i < most_comments; ++i) EXPECT_TRUE(disputes.comment(found(fresh), "more", now));
  EXPECT_FALSE(disputes.comment(found(fresh), "more", now));
}

TEST_F(DisputeStore, ANoteIsForItsCauseUntilItIsTakenBackAndTheAuditLogHasBoth) {
  const std::int64_t id = disputes.attach(
      {0, "hw6", {"step0", "race", "no barrier"}, "race: no barrier", "See slide 12.", ""}, "assistant", now);
  ASSERT_EQ(disputes.notes("hw6").size(), 1u);
  EXPECT_EQ(disputes.notes("hw6")[0].cause, (Cause{"step0", "race", "no barrier"}));
  EXPECT_EQ(disputes.notes("hw6")[0].author, "assistant");
  EXPECT_EQ(disputes.notes().size(), 1u);
  EXPECT_TRUE(disputes.notes("hw7").empty());
  EXPECT_TRUE(disputes.take_back(id, "assistant", now));
  EXPECT_FALSE(disputes.take_back(id, "assistant", now)) << "twice";
  EXPECT_TRUE(disputes.notes("hw6").empty());
  const std::vector<AuditEntry> audit = Orders(store).audit(2);
  EXPECT_EQ(audit[0].what, "note taken back");
  EXPECT_EQ(audit[1].what, "note on a finding");
  EXPECT_EQ(audit[1].detail, "note 1, race: See slide 12.");
}

TEST_F(DisputeStore, TheAuditLogHasEachDecisionAndTheBeginOfALongText) {
  const std::int64_t id = opened();
  EXPECT_TRUE(decide(id, DisputeKind::our_fault, std::string(199, 'x') + "\u00e9" + std::string(100, 'y')));
  const AuditEntry entry = Orders(store).audit(1).at(0);
  EXPECT_EQ(entry.what, "dispute: fault of the grader");
  EXPECT_EQ(entry.subject, disputing);
  EXPECT_EQ(entry.detail, "hw6 step0, dispute 1: " + std::string(199, 'x') + "...");
}

TEST_F(DisputeStore, DecisionsThatHoldAndPendingPointsAreReadFromTheStore) {
  const std::int64_t mine = opened(), other = opened(another);
  const std::filesystem::path of_class = folder.path() / "hw6";
  std::filesystem::create_directories(of_class);
  EXPECT_THAT(from_service(of_class).notes, ::testing::IsEmpty()) << "comments are the student's own words";
  EXPECT_TRUE(decide(mine, DisputeKind::answer, "See\nslide 12."));
  EXPECT_TRUE(decide(other, DisputeKind::our_fault));
  EXPECT_TRUE(decide(other, DisputeKind::reopened, "It was right."));
  const Order order{0, Order::Kind::points, "hw6", disputing, "step0", 1.5, "the header was ours"};
  EXPECT_TRUE(disputes.decide({mine, DisputeKind::points, "1.5 points for step0", last(mine), order},
                              "assistant", ++now));
  const std::string which = "(step0, race in step0_naive.cu:24)";
  for (const char *name : {"hw6", "hw6/"}) {
    const gradebook::FromService from = from_service(folder.path() / name);
    EXPECT_THAT(from.notes.at(disputing),
                ::testing::ElementsAre("Dispute 1 " + which + ", answer: See slide 12.",
                                       "Dispute 1 " + which + ", points by hand: 1.5 points for step0"));
    EXPECT_THAT(
        from.notes.at(another),
        ::testing::ElementsAre("Dispute 2 " + which +
                               " is open again, and that the grader was wrong is taken back: It was right."));
    EXPECT_THAT(from.undecided, ::testing::ElementsAre(disputing));
  }
  Orders(store).done(Orders(store).open("hw6").at(0).id);
  EXPECT_THAT(from_service(of_class).undecided, ::testing::IsEmpty());
  std::filesystem::create_directories(folder.path() / "hw7");
  EXPECT_THAT(from_service(folder.path() / "hw7").notes, ::testing::IsEmpty()) << "another assignment";
  EXPECT_THAT(from_service(of_class / "elsewhere").notes, ::testing::IsEmpty()) << "not of a service";
}

TEST_F(DisputeStore, ABackupThatIsReadOnlyIsReadByAnotherAccountAndOneThatMayNotBeReadIsNamed) {
  namespace fs = std::filesystem;
  EXPECT_TRUE(decide(opened(), DisputeKind::answer, "See slide 12."));
  store.database().execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const fs::path backup = folder / "backup", file = backup / service_store_name;
  fs::create_directories(backup / "hw6");
  fs::copy_file(folder / service_store_name, file);
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(backup, fs::perms(0555));
  fs::permissions(file, fs::perms(0444));
  const bool read = elsewhere([&] {
    const gradebook::FromService from = from_service(backup / "hw6");
    return from.unread.empty() && from.notes.at(disputing).size() == 1;
  });
  fs::permissions(file, fs::perms(0));
  const bool named = elsewhere([&] {
    const gradebook::FromService from = from_service(backup / "hw6");
    return from.unread.starts_with(file.string() + ": it cannot be opened") && from.notes.empty();
  });
  fs::permissions(backup, fs::perms(0755));  // so that it can be removed
  EXPECT_TRUE(read);
  EXPECT_TRUE(named);
}

TEST_F(DisputeStore, AStoreThatIsOnlyReadIsNotWrittenAndOneOfAnotherVersionIsNamed) {
  const std::int64_t id = opened();
  EXPECT_TRUE(decide(id, DisputeKind::answer));
  ServiceStore reader(folder.path(), ServiceStore::Access::read);
  EXPECT_EQ(Disputes(reader).messages(id).size(), 2u);
  EXPECT_THROW(reader.keep_class_seed("hw6", 1), batch::StoreError);
  EXPECT_THROW(ServiceStore(folder / "none", ServiceStore::Access::read), batch::StoreError);
  const std::filesystem::path of_class = folder / "hw6";
  EXPECT_EQ(from_service(of_class).unread, "");
  for (const char *version : {"99", "1"}) {
    store.database().execute(std::string("PRAGMA user_version = ") + version);
    const gradebook::FromService from = from_service(of_class);
    EXPECT_THAT(from.unread,
                ::testing::HasSubstr((folder / service_store_name).string() + " has version " + version));
    EXPECT_THAT(from.notes, ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace warpgrade::service
