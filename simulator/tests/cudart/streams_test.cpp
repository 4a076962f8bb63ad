// Races between streams, between nodes of a graph, and between the host and the device: programs/streams.cu,
// programs/graph_races.cu, programs/host_races.cu.
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
                                         "copy_waits_for_less_than_all", "threads_with_streams_of_their_own",
                                         "texture_beside_kernel", "array_beside_copy",
                                         "constants_beside_copy", "kernel_writes_constants",
                                         "variable_beside_copy"),
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
                                         "right_query", "right_texture_of_another_half",
                                         "right_texture_after_event", "right_constants_in_turn",
                                         "right_constants_before"),
                         name_of_case);

TEST(WorkOfStreams, IsReportedWithBothKernelsAndThePlace) {
  const Ran ran = simt_run("", "streams write_and_read");
  EXPECT_CONTAINS(ran.err, "error: add(int*, int const*): reads allocation 1 in stream ");
  EXPECT_CONTAINS(ran.err, ", and fill(int*, int) writes it in stream ");
}

TEST(WorkOfStreams, IsNotComparedWithoutRaceChecks) {
  EXPECT_EQ(simt_run("--no-race-check", "streams write_and_read").status, 0);
}

class NodesOfAGraph : public testing::TestWithParam<const char *> {};
class OrderedNodesOfAGraph : public testing::TestWithParam<const char *> {};

TEST_P(NodesOfAGraph, AreReportedIfNoEdgeOrdersThem) {
  const Ran ran = simt_run("", std::string("graph_races ") + GetParam());
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, " of the graph: nothing orders the two");
}

INSTANTIATE_TEST_SUITE_P(SimtRun, NodesOfAGraph,
                         testing::Values("captured_branches", "captured_copy", "missing_edge",
                                         "edge_to_another", "copies_to_one_buffer",
                                         "graph_within_beside_kernel", "fork_within_a_chain",
                                         "atomic_beside_plain", "host_node_of_another_branch"),
                         name_of_case);

TEST_P(OrderedNodesOfAGraph, AreNotReported) {
  const Ran ran = simt_run("", std::string("graph_races ") + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(contains(ran.err, "error:")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(SimtRun, OrderedNodesOfAGraph,
                         testing::Values("right_edge", "right_diamond", "right_empty_node_joins",
                                         "right_both_atomic", "right_halves", "right_captured",
                                         "right_graph_within", "right_launches_of_one_graph",
                                         "right_switched_off"),
                         name_of_case);

class ImpatientHost : public testing::TestWithParam<const char *> {};
class PatientHost : public testing::TestWithParam<const char *> {};

TEST_P(ImpatientHost, IsReported) {
  const Ran ran = simt_run("", std::string("host_races ") + GetParam());
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, "and has not waited for it");
}

INSTANTIATE_TEST_SUITE_P(SimtRun, ImpatientHost,
                         testing::Values("read_too_early", "one_word_read_too_early", "written_too_early",
                                         "variable_read_too_early", "copy_not_awaited",
                                         "source_written_too_early", "another_stream_awaited"),
                         name_of_case);

TEST_P(PatientHost, IsNotReported) {
  const Ran ran = simt_run("", std::string("host_races ") + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(contains(ran.err, "error:")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(SimtRun, PatientHost,
                         testing::Values("right_wait", "right_event", "right_copy_waits",
                                         "right_other_memory", "right_other_half", "right_both_read",
                                         "right_polling", "right_polling_beside_streams", "right_counter",
                                         "right_callback"),
                         name_of_case);

TEST(HostRace, IsReportedWithTheKernelAndThePlace) {
  EXPECT_CONTAINS(simt_run("", "host_races read_too_early").err,
                  "error: host code: the program itself reads or writes managed allocation 1, which "
                  "fill(int*, int) writes in the default stream, and has not waited for it");
}

}  // namespace
}  // namespace warpgrade::tests
