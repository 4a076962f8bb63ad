#include "tests/gpu/plans.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace warpgrade::gpu {

plan::Launch launch_of(const std::string &kernel, plan::Dim3 grid, plan::Dim3 block) {
  plan::Launch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  return launch;
}

plan::Buffer judge_buffer(const std::string &name, std::uint64_t floats) {
  return {.owner = plan::Owner::judge, .name = name, .bytes = floats * sizeof(float)};
}

std::vector<float> floats(const run::HostBuffer &buffer) {
  const auto values = buffer.as<float>();
  return {values.begin(), values.end()};
}

run::HostBuffer host_buffer(const std::string &name, const std::vector<float> &values) {
  return run::host_buffer(name, run::Role::in_out, values);
}

plan::LaunchPlan plan_on_c(std::uint64_t floats) {
  plan::LaunchPlan plan;
  plan.buffers.push_back(judge_buffer("C", floats));
  return plan;
}

std::vector<run::HostBuffer> sevens(std::uint64_t floats) {
  return {host_buffer("C", std::vector<float>(floats, 7.0f))};
}

plan::LaunchPlan storing_at(std::int64_t bytes) {
  auto plan = plan_on_c(1024);
  auto launch = launch_of("store_at", {}, {});
  ArgumentBuilder(launch).pointer(0).value(bytes);
  plan.operations.push_back(launch);
  return plan;
}

namespace {

ptx::TensorMap map_of_rows() {
  ptx::TensorMap map;
  map.type = 7;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  map.rank = 2;
  map.dimensions = {4, 4};
  map.strides = {16};
  map.box = {4, 2};
  map.element_strides = {1, 1};
  return map;
}

}  // namespace

plan::LaunchPlan scaling_plan(std::uint32_t cluster) {
  plan::LaunchPlan plan;
  plan.buffers = {judge_buffer("A", 16), judge_buffer("C", 16)};
  plan::Launch launch = launch_of("scale_rows", {2, 1, 1}, {8, 1, 1});
  launch.arguments.resize(ptx::TensorMap::bytes);
  ArgumentBuilder(launch).pointer(1);
  launch.tensor_maps = {{0, {0, 0}, map_of_rows()}};
  launch.parameters = {0, ptx::TensorMap::bytes};
  if (cluster != 0) launch.cluster = {cluster, 1, 1};
  plan.operations.emplace_back(std::move(launch));
  return plan;
}

plan::LaunchPlan scaling_plan_in_memory() {
  plan::LaunchPlan plan;
  plan.buffers = {judge_buffer("A", 16),
                  judge_buffer("C", 16),
                  {.owner = plan::Owner::student, .name = "scratch 1", .bytes = 2 * ptx::TensorMap::bytes}};
  plan::CopyIn copy{.to = {2, 0}, .bytes = std::vector<std::byte>(2 * ptx::TensorMap::bytes)};
  copy.tensor_maps = {{ptx::TensorMap::bytes, {0, 0}, map_of_rows()}};
  plan::Launch launch = launch_of("scale_rows_from", {2, 1, 1}, {8, 1, 1});
  ArgumentBuilder(launch).pointer(2, ptx::TensorMap::bytes).pointer(1);
  plan.operations = {plan::Allocate{2}, std::move(copy), std::move(launch), plan::Free{2}};
  return plan;
}

std::vector<float> rising(float factor) {
  std::vector<float> values(16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = factor * static_cast<float>(i);
  return values;
}

std::vector<run::HostBuffer> inputs_to_scale() {
  return {host_buffer("A", rising(1)), host_buffer("C", std::vector<float>(16))};
}

plan::LaunchPlan plan_for_two() {
  plan::LaunchPlan plan;
  plan.buffers = {judge_buffer("near", 4), judge_buffer("far", 4)};
  plan.buffers[1].device = 1;
  plan.streams = {{0, true}, {1, true}, {1, false}};
  plan.events = 1;
  return plan;
}
std::vector<run::HostBuffer> sevens_and_nines() {
  return {host_buffer("near", {7, 7, 7, 7}), host_buffer("far", {9, 9, 9, 9})};
}

problem::Case case_of(const Sgemm &p) {
  return {{p.m, p.n, p.k}, {p.alpha, p.beta}};
}

problem::MatrixProduct product_of(const Sgemm &p) {
  return problem::find_problem("sgemm")->product(case_of(p)).value();
}

plan::LaunchPlan sgemm_plan(const std::string &kernel, const Sgemm &p) {
  const auto cells = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::uint64_t>(rows * columns);
  };
  plan::LaunchPlan plan;
  plan.buffers = {judge_buffer("A", cells(p.m, p.k)), judge_buffer("B", cells(p.k, p.n)),
                  judge_buffer("C", cells(p.m, p.n))};
  const auto blocks = [](std::int64_t size) { return static_cast<std::uint32_t>((size + 31) / 32); };
  auto launch = launch_of(kernel, {blocks(p.n), blocks(p.m), 1}, {32, 32, 1});
  ArgumentBuilder(launch)
      .value(static_cast<std::int32_t>(p.m))
      .value(static_cast<std::int32_t>(p.n))
      .value(static_cast<std::int32_t>(p.k))
      .value(p.alpha)
      .pointer(0)
      .pointer(1)
      .value(p.beta)
      .pointer(2);
  plan.operations.push_back(launch);
  return plan;
}

std::vector<run::HostBuffer> sgemm_inputs(const Sgemm &p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto matrix = [&random](std::int64_t rows, std::int64_t columns) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (auto &value : values)
      value = static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f;  // 24 bits: exact
    return values;
  };
  auto a = matrix(p.m, p.k), b = matrix(p.k, p.n), c = matrix(p.m, p.n);
  return {run::host_buffer("A", run::Role::input, a), run::host_buffer("B", run::Role::input, b),
          run::host_buffer("C", run::Role::in_out, c)};
}

CellReference reference_of_cell(const Sgemm &p, const std::vector<run::HostBuffer> &inputs, std::int64_t row,
                                std::int64_t column) {
  const auto a = inputs[0].as<float>(), b = inputs[1].as<float>(), c = inputs[2].as<float>();
  double sum = 0, absolute = 0;
  for (std::int64_t i = 0; i < p.k; ++i) {
    const double product = double{a[static_cast<std::size_t>(row * p.k + i)]} *
                           double{b[static_cast<std::size_t>(i * p.n + column)]};
    sum += product;
    absolute += std::abs(product);
  }
  const double old = double{p.beta} * double{c[static_cast<std::size_t>(row * p.n + column)]};
  return {.want = double{p.alpha} * sum + old, .scale = std::abs(double{p.alpha}) * absolute + std::abs(old)};
}

double worst_error(const Sgemm &p, const std::vector<run::HostBuffer> &inputs, std::span<const float> got) {
  if (got.size() != static_cast<std::size_t>(p.m * p.n)) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::int64_t row = 0; row < p.m; ++row)
    for (std::int64_t column = 0; column < p.n; ++column) {
      const auto cell = reference_of_cell(p, inputs, row, column);
      const double error =
          std::abs(got[static_cast<std::size_t>(row * p.n + column)] - cell.want) / cell.scale;
      if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  return worst;
}

}  // namespace warpgrade::gpu
