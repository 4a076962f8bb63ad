// When a launch is run again for Options::record, and which of its warps are recorded then.
#include <algorithm>

#include "machine/launch.hpp"
#include "machine/recorder.hpp"
#include "trace/leading.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t most_bytes_to_restore = std::uint64_t{256} << 20;
constexpr std::size_t most_recorded_warps = 4;
constexpr std::uint64_t enough_of_endless = 1'000'000;  // warp instructions
constexpr std::uint64_t many_blocks = 64;               // of which the recorded ones are tried alone

std::uint64_t number_of(Dim3 block, Dim3 grid) {
  return (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
}

WarpPlace place_in(const LaunchState &state, const Side &side) {
  const Dim3 block = state.launch.block;
  return {number_of(side.block, state.launch.grid),
          ((side.thread.z * block.y + side.thread.y) * block.x + side.thread.x) / 32};
}

/// Why the launch cannot be run twice; empty if it can.
std::string obstacle(const LaunchState &state, const std::vector<Allocation *> &memory) {
  for (const BuiltinCall &call : state.program->builtins)  // these change more than memory
    if (call.kind != BuiltinCall::Kind::vprintf && call.kind != BuiltinCall::Kind::assertfail)
      return "the kernel calls " + call.name + ", which cannot be repeated";
  std::uint64_t bytes = 0;
  for (const Allocation *one : memory) bytes += one->bytes;
  return bytes > most_bytes_to_restore ? "the program has more memory than can be put back for a second run"
                                       : "";
}

std::vector<WarpPlace> choose(const LaunchState &state, const RecordOptions &how, const LaunchResult &result,
                              const WordWriter &writer) {
  std::vector<WarpPlace> chosen = how.warps;
  const Diagnostic *found = leading(result.diagnostics);
  if (chosen.empty() && how.findings && found) {
    chosen.push_back(place_in(state, found->here));
    if (found->other && !(place_in(state, *found->other) == chosen.front()))
      chosen.push_back(place_in(state, *found->other));
  } else if (chosen.empty() && writer.distance != UINT64_MAX) {
    chosen.push_back(writer.place);
  }
  if (chosen.empty() && how.any && !found) chosen.push_back({});
  if (chosen.size() > most_recorded_warps) chosen.resize(most_recorded_warps);
  return chosen;
}

/// From the memory that the caller has put back.
Recording record(LaunchState &state, const std::vector<WarpPlace> &warps, const Diagnostic *found) {
  Recorder recorder(state, state.plain, warps, state.options.record->most);
  if (found) recorder.wait_for(*found);
  state.recorder = &recorder;
  run_again(state);
  state.recorder = nullptr;
  return recorder.take();
}

/// The blocks of these warps alone, in order; where the others are not needed to see the same.
std::vector<std::uint64_t> alone(const LaunchState &state, const std::vector<WarpPlace> &warps) {
  const Program &program = *state.program;
  const Dim3 grid = state.launch.grid;
  std::vector<std::uint64_t> blocks;
  if (std::uint64_t{grid.x} * grid.y * grid.z <= many_blocks || program.order_matters ||
      program.tracks_order || program.waits_for_blocks || program.waits_for_grid || program.uses_clusters ||
      state.launch.cooperative || state.warps_backwards || !state.options.only_blocks.empty())
    return blocks;
  for (const WarpPlace &w : warps) blocks.push_back(w.block);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

/// The options of the run that found what was found.
void set_options(LaunchState &state, const LaunchResult &result) {
  Options &o = state.options;
  o.count = o.keep_touched = o.keep_path = o.sample_lanes = false;
  o.trace.reset();
  o.threads = 1;
  // A loop without an end looks alike from early on.
  const Diagnostic *found = leading(result.diagnostics);
  if (found && found->code == Code::time_limit)
    o.instruction_budget = std::min(o.instruction_budget, enough_of_endless);
  o.schedule_seed = result.schedule_seed;
  if (!state.warps_backwards || !found) {
    state.warps_backwards = false;
    state.order.clear();
  }
}

}  // namespace

LaunchResult run_recorded(LaunchState &state) {
  const RecordOptions how = *state.options.record;
  const std::vector<Allocation *> memory = state.memory->writable();
  if (const std::string why = obstacle(state, memory); !why.empty()) {
    LaunchResult result = run_launch(state);
    result.recording.emplace().why_not = why;
    return result;
  }
  const Snapshot before = take_snapshot(memory);
  state.plain = state.program;
  WordWriter writer;
  const auto at = how.word
                      ? std::find_if(memory.begin(), memory.end(),
                                     [&](const Allocation *one) { return one->name == how.word->buffer; })
                      : memory.end();
  if (at != memory.end()) {
    writer.begin = (*at)->begin + how.word->offset;
    writer.end = writer.begin + how.word->bytes;
    state.writer = &writer;
    state.program = with_writer(*state.plain);
    state.options.threads = 1;
  }
  LaunchResult result = run_launch(state);
  const std::vector<WarpPlace> warps = choose(state, how, result, writer);
  if (warps.empty()) return result;
  const Snapshot after = take_snapshot(memory);
  before.restore();
  set_options(state, result);
  state.program = with_recording(*state.plain);
  const Diagnostic *awaited = how.findings && how.warps.empty() ? leading(result.diagnostics) : nullptr;
  Recording made;
  bool whole = true;
  if (const std::vector<std::uint64_t> blocks = alone(state, warps); !blocks.empty()) {
    state.options.only_blocks = blocks;
    made = record(state, warps, awaited);
    const bool seen = std::any_of(made.events.begin(), made.events.end(), [](const RecordedEvent &e) {
      return e.kind == RecordedEvent::Kind::finding;
    });
    whole = awaited && !seen;
    state.options.only_blocks.clear();
    state.order.clear();
    if (whole) before.restore();
  }
  if (whole) made = record(state, warps, awaited);
  after.restore();
  if (how.word && how.warps.empty() && !leading(result.diagnostics)) {
    made.lane = writer.lane;
    made.nearest = writer.distance != 0;
  }
  result.recording = std::move(made);
  return result;
}

}  // namespace warpgrade::simt
