#include <algorithm>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "gpu/arena_damage.hpp"
#include "gpu/conversation.hpp"
#include "gpu/gpu.hpp"
#include "gpu/plan_check.hpp"
#include "gpu/retired.hpp"
#include "gpu/run_request.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

/// The guard report of a child; throws WireError on anything that can't be.
std::vector<std::string> read_guards(std::span<const std::byte> payload, const plan::LaunchPlan &plan) {
  Reader reader(payload);
  std::vector<std::string> guards;
  const auto count = reader.get_count(36);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto buffer = reader.get<std::uint32_t>();
    const auto damage = reader.get<GuardDamage>();
    if (buffer >= plan.buffers.size()) throw WireError("a guard report names a buffer that does not exist");
    describe(damage, plan.buffers[buffer].name, guards);
  }
  return guards;
}

std::size_t judge_buffers(const plan::LaunchPlan &plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.buffers.begin(), plan.buffers.end(),
                    [](const plan::Buffer &buffer) { return buffer.owner == plan::Owner::judge; }));
}

std::string check_inputs(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  const std::size_t judges = judge_buffers(plan);
  if (judges != inputs.size())
    return "the plan has " + std::to_string(judges) + " judge buffers, but " + std::to_string(inputs.size()) +
           " inputs were given";
  for (std::size_t i = 0; i < judges; ++i)
    if (plan.buffers[i].bytes != inputs[i].bytes.size())
      return "buffer " + plan.buffers[i].name + " has " + std::to_string(plan.buffers[i].bytes) +
             " bytes in the plan and " + std::to_string(inputs[i].bytes.size()) + " as an input";
  return "";
}

}  // namespace

struct Replay::State {
  std::vector<DeviceInfo> devices;
  std::vector<std::byte> image;
  ReplayLimits limits;
  ChildOptions options;
  std::unique_ptr<ChildProcess> child;
  bool ready = false;                       ///< the child has said so
  bool has_code = false;                    ///< the child has got the image
  std::optional<std::uint64_t> generation;  ///< of the memory that the child has imported
  bool came_back = true;
  double load_seconds = 0, kill_seconds = 0;

  std::string spawn();
  std::string start();
  void drop();
  std::string adopt(const DealtBuffers &buffers);
  Exchange ask(RunRequest &request, const std::vector<run::HostBuffer> *inputs, const DealtBuffers *dealt);
  Timed carry_out(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> *inputs,
                  const DealtBuffers *dealt, const SampleOptions *timing, bool bare = false);
};

/// "" when a child is on its way to being set up.
std::string Replay::State::spawn() {
  if (child) return "";
  try {
    child = std::make_unique<ChildProcess>(options, "--gpu-replay-child");
  } catch (const std::system_error &error) {
    return std::string("the GPU process could not be started: ") + error.what();
  }
  ready = has_code = false;
  generation.reset();
  Writer set_up;
  set_up.put(std::uint64_t{devices.size()});
  for (const DeviceInfo &device : devices) set_up.put(std::int32_t{device.index});
  if (child->send(Message::set_up_replay, set_up)) return "";
  drop();
  return "the GPU process ended before it was set up";
}

/// "" when a child is ready.
std::string Replay::State::start() {
  if (auto why = spawn(); !why.empty() || ready) return why;
  if (!std::exchange(has_code, true) && !child->send(Message::device_code, Writer().put_bytes(image))) {
    drop();
    return "the GPU process ended before it was set up";
  }
  const auto answer = child->wait(now() + options.setup_seconds);
  auto why = unexpected(answer, Message::ready, "setting up", options.setup_seconds);
  ready = why.empty();
  if (!ready) drop();
  return why;
}

/// Ends the child; notes when it does not go.
void Replay::State::drop() {
  if (!child) return;
  const double begin = now();
  came_back = child->kill();
  // One of them did not; which one, nobody can tell.
  for (std::size_t d = 0; d < devices.size() && !came_back; ++d)
    retire(options.retired_directory, devices[d]);
  kill_seconds = now() - begin;
  child.reset();
}

