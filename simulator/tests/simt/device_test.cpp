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

// Each of these writes once looked through all that was written before: the test took minutes.
TEST(Device, SmallWritesBesideAHoleDoNotScanAllMemory) {
  constexpr std::uint64_t all = 256 << 20, hole = 200 << 20;
  Device device;
  const Address a = device.allocate(all, "a");
  device.fill(a, std::byte{1}, hole);
  device.fill(a + hole + 8, std::byte{1}, all - hole - 8);
  const std::byte one{7};
  for (std::uint64_t i = 0; i < 9000; ++i) device.write(a + i * 5, std::span(&one, 1));
  for (std::uint64_t i = 0; i < 9000; ++i) device.fill(a + i * 4096, std::byte{2}, 16);
  EXPECT_EQ(device.unwritten(a, all), 8u);
  const Address b = device.allocate(16, "b");
  device.fill(b, std::byte{1}, 8);
  device.copy(a, b, 16);  // what was never written stays so
  EXPECT_EQ(device.unwritten(a, all), 16u);
  device.fill(a + hole, std::byte{1}, 8);
  EXPECT_EQ(device.unwritten(a, all), 8u);
  device.fill(a + 8, std::byte{1}, 8);
  EXPECT_EQ(device.unwritten(a, all), 0u);
}

TEST(Device, BlocksRunInOrderWhereTheirRacesWouldCostTooMuchMemory) {
  Options options;
  options.threads = 7;
  options.alone_until = 0;
  Device device(options);
  device.load(testing::parse(testing::kernel("mov.u32 %r1, %ctaid.x; st.global.u32 [%out], %r1;")));
  const Address in = device.allocate(32, "in", true), out = device.allocate(300 << 20, "out", true);
  Launch launch;
  launch.kernel = "k";
  launch.grid = {96, 1, 1};
  launch.block = {1, 1, 1};
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &in, 8);
  std::memcpy(launch.arguments.data() + 8, &out, 8);
  const LaunchResult result = device.launch(launch);
  EXPECT_TRUE(result.diagnostics.empty()) << testing::last(result);
  std::uint32_t last = 0;
  device.read(out, std::as_writable_bytes(std::span(&last, 1)));
  EXPECT_EQ(last, 95u);
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
        std::pair{Launch{"k", {1, 0, 1}, {}, 0, {}},
                  "a grid of 1 x 0 x 1 blocks is empty; is the number of blocks rounded down?"},
        std::pair{Launch{"k", {}, {0, 1, 1}, 0, {}}, "a block of 0 x 1 x 1 threads is empty"},
        std::pair{Launch{"k", {}, {33, 32, 1}, 0, {}},
                  "a block of 33 x 32 x 1 has 1056 threads; at most 1024 are possible"},
        std::pair{Launch{"k", {}, {1, 1, 65}, 0, {}}, "blockDim.z is 65; at most 64 is possible"},
        std::pair{
            Launch{"k", {1, 65536, 1}, {}, 0, {}},
            "a grid of 1 x 65536 x 1 blocks: gridDim.y is 65536; at most 65535 is possible (2147483647 for "
            "gridDim.x)"},
        std::pair{Launch{"k", {}, {}, 0, std::vector<std::byte>(8)},
                  "the launch has 8 bytes of arguments, but the kernel has 16"},
        std::pair{Launch{"k", {}, {}, 49153, {}},
                  "a block needs 49153 bytes of shared memory; at most 49152 are possible, unless "
                  "cudaFuncSetAttribute raises this limit (up to 232448)"}));

TEST(Device, MoreSharedMemoryCanBeRequested) {
  Device device;
  device.load(testing::parse(testing::kernel("", ".extern .shared .align 16 .b8 dyn[];\n")));
  device.set_max_dynamic_shared("k", 100'000);
  EXPECT_EQ(device.launch({"k", {}, {}, 100'000, std::vector<std::byte>(16)}).status, Status::completed);
  EXPECT_EQ(device.launch({"k", {}, {}, 100'001, std::vector<std::byte>(16)}).status, Status::launch_error);
}

}  // namespace
}  // namespace warpgrade::simt
