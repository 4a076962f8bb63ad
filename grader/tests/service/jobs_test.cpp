// The queue of a service: nothing is lost, nothing counts twice, students take turns.
#include "service/jobs.hpp"

#include <gtest/gtest.h>

#include "service/orders.hpp"
#include "tests/service/a_service.hpp"

namespace warpgrade::service {
namespace {

constexpr const char *one = "20261234", *two = "20265678";

class Queue : public ::testing::Test, protected tests::AService {
 protected:
  State state_of(std::int64_t submission) { return jobs.submission(submission)->parts.at(0).state; }
};

TEST_F(Queue, AcceptedSubmissionsAreVisibleToEveryConnection) {
  const Receipt r = submit(one, {{"step0", "text"}, {"step1", "other text"}});
  EXPECT_FALSE(r.known);
  EXPECT_FALSE(r.refusal);
  ServiceStore second(folder.path(), ServiceStore::Access::open);
  Jobs others(second);
  const auto s = others.submission(r.submission);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->student, one);
  ASSERT_EQ(s->parts.size(), 2U);
  EXPECT_EQ(others.content(s->parts[1].file), "other text");
  EXPECT_EQ(s->parts[0].state, State::queued);
}

TEST_F(Queue, TheSameFilesAgainAreTheSameSubmission) {
  const Receipt first = submit(one, step("text")), again = submit(one, step("text"));
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.submission, first.submission);
  EXPECT_EQ(jobs.queue().size(), 1U);
  EXPECT_NE(submit(two, step("text")).submission, first.submission) << "another student's is another one";
}

TEST_F(Queue, AResultIsUsedForEverySubmissionOfTheSameBytes) {
  submit(one, step("text"));
  ASSERT_EQ(next(), one);
  finish();
  const Receipt r = submit(two, step("text"));
  EXPECT_EQ(state_of(r.submission), State::done);
  EXPECT_EQ(next(), "") << "nothing is left to run";
}

TEST_F(Queue, UnderOtherConditionsTheSameFilesAreGradedAgain) {
  const Receipt r = submit(one, step("text"));
  ASSERT_EQ(next(), one);
  finish();
  announce("other conditions");
  EXPECT_TRUE(submit(one, step("text")).known);
  EXPECT_EQ(state_of(r.submission), State::queued);
}

TEST_F(Queue, StudentsTakeTurnsHoweverMuchOneSubmits) {
  for (int i = 0; i < 6; ++i) submit(one, step("text " + std::to_string(i)));
  submit(two, step("a"));
  submit(two, step("b"));
  std::string order;
  while (!next().empty()) {
    order += claimed.student == one ? '1' : '2';
    finish();
  }
  EXPECT_EQ(order, "12121111");
}

TEST_F(Queue, AStudentWithFewerStepsRunningGoesFirst) {
  submit(one, step("a"));
  submit(one, step("b"));
  ASSERT_EQ(next(), one);
  submit(two, step("c"));
  EXPECT_EQ(next(), two);
}

TEST_F(Queue, RunsNoMoreAtATimeThanThereAreSlots) {
  submit(one, step("a"));
  submit(two, step("b"));
  EXPECT_EQ(next(1), one);
  EXPECT_EQ(next(1), "");
  finish();
  EXPECT_EQ(next(1), two);
}

TEST_F(Queue, RunsOfAnEndedProcessAreQueuedAgainInTheirPlace) {
  const Receipt r = submit(one, step("a"));
  ASSERT_EQ(next(), one);
  jobs.put_back("hw6");
  EXPECT_EQ(state_of(r.submission), State::queued);
  EXPECT_EQ(next(), one);
}

TEST_F(Queue, APartWhoseProcessWasLostIsQueuedAgainUnlessItHasAResult) {
  const Receipt r = submit(one, step("a"));
  ASSERT_EQ(next(), one);
  jobs.release(claimed.part);
  EXPECT_EQ(state_of(r.submission), State::queued);
  ASSERT_EQ(next(), one);
  finish();
  jobs.release(claimed.part);
  EXPECT_EQ(state_of(r.submission), State::done);
}

