#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "machine/device.hpp"
#include "simulate/plan_order.hpp"
#include "simulate/sample.hpp"
#include "streams/traffic.hpp"

namespace warpgrade::run {

namespace {

using streams::ranges_of;

simt::Dim3 dim(const plan::Dim3 &d) {
  return {d.x, d.y, d.z};
}

constexpr std::size_t most_unordered = 16;  // findings about order: the first ones say what is wrong

/// "tile<2>" for "void (anonymous namespace)::tile<2>(float*, int)"
std::string without_parameters(std::string kernel) {
  constexpr std::string_view nameless = "(anonymous namespace)::", result = "void ";
  for (std::size_t at; (at = kernel.find(nameless)) != std::string::npos;) kernel.erase(at, nameless.size());
  if (kernel.starts_with(result)) kernel.erase(0, result.size());
  int open = 0;
  for (std::size_t end = kernel.ends_with(')') ? kernel.size() : 0; end > 0;) {
    open += (kernel[end - 1] == ')') - (kernel[end - 1] == '(');
    if (--end; open == 0) return kernel.substr(0, end);
  }
  return kernel;
}

/// Ends the replay with a result that is already known.
struct Ended {
  End end;
  std::string message;
};

class Replay {
 public:
  Replay(const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
         const SimulateOptions &options)
      : plan_(plan), code_(code), budget_(options.warp_instructions), options_(options) {
    devices_.emplace_back(device_options(options));
    for (const plan::DeviceStream &stream : plan.streams)
      while (devices_.size() <= stream.device)
        devices_.emplace_back(device_options(options), devices_.front(),
                              static_cast<std::uint8_t>(devices_.size()));
    for (simt::Device &device : devices_) {
      device.load(code);
      for (std::size_t other = 0; other < devices_.size(); ++other)
        device.reach(static_cast<std::uint8_t>(other), &devices_[other] == &device);
    }
    addresses_.resize(plan.buffers.size());
    if (!plan.streams.empty() && !options.sample_blocks && !options.far_end)
      order_.emplace(plan, [this](std::uint64_t address) { return name_at(address); });
  }

  Run run(const std::vector<HostBuffer> &inputs) {
    Run result;
    result.counters.emplace();
    history_ = {};
    try {
      place_inputs(inputs);
      bind_variables();
      const std::span<const plan::Operation> operations = next_call();
      use(0);
      for (const plan::Operation &operation : operations) {
        operation_ = static_cast<std::size_t>(&operation - plan_.operations.data());
        std::visit([&](const auto &op) { apply(op, result); }, operation);
      }
      if (order_) order_->host_waits_for_all();
      result.end = End::completed;
      download(inputs, result);
    } catch (const Ended &ended) {
      result.end = ended.end;
      result.message = ended.message;
    } catch (const simt::OutOfMemory &e) {
      result.end = End::device_error;
      result.message = fmt::format("out of device memory: {}", e.what());
    } catch (const simt::BadAddress &e) {
      result.end = End::fault;
      result.message = e.what();
    }
    if (!options_.count) result.counters.reset();
    return result;
  }

 private:
  /// The operations of the plan that belong to this run.
  std::span<const plan::Operation> next_call() {
    const std::span<const plan::Operation> all = plan_.operations;
    if (options_.first_call == 0) return all;
    const std::size_t first = std::min<std::size_t>(options_.first_call, all.size());
    return std::exchange(called_, true) ? all.subspan(first) : all.first(first);
  }

  static simt::Options device_options(const SimulateOptions &o) {
    simt::Options options;
    options.instruction_budget = o.warp_instructions;
    options.threads = o.threads;
    options.alone_until = o.alone_until;
    options.schedule_seed = o.schedule_seed;
    options.warp_first = o.warp_first;
    options.block_first = o.block_first;
    options.forgive_looks_ahead = true;
    options.count = o.count;
    options.sample_lanes = o.sample_lanes;
    options.keep_branches = o.branches;
    options.trace = o.trace;
    options.stop_at_first = !o.trace;  // a trace has all bad accesses
    options.record = o.record;
    options.printf_bytes = o.printed_bytes;
    options.memory_bytes = o.scratch_bytes + (std::uint64_t{2} << 30);
    if (o.far_end) options.memory_bytes = std::uint64_t{1} << 40;  // hardly any of it is accessed
    return options;
  }

