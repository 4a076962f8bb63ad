// What is wrong with a call, or with two that belong together.
#include "nccl/call.hpp"

#include <gtest/gtest.h>

namespace warpgrade::nccl {
namespace {

constexpr std::uint64_t part_count = 4;  // floats, so that a part has 16 bytes
std::byte memory[256];

Call call_of(What what, const char *name) {
  Call call;
  call.what = what;
  call.name = name;
  call.count = part_count;
  return call;
}
Call with_buffers(What what, std::size_t send_at, std::size_t receive_at) {
  Call call = call_of(what, "nccl");
  call.send = memory + send_at;
  call.receive = memory + receive_at;
  return call;
}

TEST(BuffersOfACall, AreWhatTheRankReadsAndWrites) {
  const auto bytes = [](What what, int rank) {
    std::vector<std::uint64_t> all;  // sent, received; 0: not used
    std::uint64_t sent = 0, received = 0;
    Call call = with_buffers(what, 0, 128);
    call.peer = 1;
    for (const Buffer &one : buffers_of(call, rank, 3)) (one.written ? received : sent) = one.bytes;
    return std::pair(sent, received);
  };
  EXPECT_EQ(bytes(What::all_reduce, 0), std::pair(16ul, 16ul));
  EXPECT_EQ(bytes(What::reduce, 0), std::pair(16ul, 0ul));
  EXPECT_EQ(bytes(What::reduce, 1), std::pair(16ul, 16ul));
  EXPECT_EQ(bytes(What::broadcast, 0), std::pair(0ul, 16ul));
  EXPECT_EQ(bytes(What::broadcast, 1), std::pair(16ul, 16ul));
  EXPECT_EQ(bytes(What::reduce_scatter, 0), std::pair(48ul, 16ul));
  EXPECT_EQ(bytes(What::all_gather, 0), std::pair(16ul, 48ul));
  EXPECT_EQ(bytes(What::send, 0), std::pair(16ul, 0ul));
  EXPECT_EQ(bytes(What::receive, 0), std::pair(0ul, 16ul));
}

TEST(OverlappingBuffers, AreAllowedInPlaceOnly) {
  const auto overlap = [](What what, std::size_t send_at, std::size_t receive_at) {
    return overlap_of(with_buffers(what, send_at, receive_at), 2, 3).value_or("none");
  };
  EXPECT_EQ(overlap(What::all_reduce, 0, 0), "none");
  EXPECT_EQ(overlap(What::all_reduce, 0, 16), "none");
  EXPECT_EQ(overlap(What::all_reduce, 0, 12), "in place, both are the same pointer");
  // Rank 2 of 3: its part begins 32 bytes after the beginning of the whole, which has 48.
  EXPECT_EQ(overlap(What::all_gather, 32, 0), "none");
  EXPECT_EQ(overlap(What::all_gather, 48, 0), "none");
  EXPECT_EQ(overlap(What::all_gather, 0, 0),
            "in place, the send buffer is the receive buffer + rank * sendcount elements");
  EXPECT_EQ(overlap(What::reduce_scatter, 0, 32), "none");
  EXPECT_EQ(overlap(What::reduce_scatter, 0, 0),
            "in place, the receive buffer is the send buffer + rank * recvcount elements");
}

TEST(CallsOfTwoRanks, ThatDifferAreDescribedWithBothRanksAndDevices) {
  const Member one{0, 3}, other{1, 2};
  const Call call = call_of(What::all_reduce, "ncclAllReduce");
  const auto difference = [&](const Call &second) {
    return difference_of(call, one, second, other).value_or("none");
  };
  EXPECT_EQ(difference(call), "none");
  Call changed = call;
  changed.count = 5;
  EXPECT_EQ(difference(changed),
            "rank 0 (device 3) gives a count of 4, and rank 1 (device 2) gives 5: all ranks must agree");
  changed = call;
  changed.type = Type::float16;
  EXPECT_EQ(difference(changed),
            "rank 0 (device 3) gives ncclFloat32, and rank 1 (device 2) gives ncclFloat16: all "
            "ranks must agree");
  changed = call;
  changed.op = Reduction::average;
  EXPECT_EQ(difference(changed),
            "rank 0 (device 3) gives ncclSum, and rank 1 (device 2) gives ncclAvg: all ranks must agree");
  EXPECT_EQ(difference(call_of(What::broadcast, "ncclBcast")),
            "rank 0 (device 3) calls ncclAllReduce, and rank 1 (device 2) calls ncclBcast: all ranks must "
            "call the same "
            "collectives in the same order");
}

TEST(CallsOfTwoRanks, MustAgreeOnTheRootWhereThereIsOne) {
  Call call = call_of(What::reduce, "ncclReduce"), changed = call;
  changed.peer = 1;
  EXPECT_EQ(difference_of(call, {0, 0}, changed, {1, 1}),
            "rank 0 (device 0) gives 0 as the root, and rank 1 (device 1) gives 1: all ranks must agree");
  call.what = changed.what = What::all_reduce;
  EXPECT_EQ(difference_of(call, {0, 0}, changed, {1, 1}), std::nullopt);
}

TEST(ASendAndItsReceive, MustAgreeOnCountAndType) {
  Call sent = call_of(What::send, "ncclSend"), received = call_of(What::receive, "ncclRecv");
  sent.peer = 1;
  EXPECT_EQ(difference_of(sent, {0, 0}, received, {1, 1}), std::nullopt);
  received.count = 5;
  EXPECT_EQ(
      difference_of(sent, {0, 0}, received, {1, 1}),
      "rank 0 (device 0) gives a count of 4, and rank 1 (device 1) gives 5: sender and receiver must agree");
}

}  // namespace
}  // namespace warpgrade::nccl
