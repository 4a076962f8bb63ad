#include "simulate/simulator_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/json_fields.hpp"
#include "counters/counters_json.hpp"
#include "plan/codec.hpp"
#include "trace/recording_json.hpp"

namespace warpgrade::run {

/// The part of an answer about one run that is JSON; the buffers follow as bytes.
struct Facts {
  End end = End::our_failure;
  std::string message;
  std::vector<simt::Diagnostic> diagnostics;
  std::vector<Unordered> unordered;
  std::string printed;
  std::optional<simt::Counters> counters;
  std::vector<std::uint64_t> launch_flops;
  std::vector<simt::LaneSample> samples;
  std::vector<simt::TracedRequest> trace;
  std::vector<SampledLaunch> sampled;
  std::optional<simt::Recording> recording;
  std::vector<simt::BranchCount> branches;
  std::vector<Moved> moved;
};

}  // namespace warpgrade::run

namespace warpgrade::json {

inline std::string_view name_of_code(simt::Code code) {
  return simt::name_of(code);
}
inline std::string_view name_of_severity(simt::Severity severity) {
  return simt::name_of(severity);
}
inline std::string_view name_of_cure(simt::Cure cure) {
  return simt::name_of(cure);
}
inline std::string_view name_of_end(run::End end) {
  constexpr std::string_view names[] = {"completed",  "fault",       "launch_error", "device_error",
                                        "time_limit", "unsupported", "our_failure"};
  return names[static_cast<std::size_t>(end)];
}
template <class Enum, Enum last, std::string_view (*name)(Enum)>
std::optional<Enum> named(std::string_view wanted) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name(static_cast<Enum>(i)) == wanted) return static_cast<Enum>(i);
  return std::nullopt;
}
template <>
struct Codec<simt::Code>
    : NamedEnum<simt::Code, name_of_code, named<simt::Code, simt::Code::local_memory, name_of_code>> {};
template <>
struct Codec<simt::Severity> : NamedEnum<simt::Severity, name_of_severity,
                                         named<simt::Severity, simt::Severity::error, name_of_severity>> {};
template <>
struct Codec<simt::Cure>
    : NamedEnum<simt::Cure, name_of_cure, named<simt::Cure, simt::Cure::both_atomic, name_of_cure>> {};
template <>
struct Codec<run::End>
    : NamedEnum<run::End, name_of_end, named<run::End, run::End::our_failure, name_of_end>> {};

}  // namespace warpgrade::json

namespace warpgrade::simt {
WARPGRADE_FIELDS(Side, thread, block, at)
WARPGRADE_FIELDS(Diagnostic, code, severity, kernel, here, other, message, buffer, distance_bytes,
                 consequence, cure, warps, count)
WARPGRADE_FIELDS_BEYOND(TracedRequest, LaneSample, phase)
WARPGRADE_FIELDS(PathBlock, first_line, last_line)
WARPGRADE_FIELDS(Reuse, first, again)
WARPGRADE_FIELDS(LineLoads, line, bytes, buffer, sectors, requests, lines)
WARPGRADE_FIELDS(Path, blocks, steps, cut, loads)
}  // namespace warpgrade::simt

namespace warpgrade::links {
WARPGRADE_FIELDS(Transfer, from, to, bytes, messages, at)
WARPGRADE_FIELDS(CodePlace, file, at)
WARPGRADE_FIELDS(Operation, device, kernel, what, stream, warp_instructions, device_bytes, transfers, after,
                 callers)
}  // namespace warpgrade::links

