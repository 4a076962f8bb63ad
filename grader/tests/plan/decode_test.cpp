#include <gtest/gtest.h>

#include "plan/codec.hpp"
#include "stream.hpp"

namespace warpgrade::plan {
namespace {

TEST(Decode, AWholeStreamBecomesItsPlan) {
  const LaunchPlan plan = decode(full_stream().to.bytes(), small_request(), {});
  ASSERT_EQ(plan.buffers.size(), 5u);
  EXPECT_EQ(plan.buffers[3], (Buffer{Owner::student, "scratch 1", 128}));
  EXPECT_EQ(plan.buffers[4], (Buffer{Owner::module, "coefficients", 16}));
  Launch launch{"_Z4stepiPff", {2, 3, 1}, {32, 1, 1}, 0, arguments_of_0(5, 0, 2.5f), {{8, {2, 16}}}};
  const std::vector<Operation> operations = {
      Allocate{3},
      CopyIn{{4, 4}, std::vector<std::byte>(8, std::byte{7})},
      SetMemory{{3, 0}, 0, 16, 4, 32},
      CopyWithin{{3, 64}, {0, 0}, 32, 1, 0, 0},
      SetFunctionAttribute{"_Z4stepiPff", FunctionAttribute::max_dynamic_shared_bytes, 65536},
      launch,
      Free{3}};
  EXPECT_EQ(plan.operations, operations);
}

TEST(Decode, AnEmptyPlanIsAPlan) {
  const LaunchPlan plan = decode(Stream().tag(Tag::started).tag(Tag::ended).to.bytes(), small_request(), {});
  EXPECT_TRUE(plan.operations.empty());
  EXPECT_EQ(plan.buffers, small_request().buffers);
}

TEST(Decode, WithoutAnEndMarkThereIsNoPlan) {
  EXPECT_EQ(complaint(Stream().tag(Tag::started)), "the plan has no end mark: the launcher did not return");
  EXPECT_EQ(complaint(Stream()), "the plan has no end mark: the launcher did not return");
}

TEST(Decode, NothingMayFollowTheEndMark) {
  EXPECT_EQ(complaint(Stream().tag(Tag::ended).tag(Tag::started)), "the plan continues after its end mark");
}

TEST(Decode, EachOfTwoCallsMayDoAsMuchAsOneMay) {
  CallRequest twice = small_request();
  twice.calls = 2;
  Limits limits;
  limits.operations = limits.launches = limits.buffers = 1;
  limits.scratch_bytes = 64;
  const auto launched = [](Stream s) {
    return s.launch(1, {1, 1, 1}, {1, 1, 1}, std::vector<std::byte>(24));
  };
  const auto trace = [&](const Stream &s) { return read_trace(s.to.bytes(), twice, limits); };
  EXPECT_EQ(trace(launched(launched(Stream()).tag(Tag::called_again)).tag(Tag::ended)).first_call, 1u);
  EXPECT_EQ(trace(Stream().allocate(3, 64).tag(Tag::called_again).allocate(4, 64).tag(Tag::ended)).first_call,
            1u);
  EXPECT_THROW(trace(launched(launched(Stream().tag(Tag::called_again)))), PlanError);
}

TEST(Decode, ASecondCallThatWasNotMadeIsAnError) {
  EXPECT_EQ(complaint(Stream().tag(Tag::called_again).tag(Tag::ended)),
            "the plan holds a call that nobody made");
}

TEST(Decode, ARefusalIsTheFirstOne) {
  const Stream s = Stream().say(Tag::refused, "cudaX: no").say(Tag::refused, "cudaY: no").tag(Tag::ended);
  EXPECT_EQ(complaint(s), "cudaX: no");
}

TEST(Decode, PointersInsideStructsAreFound) {
  std::vector<std::byte> bytes(24);
  const std::uint64_t inside = address_of_slot(1) - 4;
  std::memcpy(&bytes[16], &inside, 8);
  const LaunchPlan plan =
      decode(Stream().launch(1, {1, 1, 1}, {1, 1, 1}, bytes).tag(Tag::ended).to.bytes(), small_request(), {});
  const Launch &launch = std::get<Launch>(plan.operations.at(0));
  EXPECT_EQ(launch.pointers, (std::vector<PointerArgument>{{16, {1, -4}}}));
  EXPECT_EQ(launch.arguments, std::vector<std::byte>(24));
}

TEST(Decode, TensorMapsAndClustersBecomePartsOfTheLaunch) {
  const LaunchPlan plan = decode(stream_with_maps().to.bytes(), small_request(), {});
  const Launch &launch = std::get<Launch>(plan.operations.at(1));
  EXPECT_EQ(launch.arguments, std::vector<std::byte>(264));
  EXPECT_EQ(launch.pointers, (std::vector<PointerArgument>{{256, {1, 0}}}));
  EXPECT_EQ(launch.cluster, (ptx::ClusterShape{2, 1, 1}));
  ASSERT_EQ(launch.tensor_maps.size(), 2u);
  EXPECT_EQ(launch.tensor_maps[1].at, 128u);
  ASSERT_FALSE(launch.parameters.empty());
  EXPECT_EQ(launch.parameters[0], 0u);
  EXPECT_EQ(launch.tensor_maps[1].to, (Place{2, 32}));
  const ptx::TensorMap &map = launch.tensor_maps[0].map;
  EXPECT_EQ(map.address, 0u);
  EXPECT_EQ(map.dimensions[1], 4u);
  EXPECT_EQ(map.strides[0], 16u);
  EXPECT_EQ(map.box[1], 2u);
  Writer passed_on;
  encode(passed_on, plan);
  Reader from(passed_on.bytes());
  EXPECT_EQ(decode_plan(from), plan);
}

TEST(Decode, ATensorMapInACopyBecomesAPartOfTheCopy) {
  const LaunchPlan plan = decode(stream_with_copied_map().to.bytes(), small_request(), {});
  const CopyIn &copy = std::get<CopyIn>(plan.operations.at(1));
  ASSERT_EQ(copy.tensor_maps.size(), 1u);
  EXPECT_EQ(copy.tensor_maps[0].at, 16u);
  EXPECT_EQ(copy.tensor_maps[0].to, (Place{0, 16}));
  EXPECT_EQ(copy.tensor_maps[0].map.address, 0u);
  std::vector<std::byte> rest(24 + ptx::TensorMap::bytes, std::byte{7});
  std::fill_n(rest.begin() + 16, ptx::TensorMap::bytes, std::byte{0});
  EXPECT_EQ(copy.bytes, rest);
  Writer passed_on;
  encode(passed_on, plan);
  Reader from(passed_on.bytes());
  EXPECT_EQ(decode_plan(from), plan);
}

/// The complaint about a launch of kernel 2 whose first map is this one.
std::string complaint_about(const ptx::TensorMap &map) {
  const auto arguments = arguments_of_2(map, rows_at(address_of_slot(0)), address_of_slot(1));
  return complaint(Stream().launch(2, {2, 1, 1}, {32, 1, 1}, arguments).tag(Tag::ended));
}

TEST(Decode, ATensorMapOfMadeUpMemoryIsRefused) {
  EXPECT_EQ(complaint_about(rows_at(address_of_slot(2))), "");
  EXPECT_EQ(complaint_about(rows_at(0x7f0012340000)),
            "a device pointer was expected, and something else was passed");
  EXPECT_EQ(complaint_about(rows_at(address_of_slot(3))), "a device pointer belongs to no buffer");
}

TEST(Decode, WhatCudaWouldNotEncodeStaysBytes) {
  std::vector<ptx::TensorMap> hostile(6, rows_at(address_of_slot(2)));
  hostile[0].box[0] = 0;
  hostile[1].box[1] = 300;
  hostile[2].rank = 9;
  hostile[3].strides[0] = (std::uint64_t{1} << 40) + 16;
  hostile[4].element_strides[1] = 0;
  hostile[5].type = 200;
  for (const ptx::TensorMap &map : hostile) {
    const auto arguments = arguments_of_2(map, map, address_of_slot(1));
    const LaunchPlan plan = decode(
        Stream().launch(2, {2, 1, 1}, {32, 1, 1}, arguments).tag(Tag::ended).to.bytes(), small_request(), {});
    EXPECT_TRUE(std::get<Launch>(plan.operations.at(0)).tensor_maps.empty());
  }
}

TEST(Decode, AClusterBelongsToTheLaunchAfterIt) {
  EXPECT_EQ(complaint(Stream().cluster(2, 1, 1).allocate(3, 16)), "the plan has a cluster without a launch");
  EXPECT_EQ(complaint(Stream().cluster(0, 1, 1)), "a launch is in clusters of no blocks");
  EXPECT_EQ(complaint(Stream().attribute(2, 2, 7)), "the plan allows a kernel clusters of made-up size");
}

TEST(Decode, ClustersThatNoGpuStartsCountNoThreads) {
  Limits few;
  few.threads = 64;
  const auto arguments = arguments_of_0(1, address_of_slot(2), 0);
  const auto launched = [&](std::uint32_t blocks) {
    return complaint(
        Stream().cluster(blocks, 1, 1).launch(0, {24, 1, 1}, {32, 1, 1}, arguments).tag(Tag::ended), few);
  };
  EXPECT_EQ(launched(2), "the launches have more than 64 threads together");
  EXPECT_EQ(launched(5), "");   // 24 blocks are not whole clusters
  EXPECT_EQ(launched(12), "");  // needs an attribute
  EXPECT_EQ(launched(4'000'000'000u), "");
}

TEST(Decode, BytesAcrossTwoParametersAreNoPointer) {
  // The int at 0 and the padding after it, read as 8 bytes, would be an address.
  std::vector<std::byte> bytes = arguments_of_0(0, 0, 0);
  const std::uint64_t address = address_of_slot(0);
  std::memcpy(&bytes[0], &address, 8);
  const LaunchPlan plan =
      decode(Stream().launch(0, {1, 1, 1}, {1, 1, 1}, bytes).tag(Tag::ended).to.bytes(), small_request(), {});
  EXPECT_TRUE(std::get<Launch>(plan.operations.at(0)).pointers.empty());
}

TEST(Decode, APointerToNoBufferIsRefused) {
  const Stream s =
      Stream().launch(0, {1, 1, 1}, {1, 1, 1}, arguments_of_0(1, address_of_slot(3), 0)).tag(Tag::ended);
  EXPECT_EQ(complaint(s), "a device pointer belongs to no buffer");
}

TEST(Decode, ArgumentsMustHaveTheKernelsSize) {
  const Stream s = Stream().launch(0, {1, 1, 1}, {1, 1, 1}, std::vector<std::byte>(19)).tag(Tag::ended);
  EXPECT_EQ(complaint(s), "a launch passes 19 argument bytes to a kernel with 20");
}

TEST(Decode, KernelsAndVariablesMustExist) {
  EXPECT_EQ(complaint(Stream().launch(3, {1, 1, 1}, {1, 1, 1}, {}).tag(Tag::ended)),
            "the device code has no such kernel");
  EXPECT_EQ(complaint(Stream().attribute(9, 0, 1).tag(Tag::ended)), "the device code has no such kernel");
  EXPECT_EQ(complaint(Stream().variable(1, 3).tag(Tag::ended)), "the device code has no such variable");
  EXPECT_EQ(complaint(Stream().variable(0, 3).variable(0, 4).tag(Tag::ended)), "a variable is named twice");
}

TEST(Decode, AllocationsHaveTheAddressesWeGaveThem) {
  EXPECT_EQ(complaint(Stream().allocate(4, 8).tag(Tag::ended)), "an allocation has a made-up address");
  EXPECT_EQ(complaint(Stream().allocate(0, 8).tag(Tag::ended)), "an allocation has a made-up address");
  EXPECT_EQ(complaint(Stream().allocate(3, 0).tag(Tag::ended)), "an allocation has no bytes");
}

TEST(Decode, FreesAreChecked) {
  EXPECT_EQ(complaint(Stream().free(address_of_slot(2)).tag(Tag::ended)),
            "cudaFree of C, which the launcher did not allocate");
  EXPECT_EQ(
      complaint(Stream().allocate(3, 8).free(address_of_slot(3)).free(address_of_slot(3)).tag(Tag::ended)),
      "cudaFree of scratch 1, which was already freed");
  EXPECT_EQ(complaint(Stream().allocate(3, 8).free(address_of_slot(3) + 4).tag(Tag::ended)),
            "cudaFree of a pointer into the middle of scratch 1");
  EXPECT_EQ(complaint(Stream().free(0x1000).tag(Tag::ended)),
            "a device pointer was expected, and something else was passed");
}

TEST(Decode, CopiesAndFillsStayInsideTheirBuffers) {
  // C has 64 bytes.
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 64).tag(Tag::ended)), "");
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 65).tag(Tag::ended)),
            "cudaMemset reaches outside C (64 bytes)");
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2) - 1, 2).tag(Tag::ended)),
            "cudaMemset reaches outside C (64 bytes)");
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 16, 4, 16).tag(Tag::ended)), "");  // 3 * 16 + 16 = 64
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 16, 4, 17).tag(Tag::ended)),
            "cudaMemset reaches outside C (64 bytes)");
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 16, 4, 15).tag(Tag::ended)),
            "cudaMemset has rows that overlap");
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 0).tag(Tag::ended)), "cudaMemset moves no bytes");
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_EQ(complaint(Stream().set(address_of_slot(2), 16, huge, huge).tag(Tag::ended)),
            "cudaMemset reaches outside C (64 bytes)");
  EXPECT_EQ(complaint(Stream().copy_in(address_of_slot(2) + 60, 5).tag(Tag::ended)),
            "a copy to the device reaches outside C (64 bytes)");
  EXPECT_EQ(complaint(Stream().copy(address_of_slot(2), address_of_slot(0), 33).tag(Tag::ended)),
            "a copy within the device reaches outside A (32 bytes)");
  EXPECT_EQ(
      complaint(Stream().allocate(3, 8).free(address_of_slot(3)).set(address_of_slot(3), 8).tag(Tag::ended)),
      "cudaMemset uses scratch 1 after it was freed");
}

