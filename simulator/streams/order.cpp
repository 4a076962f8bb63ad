#include "streams/order.hpp"

namespace warpgrade::streams {

void join(Clock &to, const Clock &from) {
  for (const auto &[stream, number] : from) {
    std::uint64_t &known = to[stream];
    known = std::max(known, number);
  }
}

void Order::declare(std::uint64_t stream, const Stream &one) {
  streams_.try_emplace(stream, one);
  if (one.is_default) defaults_.try_emplace(one.device, stream);
}

int Order::device_of(std::uint64_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.device;
}

std::uint64_t Order::last(std::uint64_t stream) const {
  const auto found = counts_.find(stream);
  return found == counts_.end() ? 0 : found->second;
}

Clock &Order::before(std::uint64_t stream) {
  const Stream &mine = streams_[stream];
  Clock &known = known_[stream];
  join(known, host_);
  if (const auto copied = copied_.find(mine.device); copied != copied_.end()) join(known, copied->second);
  if (mine.is_default) {
    for (const auto &[other, theirs] : streams_)
      if (other != stream && theirs.device == mine.device && theirs.blocking) join_all_of(known, other);
  } else if (const auto first = defaults_.find(mine.device); mine.blocking && first != defaults_.end()) {
    join_all_of(known, first->second);
  }
  return known;
}

void Order::join_all_of(Clock &to, std::uint64_t stream) const {
  if (const auto known = known_.find(stream); known != known_.end()) join(to, known->second);
  if (const std::uint64_t count = last(stream); count > 0) join(to, {{stream, count}});
}

Numbered Order::begin(std::uint64_t stream, bool again) {
  return {stream, again ? last(stream) : ++counts_[stream], before(stream)};
}

Clock Order::after(std::uint64_t stream) {
  Clock all = before(stream);
  join_all_of(all, stream);
  return all;
}

Clock Order::after_all_of(int device) {
  Clock all;
  for (const auto &[stream, one] : streams_)
    if (one.device == device) join(all, after(stream));
  return all;
}

const Clock *Order::event(std::uint64_t event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : &found->second;
}

void Order::wait(std::uint64_t stream, std::uint64_t event) {
  if (const auto found = events_.find(event); found != events_.end()) join(known_[stream], found->second);
}

void Order::begin_copy_between(std::uint64_t stream, int to, int from) {
  if (!streams_[stream].is_default) return;
  for (const int device : {to, from}) join(known_[stream], after_all_of(device));
}

void Order::end_copy_between(std::uint64_t stream, int to, int from) {
  if (!streams_[stream].is_default) return;
  const Clock all = after(stream);
  for (const int device : {to, from}) join(copied_[device], all);
}

}  // namespace warpgrade::streams
