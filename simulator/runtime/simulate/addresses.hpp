// The addresses of memory, as programs and kernels see them.
//
// Device memory has addresses that the simulator gives out and that nobody can touch from the host: the range
// is reserved without access, so that a host that follows a device pointer faults at once, at an address that
// says so. Pinned and managed memory has an address range of its own, where host and kernels see the same bytes at
// the same address. Neither range gives an address out twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace warpgrade::cuda {

using Address = std::uint64_t;

inline constexpr Address device_begin = 0x7000'0000'0000, device_bytes = 8ull << 40;
inline constexpr Address visible_begin = 0x4000'0000'0000, visible_bytes = 4ull << 40;

inline bool in_device_range(Address a) {
  return a - device_begin < device_bytes;
}
inline bool in_visible_range(Address a) {
  return a - visible_begin < visible_bytes;
}

/// Where the system refuses, device memory is out of reach all the same.
void reserve_device_range();

/// Zeroed memory in the visible range; empty when there is none left.
class VisibleMemory {
 public:
  VisibleMemory();  ///< reserves the range
  std::span<std::byte> allocate(std::uint64_t bytes);
  /// Addresses without memory; 0 when there are none left. `alignment`: a power of two, a page at least.
  Address reserve(std::uint64_t bytes, std::uint64_t alignment);
  bool is_reserved(Address) const;
  void give_back(Address begin) { without_memory_.erase(begin); }
  /// The address stays taken: another access faults.
  static void release(std::span<std::byte>);

 private:
  Address next_ = visible_begin;
  bool reserved_ = false;                            ///< the whole range
  std::map<Address, std::uint64_t> without_memory_;  ///< what reserve() gave, with its bytes
};

enum class Kind { device, managed, pinned, registered, variable, mapped };  ///< mapped: by cuMemMap

/// One piece of memory that kernels can reach.
struct Block {
  Address begin = 0;
  std::uint64_t bytes = 0;
  Kind kind = Kind::device;
  std::string name;  ///< "allocation 3", "coefficients"
  bool live = true;
  unsigned flags = 0;      ///< of cudaHostAlloc, cudaHostRegister
  bool allocated = false;  ///< by a call that has its free
  bool pooled = false;     ///< it counts in Runtime::pool_bytes
  int device = 0;          ///< whose memory it is; of memory that the host sees, the device that was current
  bool host_sees_it() const {
    return kind == Kind::managed || kind == Kind::pinned || kind == Kind::registered;
  }
  Address end() const { return begin + bytes; }
};

class Blocks {
 public:
  Block &add(Block);
  void forget(Address begin);
  /// The block, live or freed, that contains an address; one past the end is outside.
  Block *at(Address);
  Block *starting_at(Address);
  /// The last one of that name; nullptr if there is none.
  const Block *named(const std::string &name) const;
  /// The last block before an address that belongs to none; for messages.
  const Block *before(Address) const;
  const std::map<Address, Block> &all() const { return blocks_; }
  void clear();

 private:
  std::map<Address, Block> blocks_;
  std::map<std::string, Address> names_;
};

/// "allocation 3 + 16 bytes"
std::string place_name(const Block &, Address);

/// What the host has at an address: "the stack", "the heap", "host memory"; nothing where nothing is mapped.
std::optional<std::string> host_memory_at(Address);

}  // namespace warpgrade::cuda
