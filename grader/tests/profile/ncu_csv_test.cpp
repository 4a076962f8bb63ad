#include "profile/ncu_csv.hpp"

#include <gtest/gtest.h>

namespace warpgrade::profile {
namespace {

/// As ncu 2025 writes it: messages of its own, a row of names, a row of units, a row a kernel.
std::string log_with(const std::string &units, const std::string &rows) {
  return "==PROF== Connected to process 4711 (/opt/grade)\n"
         "==PROF== Profiling \"gemm\" - 0: 0%....50%....100% - 2 passes\n"
         "==PROF== Disconnected from process 4711\n"
         "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
         "Name\",\"Context\",\"Stream\",\"Block "
         "Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
         "\"gpu__time_duration.sum\",\"lts__t_bytes.sum\"\n" +
         units + rows;
}
std::string row(const std::string &kernel, const std::string &values) {
  return R"-("0","4711","grade","127.0.0.1",")-" + kernel +
         R"-(","1","7","(256, 1, 1)","(1024, 1, 1)","0","9.0",)-" + values + "\n";
}
const std::string base_units = R"("","","","","","","","","","","","byte","byte","ns","byte")"
                               "\n";

std::string complaint_about(const std::string &log) {
  try {
    parse_ncu_log(log);
  } catch (const ProfilerError &e) {
    return e.what();
  }
  return "";
}

TEST(ProfilerLog, GivesTimeAndBytesOfEachKernelInOrder) {
  const auto kernels = parse_ncu_log(
      log_with(base_units, row("_Z4gemmiii", R"("2,097,152","67,108,864","71,264","402,653,184")") +
                               row("a \"\"quoted\"\" name", R"("0","32","1000.5","64")")));
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "_Z4gemmiii");
  EXPECT_DOUBLE_EQ(kernels[0].seconds, 71264e-9);
  EXPECT_DOUBLE_EQ(kernels[0].dram_bytes, 2097152 + 67108864);
  EXPECT_DOUBLE_EQ(kernels[0].l2_bytes, 402653184);
  EXPECT_EQ(kernels[1].name, "a \"quoted\" name");
  EXPECT_DOUBLE_EQ(kernels[1].seconds, 1000.5e-9);
}

TEST(ProfilerLog, IsReadInTheUnitsThatItNames) {
  for (const char *units : {R"("","","","","","","","","","","","Mbyte","Kbyte","usecond","Gbyte")",
                            R"("","","","","","","","","","","","MB","KB","us","GB")"}) {
    const auto kernels =
        parse_ncu_log(log_with(std::string(units) + "\r\n", row("k", R"("2.5","1,500","71.2","0.4")")));
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_DOUBLE_EQ(kernels[0].dram_bytes, 2.5e6 + 1500e3);
    EXPECT_DOUBLE_EQ(kernels[0].seconds, 71.2e-6);
    EXPECT_DOUBLE_EQ(kernels[0].l2_bytes, 0.4e9);
  }
}

TEST(ProfilerLog, OfANewUnitIsRefusedRatherThanMisread) {
  EXPECT_NE(complaint_about(log_with(R"("","","","","","","","","","","","byte","byte","fortnight","byte")"
                                     "\n",
                                     row("k", R"("1","1","1","1")")))
                .find("'fortnight'"),
            std::string::npos);
}

TEST(ProfilerLog, WithoutAMetricOrWithoutItsValueSaysWhich) {
  EXPECT_NE(complaint_about(
                "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"ns\"\n\"0\",\"k\",\"1\"\n")
                .find("gave no dram__bytes_read.sum"),
            std::string::npos);
  EXPECT_NE(complaint_about(log_with(base_units, row("k", R"("n/a","1","1","1")"))).find("'n/a'"),
            std::string::npos);
  EXPECT_NE(complaint_about(log_with(base_units, row("k", R"("1","1")"))).find("13 fields in a row under 15"),
            std::string::npos);
  EXPECT_NE(complaint_about(log_with(base_units, "\"0\",\"unfinished")).find("without an end"),
            std::string::npos);
}

TEST(ProfilerLog, WithoutPermissionToReadCountersSaysHowToGetIt) {
  const std::string why = complaint_about(
      "==PROF== Connected to process 12 (/opt/grade)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
      "Counters on the target device 0.\n");
  EXPECT_NE(why.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << why;
}

TEST(ProfilerLog, WithoutKernelsRepeatsTheProfilersOwnReason) {
  EXPECT_EQ(complaint_about("==PROF== Connected\n==WARNING== No kernels were profiled.\n"),
            "the profiler gave no figures: No kernels were profiled.");
  EXPECT_EQ(complaint_about("==WARNING== Slow.\n==ERROR== Failed to open the lock file\n"),
            "the profiler gave no figures: Failed to open the lock file");
  EXPECT_EQ(complaint_about(""), "the profiler gave no figures");
}

TEST(Profile, IsTheSumOverAPlansKernelsAndTheMedianOverItsRuns) {
  std::vector<ProfiledKernel> kernels;
  for (const double time : {9.0, 1.0, 2.0}) {  // three runs of two launches
    kernels.push_back({"first", time, 10, 100});
    kernels.push_back({"second", 1, 5 * time, 7});
  }
  const Profile p = summarise(kernels, 2, 3);
  EXPECT_DOUBLE_EQ(p.seconds, 3);      // of 10, 2 and 3
  EXPECT_DOUBLE_EQ(p.dram_bytes, 20);  // of 55, 15 and 20
  EXPECT_DOUBLE_EQ(p.l2_bytes, 107);
}

TEST(Profile, NeedsEveryKernelOfEveryRun) {
  const std::vector<ProfiledKernel> five(5);
  EXPECT_THROW(summarise(five, 2, 3), ProfilerError);
  EXPECT_THROW(summarise({}, 0, 3), ProfilerError);
}

}  // namespace
}  // namespace warpgrade::profile
