#include "cases/cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>

#include "machine/device.hpp"

namespace warpgrade::cases {
namespace {

using prove::Argument;
using prove::Problem;
using prove::Sizes;

constexpr std::int64_t bytes_without_shape = 1 << 20;
constexpr std::uint64_t first_instructions = 100'000;
/// Of a case whose last block runs alone: hardly any of its memory is touched, and a long loop is not run to its end.
constexpr std::uint64_t most_sparse_bytes = std::uint64_t{1} << 40, most_far_instructions = 1'000'000;

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

/// Nothing if the size is negative or overflows.
std::optional<std::uint64_t> bytes_of(const prove::Buffer &buffer, const Sizes &sizes) {
  std::int64_t bytes = buffer.shape.empty() ? bytes_without_shape : buffer.element_bytes;
  for (const prove::Expression &text : buffer.shape)
    if (__builtin_mul_overflow(bytes, prove::evaluate(text, sizes), &bytes) || bytes < 0) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

bool fits(const Problem &problem, const Sizes &sizes, std::uint64_t most) {
  std::uint64_t all = 0;
  for (const prove::Buffer &buffer : problem.buffers) {
    const auto bytes = bytes_of(buffer, sizes);
    if (!bytes || *bytes > most - all) return false;
    all += *bytes;
  }
  return true;
}

void fill(simt::Device &device, const Placed &buffer, std::mt19937_64 &random) {
  std::vector<std::uint32_t> words(buffer.bytes / sizeof(std::uint32_t));
  for (std::uint32_t &word : words) word = static_cast<std::uint32_t>(random() >> 61);
  device.write(buffer.at, std::as_bytes(std::span(words)));
}

std::map<std::string, Placed> place(simt::Device &device, const Problem &problem, const Sizes &sizes) {
  std::map<std::string, Placed> result;
  for (const prove::Buffer &buffer : problem.buffers) {
    const std::uint64_t bytes = bytes_of(buffer, sizes).value_or(0);
    result[buffer.name] = {device.allocate(std::max<std::uint64_t>(bytes, 1), buffer.name, !buffer.output),
                           bytes};
  }
  return result;
}

/// The last block alone, where an index is largest.
simt::Options at_the_far_end(const simt::Dim3 &grid) {
  simt::Options options;
  options.memory_bytes = most_sparse_bytes * 2;
  options.only_blocks = {std::uint64_t{grid.x} * grid.y * grid.z - 1};
  options.check_races = false;
  return options;
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

/// Runs a case up to a number of instructions.
/// goes_on  set if that limit ended it
std::optional<prove::Seen> run(const Problem &problem, const std::shared_ptr<const simt::DeviceCode> &code,
                               const Sizes &sizes, const CaseLimits &limits, bool &goes_on) {
  simt::Launch launch;
  launch.kernel = problem.kernel;
  const auto grid = extent(problem.grid, sizes), block = extent(problem.block, sizes);
  if (!grid || !block) return std::nullopt;
  launch.grid = *grid;
  launch.block = *block;
  std::uint64_t threads = 1;
  for (const std::uint32_t n : {grid->x, grid->y, grid->z, block->x, block->y, block->z})
    if (__builtin_mul_overflow(threads, std::uint64_t{n}, &threads)) return std::nullopt;
  const bool far = threads > limits.threads || !fits(problem, sizes, limits.bytes);
  if (far && !fits(problem, sizes, most_sparse_bytes)) return std::nullopt;
  simt::Options options = far ? at_the_far_end(*grid) : simt::Options();
  options.instruction_budget =
      far ? std::min(limits.instructions, most_far_instructions) : limits.instructions;
  options.stop_at_first = false;
  options.count = false;
  options.check_initialized = !far && std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                                  [](const auto &b) { return b.output; });
  simt::Device device(options);
  device.load(code);
  const auto placed = place(device, problem, sizes);
  std::mt19937_64 random(limits.data_seed);
  for (const prove::Buffer &buffer : problem.buffers)
    if (limits.data_seed != 0 && !far && !buffer.output) fill(device, placed.at(buffer.name), random);
  launch.arguments = packed(problem, sizes, placed);
  launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(prove::evaluate(problem.dynamic_shared_bytes, sizes));
  const simt::LaunchResult result = device.launch(launch);
  if (result.status == simt::Status::launch_error || result.status == simt::Status::unsupported)
    return std::nullopt;
  goes_on =
      result.status == simt::Status::time_limit && (!far || limits.instructions < most_far_instructions);
  prove::Seen seen = seen_in(result);
  if (far) return prove::Seen{.outside = seen.outside, .text = seen.outside ? seen.text : ""};
  // What is not written then says nothing.
  if (seen.outside || seen.barrier || result.status == simt::Status::time_limit) return seen;
  for (const prove::Buffer &buffer : problem.buffers)
    if (buffer.output && device.unwritten(placed.at(buffer.name).at, placed.at(buffer.name).bytes) > 0)
      seen.unwritten = true;
  return seen;
}

}  // namespace

prove::Runner on_simulator(const Problem &problem, const CaseLimits &limits) {
  // Devices keep what they load: a problem's module may be on the stack.
  auto module = std::make_shared<const ptx::Module>(*problem.module);
  auto code = std::make_shared<const simt::DeviceCode>(std::move(module));
  return [&problem, limits, code = std::move(code),
          endless = 0](const Sizes &sizes) mutable -> std::optional<prove::Seen> {
    try {
      // Where cases do not end, another one is not worth as long a look.
      const std::uint64_t last = limits.instructions >> (2 * endless);
      bool goes_on = true;
      std::optional<prove::Seen> seen;
      for (const std::uint64_t most : {limits.instructions_astray, first_instructions, last}) {
        if (!goes_on || (seen && (seen->outside || most < first_instructions))) break;
        CaseLimits here = limits;
        here.instructions = std::min(limits.instructions, most);
        seen = run(problem, code, sizes, here, goes_on);
        if (!seen) break;
        seen->unfinished = goes_on;
        endless += goes_on && most == last ? 1 : 0;
      }
      return seen;
    } catch (const std::exception &) {  // a case that cannot be run shows nothing
      return std::nullopt;
    }
  };
}

}  // namespace warpgrade::cases