TEST(Decode, EveryCapHolds) {
  Limits two;
  two.operations = two.launches = two.buffers = 2;
  const std::vector<std::byte> arguments = arguments_of_0(1, 0, 0);
  Stream s;
  for (int i = 0; i < 3; ++i) s.set(address_of_slot(2), 4);
  EXPECT_EQ(complaint(s, two), "the launcher does more than 2 operations");
  two.operations = 100;
  Stream launches;
  for (int i = 0; i < 3; ++i) launches.launch(0, {1, 1, 1}, {1, 1, 1}, arguments);
  EXPECT_EQ(complaint(launches, two), "the launcher makes more than 2 launches");
  EXPECT_EQ(complaint(Stream().allocate(3, 1).allocate(4, 1).allocate(5, 1), two),
            "the launcher uses more than 2 allocations and variables");
  Limits few;
  few.scratch_bytes = 100;
  EXPECT_EQ(complaint(Stream().allocate(3, 60).allocate(4, 60), few),
            "the launcher allocates more than 100 bytes at one time");
  EXPECT_EQ(complaint(Stream().allocate(3, 60).free(address_of_slot(3)).allocate(4, 60).tag(Tag::ended), few),
            "");
  // A, B and C have 128 bytes, the scratch memory 100.
  Stream fills;
  for (int i = 0; i < 3; ++i) fills.set(address_of_slot(2), 64);
  EXPECT_EQ(complaint(Stream(fills).tag(Tag::ended), few), "");
  EXPECT_EQ(
      complaint(Stream(fills).copy(address_of_slot(2), address_of_slot(0), 32).set(address_of_slot(2), 5),
                few),
      "the launcher sets and copies more than 228 bytes of device memory");
  Stream rows;
  rows.allocate(3, 1 << 22);
  for (int i = 0; i < 2; ++i) rows.set(address_of_slot(3), 1, 1 << 22, 1);
  EXPECT_EQ(complaint(rows), "the launcher sets and copies more than 4194304 rows of device memory");
  few.threads = 64;
  EXPECT_EQ(complaint(Stream().launch(0, {2, 1, 1}, {32, 1, 1}, arguments).tag(Tag::ended), few), "");
  EXPECT_EQ(complaint(Stream().launch(0, {3, 1, 1}, {32, 1, 1}, arguments).tag(Tag::ended), few),
            "the launches have more than 64 threads together");
  EXPECT_EQ(
      complaint(Stream().launch(0, {0x7fffffff, 65535, 65535}, {1024, 1, 1}, arguments).tag(Tag::ended)),
      "the launches have more than 17179869184 threads together");
  Limits brief;
  brief.plan_bytes = 10;
  EXPECT_EQ(complaint(full_stream(), brief), "the plan is longer than 10 bytes, uploads included");
}

