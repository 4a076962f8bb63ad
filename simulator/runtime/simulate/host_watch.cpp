#include "runtime/simulate/host_watch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "runtime/simulate/faults.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr Address page = 4096;
constexpr Address most_pages =
    16;  // of one range: a host that does not wait begins at the start or reads all

/// Read by a signal handler, in any thread.
struct Guarded {
  Address begin = 0, end = 0;
  bool readable = false;  ///< only the device reads it, and so may the host
  std::atomic<Address> touched{0};
};
std::array<Guarded, 32> guarded;  // each costs two system calls for each call of the program
std::atomic<std::size_t> guarded_count{0};

void set_access(Address begin, Address end, int access) {
  ::mprotect(pointer(begin), end - begin, access);
}

/// The pages of which a range covers all bytes that belong to the block.
simt::AddressRange whole_pages(const Block &block, const simt::AddressRange &range) {
  const auto up = [](Address a) { return (a + page - 1) / page * page; };
  const Address begin = up(std::max(range.begin, block.begin));
  const Address end = range.end >= block.end() ? up(block.end()) : range.end / page * page;
  return {begin, std::min(end, begin + most_pages * page)};
}

void guard(Runtime &r, const simt::AddressRange &range, bool readable) {
  if (!in_visible_range(range.begin)) return;
  const Block *block = r.blocks.at(range.begin);
  if (block == nullptr || !block->live || block->kind == Kind::registered) return;
  const simt::AddressRange pages = whole_pages(*block, range);
  const std::size_t count = guarded_count.load();
  const bool known = std::any_of(guarded.begin(), guarded.begin() + count, [&](const Guarded &one) {
    return one.readable == readable && one.begin <= pages.begin && pages.end <= one.end;
  });
  if (pages.begin >= pages.end || known || count == guarded.size()) return;
  Guarded &one = guarded[count];
  one.begin = pages.begin;
  one.end = pages.end;
  one.readable = readable;
  one.touched = 0;
  guarded_count = count + 1;
}

}  // namespace

bool HostWatch::forgive(Address address) {
  bool any = false;
  for (std::size_t i = 0; i < guarded_count.load(); ++i) {
    Guarded &one = guarded[i];
    if (address < one.begin || address >= one.end) continue;
    Address none = 0;
    one.touched.compare_exchange_strong(none, address);
    set_access(one.begin, one.end, PROT_READ | PROT_WRITE);
    any = true;
  }
  return any;
}

void HostWatch::lift(Runtime &r) {
  const std::size_t count = guarded_count.exchange(0);
  for (std::size_t i = 0; i < count; ++i)
    set_access(guarded[i].begin, guarded[i].end, PROT_READ | PROT_WRITE);
  for (std::size_t i = 0; i < count; ++i)
    if (const Address at = guarded[i].touched; at != 0) r.order.host_touched(r, at, guarded[i].readable);
}

void HostWatch::protect(Runtime &r) {
  if (guarded_count.load() != 0 || !handles_faults()) return;
  r.order.each_unfinished([&](const simt::Footprint &bytes, bool scoped) {
    const auto of = [&](simt::Access access) -> const auto & {
      return bytes[static_cast<std::size_t>(access)];
    };
    const auto in_sight = [](const simt::AddressRange &one) { return in_visible_range(one.begin); };
    // Volatile words and atomics of system scope there may tell the host how far the kernel is.
    for (const simt::Access strong : {simt::Access::strong_read, simt::Access::strong_write})
      if (!scoped && std::any_of(of(strong).begin(), of(strong).end(), in_sight)) return;
    for (const simt::AddressRange &one : of(simt::Access::write)) guard(r, one, false);
    for (const simt::AddressRange &one : of(simt::Access::read)) guard(r, one, true);
    if (!scoped) return;
    for (const simt::AddressRange &one : of(simt::Access::strong_write)) guard(r, one, false);
    for (const simt::AddressRange &one : of(simt::Access::strong_read)) guard(r, one, true);
  });
  const std::size_t count = guarded_count.load();
  for (const bool readable : {true, false})  // what is written by one and read by another is not readable
    for (std::size_t i = 0; i < count; ++i)
      if (guarded[i].readable == readable)
        set_access(guarded[i].begin, guarded[i].end, readable ? PROT_READ : PROT_NONE);
}

}  // namespace warpgrade::cuda
