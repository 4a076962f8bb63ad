// A busy machine, made by the test: all of its work on one processor, and threads beside it that want it too.
#pragma once

#include <sched.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpgrade::tests {

/// This thread, and what it starts from now on, runs on one processor only.
class OneProcessor {
 public:
  OneProcessor() {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) throw std::runtime_error("no affinity");
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) throw std::runtime_error("no affinity");
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor &) = delete;
  OneProcessor &operator=(const OneProcessor &) = delete;

 private:
  cpu_set_t before_{};
};

/// Threads that compute until this goes.
class Burners {
 public:
  explicit Burners(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~Burners() {
    stop_ = true;
    for (std::thread &thread : threads_) thread.join();
  }
  Burners(const Burners &) = delete;
  Burners &operator=(const Burners &) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace warpgrade::tests
