#include "machine/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "machine/block_order.hpp"
#include "machine/sampling.hpp"
#include "machine/stall_reports.hpp"
#include "machine/workers.hpp"
#include "ptx/launch_check.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t most_waiting_blocks = 512, most_bytes_of_waiting = std::uint64_t{1} << 30;
constexpr std::uint64_t most_in_turns = 16;                      // blocks that take turns although none waits
constexpr std::uint64_t most_vain_turns = 100'000;               // of blocks that wait: a few seconds
constexpr std::uint64_t most_instructions_in_vain = 32'000'000;  // of all blocks, while each waits
constexpr std::uint64_t times_if_words_change =
    8;  // a loop that counts its rounds in memory may end by itself
constexpr std::uint64_t most_vain_rounds_of_grid =
    20'000;  // of a cooperative launch, 8 reads of a flag in each block
constexpr std::uint64_t most_cells_of_launch = 2 * most_cells;  // of all workers together: see watch.hpp

const BlockRun::FoundFault *first_fault(const std::vector<std::unique_ptr<BlockRun>> &workers) {
  const BlockRun::FoundFault *first = nullptr;
  for (const auto &worker : workers)
    for (const BlockRun::FoundFault &fault : worker->faults)
      if (!first || fault.block < first->block) first = &fault;
  return first;
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

std::string why_not(const Launch &l, const ptx::KernelFacts &facts, std::uint32_t max_dynamic) {
  const ptx::LaunchShape shape{
      {l.grid.x, l.grid.y, l.grid.z}, {l.block.x, l.block.y, l.block.z}, l.dynamic_shared_bytes};
  const ptx::KernelNeeds needs{facts.static_shared_bytes, facts.max_threads, 0, max_dynamic};
  if (const auto refusal = ptx::check_launch(shape, needs)) return refusal->words;
  if (l.arguments.size() != facts.argument_bytes)
    return fmt::format("the launch has {} bytes of arguments, but the kernel has {}", l.arguments.size(),
                       facts.argument_bytes);
  return {};
}

namespace {

/// A block that takes turns with others, and its worker.
struct Resident {
  BlockRun *run;
  std::uint64_t block;
  bool has_begun = false;
};

/// A block that has not started yet, if one is left and has room. It gets the resident blocks.
using Admission = std::function<std::optional<Resident>(const std::vector<Resident> &)>;

/// Runs co-resident blocks to their ends. They take turns, the first one first. Others are admitted while all
/// residents wait, or while there are fewer than at_least.
void run_residents(LaunchState &state, std::vector<Resident> blocks, const Admission &admit = {},
                   std::size_t at_least = 0) {
  const auto guarded = [&](const Resident &one, const auto &run) {
    try {
      return run(*one.run);
    } catch (EndsHere &) {
      state.first_failure = 0;
      return false;
    } catch (Fault &fault) {
      one.run->faults.push_back({one.block, std::move(fault)});
      state.first_failure = 0;  // no worker continues
      return false;
    }
  };
  const auto begin = [&](const Resident &one) {
    if (state.first_failure != 0 && !one.has_begun)
      guarded(one, [&](BlockRun &run) { return run.begin(one.block), true; });
  };
  std::for_each(blocks.begin(), blocks.end(), begin);
  std::uint64_t vain_rounds = 0, rounds_at_mbarriers = 0, vain_since = UINT64_MAX;
  while (!blocks.empty() && state.first_failure != 0) {
    bool only_wait = true, all_wait = true, moved = false, in_vain = true, works = false;
    std::erase_if(blocks, [&](const Resident &one) {
      if (state.first_failure == 0) return true;
      const bool goes_on = guarded(one, [](BlockRun &run) { return run.take_turns(); });
      only_wait = only_wait && goes_on && one.run->only_waits();
      all_wait = all_wait && goes_on && one.run->wait_detector.waits();
      works = works || one.run->wait_detector.works_meanwhile();
      moved = moved || !goes_on || one.run->has_moved();
      in_vain = in_vain && goes_on && (!one.run->has_moved() || one.run->moved_in_vain());
      return !goes_on;
    });
    if (state.first_failure == 0) return;
    // Also after the last of those that waited for each other: the rest of the grid is still to run.
    if ((all_wait || blocks.empty() || blocks.size() < at_least) && admit)
      if (const std::optional<Resident> next = admit(blocks)) {
        blocks.push_back(*next);
        begin(*next);
        vain_since = UINT64_MAX;
        continue;
      }
    if (blocks.empty()) return;
    vain_since = !all_wait ? UINT64_MAX : std::min(vain_since, state.instructions.load());
    const auto first = [&blocks](const auto &fits) {
      const auto found = std::find_if(blocks.begin(), blocks.end(), fits);
      return found == blocks.end() ? blocks.front() : *found;
    };
    if (!moved)
      guarded(first([](const Resident &one) { return one.run->waits_in_cluster(); }),
              [](BlockRun &run) -> bool { run.report_cluster_wait(); });
    rounds_at_mbarriers = moved && in_vain ? rounds_at_mbarriers + 1 : 0;
    if (rounds_at_mbarriers > simt::most_vain_rounds)
      guarded(first([](const Resident &one) { return one.run->moved_in_vain(); }),
              [](BlockRun &run) -> bool { report_vain_wait(run, run.vain_wait()); });
    vain_rounds = only_wait ? vain_rounds + 1 : 0;
    if (state.launch.cooperative && vain_rounds > most_vain_rounds_of_grid)
      guarded(blocks.front(), [](BlockRun &run) -> bool { report_grid_wait(run); });
    if (vain_rounds * blocks.size() > most_vain_turns)
      guarded(blocks.front(), [](BlockRun &run) { return run.look_for_host_wait(), true; });
    const std::uint64_t most_in_vain = most_instructions_in_vain * (works ? times_if_words_change : 1);
    if (all_wait && state.instructions.load() - vain_since > most_in_vain) {
      for (const Resident &one : blocks)
        if (state.first_failure != 0)
          guarded(one, [](BlockRun &run) { return run.look_for_host_wait(), true; });
      if (state.first_failure == 0) return;
      if (state.launch.cooperative && only_wait) {
        guarded(blocks.front(), [](BlockRun &run) -> bool { report_grid_wait(run); });
        return;
      }
      state.endless = true;
      const std::uint64_t taken = std::min(state.next_block.load(), state.blocks());
      const std::uint64_t left = admit ? state.blocks() - taken : 0;
      guarded(blocks.front(), [&](BlockRun &run) -> bool { run.report_endless_wait(left); });
    }
  }
}

Workers make_residents(LaunchState &state, std::uint64_t count) {
  state.alone = state.together = true;
  state.shadow = std::make_shared<Shadow>();
  Workers workers;
  for (std::uint64_t i = 0; i < count; ++i) workers.push_back(std::make_unique<BlockRun>(state));
  return workers;
}

/// About how much of the host's memory a resident block takes.
std::uint64_t bytes_of_block(const LaunchState &state) {
  const Program &program = *state.program;
  const Dim3 block = state.launch.block;
  const std::uint64_t warps = (std::uint64_t{block.x} * block.y * block.z + 31) / 32;
  const std::uint64_t shared = program.shared_static_end + state.launch.dynamic_shared_bytes;
  const std::uint64_t of_word = 1 + 3 * (sizeof(std::uint64_t) >> program.shared_shift);
  return shared * of_word + warps * (program.warp_bytes + program.area_bytes + 32 * program.local_bytes) +
         program.sites.size() * sizeof(SiteState) + program.patterns.size() * sizeof(Pattern);
}

std::uint64_t most_residents(const LaunchState &state) {
  return std::clamp<std::uint64_t>(most_bytes_of_waiting / std::max<std::uint64_t>(bytes_of_block(state), 1),
                                   1, most_waiting_blocks);
}

/// The next block, run by a worker that is idle or new.
Admission admit_next(LaunchState &state, Workers &workers) {
  return [&state, &workers,
          most = most_residents(state)](const std::vector<Resident> &there) -> std::optional<Resident> {
    if (there.size() >= most) return std::nullopt;
    const std::optional<std::uint64_t> next = state.take_block();
    if (!next) return std::nullopt;
    const auto is_idle = [&](const auto &worker) {
      return std::none_of(there.begin(), there.end(),
                          [&](const Resident &one) { return one.run == worker.get(); });
    };
    const auto idle = std::find_if(workers.begin(), workers.end(), is_idle);
    if (idle != workers.end()) return Resident{idle->get(), *next};
    workers.push_back(std::make_unique<BlockRun>(state));
    return Resident{workers.back().get(), *next};
  };
}

/// A block waits for others: it stays resident, and the following ones start.
void run_beside(LaunchState &state, Workers &workers, std::uint64_t block) {
  state.together = true;
  state.shadow = workers.front()->shared_shadow;
  run_residents(state, {{workers.front().get(), block, true}}, admit_next(state, workers));
}

/// A few blocks take turns, and the next one begins when one of them has ended.
Workers run_in_turns(LaunchState &state, std::uint64_t blocks) {
  const std::uint64_t count = std::min({most_in_turns, most_residents(state), blocks});
  Workers workers = make_residents(state, count);
  std::vector<Resident> first;
  for (const auto &worker : workers)
    if (const std::optional<std::uint64_t> block = state.take_block())
      first.push_back({worker.get(), *block});
  run_residents(state, std::move(first), admit_next(state, workers), count);
  return workers;
}

/// At most `count`: most launches of a long sequence are over before other threads have begun.
Workers run_workers(LaunchState &state, std::size_t count) {
  state.alone = count == 1;
  Workers workers;
  workers.push_back(std::make_unique<BlockRun>(state));
  std::vector<std::jthread> threads;
  state.call_others = nullptr;
  if (count > 1) {
    state.call_others = [&] {
      while (workers.size() < count) workers.push_back(std::make_unique<BlockRun>(state));
      for (std::size_t i = 1; i < count; ++i)
        threads.emplace_back([&worker = *workers[i]] { worker.run_all(); });
    };
    if (state.options.alone_until == 0) std::exchange(state.call_others, nullptr)();
  }
  const std::optional<std::uint64_t> waiting = workers[0]->run_all();
  threads.clear();
  state.call_others = nullptr;
  if (waiting) run_beside(state, workers, *waiting);
  return workers;
}

bool workers_conflict(const Workers &workers, bool narrow_scopes) {
  std::vector<const std::vector<Watched> *> all;
  for (const auto &worker : workers) all.push_back(&worker->all_watched());
  return conflict(all, narrow_scopes);
}

/// As before the first block.
void start_over(LaunchState &state) {
  state.next_block = 0;
  state.instructions = 0;
  state.first_failure = UINT64_MAX;
  state.most_instructions = UINT64_MAX;
  state.went_on = false;
  state.saturation.races = state.saturation.warnings = state.saturation.unset = UINT64_MAX;
  state.again = false;
  state.together = state.endless = false;
  state.shadow.reset();
  state.children = {};
  state.conditions.clear();
}

/// Blocks that race are run once more, in order: then the report does not depend on chance.
Workers run_blocks(LaunchState &state, std::size_t count) {
  // A launch that ends before others could help needs no copy of what it writes.
  if (count == 1 || state.expected_instructions < state.options.alone_until) return run_workers(state, 1);
  state.before = take_snapshot(state.written, std::move(state.before));
  Workers workers = run_workers(state, count);
  if (state.is_interrupted()) return workers;
  if (!state.again.load() && !workers_conflict(workers, state.program->narrow_scopes)) return workers;
  workers.clear();
  state.before.restore();
  start_over(state);
  return run_workers(state, 1);
}

/// All blocks of a cooperative launch are resident together.
Workers run_together(LaunchState &state, std::uint64_t count) {
  Workers workers = make_residents(state, count);
  std::vector<Resident> blocks;
  for (std::uint64_t i = 0; i < count; ++i)
    blocks.push_back({workers[i].get(), state.order.empty() ? i : state.order[i]});
  run_residents(state, std::move(blocks));
  return workers;
}

/// The number in the grid of a block of a cluster.
std::uint64_t block_in_cluster(const Launch &l, std::uint64_t cluster, std::uint32_t rank) {
  const std::uint64_t across = l.grid.x / l.cluster.x, down = l.grid.y / l.cluster.y;
  const std::uint64_t x = cluster % across * l.cluster.x + rank % l.cluster.x,
                      y = cluster / across % down * l.cluster.y + rank / l.cluster.x % l.cluster.y,
                      z = cluster / across / down * l.cluster.z + rank / l.cluster.x / l.cluster.y;
  return (z * l.grid.y + y) * l.grid.x + x;
}

/// The blocks of one cluster are resident together, and those of the next one after them. all: all clusters
/// together
Workers run_clusters(LaunchState &state, std::uint64_t blocks, bool all) {
  const std::uint32_t size = state.launch.cluster.x * state.launch.cluster.y * state.launch.cluster.z;
  const std::uint64_t clusters = blocks / size, at_once = all ? clusters : 1;
  Workers workers = make_residents(state, at_once * size);
  std::vector<Cluster> there(at_once);
  for (std::uint64_t i = 0; i < workers.size(); ++i) {
    there[i / size].blocks.push_back(workers[i].get());
    workers[i]->cluster.join(there[i / size], static_cast<std::uint32_t>(i % size));
  }
  const std::vector<std::uint64_t> order = shuffled(workers.size(), state.options.schedule_seed);
  for (std::uint64_t first = 0; first < clusters && state.first_failure != 0; first += at_once) {
    for (Cluster &one : there) one.begin();
    std::vector<Resident> residents;
    for (std::uint64_t i = 0; i < workers.size(); ++i) {
      const std::uint64_t k = order.empty() ? i : order[i];
      residents.push_back({workers[k].get(), block_in_cluster(state.launch, first + k / size,
                                                              static_cast<std::uint32_t>(k % size))});
    }
    run_residents(state, std::move(residents));
  }
  return workers;
}

/// How many warps compute the same elements is known once all have run.
void count_warps(std::vector<Diagnostic> &diagnostics, const Dim3 &block) {
  const std::uint32_t of_block = (block.x * block.y * block.z + 31) / 32;
  for (Diagnostic &one : diagnostics)
    if (one.cure == Cure::same_element && std::popcount(one.warps) > 2)
      one.message += "; " + same_element_words(one.warps, of_block);
}

/// What came after an access that was dropped may follow from it.
void mark_consequences(std::vector<Diagnostic> &diagnostics) {
  bool after = false;
  for (Diagnostic &one : diagnostics) {
    const bool bad_access = one.code == Code::out_of_bounds || one.code == Code::misaligned ||
                            one.code == Code::use_after_free || one.code == Code::peer_access;
    one.consequence = after && one.code != Code::local_memory;
    after = after || bad_access;
  }
}

/// Numbers the accesses of a kernel's text that left cells.
std::function<std::uint32_t(std::uint64_t)> source_numbers(const LaunchState &state,
                                                           std::vector<AccessSource> &to) {
  if (!state.launch.keeps_sources) return {};
  auto numbers = std::make_shared<std::vector<std::uint32_t>>(state.program->sites.size());
  return [&program = *state.program, &to, numbers](std::uint64_t cell) {
    const std::uint64_t at = cell >> 12 & cell_sites;
    if (at < numbers->size() && (*numbers)[at] == 0) {
      const Site &site = program.sites[at];
      to.push_back({ptx::source_line(*program.module, site.location), site.scope == Scope::system});
      (*numbers)[at] = static_cast<std::uint32_t>(to.size());
    }
    return at < numbers->size() ? (*numbers)[at] : 0;
  };
}

/// A few blocks that wait for each other are all resident together, as on hardware.
bool wait_together(const LaunchState &state) {
  const Dim3 grid = state.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  return state.program->waits_for_blocks && blocks > 1 && blocks <= most_waiting_blocks &&
         blocks * bytes_of_block(state) <= most_bytes_of_waiting;
}

LaunchResult run_once(LaunchState &state) {
  LaunchResult result;
  const Dim3 grid = state.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  // If the order of blocks may affect the result, they run in order, even if races are not
  // checked.
  const bool watches = state.options.check_races;
  // A block may wait for an earlier one: it then has no other legal order here, unless all are resident.
  const bool wait = wait_together(state);
  if (state.options.shuffle_blocks && (wait || !state.program->waits_for_blocks))
    state.order = shuffled(blocks, state.options.schedule_seed);
  else if (const auto first = state.options.block_first;
           first && *first < blocks && (wait || !state.program->waits_for_blocks))
    state.order = with_first(blocks, *first);
  const std::vector<std::uint64_t> &only = state.options.only_blocks;
  if (!only.empty()) {
    for (const std::uint64_t block : only)
      if (block < blocks) state.order.push_back(block);
    if (state.order.empty()) return result;
  }
  const bool in_order = !state.order.empty() || state.program->order_matters || state.program->tracks_order ||
                        !watches || state.program->writes_anything;
  std::uint64_t cells = 0;
  if (watches) state.written = written_by(state, cells, state.knows_written);
  if (watches && state.program->writes_anything) add_writable(state, state.written, cells);
  if (watches && state.launch.keeps_footprint) add_read(state, state.written, cells);
  std::uint64_t count =
      in_order || !state.knows_written ? 1 : static_cast<std::uint64_t>(std::max(state.options.threads, 1));
  count = std::min(
      {count, blocks, std::max<std::uint64_t>(most_cells_of_launch / std::max(cells, std::uint64_t{1}), 1)});
  const bool together =
      wait || (state.launch.cooperative && (state.program->waits_for_grid || state.program->order_matters));
  const bool clusters = state.program->uses_clusters;
  if (!only.empty() &&
      (together || clusters || state.program->waits_for_blocks || state.program->waits_for_grid)) {
    Diagnostic made;
    made.code = Code::unsupported;
    made.kernel = state.program->demangled;
    made.message = "the blocks of this kernel wait for each other, so none of them can be run alone";
    result.status = Status::unsupported;
    result.diagnostics.push_back(std::move(made));
    return result;
  }
  const Workers workers = clusters         ? run_clusters(state, blocks, together)
                          : together       ? run_together(state, blocks)
                          : state.in_turns ? run_in_turns(state, blocks)
                                           : run_blocks(state, count);
  const BlockRun::FoundFault *fault = first_fault(workers);
  const std::uint64_t last = fault && !state.together ? fault->block : UINT64_MAX;
  std::vector<const Findings *> findings;
  for (const auto &worker : workers) findings.push_back(&worker->findings);
  result.diagnostics = Findings::gather(findings, last);
  count_warps(result.diagnostics, state.launch.block);
  tell_syncwarps_once(result.diagnostics);
  result.printed = gather_output(workers, last, state.options.printf_bytes);
  if (fault) {
    result.status = fault->fault.status;
    result.diagnostics.push_back(fault->fault.diagnostic);
    if (state.is_interrupted() || state.endless)
      result.diagnostics.back().message += where_warps_stand(workers);
  } else if (state.went_on.load()) {
    result.status = Status::fault;
  } else {
    result.warp_instructions = state.instructions.load();
    if (state.options.count) result.counters = count_all(workers);
    if (state.options.sample_lanes) {
      std::vector<const std::vector<LaneSample> *> samples;
      for (const auto &worker : workers) samples.push_back(&worker->samples);
      result.samples = gather_samples(samples, grid);
    }
    if (state.options.keep_path) {
      result.path = path_of(*state.program, std::move(workers.front()->path));
      result.path.loads = workers.front()->reuse.take();
    }
    if (state.options.keep_branches) result.branches = gather_branches(workers);
    if (state.options.keep_touched) {
      result.touched = workers.front()->tally().take_touched();
      result.first_touches = workers.front()->first_touches.take();
    }
    note_local_memory(state, result);
  }
  for (const auto &worker : workers)  // at most one of them ran that block
    if (!worker->trace.empty()) result.trace = std::move(worker->trace);
  if (watches && state.launch.keeps_footprint) {
    const std::size_t own = state.shadow ? 1 : workers.size();  // blocks that take turns share one shadow
    const auto source = source_numbers(state, result.sources);
    for (std::size_t i = 0; i < own; ++i)
      add_footprint(workers[i]->all_watched(), state.program->global_shift, result.footprint, source);
    settle_footprint(result.footprint);
  }
  for (const bool at_tail : {false, true})
    for (Child &child : state.children.started)
      if (child.at_tail == at_tail) result.children.push_back(std::move(child));
  result.conditions = std::move(state.conditions);
  if (state.went_on.load()) mark_consequences(result.diagnostics);
  state.memory->settle();
  return result;
}

bool has_findings(const LaunchResult &result) {
  return result.status != Status::completed ||
         std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                     [](const Diagnostic &one) { return one.severity != Severity::info; });
}

constexpr std::uint64_t most_instructions_backwards = 1'000'000, most_blocks_backwards = 1 << 16;
constexpr std::uint64_t most_instructions_in_turns = 100'000;  // blocks that take turns are slower
constexpr std::uint64_t most_bytes_backwards = std::uint64_t{32} << 20;

/// What a launch may write, if it is worth a second run: where blocks communicate, the order in which they
/// run hides races.
std::optional<std::vector<Allocation *>> memory_for_second_run(const LaunchState &state) {
  const Options &o = state.options;
  const Program &program = *state.program;
  const Dim3 grid = state.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::uint64_t threads =
      std::uint64_t{state.launch.block.x} * state.launch.block.y * state.launch.block.z;
  const bool blocks_talk = program.tracks_order && blocks > 1;
  const bool warps_talk = (program.tracks_order || program.orders_warps) && threads > 32;
  if (!state.tries_backwards || !o.check_races || !(blocks_talk || warps_talk) ||
      blocks > most_blocks_backwards)
    return std::nullopt;
  if ((program.waits_for_blocks && !wait_together(state)) || program.waits_for_grid ||
      program.uses_clusters || state.launch.cooperative)
    return std::nullopt;
  if (o.schedule_seed != 0 || o.shuffle_blocks || o.warp_first || o.block_first || o.sample_lanes ||
      o.trace || o.keep_path || !o.only_blocks.empty())
    return std::nullopt;
  for (const BuiltinCall &call : program.builtins)  // these change more than memory
    if (call.kind != BuiltinCall::Kind::vprintf && call.kind != BuiltinCall::Kind::assertfail)
      return std::nullopt;
  std::uint64_t cells = 0, bytes = 0;
  bool all = true;
  std::vector<Allocation *> memory = written_by(state, cells, all);
  if (!all || program.writes_anything || !program.textures.empty()) memory = state.memory->writable();
  for (const Allocation *one : memory) {
    if (!one->data.get_deleter().owned) return std::nullopt;  // the host may access it
    bytes += one->bytes;
  }
  if (bytes > most_bytes_backwards) return std::nullopt;
  return memory;
}

/// Runs the launch once more, and adds the races that it shows. how: what the report says of the order
void run_in_other_order(LaunchState &state, const std::vector<Allocation *> &memory, const Snapshot &before,
                        LaunchResult &result, const std::string &how) {
  const Snapshot after = take_snapshot(memory);
  before.restore();
  start_over(state);
  state.options.instruction_budget =
      std::min(state.options.instruction_budget, 4 * result.warp_instructions + most_instructions_backwards);
  state.options.count = state.options.keep_touched = state.options.keep_branches = false;
  LaunchResult other = run_once(state);
  after.restore();
  for (Diagnostic &one : other.diagnostics) {
    if (!is_about_order(one.code) || one.severity == Severity::info) continue;
    one.message += "; found by a second run, " + how;
    result.diagnostics.push_back(std::move(one));
  }
}

/// Runs a launch whose blocks or warps communicate in other orders, until one shows a race: with the blocks, and the warps
/// of each, in descending order, and with blocks that take turns, since one that runs alone may do the work of all.
void run_in_other_orders(LaunchState &state, const std::vector<Allocation *> &memory, const Snapshot &before,
                         LaunchResult &result) {
  const Dim3 grid = state.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const bool took_turns = state.together;
  state.order.resize(blocks);
  std::iota(state.order.rbegin(), state.order.rend(), std::uint64_t{0});
  state.warps_backwards = true;
  run_in_other_order(
      state, memory, before, result,
      blocks > 1 ? "with the blocks in descending order" : "with the warps in descending order");
  if (has_findings(result) || took_turns || blocks == 1 || !state.program->tracks_order ||
      result.warp_instructions > most_instructions_in_turns)
    return;
  state.order.clear();
  state.warps_backwards = false;
  state.in_turns = true;
  run_in_other_order(state, memory, before, result, "in which the blocks take turns");
  state.in_turns = has_findings(result);
}

}  // namespace

