#include "gpu/arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace warpgrade::gpu {
namespace {

constexpr std::size_t room_to_move = 64 << 10;
/// A multiple of every granularity that a driver is known to have.
constexpr std::size_t unmapped_around = std::size_t{64} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

/// Calls `found` with the index of every byte that is not the guard pattern's. `start` is the zone's place in
/// its arena: the pattern runs through the arena in words. Megabytes are checked after each run, so whole
/// blocks first.
template <typename Found>
void for_each_overwritten(std::span<const std::byte> zone, std::size_t start, const Found &found) {
  constexpr std::size_t block = 4096;
  std::array<std::byte, block> pattern;
  for (std::size_t i = 0; i < block; ++i)
    pattern[i] = static_cast<std::byte>(guard_word >> 8 * ((start + i) % 4) & 0xff);
  for (std::size_t at = 0; at < zone.size(); at += block) {
    const auto size = std::min(block, zone.size() - at);
    if (std::memcmp(zone.data() + at, pattern.data(), size) == 0) continue;
    for (std::size_t i = 0; i < size; ++i)
      if (zone[at + i] != pattern[i]) found(at + i);
  }
}

}  // namespace

Mapping::Mapping(const Context &context, std::size_t bytes, Sharing sharing,
                 std::optional<CUdevice> memory_of)
    : context_(context), bytes_(bytes) {
  const auto &cu = context_.driver;
  const auto what = "allocating " + std::to_string(bytes) + " bytes";
  if (!context_.virtual_memory) {
    cu.check(cu.memory_alloc(&base_, bytes_), what);
    return;
  }
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = memory_of.value_or(context_.device);
  if (sharing == Sharing::with_another_process)
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  std::size_t granularity = 0;
  cu.check(cu.physical_granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), what);
  bytes_ = rounded_up(bytes, granularity);
  CUmemGenericAllocationHandle handle{};
  cu.check(cu.physical_create(&handle, bytes_, &properties, 0), what);
  physical_ = handle;
  map(what);
}

Mapping::Mapping(const Context &context, std::size_t bytes, const Descriptor &memory)
    : context_(context), bytes_(bytes) {
  const auto &cu = context_.driver;
  const auto what = "mapping another process's memory";
  CUmemGenericAllocationHandle handle{};
  cu.check(cu.import_handle(&handle, reinterpret_cast<void *>(static_cast<std::intptr_t>(memory.get())),
                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           what);
  physical_ = handle;
  map(what);
}

void Mapping::map(const std::string &what) {
  const auto &cu = context_.driver;
  try {
    reserved_bytes_ = bytes_ + 2 * unmapped_around;
    cu.check(cu.address_reserve(&reserved_, reserved_bytes_, 0, 0, 0), what);
    cu.check(cu.map(reserved_ + unmapped_around, bytes_, 0, *physical_, 0), what);
    base_ = reserved_ + unmapped_around;
    cu.check(set_access(context_.device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), what);
  } catch (...) {
    release();
    throw;
  }
}

CUresult Mapping::set_access(CUdevice device, CUmemAccess_flags flags) const {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = flags;
  return context_.driver.set_access(base_, bytes_, &access, 1);
}

void Mapping::allow(CUdevice device, bool allowed) {
  if (!context_.virtual_memory || device == context_.device || allowed_.contains(device) == allowed) return;
  context_.driver.check(
      set_access(device, allowed ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE),
      "access to the memory of another GPU");
  if (allowed)
    allowed_.insert(device);
  else
    allowed_.erase(device);
}

Descriptor Mapping::file() const {
  const auto &cu = context_.driver;
  int file = -1;
  cu.check(cu.export_handle(&file, *physical_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           "handing memory to another process");
  return Descriptor(file);
}

Mapping::~Mapping() {
  release();
}

void Mapping::release() {
  const auto &cu = context_.driver;
  if (!context_.virtual_memory) {
    if (base_ != 0) cu.memory_free(base_);
  } else {
    if (base_ != 0) cu.unmap(base_, bytes_);
    if (physical_) cu.physical_release(*physical_);
    if (reserved_ != 0) cu.address_free(reserved_, reserved_bytes_);
  }
  base_ = reserved_ = 0;
  physical_.reset();
}

Arena::Arena(const Context &context, std::size_t capacity, Mapping::Sharing sharing,
             std::optional<CUdevice> memory_of)
    : context_(context),
      capacity_(capacity),
      mapping_(context, rounded_up(capacity, placement_step) + 2 * guard_bytes + room_to_move, sharing,
               memory_of) {}

CUdeviceptr Arena::place(std::size_t bytes, std::uint64_t random) {
  const auto &cu = context_.driver;
  const auto places =
      (mapping_.bytes() - 2 * guard_bytes - rounded_up(bytes, placement_step)) / placement_step + 1;
  data_ = mapping_.base() + guard_bytes + random % places * placement_step;
  bytes_ = bytes;
  cu.check(cu.set_words(mapping_.base(), guard_word, mapping_.bytes() / 4, context_.stream),
           "filling guard zones");
  if (bytes > 0) cu.check(cu.set_bytes(data_, 0xff, bytes, context_.stream), "poisoning a buffer");
  return data_;
}

GuardDamage Arena::damage() const {
  const auto &cu = context_.driver;
  const auto before = static_cast<std::size_t>(data_ - mapping_.base());
  const auto after = mapping_.bytes() - before - bytes_;
  std::vector<std::byte> zones(before + after);
  cu.check(cu.copy_out(zones.data(), mapping_.base(), before, context_.stream), "reading a guard zone");
  cu.check(cu.copy_out(zones.data() + before, data_ + bytes_, after, context_.stream),
           "reading a guard zone");
  cu.check(cu.stream_synchronize(context_.stream), "reading a guard zone");

  GuardDamage damage;
  for_each_overwritten(std::span(zones).first(before), 0, [&](std::size_t i) {
    ++damage.before;
    damage.nearest_before = before - i;  // ascending: the last one found is the nearest
  });
  for_each_overwritten(std::span(zones).subspan(before), before + bytes_, [&](std::size_t i) {
    if (damage.after++ == 0) damage.nearest_after = i + 1;
  });
  return damage;
}

}  // namespace warpgrade::gpu