/// "" when the child has mapped the memory that is dealt into.
std::string Replay::State::adopt(const DealtBuffers &buffers) {
  if (generation == buffers.generation) return "";
  Writer sizes;
  sizes.put(std::uint64_t{buffers.bytes.size()});
  for (const auto bytes : buffers.bytes) sizes.put(bytes);
  for (std::size_t i = 0; i < buffers.bytes.size(); ++i)
    sizes.put(i < buffers.devices.size() ? buffers.devices[i] : std::uint8_t{0});
  std::vector<int> files;
  for (const auto &memory : buffers.memory) files.push_back(memory.get());
  if (!child->send(Message::adopt, sizes, files)) return "the GPU process was gone before a run";
  const auto answer = child->wait(now() + options.setup_seconds);
  auto why = unexpected(answer, Message::ready, "mapping memory", options.setup_seconds);
  if (why.empty()) generation = buffers.generation;
  return why;
}

/// Puts the inputs where the child finds them and has the plan carried out, in a new child if the old one is
/// gone.
Exchange Replay::State::ask(RunRequest &request, const std::vector<run::HostBuffer> *inputs,
                            const DealtBuffers *dealt) {
  request.offsets.clear();
  request.shared_bytes = 4096;
  request.dealt = dealt != nullptr;
  if (dealt != nullptr) request.offsets = dealt->offsets;
  if (inputs != nullptr)
    for (const auto &input : *inputs) {
      request.offsets.push_back(request.shared_bytes);
      request.shared_bytes += (input.bytes.size() + 4095) / 4096 * 4096;
    }
  Writer message;
  encode(message, request);
  for (int attempt = 0;; ++attempt) {
    const bool fresh = child == nullptr;
    Exchange exchange;
    if (exchange.message = start(); !exchange.message.empty()) {
      if (fresh || attempt > 0) return exchange;
      continue;  // it was set up ahead, when others may have had the GPU's memory
    }
    if (dealt != nullptr) exchange.message = adopt(*dealt);
    if (!exchange.message.empty()) {
      drop();
      return exchange;
    }
    try {
      const auto shared = child->share(request.shared_bytes);
      for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i)
        if (const auto &bytes = (*inputs)[i].bytes; !bytes.empty())
          std::memcpy(shared.data() + request.offsets[i], bytes.data(), bytes.size());
    } catch (const std::system_error &error) {
      exchange.message = error.what();
      return exchange;
    }
    exchange = converse(*child, message, options.setup_seconds, limits.run_seconds);
    if (exchange.how != Exchange::How::gone_before || fresh || attempt > 0) return exchange;
    drop();  // it ended between two runs, which no student did: once more with a new one
  }
}

