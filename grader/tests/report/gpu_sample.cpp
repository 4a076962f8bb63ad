#include "tests/report/gpu_sample.hpp"

#include <cmath>

#include "problem/random.hpp"
#include "tests/explain/requests.hpp"

namespace warpgrade::report {

namespace {

using explain::testing::global_request;
using explain::testing::Launch;
using explain::testing::shared_request;

const problem::Problem &sgemm() {
  return *problem::find_problem("sgemm");
}
problem::Case square(std::int64_t n) {
  return {{n, n, n}, {1, 0}};
}

const char *const naive_source = R"(#include "gemm.h"

// One result a thread. <b>Not</b> markup & "not" a problem.
__global__ void multiply(int M, int N, int K, const float *A, const float *B, float *C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
)";

const char *const tiled_source = R"(#include "gemm.h"

__global__ void tiles(int M, int N, int K, const float *A, const float *B, float *C) {
  __shared__ float As[32][32], Bs[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[threadIdx.x][threadIdx.y] = A[row * K + k0 + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      sum += As[k][threadIdx.y] * Bs[k][threadIdx.x];
  }
  C[row * N + col] = sum;
}
)";

course::Step step(const char *id, const char *title, course::Points points) {
  course::Step s;
  s.id = id;
  s.problem = problem::find_problem("sgemm");
  s.title = title;
  s.file = std::string(id) + ".cu";
  s.points = points;
  return s;
}

judge::CaseVerdict one_case(problem::Case values, judge::Verdict v = judge::Verdict::accepted) {
  judge::CaseVerdict c;
  c.name = sgemm().case_name(values);
  c.values = std::move(values);
  c.verdict = v;
  c.where = "sim and gpu";
  c.seed = 42;
  c.comparison.emplace();
  c.comparison->checked = sgemm().outputs(c.values);
  c.comparison->max_error = 0.1;
  return c;
}

grading::StepRecord record_of(const course::Step &s) {
  grading::StepRecord r;
  r.id = s.id;
  r.title = s.title;
  r.file = s.file;
  r.verdict = judge::Verdict::accepted;
  r.build.ok = true;
  r.build.seconds = 1.42;
  r.build.front_end = "nvcc 13.0";
  r.build.registers = 40;
  r.build.spill_bytes = 0;
  r.build.static_shared_bytes = 0;
  for (const std::int64_t n : {1, 32, 33, 129, 1023}) r.cases.push_back(one_case(square(n)));
  r.cases.push_back(one_case(square(61)));
  r.cases.back().visibility = course::Visibility::hidden;
  r.why_no_counters = "the step was not accepted";
  r.why_no_performance = "the step was not accepted";
  return r;
}

grading::PerformanceRecord times(std::int64_t n, double gflops, double cublas) {
  grading::PerformanceRecord p;
  p.size = square(n);
  p.seconds = times_of(sgemm().flops(p.size), gflops, 20);
  p.library_seconds = times_of(sgemm().flops(p.size), cublas, 20);
  for (std::size_t i = 0; i < p.seconds.size(); ++i) p.states.push_back({1980, 2619, 41, 320, 0});
  return p;
}

grading::CounterRecord counters(const Launch &launch, double outputs_per_thread, const std::string &file) {
  grading::CounterRecord c;
  c.on = square(256);
  c.samples = launch.samples;
  c.outputs_per_thread = outputs_per_thread;
  c.counts = launch.counters;
  // The helper calls every file k.cu.
  c.counts.lines.clear(), c.counts.accesses.clear();
  for (const auto &[at, counts] : launch.counters.lines) c.counts.lines[{file, at.line}] = counts;
  for (const auto &[key, counts] : launch.counters.accesses) {
    simt::AccessKey here = key;
    here.at.file = file;
    c.counts.accesses[here] = counts;
  }
  for (simt::LaneSample &s : c.samples) s.at.file = file;
  return c;
}

grading::CounterRecord naive_counters(const std::string &file) {
  Launch launch;
  launch.global(global_request(10, "A", 0, 1024), 524288, 32, 4)
      .global(global_request(10, "B", 0, 0), 524288, 1, 1)
      .global(global_request(11, "C", 0, 1024, true), 2048, 32, 4)
      .work(10, 1048576, 32, 16777216)
      .unique(16384);
  return counters(launch, 1, file);
}

grading::CounterRecord tiled_counters(const std::string &file, bool conflicts) {
  Launch launch;
  launch.global(global_request(8, "A", 0, 4), 16384, 4, 4)
      .global(global_request(9, "B", 0, 4), 16384, 4, 4)
      .global(global_request(14, "C", 0, 4, true), 2048, 4, 4)
      .shared(shared_request(8, "As", conflicts ? 128 : 4), 16384, conflicts ? 32 : 1)
      .shared(shared_request(12, "Bs", 4), 524288, 1)
      .work(12, 524288, 32, 16777216)
      .unique(16384);
  return counters(launch, 16, file);
}

void make_wrong(grading::StepRecord &r) {
  r.verdict = judge::Verdict::wrong_answer;
  r.reason = "129 of 16641 elements of C are wrong: column 128, the last";
  for (judge::CaseVerdict &c : r.cases) {
    const std::int64_t n = c.values.integers[0];
    if (n % 32 == 0 || n == 1) continue;
    c.verdict = judge::Verdict::wrong_answer;
    std::vector<bool> wrong(static_cast<std::size_t>(n * n));
    problem::Comparison &p = *c.comparison;
    p.map = {n, n, 16, 16, std::vector<std::uint32_t>(256)};
    for (std::int64_t row = 0; row < 16; ++row)
      p.map.wrong[row * 16 + 15] = static_cast<std::uint32_t>((row + 1) * n / 16 - row * n / 16);
    p.wrong = p.never_written = static_cast<std::uint64_t>(n);
    p.max_error = 3.5e5;
    p.located = "column " + std::to_string(n - 1) + ", the last";
    p.first = {{"C[0, " + std::to_string(n - 1) + "]", 0, 0.999025}};
    c.reason = judge::describe(p);
  }
}

void make_race(grading::StepRecord &r) {
  r.verdict = judge::Verdict::race;
  r.also = {judge::Verdict::wrong_answer};
  r.reason =
      "read after write on shared memory Bs, element 0: no barrier between the two accesses; is a "
      "__syncthreads() missing?";
  for (judge::CaseVerdict &c : r.cases) c.verdict = judge::Verdict::race, c.reason = r.reason;
  const std::string where =
      " (thread (32, 0, 0) of block (0, 0, 0) in tiles; the other side: thread (0, 0, 0) of "
      "block (0, 0, 0), step4.cu:9)";
  r.findings = {
      {"race", "error", "step4.cu", 12, r.reason + where, 672},
      {"race", "error", "step4.cu", 8,
       "write after read on shared memory As, element 32: no barrier between the two accesses; is a "
       "__syncthreads() missing?" +
           where,
       128},
      {"race", "error", "step4.cu", 9, "write after read on shared memory Bs, element 32" + where, 256},
      {"race", "warning", "step4.cu", 12, "lanes of one warp do not run in lock step" + where, 14825}};
}

void put_bench(std::vector<grading::BenchPoint> &bench) {
  for (std::int64_t n = 256; n <= 4096; n += 256)
    for (const auto &[id, most] : {std::pair("step1", 7100.0), std::pair("step3", 32000.0)}) {
      const double reached = most * (1 - std::exp(-static_cast<double>(n) / 700));
      const double dip = n == 2304 ? 0.78 : n == 3328 ? 0.86 : 1;
      bench.push_back({id, square(n),
                       times(n, reached * dip, 50000 * (1 - std::exp(-static_cast<double>(n) / 600))),
                       std::nullopt, ""});
    }
}

}  // namespace

std::vector<double> times_of(double flops, double gflops, int samples) {
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i)
    seconds.push_back(flops / (gflops * 1e9) * (1 + 0.004 * (i * 7 % 11 - 5) / 5.0));
  return seconds;
}

