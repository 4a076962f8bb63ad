#include "machine/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t alignment = 512;
constexpr std::uint64_t min_red_zone =
    16u << 20;  // addresses are free: a whole row past the end still gets the right name
constexpr std::uint64_t heap_red_zone = 4096;  // a kernel may request memory a million times
constexpr std::uint64_t heap_unit = 16;
constexpr std::size_t most_freed_of_all_sizes = 1 << 20;  // then the heap counts as fragmented
constexpr std::size_t most_freed_on_heap = 1024;          // of one size; then the oldest is reused

}  // namespace

Allocation &Memory::allocate(std::uint64_t bytes, std::string name, bool initialized, std::uint8_t owner) {
  const std::uint64_t used = of_[owner].used, limit = of_[owner].limit;
  if (bytes > limit || used > limit - bytes)
    throw OutOfMemory(fmt::format("out of memory: {} bytes requested, {} of {} in use", bytes, used, limit));
  return place(bytes, std::move(name), initialized, std::max(min_red_zone, bytes), owner);
}

Allocation &Memory::place(std::uint64_t bytes, std::string name, bool initialized, std::uint64_t red_zone,
                          std::uint8_t owner) {
  auto made = std::make_unique<Allocation>();
  made->begin = next_;
  made->bytes = bytes;
  made->name = std::move(name);
  made->owner = owner;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  made->data.reset(static_cast<std::byte *>(std::calloc(size, 1)));
  if (!initialized && bytes > 0) made->valid.reset(static_cast<std::uint8_t *>(std::calloc(size, 1)));
  if (!made->data || (!initialized && bytes > 0 && !made->valid))
    throw OutOfMemory(fmt::format("out of memory: {} bytes requested", bytes));
  of_[owner].used += bytes;
  next_ = (made->end() + red_zone + alignment - 1) / alignment * alignment;
  Allocation &result = *made;
  allocations_.emplace(result.begin, std::move(made));
  return result;
}

Address Memory::allocate_on_heap(std::uint64_t bytes, std::string name, std::uint8_t owner) {
  OfDevice &of = of_[owner];
  if (bytes == 0 || bytes > of.heap_limit) return 0;
  const std::uint64_t taken = (bytes + heap_unit - 1) / heap_unit * heap_unit;
  if (of.heap_used + taken > of.heap_limit) return 0;
  if (of.freed_count > most_freed_of_all_sizes) return 0;
  of.heap_used += taken;
  if (auto &freed = of.freed_on_heap[bytes]; freed.size() > most_freed_on_heap) {
    Allocation &old = *freed.front();
    freed.pop_front();
    --of.freed_count;
    old.data.reset(static_cast<std::byte *>(std::calloc(bytes, 1)));
    old.valid.reset(static_cast<std::uint8_t *>(std::calloc(bytes, 1)));
    if (!old.data || !old.valid) throw std::bad_alloc();
    old.name = std::move(name);
    old.live = old.again = true;
    old.hole = 0;
    return old.begin;
  }
  Allocation &made = place(bytes, std::move(name), false, heap_red_zone, owner);
  made.on_heap = true;
  of.used -= bytes;  // the heap has a separate limit
  return made.begin;
}

void Memory::map(std::span<std::byte> host, std::string name) {
  auto made = std::make_unique<Allocation>();
  made->begin = reinterpret_cast<Address>(host.data());
  made->bytes = host.size();
  made->name = std::move(name);
  made->owner = host_owner;
  made->data = {host.data(), Free{false}};
  // The host may reuse an address, so allocations that were mapped there and freed are forgotten.
  auto at = allocations_.lower_bound(made->begin);
  if (at != allocations_.begin() && std::prev(at)->second->end() > made->begin) --at;
  while (at != allocations_.end() && at->second->begin < made->end()) {
    if (at->second->live)
      throw BadAddress(fmt::format("map of {} bytes at {:#x}: {} is already there", host.size(), made->begin,
                                   at->second->name));
    at = allocations_.erase(at);
  }
  allocations_.emplace(made->begin, std::move(made));
}

void Memory::free(Address address) {
  if (address == 0) return;  // as cudaFree(nullptr)
  const auto found = allocations_.find(address);
  if (found == allocations_.end())
    throw BadAddress(fmt::format("free of {:#x}: no allocation begins there", address));
  Allocation &allocation = *found->second;
  if (!allocation.live) throw BadAddress(fmt::format("free of {}: it was freed before", allocation.name));
  allocation.live = false;
  if (allocation.on_heap) {
    OfDevice &of = of_[allocation.owner];
    of.heap_used -= (allocation.bytes + heap_unit - 1) / heap_unit * heap_unit;
    of.freed_on_heap[allocation.bytes].push_back(&allocation);
    ++of.freed_count;
  } else if (allocation.data.get_deleter().owned) {
    of_[allocation.owner].used -= allocation.bytes;
  }
  allocation.data.reset();
  allocation.valid.reset();
}

void Memory::forget(std::uint8_t owner) {
  std::erase_if(allocations_, [owner](const auto &one) { return one.second->owner == owner; });
  OfDevice anew;
  anew.limit = of_[owner].limit;
  of_[owner] = std::move(anew);
}

