// How often threads go each way at a branch: Options::keep_branches.
#include <gmock/gmock.h>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kernel;
using testing::run;

using Ways = std::pair<std::uint64_t, std::uint64_t>;

/// Of each branch that was reached, in the order of the text: threads for which its guard holds, and others.
std::vector<Ways> ways(const std::string &body, std::uint32_t threads = 32) {
  Options options;
  options.keep_branches = true;
  std::vector<Ways> all;
  for (const BranchCount &one : run(kernel(body), {}, threads, options).result.branches)
    all.emplace_back(one.taken, one.not_taken);
  return all;
}

TEST(Branches, ThreadsAreCountedByTheWayThatTheyGo) {
  // 5 of 40 threads jump; the others, 27 of the first warp and 8 of the second, go on.
  EXPECT_THAT(ways("setp.lt.u32 %p1, %tid, 5; @%p1 bra over; mov.u32 %r1, 1; over:", 40),
              ElementsAre(Ways(5, 35)));
}

TEST(Branches, ALoopIsLeftOnceByEachThread) {
  // Three rounds: each of 32 threads jumps back twice. The test before the loop, which skips it, never holds.
  EXPECT_THAT(ways("mov.u32 %r1, 0; setp.gt.u32 %p1, %tid, 99; @%p1 bra over;\n"
                   "again: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3;\n@%p2 bra again; over:"),
              ElementsAre(Ways(0, 32), Ways(64, 32)));
}

TEST(Branches, ABranchThatNoThreadReachesIsNotListed) {
  EXPECT_THAT(ways("bra over; setp.lt.u32 %p1, %tid, 5; @%p1 bra over; over:"), IsEmpty());
}

TEST(Branches, AGuardedExitIsABranch) {
  EXPECT_THAT(ways("setp.ge.u32 %p1, %tid, 30; @%p1 exit; mov.u32 %r1, 1;"), ElementsAre(Ways(2, 30)));
}

TEST(Branches, NothingIsKeptUnlessItIsRequested) {
  EXPECT_THAT(run(kernel("setp.lt.u32 %p1, %tid, 5; @%p1 bra over; over:")).result.branches, IsEmpty());
}

TEST(Branches, TheLineIsThatOfTheBranchInTheText) {
  Options options;
  options.keep_branches = true;
  const std::string text = kernel("setp.lt.u32 %p1, %tid, 5;\n@%p1 bra over;\nover:");
  const auto branches = run(text, {}, 32, options).result.branches;
  ASSERT_EQ(branches.size(), 1u);
  const auto before = text.substr(0, text.find("@%p1"));
  EXPECT_EQ(branches[0].ptx_line, 1 + std::count(before.begin(), before.end(), '\n'));
}

}  // namespace
}  // namespace warpgrade::simt
