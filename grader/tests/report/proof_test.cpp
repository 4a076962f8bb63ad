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

}  // namespace
}  // namespace warpgrade::report