TEST(Decode, ALaunchThatNoGpuStartsIsKeptForTheReplayToReport) {
  const std::vector<std::byte> arguments = arguments_of_0(1, 0, 0);
  const Stream s = Stream()
                       .launch(0, {0, 1, 1}, {32, 1, 1}, arguments)
                       .launch(0, {1, 4000000000, 1}, {1, 1, 1}, arguments);
  EXPECT_EQ(complaint(Stream(s).tag(Tag::ended)), "");
}

TEST(Trace, AFailedLaunchCountsWhileNothingFollows) {
  const std::vector<std::byte> arguments = arguments_of_0(1, 0, 0);
  Stream s = Stream().launch(0, {0, 1, 1}, {32, 1, 1}, arguments).say(Tag::failed_launch, "no blocks");
  EXPECT_EQ(read_trace(s.to.bytes(), small_request(), {}).failed_launch, "no blocks");
  s.launch(0, {1, 1, 1}, {32, 1, 1}, arguments);
  EXPECT_EQ(read_trace(s.to.bytes(), small_request(), {}).failed_launch, std::nullopt);
}

TEST(Trace, NamesTheBufferThatTheHostAccessed) {
  Stream s;
  s.tag(Tag::device_access).to.put(address_of_slot(1) + 4);
  const Trace trace = read_trace(s.to.bytes(), small_request(), {});
  EXPECT_TRUE(trace.device_access);
  EXPECT_EQ(trace.accessed, "B");
}

