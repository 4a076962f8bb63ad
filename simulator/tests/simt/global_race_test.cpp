// Races in global memory: what must be seen, what must not, and that neither depends on the number of
// workers.
#include "harness.hpp"
#include "machine/checks/watch.hpp"

namespace warpgrade::simt {
namespace {

struct Result {
  LaunchResult launch;
  std::vector<std::uint32_t> data;
};

/// k(data): %data points to 4096 words, %me is the thread's own, %i its number in the grid, %b its block.
std::string with_data(const std::string &body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_data)\n{\n"
         ".reg .b32 %r<40>, %i, %b, %t; .reg .b64 %d<40>, %data, %me; .reg .pred %p<9>; .reg .b16 %h<9>;\n"
         ".loc 1 1 0\nmov.u32 %b, %ctaid.x; mov.u32 %t, %tid.x; mov.u32 %r30, %ntid.x; mad.lo.s32 %i, %b, "
         "%r30, %t;\n"
         "ld.param.u64 %data, [k_data]; mul.wide.u32 %d30, %i, 4; add.s64 %me, %data, %d30;\n.loc 1 2 0\n" +
         body + "\nret;\n}\n.file 1 \"k.cu\"\n";
}

Result run(const std::string &body, std::uint32_t blocks, std::uint32_t threads, int workers = 1,
           bool initialized = true) {
  Options options;
  options.threads = workers;
  options.alone_until = 0;
  Device device(options);
  device.load(testing::parse(with_data(body)));
  Result made;
  made.data.assign(4096, 0);
  const Address data = device.allocate(4096 * 4, "data", initialized);
  device.fill(data, std::byte{0}, 4096 * 4);
  Launch launch{"k", {blocks, 1, 1}, {threads, 1, 1}, 0, std::vector<std::byte>(8)};
  std::memcpy(launch.arguments.data(), &data, 8);
  made.launch = device.launch(launch);
  device.read(data, std::as_writable_bytes(std::span(made.data)));
  return made;
}

std::string only(const Result &result) {
  if (result.launch.diagnostics.size() != 1)
    return std::to_string(result.launch.diagnostics.size()) + " diagnostics";
  return to_text(result.launch.diagnostics[0]);
}

const std::string increment = "ld.global.u32 %r1, [%me]; add.u32 %r1, %r1, 1; st.global.u32 [%me], %r1;\n";

/// Workers of which each did one thing to a cell of the same memory: 'w'rite, 'r'ead, 'W' and 'R' strongly.
bool may_race(const std::vector<std::pair<std::size_t, char>> &done, bool narrow_scopes = false) {
  Allocation memory;
  memory.bytes = 40000;
  std::vector<std::vector<Watched>> workers;
  for (const auto &[cell, what] : done) {
    Watched one = watch(memory, 2);
    if (what == 'W' || what == 'R') one.strengthen();
    (what == 'w'   ? one.writers
     : what == 'r' ? one.readers
     : what == 'W' ? one.strong
                   : one.strong_readers)[cell] = 1;
    one.touch(cell);
    workers.emplace_back().push_back(std::move(one));
  }
  std::vector<const std::vector<Watched> *> all;
  for (const auto &worker : workers) all.push_back(&worker);
  return conflict(all, narrow_scopes);
}

TEST(GlobalRace, AnyTwoWorkersThatAccessAWordMayRaceIfOneWroteIt) {
  EXPECT_FALSE(may_race({{5, 'w'}}));
  EXPECT_FALSE(may_race({{5, 'w'}, {6, 'w'}, {7, 'r'}}));
  EXPECT_FALSE(may_race({{5, 'r'}, {5, 'r'}, {5, 'R'}}));
  for (const std::size_t cell : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{9999}}) {
    EXPECT_TRUE(may_race({{cell, 'w'}, {cell, 'w'}})) << cell;
    EXPECT_TRUE(may_race({{cell, 'w'}, {1, 'r'}, {cell, 'r'}})) << "the first and the third, cell " << cell;
    EXPECT_TRUE(may_race({{1, 'r'}, {cell, 'r'}, {cell, 'w'}})) << "the second and the third, cell " << cell;
    EXPECT_TRUE(may_race({{cell, 'r'}, {cell, 'W'}})) << cell;
    EXPECT_TRUE(may_race({{cell, 'R'}, {cell, 'w'}})) << cell;
  }
}

TEST(GlobalRace, AtomicsOfTwoWorkersMayRaceOnlyWhereAScopeIsNarrow) {
  for (const char other : {'W', 'R'}) {
    EXPECT_FALSE(may_race({{5, 'W'}, {5, other}}));
    EXPECT_TRUE(may_race({{5, 'W'}, {5, other}}, true));
    EXPECT_TRUE(may_race({{5, other}, {5, 'W'}}, true));
  }
  EXPECT_FALSE(may_race({{5, 'R'}, {5, 'R'}}, true));
}

TEST(GlobalRace, TwoWarpsThatAddToOneWordRace) {
  // lane 0 of both warps: data[0] += 1
  const auto got =
      run("and.b32 %r2, %t, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra $L;\n"
          ".loc 1 7 0\nld.global.u32 %r1, [%data]; add.u32 %r1, %r1, 1;\n"
          ".loc 1 8 0\nst.global.u32 [%data], %r1;\n$L:",
          1, 64);
  ASSERT_EQ(got.launch.diagnostics.size(), 2u);
  EXPECT_EQ(
      to_text(got.launch.diagnostics[0]),
      "k.cu:7: error: read after write in data, element 0: both threads read the word, add to it and store "
      "it, so one addition can get lost; use atomicAdd, thread (32,0,0) of block (0,0,0) of k; the other is "
      "thread (0,0,0) of "
      "block (0,0,0) at k.cu:8");
}

TEST(GlobalRace, ABarrierOrdersTheWarpsOfABlock) {
  const auto got =
      run("st.global.u32 [%me], %t; bar.sync 0; xor.b32 %r1, %t, 32; mul.wide.u32 %d1, %r1, 4;\n"
          "add.s64 %d1, %data, %d1; ld.global.u32 %r2, [%d1]; bar.sync 0; st.global.u32 [%me], %r2;",
          1, 64);
  EXPECT_TRUE(got.launch.diagnostics.empty()) << only(got);
  EXPECT_EQ(got.data[1], 33u);
}

TEST(GlobalRace, NothingOrdersBlocks) {
  // every block reads its own words and the first of the next block, then writes its own
  const auto got = run(".loc 1 4 0\nld.global.u32 %r1, [%me+4];\n.loc 1 5 0\nst.global.u32 [%me], 1;", 2, 32);
  EXPECT_EQ(only(got),
            "k.cu:5: error: write after read in data, element 32: nothing orders the blocks of a launch: one "
            "reads what another one writes; read it in a second kernel, or write to a second array, thread "
            "(0,0,0) of block (1,0,0) of k; the other is thread (31,0,0) of "
            "block (0,0,0) at k.cu:4 (63 times)");
}

TEST(GlobalRace, EarlierReadersAreNotForgottenWhenTheOwnerReads) {
  const auto got =
      run("ld.global.u32 %r1, [%me+4]; ld.global.u32 %r2, [%me]; bar.sync 0;\n"
          ".loc 1 5 0\nst.global.u32 [%me], 1;",
          2, 32);
  EXPECT_EQ(got.launch.diagnostics.size(), 1u);
}

TEST(GlobalRace, TheReportIsTheSameForAnyNumberOfWorkers) {
  const std::string body =
      "shr.u32 %r1, %i, 1; mul.wide.u32 %d1, %r1, 128; add.s64 %d1, %data, %d1;\n"
      "st.global.u32 [%d1], %i; ld.global.u32 %r2, [%data+4];";
  const auto one = run(body, 8, 1), three = run(body, 8, 1, 3);
  ASSERT_FALSE(one.launch.diagnostics.empty());
  ASSERT_EQ(one.launch.diagnostics.size(), three.launch.diagnostics.size());
  for (std::size_t i = 0; i < one.launch.diagnostics.size(); ++i)
    EXPECT_EQ(to_text(one.launch.diagnostics[i]), to_text(three.launch.diagnostics[i]));
  EXPECT_EQ(one.data, three.data);
  EXPECT_EQ(one.launch.warp_instructions, three.launch.warp_instructions);
}

class NoRace : public ::testing::TestWithParam<std::pair<const char *, std::string>> {};

TEST_P(NoRace, IsReported) {
  for (const int workers : {1, 2})
    for (const bool initialized : {true, false}) {
      const auto got = run(GetParam().second, 8, 64, workers, initialized);
      EXPECT_EQ(got.launch.status, Status::completed);
      EXPECT_TRUE(got.launch.diagnostics.empty()) << GetParam().first << ": " << only(got);
    }
}

INSTANTIATE_TEST_SUITE_P(
    GlobalRace, NoRace,
    ::testing::Values(
        std::pair{"the owner reads, changes and writes", increment + increment},
        std::pair{"grid stride",
                  "$A: " + increment +
                      "add.u32 %i, %i, 512; add.s64 %me, %me, 2048; setp.lt.u32 %p1, %i, 2048; "
                      "@%p1 bra $A;"},
        std::pair{"sums by atomics", std::string("red.global.add.u32 [%data], 1; atom.global.add.u32 %r1, "
                                                 "[%data+4], 2;")},
        std::pair{"bytes beside each other",
                  std::string("cvt.u64.u32 %d1, %i; add.s64 %d1, %data, %d1; st.global.u8 [%d1], 3;")},
        std::pair{"the last block sums up what the others left",
                  "st.global.u32 [%me], %i; membar.gl; atom.global.inc.u32 %r1, [%data+8192], 511;\n"
                  "setp.ne.u32 %p1, %r1, 511; @%p1 bra $L; ld.global.u32 %r2, [%data]; st.global.u32 "
                  "[%data+4], %r2; $L:"},
        std::pair{"volatile flags",
                  std::string("ld.volatile.global.u32 %r1, [%data]; st.volatile.global.u32 [%data], %i;")},
        std::pair{"reads by all of what nobody writes",
                  "ld.global.u32 %r1, [%data+8192]; add.s64 %me, %me, 12; st.global.u32 [%me], %r1;"}));

TEST(GlobalRace, LanesOfOneStoreThatWriteDifferentValuesToOnePlaceRace) {
  const Result got = run("st.global.u32 [%data+8], %t;", 1, 32);
  EXPECT_EQ(
      only(got),
      "k.cu:2: error: write after write in data, element 2: two threads of one store write different values "
      "to "
      "the same place, thread (1,0,0) of block (0,0,0) of k; the other is thread (0,0,0) of block (0,0,0) at "
      "k.cu:2");
  EXPECT_EQ(got.data[2], 31u);
  EXPECT_TRUE(run("st.global.u32 [%data+8], 5;", 1, 32).launch.diagnostics.empty());
  EXPECT_TRUE(run("st.volatile.global.u32 [%data+8], %t;", 1, 32).launch.diagnostics.empty());
}

TEST(GlobalRace, APlainLoadBeforeAnAtomicRaces) {
  for (const int workers : {1, 2}) {
    const Result got =
        run(".loc 1 4 0\nld.global.u32 %r1, [%data]; setp.lt.u32 %p1, %r1, 9999;\n"
            ".loc 1 5 0\n@%p1 red.global.max.u32 [%data], %i;",
            2, 1, workers);
    ASSERT_EQ(got.launch.diagnostics.size(), 2u);
    EXPECT_EQ(to_text(got.launch.diagnostics[0]),
              "k.cu:4: error: read after write in data, element 0: a plain read decides whether the "
              "atomic is needed, and the word may have changed since; read it with an atomic or as volatile, "
              "or call "
              "the atomic every time, thread (0,0,0) of block "
              "(1,0,0) of "
              "k; the other is thread (0,0,0) of block (0,0,0) at k.cu:5");
    EXPECT_NE(to_text(got.launch.diagnostics[1]).find("write after read"), std::string::npos);
  }
}

TEST(GlobalRace, StoresOfEqualValuesAreOnlyARemark) {
  const auto got = run("st.global.u32 [%data], 1;", 8, 64, 2);
  for (const Diagnostic &d : got.launch.diagnostics) EXPECT_NE(d.severity, Severity::error) << to_text(d);
}

TEST(GlobalRace, AnAtomicRacesWithAPlainStoreOfAnotherBlock) {
  const auto got =
      run("setp.eq.u32 %p1, %i, 0; @%p1 st.global.u32 [%data], 7; bar.sync 0; red.global.add.u32 "
          "[%data], 1;",
          2, 32);
  EXPECT_EQ(got.launch.diagnostics.size(), 1u);
}

TEST(GlobalRace, KernelsInSequenceAreOrdered) {
  Device device;
  device.load(testing::parse(with_data(increment)));
  const Address data = device.allocate(4096 * 4, "data", true);
  for (const std::uint32_t threads : {32u, 64u}) {
    Launch launch{"k", {8, 1, 1}, {threads, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.arguments.data(), &data, 8);
    EXPECT_TRUE(device.launch(launch).diagnostics.empty());
  }
}

TEST(Schedules, FindARaceThatOnlyAnotherOrderOfBlocksShows) {
  // the first thread at the counter decides whether both blocks write word 1
  const std::string body =
      "atom.global.add.u32 %r1, [%data], 1; setp.eq.u32 %p1, %r1, %b; @%p1 bra $L;\n"
      "st.global.u32 [%data+4], %i;\n$L:";
  const auto launched = [&](std::uint32_t schedules) {
    Options options;
    options.schedules = schedules;
    Device device(options);
    device.load(testing::parse(with_data(body)));
    const Address data = device.allocate(4096 * 4, "data", true);
    Launch launch{"k", {2, 1, 1}, {1, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.arguments.data(), &data, 8);
    const LaunchResult result = device.launch(launch);
    std::uint32_t written = 0;
    device.read(data + 4, std::as_writable_bytes(std::span(&written, 1)));
    EXPECT_EQ(written, 0u) << "memory holds what the first order left";
    return result;
  };
  EXPECT_TRUE(launched(1).diagnostics.empty());
  const LaunchResult result = launched(32);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].code, Code::race);
  EXPECT_GT(result.schedules, 1u);
  EXPECT_EQ(result.schedule_seed, result.schedules - 1);
}

TEST(Schedules, OneWarpOrOneBlockCanRunBeforeTheOthers) {
  // each thread stores which turn it had
  const std::string body = "atom.global.add.u32 %r1, [%data], 1; st.global.u32 [%me+4], %r1;";
  const auto turns = [&](const Options &options, std::uint32_t blocks, std::uint32_t threads) {
    Device device(options);
    device.load(testing::parse(with_data(body)));
    const Address data = device.allocate(4096 * 4, "data", true);
    device.fill(data, std::byte{0}, 4096 * 4);
    Launch launch{"k", {blocks, 1, 1}, {threads, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.arguments.data(), &data, 8);
    EXPECT_EQ(device.launch(launch).status, Status::completed);
    std::vector<std::uint32_t> written(std::size_t{blocks} * threads);
    device.read(data + 4, std::as_writable_bytes(std::span(written)));
    return written;
  };
  Options plain, warp, block, absent;
  warp.warp_first = 2;
  block.block_first = 2;
  absent.warp_first = 7;
  absent.block_first = 9;
  const auto of_warps = turns(warp, 1, 96);
  EXPECT_EQ(of_warps[64], 0u);
  EXPECT_EQ(of_warps[0], 32u) << "the others keep their order";
  EXPECT_EQ(of_warps[32], 64u);
  EXPECT_EQ(turns(plain, 3, 1), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(turns(block, 3, 1), (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(turns(absent, 2, 64), turns(plain, 2, 64)) << "there is no such warp and no such block";
}

TEST(BadAccess, IsDroppedAndTheLaunchContinuesOnRequest) {
  const std::string body =
      ".loc 1 3 0\nst.global.u32 [%me+16380], 1; ld.global.u32 %r1, [%me+16384];\n"
      ".loc 1 5 0\nst.global.u32 [%data], %r1; st.global.u32 [%data+4], %i;";
  const auto launched = [&](bool stop, int threads) {
    Options options;
    options.stop_at_first = stop;
    options.threads = threads;
    options.alone_until = 0;
    Device device(options);
    device.load(testing::parse(with_data(body)));
    const Address data = device.allocate(4096 * 4, "data", true);
    device.fill(data, std::byte{1}, 4096 * 4);
    Launch launch{"k", {2, 1, 1}, {2, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.arguments.data(), &data, 8);
    const LaunchResult result = device.launch(launch);
    std::uint32_t loaded = 0;
    device.read(data, std::as_writable_bytes(std::span(&loaded, 1)));
    EXPECT_EQ(loaded, stop ? 0x01010101u : 0u) << "a load that is dropped gives zero";
    EXPECT_EQ(result.status, Status::fault);
    std::string text;
    for (const Diagnostic &one : result.diagnostics) text += to_text(one) + "\n";
    return text;
  };
  const std::string stopped = launched(true, 1), went_on = launched(false, 1);
  EXPECT_EQ(stopped.find("write after write"), std::string::npos) << stopped;
  EXPECT_NE(went_on.find("write after write"), std::string::npos) << went_on;
  EXPECT_NE(went_on.find("possibly a consequence of the bad access above"), std::string::npos) << went_on;
  EXPECT_EQ(went_on, launched(false, 2));
}

// How many findings a launch may describe.

TEST(Findings, AreBoundedAndTheRestIsCounted) {
  // 100 lines of shared stores by two warps to one place, each racing with the one before
  std::string body = "mov.u32 %r1, %t;\n";
  for (int line = 10; line < 110; ++line)
    body += ".loc 1 " + std::to_string(line) + " 0\nst.shared.u32 [T], %t;\n";
  std::string text = with_data(body);
  text.insert(text.find(".visible"), ".shared .align 4 .b8 T[4];\n");
  Device device;
  device.load(testing::parse(text));
  Launch launch{"k", {3, 1, 1}, {64, 1, 1}, 0, std::vector<std::byte>(8)};
  const LaunchResult result = device.launch(launch);
  std::size_t errors = 0, others = 0;
  for (const Diagnostic &d : result.diagnostics) ++(d.severity == Severity::error ? errors : others);
  EXPECT_EQ(errors, 64u);
  EXPECT_LE(others, 65u);
  EXPECT_NE(result.diagnostics.back().message.find("more like these"), std::string::npos);
}

TEST(Findings, OfALaunchWithThousandsEndInTheBlockThatHasThem) {
  // a warp reads what the other has just written, 8192 times in each of 4 blocks
  std::string text = with_data(
      "shl.b32 %r1, %t, 2; mov.u32 %r2, T; add.u32 %r3, %r2, %r1; xor.b32 %r1, %r1, 128;\n"
      "add.u32 %r4, %r2, %r1; mov.u32 %r5, 0;\n"
      "$A: st.shared.u32 [%r3], %t; ld.shared.u32 %r6, [%r4]; add.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p1, %r5, 8192; @%p1 bra $A;");
  text.insert(text.find(".visible"), ".shared .align 4 .b8 T[256];\n");
  const auto launched = [&](int workers) {
    Options options;
    options.threads = workers;
    options.alone_until = 0;
    Device device(options);
    device.load(testing::parse(text));
    return device.launch({"k", {4, 1, 1}, {64, 1, 1}, 0, std::vector<std::byte>(8)});
  };
  const LaunchResult one = launched(1), two = launched(2);
  std::uint64_t races = 0, unset = 0;  // the other warp may not have written yet
  for (const Diagnostic &d : one.diagnostics) (d.code == Code::race ? races : unset) += d.count;
  EXPECT_GE(races, 4096u);
  EXPECT_LT(races, 8192u) << "one block of four, and that not to its end";
  EXPECT_LT(unset, 8192u);
  ASSERT_EQ(one.diagnostics.size(), two.diagnostics.size());
  for (std::size_t i = 0; i < one.diagnostics.size(); ++i)
    EXPECT_EQ(to_text(one.diagnostics[i]), to_text(two.diagnostics[i]));
}

TEST(Findings, ThousandsOfReadsWithoutAValueDoNotHideARaceOfLaterBlocks) {
  // each block reads 8192 words that were never written; thread 0 of the last two of 102 writes one word
  std::string text = with_data(
      "shl.b32 %r1, %t, 2; mov.u32 %r2, T; add.u32 %r3, %r2, %r1; mov.u32 %r5, 0;\n"
      "$A: ld.shared.u32 %r6, [%r3]; setp.eq.u32 %p4, %r6, 0; @%p4 bra $C;\n$C: add.u32 %r5, %r5, 1; "
      "setp.lt.u32 %p1, %r5, 256; @%p1 bra $A;\n"
      "setp.lt.u32 %p2, %b, 100; @%p2 bra $B;\nsetp.ne.u32 %p3, %t, 0; @%p3 bra $B;\n"
      "st.global.u32 [%data], %i;\n$B:");
  text.insert(text.find(".visible"), ".shared .align 4 .b8 T[128];\n");
  for (const int workers : {1, 3}) {
    Options options;
    options.threads = workers;
    options.alone_until = 0;
    Device device(options);
    device.load(testing::parse(text));
    const Address data = device.allocate(4096 * 4, "data", true);
    Launch launch{"k", {102, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.arguments.data(), &data, 8);
    std::size_t races = 0, unset = 0;
    for (const Diagnostic &d : device.launch(launch).diagnostics) (d.code == Code::race ? races : unset) += 1;
    EXPECT_EQ(races, 1u) << workers;
    EXPECT_GT(unset, 0u) << workers;
  }
}

/// A read of another warp's element, a barrier and a write of the own one, each in a line of its own, in this order.
std::string moved(const std::string &order, int read, int barrier, int write) {
  std::string body = "xor.b32 %r1, %t, 32; mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %data, %d1;\n";
  const auto line = [](int number) { return ".loc 1 " + std::to_string(number) + " 0\n"; };
  for (const char what : order)
    body += what == 'r'   ? line(read) + "ld.global.nc.u32 %r2, [%d1];\n"
            : what == 'b' ? line(barrier) + "bar.sync 0;\n"
                          : line(write) + "st.global.u32 [%me], %t;\n";
  return body;
}

TEST(GlobalRace, NamesTheAccessThatTheCompilerHasMovedPastABarrier) {
  const auto said = [](const std::string &order, int read, int barrier, int write) {
    return testing::last(run(moved(order, read, barrier, write), 1, 64).launch);
  };
  EXPECT_NE(said("brw", 3, 4, 5)
                .find("the source has a barrier in line 4 between the two, but in the PTX the compiler "
                      "has put line 3 behind it"),
            std::string::npos)
      << said("brw", 3, 4, 5);
  EXPECT_NE(said("rwb", 3, 4, 5).find("the compiler has put line 5 before it"), std::string::npos);
  EXPECT_NE(said("wr", 3, 4, 5).find("the compiler has put line 5 before line 3"), std::string::npos);
  // What the source has in the same order is nobody's doing. Nor is what a loop that was unrolled has several times, with a
  // barrier in some of its rounds, nor an assignment over two lines, which loads before it stores.
  std::string assigned = moved("rw", 5, 4, 3);
  assigned.replace(assigned.find("[%me], %t"), 9, "[%me], %r2");
  for (const std::string &text : {said("brw", 4, 3, 5), said("rwb", 3, 5, 4), said("rw", 3, 4, 5),
                                  said("brwbrw", 3, 4, 5), testing::last(run(assigned, 1, 64).launch)}) {
    EXPECT_NE(text.find("write after read"), std::string::npos) << text;
    EXPECT_EQ(text.find("the compiler"), std::string::npos) << text;
  }
  // A loop that was unrolled: the second read comes after the first write in the source, too.
  EXPECT_EQ(said("rbwrbw", 3, 4, 5).find("the compiler"), std::string::npos);
  EXPECT_EQ(said("rbw", 3, 4, 5), "completed");
}

/// Three blocks in a row hand on a word; a fence may come before each of the two flags.
std::string hops(const std::string &first, const std::string &second) {
  return "setp.ne.u32 %p1, %t, 0; @%p1 ret; setp.eq.u32 %p2, %b, 1; @%p2 bra B1; setp.eq.u32 %p3, %b, 2; "
         "@%p3 bra B2;\n"
         ".loc 1 10 0\nst.global.u32 [%data], 7;\n" +
         first +
         ".loc 1 11 0\nst.volatile.global.u32 [%data+512], 1; ret;\n"
         "B1:\n.loc 1 20 0\nld.volatile.global.u32 %r1, [%data+512]; setp.eq.u32 %p4, %r1, 0; @%p4 bra "
         "B1;\n" +
         second +
         ".loc 1 21 0\nst.volatile.global.u32 [%data+1024], 1; ret;\n"
         "B2:\n.loc 1 30 0\nld.volatile.global.u32 %r1, [%data+1024]; setp.eq.u32 %p4, %r1, 0; @%p4 bra B2;\n"
         "membar.gl;\n.loc 1 31 0\nld.global.u32 %r2, [%data]; st.global.u32 [%data+2048], %r2;\n";
}

TEST(GlobalRace, NamesTheFlagBeforeWhichTheFenceIsMissing) {
  const auto said = [](const char *first, const char *second) {
    return testing::last(run(hops(first, second), 3, 32).launch);
  };
  EXPECT_EQ(said("membar.gl;", "membar.gl;"), "completed");
  EXPECT_NE(said("", "membar.gl;").find("signals it at k.cu:11, but a __threadfence() is missing"),
            std::string::npos);
  EXPECT_NE(said("membar.gl;", "").find("signals it at k.cu:21, but a __threadfence() is missing"),
            std::string::npos)
      << said("membar.gl;", "");
}

}  // namespace
}  // namespace warpgrade::simt
