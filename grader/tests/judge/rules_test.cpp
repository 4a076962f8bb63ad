#include "judge/rules.hpp"

#include <gtest/gtest.h>

namespace warpgrade::judge {
namespace {

constexpr const char *plain_kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry _Z1kPf(.param .u64 p)\n{\n.reg .f32 %f<4>;\nfma.rn.f32 %f0, %f1, %f2, %f3;\nret;\n}\n";
constexpr const char *tensor_kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry _Z1kPf(.param .u64 p)\n{\n.reg .f64 %d<4>;\n"
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1},{%d2},{%d3},{%d0,%d1};\nret;\n}\n";

course::Rules no_tensor_cores() {
  course::Rules rules;
  rules.tensor_cores_forbidden = true;
  return rules;
}
std::vector<ptx::MachineCode> machine_code(std::uint16_t operation) {
  return {{"_Z1kPf", 90, {0x023, operation}, 0, {}}};
}

TEST(Rules, TensorCoresAreFoundInThePtx) {
  const auto found = check_code_rules(no_tensor_cores(), ptx::parse(tensor_kernel), {}, {"_Z1kPf"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "tensor cores are not allowed in this step: the code contains mma.sync");
}

TEST(Rules, TensorCoresThatOnlyTheMachineCodeShowsAreFoundThere) {
  const auto found =
      check_code_rules(no_tensor_cores(), ptx::parse(plain_kernel), machine_code(0x03c), {"_Z1kPf"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(
      found[0].message,
      "tensor cores are not allowed in this step: the machine code of k(float*) for sm_90 contains HMMA");
}

TEST(Rules, FindingsOfBothAreReportedOnce) {
  EXPECT_EQ(
      check_code_rules(no_tensor_cores(), ptx::parse(tensor_kernel), machine_code(0x03f), {"_Z1kPf"}).size(),
      1u);
}

TEST(Rules, MachineCodeWithoutTensorCoresBreaksNoRule) {
  EXPECT_TRUE(
      check_code_rules(no_tensor_cores(), ptx::parse(plain_kernel), machine_code(0x024), {"_Z1kPf"}).empty());
}

TEST(Rules, MachineCodeOfAnUnknownGpuIsReportedAsUnchecked) {
  const auto said = remarks(ptx::parse(plain_kernel), {{"_Z1kPf", 130, {}, 0, {}}});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].severity, "info");
  EXPECT_NE(said[0].message.find("sm_130"), std::string::npos);
  EXPECT_TRUE(remarks(ptx::parse(plain_kernel), machine_code(0x024)).empty());
}

TEST(Rules, WhereTensorCoresAreAllowedMachineCodeIsNotChecked) {
  EXPECT_TRUE(check_code_rules({}, ptx::parse(tensor_kernel), machine_code(0x03c), {"_Z1kPf"}).empty());
}

TEST(Rules, AtomicOperationsAreFoundWhateverMemoryTheyAreOn) {
  course::Rules rules;
  rules.atomics_forbidden = true;
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry _Z1kPf(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n";
  for (const char *opcode : {"red.global.add.u32", "atom.shared.add.u32", "atom.add.u32"}) {
    const std::string instruction =
        std::string(opcode) + (opcode[0] == 'a' ? " %r1, [%rd1], %r2;\n" : " [%rd1], %r2;\n");
    const auto found = check_code_rules(rules, ptx::parse(head + instruction + "ret;\n}\n"), {}, {"_Z1kPf"});
    ASSERT_EQ(found.size(), 1u) << opcode;
    EXPECT_EQ(found[0].message,
              "atomic operations are not allowed in this step: the code contains " + std::string(opcode));
    EXPECT_TRUE(check_code_rules({}, ptx::parse(head + instruction + "ret;\n}\n"), {}, {"_Z1kPf"}).empty());
  }
  EXPECT_TRUE(check_code_rules(rules, ptx::parse(plain_kernel), {}, {"_Z1kPf"}).empty());
}

TEST(RefusedByNvcc, IsALambdaThatIsNotMarkedAndAConstexprArrayOfTheHost) {
  const std::string head = ".version 7.1\n.target sm_80\n.address_size 64\n";
  const ptx::Module lambda =
      ptx::parse(head + ".visible .entry _Z3runIZ1fPiEUliE_EvT_S0_(.param .u64 p)\n{\nret;\n}\n");
  ASSERT_EQ(refused_by_nvcc(lambda, "run<<<1, 1>>>([](int i) { return i; });").size(), 1u);
  EXPECT_EQ(refused_by_nvcc(lambda, "[](int) {}; __device__ int f();")[0].severity, "warning");
  for (const char *marked : {"[=] __device__ (int i) {}", "[&]\n  __host__  __device__(int i) {}"})
    EXPECT_TRUE(refused_by_nvcc(lambda, marked).empty()) << marked;
  EXPECT_TRUE(refused_by_nvcc(ptx::parse(plain_kernel), "").empty());

  const ptx::Module array =
      ptx::parse(head +
                 ".global .align 4 .b8 _ZL4carr_$_const[8] = {1, 0, 0, 0, 2, 0, 0, 0};\n"
                 ".global .align 4 .b8 __const_$__Z1kPii_$_loc[8] = {9, 0, 0, 0, 8, 0, 0, 0};\n"
                 ".visible .entry _Z1kPf(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, "
                 "_ZL4carr_$_const;\nret;\n}\n");
  ASSERT_EQ(refused_by_nvcc(array, "").size(), 1u) << "an array of the kernel's own is fine";
  EXPECT_NE(refused_by_nvcc(array, "")[0].message.find("array carr of the host"), std::string::npos);
}

plan::Launch launch(const std::string &kernel, std::uint32_t blocks, std::uint32_t threads) {
  plan::Launch l;
  l.kernel = kernel;
  l.grid = {blocks, 1, 1};
  l.block = {threads, 1, 1};
  return l;
}

TEST(Workers, AreTheThreadsOfAllLaunches) {
  plan::LaunchPlan plan;
  for (int strip = 0; strip < 16; ++strip) plan.operations.emplace_back(launch("multiply", 2, 32));
  EXPECT_EQ(workers_of(plan, std::vector<std::uint64_t>(16, 100), 1600).threads, 16 * 64);
  EXPECT_EQ(workers_of(plan, {}, 1600).threads, 16 * 64) << "also where flops are not known";
}

TEST(Workers, AreNotTheThreadsOfANearlyIdleKernel) {
  plan::LaunchPlan plan;
  plan.operations = {launch("scale", 100, 32), launch("multiply", 2, 32)};
  const Workers w = workers_of(plan, {20, 1000}, 1000);
  EXPECT_EQ(w.threads, 64);
  EXPECT_EQ(w.idle, std::set<std::string>{"scale"});
}

TEST(Workers, IdleArithmeticInOneKernelMakesNoHelperOfAnother) {
  plan::LaunchPlan plan;
  plan.operations = {launch("multiply", 100, 32), launch("idle", 1, 32)};
  EXPECT_EQ(workers_of(plan, {1000, 1'000'000}, 1000).threads, 101 * 32);
}

TEST(Workers, ManySmallKernelsAreNotAllHelpers) {
  plan::LaunchPlan plan;
  for (int part = 0; part < 100; ++part)
    plan.operations.emplace_back(launch("part" + std::to_string(part), 1, 32));
  EXPECT_EQ(workers_of(plan, std::vector<std::uint64_t>(100, 10), 1000).threads, 95 * 32)
      << "a twentieth of the work and no more";
}

TEST(Rules, SharedMemoryIsUsedWhereTilesGoThroughIt) {
  course::Rules rules;
  rules.shared_memory = course::Permission::required;
  simt::Counters counted;
  counted.shared_load.bytes = 1000;
  EXPECT_TRUE(check_shared_traffic(rules, counted, 1000, "m=n=k=256").empty());
  const auto found = check_shared_traffic(rules, counted, 1001, "m=n=k=256");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(
      found[0].message,
      "this step must use shared memory; at m=n=k=256 the kernels read 1000 bytes from it, but the tiles "
      "of the problem need at least 1001");
  EXPECT_TRUE(check_shared_traffic({}, {}, 1000, "").empty()) << "where it is not required";
}

TEST(Rules, ConstantMemoryThatIsFilledFromTheDeviceIsNoPlaceForTiles) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 rows[1024];\n"
      ".global .align 4 .b8 table[1024];\n.visible .entry k()\n{\nret;\n}\n");
  course::Rules rules;
  rules.shared_memory = course::Permission::forbidden;
  const auto check = [&](const std::string &variable, const plan::Operation &operation) {
    plan::LaunchPlan plan;
    plan.buffers = {{plan::Owner::judge, "A", 4096}, {plan::Owner::module, variable, 1024}};
    plan.operations = {operation, launch("k", 1, 32)};
    return check_plan_rules(rules, module, plan);
  };
  const plan::CopyWithin copy{{1, 0}, {0, 0}, 1024, 1, 0, 0};
  ASSERT_EQ(check("rows", copy).size(), 1u);
  EXPECT_EQ(check("rows", copy)[0].message,
            "rows in constant memory is filled from device memory; in this step tiles are not allowed");
  EXPECT_TRUE(check("table", copy).empty()) << "a __device__ variable is counted";
  EXPECT_TRUE(check("rows", plan::CopyIn{{1, 0}, {}}).empty()) << "the host knows no element of A";
  plan::Launch with_pointer = launch("k", 1, 32);
  with_pointer.pointers = {{0, {1, 0}}};
  EXPECT_EQ(check("rows", with_pointer).size(), 1u) << "a kernel may write through it";
}

}  // namespace
}  // namespace warpgrade::judge
