#include "gpu/probe.hpp"

#include <system_error>

#include "gpu/child_process.hpp"
#include "gpu/conversation.hpp"

namespace warpgrade::gpu {

namespace {

/// The slowest probe takes less than a second; longer than this, it has hung.
constexpr double probe_seconds = 60;

}  // namespace

struct Prober::State {
  explicit State(const ChildOptions &options) : child(options, "--gpu-probe-child") {}
  ChildProcess child;
  int blocks = 0, others = -1;
  std::optional<GpuState> gpu;

  Answer ask(Message question, const Writer &payload, Message wanted, const char *doing, double seconds) {
    if (!child.send(question, payload)) throw ProbeError(std::string("the GPU's process was gone: ") + doing);
    Answer answer = child.wait(now() + seconds);
    if (const std::string why = unexpected(answer, wanted, doing, seconds); !why.empty())
      throw ProbeError(why);
    return answer;
  }
};

Prober::Prober(const DeviceInfo &device, ChildOptions options) {
  try {
    state_ = std::make_unique<State>(options);
  } catch (const std::system_error &error) {
    throw ProbeError(std::string("the GPU's process could not be started: ") + error.what());
  }
  Writer set_up;
  set_up.put(std::int32_t{device.index}).put_string(options.nvml_library).put_string(device.pci_bus_id);
  const Answer answer =
      state_->ask(Message::set_up_probes, set_up, Message::ready, "setting up", options.setup_seconds);
  try {
    Reader reader(answer.payload);
    state_->blocks = reader.get<std::int32_t>();
    state_->others = reader.get<std::int32_t>();
  } catch (const WireError &error) {
    throw ProbeError(std::string("the GPU's process gave an unreadable answer: ") + error.what());
  }
}

Prober::~Prober() = default;
Prober::Prober(Prober &&) noexcept = default;
Prober &Prober::operator=(Prober &&) noexcept = default;

ProbeTimes Prober::run(const Probe &probe) {
  const Answer answer =
      state_->ask(Message::probe, Writer().put(probe), Message::probed, "measuring", probe_seconds);
  try {
    Reader reader(answer.payload);
    state_->gpu.reset();
    if (reader.get<std::uint8_t>() != 0) state_->gpu = reader.get<GpuState>();
    ProbeTimes times(probe.repeats, std::vector<ProbeTime>(probe_lengths));
    for (std::vector<ProbeTime> &repeat : times)
      for (ProbeTime &time : repeat) time = reader.get<ProbeTime>();
    return times;
  } catch (const WireError &error) {
    throw ProbeError(std::string("the GPU's process gave an unreadable answer: ") + error.what());
  }
}

const std::optional<GpuState> &Prober::state() const {
  return state_->gpu;
}
int Prober::blocks_per_multiprocessor() const {
  return state_->blocks;
}
std::optional<int> Prober::other_processes() const {
  return state_->others < 0 ? std::nullopt : std::optional(state_->others);
}

}  // namespace warpgrade::gpu
