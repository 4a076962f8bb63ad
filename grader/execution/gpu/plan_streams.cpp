#include "gpu/plan_streams.hpp"

#include <algorithm>
#include <utility>

#include "gpu/plan_check.hpp"

namespace warpgrade::gpu {

void PlanStreams::destroy() {
  const auto &cu = contexts_[0].driver;
  for (std::size_t s = devices_; s < streams_.size(); ++s)
    cu.check(cu.stream_destroy(streams_[s].stream), "ending a stream");
  for (const std::vector<Stream> *streams : {&streams_, &own_})
    for (const Stream &stream : *streams) cu.check(cu.event_destroy(stream.done), "ending an event");
  for (const CUevent event : events_)
    if (event != nullptr) cu.check(cu.event_destroy(event), "ending an event");
  streams_.clear();
  own_.clear();
  events_.clear();
  waits_.clear();
  in_use_.reset();
}

void PlanStreams::record(const Stream &stream, CUevent event) const {
  contexts_[stream.device].enter();
  const auto &cu = contexts_[0].driver;
  cu.check(cu.event_record(event, stream.stream), "recording an event");
}

void PlanStreams::wait(const Stream &stream, CUevent event) const {
  contexts_[stream.device].enter();
  const auto &cu = contexts_[0].driver;
  cu.check(cu.stream_wait(stream.stream, event, 0), "waiting for an event");
}

void PlanStreams::after(const Stream &waiting, const Stream &first) const {
  record(first, first.done);
  wait(waiting, first.done);
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
    own_.push_back({d, contexts_[d].stream, event()});
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
  stream();  // the host has waited
  const Stream &copies = streams_[*in_use_];
  for (const Stream &other : streams_)
    if (&other != &copies && (other.device == to || other.device == from)) after(copies, other);
  context().enter();
}

void PlanStreams::end_copy_between(std::size_t to, std::size_t from) {
  if (!in_default_stream()) return;
  const Stream &copies = streams_[*in_use_];
  for (const Stream &other : streams_)
    if (&other != &copies && (other.device == to || other.device == from)) after(other, copies);
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
  if (!several()) {
    const auto &cu = contexts_[0].driver;
    return cu.check(cu.event_record(contexts_[0].start, contexts_[0].stream), "recording an event");
  }
  for (std::size_t d = 1; d < devices_; ++d) after(own_[0], own_[d]);
  record(own_[0], contexts_[0].start);
  for (std::size_t d = 1; d < devices_; ++d) {
    wait(own_[d], contexts_[0].start);
    record(own_[d], contexts_[d].start);
  }
  for (const Stream &stream : streams_) wait(stream, contexts_[stream.device].start);
  use(0);
}

void PlanStreams::end() {
  if (!several()) {
    const auto &cu = contexts_[0].driver;
    return cu.check(cu.event_record(contexts_[0].stop, contexts_[0].stream), "recording an event");
  }
  waits_.clear();
  for (const Stream &stream : streams_) after(own_[stream.device], stream);
  for (std::size_t d = 1; d < devices_; ++d) {
    record(own_[d], contexts_[d].stop);
    wait(own_[0], contexts_[d].stop);
  }
  record(own_[0], contexts_[0].stop);
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