  void place_inputs(const std::vector<HostBuffer> &inputs) {
    for (std::size_t b = 0; b < inputs.size(); ++b) {
      const std::span<const std::byte> bytes = inputs[b].bytes;
      if (options_.sample_blocks || options_.far_end) {
        place_at_full_size(b, inputs[b].name, bytes);
        continue;
      }
      if (!addresses_.at(b)) addresses_[b] = owner_of(b).allocate(bytes.size(), inputs[b].name, true);
      device().write(*addresses_[b], bytes);
    }
  }

  void place_at_full_size(std::size_t b, const std::string &name, std::span<const std::byte> bytes) {
    const std::uint64_t all = plan_.buffers.at(b).bytes;
    if (!addresses_.at(b)) addresses_[b] = owner_of(b).allocate(all, name, true);
    const std::uint64_t end = options_.far_end ? std::min<std::uint64_t>(all, bytes.size()) : all;
    for (std::uint64_t at = 0; !bytes.empty() && at < end; at += bytes.size())
      device().write(*addresses_[b] + at, bytes.first(std::min<std::uint64_t>(bytes.size(), end - at)));
  }

  void bind_variables() {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      if (plan_.buffers[b].owner != plan::Owner::module) continue;
      addresses_[b] = owner_of(b).variable(plan_.buffers[b].name);
      if (!addresses_[b])
        throw Ended{End::launch_error, fmt::format("the device code has no variable '{}'",
                                                   ptx::demangle(plan_.buffers[b].name))};
    }
  }

  simt::Address address(const plan::Place &place) const {
    const auto &base = addresses_.at(place.buffer);
    if (!base)
      throw Ended{End::fault, fmt::format("'{}' is used before it is allocated", name(place.buffer))};
    return *base + static_cast<simt::Address>(place.offset);
  }
  const std::string &name(std::uint32_t buffer) const { return plan_.buffers.at(buffer).name; }

  void apply(const plan::Allocate &op, Run &) {
    const plan::Buffer &b = plan_.buffers.at(op.buffer);
    addresses_.at(op.buffer) = owner_of(op.buffer).allocate(b.bytes, b.name);
  }
  void apply(const plan::Free &op, Run &result) {
    const simt::Address begin = address({op.buffer, 0});
    note(std::string(freeing), {}, ranges_of(begin, plan_.buffers.at(op.buffer).bytes, 1, 0), result);
    // The address stays reserved: a later use of it is reported as use after free.
    device().free(begin);
  }
  void apply(const plan::SetMemory &op, Run &result) {
    note("a memset", {}, ranges_of(address(op.to), op.width, op.rows, op.pitch), result);
    add_copy("memset", {device_of(op.to), {}, true, op.width, op.rows}, result);
    for (std::uint64_t row = 0; row < op.rows; ++row)
      device().fill(address(op.to) + row * op.pitch, std::byte{op.value}, op.width);
  }
  void apply(const plan::CopyIn &op, Run &result) {
    note("a copy from the host", {}, ranges_of(address(op.to), op.bytes.size(), 1, 0), result);
    add_copy("copy from the host", {device_of(op.to), links::host, false, op.bytes.size(), 1}, result);
    if (op.tensor_maps.empty()) return device().write(address(op.to), op.bytes);
    std::vector<std::byte> bytes = op.bytes;
    put(op.tensor_maps, bytes);
    device().write(address(op.to), bytes);
  }
  void apply(const plan::CopyWithin &op, Run &result) {
    const std::uint8_t to_device = plan_.buffers.at(op.to.buffer).device,
                       from_device = plan_.buffers.at(op.from.buffer).device;
    const bool between = order_ && to_device != from_device;
    if (between) order_->begin_copy_between(to_device, from_device);
    note("a copy", ranges_of(address(op.from), op.width, op.rows, op.from_pitch),
         ranges_of(address(op.to), op.width, op.rows, op.to_pitch), result);
    add_copy("copy", {to_device, from_device, false, op.width, op.rows}, result);
    if (between) order_->end_copy_between(to_device, from_device);
    for (std::uint64_t row = 0; row < op.rows; ++row)
      device().copy(address(op.to) + row * op.to_pitch, address(op.from) + row * op.from_pitch, op.width);
  }
  void apply(const plan::UseStream &op, Run &) { use(op.stream); }
  void apply(const plan::RecordEvent &op, Run &) {
    if (order_) order_->record(op.event);
  }
  void apply(const plan::WaitForEvent &op, Run &) {
    if (order_) order_->wait(op.event);
  }
  void apply(const plan::HostWaits &op, Run &) {
    if (order_) order_->host_waits(op);
  }
  void apply(const plan::PeerAccess &op, Run &) { devices_.at(op.device).reach(op.owner, op.allowed); }

