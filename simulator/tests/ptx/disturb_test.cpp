#include "ptx/disturb.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::ptx {
namespace {

/// Thread t stores x[t] to shared memory, reads it back through `load`, and stores it to y[t].
std::string through_shared(const std::string &load) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 x, .param .u64 y)\n{\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .f32 %f<6>;\n.reg .b64 %rd<10>;\n.shared .align 4 .b8 "
         "tile[128];\n"
         "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n"
         "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"
         "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"
         "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
         "mov.u64 %rd6, tile;\nadd.s64 %rd7, %rd6, %rd3;\n"
         "cvta.shared.u64 %rd8, %rd7;\ncvta.global.u64 %rd9, %rd4;\n"
         "ld.global.f32 %f1, [%rd4];\nst.shared.f32 [%rd7], %f1;\n" +
         load + "\nst.global.f32 [%rd5], %f2;\nret;\n}\n";
}

std::vector<float> run(const Module &module) {
  simt::Device device;
  device.load(std::make_shared<const simt::DeviceCode>(module));
  std::vector<float> x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f + static_cast<float>(i) / 64;
  const simt::Address from = device.allocate(128, "x"), to = device.allocate(128, "y");
  device.write(from, std::as_bytes(std::span(x)));
  simt::Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
  std::memcpy(launch.arguments.data(), &from, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  const simt::LaunchResult result = device.launch(launch);
  EXPECT_EQ(result.status, simt::Status::completed)
      << (result.diagnostics.empty() ? "" : result.diagnostics.back().message);
  std::vector<float> y(32);
  device.read(to, std::as_writable_bytes(std::span(y)));
  return y;
}

void expect_disturbed(const std::string &load, bool disturbed) {
  const Module module = parse(through_shared(load));
  const std::vector<float> before = run(module), after = run(with_disturbed_shared_loads(module));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i], 1.0f + static_cast<float>(i) / 64) << load;
    EXPECT_EQ(after[i] != before[i], disturbed) << load;
  }
}

TEST(Disturbed, NumbersFromSharedMemoryChange) {
  expect_disturbed("ld.shared.f32 %f2, [%rd7];", true);
  expect_disturbed("ld.volatile.shared.f32 %f2, [%rd7];", true);
}

TEST(Disturbed, AGenericLoadIsCheckedForItsSpace) {
  expect_disturbed("ld.f32 %f2, [%rd8];", true);
  expect_disturbed("ld.f32 %f2, [%rd9];", false);
}

TEST(Disturbed, NumbersFromOtherMemoryStay) {
  expect_disturbed("ld.global.f32 %f2, [%rd4];", false);
}

/// The same word by ldmatrix: lane l gives the address of row l % 8 and receives word l.
std::string by_matrix(const std::string &space, const std::string &address) {
  return "and.b32 %r2, %r1, 7;\nmul.wide.u32 %rd3, %r2, 16;\nadd.s64 %rd7, %rd6, %rd3;\n"
         "cvta.shared.u64 %rd8, %rd7;\nbar.warp.sync 0xffffffff;\n"
         "ldmatrix.sync.aligned.m8n8.x1" +
         space + ".b16 {%r3}, [" + address + "];\nmov.b32 %f2, %r3;";
}

TEST(Disturbed, MatricesForTensorCoresChange) {
  expect_disturbed(by_matrix(".shared", "%rd7"), true);
  expect_disturbed(by_matrix("", "%rd8"), true);
}

TEST(Disturbed, BranchesLeadToWhereTheyDid) {
  expect_disturbed(
      "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra there;\nmov.f32 %f2, 0f00000000;\nbra done;\n"
      "there:\nld.shared.f32 %f2, [%rd7];\ndone:",
      true);
}

TEST(WithoutAccesses, LoadsGiveZerosAndStoresDoNothing) {
  const Module module = parse(through_shared(
      "bra there;\nmov.f32 %f2, 0f00000000;\nthere:\nld.shared.f32 %f2, [%rd7];\nbra done;\nret;\ndone:"));
  const std::vector<Place> all = memory_accesses(module);
  ASSERT_EQ(all.size(), 4u) << "x, to the tile, from the tile, y; parameters are not memory that is counted";
  for (const float y : run(without_accesses(module, {all[0]}))) EXPECT_EQ(y, 0);
  for (const float y : run(without_accesses(module, {all[0], all[2]}))) EXPECT_EQ(y, 0);
  EXPECT_EQ(run(without_accesses(module, {})), run(module));
  EXPECT_EQ(memory_accesses(without_accesses(module, {all[3], all[0]})).size(), 2u);
}

TEST(WithoutAccesses, MatricesForTensorCoresAreZerosToo) {
  const Module module = parse(through_shared(by_matrix(".shared", "%rd7")));
  const std::vector<Place> all = memory_accesses(module);
  ASSERT_EQ(all.size(), 4u);
  for (const float y : run(without_accesses(module, {all[2]}))) EXPECT_EQ(y, 0);
}

/// The product of a warp whose factors are 1 in half precision, and whose sums begin with 5.
TEST(WithoutAccesses, ProductsOnTensorCoresGiveZeros) {
  const Module module = parse(through_shared(
      "mov.b32 %r2, 0x3C003C00;\nmov.f32 %f2, 0f40A00000;\nbar.warp.sync 0xffffffff;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r2,%r2,%r2,%r2}, {%r2,%r2}, "
      "{%f2,%f2,%f2,%f2};"));
  const std::vector<Place> all = tensor_products(module);
  ASSERT_EQ(all.size(), 1u);
  for (const float y : run(module)) EXPECT_EQ(y, 21);
  for (const float y : run(without_accesses(module, all))) EXPECT_EQ(y, 0);
  EXPECT_TRUE(tensor_products(without_accesses(module, all)).empty());
}

}  // namespace
}  // namespace warpgrade::ptx
