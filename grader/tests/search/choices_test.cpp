// Branches of kernels, with what decides them, and which ways were taken.
#include "search/choices.hpp"

#include <gmock/gmock.h>

namespace warpgrade::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A kernel k(n, k) with this body; line 10 of k.cu unless the body says otherwise.
ptx::Module module_of(const std::string &body) {
  return ptx::parse(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u32 k_n, .param .u32 k_k)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .f32 %f<9>;\n.loc 1 10 0\n"
      "ld.param.u32 %r1, [k_n];\nld.param.u32 %r2, [k_k];\n" +
      body + "\nret;\n}\n.file 1 \"k.cu\"\n");
}

std::vector<Branch> branches(const std::string &body) {
  return branches_of(module_of(body), {"k"});
}

TEST(Branches, KnowTheConstantsAndParametersOfTheirGuards) {
  const auto all =
      branches("add.s32 %r3, %r2, 7;\nsetp.eq.s32 %p1, %r3, 185;\n@%p1 bra over;\nmov.u32 %r4, 1;\nover:");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].constants, UnorderedElementsAre(7, 185));
  EXPECT_THAT(all[0].parameters, UnorderedElementsAre(4u)) << "the second parameter begins after 4 bytes";
}

TEST(Branches, TakeAShiftForADivisorAndAMaskForTheDivisorOfARest) {
  const auto all = branches(
      "shr.u32 %r3, %r1, 5;\nand.b32 %r4, %r1, 15;\nadd.s32 %r5, %r3, %r4;\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 "
      "bra over;\n"
      "mov.u32 %r4, 1;\nover:");
  EXPECT_THAT(all.at(0).constants, UnorderedElementsAre(32, 16));
}

TEST(Branches, SayWhichLinesTheyLeadTo) {
  const auto all = branches(
      ".loc 1 12 0\nsetp.gt.s32 %p1, %r1, 9;\n@%p1 bra over;\n.loc 1 13 0\nmov.u32 %r4, 1;\nover:\n.loc 1 14 "
      "0\n"
      "mov.u32 %r5, 1;");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at, (ptx::SourceLine{"k.cu", 12}));
  EXPECT_THAT(all[0].to, ElementsAre(14, 13));
}

TEST(Branches, AreNotFollowedIntoWhatMemoryHolds) {
  const auto all = branches(
      "mul.wide.u32 %r6, %r1, 64;\nld.global.u32 %r3, [%r6];\nsetp.eq.s32 %p1, %r3, 5;\n@%p1 bra "
      "over;\nover:");
  EXPECT_THAT(all.at(0).constants, UnorderedElementsAre(5));
}

TEST(Constants, AreThoseOfComparisonsWithOrWithoutABranch) {
  EXPECT_THAT(
      constants_of(module_of("setp.eq.s32 %p1, %r1, 185;\nselp.b32 %r3, 1, 2, %p1;\nadd.s32 %r4, %r1, 99;"),
                   {"k"}),
      UnorderedElementsAre(185));
}

TEST(CoverageOfLines, CountsWaysAndNamesThoseThatAreMissing) {
  const auto all = branches(
      ".loc 1 12 0\nsetp.gt.s32 %p1, %r1, 9;\n@%p1 bra over;\n.loc 1 13 0\nmov.u32 %r4, 1;\nover:\n.loc 1 14 "
      "0\n"
      "mov.u32 %r5, 1;");
  Coverage coverage;
  auto lines = by_line(all, coverage);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].reached);
  EXPECT_TRUE(coverage.add(std::vector<simt::BranchCount>{{all[0].ptx_line, 3, 0}}));
  EXPECT_FALSE(coverage.add(std::vector<simt::BranchCount>{{all[0].ptx_line, 9, 0}})) << "nothing new";
  lines = by_line(all, coverage);
  EXPECT_EQ(lines[0].ways, 2);
  EXPECT_EQ(lines[0].taken, 1);
  EXPECT_THAT(lines[0].never_to, UnorderedElementsAre(13));
  EXPECT_TRUE(coverage.add(std::vector<simt::BranchCount>{{all[0].ptx_line, 0, 1}}));
  EXPECT_THAT(by_line(all, coverage)[0].never_to, IsEmpty());
}

}  // namespace
}  // namespace warpgrade::search
