// Loads, stores and atomics of every width and space.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

TEST(Load, NarrowTypesExtendTheirSign) {
  const auto got =
      run(kernel("ld.global.s8 %r1, [%in]; ld.global.u8 %r2, [%in]; ld.global.s16 %r3, [%in]; st.global.u32 "
                 "[%out], %r1; st.global.u32 [%out+8], %r2;\n"
                 "st.global.u32 [%out+16], %r3; ld.global.s32 %d1, [%in+8]; st.global.u64 [%out+24], %d1;"),
          {0x80FF, 0xFFFFFFFE});
  EXPECT_EQ(got.word(0), 0xFFFFFFFFu);
  EXPECT_EQ(got.word(0, 1), 0xFFu);
  EXPECT_EQ(got.word(0, 2), 0xFFFF80FFu);
  EXPECT_EQ(got.word(0, 3), 0xFFFFFFFFFFFFFFFEu);
}

TEST(Load, VectorsMoveTheirElementsInOrder) {
  const auto got = run(
      kernel("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in]; st.global.v4.u32 [%out], {%r4, %r3, %r2, %r1};\n"
             "ld.global.v2.u64 {%d1, %d2}, [%in]; st.global.v2.u64 [%out+16], {%d2, %d1};"),
      {0x0000000200000001, 0x0000000400000003});
  EXPECT_EQ(got.word(0), 0x0000000300000004u);
  EXPECT_EQ(got.word(0, 1), 0x0000000100000002u);
  EXPECT_EQ(got.word(0, 2), 0x0000000400000003u);
}

TEST(Load, GenericAddressesReachEverySpace) {
  const auto got =
      run(kernel(".local .align 8 .b8 depot[16]; .reg .b64 %SPL;\n"
                 "mov.u64 %SPL, depot; cvta.local.u64 %d1, %SPL; st.u32 [%d1], %tid; ld.local.u32 %r1, "
                 "[%SPL]; st.global.u32 [%out], %r1;\n"
                 "mov.u64 %d2, As; cvta.shared.u64 %d3, %d2; mul.wide.u32 %d4, %tid, 4; add.s64 %d3, %d3, "
                 "%d4; st.u32 [%d3], 5; ld.u32 %r2, [%d3]; st.global.u32 [%out+8], %r2;\n"
                 "isspacep.shared %p1, %d3; isspacep.global %p2, %out; selp.u32 %r3, 1, 0, %p1; selp.u32 "
                 "%r4, 1, 0, %p2; st.u32 [%out+16], %r3; st.u32 [%out+24], %r4;",
                 ".shared .align 4 .b8 As[128];\n"));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(7), 7u);
  EXPECT_EQ(got.word(7, 1), 5u);
  EXPECT_EQ(got.word(7, 2), 1u);
  EXPECT_EQ(got.word(7, 3), 1u);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::local_memory);
}

TEST(Load, LocalArraysHaveAnEnd) {
  const auto got = run(kernel(
      ".local .align 4 .b8 depot[16]; .reg .b64 %SPL; mov.u64 %SPL, depot; st.local.u32 [%SPL+16], 1;"));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_NE(last(got.result).find("starts at the end of a local array (16 bytes)"), std::string::npos)
      << last(got.result);
}

TEST(Load, DynamicSharedMemoryIsAsLargeAsTheLaunchSays) {
  const std::string text = kernel(
      "mov.u32 %r1, dyn; mul.lo.u32 %r2, %tid, 4; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %tid; "
      "ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;",
      ".extern .shared .align 16 .b8 dyn[];\n");
  EXPECT_EQ(run(text, {}, 32, {}, 128).word(31), 31u);
  const auto small = run(text, {}, 32, {}, 124);
  EXPECT_NE(last(small.result).find("starts at the end of dyn (124 bytes)"), std::string::npos)
      << last(small.result);
  EXPECT_EQ(run(text).result.status, Status::fault);
}

