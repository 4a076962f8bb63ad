// Races between streams: programs/streams.cu.
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

class WorkOfTwoStreams : public testing::TestWithParam<const char *> {};
class OrderedWorkOfTwoStreams : public testing::TestWithParam<const char *> {};

std::string name_of_case(const testing::TestParamInfo<const char *> &one) {
  return one.param;
}

TEST_P(WorkOfTwoStreams, IsReportedIfNothingOrdersIt) {
  const Ran ran = simt_run("", std::string("streams ") + GetParam());
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, "nothing orders the two");
}

INSTANTIATE_TEST_SUITE_P(SimtRun, WorkOfTwoStreams,
                         testing::Values("write_and_read", "read_and_write", "kernel_and_copy",
                                         "copy_and_kernel", "pinned_buffer_used_twice", "event_too_early",
                                         "host_waits_for_another", "plain_copy_beside_non_blocking",
                                         "atomic_and_plain", "blocking_streams", "graph_beside_kernel",
                                         "copy_waits_for_less_than_all", "threads_with_streams_of_their_own"),
                         name_of_case);

TEST_P(OrderedWorkOfTwoStreams, IsNotReported) {
  const Ran ran = simt_run("", std::string("streams ") + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(contains(ran.err, "error:")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(SimtRun, OrderedWorkOfTwoStreams,
                         testing::Values("right_event", "right_host_waits", "right_halves",
                                         "right_words_in_turn", "right_both_read", "right_both_atomic",
                                         "right_legacy_between", "right_copies_of_pageable_memory",
                                         "right_callback", "right_chain_of_events", "right_graphs",
                                         "right_branches_of_a_graph", "right_stream_of_the_thread",
                                         "right_copy_waits_for_its_stream", "right_destroyed_stream",
                                         "right_query"),
                         name_of_case);

TEST(WorkOfStreams, IsReportedWithBothKernelsAndThePlace) {
  const Ran ran = simt_run("", "streams write_and_read");
  EXPECT_CONTAINS(ran.err, "error: add(int*, int const*): reads allocation 1 in stream ");
  EXPECT_CONTAINS(ran.err, ", and fill(int*, int) writes it in stream ");
}

TEST(WorkOfStreams, IsNotComparedWhereRacesAreNotLookedFor) {
  EXPECT_EQ(simt_run("--no-race-check", "streams write_and_read").status, 0);
}

}  // namespace
}  // namespace warpgrade::tests
