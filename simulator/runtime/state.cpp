#include "runtime/state.hpp"

#include <cuda_runtime_api.h>

namespace warpgrade::cuda {

Kernel *State::find_kernel(const void *key) {
  if (const auto known = handles.find(key); known != handles.end()) return known->second;
  const auto found = kernels.find(key);
  return found == kernels.end() ? nullptr : found->second.get();
}

Event *State::find_event(const void *handle) {
  const auto found = events.find(number(handle));
  return found == events.end() ? nullptr : &found->second;
}

bool State::has_stream(const void *handle) const {
  return number(handle) <= 2 ||
         streams.count(number(handle)) != 0;  // 0, cudaStreamLegacy, cudaStreamPerThread
}

State::State() {
  streams[number(cudaStreamPerThread)].flags = cudaStreamNonBlocking;
}

int State::device_of(const void *handle, int current) const {
  const auto found = number(handle) <= 2 ? streams.end() : streams.find(number(handle));
  return found == streams.end() ? current : found->second.device;
}

std::map<int, std::size_t> &State::limits_of(int device) {
  auto &of = limits[device];
  if (of.empty())
    of = {{cudaLimitStackSize, 1024},  // as a GPU of compute capability 9.0 answers
          {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
          {cudaLimitMallocHeapSize, std::size_t{8} << 20},
          {cudaLimitDevRuntimeSyncDepth, 2},
          {cudaLimitDevRuntimePendingLaunchCount, 2048},
          {cudaLimitMaxL2FetchGranularity, 64},
          {cudaLimitPersistingL2CacheSize, 0}};
  return of;
}

void State::forget_device(int device) {
  std::erase_if(streams, [device](const auto &one) { return one.first > 2 && one.second.device == device; });
  streams[number(cudaStreamPerThread)] = {};
  streams[number(cudaStreamPerThread)].flags = cudaStreamNonBlocking;
  std::erase_if(events, [device](const auto &one) { return one.second.device == device; });
  limits.erase(device);
  for (const auto &[function, kernel] : kernels) kernel->on(device).max_dynamic_shared = 0;
}

}  // namespace warpgrade::cuda
