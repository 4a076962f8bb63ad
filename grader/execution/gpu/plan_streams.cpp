#include "gpu/plan_streams.hpp"

#include <algorithm>
#include <utility>

#include "gpu/plan_check.hpp"

namespace warpgrade::gpu {

void PlanStreams::destroy() {
  const auto &cu = contexts_[0].driver;
  for (std::size_t s = devices_; s < streams_.size(); ++s)
    cu.check(cu.stream_destroy(streams_[s].stream), "ending a stream");
  for (const Stream &stream : streams_) cu.check(cu.event_destroy(stream.done), "ending an event");
  for (const std::vector<CUevent> *events : {&events_, &ready_})
    for (const CUevent event : *events)
      if (event != nullptr) cu.check(cu.event_destroy(event), "ending an event");
  streams_.clear();
  events_.clear();
  ready_.clear();
  waits_.clear();
  in_use_.reset();
}

void PlanStreams::make(const plan::LaunchPlan &plan) {
  destroy();
  devices_ = devices_of(plan);
  if (plan.streams.empty()) return;
  try {
    make_streams(plan);
  } catch (const DriverError &error) {
    if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    throw Refusal{run::End::device_error,
                  std::string("out of memory for the streams and events of the launcher: ") + error.what()};
  }
}

void PlanStreams::make_streams(const plan::LaunchPlan &plan) {
  const auto &cu = contexts_[0].driver;
  const auto event = [&] {
    CUevent made = nullptr;
    cu.check(cu.event_create(&made, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    return made;
  };
  for (const plan::DeviceStream &wanted : plan.streams) {
    contexts_[wanted.device].enter();
    Stream stream{wanted.device, CU_STREAM_LEGACY, event()};
    if (streams_.size() >= devices_)
      cu.check(cu.stream_create(&stream.stream, wanted.blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING),
               "cuStreamCreate");
    streams_.push_back(stream);
  }
  for (std::size_t d = 0; d < devices_; ++d) {
    contexts_[d].enter();
    ready_.push_back(event());
  }
  events_.assign(plan.events, nullptr);
  use(0);
}

CUstream PlanStreams::stream() {
  if (!in_use_) return contexts_[0].stream;
  catch_up();
  return streams_[*in_use_].stream;
}

void PlanStreams::use(std::uint32_t stream) {
  in_use_ = stream;
  context().enter();
}

void PlanStreams::record(std::uint32_t event) {
  const auto &cu = contexts_[0].driver;
  const CUstream in = stream();
  if (events_[event] == nullptr)
    cu.check(cu.event_create(&events_[event], CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  cu.check(cu.event_record(events_[event], in), "recording an event of the plan");
}

void PlanStreams::wait(std::uint32_t event) {
  const auto &cu = contexts_[0].driver;
  const CUstream in = stream();
  if (events_[event] != nullptr)
    cu.check(cu.stream_wait(in, events_[event], 0), "waiting for an event of the plan");
}

void PlanStreams::begin_copy_between(std::size_t to, std::size_t from) {
  if (!in_default_stream()) return;
  const auto &cu = contexts_[0].driver;
  const CUstream copies = stream();
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const Stream &other = streams_[s];
    if (s == *in_use_ || (other.device != to && other.device != from)) continue;
    contexts_[other.device].enter();
    cu.check(cu.event_record(other.done, other.stream), "recording an event");
    context().enter();
    cu.check(cu.stream_wait(copies, other.done, 0), "waiting for a stream");
  }
}

void PlanStreams::end_copy_between(std::size_t to, std::size_t from) {
  if (!in_default_stream()) return;
  const auto &cu = contexts_[0].driver;
  const Stream &copies = streams_[*in_use_];
  cu.check(cu.event_record(copies.done, copies.stream), "recording an event");
  for (const Stream &other : streams_) {
    if (&other == &copies || (other.device != to && other.device != from)) continue;
    contexts_[other.device].enter();
    cu.check(cu.stream_wait(other.stream, copies.done, 0), "waiting for a copy");
  }
  context().enter();
}

void PlanStreams::host_waits(const plan::HostWaits &wait, Watch &watch) {
  waits_.push_back(wait);
  watch_ = &watch;
}

void PlanStreams::catch_up() {
  if (waits_.empty()) return;
  const auto &cu = contexts_[0].driver;
  watch_->wait_for_start();
  for (const plan::HostWaits &wait : std::exchange(waits_, {})) {
    if (wait.what == plan::HostWaits::For::event) {
      if (events_[wait.number] != nullptr)
        cu.check(cu.event_synchronize(events_[wait.number]), "waiting for an event of the plan");
      continue;
    }
    const bool stream = wait.what == plan::HostWaits::For::stream;
    contexts_[stream ? streams_[wait.number].device : wait.number].enter();
    cu.check(stream ? cu.stream_synchronize(streams_[wait.number].stream) : cu.context_synchronize(),
             "waiting for the work of the plan");
  }
  context().enter();
}

void PlanStreams::begin() {
  const auto &cu = contexts_[0].driver;
  const auto record = [&](std::size_t device, CUevent event) {
    cu.check(cu.event_record(event, contexts_[device].stream), "recording an event");
  };
  if (!several()) return record(0, contexts_[0].start);
  for (std::size_t d = 1; d < devices_; ++d) {
    contexts_[d].enter();
    record(d, ready_[d]);
  }
  contexts_[0].enter();
  for (std::size_t d = 1; d < devices_; ++d)
    cu.check(cu.stream_wait(contexts_[0].stream, ready_[d], 0), "waiting for a GPU");
  record(0, contexts_[0].start);
  for (std::size_t d = 1; d < devices_; ++d) {
    contexts_[d].enter();
    cu.check(cu.stream_wait(contexts_[d].stream, contexts_[0].start, 0), "waiting for a GPU");
    record(d, contexts_[d].start);
  }
  for (const Stream &stream : streams_) {
    contexts_[stream.device].enter();
    cu.check(cu.stream_wait(stream.stream, contexts_[stream.device].start, 0), "waiting for the start");
  }
  use(0);
}

void PlanStreams::end() {
  const auto &cu = contexts_[0].driver;
  const auto record = [&](std::size_t device) {
    cu.check(cu.event_record(contexts_[device].stop, contexts_[device].stream), "recording an event");
  };
  if (!several()) return record(0);
  waits_.clear();
  for (const Stream &stream : streams_) {
    const Context &on = contexts_[stream.device];
    on.enter();
    cu.check(cu.event_record(stream.done, stream.stream), "recording an event");
    cu.check(cu.stream_wait(on.stream, stream.done, 0), "waiting for a stream");
  }
  for (std::size_t d = 1; d < devices_; ++d) {
    contexts_[d].enter();
    record(d);
  }
  contexts_[0].enter();
  for (std::size_t d = 1; d < devices_; ++d)
    cu.check(cu.stream_wait(contexts_[0].stream, contexts_[d].stop, 0), "waiting for a GPU");
  record(0);
}

double PlanStreams::seconds() const {
  double longest = 0;
  for (std::size_t d = 0; d < devices_; ++d) {
    float milliseconds = 0;
    const auto &cu = contexts_[d].driver;
    if (several()) contexts_[d].enter();
    cu.check(cu.event_milliseconds(&milliseconds, contexts_[d].start, contexts_[d].stop),
             "reading the events");
    longest = std::max(longest, milliseconds * 1e-3);
  }
  return longest;
}

void PlanStreams::synchronize() const {
  for (std::size_t d = 0; d < devices_; ++d) {
    if (several()) contexts_[d].enter();
    contexts_[d].driver.check(contexts_[d].driver.context_synchronize(), "waiting for the GPU");
  }
}

}  // namespace warpgrade::gpu
