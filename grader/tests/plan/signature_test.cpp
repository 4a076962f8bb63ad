#include "plan/signature.hpp"

#include <gtest/gtest.h>

#include "ptx/module.hpp"

namespace warpgrade::plan {
namespace {

TEST(Signature, TheMangledNameIsThatOfTheDeclaration) {
  const Signature *sgemm = find_signature("sgemm");
  ASSERT_NE(sgemm, nullptr);
  EXPECT_EQ(
      declaration(*sgemm, "step3"),
      "void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)");
  EXPECT_EQ(ptx::demangle(mangled_entry(*sgemm, "step3")),
            "step3(int, int, int, float, float const*, float const*, float, float*)");
}

TEST(Signature, RepeatedTypesAreMangledAsCompilersDo) {
  const auto mangled = [](const char *problem) { return mangled_entry(*find_signature(problem), "f"); };
  EXPECT_EQ(mangled("sgemm"), "_Z1fiiifPKfS0_fPf");
  EXPECT_EQ(mangled("pitched"), "_Z1fiiiiiiiiiiPfS_S_");
  EXPECT_EQ(mangled("exercise"), "_Z1fiPKfS0_S0_PfS1_");
  EXPECT_EQ(mangled("histogram"), "_Z1fiiPKjPj");
}

TEST(Signature, EveryRowDemanglesWithAsManyParametersAsItDeclares) {
  for (const Signature &row : signatures()) {
    const std::string demangled = ptx::demangle(mangled_entry(row, "f"));
    EXPECT_EQ(demangled.substr(0, 2), "f(") << row.problem;
    const auto commas = std::count(demangled.begin(), demangled.end(), ',');
    EXPECT_EQ(commas + 1, static_cast<std::ptrdiff_t>(row.integers + row.reals + row.buffers)) << row.problem;
    EXPECT_EQ(std::count(row.parameters.begin(), row.parameters.end(), ','), commas) << row.problem;
  }
}

TEST(Signature, AnUnknownProblemHasNone) {
  EXPECT_EQ(find_signature("transpose of nothing"), nullptr);
}

}  // namespace
}  // namespace warpgrade::plan
