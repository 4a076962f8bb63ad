#include "report/bench.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace warpgrade::report {
namespace {

/// step1 at 1000³ (2e9 flops): 2 ms against cuBLAS's 1 ms; step2 could not be measured.
struct Measured {
  course::Assignment assignment;
  grading::DeviceRecord device{true, "NVIDIA H200", "sm_90", ""};
  std::vector<grading::BenchPoint> points;
  Measured() {
    assignment.name = "hw6";
    const problem::Case size{{1000, 1000, 1000}, {1, 0}};
    points.push_back({"step1",
                      size,
                      grading::PerformanceRecord{size,
                                                 {0.002, 0.002, 0.0021},
                                                 {0.001},
                                                 "",
                                                 {{1800, 3201, 61, 690, 0}, {1980, 3201, 60, 700, 0}},
                                                 {},
                                                 false,
                                                 false,
                                                 true},
                      {},
                      ""});
    points.push_back({"step2", size, {}, {}, "=cmd()|\"quoted\", and a wrong result"});
  }
  Bench bench() const { return {assignment, *problem::find_problem("sgemm"), device, 10000.0, points}; }
};

TEST(Bench, ShowsTimesRatesAndSharesBesideCublas) {
  const Measured m;
  // 2e9 flops in 2 ms: 1000 GFLOPS, half of cuBLAS's 2000, a tenth of the peak.
  EXPECT_EQ(bench_to_terminal(m.bench(), {}),
            R"(hw6 on NVIDIA H200

m=n=k=1000
step        median ms        p10        p90    GFLOPS  of cuBLAS  of peak
cuBLAS         1.0000     1.0000     1.0000      2000               20.0%
step1          2.0000     2.0000     2.0800      1000      50.0%    10.0%
         SM clock 1800 to 1980 MHz, up to 61 °C and 700 W
step2      =cmd()|"quoted", and a wrong result
)");
}

TEST(Bench, CsvHasALineForEachPointAndNoFormulas) {
  const Measured m;
  const std::string csv = bench_to_csv(m.bench());
  EXPECT_NE(
      csv.find("\nstep1,1000,1000,1000,2,2,2.08,1000,2000,0.5,0.1,,,,,,,cuBLAS,2000,0.5,1800,1980,700,,,\n"),
      std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\"'=cmd()|\"\"quoted\"\", and a wrong result\"\n"), std::string::npos) << csv;
}

TEST(Bench, JsonHasSeriesReadyToPlot) {
  const Measured m;
  const auto j = nlohmann::json::parse(bench_to_json(m.bench()));
  EXPECT_EQ(j["schema"], "warpgrade.bench/1");
  ASSERT_EQ(j["series"].size(), 2u);
  EXPECT_EQ(j["series"][0]["label"], "step1");
  EXPECT_NEAR(j["series"][0]["x"][0].get<double>(), 1000, 1e-6);
  EXPECT_NEAR(j["series"][0]["gflops"][0].get<double>(), 1000, 1e-6);
  EXPECT_EQ(j["series"][1]["label"], "cuBLAS");
  EXPECT_EQ(j["points"][0]["gpu"]["sm_mhz"]["least"], 1800);
  EXPECT_EQ(j["points"][0]["gpu"]["watts"], 700);
  EXPECT_EQ(j["points"][1]["reason"], "=cmd()|\"quoted\", and a wrong result");
}

/// 1e9 multiply-adds on one device in 20 ms, on two in 10.5: twice the peak is there to be had.
TEST(Bench, SaysHowMuchFasterMoreDevicesAre) {
  Measured m;
  m.points.clear();
  for (const auto &[devices, seconds] : {std::pair(1, 0.02), std::pair(2, 0.0105)}) {
    const problem::Case size{{devices, 1000, 1000, 1000}, {}};
    grading::PerformanceRecord record;
    record.size = size;
    record.seconds = {seconds};
    record.why_no_library = "there is none";
    m.points.push_back({"product_in_parts", size, record, {}, ""});
  }
  const Bench b{m.assignment, *problem::find_problem("split_rows"), m.device, 10000.0, m.points};
  EXPECT_EQ(bench_to_terminal(b, {}),
            R"(hw6 on NVIDIA H200

devices=1 m=1000 n=1000 k=1000
step                 median ms        p10        p90    GFLOPS  of a library  of peak
product_in_parts       20.0000    20.0000    20.0000       100             -     1.0%

m=1000 n=1000 k=1000
step                 median ms        p10        p90    GFLOPS  of a library  of peak
product_in_parts       10.5000    10.5000    10.5000       190             -     1.0%

product_in_parts at m=1000 n=1000 k=1000: 1.90 times as fast on 2 devices as on 1
)");
}

