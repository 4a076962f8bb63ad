// NCCL's interface on several devices: programs/nccl/.
#include <dlfcn.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

class Nccl : public testing::TestWithParam<const char *> {};

std::string name_of_use(const testing::TestParamInfo<const char *> &one) {
  return one.param;
}

TEST_P(Nccl, GivesWhatItPromisesAndNothingIsReported) {
  for (const char *const options : {"--devices 2", "--devices 3", "--devices 4"}) {
    const Ran ran = simt_run(options, std::string("nccl/collectives ") + GetParam());
    EXPECT_EQ(ran.status, 0) << options << "\n" << ran.err;
    EXPECT_CONTAINS(ran.err, ": no errors");
    EXPECT_FALSE(contains(ran.err, "warning:")) << ran.err;
  }
}

INSTANTIATE_TEST_SUITE_P(SimtRun, Nccl,
                         testing::Values("all_reduce_in_one_thread", "kernels_before_and_after",
                                         "other_collectives", "exchanges", "types", "ring_of_sends",
                                         "sends_in_one_thread", "pipeline_of_sends", "ranks_made_in_a_group",
                                         "streams_of_one_communicator", "streams_of_threads",
                                         "rank_that_comes_late", "memory_of_the_host", "split_in_threads",
                                         "split_in_one_thread", "scaled_sums", "small_calls"),
                         name_of_use);

class SampleOfNccl : public testing::TestWithParam<const char *> {};

TEST_P(SampleOfNccl, RunsAndNothingIsReported) {
  for (const char *const options : {"--devices 2", "--devices 4"}) {
    const Ran ran = simt_run(options, std::string("nccl/samples ") + GetParam());
    EXPECT_EQ(ran.status, 0) << options << "\n" << ran.err;
    EXPECT_CONTAINS(ran.err, ": no errors");
    EXPECT_FALSE(contains(ran.err, "warning:")) << ran.err;
  }
}

INSTANTIATE_TEST_SUITE_P(SimtRun, SampleOfNccl,
                         testing::Values("thread_for_each_device", "training", "rows_and_columns",
                                         "halo_by_sends"),
                         name_of_use);

TEST(NcclTraining, ThatDoesNotWaitForTheGradientsOfALayerIsReported) {
  const Ran ran = simt_run("--devices 4", "nccl/samples training_without_waiting_for_a_layer");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, "compute_gradient(float*, float const*, int, float) writes it at samples.cu:");
  EXPECT_CONTAINS(ran.err, "nothing orders the two");
}

TEST(NcclAllReduce, IsRightForCountsThatTheRingDoesNotDivide) {
  for (const char *const algorithm : {"Ring", "Tree"})
    for (const char *const count : {"0", "1", "2", "3", "5", "31"}) {
      const Ran ran =
          shell(std::string("NCCL_ALGO=") + algorithm + " " + WARPGRADE_SIMT + " run --devices 4 " +
                WARPGRADE_PROGRAMS + "/nccl/collectives all_reduce_in_one_thread " + count);
      EXPECT_EQ(ran.status, 0) << algorithm << ", " << count << "\n" << ran.err;
    }
}

/// What links carried, as --json has it.
nlohmann::json links_of(const std::string &before, int devices, int count) {
  const Folder folder;
  const std::string json = (folder / "j").string();
  const Ran ran =
      shell(before + WARPGRADE_SIMT + " run --devices " + std::to_string(devices) + " --json " + json + " " +
            WARPGRADE_PROGRAMS + "/nccl/collectives all_reduce_once " + std::to_string(count));
  EXPECT_EQ(ran.status, 0) << ran.err;
  return nlohmann::json::parse(read_text(json))["links"];
}

std::uint64_t bytes_between(const nlohmann::json &links, int from, int to) {
  for (const nlohmann::json &one : links["pairs"])
    if (one["from"] == std::to_string(from) && one["to"] == std::to_string(to))
      return one["bytes"].get<std::uint64_t>();
  return 0;
}

