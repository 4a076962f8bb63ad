#include "gpu/plan_check.hpp"

#include <gtest/gtest.h>

#include "gpu/run_request.hpp"

namespace warpgrade::gpu {
namespace {

using plan::Owner;
using run::End;

/// C of 64 bytes, two scratch buffers of 100 and one of 50.
plan::LaunchPlan base() {
  plan::LaunchPlan plan;
  plan.buffers = {{Owner::judge, "C", 64},
                  {Owner::student, "scratch 1", 100},
                  {Owner::student, "scratch 2", 100},
                  {Owner::student, "scratch 3", 50}};
  return plan;
}

Refusal refusal_of(const plan::Operation &operation) {
  auto plan = base();
  plan.operations = {operation};
  return check_plan(plan, 1000).value_or(Refusal{End::completed, ""});
}

TEST(PlanCheck, AcceptsWhatFitsExactly) {
  auto plan = base();
  plan.operations = {plan::SetMemory{{0, 0}, 1, 64, 1, 0}, plan::SetMemory{{0, 4}, 1, 4, 4, 16},
                     plan::CopyIn{{0, 60}, std::vector<std::byte>(4)}};  // 4 + 3 * 16 + 4 = 56 <= 64
  EXPECT_EQ(check_plan(plan, 0), std::nullopt);
}

TEST(PlanCheck, AMemsetPastTheEndIsAFault) {
  EXPECT_EQ(refusal_of(plan::SetMemory{{0, 8}, 0, 64, 1, 0}),
            (Refusal{End::fault, "a memset writes bytes 8 to 71 of 'C', which has 64 bytes"}));
}

TEST(PlanCheck, ACopyBeforeTheStartIsAFault) {
  EXPECT_EQ(refusal_of(plan::CopyWithin{.to = {0, 0}, .from = {0, -4}, .width = 8}),
            (Refusal{End::fault, "a copy reads bytes -4 to 3 of 'C', which has 64 bytes"}));
}

TEST(PlanCheck, SizesThatOverflowAreFoundToo) {
  EXPECT_EQ(refusal_of(plan::SetMemory{{0, 8}, 0, UINT64_MAX, 1, 0}).end, End::fault);
  EXPECT_EQ(refusal_of(plan::SetMemory{{0, INT64_MAX}, 0, 8, 1, 0}).end, End::fault);
  EXPECT_EQ(refusal_of(plan::SetMemory{{0, 0}, 0, 8, UINT64_MAX, UINT64_MAX}).end, End::fault);
  EXPECT_EQ(refusal_of(plan::SetMemory{{0, INT64_MIN}, 0, 8, 1, 0}).end, End::fault);
}

TEST(PlanCheck, UnknownBuffersAreRefused) {
  EXPECT_EQ(refusal_of(plan::Allocate{4}).message, "the plan names buffer 4, but has only 4");
  plan::Launch launch;
  launch.kernel = "k";
  launch.arguments.resize(8);
  launch.pointers = {{.at = 0, .to = {.buffer = 9, .offset = 0}}};
  EXPECT_EQ(refusal_of(launch).message, "the plan names buffer 9, but has only 4");
}

TEST(PlanCheck, PointerOutsideTheArgumentsIsRefused) {
  plan::Launch launch;
  launch.kernel = "k";
  launch.arguments.resize(12);
  launch.pointers = {{.at = 5, .to = {}}};
  EXPECT_EQ(refusal_of(launch).message, "kernel k: a pointer argument is outside its 12 argument bytes");
  launch.pointers = {{.at = 4, .to = {}}};
  EXPECT_EQ(refusal_of(launch).end, End::completed);
}

TEST(PlanCheck, MemoryIsUsedBetweenAllocateAndFree) {
  const plan::SetMemory set{{1, 0}, 0, 8, 1, 0};
  auto plan = base();
  plan.operations = {set};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::fault);
  plan.operations = {plan::Allocate{1}, set, plan::Free{1}};
  EXPECT_EQ(check_plan(plan, 1000), std::nullopt);
  plan.operations = {plan::Allocate{1}, plan::Free{1}, set};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::fault);
  plan.operations = {plan::Allocate{1}, plan::Allocate{1}};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::launch_error);
  plan.operations = {plan::Free{1}};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::launch_error);
  plan.operations = {plan::Allocate{0}};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::launch_error);
}