TEST(Bench, ShowsTheProfilersTimesBesideOurs) {
  const Measured m;
  Bench b = m.bench();
  b.profiler_seconds = {0.00199, std::nullopt};
  b.why_not_profiled = "--profile: step2 was not profiled";
  EXPECT_EQ(bench_to_terminal(b, {}),
            R"(hw6 on NVIDIA H200

m=n=k=1000
step        median ms        p10        p90    GFLOPS  of cuBLAS  of peak  profiler ms  ours/its
cuBLAS         1.0000     1.0000     1.0000      2000               20.0%
step1          2.0000     2.0000     2.0800      1000      50.0%    10.0%       1.9900     1.005
         SM clock 1800 to 1980 MHz, up to 61 °C and 700 W
step2      =cmd()|"quoted", and a wrong result

--profile: step2 was not profiled
)");
  EXPECT_NE(bench_to_csv(b).find(",0.5,0.1,,,,,,1.99,cuBLAS,2000,0.5,1800,1980,700,,,\n"), std::string::npos)
      << bench_to_csv(b);
  const auto j = nlohmann::json::parse(bench_to_json(b));
  EXPECT_NEAR(j["points"][0]["profiler"]["ours_over_it"].get<double>(), 2 / 1.99, 1e-9);
  EXPECT_FALSE(j["points"][1].contains("profiler"));
  EXPECT_EQ(j["why_not_profiled"], "--profile: step2 was not profiled");
}

TEST(Bench, ShowsTheEnergyOfARunAndTheLibrarysWhereTheyWereWanted) {
  Measured m;
  m.points[0].performance->energy = run::Energy{0.8, 0.02, 400, 1.5, 750, ""};
  m.points[0].performance->library_energy = run::Energy{0.5, 0.01, 500, 1.5, 1500, ""};
  const Bench b = m.bench();
  EXPECT_NE(bench_to_terminal(b, {}).find("\n         800 mJ per run ± 2 %, at 400 W; cuBLAS 500 mJ ± 1 %\n"),
            std::string::npos)
      << bench_to_terminal(b, {});
  EXPECT_NE(bench_to_csv(b).find(",1800,1980,700,0.8,0.5,\n"), std::string::npos) << bench_to_csv(b);
  const auto j = nlohmann::json::parse(bench_to_json(b));
  EXPECT_EQ(j["points"][0]["energy"]["joules"], 0.8);
  EXPECT_EQ(j["points"][0]["library_energy"]["joules"], 0.5);
  EXPECT_FALSE(j["points"][1].contains("energy"));
}

TEST(Bench, NamesTheLibraryThatTheProblemIsComparedWith) {
  const Measured m;
  const problem::Problem &spmv = *problem::find_problem("spmv_csr");
  grading::BenchPoint point;
  point.step = "vector";
  point.size = problem::parse_case(spmv, "rows=1000 columns=1000 entries=9000");
  point.performance.emplace().size = point.size;
  point.performance->seconds = {2e-6, 2e-6, 2e-6};
  point.performance->library_seconds = {1e-6, 1e-6, 1e-6};
  const std::vector<grading::BenchPoint> points = {point};
  const Bench b{m.assignment, spmv, m.device, {}, points};
  const std::string text = bench_to_terminal(b, {});
  EXPECT_NE(text.find("      GB/s  of cuSPARSE  of peak\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ncuSPARSE "), std::string::npos) << text;
  EXPECT_NE(text.find("        50.0%        -\n"), std::string::npos) << text;
  const auto j = nlohmann::json::parse(bench_to_json(b));
  EXPECT_EQ(j["points"][0]["library"]["name"], "cuSPARSE");
  EXPECT_EQ(j["points"][0]["library"]["share"], 0.5);
  EXPECT_TRUE(j["points"][0]["cublas_gflops"].is_null());
  EXPECT_EQ(j["series"][1]["label"], "cuSPARSE");
}

}  // namespace
}  // namespace warpgrade::report