TEST(Variables, HaveTheirInitialValuesAndAddresses) {
  const auto got =
      run(kernel("ld.global.u32 %r1, [counter]; st.global.u32 [%out], %r1; ld.const.f32 %f1, [table+4]; "
                 "st.global.f32 [%out+8], %f1;\n"
                 "ld.global.u64 %d1, [pointer]; ld.u32 %r2, [%d1]; st.global.u32 [%out+16], %r2;",
                 ".global .align 4 .u32 counter = 5;\n.const .align 4 .b8 table[8] = {0, 0, 128, 63, 0, 0, "
                 "0, 64};\n.global .align 8 .u64 pointer = generic(counter);\n"));
  EXPECT_EQ(got.word(0), 5u);
  EXPECT_EQ(got.word(0, 1), std::bit_cast<std::uint32_t>(2.0f));
  EXPECT_EQ(got.word(0, 2), 5u);
}

TEST(Atomic, EveryKindDoesWhatItSays) {
  const struct {
    const char *text;
    std::uint32_t before, after;
  } cases[] = {{"atom.global.add.u32 %r1, [cell], 2;", 1, 65},
               {"red.global.max.s32 [cell], 7;", 0xFFFFFFFF, 7},
               {"atom.global.min.u32 %r1, [cell], 7;", 0xFFFFFFFF, 7},
               {"red.global.and.b32 [cell], 12;", 10, 8},
               {"red.global.or.b32 [cell], 12;", 1, 13},
               {"red.global.xor.b32 [cell], 1;", 6, 6},
               {"atom.global.exch.b32 %r1, [cell], 9;", 3, 9},
               {"atom.global.cas.b32 %r1, [cell], 3, 11;", 3, 11},
               // 0, 1, 2, 3, 0, ...: 32 steps from 0 with wrap after 3
               {"atom.global.inc.u32 %r1, [cell], 3;", 0, 0},
               {"atom.global.dec.u32 %r1, [cell], 3;", 0, 0},
               {"red.global.add.f32 [cell], 0f3F000000;", 0, std::bit_cast<std::uint32_t>(16.0f)}};
  for (const auto &c : cases) {
    const auto got =
        run(kernel(std::string(c.text) + " bar.sync 0; ld.global.u32 %r2, [cell]; st.global.u32 [%out], %r2;",
                   ".global .align 4 .u32 cell = " + std::to_string(c.before) + ";\n"));
    ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
    EXPECT_EQ(got.word(0), c.after) << c.text;
  }
}

TEST(Atomic, WideKindsDoTheSame) {
  const auto got =
      run(kernel("atom.global.add.u64 %d1, [cell], 4294967296; bar.sync 0; ld.global.u64 %d2, [cell]; "
                 "st.global.u64 [%out], %d2;",
                 ".global .align 8 .u64 cell;\n"));
  EXPECT_EQ(got.word(0), 32ull << 32);
}

TEST(Atomic, OfAVectorIsOneForEachElement) {
  const auto got = run(
      kernel("mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000;\n"
             "atom.global.add.v2.f32 {%f3, %f4}, [cell+8], {%f1, %f2}; red.global.add.v2.f32 [cell], {%f2, "
             "%f1};\nbar.sync 0; ld.global.v2.u32 {%r1, %r2}, [cell+8]; ld.global.v2.u32 {%r3, %r4}, "
             "[cell]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};",
             ".global .align 16 .b8 cell[16];\n"));
  EXPECT_EQ(last(got.result), "completed");
  EXPECT_EQ(got.word(0, 0), 0x42800000'42000000u);  // 32 and 64
  EXPECT_EQ(got.word(0, 1), 0x42000000'42800000u);
}

TEST(Atomic, OfAVectorNeedsTheAlignmentOfTheWholeVector) {
  const std::string values = "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000;\n";
  const auto at = [&values](const std::string &place) {
    return run(kernel(values + "red.global.add.v2.f32 [" + place + "], {%f1, %f2};",
                      ".global .align 16 .b8 cell[16];\n"));
  };
  EXPECT_EQ(last(at("cell+8").result), "completed");
  const auto got = at("cell+4");
  ASSERT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::misaligned);
  EXPECT_NE(last(got.result).find("misaligned atomic operation of 8 bytes"), std::string::npos)
      << last(got.result);
}

TEST(Printf, FormatsAsCDoes) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 $str[24] = {37, 48, 53, 46, 50, 102, 32, 37, 99, 37, 37, 32, 37, 115, 32, 37, "
      "45, 51, 100, 124, 37, 108, 120, 10};\n"  // "%05.2f %c%% %s %-3d|%lx\n"
      ".global .align 1 .b8 $end[1];\n.global .align 1 .b8 $str$1[3] = {104, 105, 0};\n"
      ".visible .entry k(.param .u64 x, .param .u64 y)\n{ .local .align 8 .b8 depot[40]; .reg .b64 %d<10>; "
      ".reg .b32 %r<4>; .reg .pred %p<2>;\n"
      "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 2; @%p1 ret;\n"
      "mov.u64 %d1, depot; cvta.local.u64 %d2, %d1; mov.u64 %d3, 0d400A000000000000; st.local.u64 [%d1], "
      "%d3; st.local.u32 [%d1+8], 65;\n"
      "mov.u64 %d4, $str$1; cvta.global.u64 %d4, %d4; st.local.u64 [%d1+16], %d4; st.local.u32 [%d1+24], 7; "
      "mov.u64 %d7, 255; st.local.u64 [%d1+32], %d7;\n"
      "mov.u64 %d5, $str; cvta.global.u64 %d5, %d5;\n"
      "{ .param .b64 param0; st.param.b64 [param0+0], %d5; .param .b64 param1; st.param.b64 [param1+0], %d2; "
      ".param .b32 retval0;\n"
      "call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r2, [retval0+0]; }\nret; }\n";
  std::string terminated = text;
  terminated.replace(terminated.find("$str[24]"), 8, "$str[25]");
  const auto got = run(terminated);
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.result.printed, "03.25 A% hi 7  |ff\n");
}