Allocation *Memory::find(Address begin, Address end) {
  auto after = allocations_.upper_bound(begin);
  if (after == allocations_.begin() || end < begin) return nullptr;
  Allocation &candidate = *std::prev(after)->second;
  return end <= candidate.end() ? &candidate : nullptr;
}

const Allocation *Memory::nearest(Address address) const {
  const auto after = allocations_.upper_bound(address);
  const Allocation *best = after == allocations_.end() ? nullptr : after->second.get();
  if (after != allocations_.begin()) {
    const Allocation *before = std::prev(after)->second.get();
    const std::uint64_t past = address < before->end() ? 0 : address - before->end();
    if (!best || past <= best->begin - address) best = before;
  }
  return best;
}

Allocation &Memory::live_range(Address address, std::uint64_t bytes, const char *what) const {
  Allocation *found = const_cast<Memory *>(this)->find(address, address + bytes);
  if (!found)
    throw BadAddress(fmt::format("{} of {} bytes at {:#x}: not inside one allocation", what, bytes, address));
  if (!found->live)
    throw BadAddress(fmt::format("{} of {} bytes in {}, which was freed", what, bytes, found->name));
  return *found;
}

void Memory::mark(Allocation &allocation, std::uint64_t offset, std::uint64_t bytes) {
  if (!allocation.valid || bytes == 0) return;
  std::memset(allocation.valid.get() + offset, 1, bytes);
  if (allocation.valid[allocation.hole] != 0) look_for_hole(allocation);
}

/// Looks on from where the first hole was: over many writes that is once over each byte, not once for each
/// write.
void Memory::look_for_hole(Allocation &allocation) {
  const std::uint8_t *const valid = allocation.valid.get();
  const void *hole = std::memchr(valid + allocation.hole, 0, allocation.bytes - allocation.hole);
  if (hole)
    allocation.hole = static_cast<std::uint64_t>(static_cast<const std::uint8_t *>(hole) - valid);
  else
    allocation.valid.reset();
}

std::uint64_t Memory::unwritten(Address address, std::uint64_t bytes) const {
  if (bytes == 0) return 0;
  const Allocation &in = live_range(address, bytes, "look");
  if (!in.valid) return 0;
  const std::uint8_t *const first = in.valid.get() + (address - in.begin);
  return static_cast<std::uint64_t>(std::count(first, first + bytes, std::uint8_t{0}));
}

bool Memory::lacks_only_padding(Address address, std::uint64_t bytes) const {
  constexpr std::uint64_t largest_gap = 7, largest_struct = 64;
  if (bytes == 0) return true;
  const Allocation &in = live_range(address, bytes, "look");
  if (!in.valid) return true;
  const std::uint8_t *const first = in.valid.get() + (address - in.begin), *const end = first + bytes;
  std::uint64_t gaps = 0;
  bool at_the_end = false;
  for (const std::uint8_t *at = first; (at = std::find(at, end, std::uint8_t{0})) != end;) {
    const std::uint8_t *const after = std::find(at, end, std::uint8_t{1});
    if (static_cast<std::uint64_t>(after - at) > largest_gap) return false;
    ++gaps;
    at_the_end = after == end;
    at = after;
  }
  if (gaps == 1)
    return bytes <= largest_struct && !at_the_end;  // one gap at the end: the last element is missing
  return bytes <= gaps * largest_struct;
}

std::vector<Allocation *> Memory::writable() {
  std::vector<Allocation *> all;
  for (auto &[begin, allocation] : allocations_)
    if (allocation->live && allocation->writable && !allocation->on_heap) all.push_back(allocation.get());
  return all;
}

bool Memory::has_holes() const {
  return std::any_of(allocations_.begin(), allocations_.end(),
                     [](const auto &one) { return one.second->valid != nullptr; });
}

void Memory::settle() {
  for (auto &[begin, allocation] : allocations_)
    if (allocation->valid) look_for_hole(*allocation);
}

void Memory::write(Address address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  Allocation &to = live_range(address, bytes.size(), "write");
  std::memcpy(to.data.get() + (address - to.begin), bytes.data(), bytes.size());
  mark(to, address - to.begin, bytes.size());
}

void Memory::read(Address address, std::span<std::byte> bytes) const {
  if (bytes.empty()) return;
  const Allocation &from = live_range(address, bytes.size(), "read");
  std::memcpy(bytes.data(), from.data.get() + (address - from.begin), bytes.size());
}

void Memory::fill(Address address, std::byte value, std::uint64_t bytes) {
  if (bytes == 0) return;
  Allocation &to = live_range(address, bytes, "fill");
  std::memset(to.data.get() + (address - to.begin), std::to_integer<int>(value), bytes);
  mark(to, address - to.begin, bytes);
}

void Memory::copy(Address to, Address from, std::uint64_t bytes) {
  if (bytes == 0) return;
  const Allocation &source = live_range(from, bytes, "copy");
  Allocation &target = live_range(to, bytes, "copy");
  std::memmove(target.data.get() + (to - target.begin), source.data.get() + (from - source.begin), bytes);
  if (!target.valid) return;
  // What was never written stays so.
  const std::uint64_t offset = to - target.begin;
  if (!source.valid) return mark(target, offset, bytes);
  std::memmove(target.valid.get() + offset, source.valid.get() + (from - source.begin), bytes);
  target.hole = std::min(target.hole, offset);
}

}  // namespace warpgrade::simt
