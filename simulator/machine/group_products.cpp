#include "machine/group_products.hpp"

#include "machine/warp.hpp"

namespace warpgrade::simt {

void GroupProducts::begin(std::size_t warps, std::size_t shared_bytes, bool follows_reads) {
  warps_.assign(warps, WarpProducts{});
  follows_reads_ = follows_reads;
  known_.assign(warps, LastCompleted{});
  released_.clear();
  readers_.assign(shared_bytes / bytes_of_piece + 1, LastCompleted{});
  issued_ = {};
}

FlyingProduct &GroupProducts::issue(std::uint32_t warp, const Op &op, std::uint32_t time) {
  WarpProducts &own = warps_[warp];
  FlyingProduct made;
  made.op = &op;
  made.sequence = ++own.issued;
  made.time = time;
  own.flying.push_back(std::move(made));
  std::vector<const Op *> &issued = issued_[warp / warps_of_group];
  if (issued.size() < own.issued) issued.push_back(&op);
  return own.flying.back();
}

void GroupProducts::commit(std::uint32_t warp) {
  WarpProducts &own = warps_[warp];
  for (FlyingProduct &one : own.flying)
    if (!one.committed) one.committed = true, one.group = own.groups;
  ++own.groups;
}

std::uint32_t GroupProducts::last_awaited(const WarpProducts &own, std::uint64_t pending) {
  std::uint32_t last = own.finished;
  for (const FlyingProduct &one : own.flying)
    if (one.committed && one.group + pending < own.groups) last = std::max(last, one.sequence);
  return last;
}

bool GroupProducts::may_continue(const Warp &w, const Block &block, const Group &group) const {
  if ((w.live & ~group.mask) != 0) return false;
  const std::uint32_t last = last_awaited(warps_[w.index], program_.ops[block.last - 1].immediate);
  const std::uint32_t first = w.index / warps_of_group * warps_of_group;
  for (std::uint32_t other = first; other < end_of_group(first); ++other)
    if (warps_[other].issued < last) return false;
  return true;
}

std::uint32_t GroupProducts::equally_far(std::uint32_t warp) const {
  const std::uint32_t first = warp / warps_of_group * warps_of_group;
  std::uint32_t count = 0;
  for (std::uint32_t other = first; other < end_of_group(first); ++other)
    count += warps_[other].issued >= warps_[warp].issued;
  return count;
}

void GroupProducts::join(LastCompleted &to, const LastCompleted &from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void GroupProducts::release(std::uint32_t warp, std::uint32_t place) {
  if (!empty()) join(released_[place], known_[warp]);
}

void GroupProducts::acquire(std::uint32_t warp, std::uint32_t place) {
  if (!empty()) join(known_[warp], released_[place]);
}

void GroupProducts::note_read(std::uint32_t warp, std::uint32_t offset, std::uint32_t sequence) {
  readers_[offset / bytes_of_piece][warp / warps_of_group] = sequence;
}

GroupProducts::Reader GroupProducts::unfinished_reader(std::uint32_t warp, std::uint64_t offset) const {
  const LastCompleted &readers = readers_[offset / bytes_of_piece], &known = known_[warp];
  for (std::uint32_t group = 0; group < most_warpgroups; ++group)
    if (readers[group] > known[group]) return {group, issued_[group].at(readers[group] - 1)};
  return {};
}

}  // namespace warpgrade::simt