TEST(Printf, WidthAndPrecisionAreCutToWhatIsPrinted) {
  const auto print = [](const std::string &format, int argument) {
    std::string bytes;
    for (const char c : format) bytes += std::to_string(int{c}) + ", ";
    return run(".version 8.0\n.target sm_80\n.address_size 64\n"
               ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
               ".global .align 1 .b8 $str[" +
                   std::to_string(format.size() + 1) + "] = {" + bytes +
                   "0};\n.visible .entry k(.param .u64 x, .param .u64 y)\n{ .local .align 8 .b8 depot[16]; "
                   ".reg .b64 "
                   "%d<10>; .reg .b32 %r<4>;\nmov.u64 %d1, depot; cvta.local.u64 %d2, %d1; st.local.u32 "
                   "[%d1], " +
                   std::to_string(argument) +
                   "; st.local.u32 [%d1+4], 7; mov.u64 %d5, $str; cvta.global.u64 %d5, %d5;\n"
                   "{ .param .b64 param0; st.param.b64 [param0+0], %d5; .param .b64 param1; st.param.b64 "
                   "[param1+0], %d2; .param .b32 retval0;\n"
                   "call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r2, [retval0+0]; }\nret; "
                   "}\n",
               {}, 1)
        .result.printed;
  };
  EXPECT_EQ(print("%2000000000d", 3), std::string(499, ' ') + "3");
  EXPECT_EQ(print("%.2000000000d", 3), std::string(499, '0') + "3");
  EXPECT_EQ(print("%*d", 2000000000), std::string(499, ' ') + "7");
  EXPECT_EQ(print("%*d|", -3), "7  |");
  EXPECT_EQ(print("%.*d|", -3), "7|");
  EXPECT_EQ(print("%5d|%-2x", 3), "    3|7 ");
  EXPECT_EQ(print("%99999999999999999999d", 3), std::string(499, ' ') + "3");
}

TEST(LocalMemory, AnUnwrittenWordIsAnErrorOnceItReachesMemory) {
  const auto body = [](const std::string &store) {
    return testing::kernel(".local .align 4 .b8 depot[16];\nmov.u32 %r1, depot; " + store +
                           " ld.local.u32 %r2, [%r1+4]; st.global.u32 [%out], %r2;");
  };
  EXPECT_TRUE(testing::run(body("st.local.u32 [%r1+4], 7;")).result.diagnostics.size() <= 1u);
  const auto got = testing::run(body("st.local.u32 [%r1], 7;"));
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics[0].code, Code::uninitialized_read);
  EXPECT_EQ(got.result.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(got.result.diagnostics[0].count, 32u);
}

}  // namespace
}  // namespace warpgrade::simt