TEST(NcclAllReduceAroundARing, MovesTheBytesOfTheFormulaOverEachLink) {
  for (const int devices : {2, 3, 4})
    for (const int count : {0, 1, 5, 1000, 1200}) {
      const nlohmann::json links = links_of("", devices, count);
      // Floats of a piece; the first ones have one more where the ring does not divide the count. Every piece passes a
      // link twice, but for one while it grows, and one when it is whole: 2 (n - 1) / n of the buffer.
      const auto piece = [&](int i) { return count / devices + (i % devices < count % devices ? 1 : 0); };
      for (int d = 0; d < devices; ++d) {
        const int floats = 2 * count - piece(d) - piece(d + 1);
        EXPECT_EQ(bytes_between(links, d, (d + 1) % devices), 4u * static_cast<unsigned>(floats))
            << devices << " devices, " << count << " floats, from " << d;
        if (devices > 2) {
          EXPECT_EQ(bytes_between(links, (d + 1) % devices, d), 0u);
        }
        if (count == 1200) {
          EXPECT_EQ(floats, 2 * (devices - 1) * count / devices);
        }
      }
    }
}

TEST(NcclAllReduceAroundARing, IsCountedStepByStep) {
  const nlohmann::json links = links_of("", 4, 1000);
  std::map<std::string, int> steps;
  for (const nlohmann::json &one : links["lines"])
    if (one["from"] != "host" && one["to"] != "host") {
      ++steps[one["what"]];
      EXPECT_EQ(one["bytes"], 1000) << one;  // a quarter of 1000 floats
    }
  EXPECT_EQ(steps.size(), 6u);
  for (int s = 1; s <= 6; ++s)
    EXPECT_EQ(steps["ncclAllReduce, ring, step " + std::to_string(s) + " of 6"], 4);
}

TEST(NcclAllReduceOverTrees, MovesHalvesUpAndDown) {
  const nlohmann::json links = links_of("NCCL_ALGO=Tree ", 4, 1000);
  std::uint64_t all = 0;
  for (const nlohmann::json &one : links["pairs"])
    if (one["from"] != "host" && one["to"] != "host") {
      all += one["bytes"].get<std::uint64_t>();
      EXPECT_EQ(one["bytes"].get<int>() % 2000, 0) << one;
    }
  EXPECT_EQ(all, 2u * 3 * 4000);
}

struct NcclMistake {
  const char *name, *answer, *words;
};

class MistakeWithNccl : public testing::TestWithParam<NcclMistake> {};

TEST_P(MistakeWithNccl, IsReportedInWords) {
  const NcclMistake &one = GetParam();
  const Ran ran = simt_run("--devices 2", std::string("nccl/mistakes ") + one.name);
  EXPECT_NE(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, *one.answer ? std::string(one.answer) + "\n" : "");
  EXPECT_CONTAINS(ran.err, one.words);
}

constexpr const char *usage = "ncclInvalidUsage", *argument = "ncclInvalidArgument", *endless = "",
                     *silent = "";

