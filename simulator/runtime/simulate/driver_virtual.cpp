// The driver API: virtual memory. Programs reserve addresses, create memory, map it there and make it accessible,
// each by a call of its own.
//
// Reserved addresses are in the range that host and kernels share, without access. Memory is a file in memory, so it
// can be mapped at several addresses. Kernels can reach a mapping once cuMemSetAccess was called for it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/simulate/driver.hpp"

namespace warpgrade::cuda {
namespace {

constexpr std::uint64_t granularity = std::uint64_t{2} << 20;  // bytes, as on GPUs

/// Memory that cuMemCreate made.
struct Physical {
  int file = -1;
  std::uint64_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned references = 1;  ///< that the program holds
  unsigned mappings = 0;
};

struct Mapping {
  CUmemGenericAllocationHandle memory = 0;
  std::uint64_t bytes = 0;
  bool accessible = false;
};

struct VirtualMemory {
  std::map<Address, std::uint64_t> reserved;  ///< bytes
  std::map<CUmemGenericAllocationHandle, Physical> memories;
  std::map<Address, Mapping> mappings;
  CUmemGenericAllocationHandle last_handle = 0;
};

/// Used under the runtime's lock. Never destroyed: exit handlers of the program still call us.
VirtualMemory &virtual_memory() {
  static VirtualMemory *const all = new VirtualMemory;
  return *all;
}

bool is_whole(std::uint64_t bytes) {
  return bytes != 0 && bytes % granularity == 0;
}

Runtime::Usage &of_device(Runtime &r, const Physical &memory) {
  return r.usage[static_cast<std::size_t>(memory.properties.location.id)];
}

/// Frees the memory if the program holds no reference to it and maps it nowhere.
void let_go(Runtime &r, VirtualMemory &v, CUmemGenericAllocationHandle handle) {
  const auto found = v.memories.find(handle);
  if (found->second.references != 0 || found->second.mappings != 0) return;
  ::close(found->second.file);
  of_device(r, found->second).used_bytes -= found->second.bytes;
  v.memories.erase(found);
}

template <class Body>
CUresult in_driver(const char *call, const Body &body) {
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &r) { return body(r, virtual_memory()); });
}

cudaError_t reserve(Runtime &r, VirtualMemory &v, CUdeviceptr *to, std::uint64_t bytes,
                    std::uint64_t alignment) {
  const bool power = (alignment & (alignment - 1)) == 0;
  if (to == nullptr || !is_whole(bytes) || !power) return cudaErrorInvalidValue;
  const Address begin = r.visible.reserve(bytes, std::max(alignment, granularity));
  if (begin == 0) return cudaErrorMemoryAllocation;
  v.reserved[begin] = bytes;
  *to = begin;
  return cudaSuccess;
}

cudaError_t create(Runtime &r, VirtualMemory &v, CUmemGenericAllocationHandle *to, std::uint64_t bytes,
                   const CUmemAllocationProp *properties) {
  if (to == nullptr || properties == nullptr || !is_whole(bytes) ||
      properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return cudaErrorInvalidValue;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    r.not_supported("cuMemCreate", "memory that is not on the device");
    return cudaErrorNotSupported;
  }
  if (!r.has_device(properties->location.id)) return cudaErrorInvalidDevice;
  if (bytes > backend::available_bytes()) return cudaErrorMemoryAllocation;
  Physical made;
  made.bytes = bytes;
  made.properties = *properties;
  made.properties.allocFlags.compressionType = 0;  // compression is not simulated
  made.file = ::memfd_create("device memory", MFD_CLOEXEC);
  if (made.file < 0 || ::ftruncate(made.file, static_cast<off_t>(bytes)) != 0) {
    if (made.file >= 0) ::close(made.file);
    return cudaErrorMemoryAllocation;
  }
  of_device(r, made).used_bytes += bytes;
  *to = ++v.last_handle;
  v.memories[*to] = made;
  return cudaSuccess;
}

