// Damaged PTX must end in an exception or in a launch that ends: never in a crash or a hang.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "machine/device.hpp"

namespace warpgrade {
namespace {

std::string text_of(const std::string &name) {
  std::ifstream file(std::string(WARPGRADE_SIMT_TESTS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Parses, and launches whatever kernels there are.
void use(const std::string &text) {
  std::shared_ptr<const ptx::Module> module;
  try {
    module = std::make_shared<const ptx::Module>(ptx::parse(text));
  } catch (const ptx::ParseError &) {
    return;
  }
  simt::Options options;
  options.instruction_budget = 20'000;
  simt::Device device(options);
  try {
    device.load(module);
  } catch (const simt::OutOfMemory &) {
    return;
  }
  const simt::Address memory = device.allocate(1 << 16, "memory", true);
  for (const ptx::KernelFacts &kernel : module->kernels) {
    simt::Launch launch{kernel.name, {1, 1, 1}, {64, 1, 1}, 0, std::vector<std::byte>(kernel.argument_bytes)};
    for (const ptx::Parameter &parameter : kernel.parameters)
      for (std::uint32_t i = 0; i < parameter.size && parameter.offset + i < launch.arguments.size(); ++i)
        launch.arguments[parameter.offset + i] =
            static_cast<std::byte>(parameter.size == 8 && i < 8 ? memory >> 8 * i
                                   : i == 0                     ? 16
                                                                : 0);
    device.launch(launch);
  }
}

TEST(Hostile, TruncatedPtxIsRefusedOrHarmless) {
  const std::string text = text_of("ptx/sgemm.ptx");
  for (std::size_t size = 0; size < text.size(); size += 101) use(text.substr(0, size));
}

TEST(Hostile, DamagedPtxIsRefusedOrHarmless) {
  const std::string text = text_of("ptx/sgemm.ptx").substr(0, 30'000);
  const std::size_t end = text.rfind("\n}\n");
  const std::string whole = text.substr(0, end + 3);
  std::uint64_t state = 99;
  const auto random = [&state] {
    return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33;
  };
  const std::string alphabet = "%$.{}()[];,0123456789abrdfpu32 64x-+@!\"<>";
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % damaged.size();
      if (round % 3 == 0)
        damaged.erase(at, random() % 20);
      else if (round % 3 == 1)
        damaged[at] = alphabet[random() % alphabet.size()];
      else
        damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 60));
    }
    use(damaged);
  }
}

TEST(Hostile, HugeNumbersDoNotAllocate) {
  const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";
  use(header + ".entry k() { .reg .b32 %r<1048576>; mov.u32 %r1048575, 1; ret; }");
  EXPECT_THROW(ptx::parse(header + ".entry k() { .reg .b32 %r<999999999>; ret; }"), ptx::ParseError);
  EXPECT_THROW(ptx::parse(header + ".entry k(.param .b8 a[999999999]) { ret; }"), ptx::ParseError);
  EXPECT_THROW(ptx::parse(header + ".global .b8 a[99999999999999];"), ptx::ParseError);
  use(header + ".entry k() { .local .b8 depot[4000000000]; ret; }");
  use(header + ".shared .b8 s[4000000000];\n.entry k() { .reg .b32 %r<2>; mov.u32 %r1, s; ret; }");
  EXPECT_THROW(ptx::parse(header + ".entry k() { " + std::string(100'000, '{')), ptx::ParseError);
  EXPECT_THROW(ptx::parse(header + ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, " + std::string(100'000, '{')),
               ptx::ParseError);
  EXPECT_THROW(ptx::parse(header + ".global .b8 a[4] = " + std::string(100'000, '{')), ptx::ParseError);
}

TEST(Hostile, EndlessRecursionIsAnErrorNotEndless) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.func f();\n.func f() { call f; ret; }\n.entry k() { "
      "call f; ret; }\n";
  simt::Device device;
  device.load(std::make_shared<const ptx::Module>(ptx::parse(text)));
  EXPECT_EQ(device.launch({"k", {}, {}, 0, {}}).status, simt::Status::fault);
}

}  // namespace
}  // namespace warpgrade