TEST(PlanCheck, TensorMapsLieInArgumentsAndNameABuffer) {
  auto plan = base();
  plan::Launch launch;
  launch.arguments.resize(192);
  launch.tensor_maps = {{64, {0, 0}, {}}};
  plan.operations = {launch};
  EXPECT_EQ(check_plan(plan, 1000), std::nullopt);
  std::get<plan::Launch>(plan.operations[0]).parameters = {0, 192};
  EXPECT_EQ(check_plan(plan, 1000)->message, "kernel : a parameter is outside its 192 argument bytes");
  std::get<plan::Launch>(plan.operations[0]).parameters = {0, 64};
  std::get<plan::Launch>(plan.operations[0]).tensor_maps[0].at = 65;
  EXPECT_EQ(check_plan(plan, 1000)->message, "kernel : a tensor map is outside its 192 argument bytes");
  std::get<plan::Launch>(plan.operations[0]).tensor_maps[0] = {0, {9, 0}, {}};
  EXPECT_EQ(check_plan(plan, 1000)->end, End::launch_error);
}

TEST(PlanCheck, TensorMapsInCopiesLieInTheirBytesAndNameABuffer) {
  auto plan = base();
  plan::CopyIn copy{.to = {0, 0}, .bytes = std::vector<std::byte>(8)};
  copy.tensor_maps = {{0, {0, 0}, {}}};
  plan.operations = {copy};
  EXPECT_EQ(check_plan(plan, 1000)->message, "a copy to the device: a tensor map is outside its 8 bytes");
}

TEST(PlanCheck, TheLimitIsOnWhatIsAllocatedAtOneTime) {
  auto plan = base();
  plan.operations = {plan::Allocate{1}, plan::Free{1}, plan::Allocate{2},
                     plan::Allocate{3}};  // 100, 0, 100, 150
  EXPECT_EQ(check_plan(plan, 150), std::nullopt);
  const auto refusal = check_plan(plan, 149);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->end, End::device_error);
  EXPECT_EQ(refusal->message,
            "out of memory: with 'scratch 3' (50 bytes) the launcher holds more than 149 bytes, "
            "the limit for its allocations");
}

TEST(Slots, BuffersOfOneSizeShareWhenTheirLivesDoNotOverlap) {
  auto plan = base();
  plan.operations = {plan::Allocate{1}, plan::Free{1}, plan::Allocate{2}, plan::Allocate{3}};
  EXPECT_EQ(assign_slots(plan), (Slots{{std::nullopt, 0, 0, 1}, {100, 50}, {0, 0}}));
  plan.operations = {plan::Allocate{1}, plan::Allocate{2}};
  EXPECT_EQ(assign_slots(plan), (Slots{{std::nullopt, 0, 1, std::nullopt}, {100, 100}, {0, 0}}));
}

TEST(RunRequest, SurvivesTheWire) {
  RunRequest request;
  request.plan = base();
  plan::Launch launch;
  launch.kernel = "_Z1kPf";
  launch.grid = {3, 2, 1};
  launch.block = {32, 4, 2};
  launch.dynamic_shared_bytes = 77;
  launch.arguments.resize(24, std::byte{9});
  launch.pointers = {{.at = 8, .to = {.buffer = 1, .offset = -12}},
                     {.at = 16, .to = {.buffer = 2, .offset = 3}}};
  launch.cluster = {2, 1, 1};
  request.plan.operations = {
      plan::Allocate{1},
      plan::SetMemory{{1, 2}, 3, 4, 5, 6},
      plan::CopyIn{{0, 1}, {std::byte{1}, std::byte{2}}},
      plan::CopyWithin{{0, 1}, {1, 2}, 3, 4, 5, 6},
      plan::SetFunctionAttribute{"k", plan::FunctionAttribute::preferred_shared_carveout, -1},
      launch,
      plan::Free{1}};
  request.offsets = {4096};
  request.shared_bytes = 8192;
  request.random = 99;
  request.timed = true;
  request.sample = {.flush_l2 = false, .spin_seconds = 0.5};

  Writer writer;
  encode(writer, request);
  Reader reader(writer.bytes());
  const auto copy = decode_run_request(reader);
  EXPECT_EQ(copy.plan, request.plan);
  EXPECT_EQ(copy.offsets, request.offsets);
  EXPECT_EQ(copy.shared_bytes, request.shared_bytes);
  EXPECT_EQ(copy.random, request.random);
  EXPECT_TRUE(copy.timed);
  EXPECT_FALSE(copy.sample.flush_l2);
  EXPECT_EQ(copy.sample.spin_seconds, 0.5);

  // Cut short anywhere, it is refused and nothing else happens.
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    Reader cut(std::span(writer.bytes()).first(size));
    EXPECT_THROW(decode_run_request(cut), WireError) << size;
  }
}

}  // namespace
}  // namespace warpgrade::gpu
