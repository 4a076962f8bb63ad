// The inputs of a case and their reference.
#include <gtest/gtest.h>

#include "grading/grading.hpp"

namespace warpgrade::grading {
namespace {

const problem::Problem &product() {
  return *problem::find_problem("spmv_csr");
}

const problem::Case matrix = problem::parse_case(product(), "rows=6 columns=9 entries=20");

void expect_equal(const CaseData::Data &a, const CaseData::Data &b) {
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (std::size_t i = 0; i < a.inputs.size(); ++i) EXPECT_EQ(a.inputs[i].bytes, b.inputs[i].bytes);
  ASSERT_TRUE(a.reference && b.reference);
}

TEST(CaseData, GivesTheSameWhetherOrNotItWasBegunEarlier) {
  CaseData begun, not_begun;
  begun.begin(product(), matrix, 7);
  begun.begin(product(), matrix, 8);
  for (const std::uint64_t seed : {7, 8, 7})
    expect_equal(*begun.get(product(), matrix, seed), *not_begun.get(product(), matrix, seed));
}

TEST(CaseData, GivesTheSameWhetherOrNotItWasBegunInTurn) {
  CaseData begun, not_begun;
  const auto ahead = begun.begin_in_turn(product(), {{matrix, 7}, {matrix, 8}, {matrix, 7}});
  for (const std::uint64_t seed : {8, 7, 9, 8})
    expect_equal(*begun.get(product(), matrix, seed), *not_begun.get(product(), matrix, seed));
}

TEST(CaseData, ComputesItselfWhatNobodyWantedAnyMoreWhenItsTurnCame) {
  CaseData data;
  std::vector<std::pair<problem::Case, std::uint64_t>> many;
  for (std::uint64_t seed = 0; seed < 50; ++seed) many.emplace_back(matrix, seed);
  data.begin_in_turn(product(), many).reset();
  expect_equal(*data.get(product(), matrix, 49), *CaseData().get(product(), matrix, 49));
}

TEST(CaseData, DiscardsWorkBegunWithAnotherSeed) {
  CaseData data;
  data.begin(product(), matrix, 7);
  data.forget_all_but({});
  expect_equal(*data.get(product(), matrix, 7), *CaseData().get(product(), matrix, 7));
}

}  // namespace
}  // namespace warpgrade::grading
