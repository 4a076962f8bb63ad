#include "runtime/simulate/addresses.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace warpgrade::cuda {
namespace {

constexpr std::uint64_t page = 4096, guard = 1 << 20;

constexpr int private_memory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void *pointer(Address a) {
  return reinterpret_cast<void *>(a);
}

bool reserve(Address begin, std::uint64_t bytes) {
  return ::mmap(pointer(begin), bytes, PROT_NONE, private_memory | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
}

}  // namespace

void reserve_device_range() {
  reserve(device_begin, device_bytes);
}

VisibleMemory::VisibleMemory() : reserved_(reserve(visible_begin, visible_bytes)) {}

std::span<std::byte> VisibleMemory::allocate(std::uint64_t bytes) {
  const std::uint64_t size = (std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page;
  if (bytes > visible_bytes || next_ + size + guard > visible_begin + visible_bytes) return {};
  void *const at = ::mmap(pointer(next_), size, PROT_READ | PROT_WRITE,
                          private_memory | (reserved_ ? MAP_FIXED : MAP_FIXED_NOREPLACE), -1, 0);
  if (at == MAP_FAILED) return {};
  next_ += size + guard;
  return {static_cast<std::byte *>(at), bytes};
}

Address VisibleMemory::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  const Address begin = (next_ + alignment - 1) / alignment * alignment;
  if (bytes > visible_bytes || begin + bytes + guard > visible_begin + visible_bytes) return 0;
  if (!reserved_ &&
      ::mmap(pointer(begin), bytes, PROT_NONE, private_memory | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
    return 0;
  next_ = begin + bytes + guard;
  without_memory_[begin] = bytes;
  return begin;
}

bool VisibleMemory::is_reserved(Address address) const {
  const auto after = without_memory_.upper_bound(address);
  if (after == without_memory_.begin()) return false;
  const auto &[begin, bytes] = *std::prev(after);
  return address - begin < bytes;
}

void VisibleMemory::release(std::span<std::byte> memory) {
  const std::uint64_t size = (std::max<std::uint64_t>(memory.size(), 1) + page - 1) / page * page;
  ::mmap(memory.data(), size, PROT_NONE, private_memory | MAP_FIXED, -1, 0);
}

Block &Blocks::add(Block block) {
  const Address begin = block.begin;
  names_[block.name] = begin;
  return blocks_[begin] = std::move(block);
}

void Blocks::forget(Address begin) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return;
  if (const auto name = names_.find(found->second.name); name != names_.end() && name->second == begin)
    names_.erase(name);
  blocks_.erase(found);
}

void Blocks::clear() {
  blocks_.clear();
  names_.clear();
}

const Block *Blocks::named(const std::string &name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &blocks_.at(found->second);
}

Block *Blocks::at(Address address) {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  Block &candidate = std::prev(after)->second;
  return address < candidate.end() || address == candidate.begin ? &candidate : nullptr;
}

Block *Blocks::starting_at(Address address) {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}

const Block *Blocks::before(Address address) const {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? nullptr : &std::prev(after)->second;
}

std::string place_name(const Block &block, Address address) {
  if (address == block.begin) return block.name;
  if (address < block.end()) return fmt::format("{} + {} bytes", block.name, address - block.begin);
  return fmt::format("{} bytes past the end of {}", address - block.end(), block.name);
}

std::optional<std::string> host_memory_at(Address address) {
  if (in_device_range(address) || in_visible_range(address)) return std::nullopt;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, access) != 3) continue;
    if (address < begin || address >= end) continue;
    if (access[0] != 'r') return std::nullopt;
    if (line.find("[stack]") != std::string::npos) return "the host's stack";
    if (line.find("[heap]") != std::string::npos) return "the host's heap";
    return "host memory";
  }
  return std::nullopt;
}

}  // namespace warpgrade::cuda