  void use(std::uint32_t stream) {
    used_ = plan_.streams.empty() ? 0 : plan_.streams.at(stream).device;
    if (order_) order_->use(stream);
  }
  /// That of the stream in use.
  simt::Device &device() { return devices_[used_]; }
  int device_of(const plan::Place &place) const { return plan_.buffers.at(place.buffer).device; }
  simt::Device &owner_of(std::size_t buffer) { return devices_.at(plan_.buffers.at(buffer).device); }

  const plan::Buffer *buffer_at(std::uint64_t at) const {
    for (std::size_t b = 0; b < addresses_.size(); ++b)
      if (addresses_[b] && at >= *addresses_[b] && at - *addresses_[b] < plan_.buffers[b].bytes)
        return &plan_.buffers[b];
    return nullptr;
  }
  std::string name_at(std::uint64_t at) const {
    const plan::Buffer *const buffer = buffer_at(at);
    return buffer == nullptr ? "memory" : buffer->name;
  }

  /// Whose memory buffers are.
  streams::Places places() const {
    return {[this](const std::string &buffer) {
              std::optional<int> place;
              for (const plan::Buffer &b : plan_.buffers)
                if (b.name == buffer && b.owner != plan::Owner::module) place = b.device;
              return place;
            },
            [this](std::uint64_t address) -> std::optional<int> {
              const plan::Buffer *const buffer = buffer_at(address);
              return buffer == nullptr ? std::nullopt : std::optional<int>(buffer->device);
            },
            [this](const std::string &buffer) { return places_of_variable(buffer); }};
  }
  /// It exists on each device, whether the plan names it or not.
  std::vector<streams::Placed> places_of_variable(const std::string &name) const {
    std::vector<streams::Placed> all;
    for (const ptx::Variable &variable : code_->module().variables)
      if (ptx::demangle(variable.name) == name)
        for (std::size_t d = 0; d < devices_.size(); ++d)
          if (const auto at = devices_[d].variable(variable.name))
            all.push_back({*at, *at + variable.bytes, static_cast<int>(d)});
    return all;
  }
  bool counts_moves() const { return options_.count && order_; }
  void add_copy(const char *call, const streams::Copied &copied, Run &result) {
    if (counts_moves()) add(streams::copy(call, static_cast<int>(used_), copied), result);
  }
  /// The operation that was noted last.
  void add(links::Operation moves, Run &result) {
    moves.stream = order_->name_of(order_->stream());
    history_.add(moves, order_->stream(), order_->last().number, order_->last().known);
    result.moved.push_back({operation_, std::move(moves)});
  }

  /// The operation in progress accesses these bytes.
  void note(const std::string &what, std::vector<simt::AddressRange> reads,
            std::vector<simt::AddressRange> writes, Run &result) {
    simt::Footprint footprint;
    footprint[static_cast<std::size_t>(simt::Access::read)] = std::move(reads);
    footprint[static_cast<std::size_t>(simt::Access::write)] = std::move(writes);
    note(what, std::move(footprint), result);
  }
  void note(const std::string &what, simt::Footprint footprint, Run &result,
            std::vector<simt::AccessSource> sources = {}) {
    if (!order_) return;
    auto conflict = order_->access(what, operation_, std::move(footprint), std::move(sources));
    if (!conflict) return;
    for (const Unordered &known : result.unordered)
      if (simt::Diagnostic &d = result.diagnostics[known.diagnostic];
          d.message == conflict->diagnostic.message) {
        ++d.count;
        return;
      }
    if (result.unordered.size() >= most_unordered) return;
    result.unordered.push_back({result.diagnostics.size(), conflict->earlier, conflict->later});
    result.diagnostics.push_back(std::move(conflict->diagnostic));
  }
  void apply(const plan::SetFunctionAttribute &op, Run &) {
    if (op.attribute == plan::FunctionAttribute::large_clusters)
      large_clusters_[{used_, op.kernel}] = op.value != 0;
    if (op.attribute != plan::FunctionAttribute::max_dynamic_shared_bytes) return;  // the carveout is a hint
    device().set_max_dynamic_shared(op.kernel, static_cast<std::uint32_t>(std::max(op.value, 0)));
  }

