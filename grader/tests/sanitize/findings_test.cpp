// What compute-sanitizer 2025.3 printed on an H200 for small wrong kernels, and what becomes of it.
#include "sanitize/findings.hpp"

#include <gtest/gtest.h>

#include "sanitize/compare.hpp"

namespace warpgrade::sanitize {
namespace {

constexpr const char *beyond_the_end = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at bounds(const float *, float *, int)+0x90 in x.cu:2
=========     by thread (100,0,0) in block (0,0,0)
=========     Access to 0x7fec72800190 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7fec72800000 of size 400 bytes
=========
========= Invalid __global__ read of size 4 bytes
=========     at bounds(const float *, float *, int)+0x90 in x.cu:2
=========     by thread (101,0,0) in block (0,0,0)
=========     Access to 0x7fec72800194 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7fec72800000 of size 400 bytes
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuStreamSynchronize.
=========
a line of the program itself
========= ERROR SUMMARY: 29 errors
========= ERROR SUMMARY: 27 errors were not printed. Use --print-limit option to adjust the number of printed errors
)";

constexpr const char *race = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at race(float *)+0xb0 in x.cu:3
=========     and Read access at race(float *)+0xc0 in x.cu:4 [512 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

TEST(SanitizerLog, GivesOneFindingALineWithItsFirstThread) {
  const Log log = parse_sanitizer_log(beyond_the_end);
  EXPECT_TRUE(log.complete);
  EXPECT_EQ(log.unprinted, 27u);
  ASSERT_EQ(log.findings.size(), 1u);
  const Finding &f = log.findings[0];
  EXPECT_EQ(f.what, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(f.kernel, "bounds");
  EXPECT_EQ(f.file, "x.cu");
  EXPECT_EQ(f.line, 2);
  EXPECT_EQ(f.thread, "(100,0,0)");
  EXPECT_EQ(f.block, "(0,0,0)");
  EXPECT_EQ(f.times, 2u);
}

TEST(SanitizerLog, ShowsNoAddresses) {
  const Finding f = parse_sanitizer_log(beyond_the_end).findings.at(0);
  EXPECT_EQ(f.detail, "out of bounds, 1 bytes after the nearest allocation of size 400 bytes");
}

TEST(SanitizerLog, NamesBothLinesOfARace) {
  const Log log = parse_sanitizer_log(race);
  ASSERT_EQ(log.findings.size(), 1u);
  const Finding &f = log.findings[0];
  EXPECT_EQ(f.what, "Race between Write access and Read access");
  EXPECT_EQ(f.line, 3);
  EXPECT_EQ(f.other_line, 4);
  EXPECT_EQ(f.times, 512u);
  EXPECT_FALSE(f.warning);
}

TEST(SanitizerLog, ReadsPlacesOfOlderReleases) {
  const Finding f = parse_sanitizer_log(
                        "========= Invalid __shared__ write of size 4 bytes\n"
                        "=========     at 0x60 in /home/student/x.cu:7:tile(float *)\n"
                        "=========     by thread (32,0,0) in block (1,2,0)\n"
                        "=========     Address 0x480 is out of bounds\n")
                        .findings.at(0);
  EXPECT_EQ(f.kernel, "tile");
  EXPECT_EQ(f.file, "x.cu");
  EXPECT_EQ(f.line, 7);
  EXPECT_EQ(f.block, "(1,2,0)");
  EXPECT_EQ(f.detail, "out of bounds");
}

TEST(SanitizerLog, NamesKernelsWithoutTheirArguments) {
  for (const auto &[said, name] : {std::pair("void tile<(int)16>(float *)", "tile"),
                                   {"(anonymous namespace)::f(int)", "f"},
                                   {"ns::g<a<b>>(float (*)[32])", "ns::g"},
                                   {"h()", "h"}}) {
    const std::string log = std::string("========= Error: Race reported between Write access at ") + said +
                            "+0xb0 in x.cu:3\n=========     and Read access at " + said +
                            "+0xc0 in x.cu:4 [8 hazards]\n";
    const Finding f = parse_sanitizer_log(log).findings.at(0);
    EXPECT_EQ(f.kernel, name);
    EXPECT_EQ(f.other_line, 4) << said;
    EXPECT_EQ(f.times, 8u) << said;
  }
}

TEST(SanitizerLog, WithoutASummaryIsNotComplete) {
  const Log log =
      parse_sanitizer_log("========= COMPUTE-SANITIZER\n========= Error: No attachable process found.\n");
  EXPECT_FALSE(log.complete);
  EXPECT_EQ(log.complaint, "Error: No attachable process found.");
}

TEST(SanitizerLog, SkipsWhatTheProgramPrints) {
  const Log log =
      parse_sanitizer_log("Invalid __global__ read of size 4 bytes\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(log.complete);
  EXPECT_TRUE(log.findings.empty());
}

simt::Diagnostic ours(simt::Code code, int line, simt::Severity severity = simt::Severity::error) {
  simt::Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.here.at = {"x.cu", line};
  return d;
}

TEST(SideBySide, PairsFindingsOfOneKindAtOneLine) {
  const ToolReport report{Tool::memcheck, parse_sanitizer_log(beyond_the_end).findings, {}, true};
  const std::vector<simt::Diagnostic> all{ours(simt::Code::race, 2), ours(simt::Code::out_of_bounds, 2)};
  const std::vector<Row> rows = compare(report, all);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].by, SeenBy::both);
  EXPECT_EQ(rows[0].ours, &all[1]);
}

TEST(SideBySide, ShowsWhatOnlyOneSideSaw) {
  const ToolReport report{Tool::racecheck, parse_sanitizer_log(race).findings, {}, true};
  const std::vector<simt::Diagnostic> all{ours(simt::Code::race, 9), ours(simt::Code::out_of_bounds, 3),
                                          ours(simt::Code::race, 4, simt::Severity::info)};
  const std::vector<Row> rows = compare(report, all);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].by, SeenBy::sanitizer);
  EXPECT_EQ(rows[1].by, SeenBy::simulator);
  EXPECT_EQ(rows[1].ours, &all[0]);
}

TEST(SideBySide, ShowsSeveralFindingsOfOursBelowOneOfTheirs) {
  const ToolReport report{Tool::racecheck, parse_sanitizer_log(race).findings, {}, true};
  const std::vector<simt::Diagnostic> all{ours(simt::Code::race, 3), ours(simt::Code::race, 4)};
  const std::vector<Row> rows = compare(report, all);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].theirs, &report.findings[0]);
  EXPECT_EQ(rows[1].by, SeenBy::both);
  EXPECT_EQ(rows[1].theirs, nullptr);
}

TEST(SideBySide, FindsARaceByEitherOfItsLines) {
  const ToolReport report{Tool::racecheck, parse_sanitizer_log(race).findings, {}, true};
  simt::Diagnostic d = ours(simt::Code::race, 20);
  d.other.emplace();
  d.other->at = {"x.cu", 4};
  const std::vector<simt::Diagnostic> all{d};
  const std::vector<Row> rows = compare(report, all);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].by, SeenBy::both);
}

}  // namespace
}  // namespace warpgrade::sanitize
