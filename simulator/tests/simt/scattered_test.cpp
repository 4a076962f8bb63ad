// Requests whose lanes lie differently each time, and atomics, have ways of their own. What they count and
// find must be what the general ways count and find.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

constexpr int rounds = 300;

/// `step` as a loop, where its accesses are found to be scattered, or written out, where each access has one
/// request.
std::string repeated(const std::string &step, bool written_out) {
  if (written_out) {
    std::string all;
    for (int i = 0; i < rounds; ++i) all += step;
    return all;
  }
  return "mov.u32 %r20, 0;\nagain:\n" + step + "add.u32 %r20, %r20, 1; setp.lt.u32 %p9, %r20, " +
         std::to_string(rounds) + ";\n@%p9 bra again;\n";
}

const std::string shared_words = ".shared .align 16 .b8 T[1024];\n";
/// %r1: numbers of the lane's own; %d1, %d2: where in and out begin; T has its values.
const std::string start =
    "ld.param.u64 %d1, [k_in]; ld.param.u64 %d2, [k_out]; mul.lo.u32 %r1, %tid, 747796405;\n"
    "mov.u32 %r2, T; shl.b32 %r3, %tid, 5; add.u32 %r2, %r2, %r3;\n"
    "st.shared.v4.u32 [%r2], {1, 2, 3, 4}; st.shared.v4.u32 [%r2+16], {5, 6, 7, 8}; bar.sync 0;\n";
/// %r4: a multiple of 16 below 1024, %d3: the same; %p1: holds in three of four lanes.
const std::string draw =
    "mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r4, %r1, 22; and.b32 %r4, %r4, 1008;\n"
    "cvt.u64.u32 %d3, %r4; and.b32 %r5, %r1, 3072; setp.ne.u32 %p1, %r5, 0;\n";

struct Access {
  const char *name, *text;
};

void PrintTo(const Access &access, std::ostream *out) {
  *out << access.name;
}

class Scattered : public ::testing::TestWithParam<Access> {};