  /// Inserts the tensor maps, with the addresses of this run.
  void put(const std::vector<plan::TensorMapArgument> &maps, std::vector<std::byte> &bytes) const {
    for (const plan::TensorMapArgument &m : maps) {
      ptx::TensorMap map = m.map;
      map.address = address(m.to);
      ptx::encode(map, &bytes.at(m.at + ptx::TensorMap::bytes - 1) - (ptx::TensorMap::bytes - 1));
    }
  }

  void apply(const plan::Launch &op, Run &result) {
    simt::Launch launch{op.kernel, dim(op.grid), dim(op.block), op.dynamic_shared_bytes, op.arguments};
    for (const plan::PointerArgument &p : op.pointers) {
      const simt::Address value = address(p.to);
      std::memcpy(&launch.arguments.at(p.at), &value, sizeof value);
    }
    put(op.tensor_maps, launch.arguments);
    launch.cluster = {op.cluster[0], op.cluster[1], op.cluster[2]};
    launch.large_clusters = large_clusters_[{used_, op.kernel}];
    launch.keeps_footprint = order_.has_value();
    launch.keeps_sources = launch.keeps_footprint;
    if (options_.sample_blocks) return sample(launch, result);
    if (options_.far_end) {
      run_alone(launch, std::uint64_t{op.grid.x} * op.grid.y * op.grid.z - 1, false, result);
      return;
    }
    simt::Options options = device().options();
    options.instruction_budget = budget_;
    device().set_options(options);
    simt::LaunchResult launched = device().launch(launch);
    budget_ -= std::min(budget_, launched.warp_instructions);
    const std::size_t room = options_.printed_bytes - std::min(options_.printed_bytes, result.printed.size());
    result.printed += launched.printed.substr(0, room);
    *result.counters += launched.counters;
    result.launch_flops.push_back(launched.counters.fp32_flops() + launched.counters.tensor_flops);
    result.samples.insert(result.samples.end(), launched.samples.begin(), launched.samples.end());
    result.trace.insert(result.trace.end(), launched.trace.begin(), launched.trace.end());
    keep(launched.recording, result);
    add(launched.branches, result.branches);
    result.diagnostics.insert(result.diagnostics.end(), launched.diagnostics.begin(),
                              launched.diagnostics.end());
    const std::string kernel = without_parameters(ptx::demangle(op.kernel));
    std::optional<links::Operation> moves;
    if (counts_moves()) moves = streams::kernel(kernel, static_cast<int>(used_), launched, places());
    note(kernel, std::move(launched.footprint), result, std::move(launched.sources));
    if (moves) add(std::move(*moves), result);
    if (launched.status == simt::Status::completed) return;
    throw Ended{end_of(launched), launched.diagnostics.empty() ? std::string(simt::name_of(launched.status))
                                                               : launched.diagnostics.back().message};
  }

  static void add(const std::vector<simt::BranchCount> &of_launch, std::vector<simt::BranchCount> &all) {
    for (const simt::BranchCount &one : of_launch) {
      const auto at = std::lower_bound(
          all.begin(), all.end(), one.ptx_line,
          [](const simt::BranchCount &known, std::int32_t line) { return known.ptx_line < line; });
      if (at != all.end() && at->ptx_line == one.ptx_line)
        *at += one;
      else
        all.insert(at, one);
    }
  }

