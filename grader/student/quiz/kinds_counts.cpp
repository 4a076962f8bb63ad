// How often something happens: arithmetic, stores, branches, barriers; bytes that move.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "quiz/kinds.hpp"
#include "quiz/loops.hpp"

namespace warpgrade::quiz {

namespace {

/// Lines of the student's for which a figure is not 0.
template <class Figure>
std::vector<int> lines_with(Subject &s, const problem::Case &size, const Figure &figure) {
  std::vector<int> all;
  for (const auto &[at, counts] : s.counters(size).lines)
    if (s.is_plain(at) && figure(counts) > 0) all.push_back(at.line);
  return all;
}

std::optional<Question> multiply_adds(Subject &s, Dice &dice) {
  const auto figure = [](const simt::LineCounters &c) { return c.fp32_fma; };
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  const std::vector<int> lines = lines_with(s, size, figure);
  if (lines.empty()) return std::nullopt;
  const int line = dice.one_of(lines);
  const simt::SourceLine at{s.step().file, line};
  const std::uint64_t right = figure(s.counters(size).lines.at(at));
  const auto useful = static_cast<std::uint64_t>(s.problem().flops(size) / 2);
  std::vector<Wrong> wrong = {{grouped(useful), "only those that the result needs, edges left out"},
                              {grouped(right / lanes), "warps are counted"}};
  if (const auto found = s.counters(s.even()).lines.find(at);
      found != s.counters(s.even()).lines.end() && s.odd())
    wrong.push_back({grouped(figure(found->second)), fmt::format("that is at {}", s.at(s.even()))});
  wrong.push_back({grouped(2 * right), "flops are counted: two for each"});
  wrong.push_back({grouped(right * lanes), "threads are taken for warps"});
  Question q = s.about(line);
  q.text = fmt::format("At {}: how many multiply-adds do all threads together execute in line {}?",
                       s.at(size), line);
  q.why =
      fmt::format("The result needs {} of them; threads beyond an edge execute the others.", grouped(useful));
  if (right <= useful) q.why = fmt::format("The simulator counts {} in this line.", grouped(right));
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> warps_that_store(Subject &s, Dice &dice) {
  const auto figure = [](const simt::LineCounters &c) { return c.global_store.requests; };
  const problem::Case &size = s.any_size(dice);
  const std::vector<int> lines = lines_with(s, size, figure);
  if (lines.empty()) return std::nullopt;
  const int line = dice.one_of(lines);
  const simt::GlobalTraffic &t = s.counters(size).lines.at({s.step().file, line}).global_store;
  const std::uint64_t right = t.requests, outputs = s.problem().outputs(size);
  const std::vector<Wrong> wrong = {
      {grouped(outputs), "each element of the result is counted"},
      {grouped((outputs + lanes - 1) / lanes), "32 elements for each store, whatever the shape"},
      {grouped(right * lanes), "32 for each warp"},
      {grouped(t.sectors), "sectors are counted"},
      {grouped(right / 2), "half as many"},
      {grouped(2 * right), "twice as many"}};
  Question q = s.about(line);
  q.text = fmt::format("At {}: how often does a warp store to global memory in line {}, all warps together?",
                       s.at(size), line);
  q.why =
      fmt::format("A store counts once for a warp with at least one active lane; the result has {} elements.",
                  grouped(outputs));
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

/// Whether the text says it, and no compiler changes it: outside of loops, and with one condition on which lanes of a warp
/// differ. Two may be one branch or two; those on rows and columns are one where a warp is in one row.
bool says_how_often_lanes_part(Subject &s, const plan::Launch *launch, int line) {
  const std::string code = s.about(line).code;
  const bool several = code.find("&&") != std::string::npos || code.find("||") != std::string::npos;
  return !in_a_loop(s.source(), line) && (!several || (launch && launch->block.x % lanes == 0));
}

std::optional<Question> divergent_branches(Subject &s, Dice &dice) {
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  const auto figure = [](const simt::LineCounters &c) { return c.divergent_branches; };
  const plan::Launch *launch = s.only_launch(size);
  std::vector<int> lines = lines_with(s, size, figure);
  std::erase_if(lines, [&](int line) { return !says_how_often_lanes_part(s, launch, line); });
  if (lines.empty()) return std::nullopt;
  const int line = dice.one_of(lines);
  const simt::LineCounters &c = s.counters(size).lines.at({s.step().file, line});
  std::vector<Wrong> wrong = {{"0", "warps are taken to stay together"}};
  if (launch) {
    const std::uint64_t warps = launch->grid.count() * ((launch->block.count() + lanes - 1) / lanes);
    wrong.push_back({grouped(warps), "every warp is counted"});
    wrong.push_back({grouped(launch->grid.count()), "blocks are counted"});
  }
  wrong.push_back({grouped(c.divergent_branches * lanes), "threads are counted"});
  wrong.push_back({grouped(2 * c.divergent_branches), "both sides are counted"});
  Question q = s.about(line);
  q.text =
      fmt::format("At {}: how often do the lanes of a warp go different ways at line {}, all warps together?",
                  s.at(size), line);
  q.why = "Only warps with lanes on both sides of the condition diverge.";
  return with_choices(std::move(q), grouped(c.divergent_branches), wrong, dice);
}

/// Whether the lanes that access memory in a line are those that execute all of it: otherwise the share depends on how many
/// instructions the compiler makes of the line's parts.
bool under_one_mask(const simt::LineCounters &c) {
  constexpr double bytes = 4, close = 0.001;
  const auto share = [&](const auto &traffic) {
    return static_cast<double>(traffic.bytes) / (bytes * lanes * static_cast<double>(traffic.requests));
  };
  const auto same = [&](const auto &traffic) {
    return traffic.requests == 0 || std::abs(share(traffic) - c.lane_efficiency()) < close;
  };
  const bool any = c.global_requests() + c.shared_requests() > 0;
  return any && same(c.global_load) && same(c.global_store) && same(c.shared_load) && same(c.shared_store);
}

std::optional<Question> share_of_lanes(Subject &s, Dice &dice) {
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  const auto figure = [](const simt::LineCounters &c) {
    return c.lane_efficiency() < 0.995 && under_one_mask(c) ? c.warp_instructions : 0;
  };
  const std::vector<int> lines = lines_with(s, size, figure);
  if (lines.empty()) return std::nullopt;
  const int line = dice.one_of(lines);
  const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
  const double right = s.counters(size).lines.at({s.step().file, line}).lane_efficiency();
  const std::vector<Wrong> wrong = {{"100 %", "edges are forgotten"},
                                    {percent(1 - right), "the idle lanes"},
                                    {percent(right * right), "the edge is counted along both sides"},
                                    {"50 %", "half of every warp"},
                                    {percent((1 + right) / 2), "only half of the edge is counted"}};
  Question q = s.about(line);
  q.text =
      fmt::format("At {}: which share of the lanes is active, on average, in the instructions of line {}?",
                  s.at(size), line);
  q.why =
      "The lanes beyond an edge, or on the other side of a condition, are idle while their warp executes the "
      "line.";
  return with_choices(std::move(q), percent(right), wrong, dice);
}

std::optional<Question> barriers_of_block(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const plan::Launch *launch = s.only_launch(size);
  const std::uint64_t all = s.counters(size).barriers;
  if (!launch || all == 0 || all % launch->grid.count() != 0 || !s.is_plain()) return std::nullopt;
  const std::uint64_t right = all / launch->grid.count();
  std::uint64_t written = 0;
  for (std::size_t at = s.source().find("__syncthreads"); at != std::string::npos;
       at = s.source().find("__syncthreads", at + 1))
    ++written;
  const std::vector<Wrong> wrong = {{grouped(written), "those in the text are counted"},
                                    {grouped(2 * right), "twice as many in each turn"},
                                    {grouped(right - 1), "the last turn is left out"},
                                    {grouped(right + 1), "one after the loop is added"},
                                    {grouped(all), "all blocks together"}};
  Question q = s.about(0);
  q.text = fmt::format("At {}: how many barriers does each block pass?", s.at(size));
  q.why = fmt::format("{} blocks pass {} in all.", grouped(launch->grid.count()), grouped(all));
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> bytes_loaded(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const simt::Counters &c = s.counters(size);
  const std::uint64_t right = c.global_load.bytes;
  if (right == 0 || !s.is_plain()) return std::nullopt;
  std::uint64_t once = 0;
  for (const plan::Buffer &b : s.problem().buffers(size)) once += b.bytes;
  const std::vector<Wrong> wrong = {
      {grouped(once), "every array is taken to be read once"},
      {grouped(c.global_load.sectors * sector), "whole sectors are counted"},
      {grouped(right / 4), "elements are counted"},
      {grouped(c.global_load.used_bytes), "bytes that lanes share are counted once"},
      {grouped(2 * right), "twice as many"},
      {grouped(right + c.global_store.bytes), "with what is stored"}};
  Question q = s.about(0);
  q.text = fmt::format("At {}: how many bytes do all threads together load from global memory?", s.at(size));
  q.why = fmt::format("The arrays have {} bytes, so each byte is loaded {:.1f} times on average.",
                      grouped(once), static_cast<double>(right) / static_cast<double>(once));
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> loads_of_element(Subject &s, Dice &dice) {
  const problem::Case &size = s.even();
  std::map<std::string, std::uint64_t> bytes;
  for (const auto &[key, counts] : s.counters(size).accesses)
    if (key.space == ptx::Space::global && !key.store && s.element_bytes(key.buffer) > 0)
      bytes[key.buffer] += counts.global.bytes;
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const plan::Buffer &b : s.problem().buffers(size))
    if (bytes[b.name] > 0 && b.bytes > 0 && bytes[b.name] % b.bytes == 0)
      all.emplace_back(b.name, bytes[b.name] / b.bytes);
  if (all.empty()) return std::nullopt;
  const auto &[name, right] = dice.one_of(all);
  std::vector<Wrong> wrong;
  for (const auto &[other, times] : all)
    if (other != name) wrong.push_back({grouped(times), "that is " + other});
  wrong.push_back({"1", "each is taken to be loaded once"});
  wrong.push_back({grouped(right * lanes), "lanes that share a load are counted for themselves"});
  if (right >= lanes)
    wrong.push_back({grouped(right / lanes), "a warp's load is taken to serve all its lanes"});
  wrong.push_back({grouped(2 * right), "twice as often"});
  wrong.push_back({grouped(right + 1), "one more"});
  Question q = s.about(0);
  q.text = fmt::format(
      "At {}: how often is each element of {} loaded from global memory on average, all threads together?",
      s.at(size), name);
  q.why = fmt::format("Threads load {} bytes of {} in all.", grouped(bytes[name]), name);
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

}  // namespace

const std::vector<Kind> count_kinds = {
    {"multiply_adds", "arithmetic", 2, false, multiply_adds},
    {"warps_that_store", "requests", 2, false, warps_that_store},
    {"divergent_branches", "divergence", 3, false, divergent_branches},
    {"share_of_lanes", "divergence", 3, false, share_of_lanes},
    {"barriers_of_block", "barriers", 1, false, barriers_of_block},
    {"bytes_loaded", "memory traffic", 2, false, bytes_loaded},
    {"loads_of_element", "memory traffic", 2, false, loads_of_element},
};

}  // namespace warpgrade::quiz
