// The device from the host's side: allocations, and launches that the driver would refuse.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

TEST(Device, HostAccessesMustLieInOneAllocation) {
  Device device;
  const Address a = device.allocate(100, "a");
  std::vector<std::byte> bytes(8);
  EXPECT_NO_THROW(device.write(a + 92, bytes));
  EXPECT_THROW(device.write(a + 93, bytes), BadAddress);
  EXPECT_THROW(device.read(a - 1, bytes), BadAddress);
  EXPECT_EQ(a % 512, 0u);
  device.free(a);
  EXPECT_THROW(device.fill(a, std::byte{0}, 1), BadAddress);
  EXPECT_THROW(device.free(a), BadAddress);
}

TEST(Device, MemoryRunsOut) {
  Options options;
  options.memory_bytes = 1000;
  Device device(options);
  const Address a = device.allocate(900, "a");
  EXPECT_THROW(device.allocate(101, "b"), OutOfMemory);
  device.free(a);
  EXPECT_NO_THROW(device.allocate(1000, "b"));
}

TEST(Device, CopiesBetweenAllocations) {
  Device device;
  const Address a = device.allocate(16, "a"), b = device.allocate(16, "b");
  device.fill(a, std::byte{7}, 16);
  device.copy(b, a, 16);
  std::vector<std::byte> bytes(16);
  device.read(b, bytes);
  EXPECT_EQ(bytes[15], std::byte{7});
}

TEST(Device, DevicesThatLoadOneDeviceCodeShareWhatWasDecoded) {
  const auto code =
      std::make_shared<const DeviceCode>(testing::parse(testing::kernel("st.global.u32 [%out], 7;")));
  EXPECT_EQ(code->program("k"), code->program("k"));
  for (int device_number = 0; device_number < 2; ++device_number) {
    Device device;
    device.load(code);
    const Address out = device.allocate(16, "out");
    Launch launch{"k", {}, {}, 0, {}};
    launch.arguments.resize(16);
    std::memcpy(launch.arguments.data(), &out, sizeof out);
    std::memcpy(launch.arguments.data() + 8, &out, sizeof out);
    EXPECT_EQ(device.launch(launch).status, Status::completed);
    std::vector<std::byte> bytes(4);
    device.read(out, bytes);
    EXPECT_EQ(bytes[0], std::byte{7});
  }
}

class Refused : public ::testing::TestWithParam<std::pair<Launch, const char *>> {};

TEST_P(Refused, WithAReason) {
  Device device;
  device.load(testing::parse(testing::kernel("", ".extern .shared .align 16 .b8 dyn[];\n")));
  Launch launch = GetParam().first;
  if (launch.arguments.empty()) launch.arguments.resize(16);
  const LaunchResult result = device.launch(launch);
  EXPECT_EQ(result.status, Status::launch_error);
  EXPECT_EQ(result.diagnostics.at(0).message, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    Launches, Refused,
    ::testing::Values(
        std::pair{Launch{"x", {}, {}, 0, {}}, "there is no kernel named x"},
        std::pair{Launch{"k", {1, 0, 1}, {}, 0, {}}, "a grid of 1 x 0 x 1 blocks has a zero"},
        std::pair{Launch{"k", {}, {0, 1, 1}, 0, {}}, "a block of 0 x 1 x 1 threads has a zero"},
        std::pair{Launch{"k", {}, {33, 32, 1}, 0, {}},
                  "a block of 33 x 32 x 1 threads: 1056 are more than 1024"},
        std::pair{Launch{"k", {}, {1, 1, 65}, 0, {}}, "blockDim.z is 65, at most 64 are possible"},
        std::pair{Launch{"k", {1, 65536, 1}, {}, 0, {}},
                  "a grid of 1 x 65536 x 1 blocks is larger than 2147483647 x 65535 x 65535"},
        std::pair{Launch{"k", {}, {}, 0, std::vector<std::byte>(8)},
                  "8 bytes of arguments were given, the kernel takes 16"},
        std::pair{
            Launch{"k", {}, {}, 49153, {}},
            "49153 bytes of shared memory are more than 49152; cudaFuncSetAttribute can raise the limit"}));

TEST(Device, MoreSharedMemoryCanBeAskedFor) {
  Device device;
  device.load(testing::parse(testing::kernel("", ".extern .shared .align 16 .b8 dyn[];\n")));
  device.set_max_dynamic_shared("k", 100'000);
  EXPECT_EQ(device.launch({"k", {}, {}, 100'000, std::vector<std::byte>(16)}).status, Status::completed);
  EXPECT_EQ(device.launch({"k", {}, {}, 100'001, std::vector<std::byte>(16)}).status, Status::launch_error);
}

}  // namespace
}  // namespace warpgrade::simt