  /// Of a finding, the first recording counts; of a word, that of the launch that wrote it last.
  void keep(std::optional<simt::Recording> &made, Run &result) const {
    if (!made) return;
    const auto shows_finding = [](const simt::Recording &r) {
      return std::any_of(r.events.begin(), r.events.end(), [](const simt::RecordedEvent &e) {
        return e.kind == simt::RecordedEvent::Kind::finding;
      });
    };
    const bool of_word =
        options_.record && options_.record->word && result.recording && !shows_finding(*result.recording);
    const bool better = of_word && (shows_finding(*made) || (!made->nearest && !made->events.empty()));
    if (!result.recording || better) result.recording = std::move(made);
  }

  /// Runs some blocks of a launch. Throws Ended if one does not complete.
  simt::LaunchResult run_alone(const simt::Launch &launch, std::uint64_t block, bool first, Run &result) {
    simt::Options options = device().options();
    options.instruction_budget = budget_;
    options.only_blocks = {block};
    options.keep_path = options.sample_lanes = first;
    options.keep_touched = true;
    options.check_races = options.check_initialized = false;
    device().set_options(options);
    simt::LaunchResult launched = device().launch(launch);
    budget_ -= std::min(budget_, launched.warp_instructions);
    result.diagnostics.insert(result.diagnostics.end(), launched.diagnostics.begin(),
                              launched.diagnostics.end());
    if (launched.status != simt::Status::completed)
      throw Ended{end_of(launched), launched.diagnostics.empty() ? std::string(simt::name_of(launched.status))
                                                                 : launched.diagnostics.back().message};
    result.samples.insert(result.samples.end(), launched.samples.begin(), launched.samples.end());
    return launched;
  }

  void sample(const simt::Launch &launch, Run &result) {
    const SampleBlocks chosen = choose_blocks(launch.grid);
    SampledLaunch sampled{
        launch.kernel, launch.grid, launch.block, launch.dynamic_shared_bytes, {}, true, 0, {}, {}, 0};
    std::vector<simt::FirstTouch> first_touches;
    std::map<std::uint64_t, std::shared_ptr<const simt::TouchedSectors>> touched;
    const auto index = [&](std::uint64_t block) {
      return simt::Dim3{static_cast<std::uint32_t>(block % launch.grid.x),
                        static_cast<std::uint32_t>(block / launch.grid.x % launch.grid.y),
                        static_cast<std::uint32_t>(block / launch.grid.x / launch.grid.y)};
    };
    const auto run = [&](std::uint64_t block) {
      simt::LaunchResult launched = run_alone(launch, block, touched.empty(), result);
      touched[block] = launched.touched;
      first_touches.insert(first_touches.end(), launched.first_touches.begin(), launched.first_touches.end());
      if (sampled.path.steps.empty()) sampled.path = std::move(launched.path);
      launched.counters.unique_sectors = {};
      return std::move(launched.counters);
    };
    for (const SampleBlocks::Kind &kind : chosen.kinds)
      sampled.blocks.push_back({index(kind.block), kind.stands_for, run(kind.block)});
    look_at_inner(chosen, sampled, run, index);
    const std::uint64_t here = chosen.kinds.front().block, right = chosen.right, below = chosen.below;
    const std::uint64_t across = here == right || here == below ? here : below + (right - here);
    for (const std::uint64_t block : {right, below, across})
      if (!touched.contains(block)) run(block);
    using Together = std::vector<std::shared_ptr<const simt::TouchedSectors>>;
    const auto one = simt::count_together(Together{touched[here]});
    const auto along_x = simt::count_together(Together{touched[here], touched[right]});
    const auto along_y = simt::count_together(Together{touched[here], touched[below]});
    const auto square =
        simt::count_together(Together{touched[here], touched[right], touched[below], touched[across]});
    const auto of = [](const auto &counts, const std::string &name) {
      const auto found = counts.find(name);
      return found == counts.end() ? simt::UniqueSectors{} : found->second;
    };
    for (const auto &[name, counts] : square)
      sampled.sectors.push_back({name, of(one, name), of(along_x, name), of(along_y, name), counts});
    sampled.loaded_before = loaded_before(first_touches);
    for (const SampledBlock &block : sampled.blocks) *result.counters += block.counters;
    result.launch_flops.push_back(0);
    result.sampled.push_back(std::move(sampled));
  }

