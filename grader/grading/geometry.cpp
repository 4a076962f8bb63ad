#include "grading/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "plan/describe.hpp"
#include "plan/signature.hpp"
#include "ptx/stores.hpp"

namespace warpgrade::grading {

namespace {

using Sides = std::array<std::uint64_t, 3>;

Sides sides(const plan::Dim3 &d) {
  return {d.x, d.y, d.z};
}

std::string text(const plan::Dim3 &d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

/// A number that a launcher computes its geometry from: "M", or "M * N".
struct Quantity {
  std::string name;
  std::uint64_t value = 0;
};

std::vector<Quantity> quantities(const problem::Problem &p, const problem::Case &c) {
  std::vector<Quantity> all;
  const plan::Signature signature(p.launcher());
  const std::vector<std::int64_t> values = p.arguments(c);
  for (const plan::Parameter &parameter : signature.parameters()) {
    if (parameter.passed != plan::Passed::integer || all.size() >= values.size()) continue;
    all.push_back(
        {parameter.name, static_cast<std::uint64_t>(std::max<std::int64_t>(values[all.size()], 0))});
  }
  const std::size_t single = all.size();
  for (std::size_t a = 0; a < single; ++a)
    for (std::size_t b = a + 1; b < single; ++b)
      if (all[a].value < (1U << 31) && all[b].value < (1U << 31))
        all.push_back({all[a].name + " * " + all[b].name, all[a].value * all[b].value});
  return all;
}

/// "M / 32 rounded up" if that is this number and if M is not a multiple of itself by accident: a divisor of 1
/// says nothing.
std::string rounded_up(const std::vector<Quantity> &known, std::uint64_t number, const Sides &divisors) {
  for (const Quantity &q : known)
    for (const std::uint64_t by : divisors)
      if (by > 1 && number > 1 && (q.value + by - 1) / by == number)
        return fmt::format("{} / {} rounded up", q.name, by);
  return "";
}

/// What a block is that has too many threads.
std::string advice_on_block(const std::vector<Quantity> &known, const plan::Launch &l) {
  constexpr std::uint64_t most_threads = 1024, most_side = 65535;
  const Sides grid = sides(l.grid), block = sides(l.block);
  const bool could_be_exchanged = l.grid.count() > 1 && l.grid.count() <= most_threads && grid[2] <= 64 &&
                                  block[1] <= most_side && block[2] <= most_side;
  if (could_be_exchanged) {
    std::string formula;
    for (const std::uint64_t side : block)
      if (formula.empty()) formula = rounded_up(known, side, grid);
    if (!formula.empty() || l.grid.count() % 32 == 0)
      return fmt::format(
          "; grid and block look exchanged: block is {}{}, and grid is {}; write <<<grid, block>>>",
          text(l.block), formula.empty() ? "" : ", with " + formula, text(l.grid));
  }
  for (const std::uint64_t side : block)
    for (const Quantity &q : known)
      if (side > 1 && side == q.value)
        return fmt::format(
            "; block is {} and grows with {}: keep the block's size fixed and let the grid grow, as in "
            "<<<({} + 255) / 256, 256>>>",
            text(l.block), q.name, q.name);
  for (const std::uint64_t side : block)
    if (const std::string formula = rounded_up(known, side, {16, 32, 256}); !formula.empty())
      return fmt::format("; block is {}, with {}: that is a number of blocks, which belongs to the grid",
                         text(l.block), formula);
  return fmt::format("; grid is {} and block is {}", text(l.grid), text(l.block));
}

/// "; grid.x is M / 32 = 1 / 32 = 0: round up, as in (M + 31) / 32"
std::string advice_on_empty_grid(const std::vector<Quantity> &known, const plan::Launch &l) {
  const Sides grid = sides(l.grid), block = sides(l.block);
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (grid[axis] != 0) continue;
    for (const Quantity &q : known)
      if (block[axis] > q.value && q.value > 0)
        return fmt::format(" grid.{0} is 0, as {1} / {2} is for {1} = {3}: round up, ({1} + {4}) / {2}",
                           "xyz"[axis], q.name, block[axis], q.value, block[axis] - 1);
  }
  return "";
}

/// Bytes of the smallest element that the launcher writes; 0 if that is not known.
std::uint64_t smallest_result(const problem::Problem &p) {
  const plan::Signature signature(p.launcher());
  std::uint64_t bytes = 0;
  for (const plan::Parameter &parameter : signature.parameters()) {
    const bool to_data =
        parameter.passed == plan::Passed::pointer || parameter.passed == plan::Passed::pointers;
    if (!to_data || parameter.constant) continue;
    if (parameter.value_bytes == 0) return 0;
    bytes = bytes == 0 ? parameter.value_bytes : std::min<std::uint64_t>(bytes, parameter.value_bytes);
  }
  return bytes;
}

}  // namespace

std::string geometry_advice(const problem::Problem &p, const problem::Case &c, const plan::Launch &l) {
  const std::vector<Quantity> known = quantities(p, c);
  if (l.grid.count() == 0) return advice_on_empty_grid(known, l);
  const bool fits = l.block.count() <= 1024 && l.block.z <= 64;
  if (!fits) return advice_on_block(known, l);
  if (l.grid.y > 65535 || l.grid.z > 65535)
    return "; only grid.x may be larger than 65535: put the larger number there";
  return "";
}

std::optional<std::string> too_few_threads(const problem::Problem &p, const problem::Case &c,
                                           const ptx::Module &module, const plan::LaunchPlan &plan) {
  const std::uint64_t result_bytes = smallest_result(p), results = p.outputs(c);
  if (result_bytes == 0) return std::nullopt;
  constexpr std::uint64_t most_bytes = 1024;  // of a thread: more is no simple kernel
  std::uint64_t threads = 0, written = 0, most = 0;
  const plan::Launch *last = nullptr;
  for (const plan::Operation &o : plan.operations) {
    const auto *launch = std::get_if<plan::Launch>(&o);
    if (!launch) {
      const bool writes = std::holds_alternative<plan::SetMemory>(o) ||
                          std::holds_alternative<plan::CopyIn>(o) ||
                          std::holds_alternative<plan::CopyWithin>(o);
      if (writes) return std::nullopt;
      continue;
    }
    const ptx::Function *kernel = ptx::find_function(module, launch->kernel);
    const auto bytes = kernel && kernel->defined ? ptx::most_stored_bytes(*kernel) : std::nullopt;
    if (!bytes || *bytes > most_bytes) return std::nullopt;
    last = launch;
    threads += launch->grid.count() * launch->block.count();
    written += launch->grid.count() * launch->block.count() * (*bytes / result_bytes);
    most = std::max(most, *bytes / result_bytes);
  }
  if (last == nullptr || most == 0 || written >= results) return std::nullopt;
  return fmt::format(
      "the launcher starts {} threads for {} results, and a thread writes at most {}: grid is {} and block "
      "is "
      "{}; does the number of blocks grow with the sizes?",
      threads, results, most, text(last->grid), text(last->block));
}

}  // namespace warpgrade::grading
