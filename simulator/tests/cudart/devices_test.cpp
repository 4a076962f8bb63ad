// Several devices: programs/devices/.
#include <nlohmann/json.hpp>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

#if WARPGRADE_TOOLKIT >= 13000
TEST(SeveralDevices, AnswerAsTwoH200Do) {
  const Ran ran = simt_run("--devices 2", "devices/calls");
  EXPECT_EQ(ran.out, read_text(std::filesystem::path(WARPGRADE_SOURCES) / "devices/calls.out")) << ran.err;
}
#endif

TEST(SeveralDevices, AreOneUnlessMoreAreAskedFor) {
  EXPECT_EQ(simt_run("", "devices/exchange right_ring").status, 3);  // it expects two at least
  EXPECT_CONTAINS(simt_run("--devices 17", "devices/exchange right_ring").err, "--devices");
}

class ExchangeOfDevices : public testing::TestWithParam<const char *> {};

std::string name_of_exchange(const testing::TestParamInfo<const char *> &one) {
  return one.param;
}

TEST_P(ExchangeOfDevices, IsNotReportedIfItIsOrdered) {
  for (const char *const options : {"--devices 2", "--devices 4"}) {
    const Ran ran = simt_run(options, std::string("devices/exchange right_") + GetParam());
    EXPECT_EQ(ran.status, 0) << options << "\n" << ran.err;
    EXPECT_CONTAINS(ran.err, ": no errors");
    EXPECT_FALSE(contains(ran.err, "warning:")) << ran.err;
  }
}

TEST_P(ExchangeOfDevices, IsReportedWithBothDevicesIfOneThingIsForgotten) {
  const Ran ran = simt_run("--devices 2", std::string("devices/exchange ") + GetParam());
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, "nothing orders the two");
  EXPECT_CONTAINS(ran.err, " of device 0");
  EXPECT_CONTAINS(ran.err, " of device 1");
}

INSTANTIATE_TEST_SUITE_P(SimtRun, ExchangeOfDevices,
                         testing::Values("peer_load", "peer_store", "host_waits", "copy",
                                         "copy_in_default_stream", "halo", "ring", "reduction",
                                         "threads_of_the_host", "openmp", "managed", "event_of_the_other"),
                         name_of_exchange);

class SampleOfDevices : public testing::TestWithParam<const char *> {};

TEST_P(SampleOfDevices, RunsAndNothingIsReported) {
  for (const char *const options : {"--devices 2", "--devices 4"}) {
    const Ran ran = simt_run(options, std::string("devices/") + GetParam());
    EXPECT_EQ(ran.status, 0) << options << "\n" << ran.err;
    EXPECT_CONTAINS(ran.err, ": no errors");
    EXPECT_FALSE(contains(ran.err, "warning:")) << ran.err;
  }
}

std::string name_of_sample(const testing::TestParamInfo<const char *> &one) {
  const std::string words = one.param;
  return words.substr(words.find(' ') + 1);
}

INSTANTIATE_TEST_SUITE_P(SimtRun, SampleOfDevices,
                         testing::Values("samples peer_to_peer", "samples sums_of_parts",
                                         "samples bandwidths", "samples transpose", "samples managed_parts",
                                         "samples pipeline", "samples pool_of_a_peer",
                                         "samples cooperative_sums", "samples workloads", "samples stripes",
                                         "jacobi in_one_thread", "jacobi in_threads_with_copies",
                                         "jacobi in_threads_with_stores"),
                         name_of_sample);

TEST(GraphOfTwoDevices, RunsEachNodeOnTheDeviceOfItsStream) {
  const Ran right = simt_run("--devices 2", "devices/exchange right_graph");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_CONTAINS(right.err, ": no errors");
  const Ran wrong = simt_run("--devices 2", "devices/exchange graph");
  EXPECT_EQ(wrong.status, 1) << wrong.err;
  EXPECT_CONTAINS(wrong.err, "in node ");
  EXPECT_CONTAINS(wrong.err, "nothing orders the two");
}

