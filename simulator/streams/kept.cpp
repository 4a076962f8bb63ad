#include "streams/kept.hpp"

#include <algorithm>

namespace warpgrade::streams {
namespace {

constexpr std::size_t most_of_stream = 256, most_kept = 16 * most_of_stream, most_ranges = 1 << 21;

constexpr simt::Access strong_accesses[] = {simt::Access::strong_write, simt::Access::strong_read};

bool is_strong(simt::Access access) {
  return access == simt::Access::strong_read || access == simt::Access::strong_write;
}

/// Whether two accesses to the same bytes need an order.
bool clash(simt::Access a, simt::Access b) {
  return (writes(a) || writes(b)) && !(is_strong(a) && is_strong(b));
}

/// The first two ranges that overlap and are of interest.
template <class Wanted>
std::optional<std::pair<simt::AddressRange, simt::AddressRange>> first_overlap(
    const std::vector<simt::AddressRange> &a, const std::vector<simt::AddressRange> &b,
    const Wanted &wanted) {
  auto x = a.begin(), y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (std::max(x->begin, y->begin) < std::min(x->end, y->end) && wanted(*x, *y)) return std::pair(*x, *y);
    x->end <= y->end ? ++x : ++y;
  }
  return std::nullopt;
}

/// The first accesses of such kinds that meet, need an order as `pairs` says, and are of interest.
template <std::size_t count, class Pairs, class Wanted>
std::optional<Meeting> first_meeting(const Operation &now, const Operation &earlier,
                                     const simt::Access (&kinds)[count], const Pairs &pairs,
                                     const Wanted &wanted) {
  for (const simt::Access mine : kinds)
    for (const simt::Access other : kinds)
      if (pairs(mine, other))
        if (const auto both = first_overlap(now.ranges(mine), earlier.ranges(other), wanted))
          return Meeting{mine, other, both->first, both->second};
  return std::nullopt;
}

}  // namespace

const simt::AccessSource *Operation::source_of(const simt::AddressRange &range) const {
  return range.source == 0 || range.source > sources.size() ? nullptr : &sources[range.source - 1];
}

bool Operation::has_system_scope(const simt::AddressRange &range) const {
  const simt::AccessSource *const source = source_of(range);
  return source == nullptr || source->system;
}

bool Meeting::is_of_scope() const {
  return is_strong(mine) && is_strong(other);
}

bool overlap(const std::vector<simt::AddressRange> &a, const std::vector<simt::AddressRange> &b) {
  return first_overlap(a, b, [](const auto &, const auto &) { return true; }).has_value();
}

std::vector<simt::AddressRange> ranges_of(std::uint64_t begin, std::uint64_t width, std::uint64_t rows,
                                          std::uint64_t pitch, std::uint64_t slices, std::uint64_t slice) {
  std::vector<simt::AddressRange> all;
  for (std::uint64_t z = 0; width > 0 && z < slices; ++z)
    for (std::uint64_t y = 0; y < rows; ++y)
      if (const std::uint64_t at = begin + z * slice + y * pitch; !all.empty() && all.back().end == at)
        all.back().end += width;
      else
        all.push_back({at, at + width});
  return all;
}

std::vector<Meeting> meetings(const Operation &now, const Operation &earlier, bool two_devices) {
  using Range = simt::AddressRange;
  const auto system = [&](const Range &mine, const Range &other) {
    return now.has_system_scope(mine) && earlier.has_system_scope(other);
  };
  std::vector<Meeting> found;
  if (two_devices)
    if (const auto narrow = first_meeting(
            now, earlier, strong_accesses,
            [](simt::Access a, simt::Access b) { return writes(a) || writes(b); },
            [&](const Range &mine, const Range &other) { return !system(mine, other); }))
      found.push_back(*narrow);
  const bool told = two_devices && first_overlap(now.ranges(simt::Access::strong_read),
                                                 earlier.ranges(simt::Access::strong_write), system);
  if (told) return found;
  if (const auto plain =
          first_meeting(now, earlier, all_accesses, clash, [](const Range &, const Range &) { return true; }))
    found.push_back(*plain);
  return found;
}

std::size_t Kept::ranges_of(const Operation &one) {
  std::size_t all = 0;
  for (const auto &ranges : one.footprint) all += ranges.size();
  return all;
}

void Kept::add(Operation one) {
  const std::uint64_t stream = one.stream;
  ranges_ += ranges_of(one);
  ++of_stream_[stream];
  all_.push_back(std::move(one));
  if (of_stream_[stream] > most_of_stream)
    forget(std::find_if(all_.begin(), all_.end(), [&](const Operation &o) { return o.stream == stream; }));
  while (all_.size() > most_kept || ranges_ > most_ranges) forget(all_.begin());
}

void Kept::forget(std::deque<Operation>::iterator one) {
  leave(*one);
  all_.erase(one);
}

void Kept::leave(const Operation &one) {
  ranges_ -= ranges_of(one);
  if (const auto count = of_stream_.find(one.stream); --count->second == 0) of_stream_.erase(count);
}

}  // namespace warpgrade::streams
