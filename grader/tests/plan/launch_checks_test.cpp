#include "plan/launch_checks.hpp"

#include <gtest/gtest.h>

#include "stream.hpp"

namespace warpgrade::plan {
namespace {

Launch launch_of(Dim3 block, std::uint32_t shared = 0) {
  Launch launch;
  launch.kernel = "_Z4stepiPff";
  launch.block = block;
  launch.dynamic_shared_bytes = shared;
  return launch;
}

std::optional<RefusedLaunch> first_refused(std::vector<Operation> operations) {
  const CallRequest request = small_request();
  return first_refused_launch({request.buffers, std::move(operations)}, request.kernels, request.device);
}

TEST(LaunchChecks, NameTheFirstLaunchThatNoGpuStarts) {
  const auto refused =
      first_refused({launch_of({32, 32, 1}), launch_of({65, 65, 1}), launch_of({2048, 1, 1})});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->operation, 1u);
  // 65 * 65 = 4225
  EXPECT_EQ(refused->why, "a block of 65 x 65 x 1 has 4225 threads; at most 1024 are possible");
}

TEST(LaunchChecks, FollowTheAttributeThatAllowsMoreSharedMemory) {
  const SetFunctionAttribute allow{"_Z4stepiPff", FunctionAttribute::max_dynamic_shared_bytes, 65536};
  EXPECT_FALSE(first_refused({allow, launch_of({32, 1, 1}, 65536)}));
  const auto refused = first_refused({launch_of({32, 1, 1}, 65536), allow});
  ASSERT_TRUE(refused) << "the attribute comes after the launch";
  EXPECT_EQ(refused->operation, 0u);
}

}  // namespace
}  // namespace warpgrade::plan
