// Grids, blocks and what blocks take of a multiprocessor.
#include <fmt/format.h>

#include <algorithm>

#include "predict/step.hpp"
#include "quiz/kinds.hpp"

namespace warpgrade::quiz {

namespace {

std::optional<Question> blocks_launched(Subject &s, Dice &dice) {
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  const plan::Launch *launch = s.only_launch(size);
  if (!launch) return std::nullopt;
  const plan::Dim3 &g = launch->grid;
  const std::uint64_t right = g.count(), outputs = s.problem().outputs(size);
  const auto less = [](std::uint32_t n) { return std::uint64_t{n > 1 ? n - 1 : n}; };
  std::vector<Wrong> wrong = {
      {grouped(less(g.x) * less(g.y) * g.z), "sizes are divided and rounded down"},
      {grouped(std::max<std::uint64_t>(1, outputs / launch->block.count())),
       "elements of the result over threads of a block"},
      {grouped(launch->block.count()), "the threads of a block"},
      {grouped((g.x + std::uint64_t{1}) * (g.y > 1 ? g.y + std::uint64_t{1} : 1) * g.z),
       "one more in each direction"},
      {grouped(2 * right), "twice as many"},
      {grouped(right * launch->block.count()), "threads are counted"}};
  Question q = s.about(0);
  q.text = fmt::format("At {}: how many blocks does your launcher start?", s.at(size));
  q.why = fmt::format("The grid is {} x {} x {}.", g.x, g.y, g.z);
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> idle_threads(Subject &s, Dice &dice) {
  if (!s.odd()) return std::nullopt;
  const problem::Case &size = *s.odd();
  const plan::Launch *launch = s.only_launch(size);
  if (!launch) return std::nullopt;
  const std::uint64_t threads = launch->grid.count() * launch->block.count(),
                      outputs = s.problem().outputs(size);
  std::uint64_t stored = 0;
  int line = 0, lines = 0;
  for (const auto &[at, c] : s.counters(size).lines)
    if (c.global_store.requests > 0)
      stored += c.global_store.bytes, line = s.is_own(at) ? at.line : 0, ++lines;
  const bool one_each = lines == 1 && line > 0 && stored == outputs * 4 && threads > outputs;
  if (!one_each) return std::nullopt;
  const std::uint64_t right = threads - outputs;
  const std::vector<Wrong> wrong = {{"0", "edges are forgotten"},
                                    {grouped(outputs), "those that store are counted"},
                                    {grouped(launch->block.count()), "one block is taken to be idle"},
                                    {grouped(right / lanes), "warps are counted"},
                                    {grouped(threads), "all threads are counted"}};
  Question q = s.about(line);
  q.text = fmt::format("At {}: how many of the threads that the launch starts store nothing?", s.at(size));
  q.why = fmt::format("{} threads start, and {} store an element each.", grouped(threads), grouped(outputs));
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> shared_bytes(Subject &s, Dice &dice) {
  const std::uint64_t right = s.build().static_shared_bytes;
  if (right == 0) return std::nullopt;
  const plan::Launch *launch = s.only_launch(s.even());
  std::vector<Wrong> wrong = {{grouped(right / 4), "elements are counted"},
                              {grouped(right / 2), "one of two arrays is counted"},
                              {grouped(2 * right), "elements are taken for 8 bytes"}};
  if (launch) wrong.push_back({grouped(right * launch->grid.count()), "all blocks together"});
  Question q = s.about(0);
  q.text = "How many bytes of shared memory does your kernel declare for each block?";
  q.why = "It is the sum over its arrays in shared memory, with 4 bytes for each float.";
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

std::optional<Question> resident_blocks(Subject &s, Dice &dice) {
  const predict::Predictor predictor(s.root(), s.assignment());
  const std::vector<predict::Machine> machines = predictor.machines();
  // Where the compiler does not say how many registers it takes, the prediction works with a guess.
  const bool guessed = !s.build().why_no_registers.empty();
  if (guessed || machines.empty() || !s.only_launch(s.even())) return std::nullopt;
  const predict::StepPrediction made = predictor.predict(
      s.grader(), s.step(), s.build(), s.even(), machines.front(), predict::Predictor::Effort::a_second);
  if (!made.prediction.why_not.empty() || made.prediction.launches.size() != 1) return std::nullopt;
  const int right = made.prediction.launches.front().resident;
  const std::string &limit = made.prediction.launches.front().resident_limit;
  if (right < 1 || limit.empty()) return std::nullopt;
  const auto words = [](int n, const std::string &by) {
    return fmt::format("{} block{}, limited by {}", n, n == 1 ? "" : "s", by);
  };
  std::vector<Wrong> wrong;
  const std::vector<std::string> limits = {"registers", "shared memory", "threads", "warps"};
  wrong.push_back({words(2 * right, limit), "the right limit, counted with half of what a block takes"});
  for (const std::string &other : limits)
    if (other != limit && !(other == "threads" && limit == "warps") &&
        !(other == "warps" && limit == "threads"))
      wrong.push_back({words(right == 1 ? 2 : right - 1, other), "another limit"});
  Question q = s.about(0);
  q.text = fmt::format(
      "How many blocks of your kernel fit on a multiprocessor of {} at once, and what limits them?",
      made.gpu);
  q.why =
      "Registers, shared memory, threads and blocks of a multiprocessor each allow a number of blocks; the "
      "least of them holds.";
  return with_choices(std::move(q), words(right, limit), wrong, dice);
}

std::optional<Question> warps_of_launch(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const plan::Launch *launch = s.only_launch(size);
  if (!launch) return std::nullopt;
  const std::uint64_t threads = launch->block.count(), each = (threads + lanes - 1) / lanes,
                      right = each * launch->grid.count();
  const std::vector<Wrong> wrong = {
      {grouped(each), "those of one block"},
      {grouped(launch->grid.count()), "blocks are counted"},
      {grouped((s.problem().outputs(size) + lanes - 1) / lanes), "elements of the result over 32"},
      {grouped(right * lanes), "threads are counted"},
      {grouped(2 * right), "half-warps are counted"}};
  Question q = s.about(0);
  q.text = fmt::format("At {}: how many warps does your launcher start?", s.at(size));
  q.why = fmt::format("{} blocks of {} threads, which are {} warps each.", grouped(launch->grid.count()),
                      grouped(threads), each);
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

}  // namespace

const std::vector<Kind> resource_kinds = {
    {"blocks_launched", "launch", 1, false, blocks_launched},
    {"warps_of_launch", "launch", 1, false, warps_of_launch},
    {"idle_threads", "edges", 2, false, idle_threads},
    {"shared_bytes", "resources", 1, false, shared_bytes},
    {"resident_blocks", "resources", 3, false, resident_blocks},
};

}  // namespace warpgrade::quiz
