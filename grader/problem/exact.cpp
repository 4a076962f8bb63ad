#include "problem/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <thread>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

namespace {

constexpr std::size_t most_shown = 4;

/// Calls body(first, last) for slices of 0..elements on all cores.
template <typename Body>
void on_all_cores(std::uint64_t elements, const Body &body) {
  constexpr std::uint64_t worth_a_thread = 1 << 20;
  const std::uint64_t workers = std::clamp<std::uint64_t>(elements / worth_a_thread, 1,
                                                          std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (std::uint64_t w = 1; w < workers; ++w)
    threads.emplace_back([&, w] { body(elements * w / workers, elements * (w + 1) / workers); });
  body(std::uint64_t{0}, elements / workers);
  for (std::thread &t : threads) t.join();
}

double value_of(std::uint32_t bits, bool is_float) {
  return is_float ? static_cast<double>(std::bit_cast<float>(bits)) : static_cast<double>(bits);
}

/// Where the wrong elements of an array lie: "every element", "only d[8]", "one element in 8, from d[0]",
/// "d[256] to d[511]". Empty when nothing is wrong.
std::string where_in_row(const std::vector<bool> &wrong, const std::string &name) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (wrong[i]) at.push_back(i);
  if (at.empty()) return "";
  if (at.size() == wrong.size()) return "every element";
  if (at.size() == 1) return fmt::format("only {}[{}]", name, at.front());
  const std::size_t step = at[1] - at[0];
  bool regular = step > 1 && at.front() < step && at.back() + step >= wrong.size();
  for (std::size_t i = 2; i < at.size() && regular; ++i) regular = at[i] - at[i - 1] == step;
  if (regular) return fmt::format("one element in {}, from {}[{}]", step, name, at.front());
  const bool all = at.back() - at.front() + 1 == at.size();
  return all ? fmt::format("{0}[{1}] to {0}[{2}]", name, at.front(), at.back())
             : fmt::format("between {0}[{1}] and {0}[{2}]", name, at.front(), at.back());
}

std::uint64_t different(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

const std::vector<Real> &ExactProblem::reals() const {
  static const std::vector<Real> none;
  return none;
}

std::uint64_t ExactProblem::outputs(const Case &c) const {
  std::uint64_t all = 0;
  for (const Array &a : arrays(c)) all += a.is_output ? a.elements : 0;
  return all;
}

std::vector<plan::Buffer> ExactProblem::buffers(const Case &c) const {
  std::vector<plan::Buffer> all;
  for (const Array &a : arrays(c))
    all.push_back({plan::Owner::judge, a.name, a.elements * sizeof(std::uint32_t)});
  return all;
}

std::vector<run::HostBuffer> ExactProblem::inputs(const Case &c, std::uint64_t seed) const {
  std::vector<run::HostBuffer> made;
  const std::vector<Array> all = arrays(c);
  for (std::size_t b = 0; b < all.size(); ++b) {
    made.push_back({all[b].name, all[b].is_output ? run::Role::in_out : run::Role::input, {}});
    made[b].bytes.resize(all[b].elements * sizeof(std::uint32_t));
    const auto words = made[b].as<std::uint32_t>();
    on_all_cores(all[b].elements, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) words[i] = element(c, seed, b, i);
    });
  }
  return made;
}

Comparison ExactProblem::compare(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                 const Reference &ref, const std::vector<run::HostBuffer> &outputs,
                                 double) const {
  Comparison result;
  result.output.clear();
  const std::vector<Array> all = arrays(c);
  std::size_t at = 0;  // in the reference, which holds the outputs one after the other
  for (std::size_t b = 0; b < all.size(); ++b) {
    const auto before = inputs.at(b).as<std::uint32_t>(), after = outputs.at(b).as<std::uint32_t>();
    if (!all[b].is_output) {
      if (const std::uint64_t changed = different(before, after); changed > 0)
        result.changed_inputs.push_back(
            fmt::format("the read-only {} ({} element{})", all[b].name, changed, changed == 1 ? "" : "s"));
      continue;
    }
    std::vector<bool> wrong(all[b].elements);
    const std::uint64_t wrong_before = result.wrong;
    for (std::uint64_t i = 0; i < all[b].elements; ++i, ++at) {
      const double got = value_of(after[i], all[b].is_float), want = ref.want.at(at);
      if (got == want) continue;
      wrong[i] = true;
      ++result.wrong;
      if (!std::isfinite(got)) ++result.not_finite;
      if (after[i] == before[i]) ++result.never_written;
      if (result.first.size() < most_shown)
        result.first.push_back({fmt::format("{}[{}]", all[b].name, i), got, want});
    }
    result.checked += all[b].elements;
    // The first output that is wrong stands for all.
    if (result.wrong == wrong_before || !result.output.empty()) continue;
    result.output = all[b].name;
    result.located = where_in_row(wrong, all[b].name);
    result.map = map_of(wrong, 1, static_cast<std::int64_t>(wrong.size()));
  }
  if (result.wrong > 0) result.max_error = std::numeric_limits<double>::infinity();
  if (result.output.empty())
    for (const Array &a : all)
      if (a.is_output && result.output.empty()) result.output = a.name;
  return result;
}

std::optional<std::string> ExactProblem::spot_check(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                                    const std::vector<run::HostBuffer> &outputs,
                                                    double tolerance, std::uint64_t) const {
  const Comparison found = compare(c, inputs, reference(c, inputs), outputs, tolerance);
  if (!found.changed_inputs.empty()) return found.changed_inputs.front() + " was changed";
  if (found.wrong == 0) return std::nullopt;
  const Mismatch &first = found.first.front();
  return fmt::format("{} is {:g}, should be {:g}", first.where, first.got, first.want);
}

}  // namespace warpgrade::problem
