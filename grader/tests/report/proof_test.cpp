// Properties for all sizes, in words.
#include "report/proof.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/region.hpp"

namespace warpgrade::report {
namespace {

using grading::PropertyRecord;
using ::testing::HasSubstr;
using ::testing::Not;

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

const grading::RegionRecord beyond_x{"x", 1, 37, {{37, 63, "block (1, 0)"}}},
    miswritten{"C", 3, 5, {{4, 4, ""}, {7, 12, "blocks (0, 0) and (1, 0)"}}};

TEST(RegionInWords, NamesElementsAndBlocks) {
  EXPECT_EQ(region_in_words("bounds", beyond_x),
            "x has 37 elements. Outside it: x[37] to x[63] (block (1, 0)).");
  EXPECT_EQ(region_in_words("written", miswritten),
            "C has 3 × 5 elements. Written more than once: C[1][2] to C[2][2] (blocks (0, 0) and (1, 0)). "
            "Written by nobody: C[0][4].");
}

TEST(RegionInWords, CountsWhatItDoesNotName) {
  grading::RegionRecord many{"x", 1, 37, {}};
  for (int i = 0; i < 5; ++i) many.parts.push_back({2 * i, 2 * i, ""});
  EXPECT_THAT(region_in_words("written", many), HasSubstr("x[0], x[2], x[4] and 2 more."));
}

std::size_t pieces_of(const std::string &text, const std::string &what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

// Elements 7 to 12 of rows of 5: the rest of row 1, and a part of row 2.
TEST(RegionPicture, ShowsEachRowOfAPartAndSaysWhatItIs) {
  const std::string svg = region_to_svg("a", "written", miswritten);
  EXPECT_EQ(pieces_of(svg, "<title>C[1][2] to C[2][2] (blocks (0, 0) and (1, 0))</title>"), 2u);
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("<desc id=\"figure-a-text\">C has 3 × 5 elements."));
  EXPECT_THAT(svg, HasSubstr("Written by nobody"));
}

// 27 elements beyond_x the end of a row of 64 that has 37.
TEST(RegionPicture, WrapsAVectorAndShowsWhatLiesBehindIt) {
  const std::string svg = region_to_svg("a", "bounds", beyond_x);
  EXPECT_EQ(pieces_of(svg, "<title>x[37] to x[63] (block (1, 0))</title>"), 1u);
  EXPECT_THAT(svg, Not(HasSubstr("Written by nobody")));
}

TEST(RegionPicture, OfALargeBufferIsScaledToOnePage) {
  const std::string svg = region_to_svg("a", "written", {"C", 1000, 1000, {{999'000, 999'999, ""}}});
  EXPECT_LT(svg.size(), 3000u);
  EXPECT_THAT(svg, HasSubstr("width=\"536\""));  // 520 and margins of 8
}

TEST(ProofPage, HasALineForEachPropertyAndAPictureOfWhatFails) {
  grading::PropertyRecord failing{"bounds", "fails", "n=37", "k.cu", 7, "outside"};
  failing.region = beyond_x;
  const grading::Proof proof{
      "n from 1 to 9", {"k: grid 2 x 1 x 1"}, {failing, {"races", "proved", "", "", 0, ""}}, 0};
  const std::string page = proof_to_html({proof, "a s"});
  EXPECT_EQ(pieces_of(page, "<tr"), 3u);  // one of them the head
  EXPECT_EQ(pieces_of(page, "<figure class=\"drawn\">"), 1u);
  EXPECT_THAT(page, HasSubstr("At n=37: x has 37 elements."));
}

}  // namespace
}  // namespace warpgrade::report
