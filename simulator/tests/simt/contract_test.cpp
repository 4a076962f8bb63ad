// Which products are joined to sums. What is expected is what ptxas of CUDA 13 makes of the same text.
#include "decode/contract.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/module.hpp"

namespace warpgrade::simt {
namespace {

/// The arithmetic of a kernel after contraction, one opcode after the other.
std::string arithmetic_of(const std::string &body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o) {\n"
      ".reg .u64 %o; .reg .f32 %a, %b, %c, %d, %m, %n, %s, %t; .reg .f64 %e, %f, %g; .reg .pred %p;\n"
      "ld.param.u64 %o, [o]; ld.global.f32 %a, [%o]; ld.global.f32 %b, [%o+4]; ld.global.f32 %c, [%o+8];\n"
      "ld.global.f32 %d, [%o+12]; ld.global.f64 %e, [%o+16]; ld.global.f64 %f, [%o+24];\n" +
      body + "\nret; }\n";
  const auto module = contracted(std::make_shared<const ptx::Module>(ptx::parse(text)));
  std::string opcodes;
  for (const ptx::Instruction &one : module->functions.at(0).instructions)
    if (one.opcode.find(".f32") != std::string::npos || one.opcode.find(".f64") != std::string::npos)
      if (!one.opcode.starts_with("ld.") && !one.opcode.starts_with("st.") && !one.opcode.starts_with("setp"))
        opcodes += (opcodes.empty() ? "" : " ") + one.opcode;
  return opcodes;
}

constexpr const char *store = " st.global.f32 [%o], %s;";
constexpr const char *store_both = " st.global.f32 [%o], %s; st.global.f32 [%o+4], %t;";

TEST(Contraction, JoinsAProductToTheSumOrDifferenceThatUsesIt) {
  const std::string mul = "mul.f32 %m, %a, %b; ";
  EXPECT_EQ(arithmetic_of(mul + "add.f32 %s, %m, %c;" + store), "fma.rn.f32");
  EXPECT_EQ(arithmetic_of(mul + "add.f32 %s, %c, %m;" + store), "fma.rn.f32");
  EXPECT_EQ(arithmetic_of(mul + "sub.f32 %s, %m, %c;" + store), "fms.rn.f32");
  EXPECT_EQ(arithmetic_of(mul + "sub.f32 %s, %c, %m;" + store), "fnma.rn.f32");
  EXPECT_EQ(arithmetic_of("mul.f64 %g, %e, %f; sub.f64 %g, %g, %e; st.global.f64 [%o], %g;"),
            "mul.f64 sub.f64");  // two values in one register: no compiler writes that
  EXPECT_EQ(arithmetic_of(mul + "@%p add.f32 %s, %m, %c;" + store), "fma.rn.f32");
}

TEST(Contraction, JoinsAProductToAllOfItsSumsOrToNone) {
  const std::string mul = "mul.f32 %m, %a, %b; add.f32 %s, %m, %c; ";
  EXPECT_EQ(arithmetic_of(mul + "sub.f32 %t, %m, %d;" + store_both), "fma.rn.f32 fms.rn.f32");
  EXPECT_EQ(arithmetic_of(mul + "mov.f32 %t, %m;" + store_both), "mul.f32 add.f32 mov.f32");
  EXPECT_EQ(arithmetic_of(mul + "fma.rn.f32 %t, %m, %c, %d;" + store_both), "mul.f32 add.f32 fma.rn.f32");
  EXPECT_EQ(arithmetic_of("mul.f32 %m, %a, %b; add.f32 %s, %m, %m;" + std::string(store)), "mul.f32 add.f32");
}

TEST(Contraction, OfTwoProductsJoinsTheFirstUnlessOnlyTheSecondHasNoOtherUse) {
  const std::string muls = "mul.f32 %m, %a, %b; mul.f32 %n, %c, %d; ";
  EXPECT_EQ(arithmetic_of(muls + "sub.f32 %s, %m, %n;" + store), "mul.f32 fms.rn.f32");
  EXPECT_EQ(arithmetic_of(muls + "add.f32 %s, %m, %n; add.f32 %t, %m, %c;" + store_both),
            "mul.f32 fma.rn.f32 add.f32");
  EXPECT_EQ(arithmetic_of(muls + "add.f32 %t, %m, %c; add.f32 %s, %m, %n;" + store_both),
            "mul.f32 add.f32 fma.rn.f32");
}

TEST(Contraction, LeavesDeliberateRoundingAndOtherBasicBlocksAlone) {
  EXPECT_EQ(arithmetic_of("mul.rn.f32 %m, %a, %b; add.f32 %s, %m, %c;" + std::string(store)),
            "mul.rn.f32 add.f32");
  EXPECT_EQ(arithmetic_of("mul.f32 %m, %a, %b; add.rn.f32 %s, %m, %c;" + std::string(store)),
            "mul.f32 add.rn.f32");
  EXPECT_EQ(arithmetic_of("mul.ftz.f32 %m, %a, %b; add.f32 %s, %m, %c;" + std::string(store)),
            "mul.ftz.f32 add.f32");
  EXPECT_EQ(arithmetic_of("mul.ftz.f32 %m, %a, %b; add.ftz.f32 %s, %m, %c;" + std::string(store)),
            "fma.rn.ftz.f32");
  EXPECT_EQ(
      arithmetic_of("mul.f32 %m, %a, %b; @%p bra $L; add.f32 %s, %m, %c;" + std::string(store) + " $L:"),
      "mul.f32 add.f32");
  EXPECT_EQ(arithmetic_of("mul.f32 %m, %a, %b; bar.sync 0; add.f32 %s, %m, %c;" + std::string(store)),
            "fma.rn.f32");
  EXPECT_EQ(arithmetic_of("mul.f32 %m, %a, %b; mov.f32 %a, %d; add.f32 %s, %m, %a;" + std::string(store)),
            "mul.f32 mov.f32 add.f32");
}

TEST(Contraction, KeepsLabelsAtTheirInstructions) {
  const auto module = contracted(std::make_shared<const ptx::Module>(
      ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o) {\n"
                 ".reg .u64 %o; .reg .f32 %a, %m, %s; .reg .pred %p;\nld.param.u64 %o, [o];\n"
                 "ld.global.f32 %a, [%o]; mul.f32 %m, %a, %a; sub.f32 %s, %m, %a;\n"
                 "$L: st.global.f32 [%o], %s; @%p bra $L; ret; }\n")));
  const ptx::Function &function = module->functions.at(0);
  ASSERT_EQ(function.labels.size(), 1u);
  EXPECT_EQ(function.instructions.at(function.labels[0].instruction).opcode, "st.global.f32");
}

}  // namespace
}  // namespace warpgrade::simt
