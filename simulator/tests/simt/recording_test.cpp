// What a recording of a few warps holds: golden recordings of small kernels, each with one mistake or one kind of
// event.
#include "trace/recording.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "harness.hpp"

namespace warpgrade::simt::testing {
namespace {

using Kind = RecordedEvent::Kind;

Options recorded(RecordOptions how = {}) {
  Options options;
  options.record = std::move(how);
  return options;
}

RecordOptions of_first_warp() {
  RecordOptions how;
  how.warps = {{0, 0}};
  return how;
}

/// A kernel that has 64 words of shared memory, `s`, with %r30 as the address of its own.
std::string with_shared(const std::string &body) {
  return kernel(
      ".shared .align 4 .b8 s[256];\n"
      "mov.u32 %r31, s; shl.b32 %r32, %tid, 2; add.s32 %r30, %r31, %r32;\n" +
      body);
}

/// The events of one kind of the warp that the recording is about.
std::vector<RecordedEvent> of_kind(const Recording &r, Kind kind, std::uint32_t warp = 0) {
  std::vector<RecordedEvent> found;
  for (const RecordedEvent &e : r.events)
    if (e.kind == kind && e.warp == warp) found.push_back(e);
  return found;
}

/// Kinds in their order, those of the first warp.
std::string kinds(const Recording &r) {
  std::string text;
  for (const RecordedEvent &e : r.events)
    if (e.warp == 0) text += (text.empty() ? "" : " ") + std::string(name_of(e.kind));
  return text;
}

TEST(Recording, IsMadeOnlyWhereItWasAskedFor) {
  EXPECT_FALSE(run(kernel("st.global.u32 [%out], %tid;")).result.recording);
}

TEST(Recording, OfARaceHasBothSides) {
  // Thread t writes word t and reads word 63 - t, which a thread of the other warp writes.
  const auto made =
      run(with_shared("st.shared.u32 [%r30], %tid;\n"
                      "sub.s32 %r33, 63, %tid; shl.b32 %r33, %r33, 2; add.s32 %r33, %r31, %r33;\n"
                      "ld.shared.u32 %r34, [%r33]; st.global.u32 [%out], %r34;"),
          {}, 64, recorded());
  ASSERT_TRUE(made.result.recording);
  const Recording &r = *made.result.recording;
  ASSERT_EQ(r.warps.size(), 2u);
  EXPECT_TRUE(r.warps[0].detailed && r.warps[1].detailed);
  EXPECT_NE(r.warps[0].warp, r.warps[1].warp);
  EXPECT_EQ(of_kind(r, Kind::finding).size(), 1u);
  for (const std::uint32_t warp : {0u, 1u}) {
    const auto stores = of_kind(r, Kind::store, warp);
    ASSERT_FALSE(stores.empty());
    EXPECT_EQ(r.objects[stores[0].objects[0]].name, "s");
    EXPECT_EQ(stores[0].offsets[0], 128 * r.warps[warp].warp);  // 32 words of 4 bytes before it
    EXPECT_EQ(stores[0].values[5], r.warps[warp].warp * 32 + 5);
  }
}

TEST(Recording, LeavesMemoryAsTheFirstRunLeftIt) {
  // Each launch adds 1 to its word, which the second run must not do again.
  const std::string text = kernel(
      "ld.global.u32 %r1, [%out]; add.s32 %r1, %r1, 1; st.global.u32 [%out], %r1;"
      "setp.eq.u32 %p1, %tid, 0; @%p1 st.global.u32 [%out+8388608], %r1;");
  const auto plain = run(text), twice = run(text, {}, 32, recorded());
  ASSERT_TRUE(twice.result.recording);
  EXPECT_EQ(to_text(plain.result.diagnostics.back()), to_text(twice.result.diagnostics.back()));
  EXPECT_EQ(plain.out, twice.out);
}

TEST(Recording, EndsWithTheAccessOutOfBounds) {
  const auto made =
      run(kernel("setp.eq.u32 %p1, %tid, 7; @%p1 st.global.u32 [%out+8388608], %tid;"), {}, 32, recorded());
  ASSERT_TRUE(made.result.recording);
  const Recording &r = *made.result.recording;
  const auto stores = of_kind(r, Kind::store);
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_EQ(stores[0].mask, 1u << 7);
  EXPECT_EQ(stores[0].offsets[0], 8388608 + 7 * 32);
  ASSERT_EQ(of_kind(r, Kind::finding).size(), 1u);
  EXPECT_EQ(r.lane, 7u);
  EXPECT_EQ(r.events.back().kind, Kind::finding);
}

TEST(Recording, OfAnUninitializedReadShowsIt) {
  const auto made =
      run(with_shared("ld.shared.u32 %r34, [%r30]; st.global.u32 [%out], %r34;"), {}, 32, recorded());
  ASSERT_TRUE(made.result.recording);
  const auto loads = of_kind(*made.result.recording, Kind::load);
  ASSERT_FALSE(loads.empty());
  EXPECT_EQ(made.result.recording->objects[loads[0].objects[0]].name, "s");
  EXPECT_FALSE(of_kind(*made.result.recording, Kind::finding).empty());
}

TEST(Recording, OfADivergentBarrierShowsWhoWaitsAndWhoDoesNot) {
  const auto made = run(kernel("setp.lt.u32 %p1, %tid, 32; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 1; B:"),
                        {}, 64, recorded());
  ASSERT_TRUE(made.result.recording);
  const Recording &r = *made.result.recording;
  EXPECT_FALSE(of_kind(r, Kind::arrive, 0).empty());
  EXPECT_TRUE(of_kind(r, Kind::release, 0).empty());
}

TEST(Recording, TellsWhichLanesABranchSendsWhere) {
  const auto made = run(kernel("setp.lt.u32 %p1, %tid, 8; @%p1 bra A; add.s32 %r1, %tid, 5; A: "
                               "st.global.u32 [%out], %tid;"),
                        {}, 32, recorded(of_first_warp()));
  ASSERT_TRUE(made.result.recording);
  const auto branches = of_kind(*made.result.recording, Kind::branch);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].taken, 0xFFu);
  EXPECT_EQ(branches[0].mask, 0xFFFF'FFFFu);
}

TEST(Recording, OfAShuffleHasBothEnds) {
  const auto made = run(kernel("shfl.sync.down.b32 %r1, %tid, 16, 31, -1; st.global.u32 [%out], %r1;"), {},
                        32, recorded(of_first_warp()));
  ASSERT_TRUE(made.result.recording);
  const auto shuffles = of_kind(*made.result.recording, Kind::shuffle);
  ASSERT_EQ(shuffles.size(), 1u);
  EXPECT_EQ(shuffles[0].from[3], 19u);
  EXPECT_EQ(shuffles[0].values[3], 19u);
  EXPECT_EQ(shuffles[0].from[20], 20u);  // beyond the warp: its own
}

TEST(Recording, OfAnAtomicHasTheWordBeforeAndAfterwards) {
  const auto made =
      run(with_shared("setp.ne.u32 %p1, %tid, 0; @%p1 bra A; mov.u32 %r2, 5; st.shared.u32 [%r31], "
                      "%r2; A: bar.sync 0; red.shared.add.u32 [%r31], 1; st.global.u32 [%out], %tid;"),
          {}, 32, recorded(of_first_warp()));
  ASSERT_TRUE(made.result.recording);
  const auto atomics = of_kind(*made.result.recording, Kind::atomic);
  ASSERT_EQ(atomics.size(), 1u);
  EXPECT_EQ(atomics[0].before[0], 5u);
  EXPECT_EQ(atomics[0].values[0], 5u + 32u);
}

/// The values of all events of a kind, of the first lane.
std::vector<std::uint64_t> first_values(const Recording &r, Kind kind) {
  std::vector<std::uint64_t> all;
  for (const RecordedEvent &e : of_kind(r, kind))
    if (!e.values.empty()) all.push_back(e.values[0]);
  return all;
}

TEST(Recording, LeavesOutWhatOnlyBecomesAnAddress) {
  // 4 * tid + 1000 - 1000 leads to a word of s; 7 * tid + 3 is stored there.
  const auto made = run(with_shared("mad.lo.s32 %r1, %tid, 4, 1000; sub.s32 %r2, %r1, 1000;\n"
                                    "add.s32 %r3, %r31, %r2; mad.lo.s32 %r4, %tid, 7, 3;\n"
                                    "st.shared.u32 [%r3], %r4;"),
                        {}, 32, recorded(of_first_warp()));
  ASSERT_TRUE(made.result.recording);
  EXPECT_EQ(first_values(*made.result.recording, Kind::compute), std::vector<std::uint64_t>{3});
}

TEST(Recording, KeepsIndicesThatDecideOrAreStored) {
  // tid + 5 is an address and decides who goes on; tid + 9 is an address and is stored there.
  const auto decides = run(with_shared("add.s32 %r1, %tid, 5; setp.gt.s32 %p1, %r1, 40; @%p1 bra END;\n"
                                       "shl.b32 %r2, %r1, 2; add.s32 %r2, %r31, %r2;\n"
                                       "st.shared.u32 [%r2], 0; END: ret;"),
                           {}, 32, recorded(of_first_warp()));
  ASSERT_TRUE(decides.result.recording);
  EXPECT_THAT(first_values(*decides.result.recording, Kind::compute), ::testing::Contains(5u));
  const auto stored = run(with_shared("add.s32 %r1, %tid, 9; shl.b32 %r2, %r1, 2;\n"
                                      "add.s32 %r2, %r31, %r2; st.shared.u32 [%r2], %r1;"),
                          {}, 32, recorded(of_first_warp()));
  ASSERT_TRUE(stored.result.recording);
  EXPECT_THAT(first_values(*stored.result.recording, Kind::compute), ::testing::Contains(9u));
}

TEST(Recording, KeepsTheLastEvents) {
  RecordOptions how = of_first_warp();
  how.most = 10;
  const auto made =
      run(kernel("mov.u32 %r1, 0; L: st.global.u32 [%out], %r1; add.s32 %r1, %r1, 1; setp.lt.u32 %p1, "
                 "%r1, 100; @%p1 bra L;"),
          {}, 32, recorded(how));
  ASSERT_TRUE(made.result.recording);
  const Recording &r = *made.result.recording;
  EXPECT_EQ(r.events.size(), 10u);
  EXPECT_GE(r.warps[0].dropped, 190u);  // a store and a branch in each round, 200 in all, less the last ten
  EXPECT_EQ(of_kind(r, Kind::store).back().values[0], 99u);
}

TEST(Recording, FindsTheWarpThatWroteAWordLast) {
  RecordOptions how;
  how.word = RecordedWord{"out", 40 * 32, 4};  // of thread 40, which is lane 8 of warp 1
  const auto made = run(kernel("st.global.u32 [%out], %tid;"), {}, 64, recorded(how));
  ASSERT_TRUE(made.result.recording);
  EXPECT_EQ(made.result.recording->warps[0].warp, 1u);
  EXPECT_EQ(made.result.recording->lane, 8u);
  EXPECT_FALSE(made.result.recording->nearest);
}

TEST(Recording, SaysThatNobodyWroteAWord) {
  RecordOptions how;
  how.word = RecordedWord{"out", 40 * 32 + 4, 4};
  const auto made = run(kernel("st.global.u32 [%out], %tid;"), {}, 64, recorded(how));
  ASSERT_TRUE(made.result.recording);
  EXPECT_TRUE(made.result.recording->nearest);
  EXPECT_EQ(made.result.recording->lane, 8u);  // whose word is next to it
}

TEST(Recording, IsTheSameEachTime) {
  const std::string text = with_shared(
      "st.shared.u32 [%r30], %tid; ld.shared.u32 %r34, [%r31]; "
      "st.global.u32 [%out], %r34;");
  const auto first = run(text, {}, 64, recorded()).result.recording;
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *run(text, {}, 64, recorded()).result.recording);
  EXPECT_FALSE(kinds(*first).empty());
}

