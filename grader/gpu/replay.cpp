#include <algorithm>
#include <cstring>
#include <random>
#include <system_error>

#include "gpu/conversation.hpp"
#include "gpu/gpu.hpp"
#include "gpu/plan_check.hpp"
#include "gpu/run_request.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

std::string bytes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

/// "C: 12 bytes past the end were overwritten, the nearest 1 byte past it"
std::string guard_text(const std::string &name, std::uint64_t bytes, std::uint64_t nearest, bool after) {
  return name + ": " + bytes_text(bytes) + (after ? " past the end " : " before the start ") +
         (bytes == 1 ? "was" : "were") + " overwritten, the nearest " + bytes_text(nearest) +
         (after ? " past it" : " before it");
}

/// The guard report of a child; throws WireError on anything that can't be.
std::vector<std::string> read_guards(std::span<const std::byte> payload, const plan::LaunchPlan &plan) {
  Reader reader(payload);
  std::vector<std::string> guards;
  const auto count = reader.get_count(36);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto buffer = reader.get<std::uint32_t>();
    const auto before = reader.get<std::uint64_t>(), after = reader.get<std::uint64_t>();
    const auto nearest_before = reader.get<std::uint64_t>(), nearest_after = reader.get<std::uint64_t>();
    if (buffer >= plan.buffers.size()) throw WireError("a guard report names a buffer that is not there");
    const auto &name = plan.buffers[buffer].name;
    if (before > 0) guards.push_back(guard_text(name, before, nearest_before, false));
    if (after > 0) guards.push_back(guard_text(name, after, nearest_after, true));
  }
  return guards;
}

std::string check_inputs(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  const auto judges = static_cast<std::size_t>(
      std::count_if(plan.buffers.begin(), plan.buffers.end(),
                    [](const plan::Buffer &buffer) { return buffer.owner == plan::Owner::judge; }));
  if (judges != inputs.size())
    return "the plan has " + std::to_string(judges) + " judge buffers, but " + std::to_string(inputs.size()) +
           " inputs were given";
  for (std::size_t i = 0; i < judges; ++i)
    if (plan.buffers[i].bytes != inputs[i].values.size() * sizeof(float))
      return "buffer " + plan.buffers[i].name + " has " + std::to_string(plan.buffers[i].bytes) +
             " bytes in the plan and " + std::to_string(inputs[i].values.size() * sizeof(float)) +
             " as an input";
  return "";
}

}  // namespace

struct Replay::State {
  DeviceInfo device;
  std::vector<std::byte> image;
  ReplayLimits limits;
  ChildOptions options;
  std::unique_ptr<ChildProcess> child;
  bool came_back = true;
  double load_seconds = 0, kill_seconds = 0;

  /// "" when a child stands ready.
  std::string start() {
    if (child) return "";
    try {
      child = std::make_unique<ChildProcess>(options, "--gpu-replay-child");
    } catch (const std::system_error &error) {
      return std::string("the GPU process could not be started: ") + error.what();
    }
    std::string why = "the GPU process ended before it was set up";
    if (child->send(Message::set_up_replay, Writer().put(std::int32_t{device.index}).put_bytes(image))) {
      const auto answer = child->wait(now() + options.setup_seconds);
      why = unexpected(answer, Message::ready, "setting up", options.setup_seconds);
    }
    if (!why.empty()) drop();
    return why;
  }

  /// Ends the child; notes when it does not go.
  void drop() {
    if (!child) return;
    const double begin = now();
    came_back = child->kill();
    kill_seconds = now() - begin;
    child.reset();
  }

  Timed carry_out(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                  const SampleOptions *timing);
  Exchange ask(RunRequest &request, const std::vector<run::HostBuffer> &inputs);
};

/// Puts the inputs where the child finds them and has the plan carried out, in a new child if the old one is
/// gone.
Exchange Replay::State::ask(RunRequest &request, const std::vector<run::HostBuffer> &inputs) {
  request.offsets.clear();
  request.shared_bytes = 4096;
  for (const auto &input : inputs) {
    request.offsets.push_back(request.shared_bytes);
    request.shared_bytes += (input.values.size() * sizeof(float) + 4095) / 4096 * 4096;
  }
  Writer message;
  encode(message, request);
  for (int attempt = 0;; ++attempt) {
    const bool fresh = child == nullptr;
    Exchange exchange;
    if (exchange.message = start(); !exchange.message.empty()) return exchange;
    try {
      const auto shared = child->share(request.shared_bytes);
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].values.empty())
          std::memcpy(shared.data() + request.offsets[i], inputs[i].values.data(),
                      inputs[i].values.size() * sizeof(float));
    } catch (const std::system_error &error) {
      exchange.message = error.what();
      return exchange;
    }
    exchange = converse(*child, message, options.setup_seconds, limits.run_seconds);
    if (exchange.how != Exchange::How::gone_before || fresh || attempt > 0) return exchange;
    drop();  // it ended between two runs, which no student did: once more with a new one
  }
}

Timed Replay::State::carry_out(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                               const SampleOptions *timing) {
  Timed result;
  const auto ended = [&result](End end, std::string message) {
    result.run.end = end;
    result.run.message = std::move(message);
    result.run.buffers.clear();
    return result;
  };
  if (!came_back)
    return ended(End::our_failure,
                 "GPU " + std::to_string(device.index) + " (" + device.name +
                     ") did not come back after a kernel was stopped: it needs a person to reset it");
  if (const auto refusal = check_plan(plan, limits.scratch_bytes))
    return ended(refusal->end, refusal->message);
  if (auto why = check_inputs(plan, inputs); !why.empty()) return ended(End::our_failure, std::move(why));

  RunRequest request;
  request.plan = plan;
  request.timed = timing != nullptr;
  request.random = std::random_device{}();
  if (timing != nullptr) request.sample = *timing;
  auto exchange = ask(request, inputs);
  if (child) result.run.printed = child->take_output();
  result.sample = exchange.sample;
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
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    run::HostBuffer output{.name = inputs[i].name, .role = inputs[i].role, .values = {}};
    output.values.resize(inputs[i].values.size());
    if (!output.values.empty())
      std::memcpy(output.values.data(), shared.data() + request.offsets[i],
                  output.values.size() * sizeof(float));
    result.run.buffers.push_back(std::move(output));
  }
  result.run.end = End::completed;
  if (timing != nullptr) {
    if (auto why = impossible_time({result.sample.seconds}, {result.sample.outer_seconds}); !why.empty())
      return ended(End::our_failure, std::move(why));
  }
  return result;
}

Replay::Replay(DeviceInfo device, std::vector<std::byte> fat_binary, ReplayLimits limits,
               ChildOptions options)
    : state_(std::make_unique<State>()) {
  state_->device = std::move(device);
  state_->image = std::move(fat_binary);
  state_->limits = limits;
  state_->options = std::move(options);
}
Replay::~Replay() = default;
Replay::Replay(Replay &&) noexcept = default;
Replay &Replay::operator=(Replay &&) noexcept = default;

run::Run Replay::replay(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  return state_->carry_out(plan, inputs, nullptr).run;
}
Timed Replay::time_once(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                        const SampleOptions &options) {
  return state_->carry_out(plan, inputs, &options);
}
const DeviceInfo &Replay::device() const {
  return state_->device;
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
