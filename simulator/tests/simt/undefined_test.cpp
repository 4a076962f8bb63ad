// Undefined values: found where they reach memory, a condition or an address, and nowhere else; and with the
// same result whichever worker ran what before.
#include "tests/simt/harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::parse;

/// One launch of `k` in many blocks of 64 threads, with these threads of the host.
LaunchResult launch(const std::string &text, int threads = 1, std::uint32_t blocks = 1,
                    std::vector<std::uint64_t> *out = nullptr, Options options = {}) {
  options.threads = threads;
  options.alone_until = 0;
  Device device(options);
  device.load(parse(text));
  constexpr std::uint64_t bytes = 64 * 32;
  const Address in = device.allocate(bytes, "in"), to = device.allocate(bytes * blocks, "out");
  device.fill(in, std::byte{0}, bytes);
  device.fill(to, std::byte{0}, bytes * blocks);
  Launch launch;
  launch.kernel = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &in, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  LaunchResult result = device.launch(launch);
  if (out) {
    out->resize(bytes * blocks / 8);
    device.read(to, std::as_writable_bytes(std::span(*out)));
  }
  return result;
}

/// What is found, one finding a line.
std::string found(const LaunchResult &result) {
  std::string text;
  for (const Diagnostic &d : result.diagnostics)
    if (d.code == Code::uninitialized_read)
      text += std::string(name_of(d.severity)) + " line " + std::to_string(d.here.at.line) + ": " +
              d.message + "\n";
  return text;
}
std::string found(const std::string &body, const std::string &before = "") {
  const LaunchResult result = launch(kernel(body, before));
  EXPECT_EQ(result.status, Status::completed) << last(result);
  return found(result);
}

constexpr const char *file = "\n.file 1 \"step0.cu\"\n";

TEST(Undefined, AnAccumulatorWithoutAnInitialValueIsAnErrorAtTheLineThatReadsIt) {
  const std::string text = kernel(
      "mov.u32 %r1, 3;\n"
      "loop: .loc 1 7 0\nld.global.f32 %f1, [%in]; add.f32 %f2, %f2, %f1;\n"
      "sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra loop;\n"
      ".loc 1 9 0\nst.global.f32 [%out], %f2;");
  const LaunchResult result = launch(text + file);
  ASSERT_EQ(result.status, Status::completed) << last(result);
  EXPECT_EQ(found(result),
            "error line 7: this line reads a variable that has no value yet, and the result is stored "
            "(step0.cu:9); is an initial value missing?\n");
  EXPECT_EQ(result.diagnostics.at(0).count, 64u);
}

TEST(Undefined, ARegisterSetOnOnePathIsAnErrorForThreadsOnTheOther) {
  const LaunchResult result =
      launch(kernel("setp.lt.u32 %p1, %tid, 60; @%p1 bra skip; mov.f32 %f1, 0f3F800000;\n"
                    "skip: st.global.f32 [%out], %f1;"));
  ASSERT_EQ(found(result).empty(), false);
  EXPECT_EQ(result.diagnostics.at(0).count, 60u);
  EXPECT_EQ(found("setp.ge.u32 %p1, %tid, 64; @%p1 bra skip; mov.f32 %f1, 0f3F800000;\n"
                  "skip: st.global.f32 [%out], %f1;"),
            "");
}

