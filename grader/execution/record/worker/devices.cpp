// Calls that name two devices: peer access, and copies from one device to another.
#include "record/worker/api.hpp"

namespace warpgrade::record {
namespace {

using cuda::Waits;
using cuda::backend::enter;

bool exists(int device) {
  return device >= 0 && device < worker().orders().request.devices;
}

cudaError_t change_access(const char *call, int owner, unsigned flags, bool allowed) {
  return enter(call, Waits::no, [&]() -> cudaError_t {
    Worker &w = worker();
    if (w.orders().request.devices < 2) return cuda::backend::refuse(call, cuda::Reason::peers);
    if (flags != 0) return cudaErrorInvalidValue;
    if (!exists(owner)) return cudaErrorInvalidDevice;
    if (owner == w.device) return cudaErrorPeerAccessUnsupported;
    const auto peer = static_cast<std::uint8_t>(owner);
    const bool before = !w.peers.insert({w.device, peer}).second;
    if (!allowed) w.peers.erase({w.device, peer});
    if (!allowed && !before) return cudaErrorPeerAccessNotEnabled;
    // Recorded also where nothing changes: a second call of the launcher is to do what the first one did.
    Writer *to = w.record(plan::Tag::peer_access, call);
    if (to == nullptr) return cudaErrorNotSupported;
    to->put(w.device);
    to->put(peer);
    to->put<std::uint8_t>(allowed);
    return allowed && before ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  });
}

/// Whether the pointer is memory of that device; else the plan is refused.
bool is_on(const char *call, const char *which, const void *p, int device) {
  const Slot *slot = slot_at(p);
  if (slot != nullptr && slot->device == device) return true;
  record::refuse(
      call, std::string("its ") + which + " is said to be on device " + std::to_string(device) + ", and " +
                (slot == nullptr ? "belongs to no device"
                                 : place_name(p) + " is on device " + std::to_string(slot->device)));
  return false;
}

/// In a default stream, it comes after all that either device was given before: simulate/plan_order.
cudaError_t copy_between(const char *call, void *to, int to_device, const void *from, int from_device,
                         std::size_t bytes, cudaStream_t stream) {
  return enter(call, Waits::no, [&]() -> cudaError_t {
    Worker &w = worker();
    const bool on_the_first = to_device == 0 && from_device == 0;  // which is a copy like any other
    if (w.orders().request.devices < 2 && !on_the_first)
      return cuda::backend::refuse(call, cuda::Reason::peers);
    if (!exists(to_device) || !exists(from_device)) return cudaErrorInvalidDevice;
    if (bytes == 0) return cudaSuccess;
    if (!is_on(call, "destination", to, to_device) || !is_on(call, "source", from, from_device))
      return cudaErrorInvalidValue;
    return cuda::backend::submit(call, stream, cuda::line_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}

}  // namespace
}  // namespace warpgrade::record

using namespace warpgrade::record;

extern "C" {

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
  return change_access("cudaDeviceEnablePeerAccess", other, flags, true);
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
  return change_access("cudaDeviceDisablePeerAccess", other, 0, false);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
  return copy_between("cudaMemcpyPeer", to, to_device, from, from_device, bytes, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return copy_between("cudaMemcpyPeerAsync", to, to_device, from, from_device, bytes, stream);
}

}  // extern "C"
