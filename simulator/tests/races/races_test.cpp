// The labelled programs: each racy one is reported, and no correct one is, with either compiler.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/races/labelled.hpp"

namespace warpgrade::tests {
namespace {

std::string all_of(const simt::LaunchResult &result) {
  std::string text = std::string(simt::name_of(result.status)) + "\n";
  for (const simt::Diagnostic &one : result.diagnostics) text += "  " + to_text(one) + "\n";
  return text;
}

std::vector<std::string> files() {
  std::vector<std::string> all;
  std::istringstream list(WARPGRADE_LABELLED);
  for (std::string file; std::getline(list, file, ':');) all.push_back(file);
  return all;
}

class LabelledPrograms : public testing::TestWithParam<std::string> {};

TEST_P(LabelledPrograms, AreReportedExactlyIfTheyRace) {
  const auto module = read_module(GetParam());
  for (const Labelled &one : labelled(*module)) {
    const simt::LaunchResult result = run_labelled(module, one);
    EXPECT_EQ(reports_race(result), one.racy) << one.symbol << ": " << all_of(result);
    EXPECT_NE(result.status, simt::Status::time_limit) << one.symbol;
    EXPECT_NE(result.status, simt::Status::unsupported) << one.symbol << ": " << all_of(result);
  }
}

TEST_P(LabelledPrograms, AreReportedAlikeWithAnyNumberOfThreads) {
  const auto module = read_module(GetParam());
  for (const Labelled &one : labelled(*module)) {
    simt::Options options;
    options.threads = 3;
    options.alone_until = 0;
    EXPECT_EQ(all_of(run_labelled(module, one, options)), all_of(run_labelled(module, one))) << one.symbol;
  }
}

TEST_P(LabelledPrograms, NameTwoThreadsOfEachRace) {
  const auto module = read_module(GetParam());
  for (const Labelled &one : labelled(*module))
    for (const simt::Diagnostic &race : run_labelled(module, one).diagnostics) {
      if (race.code != simt::Code::race || one.name.starts_with("cluster_")) continue;
      ASSERT_TRUE(race.other) << to_text(race);
      // A copy is not its thread's own access: that thread may read too early what it has copied.
      if (race.message.find("asynchronous copy") != std::string::npos) continue;
      // Nor is a store of a thread ordered before its own bulk copy, which goes another way to memory.
      if (race.message.find("fence.proxy.async") != std::string::npos) continue;
      EXPECT_FALSE(race.other->thread == race.here.thread && race.other->block == race.here.block)
          << one.symbol << ": " << to_text(race);
    }
}

TEST_P(LabelledPrograms, GetSuitableAdvice) {
  const auto module = read_module(GetParam());
  for (const Labelled &one : labelled(*module)) {
    if (!one.name.starts_with("cure_")) continue;
    const std::string expected = one.name.substr(5, one.name.find("__") - 5);
    const simt::LaunchResult result = run_labelled(module, one);
    std::size_t told = 0;
    for (const simt::Diagnostic &race : result.diagnostics)
      if (race.code == simt::Code::race && race.severity != simt::Severity::info &&
          race.cure != simt::Cure::syncwarp)
        told += simt::name_of(race.cure) == expected ? 1u : 0u;
    EXPECT_GT(told, 0u) << one.symbol << ": " << all_of(result);
    if (expected == "barrier") continue;
    EXPECT_EQ(all_of(result).find("__syncthreads"), std::string::npos)
        << one.symbol << ": " << all_of(result);
  }
}

/// The worst severity of the races that are reported.
simt::Severity worst_race(const simt::LaunchResult &result) {
  simt::Severity worst = simt::Severity::info;
  for (const simt::Diagnostic &one : result.diagnostics)
    if (one.code == simt::Code::race) worst = std::max(worst, one.severity);
  return worst;
}

TEST_P(LabelledPrograms, PlainLoadsBeforeMinimaMaximaAndBitsAreWarningsOnRequest) {
  simt::Options options;
  options.forgive_looks_ahead = true;
  const auto module = read_module(GetParam());
  for (const Labelled &one : labelled(*module)) {
    const std::string guard = one.name.substr(one.name.rfind('_') + 1);
    if (!one.racy || one.name.find("guard_") == std::string::npos || one.name.starts_with("push_")) continue;
    const bool bound = guard == "min" || guard == "max" || guard == "or";
    const simt::Severity severity = bound ? simt::Severity::warning : simt::Severity::error;
    if (bound) {
      EXPECT_EQ(worst_race(run_labelled(module, one)), simt::Severity::error) << one.symbol;
    }
    if (bound || guard == "add" || guard == "exch") {
      EXPECT_EQ(worst_race(run_labelled(module, one, options)), severity) << one.symbol;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Races, LabelledPrograms, testing::ValuesIn(files()), [](const auto &file) {
  std::string name = file.param.substr(file.param.rfind('/') + 1);
  for (char &c : name)
    if (c == '.') c = '_';
  return name;
});

/// What a program of these files does, with each compiler; none where there is no such file.
std::vector<simt::LaunchResult> results_of(const char *part_of_file, const char *program) {
  std::vector<simt::LaunchResult> results;
  for (const std::string &file : files()) {
    if (file.find(part_of_file) == std::string::npos) continue;
    const auto module = read_module(file);
    for (const Labelled &one : labelled(*module))
      if (one.name == program) results.push_back(run_labelled(module, one));
    EXPECT_FALSE(results.empty()) << program;
  }
  return results;
}

void expect_said(const char *part_of_file, const char *program, const char *words) {
  for (const simt::LaunchResult &result : results_of(part_of_file, program))
    EXPECT_NE(all_of(result).find(words), std::string::npos) << all_of(result);
}

TEST(LabelledProgramsTogether, BlocksThatWaitForEachOtherAreTriedInDescendingOrderToo) {
  expect_said("protocols.", "sequence_plain_words", "second run, with the blocks in descending order");
}

TEST(LabelledProgramsTogether, BlocksThatShareAListOfWorkAreTriedInTurnsToo) {
  expect_said("hidden.", "work_list_published_without_a_fence", "second run, in which the blocks take turns");
}

TEST(LabelledProgramsTogether, LanesThatPollLetTheOthersOfTheirWarpGoOn) {
  for (const char *name : {"summary_stays_one_warp", "summary_stays_warps", "summary_stays_blocks",
                           "summary_returns_one_warp", "summary_returns_blocks", "summary_returns_meeting",
                           "summary_of_a_chain_warps", "summary_of_a_chain_blocks"})
    for (const simt::LaunchResult &result : results_of("summaries.", name)) {
      EXPECT_EQ(result.status, simt::Status::completed) << name << ": " << all_of(result);
      EXPECT_TRUE(result.diagnostics.empty()) << name << ": " << all_of(result);
    }
}

TEST(LabelledProgramsTogether, AWarpThatPollsAWordYieldsItsTurn) {
  for (const simt::LaunchResult &result : results_of("shared.", "shared_turns_asleep"))
    EXPECT_LT(result.warp_instructions, 1'000'000u);  // ten times as many if each keeps its whole turn
}

TEST(LabelledProgramsTogether, WhereMbarriersDoNotOrderAccessesTheAdviceIsAboutThem) {
  expect_said("rings.", "rings_stores_late_read", "the mbarriers (cuda::barrier) do not order them");
}

TEST(LabelledProgramsTogether, AdviceNamesTheLinesTheWarpsAndTheCall) {
  expect_said("cures.", "cure_lock_fences__tally", "a __threadfence() is missing after taking it in line");
  expect_said("cures.", "cure_same_element__eight_warps", "8 warps compute the same elements");
  expect_said("cures.", "cure_same_element__stride", "check what blockIdx is multiplied by");
  expect_said("cures.", "cure_barrier__reversed", "put a __syncthreads() between line");
  expect_said("cures.", "cure_atomic_update__histogram", "use atomicAdd");
}

TEST(LabelledProgramsTogether, StoresUnderDifferentLocksNameTheLocksAndTheirLines) {
  expect_said("one_lock.", "one_lock_two_locks_store",
              "the two threads hold different locks: this thread element 1 of b, acquired in ");
  expect_said("one_lock.", "one_lock_first_side_add_store",
              "the other thread stores under a lock (element 0 of b, acquired in ");
  expect_said("one_lock.", "one_lock_second_side_store_add", "take that lock before the store in ");
  expect_said("one_lock.", "one_lock_shared_two_locks", "this thread element 1 of locks, acquired in ");
  expect_said("one_lock.", "cure_one_lock__two_locks", "both threads take a lock in line ");
  expect_said("one_lock.", "cure_one_lock__one_side", "and this one holds none; take that lock before line ");
}

TEST(LabelledProgramsTogether, AnMbarrierThatTheClusterDoesNotKnowOfLacksItsFence) {
  expect_said("clusters.", "cluster_inits_no_fence_relaxed",
              "a fence.mbarrier_init is missing after the initialization");
}

TEST(LabelledProgramsTogether, StoresUnderDifferentTicketLocksNameTheirTurns) {
  expect_said("tickets.", "ticket_locks_two_store",
              "the two threads hold different locks: this thread element 1 of c, acquired in ");
  expect_said("tickets.", "ticket_locks_two_add",
              "lost update in a, element 0: a thread reads the word, adds to it and stores it again, but the "
              "two threads "
              "hold different locks: this thread element 1 of c");
  expect_said("tickets.", "ticket_other_swap_store", "this thread element 32 of b, ");
  expect_said("tickets.", "ticket_other_none_store",
              "the other thread stores under a lock (element 0 of c, ");
  expect_said("tickets.", "ticket_shared_two_store", "this thread element 1 of turns, ");
  expect_said("tickets.", "ticket_locks_two_plain", "both threads take a lock in line ");
}

TEST(LabelledProgramsTogether, TheAdviceAboutAFlagNamesTheScopeOrTheOrderThatIsWrong) {
  expect_said("handovers.", "by_hand_acquire_of_the_block",
              "but this thread reads the flag or takes the lock with block scope");
  expect_said("handovers.", "try_of_the_block",
              "but this thread reads the flag or takes the lock with block scope");
  expect_said("handovers.", "looked_at_no_fence", "but a __threadfence() is missing before that");
  expect_said("handovers.", "ring_of_refs_given_back_relaxed", "memory_order_release does the same");
  expect_said("handovers.", "places_relaxed_load", "nor memory_order_acquire there");
}

TEST(LabelledProgramsTogether, AMissingFenceOfAProxyIsOneFinding) {
  for (const char *name : {"proxies_rounds_no_fences", "proxies_again_no_fence", "proxies_ring_no_fence",
                           "proxies_relay_no_fence", "proxies_sent_on_no_fence"})
    for (const simt::LaunchResult &result : results_of("proxies.", name))
      EXPECT_EQ(result.diagnostics.size(), 1u) << name << ": " << all_of(result);
}

TEST(LabelledProgramsTogether, WhatProxiesAskForByPtxAloneIsAWarning) {
  for (const char *name : {"proxies_again_no_fence", "proxies_itself_no_fence", "proxies_filled_no_fence",
                           "proxies_sent_on_no_fence"})
    for (const simt::LaunchResult &result : results_of("proxies.", name))
      EXPECT_EQ(worst_race(result), simt::Severity::warning) << name << ": " << all_of(result);
  for (const char *name : {"proxies_send_no_fence", "proxies_relay_no_fence", "proxies_empty_no_fence"})
    for (const simt::LaunchResult &result : results_of("proxies.", name))
      EXPECT_EQ(worst_race(result), simt::Severity::error) << name << ": " << all_of(result);
}

TEST(LabelledProgramsTogether, WhatABulkCopyOverwritesIsOneWarningThatNamesTheLinesAndTheFence) {
  struct Program {
    const char *file, *name, *says;
  };
  for (const Program &one :
       {Program{"overwritten.", "overwritten_store_no_fence", "global memory that ordinary stores"},
        Program{"overwritten.", "overwritten_load_no_fence", "global memory that ordinary loads"},
        Program{"overwritten.", "overwritten_rounds_no_fence", "fence.proxy.async (for global memory)"},
        Program{"overwritten.", "overwritten_blocks_no_fence", "global memory that ordinary loads"},
        Program{"overwritten.", "cooperative_overwritten_load_no_fence", "global memory that ordinary loads"},
        Program{"cluster_copies.", "cluster_copies_store_no_fence",
                "shared memory of another block of the cluster that ordinary stores there"},
        Program{"cluster_copies.", "cluster_copies_spread_load_no_fence",
                "shared memory of another block of the cluster that ordinary loads there"},
        Program{"cluster_copies.", "cluster_copies_ring_no_fence", "fence.proxy.async"}})
    for (const simt::LaunchResult &result : results_of(one.file, one.name)) {
      ASSERT_EQ(result.diagnostics.size(), 1u) << one.name << ": " << all_of(result);
      const simt::Diagnostic &found = result.diagnostics[0];
      EXPECT_EQ(found.severity, simt::Severity::warning) << all_of(result);
      EXPECT_NE(found.message.find(one.says), std::string::npos) << all_of(result);
      ASSERT_TRUE(found.other) << all_of(result);
      EXPECT_NE(found.here.at.line, 0u) << all_of(result);
      EXPECT_NE(found.other->at.line, 0u) << all_of(result);
      const bool of_two_blocks = one.name[0] == 'c';
      EXPECT_EQ(found.here.block.x != found.other->block.x, of_two_blocks) << all_of(result);
    }
}

TEST(LabelledProgramsTogether, ACopyToAnotherBlockThatNobodyHasWaitedForNamesBothSides) {
  struct Program {
    const char *name;
    std::uint32_t here, other;  // blocks
  };
  for (const Program &one :
       {Program{"cluster_copies_read_back_at_once", 0, 0}, Program{"cluster_copies_twice_one_thread", 0, 0},
        Program{"cluster_copies_twice_two_blocks_after_a_barrier", 0, 1},
        Program{"cluster_copies_twice_two_blocks_the_other_first", 1, 0},
        Program{"cluster_copies_read_nobody_waits", 1, 0}})
    for (const simt::LaunchResult &result : results_of("cluster_copies.", one.name)) {
      ASSERT_FALSE(result.diagnostics.empty()) << one.name;
      const simt::Diagnostic &found = result.diagnostics[0];
      EXPECT_NE(found.message.find("before the end of an asynchronous copy"), std::string::npos)
          << all_of(result);
      EXPECT_EQ(found.severity, simt::Severity::error) << all_of(result);
      ASSERT_TRUE(found.other) << all_of(result);
      EXPECT_NE(found.other->at.line, 0u) << all_of(result);
      EXPECT_EQ(found.here.block.x, one.here) << all_of(result);
      EXPECT_EQ(found.other->block.x, one.other) << all_of(result);
    }
}

TEST(LabelledProgramsTogether, AReaderThatMaySeeTwoNewValuesIsAnError) {
  for (const char *name : {"levels_of_two_values", "levels_beside_a_start"})
    for (const simt::LaunchResult &result : results_of("cures.", name))
      EXPECT_EQ(worst_race(result), simt::Severity::error) << name << all_of(result);
  for (const simt::LaunchResult &result : results_of("cures.", "cure_same_new_value__level"))
    EXPECT_EQ(worst_race(result), simt::Severity::warning) << all_of(result);
}

TEST(LabelledProgramsTogether, AreAtLeast120HalfOfThemRight) {
  std::size_t racy = 0, right = 0;
  for (const std::string &file : files()) {
    if (file.find(".clang.") != std::string::npos) continue;
    for (const Labelled &one : labelled(*read_module(file))) ++(one.racy ? racy : right);
  }
  EXPECT_GE(racy, 60u);
  EXPECT_GE(right, 60u);
}

}  // namespace
}  // namespace warpgrade::tests
