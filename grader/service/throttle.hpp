// Slows down guessing of tokens: after some wrong ones, an address has to wait.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace warpgrade::service {

class Throttle {
 public:
  static constexpr std::size_t tries = 10;
  static constexpr std::int64_t seconds = 60;  ///< in which so many wrong tokens are one too many
  static constexpr std::size_t most_addresses = 10'000;

  /// How many seconds this address has to wait before it is listened to again; 0: none.
  std::int64_t wait(const std::string &address, std::int64_t now);
  void wrong(const std::string &address, std::int64_t now);

 private:
  std::mutex mutex_;
  std::map<std::string, std::deque<std::int64_t>> wrong_;
};

}  // namespace warpgrade::service
