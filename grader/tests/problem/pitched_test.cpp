#include <gtest/gtest.h>

#include "problem/problem.hpp"

namespace warpgrade::problem {
namespace {

const Problem &plain = *find_problem("pitched"), &transposed = *find_problem("pitched_transposed");

Case sizes(std::int64_t n, std::int64_t m, std::int64_t p, std::int64_t pitch) {
  return {{n, m, p, pitch, 1, 1, 32, 1}, {}};
}

/// Multiplies as the text of the assignment says, element by element.
std::vector<run::HostBuffer> multiplied(const Problem &problem, const Case &c, bool other) {
  auto buffers = problem.inputs(c, 7);
  const std::vector<std::int64_t> arguments = problem.arguments(c);
  const auto n = arguments[0], m = arguments[1], p = arguments[2], pitch_a = arguments[3],
             pitch_b = arguments[4], pitch_c = arguments[5];
  const auto b = buffers[0].as<float>(), of_c = buffers[1].as<float>(), a = buffers[2].as<float>();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < p; ++k)
        sum += double{b[i + pitch_b * k]} * double{of_c[other ? j + pitch_c * k : k + pitch_c * j]};
      a[other ? j + pitch_a * i : i + pitch_a * j] = static_cast<float>(sum);
    }
  return buffers;
}

void accepts_its_own_definition(const Problem &problem, const Case &c, bool other) {
  const auto in = problem.inputs(c, 7);
  const Comparison found =
      problem.compare(c, in, problem.reference(c, in), multiplied(problem, c, other), 2e-6);
  EXPECT_EQ(found.wrong, 0u) << problem.case_name(c);
  EXPECT_TRUE(found.changed_inputs.empty()) << problem.case_name(c);
  EXPECT_EQ(found.output, "a");
}

TEST(Pitched, IsTheProductThatItsKernelComputes) {
  accepts_its_own_definition(plain, sizes(5, 7, 3, 0), false);
  accepts_its_own_definition(plain, sizes(5, 7, 3, 11), false);
  accepts_its_own_definition(plain, sizes(9, 2, 4, 6), false);  // a pitch below the rows is the rows
  accepts_its_own_definition(transposed, sizes(5, 7, 3, 0), true);
  accepts_its_own_definition(transposed, sizes(5, 7, 3, 13), true);
}

TEST(Pitched, HasBuffersOfWholeColumns) {
  const auto buffers = plain.buffers(sizes(5, 7, 3, 11));
  EXPECT_EQ(buffers[0].name, "b");
  EXPECT_EQ(buffers[0].bytes, 11 * 3 * sizeof(float));
  EXPECT_EQ(buffers[1].bytes, 11 * 7 * sizeof(float));
  EXPECT_EQ(buffers[2].name, "a");
  EXPECT_EQ(buffers[2].bytes, 11 * 7 * sizeof(float));
  EXPECT_EQ(transposed.buffers(sizes(5, 7, 3, 11))[2].bytes, 11 * 5 * sizeof(float));
}

TEST(Pitched, NamesACaseWithoutTheGeometryOfItsLaunch) {
  EXPECT_EQ(plain.case_name(sizes(64, 64, 64, 0)), "n=m=p=64");
  EXPECT_EQ(plain.case_name({{64, 32, 16, 70, 9, 9, 9, 9}, {}}), "n=64 m=32 p=16 pitch=70");
}

}  // namespace
}  // namespace warpgrade::problem
