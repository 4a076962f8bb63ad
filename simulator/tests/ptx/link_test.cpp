#include <gtest/gtest.h>

#include "ptx/module.hpp"

namespace warpgrade::ptx {
namespace {

const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module linked(const std::string &first, const std::string &second) {
  std::vector<Module> parts;
  parts.push_back(parse(header + first));
  parts.push_back(parse(header + second));
  return link(std::move(parts));
}

std::string callee(const Module &module, const std::string &function) {
  const Function *from = find_function(module, function);
  if (!from) return "there is no such function";
  for (const Instruction &instruction : from->instructions)
    if (instruction.opcode.starts_with("call"))
      for (const Operand &operand : instruction.operands)
        if (operand.kind == Operand::Kind::symbol) return operand.name;
  return "it calls nothing";
}

TEST(Link, ADeclarationMeetsTheDefinitionOfAnotherFileInWhicheverOrderTheyCome) {
  const std::string declares =
      ".extern .func helper();\n.extern .const .align 4 .u32 shift;\n.visible .entry k() { call helper; ret; "
      "}\n";
  const std::string defines = ".visible .const .align 4 .u32 shift = 7;\n.visible .func helper() { ret; }\n";
  for (const Module &module : {linked(declares, defines), linked(defines, declares)}) {
    EXPECT_EQ(module.functions.size(), 2u);
    EXPECT_TRUE(find_function(module, "helper")->defined);
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_FALSE(module.variables[0].external);
    EXPECT_EQ(module.variables[0].initial.size(), 4u);
  }
}

TEST(Link, InternalNamesOfTwoFilesStayApart) {
  const std::string text = ".global .align 4 .u32 state = 1;\n.func helper() { ret; }\n";
  const Module module =
      linked(text + ".visible .entry first() { call helper; ret; }\n",
             ".global .align 4 .u32 state = 2;\n.func helper() { ret; }\n"
             ".visible .entry second() { .reg .b64 %rd<2>; mov.u64 %rd1, state; call helper; ret; }\n");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[0].name, "state");
  EXPECT_EQ(module.variables[1].name, "state.2");
  EXPECT_EQ(callee(module, "first"), "helper");
  EXPECT_EQ(callee(module, "second"), "helper.2");
  EXPECT_EQ(find_function(module, "second")->instructions.at(0).operands.at(1).name, "state.2");
}

TEST(Link, OfTwoWeakDefinitionsOneIsKept) {
  const std::string weak = ".weak .func helper() { ret; }\n";
  const Module module = linked(weak + ".visible .entry first() { call helper; ret; }\n",
                               weak + ".visible .entry second() { call helper; ret; }\n");
  EXPECT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(callee(module, "second"), "helper");
}

TEST(Link, LinesAreThoseOfTheFileTheyCameFrom) {
  const Module module =
      linked(".file 1 \"/home/student/a.cu\"\n.visible .entry first() { .loc 1 10 0\n ret; }\n",
             ".file 1 \"/home/student/b.cu\"\n.visible .entry second() { .loc 1 20 0\n ret; }\n");
  EXPECT_EQ(find_kernel(module, "first")->file, "a.cu");
  EXPECT_EQ(find_kernel(module, "second")->file, "b.cu");
  EXPECT_EQ(find_kernel(module, "second")->line, 20);
}

TEST(Link, AKernelIncludesTheSharedBytesOfCalleesInOtherFiles) {
  const Module module = linked(".extern .func helper();\n.visible .entry k() { call helper; ret; }\n",
                               ".visible .func helper() { .shared .align 4 .b8 tile[128]; .reg .b64 %rd<2>; "
                               "mov.u64 %rd1, tile; ret; }\n");
  EXPECT_EQ(find_kernel(module, "k")->static_shared_bytes, 128u);
}

}  // namespace
}  // namespace warpgrade::ptx