TEST_F(Queue, AResultThatComesTwiceCountsOnce) {
  const Receipt r = submit(one, step("a"));
  ASSERT_EQ(next(), one);
  finish();
  jobs.finish(claimed.part, "another", 99, 2.0, "conditions");
  const Part part = jobs.submission(r.submission)->parts.at(0);
  EXPECT_EQ(part.points, 5);
  EXPECT_EQ(part.record, "{}");
}

TEST_F(Queue, AnAssignmentWhoseProcessIsAwayDelaysNoOther) {
  jobs.submit(one, "banks", {{"step0", "x"}}, quota, now);
  submit(two, step("b"));
  EXPECT_EQ(next(), two) << "nothing grades banks";
}

TEST_F(Queue, AnAssignmentWithAHeartbeatInTheFutureDelaysNoOther) {
  jobs.announce({"banks", true, "", "", "conditions", 2, now + 7200});  // before the clock was set back
  jobs.submit(one, "banks", {{"step0", "x"}}, quota, now);
  submit(two, step("b"));
  EXPECT_EQ(next(), two);
}

TEST_F(Queue, RunsInTheFutureOfAClockSetBackCostNoQuota) {
  quota.hour = 1;
  now += 7200;
  submit(one, step("a"));
  ASSERT_EQ(next(), one);
  finish();
  now -= 7200;
  EXPECT_FALSE(submit(one, step("b")).refusal);
}

TEST_F(Queue, SubmissionsThatTheClassLostAreAddedAgain) {
  const Receipt kept = submit(one, step("a")), lost = submit(two, step("b"));
  for (const std::int64_t id : jobs.untaken("hw6")) jobs.taken(id);
  jobs.take_in_again("hw6", [](std::int64_t, const std::string &student) { return student == one; });
  EXPECT_EQ(jobs.untaken("hw6"), std::vector{lost.submission});
  EXPECT_NE(kept.submission, lost.submission);
}

TEST_F(Queue, AResultIsKnownOnlyUnderItsConditions) {
  const Receipt r = submit(one, step("text"));
  ASSERT_EQ(next(), one);
  finish();
  const std::string file = jobs.submission(r.submission)->parts.at(0).file;
  EXPECT_EQ(jobs.result_of("hw6", "step0", file, "conditions")->record, "{}");
  EXPECT_FALSE(jobs.result_of("hw6", "step0", file, "other conditions"));
  EXPECT_FALSE(jobs.result_of("hw6", "step0", file, "")) << "a failure of the grader has none";
}

TEST_F(Queue, AFileThatAClusterStillGradesIsClaimedForAllItsSubmitters) {
  const Receipt first = submit(one, step("same")), second = submit(two, step("same"));
  submit(two, step("other"));
  const std::string file = jobs.submission(first.submission)->parts.at(0).file;
  const std::vector<Work> work = jobs.claim_file("hw6", "step0", file);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].student, one);
  EXPECT_EQ(work[1].submission, second.submission);
  EXPECT_EQ(state_of(second.submission), State::running);
  EXPECT_EQ(jobs.queue().size(), 1U) << "the other file still waits";
  EXPECT_TRUE(jobs.claim_file("hw6", "step0", file).empty());
  EXPECT_TRUE(jobs.claim_file("hw6", "step1", file).empty());
}

TEST_F(Queue, BeforeAClusterTheWaitIsThatOfCurrentRuns) {
  submit(one, step("before"));
  ASSERT_EQ(next(), one);
  finish();  // two seconds each from now on
  announce("conditions", slots_of_a_cluster);
  for (const char *text : {"a", "b"}) submit(one, step(text));
  ASSERT_EQ(next(), one);
  ASSERT_EQ(next(), one);
  submit(one, step("c"));
  submit(two, step("d"));
  const auto queue = jobs.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].wait_seconds, 1) << "two parts run, each for another second on average";
  EXPECT_EQ(queue[1].wait_seconds, 2);
}