TEST(WordsOfTwoDevices, NeedTheScopeOfTheSystem) {
  for (const char *const name : {"right_counter", "right_counter_in_turn", "right_flag"}) {
    const Ran ran = simt_run("--devices 2", std::string("devices/flags ") + name);
    EXPECT_EQ(ran.status, 0) << name << "\n" << ran.err;
    EXPECT_CONTAINS(ran.err, ": no errors");
  }
  const std::string scope =
      ": an atomic or volatile access whose scope is not the system means nothing to another device";
  const Ran counted = simt_run("--devices 2", "devices/flags counter");
  EXPECT_CONTAINS(counted.err, scope);
  EXPECT_CONTAINS(counted.err, "writes allocation 2 at " + marked("devices/flags.cu", "count").substr(8) +
                                   " in the default stream of device 1");
  EXPECT_CONTAINS(
      simt_run("--devices 2", "devices/flags flag").err,
      marked("devices/flags.cu", "send_narrowly").substr(8) + " in the default stream of device 0" + scope);
}

TEST(WordsOfTwoDevices, ThatALaterLaunchWritesAreNotWaitedForEndlessly) {
  const Ran ran = simt_run("--devices 2", "devices/flags flag_that_comes_later");
  EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
  EXPECT_CONTAINS(ran.err,
                  marked("devices/flags.cu", "receive").substr(8) + ": error: the kernel waits for ever");
  EXPECT_CONTAINS(ran.err, "if the kernel waits for one that is launched later, on another device");
}

TEST(KernelsOfTwoDevices, ThatWaitForEachOtherAreSaidToBeBeyondTheSimulator) {
  const Ran ran = simt_run("--devices 2", "devices/flags barrier_of_all_devices");
  EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
  EXPECT_CONTAINS(ran.err,
                  marked("devices/flags.cu", "meet").substr(8) + ": error: the kernel waits for ever");
  EXPECT_CONTAINS(ran.err, "Kernels of two devices that wait for each other cannot run here");
}

/// The bytes of a direction in the file of --json.
std::uint64_t bytes_of(const nlohmann::json &all, const char *from, const char *to) {
  for (const nlohmann::json &one : all["links"]["pairs"])
    if (one["from"] == from && one["to"] == to) return one["bytes"].get<std::uint64_t>();
  return 0;
}

TEST(LinksOfDevices, CarryWhatIsCounted) {
  const Folder folder;
  const std::string json = (folder / "j").string(), svg = (folder / "t.svg").string();
  // 4000 bytes are copied from device 0 to device 1, and 4000 to the host at the end.
  const Ran copied = simt_run("--devices 2 --links pcie4 --json " + json + " --timeline " + svg,
                              "devices/exchange right_copy");
  EXPECT_EQ(copied.status, 0) << copied.err;
  EXPECT_CONTAINS(copied.err, "busiest link between devices: 0 -> pcie, 4000 bytes");
  nlohmann::json all = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(bytes_of(all, "0", "1"), 4000u);
  EXPECT_EQ(bytes_of(all, "1", "0"), 0u);
  EXPECT_EQ(bytes_of(all, "1", "host"), 4000u);
  EXPECT_GT(all["links"]["predicted"]["total_us"].get<double>(), 0);
  EXPECT_CONTAINS(read_text(svg), "cudaMemcpyPeerAsync, 4000 bytes from device 0 to device 1");
  // A kernel on device 1 loads 1000 floats of device 0: 125 sectors of 32 bytes.
  simt_run("--devices 2 --json " + json, "devices/exchange right_peer_load");
  all = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(all["links"]["topology"], "nvlink4");
  EXPECT_EQ(bytes_of(all, "0", "1"), 4000u);
  EXPECT_EQ(all["links"]["lines"][1]["at"], marked("devices/exchange.cu", "add").substr(8));
  // A kernel on device 0 stores them in the memory of device 1.
  simt_run("--devices 2 --json " + json, "devices/exchange right_peer_store");
  EXPECT_EQ(bytes_of(nlohmann::json::parse(read_text(json)), "0", "1"), 4000u);
  // 64 of 128 threads count in the memory of the other device.
  simt_run("--devices 2 --json " + json, "devices/flags right_counter");
  EXPECT_EQ(bytes_of(nlohmann::json::parse(read_text(json)), "1", "0"), 64u * 32);
}

