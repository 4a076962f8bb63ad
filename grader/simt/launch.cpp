#include "simt/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "simt/sampling.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t default_shared = 48 * 1024, most_shared = 227 * 1024;
constexpr std::uint64_t most_vain_rounds =
    20'000;  // of a cooperative launch, 8 reads of a flag in each block
constexpr std::uint64_t most_cells_of_launch = 2 * most_cells;  // of all workers together: see watch.hpp

const BlockRun::FoundFault *first_fault(const std::vector<std::unique_ptr<BlockRun>> &workers) {
  const BlockRun::FoundFault *first = nullptr;
  for (const auto &worker : workers)
    for (const BlockRun::FoundFault &fault : worker->faults)
      if (!first || fault.block < first->block) first = &fault;
  return first;
}

std::string gather_output(const std::vector<std::unique_ptr<BlockRun>> &workers, std::uint64_t last_block,
                          std::size_t limit) {
  std::map<std::uint64_t, const std::string *> by_block;
  for (const auto &worker : workers)
    for (const auto &[block, text] : worker->printed)
      if (block <= last_block) by_block[block] = &text;
  std::string all;
  for (const auto &[block, text] : by_block) {
    all += *text;
    if (all.size() > limit) break;
  }
  if (all.size() > limit) all.resize(limit);
  return all;
}

void note_local_memory(const LaunchState &state, LaunchResult &result) {
  if (!state.program->uses_local || result.counters.local_accesses == 0) return;
  Diagnostic made;
  made.code = Code::local_memory;
  made.severity = Severity::info;
  made.kernel = state.program->demangled;
  made.here.at = ptx::source_line(*state.program->module, state.program->local_location);
  made.message =
      "an array lives in local memory, which is as slow as global memory: its index is not a constant";
  made.count = result.counters.local_accesses;
  result.diagnostics.push_back(std::move(made));
}

}  // namespace

std::string check_launch(const Launch &l, const ptx::KernelFacts &facts, std::uint32_t max_dynamic) {
  const std::uint64_t threads = std::uint64_t{l.block.x} * l.block.y * l.block.z;
  if (l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0)
    return fmt::format("a grid of {} x {} x {} blocks has a zero", l.grid.x, l.grid.y, l.grid.z);
  if (l.block.x == 0 || l.block.y == 0 || l.block.z == 0)
    return fmt::format("a block of {} x {} x {} threads has a zero", l.block.x, l.block.y, l.block.z);
  if (l.block.x > 1024 || l.block.y > 1024 || threads > 1024)
    return fmt::format("a block of {} x {} x {} threads: {} are more than 1024", l.block.x, l.block.y,
                       l.block.z, threads);
  if (l.block.z > 64) return fmt::format("blockDim.z is {}, at most 64 are possible", l.block.z);
  if (l.grid.x > 2147483647u || l.grid.y > 65535 || l.grid.z > 65535)
    return fmt::format("a grid of {} x {} x {} blocks is larger than 2147483647 x 65535 x 65535", l.grid.x,
                       l.grid.y, l.grid.z);
  if (facts.max_threads != 0 && threads > facts.max_threads)
    return fmt::format("a block of {} threads, but __launch_bounds__ promises at most {}", threads,
                       facts.max_threads);
  if (l.arguments.size() != facts.argument_bytes)
    return fmt::format("{} bytes of arguments were given, the kernel takes {}", l.arguments.size(),
                       facts.argument_bytes);
  const std::uint64_t shared = std::uint64_t{facts.static_shared_bytes} + l.dynamic_shared_bytes;
  if (facts.static_shared_bytes > default_shared)
    return fmt::format("{} bytes of static shared memory are more than {}", facts.static_shared_bytes,
                       default_shared);
  if (shared > most_shared)
    return fmt::format("{} bytes of shared memory are more than {}", shared, most_shared);
  if (shared > default_shared && l.dynamic_shared_bytes > max_dynamic)
    return fmt::format("{} bytes of shared memory are more than {}; cudaFuncSetAttribute can raise the limit",
                       shared, default_shared);
  return {};
}

namespace {

using Workers = std::vector<std::unique_ptr<BlockRun>>;

Workers run_workers(LaunchState &state, std::size_t count) {
  state.alone = count == 1;
  Workers workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(std::make_unique<BlockRun>(state));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&worker = *workers[i]] { worker.run_all(); });
  workers[0]->run_all();
  threads.clear();
  return workers;
}

bool workers_conflict(const Workers &workers) {
  for (std::size_t i = 0; i < workers.size(); ++i)
    for (std::size_t k = i + 1; k < workers.size(); ++k)
      if (conflict(workers[i]->all_watched(), workers[k]->all_watched())) return true;
  return false;
}

