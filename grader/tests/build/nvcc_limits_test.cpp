// Source files that starve the compiler. Each must end as a limit or an error, in bounded time, space and
// words.
#include <gtest/gtest.h>

#include "tests/build/workshop.hpp"

namespace warpgrade::build {
namespace {

using tests::launcher;
using tests::Workshop;

TEST(NvccLimits, AnEndlessTemplateIsStoppedAtTheDeadline) {
  Limits limits;
  limits.wall_seconds = 2;
  const Workshop workshop(limits, std::nullopt);
  const std::string text =
      "template <int N, class T> struct X { static constexpr int v = X<N - 1, T *>::v + X<N - 1, T const "
      "*>::v; };\n"
      "template <class T> struct X<0, T> { static constexpr int v = 1; };\n"
      "static_assert(X<24, int>::v > 0);\n" +
      launcher("");
  Build build = workshop.text(text);
  // A machine that gave the compiler less than a second says so, and blames nobody's file.
  for (int tries = 1; tries < 10 && build.reason == Reason::our_failure; ++tries) build = workshop.text(text);
  EXPECT_EQ(build.reason, Reason::limit);
  EXPECT_EQ(build.message, "compiling step0_naive.cu took longer than 2 s");
}

TEST(NvccLimits, AHugeObjectIsStoppedAtTheFileSize) {
  const Workshop workshop({}, std::nullopt);
  const Build build = workshop.text("char big[1200000000] = {1};\n" + launcher("C = (float *)big;"));
  EXPECT_EQ(build.reason, Reason::limit);
  EXPECT_EQ(build.message, "the compiler writes more than 64 MiB for step0_naive.cu");
}

TEST(NvccLimits, HugeDeviceVariablesAreRefused) {
  Limits limits;
  limits.device_variable_bytes = 1 << 20;
  const Workshop workshop(limits);
  const Build build =
      workshop.text("__device__ float big[300000];\n__global__ void k(float *C) { C[0] = big[1]; }\n" +
                    launcher("k<<<1, 1>>>(C);"));
  EXPECT_EQ(build.reason, Reason::limit);
  EXPECT_EQ(build.message, "the device code has more than 1 MiB of variables");
}

TEST(NvccLimits, ALongLogIsCut) {
  Limits limits;
  limits.log_bytes = 4096;
  const Workshop workshop(limits);
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "int x" + std::to_string(i) + " = undefined_name_number_" + std::to_string(i) + ";\n";
  const Build build = workshop.text(text);
  EXPECT_EQ(build.reason, Reason::compile_error);
  EXPECT_LT(build.log.size(), 4200u);
  EXPECT_TRUE(build.log.ends_with("... (the rest is left out)\n"));
}

TEST(NvccLimits, AFileThatIncludesItselfEnds) {
  const Workshop workshop;
  EXPECT_EQ(workshop.text("#include __FILE__\n").reason, Reason::compile_error);
}

TEST(NvccLimits, ALargeSourceIsRefusedUnread) {
  Limits limits;
  limits.source_bytes = 1000;
  const Workshop workshop(limits);
  const Build build = workshop.text(std::string(2000, ' '));
  EXPECT_EQ(build.reason, Reason::limit);
  EXPECT_EQ(build.message, "step0_naive.cu is larger than 1000 bytes");
}

}  // namespace
}  // namespace warpgrade::build
