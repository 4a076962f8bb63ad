// Inputs that are 0 but for a few elements.
#include "grading/alone.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgrade::grading {
namespace {

const problem::Problem &sgemm() {
  return *problem::find_problem("sgemm");
}

TEST(Alone, LeavesOnlyTheNamedElements) {
  const problem::Case c = problem::parse_case(sgemm(), "m=3 n=4 k=2 beta=1");
  const auto in = alone(sgemm(), c, sgemm().inputs(c, 7), {"A[2][1]", "B[1, 3]"});
  std::vector<float> a(6, 0), b(8, 0);
  a[2 * 2 + 1] = 1;
  b[1 * 4 + 3] = 1;
  EXPECT_TRUE(std::ranges::equal(in[0].as<float>(), a));
  EXPECT_TRUE(std::ranges::equal(in[1].as<float>(), b));
  EXPECT_TRUE(std::ranges::equal(in[2].as<float>(), std::vector<float>(12, 0))) << "what C held before";
}

TEST(Alone, ElementsThatAreNotThereAreRefusedWithAnExample) {
  const problem::Case c = problem::parse_case(sgemm(), "m=3 n=4 k=2");
  try {
    alone(sgemm(), c, sgemm().inputs(c, 7), {"A[0][0]", "A[3][0]"});
    FAIL() << "A has three rows";
  } catch (const std::invalid_argument &e) {
    EXPECT_NE(std::string(e.what()).find("'A[3][0]'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("A[0, 0]"), std::string::npos) << e.what();
  }
}

TEST(Alone, IndicesOfASparseMatrixStayAsTheyAre) {
  const problem::Problem &p = *problem::find_problem("spmv_csr");
  const problem::Case c = problem::parse_case(p, "rows=6 columns=9 entries=20");
  const auto before = p.inputs(c, 3);
  const auto in = alone(p, c, before, {p.element_name(c, 3, 4)});
  EXPECT_EQ(in[0].bytes, before[0].bytes);
  EXPECT_EQ(in[1].bytes, before[1].bytes);
  EXPECT_EQ(in[3].as<float>()[4], 1.f);
  EXPECT_EQ(in[3].as<float>()[5], 0.f);
}

TEST(Alone, ListsOfElementsAreSplitBetweenTheirBrackets) {
  EXPECT_EQ(split_elements("A[0, 5],B[5][3]"), (std::vector<std::string>{"A[0, 5]", "B[5][3]"}));
  EXPECT_EQ(split_elements("x[3]"), (std::vector<std::string>{"x[3]"}));
  EXPECT_TRUE(split_elements("").empty());
}

}  // namespace
}  // namespace warpgrade::grading