namespace warpgrade::run {

WARPGRADE_FIELDS(Moved, operation, moves)
WARPGRADE_FIELDS(SampledBlock, block, stands_for, counters)
WARPGRADE_FIELDS(SharedSectors, buffer, one, along_x, along_y, square)
WARPGRADE_FIELDS(SampledLaunch, kernel, grid, block, dynamic_shared_bytes, blocks, exact, spread, sectors,
                 path, loaded_before)
WARPGRADE_FIELDS(Unordered, diagnostic, earlier, later)
WARPGRADE_FIELDS(Facts, end, message, diagnostics, unordered, printed, counters, launch_flops, samples, trace,
                 sampled, recording, branches, moved)

namespace {

// An honest kernel's facts are some kilobytes; one with thousands of memory instructions has megabytes.
constexpr std::size_t longest_facts = 32 << 20, longest_traced_facts = 128 << 20;
constexpr int deepest_facts = 12;
constexpr std::size_t most_branches = 1 << 16;
constexpr std::size_t most_launches = 1 << 20, most_diagnostics = 10'000, longest_text = 4096;
constexpr std::int64_t furthest_offset = std::int64_t{1} << 48;
constexpr std::uint32_t widest_access = 128;

std::size_t longest_facts_of(const SimulateOptions &options) {
  return options.trace || options.sample_blocks ? longest_traced_facts : longest_facts;
}

void put_flag(Writer &to, bool flag) {
  to.put<std::uint8_t>(flag ? 1 : 0);
}
bool get_flag(Reader &from) {
  return from.get<std::uint8_t>() != 0;
}

void put(Writer &to, const SimulateOptions &o) {
  to.put(o.warp_instructions);
  to.put<std::uint64_t>(o.printed_bytes);
  to.put(o.scratch_bytes);
  to.put<std::int32_t>(o.threads);
  to.put(o.alone_until);
  to.put(o.schedule_seed);
  put_flag(to, o.warp_first.has_value());
  to.put<std::uint32_t>(o.warp_first.value_or(0));
  put_flag(to, o.block_first.has_value());
  to.put<std::uint64_t>(o.block_first.value_or(0));
  put_flag(to, o.count);
  put_flag(to, o.sample_lanes);
  put_flag(to, o.trace.has_value());
  to.put<std::uint64_t>(o.trace ? o.trace->block : 0);
  to.put<std::uint64_t>(o.trace ? o.trace->most : 0);
  to.put_string(o.record ? json::write(*o.record).dump() : "");
  put_flag(to, o.sample_blocks);
  put_flag(to, o.far_end);
  put_flag(to, o.branches);
  to.put(o.first_call);
}

SimulateOptions get_options(Reader &from) {
  SimulateOptions o;
  o.warp_instructions = from.get<std::uint64_t>();
  o.printed_bytes = from.get<std::uint64_t>();
  o.scratch_bytes = from.get<std::uint64_t>();
  o.threads = from.get<std::int32_t>();
  o.alone_until = from.get<std::uint64_t>();
  o.schedule_seed = from.get<std::uint64_t>();
  const bool of_warps = get_flag(from);
  const auto warp = from.get<std::uint32_t>();
  if (of_warps) o.warp_first = warp;
  const bool of_blocks = get_flag(from);
  const auto block = from.get<std::uint64_t>();
  if (of_blocks) o.block_first = block;
  o.count = get_flag(from);
  o.sample_lanes = get_flag(from);
  const bool traced = get_flag(from);
  simt::TraceOptions trace;
  trace.block = from.get<std::uint64_t>();
  trace.most = from.get<std::uint64_t>();
  if (traced) o.trace = trace;
  if (const std::string record = from.get_string(); !record.empty())
    o.record = json::read<simt::RecordOptions>(json::Json::parse(record));
  o.sample_blocks = get_flag(from);
  o.far_end = get_flag(from);
  o.branches = get_flag(from);
  o.first_call = from.get<std::uint64_t>();
  return o;
}

HostBuffer get_buffer(Reader &from) {
  HostBuffer buffer;
  buffer.name = from.get_string();
  buffer.role = from.get<std::uint8_t>() == 0 ? Role::input : Role::in_out;
  buffer.element_bytes = from.get<std::uint64_t>();
  buffer.bytes = from.copy_bytes();
  return buffer;
}

void require(bool holds, const char *what) {
  if (!holds) throw BadAnswer(what);
}

Facts facts_of(const std::string &text) {
  const auto shallow = [](int depth, json::Json::parse_event_t, json::Json &) {
    require(depth <= deepest_facts, "it is nested too deeply");
    return true;
  };
  try {
    return json::read<Facts>(json::Json::parse(text, shallow));
  } catch (const json::Json::exception &e) {
    throw BadAnswer(e.what());
  }
}

void cut(std::string &text) {
  if (text.size() > longest_text) text.resize(longest_text);
}

/// Values that drawing and explaining lanes computes with. `inside`: an access before its buffer would have ended the run.
void check(const simt::LaneSample &s, bool inside) {
  require(s.bytes <= widest_access, "an access is too wide");
  const std::int64_t least = inside ? -1 : -furthest_offset;
  require(std::all_of(s.offsets.begin(), s.offsets.end(),
                      [&](std::int64_t o) { return o >= least && o < furthest_offset; }),
          "an access is too far away");
  require(s.written.size() <= simt::LaneSample::most_written, "a copy has too many pieces");
  require(s.across <= simt::LaneSample::most_written, "a row of a copy is too long");
  require(std::all_of(s.written.begin(), s.written.end(),
                      [](std::int64_t o) { return o >= -1 && o < furthest_offset; }),
          "a copy goes too far away");
}

/// Values that a prediction computes with.
void check(const SampledLaunch &launch) {
  require(!launch.blocks.empty(), "a launch has no blocks");
  const std::uint64_t grid = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  std::uint64_t left = grid;
  for (const SampledBlock &block : launch.blocks) {
    require(block.stands_for <= left, "its blocks stand for more than the grid");
    left -= block.stands_for;
  }
  require(grid > 0 && left == 0, "its blocks do not stand for the grid");
  require(std::isfinite(launch.spread) && launch.spread >= 0,
          "a spread is not a finite number of at least 0");
  require(launch.path.steps.size() <= simt::Path::most, "a path is too long");
  require(launch.path.loads.size() <= simt::Path::most, "a path loads from too many lines");
  require(launch.loaded_before >= 0 && launch.loaded_before <= 1, "no share of loads");
  require(std::all_of(launch.path.steps.begin(), launch.path.steps.end(),
                      [&](std::uint32_t step) { return step < launch.path.blocks.size(); }),
          "a path leads nowhere");
}

/// What names its elements and draws it computes with these.
void check(simt::Recording &r, const simt::RecordOptions &options) {
  if (const char *flaw = simt::flaw_of(r, options.most)) throw BadAnswer(flaw);
  for (std::string *text : {&r.kernel, &r.why_not}) cut(*text);
  for (simt::RecordedObject &o : r.objects) cut(o.name);
  for (std::string &path : r.paths) cut(path);
  for (simt::SourceLine &l : r.lines) cut(l.file);
  for (simt::RecordedEvent &e : r.events) cut(e.text);
}

/// Values that predicted times are computed with. `before`: how many operations there are before it.
void check(links::Operation &o, std::size_t before) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;
  const auto place = [](int at) { return at >= links::host && at < int{plan::most_devices}; };
  require(o.device >= 0 && place(o.device), "an operation is on no device");
  require(o.device_bytes <= most_bytes, "an operation moves too much");
  require(std::all_of(o.after.begin(), o.after.end(), [&](std::size_t one) { return one < before; }),
          "an operation follows one after it");
  for (std::string *text : {&o.what, &o.stream}) cut(*text);
  for (links::Transfer &t : o.transfers) {
    require(place(t.from) && place(t.to) && t.from != t.to, "a transfer leads nowhere");
    require(t.bytes <= most_bytes, "a transfer is too large");
    cut(t.at.file);
  }
}

Run run_of(Facts facts, const SimulateOptions &options) {
  require(facts.end != End::our_failure, "it has no end");
  require(facts.diagnostics.size() <= most_diagnostics, "it has too many findings");
  require(facts.unordered.size() <= 16, "it has too many findings about order");
  for (const Unordered &one : facts.unordered)
    require(one.diagnostic < facts.diagnostics.size(), "it has a finding too few");
  require(facts.launch_flops.size() <= most_launches, "it has too many launches");
  require(facts.printed.size() <= options.printed_bytes, "it prints too much");
  require(options.count || !facts.counters, "nothing was to be counted");
  require(!options.count || facts.counters || facts.end != End::completed, "nothing was counted");
  require(options.sample_lanes || options.sample_blocks || facts.samples.empty(), "no lanes were requested");
  require(facts.trace.size() <= (options.trace ? options.trace->most : 0), "no trace was requested");
  const bool inside = facts.end == End::completed || !options.trace;
  for (const simt::LaneSample &s : facts.samples) check(s, inside);
  for (const simt::TracedRequest &t : facts.trace) check(t, inside);
  require(facts.sampled.size() <= (options.sample_blocks ? most_launches : 0), "no blocks were requested");
  for (const SampledLaunch &launch : facts.sampled) check(launch);
  require(options.record || !facts.recording, "no recording was requested");
  require(facts.branches.size() <= (options.branches ? most_branches : 0), "it has too many branches");
  if (facts.recording) check(*facts.recording, *options.record);
  require(facts.moved.size() <= (options.count ? most_launches : 0), "nothing was to be counted that moves");
  for (std::size_t i = 0; i < facts.moved.size(); ++i) check(facts.moved[i].moves, i);
  Run run;
  run.end = facts.end;
  run.message = std::move(facts.message);
  cut(run.message);
  run.diagnostics = std::move(facts.diagnostics);
  for (simt::Diagnostic &d : run.diagnostics)
    for (std::string *text : {&d.kernel, &d.message, &d.buffer, &d.here.at.file}) cut(*text);
  run.unordered = std::move(facts.unordered);
  run.printed = std::move(facts.printed);
  run.counters = std::move(facts.counters);
  run.launch_flops = std::move(facts.launch_flops);
  run.samples = std::move(facts.samples);
  run.trace = std::move(facts.trace);
  run.sampled = std::move(facts.sampled);
  run.recording = std::move(facts.recording);
  run.branches = std::move(facts.branches);
  run.moved = std::move(facts.moved);
  return run;
}

}  // namespace

