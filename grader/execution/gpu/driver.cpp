#include "gpu/driver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "gpu/child_process.hpp"

namespace warpgrade::gpu {

Driver Driver::open(const std::string &library) {
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string reason = [] {
      const char *text = ::dlerror();
      return std::string(text != nullptr ? text : "");
    }();
    // The plain case needs no details; a driver that is there and does not load does.
    const bool absent = reason.find("No such file or directory") != std::string::npos;
    throw DriverUnavailable("no NVIDIA driver on this machine" + (absent ? std::string() : ": " + reason));
  }
  Driver driver;
#define WARPGRADE_LOOK_UP(member, call, name)                                                \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(handle, name));          \
  if (driver.member == nullptr)                                                              \
    throw DriverUnavailable("the NVIDIA driver is too old: " + library + " has no " + name + \
                            "; CUDA 11.2 or newer is needed");
  WARPGRADE_DRIVER_CALLS(WARPGRADE_LOOK_UP)
#undef WARPGRADE_LOOK_UP
#define WARPGRADE_LOOK_FOR(member, call, name) \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(handle, name));
  WARPGRADE_NEWER_DRIVER_CALLS(WARPGRADE_LOOK_FOR)
#undef WARPGRADE_LOOK_FOR
  if (const auto code = driver.init(0); code != CUDA_SUCCESS)
    throw DriverUnavailable("the NVIDIA driver does not start: " + driver.describe(code));
  return driver;
}

std::string Driver::describe(CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(code, &name) != CUDA_SUCCESS || name == nullptr)
    return "unknown driver error " + std::to_string(static_cast<int>(code));
  if (error_string(code, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return std::string(name) + " (" + text + ")";
}

void Driver::check(CUresult code, const std::string &what) const {
  if (code != CUDA_SUCCESS) throw DriverError(code, what + ": " + describe(code));
}

Context Context::create(const std::string &library, int device_index) {
  Context context;
  context.driver = Driver::open(library);
  return context.another(device_index);
}

Context Context::another(int device_index) const {
  Context made;
  made.driver = driver;
  const auto &cu = driver;
  cu.check(cu.device_get(&made.device, device_index), "cuDeviceGet(" + std::to_string(device_index) + ")");
  cu.check(cu.primary_retain(&made.context, made.device), "creating a context");
  made.enter();
  cu.check(cu.stream_create(&made.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  cu.check(cu.event_create(&made.start, CU_EVENT_DEFAULT), "cuEventCreate");
  cu.check(cu.event_create(&made.stop, CU_EVENT_DEFAULT), "cuEventCreate");
  made.virtual_memory = made.attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0;
  made.shares_memory = made.virtual_memory &&
                       made.attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0;
  made.l2_bytes = made.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return made;
}

int Context::attribute(CUdevice_attribute which) const {
  int value = 0;
  driver.check(driver.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

bool Watch::until(CUevent event) const {
  // Looking without a pause is exact, and for longer than this it would only burn a core.
  constexpr double eagerly = 2e-3;
  const auto &cu = context_->driver;
  if (cu.event_query(event) != CUDA_ERROR_NOT_READY) return false;
  const double begin = now();
  while (cu.event_query(event) == CUDA_ERROR_NOT_READY)
    if (now() - begin > eagerly) std::this_thread::sleep_for(std::chrono::microseconds(10));
  return true;
}

void Watch::wait_for_start() {
  if (std::exchange(waited_, true)) return;
  saw_the_start_ = until(context_->start);
  began_ = now();
}

double Watch::wait() {
  wait_for_start();
  until(context_->stop);
  return saw_the_start_ ? now() - began_ : 0;
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) context_.driver.memory_free(address_);
}

void DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  const auto &cu = context_.driver;
  if (address_ != 0) cu.check(cu.memory_free(address_), "freeing device memory");
  address_ = 0;
  bytes_ = 0;
  cu.check(cu.memory_alloc(&address_, bytes), "allocating " + std::to_string(bytes) + " bytes on the GPU");
  bytes_ = bytes;
}

void L2Flush::prepare() {
  const auto &cu = context_.driver;
  cu.reset_persisting();  // a GPU that cannot keep lines says so: nothing to undo there
  if (buffer_ != 0) return;
  bytes_ = std::max<std::size_t>(2 * static_cast<std::size_t>(context_.l2_bytes), std::size_t{64} << 20);
  cu.check(cu.memory_alloc(&buffer_, bytes_), "allocating the L2 flush buffer");
}

void L2Flush::issue(int times) const {
  const auto &cu = context_.driver;
  for (int i = 0; i < times; ++i)
    cu.check(cu.set_words(buffer_, 0x5a5a5a5a, bytes_ / 4, context_.stream), "flushing the L2 cache");
}

void L2Flush::spin(double seconds) const {
  const auto &cu = context_.driver;
  for (const double end = now() + seconds; now() < end;) {
    issue(8);
    cu.check(cu.stream_synchronize(context_.stream), "warming up the GPU");
  }
}

}  // namespace warpgrade::gpu
