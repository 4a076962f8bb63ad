// What the compiler at hand makes of tensor core instructions: ptx/sass.cpp knows them by number.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/build/workshop.hpp"

namespace warpgrade::build {
namespace {

using tests::launcher;
using tests::Workshop;

/// A kernel whose only instruction of interest is `assembly`; its operands are r[8], f[4], d[4], s, u.
std::string kernel(const std::string &assembly) {
  return "__global__ void k(int *R, float *F, double *D) {\n"
         "  int r[8]; float f[4]; double d[4];\n"
         "  for (int i = 0; i < 8; i++) r[i] = R[i];\n"
         "  for (int i = 0; i < 4; i++) f[i] = F[i], d[i] = D[i];\n" +
         assembly +
         "  for (int i = 0; i < 8; i++) R[i] = r[i];\n"
         "  for (int i = 0; i < 4; i++) F[i] = f[i], D[i] = d[i];\n"
         "}\n" +
         launcher("k<<<1, 32>>>(nullptr, C, nullptr);");
}

const std::string factors = "\"r\"(r[0]), \"r\"(r[1]), \"r\"(r[2]), \"r\"(r[3]), \"r\"(r[4]), \"r\"(r[5])";
std::string float_mma(const std::string &opcode) {
  return "asm volatile(\"" + opcode +
         " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(f[0]), \"+f\"(f[1]), "
         "\"+f\"(f[2]), \"+f\"(f[3]) : " +
         factors + ");\n";
}
std::string integer_mma(const std::string &opcode) {
  return "int c[4] = {};\nasm volatile(\"" + opcode +
         " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+r\"(c[0]), \"+r\"(c[1]), "
         "\"+r\"(c[2]), \"+r\"(c[3]) : " +
         factors + ");\nr[0] = c[0] + c[1] + c[2] + c[3];\n";
}
const std::string double_mma =
    "asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\" : "
    "\"+d\"(d[0]), \"+d\"(d[1]) : \"d\"(d[2]), \"d\"(d[3]));\n";
const std::string warpgroup_mma =
    "asm volatile(\"wgmma.fence.sync.aligned;\\n"
    "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %4, 1, 1, 1;\\n"
    "wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;\" : \"+f\"(f[0]), \"+f\"(f[1]), "
    "\"+f\"(f[2]), \"+f\"(f[3]) : \"l\"((long long)R));\n";

std::set<std::string> tensor_cores_in(const Build &build) {
  std::set<std::string> names;
  for (const ptx::MachineCode &function : build.machine_code)
    for (const std::uint16_t operation : function.operations)
      if (const auto name = ptx::tensor_core_operation(function.sm, operation); !name.empty())
        names.emplace(name);
  return names;
}

struct Expected {
  std::string sm;
  std::string assembly;
  std::string operation;
};

TEST(MachineCode, HoldsATensorCoreOperationWhereThePtxHasOne) {
  const Workshop workshop;
  const std::string half = float_mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
                    tf32 = float_mma("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
                    bytes = integer_mma("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
  const std::vector<Expected> all = {{"80", half, "HMMA"},       {"90", tf32, "HMMA"},
                                     {"120", tf32, "HMMA"},      {"90", bytes, "IMMA"},
                                     {"90", double_mma, "DMMA"}, {"90a", warpgroup_mma, "HGMMA"}};
  for (const Expected &e : all) {
    std::ofstream(workshop.scratch() / "student.cu") << "#include \"gemm.h\"\n" << kernel(e.assembly);
    Request request = workshop.request(workshop.scratch() / "student.cu");
    if (e.sm.ends_with('a')) request.arch = "compute_" + e.sm;
    request.sass = "sm_" + e.sm;
    const Build build = workshop.front_end.build(request);
    ASSERT_TRUE(build.ok) << build.message << build.log;
    EXPECT_EQ(tensor_cores_in(build), std::set<std::string>{e.operation}) << request.sass;
    EXPECT_FALSE(ptx::tensor_core_uses(build.module).empty()) << request.sass;
  }
}

TEST(MachineCode, OfTwoSolutionsHoldsNone) {
  const Workshop workshop;
  for (const auto &[file, entry] : {std::pair{"step2_shared.cu", "step2"}, {"step3_blocktile.cu", "step3"}})
    for (const char *sass : {"sm_80", "sm_90", "sm_120"}) {
      Request request =
          workshop.request(std::filesystem::path(WARPGRADE_STARTER) / "../../solutions/hw6" / file);
      request.file = file;
      request.entry = entry;
      request.sass = sass;
      const Build build = workshop.front_end.build(request);
      ASSERT_TRUE(build.ok) << build.message << build.log;
      EXPECT_EQ(build.machine_code.size(), 1u);
      EXPECT_TRUE(build.machine_code.at(0).operations.contains(0x023)) << sass;  // FFMA: it was read
      EXPECT_EQ(tensor_cores_in(build), std::set<std::string>{}) << file << " for " << sass;
    }
}

TEST(MachineCode, IsEmptyWhereNoneWasMade) {
  const Workshop workshop;
  EXPECT_TRUE(workshop.text(kernel("")).machine_code.empty());
}

// Machine code made later from the PTX must equal what the compiler makes.
TEST(MachineCode, MadeOfAFinishedBuildIsTheSame) {
  const Workshop workshop;
  Request request =
      workshop.request(std::filesystem::path(WARPGRADE_STARTER) / "../../solutions/hw6/step3_blocktile.cu");
  request.file = "step3_blocktile.cu";
  request.entry = "step3";
  const Build without = workshop.front_end.build(request);
  request.sass = "sm_90";
  const Build at_once = workshop.front_end.build(request);
  ASSERT_TRUE(without.ok && at_once.ok) << without.log << at_once.log;
  ASSERT_TRUE(without.machine_code.empty());
  const Build later = workshop.front_end.with_machine_code(without, "sm_90");
  EXPECT_EQ(later.machine_code, at_once.machine_code);
  EXPECT_EQ(later.registers, at_once.registers);
  EXPECT_EQ(later.machine_code.at(0).registers, later.registers);
  // ptxas says of nearly every instruction which line of the PTX it was made of.
  const auto &instructions = later.machine_code[0].instructions;
  EXPECT_GT(instructions.size(), 500u);
  EXPECT_GT(
      std::count_if(instructions.begin(), instructions.end(), [](const auto &i) { return i.text_line > 0; }),
      static_cast<std::ptrdiff_t>(instructions.size() * 9 / 10));
  EXPECT_EQ(later.spill_bytes, at_once.spill_bytes);
  ASSERT_EQ(later.kernels.size(), 1u);
  EXPECT_EQ(later.kernels[0].registers, at_once.kernels.at(0).registers);
  EXPECT_GT(later.kernels[0].registers, 0u);
  EXPECT_EQ(workshop.front_end.with_machine_code(without, "sm_1").machine_code, without.machine_code);
}

TEST(MachineCode, OfABuildFromTheCacheIsTheSame) {
  const Workshop workshop;
  const Build first = workshop.text(kernel(double_mma), "sm_90"),
              second = workshop.text(kernel(double_mma), "sm_90");
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.machine_code, second.machine_code);
  EXPECT_EQ(tensor_cores_in(second), std::set<std::string>{"DMMA"});
}

}  // namespace
}  // namespace warpgrade::build
