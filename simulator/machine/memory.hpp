// Global memory: allocations far apart, never reused, each with a name. Internal to simt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::simt {

struct Free {
  bool owned = true;
  void operator()(void *memory) const {
    if (owned) std::free(memory);
  }
};

/// The owner of memory that every device may access: the host's.
constexpr std::uint8_t host_owner = most_devices;

struct Allocation {
  Address begin = 0;
  std::uint64_t bytes = 0;
  std::string name;
  bool live = true;
  bool writable = true;
  bool on_heap = false;    ///< from malloc() or new in a kernel
  bool again = false;      ///< of the heap: its address was used before
  std::uint8_t owner = 0;  ///< number of the device whose memory it is, or host_owner
  // from calloc: untouched pages cost nothing
  std::unique_ptr<std::byte[], Free> data;
  std::unique_ptr<std::uint8_t[], Free> valid;  ///< per byte: 1 once written; null when everything is
  std::uint64_t hole = 0;                       ///< all bytes before it are written
  Address end() const { return begin + bytes; }
};

/// The memory of all devices: there is one range of addresses. Limits are those of each device.
class Memory {
 public:
  Allocation &allocate(std::uint64_t bytes, std::string name, bool initialized, std::uint8_t owner = 0);
  /// For malloc() in a kernel: 0 if the heap is full, or for 0 bytes.
  Address allocate_on_heap(std::uint64_t bytes, std::string name, std::uint8_t owner = 0);
  void set_heap_limit(std::uint64_t bytes, std::uint8_t owner = 0) { of_[owner].heap_limit = bytes; }
  /// Memory of the host, at its own address.
  void map(std::span<std::byte> host, std::string name);
  void free(Address);
  /// Gives back all that a device has, as if it had never been there.
  void forget(std::uint8_t owner);
  void set_limit(std::uint64_t limit, std::uint8_t owner = 0) { of_[owner].limit = limit; }

  void write(Address, std::span<const std::byte>);
  void read(Address, std::span<std::byte>) const;
  void fill(Address, std::byte, std::uint64_t);
  void copy(Address to, Address from, std::uint64_t);

  std::uint64_t unwritten(Address, std::uint64_t) const;
  bool lacks_only_padding(Address, std::uint64_t) const;

  /// The allocation, live or freed, that contains all of [begin, end); nullptr if none does.
  Allocation *find(Address begin, Address end);
  /// The allocation nearest to an address outside all of them; nullptr without allocations.
  const Allocation *nearest(Address) const;
  /// All allocations that kernels may write.
  std::vector<Allocation *> writable();
  /// Whether a part of it may never have been written.
  bool has_holes() const;
  /// Drops the valid bits of allocations that have been written completely.
  void settle();

 private:
  Allocation &live_range(Address, std::uint64_t bytes, const char *what) const;
  static void mark(Allocation &, std::uint64_t offset, std::uint64_t bytes);
  static void look_for_hole(Allocation &);
  Allocation &place(std::uint64_t bytes, std::string name, bool initialized, std::uint64_t red_zone,
                    std::uint8_t owner);

  std::map<Address, std::unique_ptr<Allocation>> allocations_;  // by begin
  Address next_ = first_address;
  struct OfDevice {
    std::uint64_t used = 0, limit = 0;
    std::uint64_t heap_used = 0, heap_limit = std::uint64_t{8} << 20;
    std::map<std::uint64_t, std::deque<Allocation *>> freed_on_heap;  // by size, the oldest first
    std::size_t freed_count = 0;                                      // of all sizes
  };
  std::array<OfDevice, most_devices> of_;
  static constexpr Address first_address = 0x0000'7000'0000'0000;
};

}  // namespace warpgrade::simt
