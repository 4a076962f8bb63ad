// Several devices: programs/devices/.
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

struct Mistake {
  const char *name, *line, *words, *answer;
};

class MistakeWithDevices : public testing::TestWithParam<Mistake> {};

TEST_P(MistakeWithDevices, IsAnErrorInWords) {
  const Mistake &one = GetParam();
  const Ran ran = simt_run("--devices 2", std::string("devices/mistakes ") + one.name);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_EQ(ran.out, std::string(one.answer) + "\n");
  if (*one.line) EXPECT_CONTAINS(ran.err, marked("devices/mistakes.cu", one.line).substr(8) + ": error: ");
  EXPECT_CONTAINS(ran.err, one.words);
}

constexpr const char *no_access =
    " of device 1 by a kernel on device 0, which has no access to the memory of device 1: call "
    "cudaDeviceEnablePeerAccess(1, 0) after cudaSetDevice(0)";

INSTANTIATE_TEST_SUITE_P(
    SimtRun, MistakeWithDevices,
    testing::Values(Mistake{"load_without_access", "load", no_access, "cudaErrorIllegalAddress"},
                    Mistake{"store_without_access", "store", no_access, "cudaErrorIllegalAddress"},
                    Mistake{"count_without_access", "count", no_access, "cudaErrorIllegalAddress"},
                    Mistake{"count_and_use_without_access", "count_and_use", no_access,
                            "cudaErrorIllegalAddress"},
                    Mistake{"access_of_the_other", "load", no_access, "cudaErrorIllegalAddress"},
                    Mistake{"access_disabled_again", "load", no_access, "cudaErrorIllegalAddress"},
                    Mistake{"stream_of_another_device", "",
                            "launches a kernel into a stream of device 0, while device 1 is the current one",
                            "cudaErrorInvalidResourceHandle"},
                    Mistake{"fill_of_another_device", "", "device 0 is to fill allocation 1 of device 1",
                            "cudaErrorInvalidValue"}),
    [](const auto &one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warpgrade::tests