INSTANTIATE_TEST_SUITE_P(
    SimtRun, MistakeWithNccl,
    testing::Values(
        NcclMistake{"counts", usage,
                    "ncclAllReduce: rank 0 (device 0) gives a count of 31, and rank 1 (device 1) gives 32: "
                    "all ranks must "
                    "agree"},
        NcclMistake{"types", usage,
                    "rank 0 (device 0) gives ncclInt32, and rank 1 (device 1) gives ncclFloat32"},
        NcclMistake{"reductions", usage,
                    "rank 0 (device 0) gives ncclMax, and rank 1 (device 1) gives ncclSum"},
        NcclMistake{"another_collective", usage,
                    "rank 0 (device 0) calls ncclBroadcast, and rank 1 (device 1) calls ncclAllReduce"},
        NcclMistake{
            "nothing_to_reduce_on_one_rank", endless,
            "ncclAllReduce: rank 1 (device 1) waits for ever for rank 0 (device 0), whose last call was "
            "ncclAllReduce with a count of 0, which NCCL skips"},
        NcclMistake{
            "receive_of_another_count", usage,
            "rank 0 (device 0) gives a count of 32, and rank 1 (device 1) gives 16: sender and receiver must "
            "agree"},
        NcclMistake{"no_group", endless,
                    "ncclAllReduce: rank 0 (device 0) waits for ever for rank 1 (device 1), which has called "
                    "nothing"},
        NcclMistake{
            "rank_that_never_calls", endless,
            "ncclBroadcast: rank 1 (device 1) waits for ever for rank 0 (device 0), whose communicator was "
            "destroyed"},
        NcclMistake{"send_without_receive", endless,
                    "ncclSend: rank 0 (device 0) waits for ever for rank 1 (device 1) to receive, whose "
                    "communicator was "
                    "destroyed"},
        NcclMistake{"receive_without_send", endless,
                    "ncclRecv: rank 1 (device 1) waits for ever for rank 0 (device 0) to send, which has "
                    "called nothing"},
        NcclMistake{"circle_of_sends", endless,
                    "ncclSend: rank 0 (device 0) waits for ever for rank 1 (device 1) to receive, which "
                    "waits in ncclSend "
                    "to rank 0"},
        NcclMistake{"send_against_collective", endless,
                    "ncclAllReduce: rank 1 (device 1) waits for ever for rank 0 (device 0), which waits in "
                    "ncclSend to "
                    "rank 1"},
        NcclMistake{"gather_without_a_rank", endless,
                    "rank 0 (device 0) waits for ever for rank 1 (device 1) to send, whose "
                    "communicator was "
                    "destroyed"},
        NcclMistake{"rank_that_never_joins", endless,
                    "ncclCommInitRank: waits for ever: of 2 ranks with this unique id, rank 0 (device 0) "
                    "called it, and "
                    "never rank 1"},
        NcclMistake{"group_without_end", endless,
                    "ncclGroupStart: has no ncclGroupEnd: 2 calls in the group"},
        NcclMistake{"end_without_group", usage, "ncclGroupEnd: is called without ncclGroupStart"},
        NcclMistake{"buffer_of_another_device", argument,
                    "the send buffer of rank 0 (device 0) is allocation 1, which is memory of device 1, and "
                    "the rank is "
                    "on device 0"},
        NcclMistake{"buffer_of_the_host", argument,
                    "the send buffer of rank 0 (device 0) is memory of the host, which no device can reach"},
        NcclMistake{"buffer_too_short", argument,
                    "is 132 bytes at allocation 1, up to 4 bytes past the end of its 128 bytes"},
        NcclMistake{"buffer_that_was_freed", argument, "is allocation 1, which was freed"},
        NcclMistake{"buffers_that_overlap", usage,
                    "the buffers of rank 0 (device 0) overlap: in place, both are the same pointer"},
        NcclMistake{
            "exchange_in_one_buffer", "ncclSuccess",
            "rank 0 (device 0): the buffers of ncclSend to rank 1 and ncclRecv from rank 1 overlap, and "
            "both calls happen at the same time"},
        NcclMistake{"count_beyond_all_memory", argument, "gives a count of 4611686018427387904"},
        NcclMistake{"gather_in_the_wrong_place", usage,
                    "the buffers of rank 1 (device 1) overlap: in place, the send buffer is the receive "
                    "buffer + rank * "
                    "sendcount elements"},
        NcclMistake{"buffer_never_written", "ncclSuccess",
                    "the send buffer of rank 0 (device 0) is 128 bytes of allocation 1, of which 128 were "
                    "never written"},
        NcclMistake{"stream_of_another_device", argument, "rank 0 (device 0) names a stream of device 1"},
        NcclMistake{"no_such_root", argument, "rank 0 (device 0) names rank 2, and there are 2 ranks"},
        NcclMistake{"destroyed_communicator", argument,
                    "uses the communicator of rank 0 (device 0) after ncclCommDestroy"},
        NcclMistake{"two_ranks_on_a_device", usage, "names device 1 twice"},
        NcclMistake{"more_devices_than_there_are", argument, "names device 2, and there are 2 devices"},
        NcclMistake{"call_after_a_kernel_has_failed", silent, "store of 4 bytes, 4194175 bytes past the end"},
        NcclMistake{"captured_stream", usage,
                    "ncclAllReduce: not supported by the simulator: calls of NCCL in a captured stream"},
        NcclMistake{"end_while_a_rank_waits", silent,
                    "of 2 ranks with this unique id, rank 0 (device 0) called it"},
        NcclMistake{"unique_id_of_nobody", argument,
                    "ncclCommInitRank: the unique id is not from a call of ncclGetUniqueId in this process"},
        NcclMistake{
            "kernel_in_the_buffer_of_another_rank", silent,
            "add(float*, float): reads allocation 2 at mistakes.cu:5 in the default stream of device 0, and "
            "ncclAllReduce, ring, step 2 of 2 writes it in the default stream of device 1"},
        NcclMistake{"no_place_for_the_answer", argument,
                    "ncclCommCount: there is no place for the answer (NULL)"},
        NcclMistake{"call_that_is_not_there", usage,
                    "ncclGroupSimulateEnd: not supported by the simulator: this call"},
        NcclMistake{"split_without_a_rank", endless,
                    "ncclCommSplit: rank 0 (device 0) waits for ever for rank 1 (device 1), whose "
                    "communicator was destroyed"},
        NcclMistake{"color_that_is_none", argument,
                    "rank 0 (device 0) gives -2 as its color: colors count from 0, and NCCL_SPLIT_NOCOLOR is "
                    "none"},
        NcclMistake{
            "reduction_of_another_communicator", argument,
            "is not a reduction of NCCL, nor one that was made for the communicator of rank 1 (device "
            "1)"},
        NcclMistake{"reduction_of_another_type", argument,
                    "rank 0 (device 0) gives ncclFloat32, and a reduction that was made for ncclFloat64"},
        NcclMistake{"reduction_that_was_destroyed", argument,
                    "is not a reduction that was made for the communicator of rank 0 (device 0)"},
        NcclMistake{"scalar_of_the_host", argument,
                    "the scalar of rank 0 (device 0) is memory of the host, which no device can reach"},
        NcclMistake{"destroyed_in_a_group", usage,
                    "ncclCommDestroy: 1 call of rank 0 (device 0) is in a group that has not ended"},
        NcclMistake{"group_in_a_host_function", usage,
                    "ncclGroupStart: is called in a function that a stream runs (cudaLaunchHostFunc)"}),
    [](const auto &one) { return std::string(one.param.name); });

