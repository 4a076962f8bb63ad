// Hostile streams: thousands of damaged copies of a good one. Whatever is damaged, the reader gives a plan
// that keeps its promises, or a PlanError.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "plan/describe.hpp"
#include "stream.hpp"

namespace warpgrade::plan {
namespace {

// What decode.hpp promises of every plan.
void expect_sound(const LaunchPlan &plan) {
  const CallRequest request = small_request();
  const auto inside = [&](const Place &place, std::uint64_t span) {
    ASSERT_LT(place.buffer, plan.buffers.size());
    ASSERT_GE(place.offset, 0);
    ASSERT_LE(static_cast<std::uint64_t>(place.offset) + span, plan.buffers[place.buffer].bytes);
  };
  for (const Operation &operation : plan.operations) {
    if (const auto *o = std::get_if<SetMemory>(&operation))
      inside(o->to, (o->rows - 1) * o->pitch + o->width);
    const auto maps = [&](const std::vector<TensorMapArgument> &all, std::size_t bytes) {
      for (const TensorMapArgument &argument : all) {
        ASSERT_LE(argument.at + ptx::TensorMap::bytes, bytes);
        ASSERT_LT(argument.to.buffer, plan.buffers.size());
        ASSERT_EQ(ptx::why_invalid(argument.map) + ptx::why_unsupported(argument.map), "");
      }
    };
    if (const auto *o = std::get_if<CopyIn>(&operation)) {
      inside(o->to, o->bytes.size());
      maps(o->tensor_maps, o->bytes.size());
    }
    if (const auto *o = std::get_if<CopyWithin>(&operation)) {
      inside(o->to, (o->rows - 1) * o->to_pitch + o->width);
      inside(o->from, (o->rows - 1) * o->from_pitch + o->width);
    }
    if (const auto *o = std::get_if<Allocate>(&operation)) {
      ASSERT_EQ(plan.buffers.at(o->buffer).owner, Owner::student);
    }
    if (const auto *o = std::get_if<Free>(&operation)) {
      ASSERT_EQ(plan.buffers.at(o->buffer).owner, Owner::student);
    }
    if (const auto *o = std::get_if<Launch>(&operation)) {
      const auto same = [&](const KernelLayout &kernel) { return kernel.name == o->kernel; };
      ASSERT_TRUE(std::any_of(request.kernels.begin(), request.kernels.end(), same));
      for (const PointerArgument &pointer : o->pointers) {
        ASSERT_LE(pointer.at + 8, o->arguments.size());
        ASSERT_LT(pointer.to.buffer, plan.buffers.size());
      }
      maps(o->tensor_maps, o->arguments.size());
    }
  }
}

struct Tally {
  int plans = 0, refused = 0;
};

void try_one(const std::vector<std::byte> &bytes, Tally &tally) {
  try {
    const Trace trace = read_trace(bytes, small_request(), {});
    expect_sound(trace.plan);
    EXPECT_FALSE(describe(trace.plan, small_request().kernels).empty());
    ++tally.plans;
  } catch (const PlanError &) {
    ++tally.refused;
  }
}

TEST(Mutation, EveryTruncationIsRefusedOrHasNoEndMark) {
  const std::vector<std::byte> good = full_stream().to.bytes();
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(decode(std::span(good).first(length), small_request(), {}), PlanError) << length;
  }
}

TEST(Mutation, EveryBitFlipGivesASoundPlanOrAnError) {
  std::vector<std::byte> good = stream_with_maps().to.bytes();
  good.pop_back();  // its end mark
  const std::vector<std::byte> more = full_stream().to.bytes();
  good.insert(good.end(), more.begin(), more.end());
  Tally tally;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    try_one(bytes, tally);
  }
  EXPECT_GT(tally.plans, 0);    // flips in uploaded bytes and scalars
  EXPECT_GT(tally.refused, 0);  // flips in lengths and addresses
}

TEST(Mutation, ThirtyThousandRandomDamagesGiveSoundPlansOrErrors) {
  const std::vector<std::byte> good = full_stream().to.bytes();
  std::mt19937_64 random(20240607);  // fixed: a failure repeats
  Tally tally;
  for (int round = 0; round < 30000; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::byte> bytes = good;
    for (auto damages = random() % 4 + 1; damages > 0; --damages) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0:
          bytes[at] = static_cast<std::byte>(random());
          break;
        case 1:
          bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 2:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       static_cast<std::byte>(random() % 32));
          break;
        case 3: {  // a number at an edge
          const std::uint64_t edges[] = {0,
                                         1,
                                         ~std::uint64_t{0},
                                         std::uint64_t{1} << 63,
                                         address_of_slot(random() % 8),
                                         first_slot,
                                         first_slot + slot_count * slot_bytes - 1};
          const std::uint64_t edge = edges[random() % std::size(edges)];
          std::memcpy(&bytes[at], &edge, std::min<std::size_t>(8, bytes.size() - at));
          break;
        }
        default: {  // a piece of the stream once more
          const std::size_t length = random() % std::min<std::size_t>(64, bytes.size() - at);
          const std::vector<std::byte> piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                             bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), piece.begin(),
                       piece.end());
        }
      }
      if (bytes.empty()) break;
    }
    try_one(bytes, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.plans, 100);
  EXPECT_GT(tally.refused, 10000);
}

TEST(Mutation, RandomBytesAreRefused) {
  std::mt19937_64 random(7);
  Tally tally;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes(random() % 200 + 20);
    for (std::byte &byte : bytes) byte = static_cast<std::byte>(random() % 26);
    try_one(bytes, tally);
  }
  EXPECT_EQ(tally.plans + tally.refused, 5000);
}

TEST(Mutation, DamagedRequestsNeverCrashAWorker) {
  const std::vector<std::byte> good = encode(small_request(), {});
  std::mt19937_64 random(11);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      static_cast<void>(decode_request(bytes));
    } catch (const WireError &) {
    }
  }
}

}  // namespace
}  // namespace warpgrade::plan
