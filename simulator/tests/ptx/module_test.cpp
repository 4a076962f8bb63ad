#include "ptx/module.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace warpgrade::ptx {
namespace {

const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string sgemm_text() {
  std::ifstream file(std::string(WARPGRADE_SIMT_TESTS) + "/ptx/sgemm.ptx");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Module, ParametersHaveTheOffsetsOfTheAbi) {
  // int, double (aligned to 8), a struct of 12 bytes aligned to 4, a pointer, float, a pointer as clang 21
  // writes it
  const Module module = parse(header +
                              ".visible .entry k(.param .u32 a, .param .f64 b, .param .align 4 .b8 c[12], "
                              ".param .u64 .ptr .global .align 16 d, .param .f32 e, "
                              ".param .u64 .ptr .align 1 f)\n{ ret; }\n");
  const KernelFacts *k = find_kernel(module, "k");
  ASSERT_NE(k, nullptr);
  ASSERT_EQ(k->parameters.size(), 6u);
  EXPECT_EQ(k->parameters[1].offset, 8u);
  EXPECT_EQ(k->parameters[2].offset, 16u);
  EXPECT_EQ(k->parameters[3].offset, 32u);  // 28 rounded up
  EXPECT_EQ(k->parameters[4].offset, 40u);
  EXPECT_EQ(k->parameters[5].offset, 48u) << "what it points to has that alignment";
  EXPECT_EQ(k->argument_bytes, 56u);
  EXPECT_EQ(module.sm, 80);
}

TEST(Module, KernelsKnowTheirSharedBytesBoundsAndLine) {
  const Module module = parse(sgemm_text());
  EXPECT_EQ(module.kernels.size(), 5u);
  EXPECT_EQ(find_kernel(module, "tile32")->static_shared_bytes, 2u * 32 * 32 * 4);
  EXPECT_EQ(find_kernel(module, "naive")->static_shared_bytes, 0u);
  EXPECT_EQ(find_kernel(module, "naive")->file, "sgemm.cu");
  EXPECT_EQ(find_kernel(module, "none"), nullptr);
  const Module bounded =
      parse(header + ".visible .entry k()\n.maxntid 64, 2, 1\n.minnctapersm 2\n{ ret; }\n");
  EXPECT_EQ(find_kernel(bounded, "k")->max_threads, 128u);
}

TEST(Module, AnArrayMayBeAlignedToPagesAndToNoMoreThan64KiB) {
  EXPECT_EQ(parse(header + ".shared .align 8192 .b8 tile[16];\n").variables.at(0).align, 8192u);
  EXPECT_THROW(parse(header + ".shared .align 131072 .b8 tile[16];\n"), ParseError);
}

TEST(Module, ANameThatIsNotMangledStaysAsItIs) {
  EXPECT_EQ(demangle("d"), "d");  // in a mangled name, "double"
  EXPECT_EQ(demangle("_Z1fPi"), "f(int*)");
}

TEST(Module, InnerScopesHideRegisters) {
  const Module module = parse(header +
                              ".entry k()\n{ .reg .b32 %r<3>; mov.u32 %r1, 1; { .reg .pred %r1; setp.eq.u32 "
                              "%r1, %r2, 0; } mov.u32 %r2, %r1; ret; }\n");
  const Function &k = module.functions.at(0);
  EXPECT_EQ(k.instructions[0].operands[0].reg, k.instructions[2].operands[1].reg);
  EXPECT_NE(k.instructions[0].operands[0].reg, k.instructions[1].operands[0].reg);
}

TEST(Module, InlineAssemblyMayLeaveOutBlanks) {
  const Module module =
      parse(header + ".entry k()\n{ {.reg.b32 a, b; mov.b32 a, WARP_SZ; add.u32 b, a, a;} ret; }\n");
  EXPECT_EQ(module.functions.at(0).registers.size(), 2u);
  EXPECT_EQ(module.functions.at(0).instructions.at(0).operands.at(1).value, 32);
}

TEST(Module, LinesComeFromTheInnermostFileOfTheStudent) {
  const Module module =
      parse(header +
            ".entry k()\n{ .reg .b32 %r<3>; .loc 1 20 3\n mov.u32 %r1, 1; .loc 2 99 1, function_name "
            "$L__info_string0, inlined_at 1 20 3\n mov.u32 %r2, 2;\n"
            ".loc 3 7 1, function_name $L__info_string0, inlined_at 1 21 3\n mov.u32 %r2, 2; ret; }\n"
            ".file 1 \"/home/x/step1.cu\"\n.file 2 \"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n.file 3 "
            "\"/home/x/helper.cuh\"\n");
  const auto line = [&](std::size_t i) {
    return source_line(module, module.functions[0].instructions[i].location);
  };
  EXPECT_EQ(line(0), (SourceLine{"step1.cu", 20}));
  EXPECT_EQ(line(1), (SourceLine{"step1.cu", 20}));
  EXPECT_EQ(line(2), (SourceLine{"helper.cuh", 7}));
}

TEST(Module, ErrorsNameTheLine) {
  try {
    parse(header + ".entry k()\n{\n  mov.u32 %r1, 1;\n}\n");
    FAIL();
  } catch (const ParseError &error) {
    EXPECT_STREQ(error.what(), "PTX line 6: undeclared register '%r1'");
    EXPECT_EQ(error.line(), 6);
  }
}

TEST(Module, NamesAreDemangled) {
  EXPECT_EQ(demangle("_Z4tilePfi"), "tile(float*, int)");
  EXPECT_EQ(demangle("plain"), "plain");
  EXPECT_EQ(demangle("_Z17tile32_transposedILi0EEvPKfS1_Pfiii"),
            "tile32_transposed<0>(float const*, float const*, float*, int, int, int)");
}

TEST(Module, NamesThatExpandTooMuchStayMangled) {
  // Each substitution may hold two of the one before: 2^40 letters from 150.
  std::string bomb = "_Z1fI1P";
  for (int i = 0; i < 40; ++i) bomb += "S" + std::string(1, static_cast<char>('0' + i % 10)) + "_";
  bomb += "EvT_";
  EXPECT_EQ(demangle(bomb), bomb);
  const std::string name(600, 'x'), mangled = "_Z600" + name + "v";
  EXPECT_EQ(demangle(mangled), mangled.substr(0, 512) + "...");
  EXPECT_EQ(demangle("_Z4copyIfEvPT_S1_S1_"), "copy<float>(float*, float*, float*)");
}

TEST(Module, LongNamesAreCut) {
  // each template argument is twice the one before
  const std::string doubled =
      demangle("_Z1k1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_E");
  EXPECT_EQ(doubled.size(), 515u) << doubled;
  EXPECT_TRUE(doubled.starts_with("k(A<int, int>, A<A<int, int>, A<int, int> >")) << doubled;
  EXPECT_TRUE(doubled.ends_with("...")) << doubled;
}

TEST(Module, UsesAreFoundWithTheirLines) {
  const Module module =
      parse(header +
            ".func (.param .b64 r) malloc(.param .b64 s);\n.entry k()\n{ .reg .b32 %r<9>; .reg .b64 %d<3>; "
            ".reg .f32 %f<4>; .loc 1 5 0\n"
            "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};\n .loc 1 6 "
            "0\n cvt.rna.tf32.f32 %r1, %f1; fma.rn.f16x2 %r1, %r2, %r3, %r4;\n"
            "createpolicy.fractional.L2::evict_last.b64 %d1, 0f3F800000; call malloc, (%d1); ret; }\n.file 1 "
            "\"a.cu\"\n");
  ASSERT_EQ(tensor_core_uses(module).size(), 1u);
  EXPECT_EQ(tensor_core_uses(module)[0].what, "wmma.mma");
  EXPECT_EQ(tensor_core_uses(module)[0].line, 5);
  EXPECT_EQ(low_precision_uses(module).size(), 3u);
  EXPECT_EQ(low_precision_uses(module)[1].what, "cvt.rna.tf32.f32");
  EXPECT_EQ(device_launch_or_malloc_uses(module).at(0).what, "malloc");
  EXPECT_EQ(cache_hint_uses(module).size(), 1u);
  EXPECT_TRUE(low_precision_uses(parse(sgemm_text())).empty());
}

TEST(Module, TakesDecimalFloatsAsPtxasDoes) {
  for (const char *literal : {"1e2", "1E2", "1.e2", "1.5e+2", "2.", ".5", "-1e-2"})
    EXPECT_NO_THROW(ptx::parse(std::string(".version 8.3\n.target sm_80\n.visible .entry k()\n"
                                           "{\n.reg .f32 %f<2>;\nadd.f32 %f0, %f1, ") +
                               literal + ";\nret;\n}\n"))
        << literal;
}

}  // namespace
}  // namespace warpgrade::ptx