TEST(NcclCommunicator, ThatIsAbortedTakesItsCallsOutOfGroups) {
  const Ran ran = simt_run("--devices 2", "nccl/mistakes aborted_in_a_group");
  EXPECT_EQ(ran.out, "another result\n") << ran.err;  // ncclInternalError
}

TEST(NcclCommunicator, ThatIsNeverDestroyedIsARemark) {
  const Ran ran = simt_run("--devices 2", "nccl/mistakes communicator_never_destroyed");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err, "ncclCommDestroy: never called for 1 communicator: rank 0 (device 0)");
}

TEST(KernelThatNothingOrdersWithACollective, IsARaceWithBothNames) {
  const Ran before = simt_run("--devices 2", "nccl/mistakes kernel_that_still_writes");
  EXPECT_EQ(before.status, 1);
  EXPECT_CONTAINS(before.err, "ncclAllReduce, ring, step ");
  EXPECT_CONTAINS(before.err,
                  "add(float*, float) writes it at " + marked("nccl/mistakes.cu", "add").substr(5));
  EXPECT_CONTAINS(before.err, "nothing orders the two");
  const Ran after = simt_run("--devices 2", "nccl/mistakes kernel_that_comes_too_early");
  EXPECT_EQ(after.status, 1);
  EXPECT_CONTAINS(after.err, "error: add(float*, float): ");
  EXPECT_CONTAINS(after.err, "and ncclAllReduce, ring, step ");
}

TEST(KernelBeforeACollectiveOfManyRanks, IsNotForgotten) {
  const Ran ran = simt_run("--devices 16", "nccl/mistakes kernels_around_a_large_collective");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err,
                  "and add(float*, float) writes it at " + marked("nccl/mistakes.cu", "add").substr(5));
}

TEST(NcclOnOneDevice, HasOneRank) {
  EXPECT_CONTAINS(simt_run("", "nccl/mistakes more_devices_than_there_are").err,
                  "names device 1, and there is 1 device (simt run --devices)");
}

TEST(NcclHeader, NamesNoFunctionThatTheLibraryLacks) {
  void *const library = ::dlopen(WARPGRADE_NCCL, RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const std::string header = read_text(WARPGRADE_NCCL_HEADER);
  const std::regex function("\\bp?nccl[A-Z][A-Za-z]*(?=\\()");
  int found = 0;
  for (std::sregex_iterator one(header.begin(), header.end(), function), end; one != end; ++one) {
    const std::string name = one->str();
    EXPECT_NE(::dlsym(library, name.c_str()), nullptr) << name;
    ++found;
  }
  EXPECT_GT(found, 50);
  ::dlclose(library);
}

}  // namespace
}  // namespace warpgrade::tests