TEST(Recording, WithABadIndexIsRefused) {
  Recording r =
      *run(kernel("st.global.u32 [%out], %tid;"), {}, 32, recorded(of_first_warp())).result.recording;
  const std::uint32_t most = RecordOptions{}.most;
  const auto store = [](Recording &b) -> RecordedEvent & {
    return *std::find_if(b.events.begin(), b.events.end(),
                         [](const auto &e) { return e.kind == Kind::store; });
  };
  EXPECT_EQ(flaw_of(r, most), nullptr);
  const auto refused = [&](const auto &spoil) {
    Recording bad = r;
    spoil(bad);
    return flaw_of(bad, most) != nullptr;
  };
  EXPECT_TRUE(refused([&](Recording &b) { store(b).warp = 9; }));
  EXPECT_TRUE(refused([&](Recording &b) { store(b).line = 9; }));
  EXPECT_TRUE(refused([&](Recording &b) { store(b).objects = {9}; }));
  EXPECT_TRUE(refused([&](Recording &b) { store(b).values.pop_back(); }));
  EXPECT_TRUE(refused([&](Recording &b) { store(b).mask = 0; }));
  EXPECT_TRUE(refused([&](Recording &b) { store(b).offsets[0] = INT64_MIN; }));
  EXPECT_TRUE(refused([&](Recording &b) { b.lane = 32; }));
  EXPECT_TRUE(refused([&](Recording &b) { b.paths.clear(); }));
}

}  // namespace
}  // namespace warpgrade::simt::testing
