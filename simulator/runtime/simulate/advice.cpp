// cudaMemAdvise, cudaMemPrefetchAsync, and what programs ask of it: cudaMemRangeGetAttribute.
#include "runtime/simulate/advice.hpp"

#include <cstring>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

/// Whether a range is managed memory. Other memory of the host can be advised too, and nothing is kept of it.
bool is_managed(Runtime &r, const void *p, std::size_t bytes) {
  const Block *block = r.blocks.at(number(p));
  return block != nullptr && block->live && block->host_sees_it() && bytes != 0 &&
         bytes <= block->end() - number(p) && backend::kind_of(p) == MemoryKind::managed;
}

/// A device's memory does not move.
bool can_move(Runtime &r, const void *p, std::size_t bytes) {
  return p != nullptr && bytes != 0 && !in_device_range(number(p)) &&
         (!in_visible_range(number(p)) || r.blocks.at(number(p)) != nullptr);
}

/// The host's memory has no number.
Location location(int type, int id) {
  return {type, type == 2 ? cudaCpuDeviceId : id};
}
Location location(int device) {
  return device == cudaCpuDeviceId ? location(2, 0) : Location{1, device};
}
/// Two words in one register.
Location location(std::uint64_t both) {
  return location(static_cast<int>(both), static_cast<int>(both >> 32));
}
bool exists(const Location &where) {
  return where.type == 2 || where.type == 3 || where.type == 4 ||
         (where.type == 1 && where.id >= 0 && where.id < backend::device_count());
}