std::vector<std::byte> encode(const SimulateOptions &options, const CodeChanges &changes,
                              const plan::LaunchPlan &plan,
                              const std::vector<std::vector<HostBuffer>> &inputs) {
  Writer to;
  put(to, options);
  put_flag(to, changes.disturb_shared_loads);
  to.put<std::uint64_t>(changes.left_out.size());
  for (const ptx::Place &place : changes.left_out) {
    to.put<std::uint64_t>(place.function);
    to.put<std::uint64_t>(place.instruction);
  }
  plan::encode(to, plan);
  to.put<std::uint64_t>(inputs.size());
  for (const std::vector<HostBuffer> &set : inputs) {
    to.put<std::uint64_t>(set.size());
    for (const HostBuffer &buffer : set) {
      to.put_string(buffer.name);
      to.put(buffer.role);
      to.put(buffer.element_bytes);
      to.put_bytes(buffer.bytes);
    }
  }
  return to.bytes();
}

SimulatorRequest decode_simulator_request(std::span<const std::byte> bytes) {
  Reader from(bytes);
  SimulatorRequest request;
  request.options = get_options(from);
  request.changes.disturb_shared_loads = get_flag(from);
  request.changes.left_out.resize(from.get_count(16));
  for (ptx::Place &place : request.changes.left_out) {
    place.function = from.get<std::uint64_t>();
    place.instruction = from.get<std::uint64_t>();
  }
  request.plan = plan::decode_plan(from);
  request.inputs.resize(from.get_count(8));
  for (std::vector<HostBuffer> &set : request.inputs) {
    const std::uint64_t buffers = from.get_count(25);
    for (std::uint64_t b = 0; b < buffers; ++b) set.push_back(get_buffer(from));
  }
  return request;
}

