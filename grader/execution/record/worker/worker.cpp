#include "record/worker/worker.hpp"

#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "plan/addresses.hpp"

namespace warpgrade::record {
namespace {

constexpr std::size_t flush_above = 1 << 16;

_Unwind_Reason_Code add_caller(_Unwind_Context *context, void *to) {
  auto &callers = *static_cast<Callers *>(to);
  int interrupted = 0;  // by a signal: then the address is that of an instruction that has not been executed
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIPInfo(context, &interrupted));
  if (address == 0 || callers.count == callers.frames.size()) return _URC_END_OF_STACK;
  callers.frames[callers.count++] = address + (interrupted != 0 ? 1 : 0);
  return _URC_NO_REASON;
}

}  // namespace

Worker &worker() {
  alignas(Worker) static std::byte place[sizeof(Worker)];
  static Worker *const state =
      new (place) Worker;  // never destroyed: exit handlers of the student still call us
  return *state;
}

Worker::Worker() {
  read_orders();
  for (const plan::Buffer &buffer : orders_.request.buffers)
    slots.push_back({buffer.name, buffer.bytes, buffer.owner, buffer.device});
  // Room for a small plan, which a launcher that has taken all the memory there is may still make.
  plan_.put_bytes(std::vector<std::byte>(1 << 14));
  plan_.clear();
}

