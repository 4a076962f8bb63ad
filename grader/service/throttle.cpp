#include "service/throttle.hpp"

#include <algorithm>

namespace warpgrade::service {

std::int64_t Throttle::wait(const std::string &address, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = wrong_.find(address);
  if (found == wrong_.end()) return 0;
  std::deque<std::int64_t> &times = found->second;
  // A clock that was set back must not lock anybody out.
  while (!times.empty() && (times.front() <= now - seconds || times.front() > now)) times.pop_front();
  if (times.size() >= tries) return std::clamp<std::int64_t>(times.front() + seconds - now, 1, seconds);
  if (times.empty()) wrong_.erase(found);
  return 0;
}

void Throttle::wrong(const std::string &address, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  if (wrong_.size() >= most_addresses && !wrong_.contains(address))
    std::erase_if(wrong_, [&](const auto &entry) {
      return entry.second.empty() || entry.second.back() <= now - seconds;
    });
  if (wrong_.size() >= most_addresses && !wrong_.contains(address)) return;
  std::deque<std::int64_t> &times = wrong_[address];
  times.push_back(now);
  if (times.size() > tries) times.pop_front();
}

}  // namespace warpgrade::service
