// Hand-built plans, inputs and references for the tests of gpu/.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "problem/problem.hpp"

namespace warpgrade::gpu {

/// What the test program's main knows: the GPU that the tests use, all GPUs, and how children are started.
struct TestMachine {
  DeviceInfo device;
  std::vector<DeviceInfo> devices;  ///< all there are
  ChildOptions options;
};
const TestMachine &machine();

/// Builds Launch::arguments as a kernel's parameters are laid out: every one aligned to its size.
class ArgumentBuilder {
 public:
  explicit ArgumentBuilder(plan::Launch &launch) : launch_(launch) {}
  template <typename T>
  ArgumentBuilder &value(T value) {
    const auto at = aligned(sizeof value);
    std::memcpy(launch_.arguments.data() + at, &value, sizeof value);
    return *this;
  }
  ArgumentBuilder &pointer(std::uint32_t buffer, std::int64_t offset = 0) {
    const auto at = aligned(8);
    launch_.pointers.push_back(
        {.at = static_cast<std::uint32_t>(at), .to = {.buffer = buffer, .offset = offset}});
    return *this;
  }

 private:
  std::size_t aligned(std::size_t size) {
    const auto at = (launch_.arguments.size() + size - 1) / size * size;
    launch_.arguments.resize(at + size);
    return at;
  }
  plan::Launch &launch_;
};

plan::Launch launch_of(const std::string &kernel, plan::Dim3 grid, plan::Dim3 block);
plan::Buffer judge_buffer(const std::string &name, std::uint64_t floats);
run::HostBuffer host_buffer(const std::string &name, const std::vector<float> &values);
std::vector<float> floats(const run::HostBuffer &buffer);

/// A plan with one judge buffer "C" of `floats` floats and no operations yet.
plan::LaunchPlan plan_on_c(std::uint64_t floats);
/// C full of sevens.
std::vector<run::HostBuffer> sevens(std::uint64_t floats);
/// plan_on_c(1024) and one launch of store_at, `bytes` from the start of C.
plan::LaunchPlan storing_at(std::int64_t bytes);

/// scale_rows of record/launchers/hopper.cu: C = the blocks of a cluster times A, both 4 x 4. No clusters
/// where `cluster` is 0.
plan::LaunchPlan scaling_plan(std::uint32_t cluster);
/// The same without clusters by scale_rows_from, with the map in scratch memory.
plan::LaunchPlan scaling_plan_in_memory();
/// A with 0, 1, ..., and C with zeros.
std::vector<run::HostBuffer> inputs_to_scale();
/// 0, factor, 2 factor, ..., 15 factor
std::vector<float> rising(float factor);

/// near is memory of device 0, far of device 1, four floats each. A plan for both that does nothing yet; a stream of
/// device 1 is the last of three.
plan::LaunchPlan plan_for_two();
std::vector<run::HostBuffer> sevens_and_nines();
/// What a test program that runs such plans defines: whether it has two GPUs, and the tests' device code on them.
bool there_are_two();
Replay replay_on_two();

/// C = alpha * A * B + beta * C, row-major and contiguous: A is m x k, B k x n, C m x n.
struct Sgemm {
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
};
problem::Case case_of(const Sgemm &problem);
problem::MatrixProduct product_of(const Sgemm &problem);

/// `kernel` is sgemm_naive or sgemm_tile.
plan::LaunchPlan sgemm_plan(const std::string &kernel, const Sgemm &problem);
/// A, B, C with values in -1..1; a function of the problem and the seed.
std::vector<run::HostBuffer> sgemm_inputs(const Sgemm &problem, std::uint64_t seed);

struct CellReference {
  double want = 0, scale = 0;  ///< scale = |alpha| (|A||B|) + |beta||C|
};
CellReference reference_of_cell(const Sgemm &problem, const std::vector<run::HostBuffer> &inputs,
                                std::int64_t row, std::int64_t column);
/// The largest |got - want| / scale over all cells; infinite for a NaN.
double worst_error(const Sgemm &problem, const std::vector<run::HostBuffer> &inputs,
                   std::span<const float> got);

}  // namespace warpgrade::gpu
