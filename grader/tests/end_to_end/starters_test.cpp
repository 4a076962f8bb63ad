// What students get before they have written a line: of every assignment, with every compiler there is here.
#include <gtest/gtest.h>

#include "setup/tools.hpp"
#include "tests/end_to_end/bench.hpp"

namespace warpgrade {
namespace {

struct Case {
  std::string assignment;
  build::Toolchain compiler;
};
void PrintTo(const Case &c, std::ostream *out) {
  *out << c.assignment << " with " << name_of(c.compiler);
}

std::vector<Case> every_assignment_with_every_compiler() {
  std::vector<Case> all;
  for (const std::string &name : assignment_names(root)) {
#ifdef WARPGRADE_CLANG
    all.push_back({name, build::Toolchain::clang});
#endif
    if (Tools::has_worker_for_nvcc()) all.push_back({name, build::Toolchain::nvcc});
  }
  return all;
}

class Starter : public ::testing::TestWithParam<Case> {};

TEST_P(Starter, IsWorthNothingAndCompilesWithoutAWarning) {
  Bench bench(GetParam().assignment, GetParam().compiler);
  const grading::SubmissionRecord record = bench.grade(root / "starter" / GetParam().assignment, true);
  const score::Score score = bench.score(record);
  const course::Assignment a = course::read_assignment(root / "assignments" / GetParam().assignment);
  for (std::size_t i = 0; i < record.steps.size(); ++i) {
    const grading::StepRecord &s = record.steps[i];
    // A step beyond the course has no starter file and no points.
    const bool beyond = score.steps[i].max_points == 0;
    EXPECT_EQ(s.build.log, "") << s.id;
    if (a.find_step(s.id)->hunt) {
      // It shows its fault, and has no answers yet.
      for (const judge::CaseVerdict &answer : s.answers)
        EXPECT_EQ(answer.verdict, judge::Verdict::not_implemented) << s.id << ": " << answer.reason;
      EXPECT_EQ(s.answers.size(), 2u) << s.id;
      continue;
    }
    EXPECT_EQ(s.verdict, beyond ? judge::Verdict::missing : judge::Verdict::not_implemented)
        << s.id << ": " << s.reason;
    EXPECT_EQ(s.findings.size(), 0u) << s.id << ": " << s.findings.front().message;
  }
  EXPECT_EQ(score.points, 0);
  EXPECT_EQ(score.ungraded_points, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Starter, ::testing::ValuesIn(every_assignment_with_every_compiler()),
                         [](const auto &c) {
                           return c.param.assignment + "_" + std::string(name_of(c.param.compiler));
                         });

}  // namespace
}  // namespace warpgrade
