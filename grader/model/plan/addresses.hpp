// The device addresses that student code gets in a worker. They identify buffers and never refer to memory.
//
// Slot n belongs to buffer n of the plan. Slots are 32 GiB apart and a buffer starts in the middle of its
// slot, so a pointer that runs past either end still identifies its buffer. The range is not canonical on
// x86-64: reading it always faults, and no host mapping can be there. Its upper halves (0x7FB0....) are
// neither plausible integers nor finite floats, so two adjacent 4-byte fields in a struct are not mistaken
// for a pointer.
#pragma once

#include <cstdint>

namespace warpgrade::plan {

inline constexpr std::uint64_t slot_bytes = std::uint64_t{1} << 35;
inline constexpr std::uint64_t slot_count = 32768;
inline constexpr std::uint64_t first_slot = 0x7FB0'0000'0000'0000;
inline constexpr std::uint64_t largest_buffer = slot_bytes / 2 - 1;

constexpr std::uint64_t address_of_slot(std::uint64_t slot) {
  return first_slot + slot * slot_bytes + slot_bytes / 2;
}
constexpr bool is_device_address(std::uint64_t address) {
  return address >= first_slot && address - first_slot < slot_count * slot_bytes;
}
/// Only for a device address.
constexpr std::uint64_t slot_of(std::uint64_t address) {
  return (address - first_slot) / slot_bytes;
}
constexpr std::int64_t offset_in_slot(std::uint64_t address) {
  return static_cast<std::int64_t>((address - first_slot) % slot_bytes) -
         static_cast<std::int64_t>(slot_bytes / 2);
}

}  // namespace warpgrade::plan
