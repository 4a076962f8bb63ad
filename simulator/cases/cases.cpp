#include "cases/cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "machine/device.hpp"

namespace warpgrade::cases {
namespace {

using prove::Argument;
using prove::Problem;
using prove::Sizes;

constexpr std::int64_t bytes_without_shape = 1 << 20;

struct Placed {
  simt::Address at = 0;
  std::uint64_t bytes = 0;
};

std::optional<simt::Dim3> extent(const std::array<prove::Expression, 3> &texts, const Sizes &sizes) {
  std::array<std::uint32_t, 3> result{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t n = prove::evaluate(texts[d], sizes);
    if (n < 1 || n > INT32_MAX) return std::nullopt;
    result[d] = static_cast<std::uint32_t>(n);
  }
  return simt::Dim3{result[0], result[1], result[2]};
}

/// Nothing if they are too large, or one has no element.
std::optional<std::map<std::string, Placed>> place(simt::Device &device, const Problem &problem,
                                                   const Sizes &sizes, std::uint64_t most) {
  std::map<std::string, Placed> result;
  std::uint64_t all = 0;
  for (const prove::Buffer &buffer : problem.buffers) {
    std::int64_t bytes = buffer.shape.empty() ? bytes_without_shape : buffer.element_bytes;
    for (const prove::Expression &text : buffer.shape)
      if (__builtin_mul_overflow(bytes, prove::evaluate(text, sizes), &bytes) || bytes < 0)
        return std::nullopt;
    all += static_cast<std::uint64_t>(bytes);
    if (all > most) return std::nullopt;
    const bool written = !buffer.output;
    const auto size = static_cast<std::uint64_t>(bytes);
    result[buffer.name] = {device.allocate(std::max<std::uint64_t>(size, 1), buffer.name, written), size};
  }
  return result;
}

std::vector<std::byte> packed(const Problem &problem, const Sizes &sizes,
                              const std::map<std::string, Placed> &placed) {
  const ptx::KernelFacts *facts = ptx::find_kernel(*problem.module, problem.kernel);
  if (facts == nullptr) throw std::invalid_argument("there is no kernel '" + problem.kernel + "'");
  std::vector<std::byte> bytes(facts->argument_bytes);
  for (std::size_t i = 0; i < problem.arguments.size() && i < facts->parameters.size(); ++i) {
    const Argument &argument = problem.arguments[i];
    const ptx::Parameter &parameter = facts->parameters[i];
    std::int64_t value = 0;
    const float one = 1;
    if (argument.kind == Argument::Kind::data && parameter.size == 4) std::memcpy(&value, &one, sizeof one);
    if (argument.kind != Argument::Kind::data) value = prove::evaluate(argument.value, sizes);
    if (argument.kind == Argument::Kind::pointer)
      for (const prove::Buffer &buffer : problem.buffers)
        if (buffer.name == argument.buffer)
          value = static_cast<std::int64_t>(placed.at(buffer.name).at) + value * buffer.element_bytes;
    std::memcpy(bytes.data() + parameter.offset, &value, std::min<std::size_t>(parameter.size, sizeof value));
  }
  return bytes;
}

/// Without its place, which is said already.
std::string said(const simt::Diagnostic &one) {
  const auto triple = [](const simt::Dim3 &at) {
    return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
  };
  return one.message + ", thread " + triple(one.here.thread) + " of block " + triple(one.here.block);
}

prove::Seen seen_in(const simt::LaunchResult &result) {
  prove::Seen seen;
  for (const simt::Diagnostic &one : result.diagnostics) {
    bool *const which =
        one.code == simt::Code::out_of_bounds || one.code == simt::Code::misaligned      ? &seen.outside
        : one.code == simt::Code::race                                                   ? &seen.race
        : one.code == simt::Code::barrier_divergence || one.code == simt::Code::deadlock ? &seen.barrier
                                                                                         : nullptr;
    if (which == nullptr) continue;
    *which = true;
    if (seen.text.empty()) seen.text = said(one);
  }
  return seen;
}

std::optional<prove::Seen> run(const Problem &problem, const Sizes &sizes, const CaseLimits &limits) {
  simt::Launch launch;
  launch.kernel = problem.kernel;
  const auto grid = extent(problem.grid, sizes), block = extent(problem.block, sizes);
  if (!grid || !block) return std::nullopt;
  launch.grid = *grid;
  launch.block = *block;
  std::uint64_t threads = 1;
  for (const std::uint32_t n : {grid->x, grid->y, grid->z, block->x, block->y, block->z})
    if (__builtin_mul_overflow(threads, std::uint64_t{n}, &threads) || threads > limits.threads)
      return std::nullopt;
  simt::Options options;
  options.instruction_budget = limits.instructions;
  options.stop_at_first = false;
  options.count = false;
  options.check_initialized =
      std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const auto &b) { return b.output; });
  simt::Device device(options);
  // The device keeps a copy of its own: a problem's module may be on the stack.
  device.load(std::make_shared<const ptx::Module>(*problem.module));
  const auto placed = place(device, problem, sizes, limits.bytes);
  if (!placed) return std::nullopt;
  launch.arguments = packed(problem, sizes, *placed);
  launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(prove::evaluate(problem.dynamic_shared_bytes, sizes));
  const simt::LaunchResult result = device.launch(launch);
  if (result.status == simt::Status::launch_error || result.status == simt::Status::unsupported)
    return std::nullopt;
  prove::Seen seen = seen_in(result);
  if (seen.outside || seen.barrier) return seen;  // what is not written then says nothing
  for (const prove::Buffer &buffer : problem.buffers)
    if (buffer.output && device.unwritten(placed->at(buffer.name).at, placed->at(buffer.name).bytes) > 0)
      seen.unwritten = true;
  return seen;
}

}  // namespace

prove::Runner on_simulator(const Problem &problem, const CaseLimits &limits) {
  return [&problem, limits](const Sizes &sizes) -> std::optional<prove::Seen> {
    try {
      return run(problem, sizes, limits);
    } catch (const std::exception &) {  // a case that cannot be run shows nothing
      return std::nullopt;
    }
  };
}

}  // namespace warpgrade::cases
