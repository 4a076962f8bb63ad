// What a disk or a person does to the cache is never charged to a student.
#include "build/cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "sandbox/sandbox.hpp"

namespace warpgrade::build {
namespace {

namespace fs = std::filesystem;

class CacheOfOne : public ::testing::Test {
 protected:
  CacheOfOne() {
    std::ofstream(scratch_.path() / "program") << "a worker";
    fs::permissions(scratch_.path() / "program", fs::perms(0755));
    build_.ok = true;
    build_.reason = Reason::none;
    build_.worker = scratch_.path() / "program";
    build_.fatbin.resize(100, std::byte{7});
    cache_.keep(inputs_, build_);
    for (const auto &entry : fs::directory_iterator(scratch_.path() / "cache")) entry_ = entry.path();
  }

  Scratch scratch_;
  Cache cache_{scratch_.path() / "cache"};
  const std::vector<std::byte> inputs_ = std::vector<std::byte>(10, std::byte{1});
  Build build_;
  fs::path entry_;
};

TEST_F(CacheOfOne, ReturnsWhatItStored) {
  const auto found = cache_.find(inputs_);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ok);
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->fatbin, build_.fatbin);
  EXPECT_FALSE(cache_.find(std::vector<std::byte>(10, std::byte{2})));
}

TEST_F(CacheOfOne, ADamagedEntryCountsAsMissingAndIsReplaced) {
  const std::vector<std::function<void()>> damages = {
      [&] { std::ofstream(entry_ / "worker") << "another"; },
      [&] { fs::resize_file(entry_ / "worker", 0); },
      [&] { fs::permissions(entry_ / "worker", fs::perms(0644)); },
      [&] { fs::remove(entry_ / "worker"); },
      [&] { fs::resize_file(entry_ / "result", 0); },
      [&] { fs::resize_file(entry_ / "result", 50); },
      [&] { std::fstream(entry_ / "result", std::ios::in | std::ios::out | std::ios::binary).put(0); },
      [&] { fs::remove(entry_ / "inputs"); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    damages[i]();
    EXPECT_FALSE(cache_.find(inputs_)) << i;
    cache_.keep(inputs_, build_);
    EXPECT_TRUE(cache_.find(inputs_)) << i;
  }
}

TEST_F(CacheOfOne, WhatIsUsedStaysWhenOthersMakeRoom) {
  const auto other = [](int number) {
    return std::vector<std::byte>{std::byte(number % 256), std::byte(number / 256)};
  };
  for (int i = 0; i < 1100; ++i) {
    cache_.keep(other(i), build_);
    if (i % 100 == 0) {
      EXPECT_TRUE(cache_.find(inputs_)) << i;
    }
  }
  EXPECT_FALSE(cache_.find(other(0)));
  const auto kept = std::distance(fs::directory_iterator(scratch_.path() / "cache"), {});
  EXPECT_LE(kept, 512);
  EXPECT_GE(kept, 448);
}

}  // namespace
}  // namespace warpgrade::build