TEST(LinksOfDevices, NameTheLinesOfCopiesWhereTheProgramHasDebugInformation) {
  // samples.cu is compiled with -g. The second line of the call is marked; its first one is what it belongs to.
  const std::string marked_line = marked("devices/samples.cu", "copy").substr(8);
  const Ran ran = simt_run("--devices 2", "devices/samples peer_to_peer");
  const std::string file = marked_line.substr(0, marked_line.find(':') + 1);
  const int line = std::stoi(marked_line.substr(file.size())) - 1;
  EXPECT_CONTAINS(ran.err, file + std::to_string(line) + " ");
  EXPECT_CONTAINS(ran.err, "0 -> 1, cudaMemcpy\n");
  EXPECT_CONTAINS(simt_run("--devices 2", "devices/exchange right_copy").err, "  cudaMemcpyPeerAsync  ");
}

TEST(LinksOfDevices, ThatAreUnknownOrCannotBeDrawnAreReportedBeforeTheProgramRuns) {
  const Ran unknown = simt_run("--devices 2 --links nvlink9", "devices/exchange right_copy");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_CONTAINS(unknown.err, "nvlink9 is neither a file nor one of infiniband, nvlink3,");
  EXPECT_EQ(simt_run("--devices 2 --timeline t.png", "devices/exchange right_copy").status, 2);
}

TEST(LinksOfDevices, AreNotMentionedWhereThereIsOneDevice) {
  EXPECT_FALSE(contains(simt_run("", "streams right_event").err, "links"));
}

struct Mistake {
  const char *name, *line, *words, *answer;
};

class MistakeWithDevices : public testing::TestWithParam<Mistake> {};

TEST_P(MistakeWithDevices, IsAnErrorInWords) {
  const Mistake &one = GetParam();
  const Ran ran = simt_run("--devices 2", std::string("devices/mistakes ") + one.name);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_EQ(ran.out, std::string(one.answer) + "\n");
  if (*one.line) {
    EXPECT_CONTAINS(ran.err, marked("devices/mistakes.cu", one.line).substr(8) + ": error: ");
  }
  EXPECT_CONTAINS(ran.err, one.words);
}

constexpr const char *no_access =
    " of device 1 by a kernel on device 0, which has no access to the memory of device 1: call "
    "cudaDeviceEnablePeerAccess(1, 0) after cudaSetDevice(0)";

INSTANTIATE_TEST_SUITE_P(
    SimtRun, MistakeWithDevices,
    testing::Values(
        Mistake{"load_without_access", "load", no_access, "cudaErrorIllegalAddress"},
        Mistake{"store_without_access", "store", no_access, "cudaErrorIllegalAddress"},
        Mistake{"count_without_access", "count", no_access, "cudaErrorIllegalAddress"},
        Mistake{"count_and_use_without_access", "count_and_use", no_access, "cudaErrorIllegalAddress"},
        Mistake{"access_of_the_other", "load", no_access, "cudaErrorIllegalAddress"},
        Mistake{"access_taken_back", "load", no_access, "cudaErrorIllegalAddress"},
        Mistake{"stream_of_another_device", "",
                "launches a kernel into a stream of device 0, while device 1 is the current one",
                "cudaErrorInvalidResourceHandle"},
        Mistake{"event_of_another_device", "",
                "cudaEventRecord: records an event of device 1 in a stream of device 0: create the "
                "event after cudaSetDevice(0)",
                "cudaErrorInvalidResourceHandle"},
        Mistake{"fill_of_another_device", "", "device 0 is to fill allocation 1 of device 1",
                "cudaErrorInvalidValue"}),
    [](const auto &one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warpgrade::tests
