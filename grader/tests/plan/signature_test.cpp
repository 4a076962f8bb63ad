#include "plan/signature.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ptx/module.hpp"

namespace warpgrade::plan {
namespace {

constexpr const char *sgemm =
    "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";

TEST(Signature, TheMangledNameIsThatOfTheDeclaration) {
  EXPECT_EQ(declaration(Signature(sgemm), "step3"), "void step3(" + std::string(sgemm) + ")");
  EXPECT_EQ(ptx::demangle(mangled_entry(Signature(sgemm), "step3")),
            "step3(int, int, int, float, float const*, float const*, float, float*)");
}

// What g++ and nvcc make of the same declarations.
TEST(Signature, RepeatedTypesAreMangledAsCompilersDo) {
  const auto mangled = [](const char *parameters) { return mangled_entry(Signature(parameters), "f"); };
  EXPECT_EQ(mangled(sgemm), "_Z1fiiifPKfS0_fPf");
  EXPECT_EQ(mangled("int n, float *a, float *b, float *c"), "_Z1fiPfS_S_");
  EXPECT_EQ(mangled("int n, const float *a, const float *b, const float *c, float *d, float *e"),
            "_Z1fiPKfS0_S0_PfS1_");
  EXPECT_EQ(mangled("int n, int bins, const unsigned *x, unsigned *counts"), "_Z1fiiPKjPj");
  EXPECT_EQ(mangled("const __half *a, __half *b, const uchar3 *c, uchar3 *d, const uchar3 *e"),
            "_Z1fPK6__halfPS_PK6uchar3PS3_S5_");
  EXPECT_EQ(mangled("std::int64_t n, unsigned char *x, const unsigned char *y, long long *z, double a"),
            "_Z1flPhPKhPxd");
  EXPECT_EQ(mangled("int d, const float *const *a, const float *const *b, float *const *c"),
            "_Z1fiPKPKfS2_PKPf");
  EXPECT_EQ(mangled("float *a, float *const *b, const float *c, const float *const *d, float *const *e"),
            "_Z1fPfPKS_PKfPKS3_S1_");
  EXPECT_EQ(mangled("const uchar3 *const *a, uchar3 *const *b, uchar3 *c, const uchar3 *d"),
            "_Z1fPKPK6uchar3PKPS_S4_S1_");
  EXPECT_EQ(mangled("const __nv_bfloat16 *x, std::size_t n, const int8_t *y"), "_Z1fPK13__nv_bfloat16mPKa");
}

TEST(Signature, SaysHowEachParameterIsPassed) {
  const Signature s("int n, double a, const std::uint8_t *x, float4 *y");
  ASSERT_EQ(s.parameters().size(), 4U);
  EXPECT_EQ(s.count(Passed::integer), 1U);
  EXPECT_EQ(s.count(Passed::real), 1U);
  EXPECT_EQ(s.count(Passed::pointer), 2U);
  ASSERT_NE(s.find("x"), nullptr);
  EXPECT_EQ(s.find("x")->type, "uint8_t");
  EXPECT_EQ(s.find("x")->value_bytes, 1U);
  EXPECT_TRUE(s.find("x")->constant);
  EXPECT_EQ(s.find("y")->value_bytes, 0U) << "only the compiler knows";
  EXPECT_EQ(s.find("z"), nullptr);
}

TEST(Signature, AnArrayOfPointersHasANameForEachDevice) {
  const Signature s("int devices, const float *const *A, float *const *C");
  EXPECT_EQ(s.count(Passed::pointers), 2U);
  EXPECT_EQ(s.count(Passed::pointer), 0U);
  ASSERT_NE(s.find("A"), nullptr);
  EXPECT_TRUE(s.find("A")->constant);
  EXPECT_FALSE(s.find("C")->constant);
  EXPECT_EQ(s.find("A")->type, "float");
  EXPECT_EQ(s.find("A")->value_bytes, 4U);
  EXPECT_EQ(name_on_device("A", 1), "A[1]");
}

TEST(Signature, RefusesWhatCannotBeCalledAndQuotesIt) {
  const auto refusal = [](const char *text) -> std::string {
    try {
      const Signature s(text);
    } catch (const std::invalid_argument &e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(
      refusal("int n, float4 v"),
      "the parameter ' float4 v' of a launcher cannot be passed by value; accepted are C's integers, float "
      "and double");
  EXPECT_NE(refusal("__half h"), "");
  EXPECT_NE(refusal("int"), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("float **rows"), "");
  EXPECT_NE(refusal("float *const **rows"), "");
  EXPECT_NE(refusal("const *x"), "");
  EXPECT_NE(refusal("unsigned thing *x"), "");
}

}  // namespace
}  // namespace warpgrade::plan