/// One of `inputs` and `dealt` is given.
Timed Replay::State::carry_out(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> *inputs,
                               const DealtBuffers *dealt, const SampleOptions *timing, bool bare) {
  Timed result;
  const auto ended = [&result](End end, std::string message) {
    result.run.end = end;
    result.run.message = std::move(message);
    result.run.buffers.clear();
    return result;
  };
  for (const DeviceInfo &device : devices)
    if (auto why = why_retired(options.retired_directory, device); !why.empty())
      return ended(End::our_failure, std::move(why));
  if (!came_back)  // and it could not be noted
    return ended(End::our_failure,
                 "GPU " + std::to_string(devices[0].index) + " (" + devices[0].name +
                     ") did not come back after a kernel was stopped: it needs a person to reset it");
  if (const auto refusal = check_plan(plan, limits.scratch_bytes))
    return ended(refusal->end, refusal->message);
  if (devices_of(plan) > devices.size())
    return ended(End::our_failure, "the plan is one for " + std::to_string(devices_of(plan)) +
                                       " GPUs, and it was given " + std::to_string(devices.size()));
  if (inputs != nullptr)
    if (auto why = check_inputs(plan, *inputs); !why.empty()) return ended(End::our_failure, std::move(why));
  if (dealt != nullptr && dealt->offsets.size() != judge_buffers(plan))
    return ended(End::our_failure, "the plan's judge buffers are not the input buffers");

  RunRequest request;
  request.plan = plan;
  request.timed = timing != nullptr;
  request.bare = bare;
  request.random = std::random_device{}();
  if (timing != nullptr) request.sample = *timing;
  if (request.sample.energy_seconds > 0) {
    request.nvml_library = options.nvml_library;
    request.pci_bus_id = devices[0].pci_bus_id;
  }
  auto exchange = ask(request, inputs, dealt);
  if (child) result.run.printed = child->take_output();
  result.sample = exchange.sample;
  result.energy = exchange.energy;
  if (exchange.how == Exchange::How::deadline) {
    drop();
    auto what = "the plan " + exchange.message;
    if (!came_back) what += "; the GPU did not come back after that";
    return ended(End::time_limit, what);
  }
  if (exchange.how != Exchange::How::answered || exchange.end != End::completed) {
    if (exchange.end != End::launch_error) drop();  // tainted, or of no use
    return ended(exchange.end, exchange.message);
  }

  try {
    load_seconds = Reader(exchange.armed).get<double>();
    result.run.guards_written = read_guards(exchange.outputs, plan);
  } catch (const WireError &error) {
    drop();
    return ended(End::our_failure, std::string("the GPU process gave an unreadable answer: ") + error.what());
  }
  const auto shared = child->share(request.shared_bytes);
  for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
    const run::HostBuffer &input = (*inputs)[i];
    run::HostBuffer output{input.name, input.role, {}, input.element_bytes};
    output.bytes.resize(input.bytes.size());
    if (!output.bytes.empty())
      std::memcpy(output.bytes.data(), shared.data() + request.offsets[i], output.bytes.size());
    result.run.buffers.push_back(std::move(output));
  }
  result.run.end = End::completed;
  return result;
}

Replay::Replay(DeviceInfo device, std::vector<std::byte> fat_binary, ReplayLimits limits,
               ChildOptions options)
    : Replay(std::vector<DeviceInfo>{std::move(device)}, std::move(fat_binary), limits, std::move(options)) {}

Replay::Replay(std::vector<DeviceInfo> devices, std::vector<std::byte> fat_binary, ReplayLimits limits,
               ChildOptions options)
    : Replay(std::move(devices), limits, std::move(options)) {
  use_code(std::move(fat_binary));
}

Replay::Replay(std::vector<DeviceInfo> devices, ReplayLimits limits, ChildOptions options)
    : state_(std::make_unique<State>()) {
  state_->devices = std::move(devices);
  state_->limits = limits;
  state_->options = std::move(options);
}
void Replay::use_code(std::vector<std::byte> fat_binary) {
  state_->image = std::move(fat_binary);
}
Replay::~Replay() = default;
Replay::Replay(Replay &&) noexcept = default;
Replay &Replay::operator=(Replay &&) noexcept = default;

run::Run Replay::replay(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  return state_->carry_out(plan, &inputs, nullptr, nullptr).run;
}
run::Run Replay::replay_bare(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  return state_->carry_out(plan, &inputs, nullptr, nullptr, true).run;
}
Timed Replay::time_once(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                        const SampleOptions &options) {
  return state_->carry_out(plan, &inputs, nullptr, &options);
}
Timed Replay::time_dealt(const plan::LaunchPlan &plan, const DealtBuffers &buffers,
                         const SampleOptions &options) {
  return state_->carry_out(plan, nullptr, &buffers, &options);
}
void Replay::start_early() {
  state_->spawn();  // what went wrong, the first run finds out and says
}
const DeviceInfo &Replay::device() const {
  return state_->devices.front();
}
const std::vector<DeviceInfo> &Replay::devices() const {
  return state_->devices;
}
bool Replay::gpu_came_back() const {
  return state_->came_back;
}
double Replay::module_load_seconds() const {
  return state_->load_seconds;
}
double Replay::last_kill_seconds() const {
  return state_->kill_seconds;
}

}  // namespace warpgrade::gpu