/// Whether one reservation contains all the bytes.
bool is_reserved(const VirtualMemory &v, Address begin, std::uint64_t bytes) {
  auto after = v.reserved.upper_bound(begin);
  if (after == v.reserved.begin()) return false;
  const auto &[first, all] = *std::prev(after);
  return begin - first <= all && bytes <= all - (begin - first);
}

/// The mappings that begin in a range; empty if one of them reaches beyond it, or there is a gap.
std::vector<std::pair<const Address, Mapping> *> mappings_in(VirtualMemory &v, Address begin,
                                                             std::uint64_t bytes) {
  std::vector<std::pair<const Address, Mapping> *> all;
  Address next = begin;
  for (auto one = v.mappings.find(begin); one != v.mappings.end() && one->first == next; ++one) {
    if (one->second.bytes > bytes - (next - begin)) return {};
    all.push_back(&*one);
    next += one->second.bytes;
    if (next - begin == bytes) return all;
  }
  return {};
}

cudaError_t map(VirtualMemory &v, Address begin, std::uint64_t bytes, std::uint64_t offset,
                CUmemGenericAllocationHandle handle) {
  const auto memory = v.memories.find(handle);
  if (memory == v.memories.end() || !is_whole(bytes) || begin % granularity != 0 || offset != 0 ||
      bytes > memory->second.bytes || !is_reserved(v, begin, bytes))
    return cudaErrorInvalidValue;
  const auto after = v.mappings.lower_bound(begin);
  const bool meets_next = after != v.mappings.end() && after->first < begin + bytes;
  const bool meets_last =
      after != v.mappings.begin() && std::prev(after)->first + std::prev(after)->second.bytes > begin;
  if (meets_next || meets_last) return cudaErrorInvalidValue;
  if (::mmap(pointer(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->second.file, 0) ==
      MAP_FAILED)
    return cudaErrorMemoryAllocation;
  ++memory->second.mappings;
  v.mappings[begin] = {handle, bytes, false};
  return cudaSuccess;
}

/// Takes the mapping away from kernels.
void withdraw(Runtime &r, Address begin, Mapping &mapping) {
  if (!mapping.accessible) return;
  mapping.accessible = false;
  r.device->free(begin);
  if (Block *block = r.blocks.starting_at(begin)) block->live = false;
}

void grant(Runtime &r, const VirtualMemory &v, Address begin, Mapping &mapping) {
  if (mapping.accessible) return;
  mapping.accessible = true;
  const std::string name = fmt::format("allocation {}", ++r.allocations);
  r.device->map({static_cast<std::byte *>(pointer(begin)), mapping.bytes}, name);
  r.add_block({begin, mapping.bytes, Kind::mapped, name, true, 0, false}).device =
      v.memories.at(mapping.memory).properties.location.id;
}

cudaError_t set_access(Runtime &r, VirtualMemory &v, Address begin, std::uint64_t bytes,
                       const CUmemAccessDesc *access, std::size_t count) {
  const auto all = mappings_in(v, begin, bytes);
  if (all.empty() || access == nullptr || count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) continue;  // this memory is not for the host
    if (!r.has_device(access[i].location.id)) return cudaErrorInvalidDevice;
    if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ) {
      r.not_supported("cuMemSetAccess", "memory that kernels can only read");
      return cudaErrorNotSupported;
    }
    for (auto *one : all)
      access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? grant(r, v, one->first, one->second)
                                                            : withdraw(r, one->first, one->second);
  }
  return cudaSuccess;
}

cudaError_t unmap(Runtime &r, VirtualMemory &v, Address begin, std::uint64_t bytes) {
  const auto all = mappings_in(v, begin, bytes);
  if (all.empty()) return cudaErrorInvalidValue;
  for (auto *one : all) {
    withdraw(r, one->first, one->second);
    VisibleMemory::release({static_cast<std::byte *>(pointer(one->first)), one->second.bytes});
    const CUmemGenericAllocationHandle memory = one->second.memory;
    --v.memories.at(memory).mappings;
    v.mappings.erase(one->first);
    let_go(r, v, memory);
  }
  return cudaSuccess;
}