TEST(Trace, SaysWhereItsRecordsWereMade) {
  const auto from = [](Stream &s, std::initializer_list<std::uint64_t> callers) {
    s.tag(Tag::called_from).to.put(static_cast<std::uint8_t>(callers.size()));
    for (const std::uint64_t caller : callers) s.to.put(caller);
  };
  Stream s;
  s.allocate(3, 8);
  from(s, {11, 12});
  s.free(address_of_slot(3));
  from(s, {13});  // of a record that nothing is said about
  s.say(Tag::refused, "no");
  from(s, {14, 15, 16});
  from(s, {17});
  const Trace trace = read_trace(s.to.bytes(), small_request(), {});
  EXPECT_EQ(trace.allocated_at, (std::map<std::uint32_t, Trace::Callers>{{3, {11, 12}}}));
  EXPECT_EQ(trace.refused_at, (Trace::Callers{14, 15, 16})) << "the first";
}

TEST(Trace, SaysWhereTheFirstFailedLaunchWasMade) {
  const std::vector<std::byte> arguments = arguments_of_0(1, 0, 0);
  Stream s;
  for (const std::uint64_t caller : {11, 12}) {
    s.launch(0, {0, 1, 1}, {32, 1, 1}, arguments).say(Tag::failed_launch, "no blocks");
    s.tag(Tag::called_from).to.put<std::uint8_t>(1);
    s.to.put(caller);
  }
  EXPECT_EQ(read_trace(s.to.bytes(), small_request(), {}).failed_at, (Trace::Callers{11}));
}

TEST(Trace, WithTruncatedAddressesIsRefused) {
  Stream s;
  s.tag(Tag::called_from).to.put<std::uint8_t>(200);
  EXPECT_EQ(complaint(s), "the plan's bytes end inside a record");
}

}  // namespace
}  // namespace warpgrade::plan
