// Predictions that are kept from one run to the next.
#include "predict/store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sandbox/sandbox.hpp"

namespace warpgrade::predict {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes(std::string_view text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

/// A different number in each field.
Kept example() {
  Kept kept;
  Prediction &p = kept.prediction;
  p.seconds = 1, p.low = 2, p.high = 3, p.limit = Resource::l2;
  LaunchPrediction l;
  l.kernel = "k", l.issue = 4, l.arithmetic = 5, l.load_store = 6, l.l2_bytes = 7, l.dram_bytes = 8,
  l.latency = 9;
  l.l1_hits = 10, l.local = 11, l.resident = 12, l.resident_limit = "registers", l.waves = 13, l.seconds = 14;
  l.limit = Resource::dram;
  p.launches = {l, {}};
  p.lines = {{{"a.cu", 15}, 16}};
  p.promises = {{{{"a.cu", 17}, {"b.h", 18}}, "coalesced", 19, 20, 21}};
  p.caveats = {"one", "two"};
  return kept;
}

void expect_same(const Prediction &a, const Prediction &b) {
  EXPECT_EQ(std::tie(a.seconds, a.low, a.high, a.limit, a.caveats, a.why_not),
            std::tie(b.seconds, b.low, b.high, b.limit, b.caveats, b.why_not));
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (std::size_t i = 0; i < a.launches.size(); ++i) {
    const LaunchPrediction &x = a.launches[i], &y = b.launches[i];
    EXPECT_EQ(std::tie(x.kernel, x.issue, x.arithmetic, x.load_store, x.l2_bytes, x.dram_bytes, x.latency,
                       x.l1_hits),
              std::tie(y.kernel, y.issue, y.arithmetic, y.load_store, y.l2_bytes, y.dram_bytes, y.latency,
                       y.l1_hits));
    EXPECT_EQ(std::tie(x.local, x.resident, x.resident_limit, x.waves, x.seconds, x.limit),
              std::tie(y.local, y.resident, y.resident_limit, y.waves, y.seconds, y.limit));
  }
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < a.lines.size(); ++i)
    EXPECT_EQ(std::tie(a.lines[i].at, a.lines[i].share), std::tie(b.lines[i].at, b.lines[i].share));
  ASSERT_EQ(a.promises.size(), b.promises.size());
  for (std::size_t i = 0; i < a.promises.size(); ++i) {
    const Promise &x = a.promises[i], &y = b.promises[i];
    EXPECT_EQ(std::tie(x.lines, x.cure, x.seconds, x.low, x.high),
              std::tie(y.lines, y.cure, y.seconds, y.low, y.high));
  }
}

TEST(PredictionStore, ReturnsWhatItKeptAndOnlyForTheSameQuestion) {
  const Scratch scratch;
  const Store store(scratch.path() / "predictions");
  EXPECT_FALSE(store.find(bytes("a kernel")));
  store.keep(bytes("a kernel"), example());
  const auto found = store.find(bytes("a kernel"));
  ASSERT_TRUE(found);
  expect_same(found->prediction, example().prediction);
  EXPECT_FALSE(found->too_long);
  EXPECT_FALSE(store.find(bytes("another")));
  Kept none;
  none.too_long = true, none.prediction.why_not = "it takes too long";
  store.keep(bytes("a kernel"), none);
  EXPECT_TRUE(store.find(bytes("a kernel"))->too_long);
  EXPECT_EQ(store.find(bytes("a kernel"))->prediction.why_not, "it takes too long");
}

TEST(PredictionStore, ADamagedFileCountsAsMissing) {
  const Scratch scratch;
  const Store store(scratch.path());
  store.keep(bytes("a kernel"), example());
  const fs::path file = fs::directory_iterator(scratch.path())->path();
  const auto size = fs::file_size(file);
  for (std::uintmax_t at = 0; at < size; at += 7) {
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekg(static_cast<std::streamoff>(at));
    const int before = damaged.get();
    damaged.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(before ^ 0x20)).flush();
    EXPECT_FALSE(store.find(bytes("a kernel"))) << "byte " << at;
    damaged.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(before)).flush();
  }
  EXPECT_TRUE(store.find(bytes("a kernel")));
  fs::resize_file(file, size / 2);
  EXPECT_FALSE(store.find(bytes("a kernel")));
}

TEST(PredictionStore, WhereNothingCanBeWrittenNothingIsKept) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "file") << "no folder";
  const Store store(scratch.path() / "file");
  store.keep(bytes("a kernel"), example());
  EXPECT_FALSE(store.find(bytes("a kernel")));
}

}  // namespace
}  // namespace warpgrade::predict