  static double loaded_before(const std::vector<simt::FirstTouch> &touches) {
    constexpr float clearly = 1.0f / 16;
    std::map<std::uint64_t, float> earliest;
    for (const simt::FirstTouch &t : touches) {
      const auto [at, fresh] = earliest.emplace(t.line, t.when);
      if (!fresh) at->second = std::min(at->second, t.when);
    }
    const auto before = std::count_if(touches.begin(), touches.end(), [&](const simt::FirstTouch &t) {
      return t.when > earliest.at(t.line) + clearly;
    });
    return touches.empty() ? 0 : static_cast<double>(before) / static_cast<double>(touches.size());
  }

  /// Whether more inner blocks do the same as the one that represents them; if not, each of the checked ones
  /// represents an equal number.
  template <class RunBlock, class Index>
  static void look_at_inner(const SampleBlocks &chosen, SampledLaunch &sampled, const RunBlock &run,
                            const Index &index) {
    std::vector<SampledBlock> more;
    for (const std::uint64_t block : chosen.inner) more.push_back({index(block), 0, run(block)});
    std::uint64_t least = sampled.blocks.front().counters.warp_instructions, most = least;
    for (const SampledBlock &block : more) {
      sampled.exact = sampled.exact && block.counters == sampled.blocks.front().counters;
      least = std::min(least, block.counters.warp_instructions);
      most = std::max(most, block.counters.warp_instructions);
    }
    sampled.spread = least == 0 ? 0 : static_cast<double>(most) / static_cast<double>(least) - 1;
    if (sampled.exact) return;
    const std::uint64_t all = sampled.blocks.front().stands_for, parts = more.size() + 1;
    for (std::size_t i = 0; i < more.size(); ++i) more[i].stands_for = all / parts;
    sampled.blocks.front().stands_for = all - more.size() * (all / parts);
    sampled.blocks.insert(sampled.blocks.end(), more.begin(), more.end());
  }

  static End end_of(const simt::LaunchResult &launched) {
    switch (launched.status) {
      case simt::Status::completed:
        return End::completed;
      case simt::Status::launch_error:
        return End::launch_error;
      case simt::Status::time_limit:
        return End::time_limit;
      case simt::Status::unsupported:
        return End::unsupported;
      case simt::Status::fault:
        break;
    }
    const bool trap = !launched.diagnostics.empty() && launched.diagnostics.back().code == simt::Code::trap;
    return trap ? End::device_error : End::fault;
  }

  void download(const std::vector<HostBuffer> &inputs, Run &result) const {
    for (std::size_t b = 0; b < inputs.size(); ++b) {
      HostBuffer out = inputs[b];
      if (options_.sample_blocks || options_.far_end) {
        result.buffers.push_back(std::move(out));
        continue;
      }
      devices_.front().read(*addresses_[b], out.bytes);
      result.buffers.push_back(std::move(out));
    }
  }

  const plan::LaunchPlan &plan_;
  std::shared_ptr<const simt::DeviceCode> code_;
  std::vector<std::optional<simt::Address>> addresses_;  // by buffer id
  std::uint64_t budget_;
  SimulateOptions options_;
  bool called_ = false;
  std::vector<simt::Device> devices_;
  std::size_t used_ = 0;       // number of the device of the stream in use
  std::size_t operation_ = 0;  // number of the one in progress
  std::optional<PlanOrder> order_;
  streams::History history_;                                            // of what is in Run::moved
  std::map<std::pair<std::size_t, std::string>, bool> large_clusters_;  // by device and kernel
};

}  // namespace

Run simulate(const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
             const std::vector<HostBuffer> &inputs, const SimulateOptions &options) {
  return Replay(plan, std::move(code), options).run(inputs);
}

std::vector<Run> simulate_in_turn(const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
                                  const std::vector<std::vector<HostBuffer>> &inputs,
                                  const SimulateOptions &options) {
  Replay replay(plan, std::move(code), options);
  std::vector<Run> runs;
  for (const std::vector<HostBuffer> &in : inputs) {
    runs.push_back(replay.run(in));
    if (runs.back().end != End::completed) break;
  }
  return runs;
}

}  // namespace warpgrade::run
