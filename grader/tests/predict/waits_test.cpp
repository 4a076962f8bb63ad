// Which loops end when other threads have written something, in PTX that is as short as it can be.
#include "predict/waits.hpp"

#include <gtest/gtest.h>

#include "ptx/parser.hpp"

namespace warpgrade::predict {
namespace {

/// A kernel of this body, whose lines are those of a file a.cu: `loop` begins at line 1.
ptx::Module kernel_with(const std::string &body) {
  std::string text = R"(
.version 7.1
.target sm_80
.address_size 64
.file 1 "a.cu"
.visible .entry k(.param .u64 x) {
  .reg .b64 %rd<9>;
  .reg .b32 %r<9>;
  .reg .pred %p<9>;
  .shared .align 4 .b8 passed[4];
  ld.param.u64 %rd1, [x];
  cvta.to.global.u64 %rd2, %rd1;
)";
  int line = 0;
  std::string rest = body;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    text += "  .loc 1 " + std::to_string(++line) + " 1\n" + rest.substr(0, end) + "\n";
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return ptx::parse(text + "  ret;\n}\n");
}

int awaited_line(const std::string &body) {
  const auto at = waits_for_others(kernel_with(body), "k");
  return at ? at->line : -1;
}

TEST(LoopsThatWait, ReadAFlagUntilItIsSet) {
  for (const std::string read :
       {"ld.volatile.global.u32 %r1, [%rd2];", "ld.acquire.gpu.global.u32 %r1, [%rd2];",
        "ld.relaxed.gpu.u32 %r1, [%rd2];", "atom.global.add.u32 %r1, [%rd2], 0;"})
    EXPECT_EQ(awaited_line("again:\n" + read + "\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;"), 2) << read;
}

TEST(LoopsThatWait, MayLeaveInTheMiddle) {
  EXPECT_EQ(
      awaited_line(
          "again:\nld.volatile.global.u32 %r1, [%rd2];\nand.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\n"
          "@%p1 bra done;\nbra again;\ndone:"),
      2);
}

TEST(LoopsThatWait, MayTakeTheirWorkFromACounterThroughSharedMemory) {
  EXPECT_EQ(
      awaited_line("again:\natom.global.add.u32 %r1, [%rd2], 1;\nst.shared.u32 [passed], %r1;\nbar.sync 0;\n"
                   "ld.shared.u32 %r2, [passed];\nsetp.lt.u32 %p1, %r2, 99;\n@%p1 bra again;"),
      2);
}

TEST(LoopsThatWait, MayPassOnWhatTheyReadThroughVolatileSharedMemory) {
  EXPECT_EQ(
      awaited_line("again:\natom.global.add.u32 %r1, [%rd2], 1;\nst.volatile.shared.u32 [passed], %r1;\n"
                   "ld.volatile.shared.u32 %r2, [passed];\nsetp.lt.u32 %p1, %r2, 99;\n@%p1 bra again;"),
      2);
}

TEST(LoopsThatWait, RetryUntilNobodyElseWrites) {
  EXPECT_EQ(
      awaited_line("ld.global.u32 %r1, [%rd2];\nagain:\nmov.u32 %r3, %r1;\nadd.u32 %r2, %r3, 1;\n"
                   "atom.global.cas.b32 %r1, [%rd2], %r3, %r2;\nsetp.ne.u32 %p1, %r1, %r3;\n@%p1 bra again;"),
      5);
}

TEST(LoopsThatWait, AreNotThoseThatOnlyCount) {
  const std::string count = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra again;";
  for (const std::string work :
       {"ld.global.u32 %r2, [%rd2];", "red.global.add.u32 [%rd2], 1;", "atom.global.add.u32 %r2, [%rd2], 1;",
        "ld.volatile.shared.u32 %r2, [passed];", "ld.volatile.global.u32 %r2, [%rd2];"})
    EXPECT_EQ(awaited_line("again:\n" + work + "\n" + count), -1) << work;
  // Outside a loop, a number from a counter makes nobody wait.
  EXPECT_EQ(awaited_line("atom.global.add.u32 %r3, [%rd2], 1;\nagain:\n" + count), -1);
}

TEST(LoopsThatWait, OfOtherKernelsDoNotMatter) {
  const ptx::Module module =
      kernel_with("again:\natom.global.add.u32 %r1, [%rd2], 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;");
  EXPECT_FALSE(waits_for_others(module, "another"));
}

}  // namespace
}  // namespace warpgrade::predict