/// Blocks that race are run once more, in order: then the report does not depend on chance.
Workers run_blocks(LaunchState &state, std::size_t count) {
  if (count == 1) return run_workers(state, 1);
  const Snapshot before = take_snapshot(state.written);
  Workers workers = run_workers(state, count);
  if (!state.again.load() && !workers_conflict(workers)) return workers;
  workers.clear();
  before.restore();
  state.next_block = 0;
  state.instructions = 0;
  state.first_failure = UINT64_MAX;
  state.saturation.errors = state.saturation.warnings = UINT64_MAX;
  state.again = false;
  return run_workers(state, 1);
}

/// All blocks of a cooperative launch are there at once and take turns, the first one first.
Workers run_together(LaunchState &state, std::uint64_t count) {
  state.alone = state.together = true;
  Workers workers;
  for (std::uint64_t i = 0; i < count; ++i) workers.push_back(std::make_unique<BlockRun>(state));
  const auto guarded = [&](std::uint64_t block, const auto &run) {
    try {
      return run(*workers[block]);
    } catch (Fault &fault) {
      workers[block]->faults.push_back({block, std::move(fault)});
      state.first_failure = 0;  // nobody goes on
      return false;
    }
  };
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count && state.first_failure != 0; ++i)
    if (guarded(i, [i](BlockRun &run) { return run.begin(i), true; })) blocks.push_back(i);
  std::uint64_t vain_rounds = 0;
  while (!blocks.empty() && state.first_failure != 0) {
    bool only_wait = true;
    std::erase_if(blocks, [&](std::uint64_t block) {
      if (state.first_failure == 0) return true;
      const bool goes_on = guarded(block, [](BlockRun &run) { return run.take_turns(); });
      only_wait = only_wait && goes_on && workers[block]->only_waits();
      return !goes_on;
    });
    vain_rounds = only_wait ? vain_rounds + 1 : 0;
    if (vain_rounds > most_vain_rounds && !blocks.empty())
      guarded(blocks.front(), [](BlockRun &run) -> bool { run.report_grid_wait(); });
  }
  return workers;
}

Counters count_all(const Workers &workers) {
  Counters total;
  std::vector<const Tally *> tallies;
  for (const auto &worker : workers) {
    total += worker->counters();
    tallies.push_back(&worker->tally());
  }
  total.unique_sectors = Tally::unique(tallies);
  return total;
}

}  // namespace

LaunchResult run_launch(LaunchState &state) {
  LaunchResult result;
  const Dim3 grid = state.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  // Where the order of blocks may show in the result, they run in order: also where nobody looks whether it
  // does.
  const bool watches = state.options.check_races && !state.program->orders_blocks;
  const bool in_order = state.program->order_matters || !watches || state.program->writes_anything;
  std::uint64_t cells = 0;
  if (watches) state.written = written_by(state, cells);
  std::uint64_t count =
      in_order || cells > most_cells ? 1 : static_cast<std::uint64_t>(std::max(state.options.threads, 1));
  count = std::min(
      {count, blocks, std::max<std::uint64_t>(most_cells_of_launch / std::max(cells, std::uint64_t{1}), 1)});
  const bool together =
      state.launch.cooperative && (state.program->waits_for_grid || state.program->order_matters);
  const Workers workers = together ? run_together(state, blocks) : run_blocks(state, count);
  const BlockRun::FoundFault *fault = first_fault(workers);
  const std::uint64_t last = fault && !together ? fault->block : UINT64_MAX;
  std::vector<const Findings *> findings;
  for (const auto &worker : workers) findings.push_back(&worker->findings);
  result.diagnostics = Findings::gather(findings, last);
  result.printed = gather_output(workers, last, state.options.printf_bytes);
  if (fault) {
    result.status = fault->fault.status;
    result.diagnostics.push_back(fault->fault.diagnostic);
  } else {
    result.warp_instructions = state.instructions.load();
    if (state.options.count) result.counters = count_all(workers);
    if (state.options.sample_lanes) {
      std::vector<const std::vector<LaneSample> *> samples;
      for (const auto &worker : workers) samples.push_back(&worker->samples);
      result.samples = gather_samples(samples, grid);
    }
    for (const auto &worker : workers)  // at most one of them ran that block
      if (!worker->trace.empty()) result.trace = std::move(worker->trace);
    note_local_memory(state, result);
  }
  state.memory->settle();
  return result;
}

}  // namespace warpgrade::simt
