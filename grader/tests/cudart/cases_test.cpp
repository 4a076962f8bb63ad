// Programs that each show one fault of the host, or one end of a program: programs/cases.

#include <csignal>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

std::string in_case(const std::string &name) {
  return "cases/" + name;
}

/// Starts `simt run` on a program that waits for ever, does `then` with its process id $p, and gives what the
/// run wrote.
Ran while_it_waits(const std::string &then) {
  return shell("{ " + std::string(WARPGRADE_SIMT) + " run " + WARPGRADE_PROGRAMS +
               "/cases/killed_in_launch & p=$!; sleep 1; " + then + "; }");
}

TEST(EndOfRun, AKilledRunLeavesNoProcess) {
  // The program's own path is in its command line; simt's has "run" before it.
  const Ran ran = while_it_waits("kill -9 $p; sleep 1; pgrep -f '^" + std::string(WARPGRADE_PROGRAMS) +
                                 "/cases/killed_in_launch' || echo none");
  EXPECT_CONTAINS(ran.out, "none\n");
}

TEST(EndOfRun, AHostThatCorruptsItsHeapHasAnError) {
  const Ran ran = simt_run("", in_case("host_heap_abort"));
  EXPECT_EQ(ran.status, 128 + SIGABRT);
  EXPECT_CONTAINS(ran.err, "error: host code: the program itself ended with signal 6 (Aborted)");
  EXPECT_FALSE(contains(ran.err, "no errors")) << ran.err;
}

}  // namespace
}  // namespace warpgrade::tests
