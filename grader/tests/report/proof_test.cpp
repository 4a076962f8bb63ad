// Properties for all sizes, in words.
#include "report/proof.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

using grading::PropertyRecord;

const PropertyRecord bounds{"bounds", "proved", "", "", 0, ""}, races{"races", "proved", "", "", 0, ""},
    written{"written", "not decided", "", "k.cu", 61, "the stride is data"},
    overflow{"overflow", "fails", "m=46341 n=46341 k=1", "k.cu", 9, "row * K leaves 2^31"};

TEST(ProofInALine, NamesWhatIsProvedAndTheLinesOfTheRest) {
  EXPECT_EQ(properties_in_a_line({bounds, races, written}),
            "bounds and races proved for all sizes; written: not decided, line 61");
}

TEST(ProofInALine, IsEmptyWhereNeitherBoundsNorRacesAreKnown) {
  EXPECT_EQ(properties_in_a_line({written, {"barriers", "proved", "", "", 0, ""}}), "");
  EXPECT_EQ(properties_in_a_line({}), "");
}

TEST(ProofInALine, SaysAtWhichSizeSomethingFails) {
  EXPECT_EQ(properties_in_a_line({overflow}), "overflow: fails at m=46341 n=46341 k=1, line 9");
}

TEST(ProofInWords, HasPlaceAndReason) {
  EXPECT_EQ(result_in_words(bounds), "proved");
  EXPECT_EQ(result_in_words(written), "not decided: k.cu:61: the stride is data");
  EXPECT_EQ(result_in_words(overflow), "fails at m=46341 n=46341 k=1: k.cu:9: row * K leaves 2^31");
  EXPECT_EQ(result_in_words({"bounds", "proved", "", "", 0, "buffers have at most 8 elements"}),
            "proved, if buffers have at most 8 elements");
}

TEST(ProofInWords, AlignsResultsBesideTheirProperties) {
  const grading::Proof proof{
      "n from 1 to 9", {"k(int): grid n x 1 x 1, block 32 x 1 x 1"}, {bounds, written}, 0};
  EXPECT_EQ(proof_to_terminal({proof, "a s"}, {}),
            "a s: n from 1 to 9\nk(int): grid n x 1 x 1, block 32 x 1 x 1\n"
            "  bounds   proved\n  written  not decided: k.cu:61: the stride is data\n");
}

/// 2 points for bounds, 1.5 for written.
course::Step worth_a_proof() {
  course::Step step;
  step.proof = {{"bounds", 2}, {"written", 1.5}};
  return step;
}

TEST(ProofWithPoints, SaysWhatEachPropertyEarnsAndWhyNot) {
  const std::vector<PropertyPoints> all = properties_with_points(worth_a_proof(), {bounds, races, written});
  ASSERT_EQ(all.size(), 2u) << "races earn nothing in this step";
  EXPECT_EQ(all[0].text, "bounds: 2/2 points, proved for all sizes");
  EXPECT_FALSE(all[0].lost);
  EXPECT_EQ(all[1].text, "written: 0/1.5 points, not decided: k.cu:61: the stride is data");
  EXPECT_TRUE(all[1].lost);
}

TEST(ProofWithPoints, SaysThatPointsWaitWhereThisMachineCouldNotDecide) {
  PropertyRecord slow = written;
  slow.open = true;
  EXPECT_EQ(points_of_property(worth_a_proof(), slow), "1.5 wait");
  EXPECT_EQ(points_of_property(worth_a_proof(), races), "");
}

}  // namespace
}  // namespace warpgrade::report