// The request is read here and not in main, because a constructor may ask for the device's properties before.
void Worker::read_orders() {
  std::vector<std::byte> bytes;
  std::byte block[4096];
  for (;;) {
    const ssize_t got = ::read(request_descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.insert(bytes.end(), block, block + got);
  }
  ::close(request_descriptor);
  try {
    orders_ = plan::decode_request(bytes);
  } catch (const WireError &) {
    ::_exit(125);  // only without a record server: nobody reads a plan then
  }
}

Writer *Worker::record(plan::Tag tag, const char *name) {
  if (refused_) return nullptr;
  if (phase != Phase::inside) {
    refuse(name, phase == Phase::before
                     ? "called before the launcher, in the constructor of a global object; only the launcher "
                       "may use the device"
                     : "called after the launcher returned; only the launcher may use the device");
    return nullptr;
  }
  if (++operations_ > orders_.limits.operations) {
    refuse(name, "the launcher does more than " + std::to_string(orders_.limits.operations) + " operations");
    return nullptr;
  }
  if (plan_.bytes().size() > flush_above) flush();
  plan_.put(tag);
  return &plan_;
}

void Worker::refuse(const char *call, const std::string &rule) {
  if (refused_) return;
  refused_ = true;
  plan_.put(plan::Tag::refused);
  plan_.put_string(std::string(call) + ": " + rule);
  flush();  // now: the student may end the process because of the error that this call returns
  note_callers();
  flush();
}

Callers callers() {
  Callers found;
  _Unwind_Backtrace(add_caller, &found);
  return found;
}

void Worker::note_callers() {
  const Callers found = callers();
  plan_.put(plan::Tag::called_from);
  plan_.put(found.count);
  for (std::uint8_t i = 0; i < found.count; ++i) plan_.put(found.frames[i]);
}

void Worker::failed_launch(const std::string &reason) {
  if (refused_) return;
  plan_.put(plan::Tag::failed_launch);
  plan_.put_string(reason);
  flush();  // before the stack is read, which the student may have damaged
  note_callers();
  flush();
}

void Worker::launched() {
  if (!refused_ && (orders_.request.calls > 1 || orders_.request.devices > 1)) note_callers();
}

void Worker::begin_call(const char *call, bool waits) {
  call_ = call;
  waits_ = waits;
  moved_ = false;
}

void Worker::end_call(bool succeeded) {
  if (!std::exchange(waits_, false) || !succeeded || orders_.request.devices < 2 || phase != Phase::inside)
    return;
  host_waits(moved_ ? plan::HostWaits::For::stream : plan::HostWaits::For::device, device);
}

void Worker::host_waits(plan::HostWaits::For what, std::uint32_t number) {
  waits_ = false;
  if (orders_.request.devices < 2) return;
  if (Writer *to = record(plan::Tag::host_waits, call_)) {
    to->put(what);
    to->put(number);
  }
}

cudaError_t Worker::put_event(plan::Tag tag, cudaStream_t stream, cudaEvent_t event, const char *call) {
  if (orders_.request.devices < 2) return cudaSuccess;
  use_stream(stream, call);
  const std::uint32_t known = event_of(event);
  Writer *to = record(tag, call);
  if (to == nullptr) return cudaErrorNotSupported;
  to->put(known);
  return cudaSuccess;
}

void Worker::moved(bool host_waits) {
  moved_ = true;
  if (!host_waits) waits_ = false;
  if (!refused_ && orders_.request.devices > 1) note_callers();
}

void Worker::call_again() {
  mark(plan::Tag::called_again);
  flush();  // should the second call crash, it is known that it was the second
  operations_ = uploaded = 0;
  kept_ = scratch;
  device = 0;
  stream_in_use_.reset();
  slots_before_ = slots.size() - orders_.request.buffers.size();
}

void Worker::thrown(const std::string &what) {
  plan_.put(plan::Tag::thrown);
  plan_.put_string(what);
  flush();
}

void Worker::mark(plan::Tag tag) {
  plan_.put(tag);
}

void Worker::flush() {
  write_all(plan_descriptor, plan_.bytes());
  plan_.clear();
}

std::uint32_t Worker::stream_of(cudaStream_t stream) {
  if (orders_.request.devices < 2) return 0;
  constexpr std::uint64_t last_legacy = 1;  // cudaStreamLegacy; 0 is the same where the program says nothing
  const std::uint64_t handle = cuda::number(stream);
  if (handle <= last_legacy) return device;
  const bool per_thread = stream == cudaStreamPerThread;
  const std::uint8_t owner = per_thread ? device : static_cast<std::uint8_t>(state.device_of(stream, device));
  const auto [known, fresh] =
      streams_.try_emplace({owner, handle}, streams_.size() + orders_.request.devices);
  if (fresh) devices_of_streams_.push_back(owner);
  if (devices_of_streams_.size() > plan::most_streams)
    refuse(call_, "the launcher uses more than " + std::to_string(plan::most_streams) + " streams");
  if (fresh && !refused_) {
    const auto found = state.streams.find(handle);
    plan_.put(plan::Tag::stream);
    plan_.put(owner);
    plan_.put<std::uint8_t>(per_thread || found == state.streams.end() ||
                            (found->second.flags & cudaStreamNonBlocking) == 0);
  }
  return known->second;
}

bool Worker::may_fill(std::uint8_t owner) const {
  const std::size_t devices = orders_.request.devices;
  if (devices < 2) return true;
  const std::size_t used = stream_in_use_.value_or(device);
  const std::uint8_t fills =
      used < devices ? static_cast<std::uint8_t>(used) : devices_of_streams_.at(used - devices);
  return fills == owner || peers.contains({fills, owner});
}

void Worker::use_stream(cudaStream_t stream, const char *call) {
  if (orders_.request.devices < 2) return;
  const std::uint32_t used = stream_of(stream);
  if (stream_in_use_ == used) return;
  if (Writer *to = record(plan::Tag::use_stream, call)) {
    to->put(used);
    stream_in_use_ = used;
  }
}

std::uint32_t Worker::event_of(cudaEvent_t event) {
  if (orders_.request.devices < 2) return 0;
  const auto [known, fresh] = events_.try_emplace(cuda::number(event), events_.size());
  if (fresh && !refused_) plan_.put(plan::Tag::event);
  return known->second;
}

std::uint64_t Worker::allocate(std::uint64_t bytes, const char *call) {
  const plan::Limits &limits = orders_.limits;
  const std::uint64_t available = std::min(limits.scratch_bytes, orders_.request.device.global_bytes);
  if (bytes > plan::largest_buffer || bytes > available || in_use() > available - bytes) return 0;
  if (slots.size() - slots_before_ >= limits.buffers + orders_.request.buffers.size()) {
    refuse(call,
           "the launcher uses more than " + std::to_string(limits.buffers) + " allocations and variables");
    return 0;
  }
  const std::uint64_t address = plan::address_of_slot(slots.size());
  Writer *to = record(plan::Tag::allocate, call);
  if (to == nullptr) return 0;
  to->put(address);
  to->put(bytes);
  to->put(device);
  std::size_t earlier = 0;
  for (const Slot &slot : slots) earlier += slot.owner == plan::Owner::student;
  slots.push_back({"scratch " + std::to_string(earlier + 1), bytes, plan::Owner::student, device});
  note_callers();
  scratch += bytes;
  return address;
}

std::uint64_t Worker::address_of(cuda::Variable &variable, const char *call) {
  std::uint64_t &address = device == 0 ? variable.address : elsewhere_[{&variable, device}];
  if (address != 0) return address;
  const std::vector<plan::Buffer> &known = orders_.request.variables;
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto &one) { return one.name == variable.name; });
  if (found == known.end()) return 0;
  Writer *to = record(plan::Tag::variable, call);
  if (to == nullptr) return 0;
  address = plan::address_of_slot(slots.size());
  to->put(static_cast<std::uint32_t>(found - known.begin()));
  to->put(address);
  to->put(device);
  slots.push_back({variable.name, found->bytes, plan::Owner::module, device});
  return address;
}

void write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

}  // namespace warpgrade::record
