#include "grading/device_code.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpgrade::grading {
namespace {

std::string module(const std::string &kernel, const std::string &array, const std::string &add) {
  return ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry " + kernel + "(.param .u64 " +
         kernel + "_param_0)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n.shared .align 4 .b8 " + array +
         "[128];\nld.param.u64 %rd1, [" + kernel + "_param_0];\nmov.u32 %r1, " + array + ";\n" + add +
         ".s32 %r2, %r1, 4;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
}

std::string hash_of_module(const std::string &text) {
  return hash_without_names(ptx::parse(text));
}

TEST(DeviceCodeHash, IsTheSameWhereOnlyNamesDiffer) {
  const std::string one = hash_of_module(module("_Z3addPi", "part", "add"));
  EXPECT_EQ(one.size(), 16u);
  EXPECT_EQ(one, hash_of_module(module("_Z8togetherPi", "tile", "add")));
  EXPECT_EQ(one, hash_of_module("\n\n" + module("k", "s", "add")));  // other lines
}

TEST(DeviceCodeHash, DiffersWhereInstructionsOrVariablesDo) {
  const std::string one = hash_of_module(module("k", "part", "add"));
  EXPECT_NE(one, hash_of_module(module("k", "part", "sub")));
  std::string larger = module("k", "part", "add");
  larger.replace(larger.find("[128]"), 5, "[256]");
  EXPECT_NE(one, hash_of_module(larger));
}

}  // namespace
}  // namespace warpgrade::grading
