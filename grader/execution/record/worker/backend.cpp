// The recording backend: what a launcher does becomes a plan. A plan of one device has one stream in which everything
// happens in order, so waiting is nothing; one of several devices keeps their streams and events. Time does not pass: cudaEventElapsedTime says 0 ms, always, so
// that a launcher with forgotten timing code still works and one that steers by time finds nothing to steer
// by.
#include <algorithm>
#include <limits>

#include "record/worker/api.hpp"

namespace warpgrade::cuda {

int accept_call(const char *) {
  return cudaSuccess;
}
int refuse_call(const char *call, Reason reason) {
  return backend::enter(call, Waits::no, [&] { return backend::refuse(call, reason); });
}

namespace backend {
namespace {

using record::worker;
using record::Worker;

std::string stream_of_other_device(int of_stream, int current) {
  return "its stream is one of device " + std::to_string(of_stream) + ", and device " +
         std::to_string(current) + " is the current one: call cudaSetDevice(" + std::to_string(of_stream) +
         ") before it";
}

std::uint32_t index_of(const Kernel &kernel) {
  return static_cast<std::uint32_t>(kernel.layout - worker().orders().request.kernels.data());
}

}  // namespace

void Unlock::operator()(std::recursive_mutex *) const noexcept {}

std::unique_ptr<std::recursive_mutex, Unlock> lock() {
  return {};  // the sandbox has no threads
}

cudaError_t enter(const char *call, Waits waits, Body body) {
  Worker &w = worker();
  w.begin_call(call, waits == Waits::yes);
  const cudaError_t error = body();
  if (error != cudaSuccess) w.last_error = error;
  // A launcher that does not look at errors would be told about their consequences only.
  if (error == cudaErrorInvalidResourceHandle && device_count() > 1)
    w.refuse(
        call,
        "it fails with cudaErrorInvalidResourceHandle: a stream or an event of another device than it may be "
        "used with, or one that does not exist");
  w.end_call(error == cudaSuccess);
  return error;
}

cudaError_t last_error(bool forget) {
  const auto error = static_cast<cudaError_t>(worker().last_error);
  if (forget) worker().last_error = cudaSuccess;
  return error;
}

cudaError_t refuse(const char *call, Reason reason) {
  return record::refuse(call, words_of(reason).recorder);
}

int major_version() {
  return CUDART_VERSION / 1000;
}

State &state() {
  return worker().state;
}

const Device &device() {
  using All = std::array<Device, plan::most_devices>;
  static const All *const made = [] {
    auto *const all = new All;
    for (int number = 0; number < device_count(); ++number) {
      Device &one = all->at(static_cast<std::size_t>(number));
      one.figures = worker().orders().request.device;
      one.number = number;
      one.clusters = one.figures.major >= 9;
    }
    return all;
  }();
  return made->at(worker().device);
}

int device_count() {
  return worker().orders().request.devices;
}
void set_device(int number) {
  worker().device = static_cast<std::uint8_t>(number);
}
OnDevice::OnDevice(int number) : before_(worker().device) {
  set_device(number);
}
OnDevice::~OnDevice() {
  set_device(before_);
}

void limit_changed(cudaLimit, std::size_t) {}  // the replay sizes what it needs

// The device code comes from the build, never from here.
Module *register_module(const void *) {
  return nullptr;
}
void register_managed(Variable &variable) {
  worker().refuse("__managed__",
                  "the variable " + variable.name +
                      " is shared with the host; a launcher may only start work on the device");
}
void prepare_module(Module *) {}

cudaError_t load(const char *, Kernel &kernel) {
  if (kernel.layout != nullptr) return cudaSuccess;
  for (const ptx::KernelLayout &one : worker().orders().request.kernels)
    if (one.name == kernel.name) kernel.layout = &one, kernel.cluster = one.cluster;
  return cudaSuccess;  // kernel.registers stays unknown: the build knows only the most that a kernel of the
                       // file has
}

cudaError_t before_launch(const char *call, const void *function, bool cooperative) {
  if (worker().phase !=
      record::Phase::inside) {  // before it, clang's objects have not registered their kernels
    worker().record(plan::Tag::launch, "a kernel launch");
    return cudaErrorNotSupported;
  }
  if (cooperative) return refuse(call, Reason::cooperative);
  Kernel *kernel = state().find_kernel(function);
  if (kernel == nullptr) {
    worker().refuse(call, "the function it launches is not a __global__ function");
    return cudaErrorInvalidDeviceFunction;
  }
  load(call, *kernel);
  if (kernel->layout != nullptr) return cudaSuccess;
  worker().refuse(call, "the kernel " + kernel->name + " is not in the device code");
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t launch(const char *call, const Launch &l) {
  if (const int other = state().device_of(l.stream, worker().device); other != worker().device)
    return record::refuse(call, stream_of_other_device(other, worker().device));
  worker().use_stream(l.stream, call);
  if (l.cluster.x != 0) {
    Writer *to = worker().record(plan::Tag::cluster, "a kernel launch");
    if (to == nullptr) return cudaErrorNotSupported;
    for (const unsigned side : {l.cluster.x, l.cluster.y, l.cluster.z}) to->put<std::uint32_t>(side);
  }
  Writer *to = worker().record(plan::Tag::launch, "a kernel launch");
  if (to == nullptr) return cudaErrorNotSupported;
  to->put(index_of(*l.kernel));
  for (const unsigned side : {l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z})
    to->put<std::uint32_t>(side);
  to->put(
      static_cast<std::uint32_t>(std::min<std::size_t>(l.shared, std::numeric_limits<std::uint32_t>::max())));
  to->put_bytes(l.arguments);
  worker().launched();
  // Recorded all the same: the replay finds the same reason and reports it.
  if (l.refusal != nullptr) worker().failed_launch(l.refusal->words);
  return l.error;
}

cudaError_t set_attribute(const char *call, cudaFuncAttribute) {
  return refuse(call, Reason::function_attributes);
}

cudaError_t attribute_changed(const char *call, const Kernel &kernel, cudaFuncAttribute attribute,
                              int value) {
  worker().use_stream(nullptr, call);  // the attribute is set for the current device
  Writer *to = worker().record(plan::Tag::attribute, call);
  if (to == nullptr) return cudaErrorNotSupported;
  to->put(index_of(kernel));
  to->put(attribute == cudaFuncAttributeMaxDynamicSharedMemorySize
              ? plan::FunctionAttribute::max_dynamic_shared_bytes
          : attribute == cudaFuncAttributePreferredSharedMemoryCarveout
              ? plan::FunctionAttribute::preferred_shared_carveout
              : plan::FunctionAttribute::large_clusters);
  to->put<std::int32_t>(value);
  return cudaSuccess;
}

int ptx_version(const Kernel &) {
  return device().figures.major * 10 + device().figures.minor;
}

cudaError_t record_event(const char *call, cudaStream_t stream, cudaEvent_t event, unsigned) {
  state().find_event(event)->recorded = true;
  return worker().put_event(plan::Tag::record_event, stream, event, call);
}
cudaError_t refuse_event(const char *, int, int) {
  return cudaErrorInvalidResourceHandle;
}
cudaError_t wait_for_event(const char *call, cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!state().find_event(event)->recorded) return cudaSuccess;
  return worker().put_event(plan::Tag::wait_for_event, stream, event, call);
}
void host_waited_for_stream(cudaStream_t stream) {
  worker().host_waits(plan::HostWaits::For::stream, worker().stream_of(stream));
}
void host_waited_for_event(cudaEvent_t event) {
  worker().wait_for_less();
  if (state().find_event(event)->recorded)
    worker().host_waits(plan::HostWaits::For::event, worker().event_of(event));
}
float milliseconds_between(const Event &, const Event &) {
  return 0;
}
cudaStreamCaptureStatus capture_status(cudaStream_t) {
  return cudaStreamCaptureStatusNone;
}

}  // namespace backend
}  // namespace warpgrade::cuda
