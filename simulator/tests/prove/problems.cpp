#include "problems.hpp"

#include "ptx/module.hpp"

namespace warpgrade::prove {

Problem problem_with(const std::string &body, ptx::Module &module) {
  module = ptx::parse(
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
      ".reg .pred %p<20>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<20>;\n.shared .align 4 .b8 "
      "s[128];\n"
      "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
      "mad.lo.s32 %r3, %r2, 32, %r1;\nsetp.ge.s32 %p0, %r3, %r0;\n" +
      body + "END:\nret;\n}\n");
  Problem problem;
  problem.module = &module;
  problem.kernel = "k";
  problem.sizes = {"n"};
  problem.grid = {"ceil_div(n, 32)", "1", "1"};
  problem.block = {"32", "1", "1"};
  problem.buffers = {{"a", {"n"}, 4, true}};
  problem.arguments = {{Argument::Kind::pointer, "0", "a"}, {Argument::Kind::integer, "n", ""}};
  problem.assumptions = {"n >= 1"};
  return problem;
}

Problem one_block_with(const std::string &body, ptx::Module &module) {
  Problem problem = problem_with("mul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd0, %rd1;\n" + body, module);
  problem.grid = {"1", "1", "1"};
  problem.buffers = {{"a", {"32"}, 4, true}};
  return problem;
}

Problem problem_of(const std::string &parameters, const std::string &body, ptx::Module &module) {
  module = ptx::parse(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(" + parameters +
                      ")\n{\n.reg .pred %p<20>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<20>;\n" +
                      body + "END:\nret;\n}\n");
  Problem problem;
  problem.module = &module;
  problem.kernel = "k";
  return problem;
}

}  // namespace warpgrade::prove