GpuSample::GpuSample() {
  assignment.name = "hw6";
  assignment.title = "Optimizing a matrix product step by step";
  assignment.steps = {step("step0", "Naive", {10, 0, 0}), step("step1", "Coalesced", {11, 6, 3}),
                      step("step2", "Shared memory tiles", {16, 10, 4}),
                      step("step3", "2D blocktiling", {20, 15, 5}),
                      step("step4", "Non-square shapes", {10, 5, 0})};
  assignment.steps[1].counter_checks = {{course::Measure::load_sectors_over_ideal, false, 3, 1.5},
                                        {course::Measure::store_sectors_over_ideal, false, 2, 1.5}};
  assignment.steps[3].counter_checks = {{course::Measure::requested_bytes_per_flop, false, 0.2, 3},
                                        {course::Measure::wavefronts_over_ideal, false, 1.1, 2}};
  assignment.steps[4].extra_credit = true;
  thresholds.file = "example.yaml";
  thresholds.match = "Example GPU";
  thresholds.peak_gflops = 66900;
  thresholds.memory_gb_per_s = 4800;
  for (const auto &[id, pass, full] :
       {std::tuple("step1", 2500.0, 8000.0), std::tuple("step2", 5000.0, 8000.0),
        std::tuple("step3", 12500.0, 22500.0)})
    thresholds.steps.push_back({id, square(2048), {pass, false}, {full, false}});

  record = {"hw6", "homework", 42, {true, "Example GPU", "sm_90", ""}, {}};
  for (const course::Step &s : assignment.steps) record.steps.push_back(record_of(s));
  record.steps[0].counters = naive_counters("step0.cu");
  record.steps[0].why_no_performance = "no threshold for this step";
  record.steps[1].counters = naive_counters("step1.cu");
  record.steps[1].performance = times(2048, 6900, 50100);
  make_wrong(record.steps[2]);
  record.steps[3].counters = tiled_counters("step3.cu", true);
  record.steps[3].performance = times(2048, 32000, 50100);
  record.steps[3].build.static_shared_bytes = 8192;
  make_race(record.steps[4]);
  flawless = tiled_counters("k.cu", false);
  score = score::score(assignment, thresholds, record);
  put_bench(bench);
  for (const char *id : {"step0", "step1"}) sources[id] = naive_source;
  for (const char *id : {"step2", "step3", "step4"}) sources[id] = tiled_source;
}

}  // namespace warpgrade::report
