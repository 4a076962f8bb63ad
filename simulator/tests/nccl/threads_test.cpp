// Threads that can still do something, and threads that cannot.
#include "nccl/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace warpgrade::nccl {
namespace {

/// Looks at the threads until it sees what is wanted; false after ten seconds.
bool comes_to(bool wanted, const std::set<int> &known = {}) {
  for (int i = 0; i < 1000; ++i) {
    if (look_at_threads(known).all_wait == wanted) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ThreadsOfAProcess, AllWaitWhereThereIsNoOther) {
  EXPECT_TRUE(look_at_threads({}).all_wait);
  EXPECT_EQ(look_at_threads({}), look_at_threads({}));
}

TEST(ThreadsOfAProcess, AllWaitOnceEachWaitsForAnotherWithoutALimit) {
  std::mutex taken;
  taken.lock();
  std::thread waits([&] { const std::lock_guard lock(taken); });
  EXPECT_TRUE(comes_to(true));
  EXPECT_EQ(look_at_threads({}), look_at_threads({}));
  taken.unlock();
  waits.join();
}

TEST(ThreadsOfAProcess, DoNotAllWaitWhileOneSleepsForAWhileOrRuns) {
  std::atomic<bool> ended = false, runs = false;
  std::atomic<int> id = 0;
  std::thread other([&] {
    id = this_thread();
    while (!ended)
      if (!runs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (id == 0) std::this_thread::yield();
  EXPECT_TRUE(comes_to(false));
  EXPECT_FALSE(look_at_threads({}).all_may_wait);
  runs = true;
  EXPECT_TRUE(comes_to(false));
  EXPECT_TRUE(look_at_threads({id}).all_wait);  // a thread that is known to wait for us
  ended = true;
  other.join();
}

}  // namespace
}  // namespace warpgrade::nccl