TEST(Undefined, AnUnusedResultIsNoError) {
  for (const char *body :
       {"add.f32 %f2, %f1, %f1;",  // used nowhere
        "setp.lt.u32 %p1, %tid, 99; selp.f32 %f3, 0f00000000, %f1, %p1; st.global.f32 [%out], %f3;",
        "setp.lt.u32 %p1, %tid, 99; not.pred %p2, %p1; and.pred %p4, %p2, %p3; @%p4 bra end;\nend:",
        "setp.lt.u32 %p1, %tid, 99; or.pred %p4, %p1, %p3; @%p4 bra end;\nend:",
        "and.b32 %r2, %r1, 0; st.global.u32 [%out], %r2;",
        "and.b32 %r2, %r1, 255; and.b32 %r3, %r2, 256; st.global.u32 [%out], %r3;",
        "shl.b32 %r2, %r1, 8; and.b32 %r2, %r2, 255; st.global.u32 [%out], %r2;",
        "mov.u16 %h1, 7; mov.b32 %r1, {%h1, %h2}; mov.b32 {%h3, %h4}, %r1; st.global.u16 [%out], %h3;",
        "mov.u32 %r1, 7; mov.b64 %d1, {%r1, %r2}; mov.b64 {%r3, %r4}, %d1; st.global.u32 [%out], %r3;",
        "mov.u32 %r1, 7; mov.b64 %d1, {%r1, %r2}; cvt.u32.u64 %r3, %d1; st.global.u32 [%out], %r3;",
        "mov.u32 %r1, 0; bfi.b32 %r2, %r3, %r1, 8, 8; bfe.u32 %r4, %r2, 0, 8; st.global.u32 [%out], %r4;",
        "mov.u32 %r1, 7; prmt.b32 %r2, %r1, %r3, 0x0000; st.global.u32 [%out], %r2;",
        "mov.u16 %h1, 0; mov.b32 %r1, {%h1, %h2}; fma.rn.f16x2 %r2, %r1, %r1, %r1; mov.b32 {%h3, %h4}, %r2; "
        "st.global.u16 [%out], %h3;",
        // only lane 0 has a value, and all take it
        "setp.ne.u32 %p1, %tid, 0; @%p1 bra all; mov.u32 %r1, 7;\nall: mov.u32 %r3, %laneid; setp.eq.u32 "
        "%p2, %r3, "
        "%tid; @!%p2 bra end; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; st.global.u32 [%out], %r2;\nend:"})
    EXPECT_EQ(found(body), "") << body;
}

TEST(Undefined, AValueThatReachesMemoryIsAnErrorOnAnyPath) {
  for (const char *body :
       {"st.global.f32 [%out], %f1;", "st.global.v2.f32 [%out], {%f1, %f1};", "st.global.u8 [%out], %r1;",
        "selp.f32 %f3, 0f00000000, 0f3F800000, %p1; st.global.f32 [%out], %f3;",
        "setp.lt.u32 %p1, %tid, 1; selp.f32 %f3, 0f00000000, %f1, %p1; st.global.f32 [%out], %f3;",
        "or.b32 %r2, %r1, %tid; st.global.u32 [%out], %r2;",
        "cvt.rn.f32.s32 %f1, %r1; st.global.f32 [%out], %f1;",
        "mov.b32 %r1, {%h1, %h2}; st.global.u32 [%out], %r1;",
        "mov.u32 %r1, %laneid; shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1; st.global.u32 [%out], %r2;",
        "vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [%out], %r2;", "red.global.add.u32 [%out], %r1;",
        "@%p1 mov.u32 %r1, 3; st.global.u32 [%out], %r1;",
        ".shared .align 4 .b8 s[256]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 4, %r1; st.shared.u32 [%r1], "
        "%r2; ld.shared.u32 %r3, [%r1]; add.u32 %r3, %r3, 1; st.global.u32 [%out], %r3;"})
    EXPECT_NE(found(body).find("is stored"), std::string::npos) << body;
}

TEST(Undefined, InSharedMemoryIsNoErrorUntilItIsUsed) {
  const std::string place =
      ".shared .align 8 .b8 s[512]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 8, %r1; st.shared.u32 [%r1], %r2; ";
  for (const char *body :
       {"", "ld.shared.u32 %r3, [%r1]; add.u32 %r3, %r3, 1;",
        "st.shared.u32 [%r1], 7; ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;",
        "st.shared.u32 [%r1+4], 7; ld.shared.u32 %r3, [%r1+4]; st.global.u32 [%out], %r3;"})
    EXPECT_EQ(found(place + body), "") << body;
  const LaunchResult result =
      launch(kernel(place + "ld.shared.u32 %r3, [%r1]; setp.eq.u32 %p1, %r3, 1; @%p1 bra end;\nend:"));
  EXPECT_NE(last(result).find("a condition depends on it"), std::string::npos);
}

