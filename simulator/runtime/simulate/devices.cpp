// Several devices. There is one range of addresses for all, so a pointer says whose memory it is; the rooms below
// know a device by its number.
#include "runtime/simulate/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/copies.hpp"
#include "runtime/simulate/driver.hpp"

namespace warpgrade::cuda {

int device_of_thread() {
  return context_stack().empty() ? 0 : context_stack().back()->device;
}

void Runtime::use(int number) {
  current = number;
  device = devices[static_cast<std::size_t>(number)].get();
}

void Runtime::set_access(int runner, int owner, bool may) {
  std::uint32_t &of = peers[static_cast<std::size_t>(runner)];
  of = may ? of | 1u << owner : of & ~(1u << owner);
  devices[static_cast<std::size_t>(runner)]->reach(static_cast<std::uint8_t>(owner), may);
}

Block &Runtime::add_block(Block block) {
  block.device = current;
  return blocks.add(std::move(block));
}

std::size_t device_of_pool(const Runtime &r, cudaMemPool_t pool) {
  const std::uint64_t default_of = number(pool) - 1;  // of a device: its number and one
  if (default_of < r.devices.size()) return default_of;
  const auto found = r.pools.find(pool);
  return found == r.pools.end() ? 0 : static_cast<std::size_t>(found->second.device);
}

void reset_current(Runtime &r) {
  const int device = r.current;
  std::vector<Address> gone;
  for (const auto &[begin, block] : r.blocks.all()) {
    // Managed variables are also those of the other devices.
    if (block.device != device || (block.kind == Kind::managed && !block.allocated)) continue;
    if (block.live && block.host_sees_it()) {
      r.device->free(begin);
      if (block.kind != Kind::registered)
        VisibleMemory::release({static_cast<std::byte *>(pointer(begin)), block.bytes});
    }
    gone.push_back(begin);
  }
  for (const Address begin : gone) r.blocks.forget(begin);
  r.usage[static_cast<std::size_t>(device)] = {};
  r.forget_device(device);
  std::erase_if(r.textures,
                [&](const auto &one) { return one.first >> 32 == static_cast<unsigned>(device); });
  r.device->forget();
  for (std::size_t other = 0; other < r.devices.size(); ++other)
    if (static_cast<int>(other) != device) {
      r.set_access(device, static_cast<int>(other), false);
      r.set_access(static_cast<int>(other), device, false);
    }
  for (const auto &module : r.modules) module->loaded &= ~(1u << device);
}

cudaError_t refuse_stream_of_other_device(Runtime &r, const char *call, int device) {
  r.mistake(
      call, "wrong_device",
      fmt::format("launches a kernel into a stream of device {}, while device {} is the current one: call "
                  "cudaSetDevice({}) first; returned cudaErrorInvalidResourceHandle",
                  device, r.current, device));
  return cudaErrorInvalidResourceHandle;
}

cudaError_t backend::refuse_event(const char *call, int device, int device_of_stream) {
  runtime().mistake(call, "wrong_device",
                    fmt::format("records an event of device {} in a stream of device {}: create the event "
                                "after cudaSetDevice({}); returned cudaErrorInvalidResourceHandle",
                                device, device_of_stream, device_of_stream));
  return cudaErrorInvalidResourceHandle;
}

cudaError_t refuse_fill_elsewhere(Runtime &r, const char *call, const Block &block) {
  const int runner = r.order.device(r);
  r.mistake(
      call, "peer_access",
      fmt::format("device {} is to fill {} of device {}, to whose memory it has no access: call "
                  "cudaSetDevice({}) first, or cudaDeviceEnablePeerAccess({}, 0) after cudaSetDevice({}); "
                  "returned cudaErrorInvalidValue",
                  runner, block.name, block.device, block.device, block.device, runner),
      block.name);
  return cudaErrorInvalidValue;
}

namespace {

/// Whether the call names another device that exists.
cudaError_t check_peer(Runtime &r, const char *call, int other) {
  if (r.devices.size() == 1) return backend::refuse(call, Reason::peers);
  return r.has_device(other) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t enable(Runtime &r, const char *call, int other, unsigned flags) {
  if (const cudaError_t error = check_peer(r, call, other); error != cudaSuccess) return error;
  if (flags != 0) return cudaErrorInvalidValue;
  if (other == r.current) return cudaErrorPeerAccessUnsupported;
  if (r.may_access(r.current, other)) return cudaErrorPeerAccessAlreadyEnabled;
  r.set_access(r.current, other, true);
  return cudaSuccess;
}

cudaError_t disable(Runtime &r, const char *call, int other) {
  if (const cudaError_t error = check_peer(r, call, other); error != cudaSuccess) return error;
  if (other == r.current || !r.may_access(r.current, other)) return cudaErrorPeerAccessNotEnabled;
  r.set_access(r.current, other, false);
  return cudaSuccess;
}

/// The devices that a copy names exist; where the bytes are, their addresses say.
cudaError_t check_devices(Runtime &r, int to, int from) {
  return r.has_device(to) && r.has_device(from) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t copy_between(const char *call, int to, int from, cudaStream_t stream, const CopyWork &work,
                         Waits waits) {
  return api(call, waits, [&](Runtime &r) {
    const cudaError_t error = check_devices(r, to, from);
    return error == cudaSuccess ? submit(r, call, stream, work) : error;
  });
}

cudaError_t copy_box_between(const char *call, const cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                             Waits waits) {
  return api(call, waits, [&](Runtime &r) {
    if (p == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_devices(r, p->dstDevice, p->srcDevice); error != cudaSuccess)
      return error;
    const cudaMemcpy3DParms plain{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    CopyWork work;
    const cudaError_t error = make_copy(r, call, &plain, work);
    return error == cudaSuccess ? submit(r, call, stream, work) : error;
  });
}

}  // namespace

namespace backend {

int device_count() {
  return static_cast<int>(runtime().devices.size());
}

void set_device(int number) {
  std::vector<Context *> &stack = context_stack();
  Context *const primary = &driver_state().primary[static_cast<std::size_t>(number)];
  if (stack.empty())
    stack.push_back(primary);
  else if (stack.back()->device != number || device_count() > 1)
    stack.back() = primary;
  runtime().use(number);
}

int device_of_pool(cudaMemPool_t pool) {
  return static_cast<int>(cuda::device_of_pool(runtime(), pool));
}

OnDevice::OnDevice(int number) : before_(runtime().current) {
  runtime().use(number);
}
OnDevice::~OnDevice() {
  runtime().use(before_);
}

}  // namespace backend
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
  constexpr const char *call = "cudaDeviceEnablePeerAccess";
  return api(call, Waits::no, [&](Runtime &r) { return enable(r, call, other, flags); });
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
  constexpr const char *call = "cudaDeviceDisablePeerAccess";
  return api(call, Waits::no, [&](Runtime &r) { return disable(r, call, other); });
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr which, int device, int other) {
  return api("cudaDeviceGetP2PAttribute", Waits::no, [&](Runtime &r) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device == other || !r.has_device(device) || !r.has_device(other)) return cudaErrorInvalidDevice;
    if (which < cudaDevP2PAttrPerformanceRank || which > cudaDevP2PAttrCudaArrayAccessSupported)
      return cudaErrorInvalidValue;
    *value = which != cudaDevP2PAttrPerformanceRank;  // all links are of the best kind
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count) {
  return api("cudaMemPoolSetAccess", Waits::no, [&](Runtime &r) {
    if (access == nullptr && count != 0) return cudaErrorInvalidValue;
    const int owner = static_cast<int>(device_of_pool(r, pool));
    for (size_t i = 0; i < count; ++i) {
      const cudaMemLocation &where = access[i].location;
      if (where.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
      if (!r.has_device(where.id)) return cudaErrorInvalidDevice;
      // What a device may do is known of all memory of the other one, not of each pool.
      if (where.id != owner && access[i].flags != cudaMemAccessFlagsProtNone)
        r.set_access(where.id, owner, true);
    }
    return cudaSuccess;
  });
}

// Between two devices these do not make the host wait, which documentation promises of none of them.
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
  return copy_between("cudaMemcpyPeer", to_device, from_device, nullptr,
                      line_copy(to, from, bytes, cudaMemcpyDeviceToDevice),
                      to_device == from_device ? Waits::yes : Waits::no);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return copy_between("cudaMemcpyPeerAsync", to_device, from_device, stream,
                      line_copy(to, from, bytes, cudaMemcpyDeviceToDevice), Waits::no);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  return copy_box_between("cudaMemcpy3DPeer", p, nullptr, Waits::no);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return copy_box_between("cudaMemcpy3DPeerAsync", p, stream, Waits::no);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  constexpr const char *call = "cuCtxEnablePeerAccess";
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &r) {
    const Context *const context = context_of(peer);
    return context == nullptr ? static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT)
                              : enable(r, call, context->device, flags);
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  constexpr const char *call = "cuCtxDisablePeerAccess";
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &r) {
    const Context *const context = context_of(peer);
    return context == nullptr ? static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT)
                              : disable(r, call, context->device);
  });
}

WARPGRADE_ALSO(cudaMemcpy3DPeer, _ptds);
WARPGRADE_ALSO(cudaMemcpy3DPeerAsync, _ptsz);

}  // extern "C"