cudaError_t advise(const void *p, std::size_t bytes, cudaMemoryAdvise what, const Location &where) {
  return api("cudaMemAdvise", Waits::no, [&](Runtime &r) {
    const bool needs_place = what == cudaMemAdviseSetPreferredLocation ||
                             what == cudaMemAdviseSetAccessedBy || what == cudaMemAdviseUnsetAccessedBy;
    if (!can_move(r, p, bytes) || what < cudaMemAdviseSetReadMostly || what > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    if (needs_place && !exists(where)) return cudaErrorInvalidDevice;
    if (!is_managed(r, p, bytes)) return cudaSuccess;
    r.advice.change(number(p), bytes, [&](Advice &a) {
      if (what == cudaMemAdviseSetReadMostly) a.read_mostly = true;
      if (what == cudaMemAdviseUnsetReadMostly) a.read_mostly = false;
      if (what == cudaMemAdviseSetPreferredLocation) a.preferred = where;
      if (what == cudaMemAdviseUnsetPreferredLocation) a.preferred = {};
      if (what == cudaMemAdviseSetAccessedBy) a.accessed_by.insert(where);
      if (what == cudaMemAdviseUnsetAccessedBy) a.accessed_by.erase(where);
    });
    return cudaSuccess;
  });
}

cudaError_t prefetch(const void *p, std::size_t bytes, const Location &where) {
  return api("cudaMemPrefetchAsync", Waits::no, [&](Runtime &r) {
    if (!can_move(r, p, bytes)) return cudaErrorInvalidValue;
    if (!exists(where)) return cudaErrorInvalidDevice;
    if (is_managed(r, p, bytes)) r.advice.change(number(p), bytes, [&](Advice &a) { a.prefetched = where; });
    return cudaSuccess;
  });
}

/// What all pages of the range have in common.
Location common(const ManagedAdvice &advice, Address begin, std::size_t bytes, Location Advice::*which) {
  const Location first = advice.at(begin).*which;
  return advice.all(begin, bytes, [&](const Advice &a) { return a.*which == first; }) ? first : Location{};
}

cudaError_t tell(const ManagedAdvice &advice, Address begin, std::size_t bytes, int attribute, void *to,
                 std::size_t to_bytes) {
  const Location preferred = common(advice, begin, bytes, &Advice::preferred),
                 prefetched = common(advice, begin, bytes, &Advice::prefetched);
  // clang-format off
  const int words[] = {0, advice.all(begin, bytes, [](const Advice &a) { return a.read_mostly; }),
                       preferred.device(), 0, prefetched.device(), preferred.type, preferred.id,
                       prefetched.type, prefetched.id};
  // clang-format on
  if (attribute < 1 || attribute > 8 || to == nullptr || to_bytes == 0 || to_bytes % sizeof(int) != 0)
    return cudaErrorInvalidValue;
  if (attribute != cudaMemRangeAttributeAccessedBy) {
    if (to_bytes != sizeof(int)) return cudaErrorInvalidValue;
    std::memcpy(to, &words[attribute], sizeof(int));
    return cudaSuccess;
  }
  std::vector<int> devices;
  for (const Location &one : advice.at(begin).accessed_by)
    if (advice.all(begin, bytes, [&](const Advice &a) { return a.accessed_by.count(one) != 0; }))
      devices.push_back(one.device());
  devices.resize(to_bytes / sizeof(int), cudaInvalidDeviceId);
  std::memcpy(to, devices.data(), to_bytes);
  return cudaSuccess;
}

struct Questions {
  void **to;
  size_t *to_bytes;
  cudaMemRangeAttribute *attributes;
  size_t count;
};

cudaError_t tell_all(const char *call, const Questions &q, const void *p, std::size_t bytes) {
  return api(call, Waits::no, [&](Runtime &r) {
    if (q.to == nullptr || q.to_bytes == nullptr || q.attributes == nullptr || q.count == 0 ||
        !is_managed(r, p, bytes))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < q.count; ++i) {
      const cudaError_t error = tell(r.advice, number(p), bytes, q.attributes[i], q.to[i], q.to_bytes[i]);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

// CUDA 13 names places by cudaMemLocation, CUDA 12 only in _v2.
cudaError_t mem_advise(const void *, size_t, cudaMemoryAdvise, std::uint64_t) __asm__("cudaMemAdvise");
cudaError_t mem_advise(const void *p, size_t bytes, cudaMemoryAdvise what, std::uint64_t where) {
  return advise(p, bytes, what,
                backend::major_version() < 13 ? location(static_cast<int>(where)) : location(where));
}
cudaError_t mem_advise_v2(const void *, size_t, cudaMemoryAdvise, std::uint64_t) __asm__("cudaMemAdvise_v2");
cudaError_t mem_advise_v2(const void *p, size_t bytes, cudaMemoryAdvise what, std::uint64_t where) {
  return advise(p, bytes, what, location(where));
}
cudaError_t mem_prefetch(const void *, size_t, std::uint64_t) __asm__("cudaMemPrefetchAsync");
cudaError_t mem_prefetch(const void *p, size_t bytes, std::uint64_t where) {
  return prefetch(p, bytes,
                  backend::major_version() < 13 ? location(static_cast<int>(where)) : location(where));
}
cudaError_t mem_prefetch_v2(const void *, size_t, std::uint64_t) __asm__("cudaMemPrefetchAsync_v2");
cudaError_t mem_prefetch_v2(const void *p, size_t bytes, std::uint64_t where) {
  return prefetch(p, bytes, location(where));
}
extern decltype(mem_prefetch) mem_prefetch_ptsz __asm__("cudaMemPrefetchAsync_ptsz")
    __attribute__((alias("cudaMemPrefetchAsync")));
extern decltype(mem_prefetch_v2) mem_prefetch_v2_ptsz __asm__("cudaMemPrefetchAsync_v2_ptsz")
    __attribute__((alias("cudaMemPrefetchAsync_v2")));

cudaError_t cudaMemRangeGetAttributes(void **to, size_t *to_bytes, cudaMemRangeAttribute *attributes,
                                      size_t count, const void *p, size_t bytes) {
  return tell_all("cudaMemRangeGetAttributes", {to, to_bytes, attributes, count}, p, bytes);
}
cudaError_t cudaMemRangeGetAttribute(void *to, size_t to_bytes, cudaMemRangeAttribute attribute,
                                     const void *p, size_t bytes) {
  return tell_all("cudaMemRangeGetAttribute", {&to, &to_bytes, &attribute, 1}, p, bytes);
}

}  // extern "C"
