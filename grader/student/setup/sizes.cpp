#include "setup/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "setup/course_root.hpp"

namespace warpgrade {

namespace {

constexpr std::int64_t most_sizes = 1000;
/// Of vectors; matrices have lower limits, and --case takes any size.
constexpr std::int64_t largest_size = 1 << 26;

std::int64_t size_number(std::string_view text, std::string_view all) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > largest_size)
    throw UsageError(
        fmt::format("--sizes: '{}' is not a size from 1 to {}; say 2048, 256,512,1024 or FIRST:LAST:STEP",
                    all, largest_size));
  return n;
}

/// "2048" or "256:4096:256", both ends included.
void add_sizes(const std::string &text, std::vector<std::int64_t> &sizes) {
  const std::size_t one = text.find(':');
  if (one == std::string::npos) return sizes.push_back(size_number(text, text));
  const std::size_t two = text.find(':', one + 1);
  const std::string_view all = text;
  const std::int64_t first = size_number(all.substr(0, one), text);
  const std::int64_t last =
      size_number(all.substr(one + 1, two == std::string::npos ? two : two - one - 1), text);
  const std::int64_t step = two == std::string::npos ? 1 : size_number(all.substr(two + 1), text);
  if (last < first || (last - first) / step >= most_sizes)
    throw UsageError(fmt::format("--sizes: '{}' holds {}", text,
                                 last < first ? "no size" : fmt::format("more than {} sizes", most_sizes)));
  for (std::int64_t n = first; n <= last; n += step) sizes.push_back(n);
}

}  // namespace

std::vector<std::int64_t> sizes_of(const std::vector<std::string> &texts) {
  std::vector<std::int64_t> sizes;
  for (const std::string &text : texts) add_sizes(text, sizes);
  return sizes;
}

std::vector<problem::Given> timed_sizes(const course::Thresholds &thresholds, bool gpu,
                                        const std::vector<const course::Step *> &steps) {
  std::vector<problem::Case> timed;
  for (const course::Step *step : steps)
    if (const course::StepThresholds *t = gpu ? thresholds.find(step->id) : nullptr;
        t && std::find(timed.begin(), timed.end(), t->size) == timed.end())
      timed.push_back(t->size);
  if (timed.empty()) timed.push_back(steps.front()->counters_on);
  std::vector<problem::Given> sizes;
  for (const problem::Case &c : timed) sizes.push_back(problem::sizes_of(*steps.front()->problem, c));
  return sizes;
}

}  // namespace warpgrade