/// The mapping that contains an address.
const Mapping *mapping_at(const VirtualMemory &v, Address address) {
  const auto after = v.mappings.upper_bound(address);
  if (after == v.mappings.begin()) return nullptr;
  const auto &[begin, mapping] = *std::prev(after);
  return address - begin < mapping.bytes ? &mapping : nullptr;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t *to, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags) {
  return in_driver("cuMemGetAllocationGranularity", [&](Runtime &, VirtualMemory &) {
    if (to == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *to = granularity;
    return cudaSuccess;
  });
}
CUresult cuMemAddressReserve(CUdeviceptr *to, size_t bytes, size_t alignment, CUdeviceptr,  // a wish
                             unsigned long long flags) {
  return in_driver("cuMemAddressReserve", [&](Runtime &r, VirtualMemory &v) {
    return flags != 0 ? cudaErrorInvalidValue : reserve(r, v, to, bytes, alignment);
  });
}
CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes) {
  return in_driver("cuMemAddressFree", [&](Runtime &r, VirtualMemory &v) {
    const auto found = v.reserved.find(p);
    const auto mapped = v.mappings.lower_bound(p);
    if (found == v.reserved.end() || found->second != bytes ||
        (mapped != v.mappings.end() && mapped->first < p + bytes))
      return cudaErrorInvalidValue;
    v.reserved.erase(found);
    r.visible.give_back(p);
    return cudaSuccess;
  });
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *to, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  return in_driver("cuMemCreate", [&](Runtime &r, VirtualMemory &v) {
    return flags != 0 ? cudaErrorInvalidValue : create(r, v, to, bytes, properties);
  });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return in_driver("cuMemRelease", [&](Runtime &r, VirtualMemory &v) {
    const auto found = v.memories.find(handle);
    if (found == v.memories.end() || found->second.references == 0) return cudaErrorInvalidValue;
    --found->second.references;
    let_go(r, v, handle);
    return cudaSuccess;
  });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *to, void *address) {
  return in_driver("cuMemRetainAllocationHandle", [&](Runtime &, VirtualMemory &v) {
    const Mapping *mapping = mapping_at(v, number(address));
    if (to == nullptr || mapping == nullptr) return cudaErrorInvalidValue;
    ++v.memories.at(mapping->memory).references;
    *to = mapping->memory;
    return cudaSuccess;
  });
}
CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return in_driver("cuMemMap", [&](Runtime &, VirtualMemory &v) {
    return flags != 0 ? cudaErrorInvalidValue : map(v, p, bytes, offset, handle);
  });
}
CUresult cuMemUnmap(CUdeviceptr p, size_t bytes) {
  return driver_call("cuMemUnmap", Waits::yes, Needs::context,
                     [&](Runtime &r) { return unmap(r, virtual_memory(), p, bytes); });
}
CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *access, size_t count) {
  return in_driver("cuMemSetAccess",
                   [&](Runtime &r, VirtualMemory &v) { return set_access(r, v, p, bytes, access, count); });
}
CUresult cuMemGetAccess(unsigned long long *to, const CUmemLocation *where, CUdeviceptr p) {
  return in_driver("cuMemGetAccess", [&](Runtime &, VirtualMemory &v) {
    const Mapping *mapping = mapping_at(v, p);
    if (to == nullptr || where == nullptr || mapping == nullptr) return cudaErrorInvalidValue;
    const bool here = where->type == CU_MEM_LOCATION_TYPE_DEVICE && where->id == 0;
    *to = here && mapping->accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *to,
                                                CUmemGenericAllocationHandle handle) {
  return in_driver("cuMemGetAllocationPropertiesFromHandle", [&](Runtime &, VirtualMemory &v) {
    const auto found = v.memories.find(handle);
    if (to == nullptr || found == v.memories.end()) return cudaErrorInvalidValue;
    *to = found->second.properties;
    return cudaSuccess;
  });
}

}  // extern "C"
