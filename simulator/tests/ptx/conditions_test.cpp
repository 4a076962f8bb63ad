// Which conditions a thread has passed at an access, and whether equal numbers pass.
#include "ptx/conditions.hpp"

#include <gtest/gtest.h>

namespace warpgrade::ptx {
namespace {

const std::string head = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 k_a, .param .u32 k_n)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.loc 1 3 0
ld.param.u64 %rd1, [k_a];
ld.param.u32 %r1, [k_n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, 0;
)";

std::vector<Condition> before_line_9(const std::string &body) {
  const Module module = parse(head + body + "}\n");
  return conditions_before(module, module.functions.front(), {"k.cu", 9});
}

TEST(Conditions, AGuardThatReturnsIsBeforeWhatFollows) {
  const std::string access = "@%p1 bra $end;\n.loc 1 9 0\nst.global.u32 [%rd1], %r2;\n$end:\nret;\n";
  const std::string guard = ".loc 1 7 0\nsetp.";
  // i > n leaves: i <= n passes, so n itself does
  EXPECT_EQ(before_line_9(guard + "gt.s32 %p1, %r2, %r1;\n" + access),
            (std::vector<Condition>{{{"k.cu", 7}, true}}));
  EXPECT_EQ(before_line_9(guard + "ge.s32 %p1, %r2, %r1;\n" + access),
            (std::vector<Condition>{{{"k.cu", 7}, false}}));
  // i < 0 leaves: zero passes, and it is no upper bound
  EXPECT_EQ(before_line_9(guard + "gt.s32 %p1, %r2, -1;\n" + access),
            (std::vector<Condition>{{{"k.cu", 7}, false}}));
}

TEST(Conditions, AGuardThatReturnsIsBeforeAShuffle) {
  EXPECT_EQ(before_line_9(".loc 1 7 0\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra $end;\n"
                          ".loc 1 9 0\nshfl.sync.down.b32 %r3, %r2, 16, 31, -1;\n$end:\nret;\n"),
            (std::vector<Condition>{{{"k.cu", 7}, false}}));
}

TEST(Conditions, BothSidesOfAnAndCount) {
  EXPECT_EQ(before_line_9(".loc 1 7 0\nsetp.le.s32 %p1, %r2, %r1;\n"
                          ".loc 1 8 0\nsetp.lt.s32 %p2, %r3, %r1;\n"
                          "and.pred %p3, %p1, %p2;\n@!%p3 bra $end;\n"
                          ".loc 1 9 0\nst.global.u32 [%rd1], %r2;\n$end:\nret;\n"),
            (std::vector<Condition>{{{"k.cu", 7}, true}, {{"k.cu", 8}, false}}));
}

TEST(Conditions, AConditionAfterTheAccessOrBesideItIsNotBeforeIt) {
  EXPECT_TRUE(before_line_9(".loc 1 7 0\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra $skip;\nadd.s32 %r3, %r3, 1;\n"
                            "$skip:\n.loc 1 9 0\nst.global.u32 [%rd1], %r2;\n"
                            ".loc 1 11 0\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 bra $end;\nadd.s32 %r3, %r3, 1;\n"
                            "$end:\nret;\n")
                  .empty());
}

TEST(Conditions, ALoopAndAnIfWithinItAreBeforeAnAccess) {
  EXPECT_EQ(before_line_9("$loop:\n.loc 1 7 0\nsetp.ge.s32 %p1, %r3, %r1;\n@%p1 bra $skip;\n"
                          ".loc 1 9 0\nst.global.u32 [%rd1], %r2;\n$skip:\n.loc 1 5 0\nadd.s32 %r3, %r3, 1;\n"
                          "setp.lt.s32 %p2, %r3, 8;\n@%p2 bra $loop;\nret;\n"),
            (std::vector<Condition>{{{"k.cu", 5}, false}, {{"k.cu", 7}, false}}));
}

TEST(Conditions, AGuardOfTheAccessItselfCounts) {
  EXPECT_EQ(before_line_9(".loc 1 9 0\nsetp.le.u32 %p1, %r2, %r1;\n@%p1 st.global.u32 [%rd1], %r2;\nret;\n"),
            (std::vector<Condition>{{{"k.cu", 9}, true}}));
}

}  // namespace
}  // namespace warpgrade::ptx
