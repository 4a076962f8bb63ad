// Which warps wait for others.
#include <fmt/format.h>

#include <algorithm>

#include "quiz/kinds.hpp"
#include "quiz/waits.hpp"

namespace warpgrade::quiz {

namespace {

using Warps = std::vector<std::uint32_t>;

/// "warp 3 alone", "warps 4 to 7", "warps 1, 3 and 5", "all warps alike"
std::string in_words(const Warps &warps, std::size_t of) {
  if (warps.size() == of) return "all warps alike";
  if (warps.size() == 1) return fmt::format("warp {} alone", warps.front());
  if (warps.size() > 2 && warps.back() - warps.front() + 1 == warps.size())
    return fmt::format("warps {} to {}", warps.front(), warps.back());
  const Warps first(warps.begin(), warps.end() - 1);
  return fmt::format("warps {} and {}", fmt::join(first, ", "), warps.back());
}

/// The other warps of the block.
Warps all_but(const Warps &those, std::size_t of) {
  Warps others;
  for (std::uint32_t w = 0; w < of; ++w)
    if (!std::binary_search(those.begin(), those.end(), w)) others.push_back(w);
  return others;
}

std::optional<Question> longest_wait(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const plan::Launch *launch = s.only_launch(size);
  const std::uint64_t barriers = s.counters(size).barriers;
  if (!launch || barriers == 0 || !s.is_plain() || barriers % launch->grid.count() != 0) return std::nullopt;
  Dice same(s.seed(), "block");  // that of other questions: each block costs a run
  const std::uint64_t number = same.below(launch->grid.count());
  const std::vector<simt::TracedRequest> &trace = s.trace(size, number);
  const std::size_t warps = (launch->block.count() + lanes - 1) / lanes;
  const auto longest = those_that_wait_longest(trace, warps, barriers / launch->grid.count());
  if (trace.empty() || !longest) return std::nullopt;
  const auto last = static_cast<std::uint32_t>(warps - 1);
  const auto words = [&](const Warps &some) { return some.empty() ? "" : in_words(some, warps); };
  const std::vector<Wrong> wrong = {
      {words(longest->busiest), "those that others wait for are taken to wait"},
      {"all warps alike", "everybody is taken to wait at a barrier for equally long"},
      {words(all_but(longest->warps, warps)), "those with more to do are taken to wait"},
      {words({0}), "the first warp is taken to arrive first, so to wait longest"},
      {words({last}), "only the last warp is taken to have less to do"},
      {words(all_but({0}, warps)), "all others are taken to wait for the first warp for equally long"},
      {words(all_but({last}, warps)), "all others are taken to wait for the last warp"}};
  Question q = s.about(0);
  q.text = fmt::format(
      "At {}: a warp that makes fewer requests to memory (loads and stores) before a barrier than another "
      "one "
      "waits there. Which warps of block {} wait longest, by requests, at all of its barriers together?",
      s.at(size),
      fmt::format("({}, {}, {})", trace.front().block.x, trace.front().block.y, trace.front().block.z));
  q.why = fmt::format("Before the last barrier, they make {} requests each, and the busiest warp makes {}.",
                      longest->fewest, longest->most);
  return with_choices(std::move(q), words(longest->warps), wrong, dice);
}

}  // namespace

std::optional<Longest> those_that_wait_longest(const std::vector<simt::TracedRequest> &trace,
                                               std::size_t warps, std::uint64_t barriers) {
  // At each barrier a warp waits for as long as the busiest one has more to do. The busiest ones' work is the same
  // for all, so the sum of a warp's waits is largest where the sum of its work is smallest.
  std::vector<std::uint64_t> work(warps, 0);
  for (const simt::TracedRequest &r : trace)
    if (r.warp < warps && r.phase < barriers) ++work[r.warp];
  if (warps < 2) return std::nullopt;
  Longest made;
  made.fewest = *std::min_element(work.begin(), work.end());
  made.most = *std::max_element(work.begin(), work.end());
  std::uint64_t next = made.most;
  for (std::uint32_t w = 0; w < warps; ++w) {
    if (work[w] == made.fewest) made.warps.push_back(w);
    if (work[w] == made.most) made.busiest.push_back(w);
    if (work[w] != made.fewest) next = std::min(next, work[w]);
  }
  const bool clear = made.warps.size() < warps && 4 * next >= 5 * made.fewest && next >= made.fewest + 2;
  return clear ? std::optional(made) : std::nullopt;
}

const std::vector<Kind> wait_kinds = {
    {"longest_wait", "waiting", 3, false, longest_wait},
};

}  // namespace warpgrade::quiz