std::vector<std::byte> encode(const std::vector<Run> &runs,
                              const std::vector<std::vector<HostBuffer>> &inputs,
                              const SimulateOptions &options) {
  Writer to;
  to.put<std::uint64_t>(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run &run = runs[r];
    std::string text = json::write(Facts{run.end, run.message, run.diagnostics, run.unordered, run.printed,
                                         run.counters, run.launch_flops, run.samples, run.trace, run.sampled,
                                         run.recording, run.branches, run.moved})
                           .dump();
    std::size_t buffers = run.buffers.size();
    if (text.size() > longest_facts_of(options)) {
      Facts too_long;
      too_long.end = End::device_error;
      too_long.message = "the kernel has too many memory instructions to report on";
      text = json::write(too_long).dump();
      buffers = 0;
    }
    to.put_string(text);
    to.put<std::uint64_t>(buffers);
    for (std::size_t b = 0; b < buffers; ++b) {
      const bool changed = run.buffers[b].bytes != inputs.at(r).at(b).bytes;
      put_flag(to, changed);
      if (changed) to.put_bytes(run.buffers[b].bytes);
    }
  }
  return to.bytes();
}

std::vector<Run> decode_simulator_answer(std::span<const std::byte> bytes,
                                         const std::vector<std::vector<HostBuffer>> &inputs,
                                         const SimulateOptions &options) try {
  Reader from(bytes);
  const std::uint64_t count = from.get_count(16);
  require(count > 0 && count <= inputs.size(), "it has another number of runs");
  std::vector<Run> runs;
  for (std::uint64_t r = 0; r < count; ++r) {
    require(runs.empty() || runs.back().end == End::completed, "it goes on after a run that did not end");
    const std::string text = from.get_string();
    require(text.size() <= longest_facts_of(options), "it is too long");
    runs.push_back(run_of(facts_of(text), options));
    const bool completed = runs.back().end == End::completed;
    require(from.get<std::uint64_t>() == (completed ? inputs[r].size() : 0), "it has other buffers");
    for (std::size_t b = 0; completed && b < inputs[r].size(); ++b) {
      HostBuffer buffer = inputs[r][b];
      if (get_flag(from)) {
        const auto got = from.get_bytes();
        require(got.size() == buffer.bytes.size(), "a buffer has another size");
        buffer.bytes.assign(got.begin(), got.end());
      }
      runs.back().buffers.push_back(std::move(buffer));
    }
  }
  require(from.at_end(), "it is longer than it says");
  require(count == inputs.size() || runs.back().end != End::completed, "it ends early");
  return runs;
} catch (const WireError &e) {
  throw BadAnswer(e.what());
}

std::uint64_t longest_answer(const std::vector<std::vector<HostBuffer>> &inputs,
                             const SimulateOptions &options) {
  std::uint64_t bytes = 8;
  for (const std::vector<HostBuffer> &set : inputs) {
    bytes += longest_facts_of(options) + 16;
    for (const HostBuffer &buffer : set) bytes += buffer.bytes.size() + 9;
  }
  return bytes;
}

}  // namespace warpgrade::run
