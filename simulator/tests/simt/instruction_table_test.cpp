// The table of instructions against the handlers that there are.
#include "decode/instruction_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "decode/opcode.hpp"

namespace warpgrade::simt {
namespace {

TEST(InstructionTable, HasOneRowForEachName) {
  std::set<std::string_view> names;
  for (const InstructionRow &row : all_instructions()) EXPECT_TRUE(names.insert(row.base).second) << row.base;
}

TEST(InstructionTable, NamesNoHandlersThatAreNotThere) {
  for (const InstructionRow &row : all_instructions()) {
    if (row.naming == Naming::none) continue;
    const auto handlers = all_handlers();
    EXPECT_TRUE(std::any_of(handlers.begin(), handlers.end(), [&](const Entry &one) {
      return Opcode(one.name).base == row.base;
    })) << row.base;
  }
}

TEST(InstructionTable, HasARowForEachHandlerOfArithmetic) {
  // Names that the decoder makes up for its own operations.
  const std::set<std::string_view> own = {"flush", "load", "store", "loop"};
  for (const Entry &one : all_handlers())
    EXPECT_TRUE(own.count(Opcode(one.name).base) != 0 || row_of(Opcode(one.name).base).base != "")
        << one.name;
}

TEST(InstructionTable, SaysHowUndefinedBitsPassByTypeAsWell) {
  const auto passes = [](const char *name) { return passes_through(Opcode(name)); };
  EXPECT_EQ(passes("add.b32"), Passes::sum);
  EXPECT_EQ(passes("mad.lo.b64"), Passes::sum);
  EXPECT_EQ(passes("add.f32"), Passes::compute);
  EXPECT_EQ(passes("add.cc.b32"), Passes::compute);
  EXPECT_EQ(passes("mul.hi.u32"), Passes::compute);
  EXPECT_EQ(passes("add.b16"), Passes::compute);
  EXPECT_EQ(passes("add.f16x2"), Passes::halves);
  EXPECT_EQ(passes("abs.s16x2"), Passes::halves);
  EXPECT_EQ(passes("ex2.approx.f32"), Passes::compute);
  EXPECT_EQ(passes("shr.u64"), Passes::shift_right);
  EXPECT_EQ(passes("shr.s32"), Passes::shift_sign);
  EXPECT_EQ(passes("and.pred"), Passes::conjunction);
  EXPECT_EQ(passes("setp.ne.s64"), Passes::equality);
  EXPECT_EQ(passes("setp.lt.s64"), Passes::compute);
  EXPECT_EQ(passes("setp.eq.f32"), Passes::compute);
  EXPECT_EQ(passes("prmt.b32"), Passes::permute);
  EXPECT_EQ(passes("prmt.b32.f4e"), Passes::compute);
  EXPECT_EQ(passes("cvt.s32.s16"), Passes::sign_half);
  EXPECT_EQ(passes("low.16"), Passes::low_half);
  EXPECT_EQ(passes("pack.2x16"), Passes::join_halves);
}

TEST(InstructionTable, SaysWhyAnInstructionIsRefused) {
  EXPECT_NE(why_refused(Opcode("tcgen05.mma.cta_group::1.kind::f16")), nullptr);
  EXPECT_EQ(why_refused(Opcode("add.s32")), nullptr);
  EXPECT_NE(why_refused(Opcode("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32")), nullptr);
}

}  // namespace
}  // namespace warpgrade::simt
