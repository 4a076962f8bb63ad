#include <gtest/gtest.h>

#include "stream.hpp"

namespace warpgrade::plan {
namespace {

TEST(Request, RoundTrips) {
  CallRequest request = small_request();
  request.kernels[1].static_shared_bytes = 11;
  request.kernels[1].max_threads = 12;
  request.kernels[1].cluster = {4, 2, 1};
  request.device.name = "NVIDIA H200";
  request.device.l2_bytes = 99;
  const Limits limits{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(decode_request(encode(request, limits)), (WorkerOrders{request, limits}));
}

TEST(Request, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = encode(small_request(), {});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(decode_request(std::span(bytes).first(length)), WireError) << length;
  }
}

TEST(Addresses, NameTheirBufferEvenOutsideOfIt) {
  EXPECT_EQ(slot_of(address_of_slot(5)), 5u);
  EXPECT_EQ(offset_in_slot(address_of_slot(5)), 0);
  EXPECT_EQ(slot_of(address_of_slot(5) - 12), 5u);
  EXPECT_EQ(offset_in_slot(address_of_slot(5) - 12), -12);
  EXPECT_EQ(offset_in_slot(address_of_slot(0) + largest_buffer), static_cast<std::int64_t>(largest_buffer));
  EXPECT_FALSE(is_device_address(0));
  EXPECT_FALSE(is_device_address(first_slot - 1));
  EXPECT_FALSE(is_device_address(~std::uint64_t{0}));
}

TEST(Addresses, AreNeitherPlausibleIntegersNorFiniteFloats) {
  for (const std::uint64_t slot : {std::uint64_t{0}, slot_count - 1}) {
    const auto upper = static_cast<std::uint32_t>(address_of_slot(slot) >> 32);
    EXPECT_GT(upper, 2'000'000'000u);
    EXPECT_NE(std::bit_cast<float>(upper), std::bit_cast<float>(upper));  // not a number
  }
}

}  // namespace
}  // namespace warpgrade::plan