TEST_F(Queue, AssignmentsNoLongerServedDelayNoOther) {
  jobs.submit(one, "banks", {{"step0", "x"}}, quota, now);
  submit(two, step("b"));
  const auto queue = jobs.queue([](const std::string &name) { return name == "hw6"; });
  ASSERT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue[0].ahead, 0);
  EXPECT_EQ(queue[0].wait_seconds, 0);
}

TEST_F(Queue, SaysPlaceAndExpectedWait) {
  submit(one, step("before"));
  ASSERT_EQ(next(), one);
  finish();  // two seconds each from now on
  announce("conditions", 1);
  submit(one, step("a"));
  submit(two, step("b"));
  const auto queue = jobs.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].ahead, 0);
  EXPECT_EQ(queue[0].wait_seconds, 0);
  EXPECT_EQ(queue[1].ahead, 1);
  EXPECT_EQ(queue[1].wait_seconds, 2);
}

TEST_F(Queue, RefusesMoreThanAStudentMayHaveInItAndTakesNothing) {
  quota.queued = 2;
  submit(one, step("a"));
  submit(one, step("b"));
  const Receipt r = submit(one, step("c"));
  ASSERT_TRUE(r.refusal);
  EXPECT_EQ(r.refusal->code, "too_many_queued");
  EXPECT_GT(r.refusal->retry_after, 0);
  EXPECT_EQ(jobs.queue().size(), 2U);
  EXPECT_FALSE(submit(two, step("c")).refusal) << "one student's limit is not another's";
}

TEST_F(Queue, RefusesEverybodyWhenItIsFull) {
  quota.queue = 1;
  submit(one, step("a"));
  EXPECT_EQ(submit(two, step("b")).refusal->code, "queue_full");
  EXPECT_TRUE(submit(one, step("a")).known) << "what is known costs no place";
}

TEST_F(Queue, AQuotaCountsRunsAndNotSubmissionsAndEndsWithItsHour) {
  quota.hour = 1;
  submit(one, step("a"));
  ASSERT_EQ(next(), one);
  finish();
  EXPECT_EQ(submit(one, step("b")).refusal->code, "quota_hour");
  EXPECT_EQ(submit(one, step("b")).refusal->retry_after, 3600);
  EXPECT_TRUE(submit(one, step("a")).known);
  now += 3601;
  EXPECT_FALSE(submit(one, step("b")).refusal);
}

TEST_F(Queue, AStoreOfANewerVersionIsLeftAsItIs) {
  store.database().execute("PRAGMA user_version = 99");
  EXPECT_THROW(ServiceStore(folder.path(), ServiceStore::Access::open), batch::StoreError);
  EXPECT_THROW(ServiceStore(folder.path(), ServiceStore::Access::create), batch::StoreError);
}

TEST_F(Queue, AStoreOfTheVersionBeforeIsBroughtUpToDateAndKeepsItsQueue) {
  const Receipt receipt = submit("20261234", step("text"));
  store.database().execute(
      "DROP INDEX part_done; DROP TABLE outcome; DROP TABLE finding_note; DROP TABLE dispute_message; DROP "
      "TABLE dispute; "
      "DROP TABLE draft; DROP TABLE trial; DROP TABLE trial_runner; DROP TABLE sitting; DROP TABLE "
      "class_seed; DROP TABLE thresholds_change; PRAGMA user_version = 3");
  EXPECT_THROW(ServiceStore(folder.path(), ServiceStore::Access::open), batch::StoreError);
  ServiceStore updated(folder.path(), ServiceStore::Access::create);
  EXPECT_FALSE(Orders(updated).latest_thresholds_change("hw6"));
  const std::optional<Work> work = Jobs(updated).claim("hw6", 1, now);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->submission, receipt.submission);
}

}  // namespace
}  // namespace warpgrade::service
