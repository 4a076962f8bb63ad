// The kernels of problem.cu on a GPU: they draw the numbers of problem.cpp and judge as it does.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "gpu/array_device.hpp"
#include "gpu/shared_library.hpp"
#include "problem/problem.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/problem/on_device_cases.hpp"

namespace warpgrade::gpu {
namespace {

/// It may have been built elsewhere: the course is then where it is started.
std::vector<problem::OnDeviceTest> tests_here() {
  const SharedLibrary library({.called = "the kernels of problems",
                               .file = "libwarpgrade_problems",
                               .endings = {".so"},
                               .many = true},
                              and_beside_the_program(machine().options.library_directories));
  problem::ProblemIsThere *is_there = nullptr;
  library.find(is_there, problem::problem_is_there);
  const bool here = std::filesystem::exists(WARPGRADE_ASSIGNMENTS);
  return problem::on_device_tests(here ? WARPGRADE_ASSIGNMENTS : "assignments",
                                  [&](const std::string &name) { return is_there(name.c_str()) == 1; });
}

class OnDevice : public ::testing::TestWithParam<problem::OnDeviceTest> {};

TEST_P(OnDevice, TheNumbersAreDrawnAndOnlyARightResultIsAccepted) {
  const problem::Problem &p = *problem::find_problem(GetParam().problem);
  const problem::Case c = problem::parse_case(p, GetParam().size);
  const problem::OnDeviceCase size = p.on_device(c).value();
  const Context context = Context::create(machine().options.driver_library, machine().device.index);
  ArrayDevice device(context, machine().options.library_directories, GetParam().problem, size,
                     std::vector<CUdevice>(size.arrays, context.device));
  device.deal(5, 1);
  const std::vector<run::HostBuffer> inputs = p.inputs(c, 5);
  const problem::Reference ref = p.reference(c, inputs);
  std::size_t at = 0;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<DeviceSpan> left;
  for (std::uint32_t a = 0; a < size.arrays; ++a) {
    std::vector<std::byte> bytes(device.bytes(a));
    const auto copy = [&](CUresult result) { context.driver.check(result, "copying"); };
    if (!bytes.empty())
      copy(context.driver.copy_out(bytes.data(), device.dealt()[a].at, bytes.size(), context.stream));
    context.driver.check(context.driver.stream_synchronize(context.stream), "copying");
    EXPECT_EQ(bytes, inputs[a].bytes) << inputs[a].name;
    const auto type = static_cast<problem::Type>(size.types[a]);
    for (std::uint64_t i = 0; size.is_output[a] != 0 && i < size.elements[a]; ++i, ++at) {
      const std::uint64_t bits = problem::encode(type, ref.want[at]);
      std::memcpy(bytes.data() + i * problem::bytes_of(type), &bits, problem::bytes_of(type));
    }
    memory.push_back(std::make_unique<DeviceMemory>(context));
    memory.back()->reserve(bytes.size() + 1);
    if (!bytes.empty())
      copy(context.driver.copy_in(memory.back()->at(), bytes.data(), bytes.size(), context.stream));
    context.driver.check(context.driver.stream_synchronize(context.stream), "copying");
    left.push_back({memory.back()->at(), bytes.size()});
  }
  const problem::Looked fine = device.look_at(left, 6e-8);
  EXPECT_EQ(fine.wrong, 0u) << p.element_name(c, fine.wrong_array, fine.element) << " is " << fine.got
                            << ", should be " << fine.want;
  EXPECT_EQ(fine.changed, 0u);
  EXPECT_EQ(fine.checked, p.outputs(c));
  const std::uint32_t last = size.arrays - 1;
  if (device.bytes(last) == 0) return;
  context.driver.check(
      context.driver.set_bytes(left[last].at + left[last].bytes - 1, 0x7f, 1, context.stream),
      "spoiling an element");
  const problem::Looked spoiled = device.look_at(left, 6e-8);
  EXPECT_EQ(spoiled.wrong, 1u);
  EXPECT_EQ(spoiled.wrong_array, last);
  EXPECT_EQ(spoiled.element, size.elements[last] - 1);
}

INSTANTIATE_TEST_SUITE_P(Problems, OnDevice, ::testing::ValuesIn(tests_here()));

}  // namespace
}  // namespace warpgrade::gpu
