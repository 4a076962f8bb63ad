// The rows of arrays in shared memory, from the text of a file.
#include "grading/shared_arrays.hpp"

#include <gtest/gtest.h>

namespace warpgrade::grading {
namespace {

using Arrays = std::vector<SharedArray>;

TEST(SharedArrays, HaveTheRowsOfTheirLastDimension) {
  EXPECT_EQ(shared_arrays_in("__shared__ float tile[8][128];"), (Arrays{{"tile", 512, 4096}}));
  EXPECT_EQ(shared_arrays_in("  __shared__ double a[2][3][4], b[5][6];"),
            (Arrays{{"a", 32, 192}, {"b", 48, 240}}));
}

TEST(SharedArrays, TakeConstantsAndSimpleArithmetic) {
  EXPECT_EQ(shared_arrays_in("#define T 16\nconstexpr int BM = 64, BK = T / 2;\n"
                             "__shared__ float As[BM][BK + 1];  // padded\n"),
            (Arrays{{"As", 36, 64 * 36}}));
  EXPECT_EQ(shared_arrays_in("const int n = 2 * (3 + 1);\n__shared__ __align__(16) float4 v[4][n];"),
            (Arrays{{"v", 128, 512}}));
}

TEST(SharedArrays, LeaveOutWhatIsNotPlain) {
  for (const char *text : {"__shared__ float a[256];", "__shared__ float a[8][N];", "__shared__ T a[8][8];",
                           "extern __shared__ float a[];", "// __shared__ float a[8][8];", "float a[8][8];",
                           "__shared__ float a[8][0];", "__shared__ float a[8][8 / 0];",
                           "#define N N\n__shared__ float a[8][N];"})
    EXPECT_EQ(shared_arrays_in(text), Arrays{}) << text;
}

TEST(SharedArrays, LeaveOutANameWithTwoRowLengths) {
  EXPECT_EQ(shared_arrays_in("__shared__ float a[8][8]; __shared__ float a[8][16];"), Arrays{});
}

TEST(SharedArrays, AreFoundInTextsThatWouldExhaustAStack) {
  std::string text = "const int a";
  for (int i = 0; i < 20000; ++i) text += " = 1, a";
  EXPECT_EQ(shared_arrays_in(text + ";\n__shared__ float b[2][" + std::string(100000, '(') + "];"), Arrays{});
}

TEST(SharedArrays, ConstantsThatUseEachOtherOverAndOverAreComputedOnce) {
  std::string text = "#define A0 1\n";
  for (int level = 1; level <= 7; ++level) {  // each of ten names of a level uses all ten of the level before
    std::string sum;
    for (int i = 0; i < 10; ++i) sum += (i == 0 ? "" : " + ") + ("A" + std::to_string(10 * (level - 1) + i));
    if (level == 1)
      for (int i = 1; i < 10; ++i) text += "#define A" + std::to_string(i) + " 1\n";
    for (int i = 0; i < 10; ++i) text += "#define A" + std::to_string(10 * level + i) + " " + sum + "\n";
  }
  EXPECT_EQ(shared_arrays_in(text + "__shared__ float b[2][A20 / 10];"), (Arrays{{"b", 40, 80}}));
  EXPECT_EQ(shared_arrays_in(text + "__shared__ float b[2][A79];"), Arrays{}) << "10^7 elements";
}

}  // namespace
}  // namespace warpgrade::grading