LaunchResult run_again(LaunchState &state) {
  start_over(state);
  return run_once(state);
}

LaunchResult run_launch(LaunchState &state) {
  const std::uint64_t first_seed = state.options.schedule_seed;
  if (state.options.schedules <= 1) {
    const auto memory = memory_for_second_run(state);
    const Snapshot before = memory ? take_snapshot(*memory) : Snapshot{};
    LaunchResult result = run_once(state);
    if (memory && !has_findings(result) && result.warp_instructions <= most_instructions_backwards)
      run_in_other_orders(state, *memory, before, result);
    result.schedule_seed = first_seed;
    return result;
  }
  state.options.shuffle_blocks = true;
  std::vector<Allocation *> all = state.memory->writable();
  const Snapshot before = take_snapshot(all);
  LaunchResult result = run_once(state);
  result.schedule_seed = first_seed;
  if (has_findings(result)) return result;
  const Snapshot after = take_snapshot(all);
  for (std::uint32_t tried = 1; tried < state.options.schedules; ++tried) {
    before.restore();
    start_over(state);
    state.order.clear();
    state.options.schedule_seed = first_seed + tried;
    LaunchResult other = run_once(state);
    result.schedules = tried + 1;
    if (!has_findings(other)) continue;
    result.diagnostics = std::move(other.diagnostics);
    result.status = other.status;
    result.schedule_seed = first_seed + tried;
    break;
  }
  after.restore();
  return result;
}

}  // namespace warpgrade::simt
