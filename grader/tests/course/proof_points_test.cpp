#include <gtest/gtest.h>

#include "course/assignment.hpp"
#include "edited.hpp"

namespace warpgrade::course {
namespace {

using EditedForProofs = Edited;

TEST_F(EditedForProofs, AStepMayHavePointsForPropertiesThatAreProved) {
  replace("assignment.yaml", "points: {correct: 11, counters: 3, fast: 6}",
          "points: {correct: 8, counters: 3, fast: 6, proof: 3}\n    proof: {bounds: 1, races: 2}");
  const Assignment a = read_assignment(folder_);
  const auto step =
      std::find_if(a.steps.begin(), a.steps.end(), [](const Step &s) { return !s.proof.empty(); });
  ASSERT_NE(step, a.steps.end());
  EXPECT_EQ(step->proof, (std::vector<ProofPoints>{{"bounds", 1}, {"races", 2}}));
  EXPECT_EQ(step->points.total(), 8 + 3 + 6 + 3);
}

TEST_F(EditedForProofs, PointsForWhatCannotBeProvedAreFound) {
  replace("assignment.yaml", "points: {correct: 11, counters: 3, fast: 6}",
          "points: {correct: 8, counters: 3, fast: 6, proof: 3}\n    proof: {bound: 3}");
  EXPECT_NE(error().find("'bound' is not a property that can be proved; did you mean bounds?"),
            std::string::npos)
      << error();
  replace("assignment.yaml", "proof: {bound: 3}", "proof: {bounds: 2}");
  EXPECT_NE(error().find("'proof' is 3, but the points under this step's 'proof' add up to 2"),
            std::string::npos)
      << error();
}

}  // namespace
}  // namespace warpgrade::course
