#include "plan/describe.hpp"

#include <gtest/gtest.h>

#include "stream.hpp"

namespace warpgrade::plan {
namespace {

LaunchPlan full_plan() {
  return decode(full_stream().to.bytes(), small_request(), {});
}

TEST(Describe, ShowsReadableBuffersAndOperations) {
  EXPECT_EQ(describe(full_plan(), small_request().kernels),
            "buffers\n"
            "  A                      32 bytes  argument of the launcher\n"
            "  B                      32 bytes  argument of the launcher\n"
            "  C                      64 bytes  argument of the launcher\n"
            "  scratch 1             128 bytes  allocated by the launcher\n"
            "  coefficients           16 bytes  variable of the device code\n"
            "operations\n"
            "   1. allocate scratch 1, 128 bytes\n"
            "   2. copy 8 bytes from the host to coefficients + 4 bytes\n"
            "   3. set 16 bytes in each of 4 rows, 32 bytes apart at scratch 1 to 0x00\n"
            "   4. copy 32 bytes from A to scratch 1 + 64 bytes\n"
            "   5. allow step(int, float*, float) at most 65536 bytes of dynamic shared memory\n"
            "   6. launch step(int, float*, float) <<<(2, 3, 1), (32, 1, 1)>>> with 5, C + 16 bytes, 2.5f\n"
            "   7. free scratch 1\n");
}

TEST(Describe, TensorMapsSayWhatTheyDescribe) {
  const LaunchPlan plan = decode(stream_with_maps().to.bytes(), small_request(), {});
  const CallRequest request = small_request();
  EXPECT_EQ(describe(plan.operations.at(0), plan), "allow mapped clusters of more than 8 blocks");
  EXPECT_EQ(describe(plan.operations.at(1), plan, request.kernels),
            "launch mapped <<<(4, 1, 1), (32, 1, 1)>>> in clusters of 2 x 1 x 1 with "
            "{tensor map of A: 4 x 4 f32, 16 bytes apart, in boxes of 4 x 2}, "
            "{tensor map of C + 32 bytes: 4 x 4 f32, 16 bytes apart, in boxes of 8 x 1, swizzle of "
            "32 bytes}, B");
  EXPECT_TRUE(
      describe(plan.operations.at(1), plan)
          .ends_with("with 264 argument bytes, pointing to B; tensor map of A: 4 x 4 f32, 16 bytes apart, in "
                     "boxes of 4 x 2; tensor map of C + 32 bytes: 4 x 4 f32, 16 bytes apart, in boxes of 8 x "
                     "1, swizzle of 32 bytes"));
}

TEST(Describe, WithoutLayoutsItCountsTheArgumentBytes) {
  const LaunchPlan plan = full_plan();
  EXPECT_EQ(describe(plan.operations.at(5), plan),
            "launch step(int, float*, float) <<<(2, 3, 1), (32, 1, 1)>>> with 20 argument bytes, pointing to "
            "C + 16 bytes");
}

TEST(Describe, AnEmptyPlanSaysSo) {
  LaunchPlan plan;
  EXPECT_EQ(describe(plan), "buffers\noperations\n  none\n");
  EXPECT_FALSE(launches_anything(plan));
  EXPECT_TRUE(launches_anything(full_plan()));
}

TEST(Difference, NamesTheFirstOperationThatDiffers) {
  const LaunchPlan one = full_plan();
  EXPECT_EQ(first_difference(one, one), std::nullopt);
  LaunchPlan other = one;
  std::get<Launch>(other.operations[5]).grid.x = 9;
  EXPECT_EQ(first_difference(one, other),
            "operation 6: launch step(int, float*, float) <<<(2, 3, 1), (32, 1, 1)>>> with 20 argument "
            "bytes, pointing to "
            "C + 16 bytes, then launch step(int, float*, float) <<<(9, 3, 1), (32, 1, 1)>>> with 20 argument "
            "bytes, "
            "pointing to C + 16 bytes");
  other = one;
  std::get<CopyIn>(other.operations[1]).bytes[0] = std::byte{8};
  EXPECT_EQ(first_difference(one, other),
            "operation 2: copy 8 bytes from the host to coefficients + 4 bytes, with other bytes");
  other = one;
  other.operations.pop_back();
  EXPECT_EQ(first_difference(one, other), "operation 7: one has 7 operations, the other 6");
}

}  // namespace
}  // namespace warpgrade::plan
