// The problem.cu of all assignments, compiled for the host: they draw the numbers of problem.cpp and judge as
// it does. test_gpu repeats this on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "problem/problem.hpp"
#include "tests/places.hpp"
#include "tests/problem/on_device_cases.hpp"

extern "C" {
warpgrade::problem::ProblemIsThere warpgrade_problem_is_there;
warpgrade::problem::ProblemDeals warpgrade_problem_deals;
warpgrade::problem::ProblemLooks warpgrade_problem_looks;
}

namespace warpgrade::problem {
namespace {

std::vector<OnDeviceTest> tests_here() {
  return on_device_tests(place::assignments, [](const std::string &name) {
    return warpgrade_problem_is_there(name.c_str()) == 1;
  });
}

std::vector<void *> pointers(std::vector<run::HostBuffer> &buffers) {
  std::vector<void *> all;
  for (run::HostBuffer &buffer : buffers) all.push_back(buffer.bytes.data());
  return all;
}

/// A case with its inputs, and outputs that are right.
struct Judged {
  explicit Judged(const OnDeviceTest &test)
      : p(*find_problem(test.problem)),
        c(parse_case(p, test.size)),
        on_device(p.on_device(c).value()),
        inputs(p.inputs(c, 5)),
        right(with(p.reference(c, inputs))) {}

  /// The buffers with these outputs, each rounded to its type.
  std::vector<run::HostBuffer> with(const Reference &ref) const {
    std::vector<run::HostBuffer> made = inputs;
    std::size_t at = 0;
    for (std::uint32_t a = 0; a < on_device.arrays; ++a)
      for (std::uint64_t i = 0; on_device.is_output[a] != 0 && i < on_device.elements[a]; ++i, ++at) {
        const auto type = static_cast<Type>(on_device.types[a]);
        const std::uint64_t bits = encode(type, ref.want[at]);
        std::memcpy(made[a].bytes.data() + i * bytes_of(type), &bits, bytes_of(type));
      }
    return made;
  }
  Looked look(std::vector<run::HostBuffer> after) {
    Looked looked;
    EXPECT_EQ(warpgrade_problem_looks(p.name().data(), &on_device, pointers(inputs).data(),
                                      pointers(after).data(), 6e-8, &looked, nullptr),
              0);
    return looked;
  }

  const Problem &p;
  Case c;
  OnDeviceCase on_device;
  std::vector<run::HostBuffer> inputs, right;
};

class OnDevice : public ::testing::TestWithParam<OnDeviceTest> {};

TEST_P(OnDevice, TheSameNumbersAreDrawn) {
  Judged judged(GetParam());
  std::vector<run::HostBuffer> dealt = judged.inputs;
  for (run::HostBuffer &buffer : dealt) std::ranges::fill(buffer.bytes, std::byte{0xff});
  ASSERT_EQ(warpgrade_problem_deals(GetParam().problem.c_str(), &judged.on_device, 5, pointers(dealt).data(),
                                    nullptr),
            0);
  for (std::size_t a = 0; a < dealt.size(); ++a)
    EXPECT_EQ(dealt[a].bytes, judged.inputs[a].bytes) << dealt[a].name;
}

TEST_P(OnDevice, ARightResultIsAcceptedAndEachWrongElementIsFound) {
  Judged judged(GetParam());
  const Looked fine = judged.look(judged.right);
  EXPECT_EQ(fine.wrong, 0u) << judged.p.element_name(judged.c, fine.wrong_array, fine.element) << " is "
                            << fine.got << ", should be " << fine.want;
  EXPECT_EQ(fine.changed, 0u);
  EXPECT_EQ(fine.checked, judged.p.outputs(judged.c));
  for (std::uint32_t a = 0; a < judged.on_device.arrays; ++a) {
    const std::uint64_t elements = judged.on_device.elements[a];
    const std::size_t bytes = bytes_of(static_cast<Type>(judged.on_device.types[a]));
    for (const std::uint64_t i : {std::uint64_t{0}, elements / 2, elements - 1}) {
      if (elements == 0) continue;
      auto spoiled = judged.right;
      spoiled[a].bytes[i * bytes + bytes - 1] ^= std::byte{0x40};  // a large number, or another whole one
      const Looked found = judged.look(spoiled);
      const bool output = judged.on_device.is_output[a] != 0;
      EXPECT_EQ(found.wrong, output ? 1u : 0u) << a;
      EXPECT_EQ(found.changed, output ? 0u : 1u) << a;
      if (output) {
        EXPECT_EQ(found.wrong_array, a);
        EXPECT_EQ(found.element, i);
      } else {
        EXPECT_EQ(found.changed_array, a);
      }
    }
  }
}

/// A little inside of the bound, and a little outside.
TEST_P(OnDevice, TheBoundIsThatOfTheHost) {
  Judged judged(GetParam());
  const Reference ref = judged.p.reference(judged.c, judged.inputs);
  Reference inside = ref, outside = ref;
  bool floats = false;
  for (std::size_t i = 0; i < ref.want.size(); ++i) {
    inside.want[i] += 0.5 * 6e-8 * ref.scale[i];
    outside.want[i] += 2 * 6e-8 * ref.scale[i];
    floats |= ref.scale[i] > 0;
  }
  const auto wrong = [&](const Reference &one) {
    const auto outputs = judged.with(one);
    const Looked looked = judged.look(outputs);
    EXPECT_EQ(looked.wrong, judged.p.compare(judged.c, judged.inputs, ref, outputs, 6e-8).wrong);
    return looked.wrong;
  };
  wrong(inside);
  EXPECT_EQ(wrong(outside) > 0, floats);
}

INSTANTIATE_TEST_SUITE_P(Problems, OnDevice, ::testing::ValuesIn(tests_here()), [](const auto &of) {
  std::string name = of.param.problem + "_" + of.param.size;
  std::ranges::replace_if(
      name, [](char x) { return std::isalnum(static_cast<unsigned char>(x)) == 0; }, '_');
  return name;
});

TEST(OnDeviceProblems, AnUnknownProblemIsNotFound) {
  EXPECT_EQ(warpgrade_problem_is_there("scan"), 1);
  EXPECT_EQ(warpgrade_problem_is_there("no_such_problem"), 0);
  const OnDeviceCase none;
  Looked looked;
  EXPECT_NE(warpgrade_problem_deals("no_such_problem", &none, 1, nullptr, nullptr), 0);
  EXPECT_NE(warpgrade_problem_looks("no_such_problem", &none, nullptr, nullptr, 1, &looked, nullptr), 0);
}

TEST(OnDeviceProblems, EveryProblemWithKernelsIsTriedHere) {
  const std::vector<OnDeviceTest> tests = tests_here();
  for (const std::string &name : problem_names()) {
    const bool tried = std::ranges::any_of(tests, [&](const auto &t) { return name == t.problem; });
    EXPECT_EQ(tried, warpgrade_problem_is_there(name.c_str()) == 1) << name;
  }
}

}  // namespace
}  // namespace warpgrade::problem