TEST(Undefined, AnUnwrittenSharedWordIsAnErrorOnlyWhereItsValueIsUsed) {
  const std::string unset =
      ".shared .align 8 .b8 s[1024]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 4, %r1;\n.loc 1 7 0\n"
      "ld.shared.u32 %r2, [%r1];\n.loc 1 9 0\n";
  for (const char *body :
       {"", "st.shared.u32 [%r1+256], %r2;", "add.u32 %r3, %r2, 1; st.shared.u32 [%r1+256], %r3;",
        "st.shared.u32 [%r1+256], %r2; st.shared.u32 [%r1+256], 7; ld.shared.u32 %r3, [%r1+256]; "
        "st.global.u32 [%out], %r3;",
        "setp.lt.u32 %p1, %tid, 99; selp.u32 %r3, 0, %r2, %p1; st.global.u32 [%out], %r3;"})
    EXPECT_EQ(found(unset + body), "") << body;
  const auto used = [&](const std::string &body, const std::string &end) {
    const LaunchResult result = launch(kernel(unset + body) + file);
    EXPECT_EQ(result.status, Status::completed) << last(result);
    ASSERT_EQ(result.diagnostics.size(), 1u) << body;
    EXPECT_EQ(result.diagnostics[0].buffer, "s");
    EXPECT_EQ(found(result),
              "error line 7: uninitialized read on shared memory s, element 0: no thread of "
              "the block has written it, and " +
                  end + " (step0.cu:9)\n");
    EXPECT_GE(result.diagnostics[0].count, 2u);  // both warps
  };
  used("st.global.u32 [%out], %r2;", "the result is stored");
  used("st.shared.u32 [%r1+256], %r2; ld.shared.u32 %r3, [%r1+256]; st.global.u32 [%out], %r3;",
       "the result is stored");
  used("st.shared.u32 [%r1+256], %r2; red.shared.add.u32 [%r1+256], 1;", "the result is stored");
  used("and.b32 %r3, %r2, 4; cvt.u64.u32 %d1, %r3; add.s64 %d1, %d1, %out; st.global.u32 [%d1], 3;",
       "an address depends on it");
}

TEST(Undefined, AnExchangeMayBeTheFirstWriteIfItsResultIsUnused) {
  const auto run = [](const std::string &body) {
    Device device;
    device.load(parse(kernel("setp.ne.u32 %p1, %tid, 0; @%p1 bra end; mov.u32 %r1, s;\n" + body + "\nend:",
                             ".shared .align 8 .b8 s[8];\n")));
    const Address in = device.allocate(1024, "word"), out = device.allocate(1024, "out", true);
    Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
    std::memcpy(launch.arguments.data(), &in, 8);
    std::memcpy(launch.arguments.data() + 8, &out, 8);
    return device.launch(launch);
  };
  for (const char *body :
       {"atom.global.exch.b32 %r2, [%in], 7; ld.global.u32 %r3, [%in]; st.global.u32 [%out], %r3;",
        "atom.global.cas.b32 %r2, [%in], 0, 7;",
        "atom.shared.exch.b32 %r2, [%r1], 7; ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;",
        "atom.global.exch.b64 %d2, [%in], 7; atom.global.exch.b64 %d3, [%in], 8; st.global.u64 [%out], %d3;"})
    EXPECT_TRUE(run(body).diagnostics.empty()) << body << last(run(body));
  for (const char *body :
       {"atom.global.exch.b32 %r2, [%in], 7; st.global.u32 [%out], %r2;",
        "atom.global.cas.b32 %r2, [%in], 0, 7; setp.eq.u32 %p2, %r2, 0; @%p2 bra end;",
        "atom.shared.exch.b32 %r2, [%r1], 7; st.global.u32 [%out], %r2;",
        "atom.global.add.u32 %r2, [%in], 1;", "red.global.add.u32 [%in], 1;", "red.shared.add.u32 [%r1], 1;",
        // the swap has replaced nothing
        "atom.global.cas.b32 %r2, [%in], 5, 7; ld.global.u32 %r3, [%in]; st.global.u32 [%out], %r3;",
        "atom.shared.cas.b32 %r2, [%r1], 5, 7; ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;"}) {
    const LaunchResult result = run(body);
    ASSERT_EQ(result.diagnostics.size(), 1u) << body;
    EXPECT_EQ(result.diagnostics[0].code, Code::uninitialized_read) << body;
    EXPECT_EQ(result.diagnostics[0].severity, Severity::error) << body;
  }
  EXPECT_EQ(run("atom.global.exch.b32 %r2, [%in+8], 7; st.global.u32 [%out], %r2;").diagnostics.at(0).message,
            "load of 4 bytes from word that was never written: element 2, and the result is stored");
}