TEST_P(Scattered, MatchesSingleRequests) {
  for (const bool checks : {true, false}) {
    Options options;
    options.check_races = options.check_initialized = checks;
    const std::string step = draw + GetParam().text, end = "st.global.u32 [%out], %r6;\n";
    const auto loop = run(kernel(start + repeated(step, false) + end, shared_words), {1, 2, 3}, 32, options);
    const auto single = run(kernel(start + repeated(step, true) + end, shared_words), {1, 2, 3}, 32, options);
    ASSERT_EQ(loop.result.status, Status::completed) << last(loop.result);
    EXPECT_EQ(loop.out, single.out);
    const Counters &a = loop.result.counters, &b = single.result.counters;
    EXPECT_EQ(a.global_load, b.global_load);
    EXPECT_EQ(a.global_store, b.global_store);
    EXPECT_EQ(a.shared_load, b.shared_load);
    EXPECT_EQ(a.shared_store, b.shared_store);
    EXPECT_EQ(a.unique_sectors, b.unique_sectors);
    EXPECT_EQ(loop.result.diagnostics.size(), single.result.diagnostics.size()) << last(loop.result);
    EXPECT_GE(
        a.global_load.requests + a.global_store.requests + a.shared_load.requests + a.shared_store.requests,
        static_cast<std::uint64_t>(rounds));
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryKind, Scattered,
    ::testing::Values(
        Access{"LoadsFromGlobalMemory", "add.u64 %d4, %d1, %d3; ld.global.u32 %r6, [%d4+4];\n"},
        Access{"GuardedLoads", "add.u64 %d4, %d1, %d3; @%p1 ld.global.u32 %r6, [%d4];\n"},
        Access{"WideLoads", "add.u64 %d4, %d1, %d3; ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d4];\n"},
        Access{"NarrowLoads", "add.u64 %d4, %d1, %d3; ld.global.u8 %r6, [%d4+3];\n"},
        Access{"LoadsThatFollowOthers",
               "add.u64 %d4, %d1, %d3; ld.global.u32 %r6, [%d4]; ld.global.u32 %r7, [%d4+8];\n"
               "add.u32 %r6, %r6, %r7;\n"},
        Access{"StoresToGlobalMemory", "add.u64 %d4, %d2, %d3; st.global.u32 [%d4], 7;\n"},
        Access{"GuardedStores", "add.u64 %d4, %d2, %d3; @%p1 st.global.v2.u32 [%d4+8], {7, 7};\n"},
        Access{"LoadsFromSharedMemory",
               "mov.u32 %r7, T; add.u32 %r7, %r7, %r4; ld.shared.u32 %r6, [%r7+8];\n"},
        Access{"GuardedSharedLoads",
               "mov.u32 %r7, T; add.u32 %r7, %r7, %r4; @%p1 ld.shared.u32 %r6, [%r7];\n"},
        Access{"WideSharedLoads",
               "mov.u32 %r7, T; add.u32 %r7, %r7, %r4; ld.shared.v2.u32 {%r6, %r8}, [%r7+8];\n"},
        Access{"NarrowSharedLoads", "mov.u32 %r7, T; add.u32 %r7, %r7, %r4; ld.shared.u16 %r6, [%r7+2];\n"},
        Access{
            "SharedLoadsThatAreMerged",
            "mov.u32 %r7, T; add.u32 %r7, %r7, %r4; ld.shared.u32 %r6, [%r7]; ld.shared.u32 %r8, [%r7+4];\n"
            "ld.shared.u32 %r9, [%r7+8]; ld.shared.u32 %r10, [%r7+12]; add.u32 %r6, %r6, %r10;\n"},
        Access{"SharedStores",
               "bar.warp.sync -1; mov.u32 %r7, T; add.u32 %r7, %r7, %r4; @%p1 st.shared.u32 [%r7], 9;\n"}),
    [](const auto &tested) { return std::string(tested.param.name); });

TEST(ScatteredReads, AreFoundByAStoreOfAnotherWarp) {
  // Warp 0 reads words of its own, in another order each time, on line 1; then warp 1 writes one of them on
  // line 2.
  const std::string text = kernel(
      "mov.u32 %r2, T; shl.b32 %r3, %tid, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], 1; bar.sync 0;\n"
      "setp.ge.u32 %p1, %tid, 32; @%p1 bra other;\nmul.lo.u32 %r1, %tid, 747796405;\n" +
          repeated("mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r4, %r1, 25; and.b32 %r4, %r4, 124;\n"
                   "mov.u32 %r7, T; add.u32 %r7, %r7, %r4;\n.loc 1 1 0\nld.shared.u32 %r6, [%r7];\n",
                   false) +
          "bra done;\nother:\nsetp.ne.u32 %p2, %tid, 40; @%p2 bra done;\n.loc 1 2 0\n"
          "mov.u32 %r8, T; st.shared.u32 [%r8+20], 3;\ndone:",
      shared_words);
  const auto got = run(text + "\n.file 1 \"k.cu\"\n", {}, 64);
  ASSERT_EQ(got.result.diagnostics.size(), 1u) << last(got.result);
  const Diagnostic &one = got.result.diagnostics[0];
  EXPECT_EQ(one.code, Code::race);
  EXPECT_EQ(one.here.at.line, 2);
  EXPECT_EQ(one.other->at.line, 1);
  EXPECT_LT(one.other->thread.x, 32u);
}

/// An atomic that is never reached, and takes the quick way from all others: its scope is its block.
const std::string narrow = "setp.eq.u32 %p8, %tid, 999; @%p8 red.cta.global.add.u32 [%out], 1;\n";

TEST(QuickAtomics, MatchTheGeneralPath) {
  // $: the address in global or shared memory; @: of an atomic, which is generic in what must take the
  // general way.
  const std::string steps[] = {"red@.add.u32 [$@+8], %tid;\n",
                               "@%p1 atom@.add.u32 %r6, [$@], 1;\n",
                               "atom@.max.u32 %r6, [$@], %r1;\n",
                               "red@.add.f32 [$@], 0f3FC00000;\n",
                               "atom@.cas.b32 %r6, [$@], 0, %tid;\n",
                               "atom@.exch.b32 %r6, [$@+4], %tid;\n",
                               "red@.add.u64 [$@+8], 5;\n",
                               "ld.GLOBAL.u32 %r6, [$]; red@.add.u32 [$@], %tid;\n",
                               "st.GLOBAL.u32 [$], 4; red@.add.u32 [$@], %tid;\n",
                               "red@.add.u32 [$@], %tid; ld.GLOBAL.u32 %r6, [$];\n",
                               "red@.add.u32 [$@], %tid; st.GLOBAL.u32 [$], 4;\n"};
  const auto with = [](std::string text, const std::string &from, const std::string &to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  };
  const std::string addresses =
      "add.u64 %d4, %d2, %d3; mov.u32 %r7, T; add.u32 %r7, %r7, %r4; cvt.u64.u32 %d6, %r7;\n"
      "cvta.shared.u64 %d5, %d6;\n";
  for (const bool shared : {false, true})
    for (const std::string &step : steps)
      for (const std::uint32_t threads : {32u, 64u}) {
        const std::string plain = with(step, "GLOBAL", shared ? "shared" : "global");
        const auto make = [&](bool general) {
          const std::string text = with(
              with(with(plain, "$@", shared && general ? "%d5" : "$"), "@.", shared && general ? "." : "@."),
              "$", shared ? "%r7" : "%d4");
          const std::string one = draw + addresses + with(text, "@.", shared ? ".shared." : ".global.");
          return run(kernel(start + (shared || !general ? "" : narrow) + repeated(one, false) +
                                "bar.sync 0;\n" + one,
                            shared_words),
                     {}, threads);
        };
        SCOPED_TRACE(plain);
        const auto quick = make(false), general = make(true);
        EXPECT_EQ(quick.out, general.out);
        EXPECT_EQ(quick.result.status, general.result.status) << last(quick.result);
        EXPECT_EQ(quick.result.counters.atomic_requests, general.result.counters.atomic_requests);
        EXPECT_EQ(quick.result.counters.global_atomics, general.result.counters.global_atomics);
        EXPECT_EQ(quick.result.counters.unique_sectors, general.result.counters.unique_sectors);
        ASSERT_EQ(quick.result.diagnostics.size(), general.result.diagnostics.size()) << last(quick.result);
        for (std::size_t i = 0; i < quick.result.diagnostics.size(); ++i) {
          const Diagnostic &a = quick.result.diagnostics[i], &b = general.result.diagnostics[i];
          EXPECT_EQ(a.message, b.message);
          EXPECT_EQ(a.severity, b.severity);
          EXPECT_EQ(a.count, b.count);
          EXPECT_EQ(a.here.thread, b.here.thread);
        }
      }
}

}  // namespace
}  // namespace warpgrade::simt