TEST(Undefined, ALookThatMayComeBeforeTheExchangeThatWritesAWordFirstIsAnError) {
  // Thread 0 of block 0 exchanges a word that nobody has written; other words are read by volatile loads.
  const auto run = [](const std::string &others) {
    Device device;
    device.load(
        parse(kernel("mov.u32 %r9, %ctaid.x; or.b32 %r9, %r9, %tid; setp.ne.u32 %p1, %r9, 0; @%p1 bra look;\n"
                     ".loc 1 3 0\natom.global.exch.b32 %r2, [%in], 7;\n"
                     "look: setp.ne.u32 %p2, %tid, 0; @%p2 bra end;\n.loc 1 5 0\n" +
                     others + "\nend:") +
              ".file 1 \"k.cu\"\n"));
    const Address in = device.allocate(1024, "word"), out = device.allocate(4096, "out", true);
    device.fill(out, std::byte{0}, 4096);
    Launch launch{"k", {2, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
    std::memcpy(launch.arguments.data(), &in, 8);
    std::memcpy(launch.arguments.data() + 8, &out, 8);
    return device.launch(launch);
  };
  const LaunchResult other_word =
      run("ld.volatile.global.u32 %r3, [%out]; st.volatile.global.u32 [%out+8], %r3;");
  EXPECT_TRUE(other_word.diagnostics.empty()) << last(other_word);
  const LaunchResult load = run("ld.volatile.global.u32 %r3, [%in]; st.volatile.global.u32 [%out+8], %r3;");
  ASSERT_EQ(load.diagnostics.size(), 1u) << last(load);
  EXPECT_EQ(
      load.diagnostics[0].message,
      "load of 4 bytes from word that may come before its first write, the exchange in k.cu:3: element 0");
  EXPECT_EQ(load.diagnostics[0].here.at.line, 5);
  // Where a kernel looks by atomics, it is the exchange that reads what nobody has written.
  const LaunchResult atomic = run("atom.global.add.u32 %r3, [%in], 0; st.volatile.global.u32 [%out+8], %r3;");
  ASSERT_FALSE(atomic.diagnostics.empty());
  EXPECT_EQ(atomic.diagnostics[0].message, "load of 4 bytes from word that was never written: element 0");
  EXPECT_EQ(atomic.diagnostics[0].here.at.line, 3);
}

TEST(Undefined, AShuffleFromAnAbsentLaneIsAnErrorOnlyWhereItIsUsed) {
  // A sum of 24 lanes in lane 0: with steps of 8 and less it needs what the others have, with 16 it does not.
  const auto sum = [](const std::string &leave, const char *first, const char *mask) {
    const std::string step = std::string("shfl.sync.down.b32 %r3, %r2, %r4, 31, ") + mask +
                             "; add.u32 %r2, %r2, %r3; shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 "
                             "bra step;\n.loc 1 9 0\n"
                             "setp.ne.u32 %p3, %tid, 0; @%p3 bra end; st.global.u32 [%out], %r2;\nend:";
    return kernel(leave + ".loc 1 7 0\nmov.u32 %r2, %tid; mov.u32 %r4, " + first + ";\nstep: " + step) + file;
  };
  const auto run = [](const std::string &text, std::uint32_t threads) {
    return testing::run(text, {}, threads);
  };
  const std::string below_16 = "setp.ge.u32 %p1, %tid, 16; @%p1 bra end;\n",
                    return_above_16 = "setp.ge.u32 %p1, %tid, 16; @%p1 ret;\n";
  for (const auto &fine : {run(sum(below_16, "8", "0xFFFF"), 32), run(sum(return_above_16, "8", "-1"), 32),
                           run(sum("", "8", "0xFFFF"), 16), run(sum("", "16", "-1"), 32)}) {
    EXPECT_TRUE(fine.result.diagnostics.empty()) << last(fine.result);
  }
  EXPECT_EQ(run(sum(below_16, "8", "0xFFFF"), 32).word(0), 120u);  // 0 + ... + 15
  const auto wrong = [&](const std::string &text, std::uint32_t threads) {
    const LaunchResult result = run(text, threads).result;
    if (result.diagnostics.size() != 1) return std::to_string(result.diagnostics.size()) + " findings";
    EXPECT_EQ(result.diagnostics.back().code, Code::invalid_shuffle);
    EXPECT_EQ(result.diagnostics.back().severity, Severity::error);
    EXPECT_EQ(result.diagnostics.back().here.at.line, 7);
    return result.diagnostics.back().message;
  };
  EXPECT_EQ(
      wrong(sum(return_above_16, "16", "-1"), 32),
      "lane 0 reads from lane 16, which has returned, and the result is stored (step0.cu:9); return only "
      "whole warps, and let lanes that have nothing to add take part with a neutral value");
  EXPECT_NE(
      wrong(sum("", "16", "-1"), 16).find("lane 0 reads from lane 16, which does not exist in this block"),
      std::string::npos);
  EXPECT_NE(wrong(sum(below_16, "16", "0xFFFF"), 32).find("does not take part in the shuffle"),
            std::string::npos);
}

TEST(Undefined, AConditionAndAnAddressEndTheLaunch) {
  const auto end = [](const char *body) {
    const LaunchResult result = launch(kernel(body));
    EXPECT_EQ(result.status, Status::fault) << body;
    EXPECT_EQ(result.diagnostics.back().code, Code::uninitialized_read) << last(result);
    return last(result);
  };
  EXPECT_NE(end("setp.lt.u32 %p1, %r1, 5; @%p1 bra end;\nend:").find("a condition depends on it"),
            std::string::npos);
  EXPECT_NE(end("@%p1 st.global.u32 [%out], %tid;").find("a condition depends on it"), std::string::npos);
  EXPECT_NE(end("ld.global.u32 %r1, [%d1];").find("an address depends on it"), std::string::npos);
  EXPECT_NE(end("mad.wide.u32 %d1, %r1, 4, %out; st.global.u32 [%d1], 3;").find("an address depends on it"),
            std::string::npos);
}

TEST(Undefined, AnElementOfALocalArrayIsLikeARegister) {
  const auto body = [](const std::string &text) {
    return ".local .align 4 .b8 a[16];\nmov.u32 %r1, a; " + text;
  };
  EXPECT_EQ(found(body("ld.local.u32 %r2, [%r1];")), "");
  EXPECT_EQ(found(body("st.local.u32 [%r1], 7; ld.local.u32 %r2, [%r1]; st.global.u32 [%out], %r2;")), "");
  EXPECT_NE(found(body("st.local.u32 [%r1], 7; ld.local.u32 %r2, [%r1+4]; st.global.u32 [%out], %r2;")), "");
  EXPECT_NE(found(body("st.local.f32 [%r1], %f1; ld.local.u32 %r2, [%r1]; st.global.u32 [%out], %r2;")), "");
  EXPECT_NE(found(body("cvt.u64.u32 %d1, %r1; cvta.local.u64 %d1, %d1; ld.u32 %r2, [%d1]; "
                       "st.global.u32 [%out], %r2;")),
            "");
  // A struct of a byte and an int, copied with the bytes between them.
  EXPECT_EQ(found(body("st.local.u8 [%r1], 7; st.local.u32 [%r1+4], 8; ld.local.v2.u32 {%r2, %r3}, [%r1]; "
                       "st.global.v2.u32 [%out], {%r2, %r3};")),
            "");
}

TEST(Undefined, ArgumentsAndResultsOfFunctionsCarryIt) {
  const std::string twice =
      ".func (.param .b32 result) twice(.param .b32 x) {\n.reg .f32 %f<4>;\nld.param.f32 %f1, [x]; add.f32 "
      "%f2, "
      "%f1, %f1; st.param.f32 [result], %f2; ret;\n}\n";
  const auto call = [](const char *argument) {
    return std::string("{ .param .b32 p; st.param.f32 [p], ") + argument +
           "; .param .b32 r; call.uni (r), twice, (p); ld.param.f32 %f3, [r]; } st.global.f32 [%out], %f3;";
  };
  EXPECT_EQ(found("mov.f32 %f1, 0f3F800000; " + call("%f1"), twice), "");
  EXPECT_NE(found(call("%f1"), twice), "");
  const std::string sum =
      ".func (.param .b32 result) twice(.param .b32 x) {\n.reg .f32 %f<4>;\nld.param.f32 %f1, [x]; add.f32 "
      "%f2, "
      "%f2, %f1; st.param.f32 [result], %f2; ret;\n}\n";
  const LaunchResult again =
      launch(kernel("mov.f32 %f1, 0f3F800000; " + call("%f1") + " " + call("%f1"), sum));
  ASSERT_EQ(again.diagnostics.size(), 1u) << found(again);
  EXPECT_EQ(again.diagnostics[0].count, 128u);  // the second call does not find what the first left
}

TEST(Undefined, IsNotReportedWhenDisabledAndResultsStayTheSame) {
  Options options;
  options.check_initialized = false;
  std::vector<std::uint64_t> out;
  const LaunchResult result =
      launch(kernel("add.u32 %r1, %r1, %tid; st.global.u32 [%out], %r1;"), 1, 1, &out, options);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(out.at(0) & UINT32_MAX, UINT32_MAX);  // every register begins as -1
}

TEST(Undefined, ResultsAndFindingsDoNotDependOnTheNumberOfThreads) {
  const std::string out_of_block = "mov.u32 %r20, %ctaid.x; mad.wide.u32 %d20, %r20, 2048, %out;\n";
  for (const std::string &body :
       {out_of_block + "add.u32 %r1, %r1, %r20; st.global.u32 [%d20], %r1;",
        out_of_block +
            ".local .align 4 .b8 a[16]; mov.u32 %r1, a; ld.local.u32 %r2, [%r1+4]; st.local.u32 [%r1+4], "
            "%r20; st.global.u32 [%d20], %r2;",
        out_of_block +
            ".shared .align 4 .b8 s[256]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 4, %r1; ld.shared.u32 "
            "%r2, [%r1]; st.shared.u32 [%r1], %r20; st.global.u32 [%d20], %r2;",
        out_of_block +
            "setp.eq.u32 %p1, %r20, 5; @%p1 bra on; setp.eq.u32 %p2, %tid, 99; on: @%p2 bra end;\nend:",
        std::string("loop: bra loop;")}) {
    std::string first_text;
    std::vector<std::uint64_t> first_out;
    for (const int threads : {1, 2, 7, 64}) {
      Options options;
      options.instruction_budget = 1 << 20;
      std::vector<std::uint64_t> out;
      const LaunchResult result = launch(kernel(body), threads, 96, &out, options);
      std::string text(name_of(result.status));
      for (const Diagnostic &d : result.diagnostics)
        text += "\n" + std::to_string(d.count) + " " + to_text(d);
      if (threads == 1) first_text = text, first_out = out;
      EXPECT_EQ(text, first_text) << body;
      EXPECT_EQ(out, first_out) << body;
    }
    EXPECT_NE(first_text, "completed") << body;
  }
}

}  // namespace
}  // namespace warpgrade::simt
