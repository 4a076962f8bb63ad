#include <map>

#include "edited.hpp"

namespace warpgrade::course {
namespace {

TEST_F(Edited, ALatePolicyIsReadWithItsExtensions) {
  EXPECT_FALSE(read_assignment(folder_).late);
  replace("assignment.yaml",
          "timing:", "late: {due: 2026-03-01 23:59:00 +0900, days: 3, penalty_per_day: 0.1}\ntiming:");
  replace("hidden.yaml", "case_sets:", "extensions: {20261234: 2}\ncase_sets:");
  const auto late = read_assignment(folder_).late;
  ASSERT_TRUE(late);
  EXPECT_EQ(late->due, 1'772'377'140);  // 14:59 UTC
  EXPECT_EQ(late->days, 3);
  EXPECT_DOUBLE_EQ(late->penalty_per_day, 0.1);
  EXPECT_EQ(late->extensions, (std::map<std::string, int>{{"20261234", 2}}));
}

TEST_F(Edited, AMistakeInALatePolicyIsNamedWithItsLine) {
  struct Mistake {
    const char *policy, *said;
  };
  const std::string good = "late: {days: 3, penalty_per_day: 0.1}";
  replace("assignment.yaml", "timing:", good + "\ntiming:");
  EXPECT_EQ(error(), "no error");
  std::string now = good;
  for (const Mistake &m : {
           Mistake{"late: {penalty_per_day: 0.1}", "'days' is missing from 'late'"},
           {"late: {days: 3}", "'penalty_per_day' is missing from 'late'"},
           {"late: {days: -1, penalty_per_day: 0.1}", ""},
           {"late: {days: 1.5, penalty_per_day: 0.1}", ""},
           {"late: {days: 3, penalty_per_day: 10}", ""},
           {"late: {days: 3, penalty_per_day: 10%}", ""},
           {"late: {days: 3, penalty_per_day: 0.1, extensions: {s: 1}}", "unknown key 'extensions'"},
           {"late: {days: 3, penalty_per_day: 0.1, due: 2026-03-01}",
            "'2026-03-01' is not a time; write it with its zone"},
           {"late: {days: 3, penalty_per_day: 0.1, due: 2026-03-01 23:59:00}", "is not a time"},
           {"late: {days: 3, penalty_per_day: 0.1, due: 2026-02-30 23:59:00 Z}", "is not a time"},
           {"late: {days: 3, penalty_per_day: 0.1, due: 2026-03-01 24:59:00 Z}", "is not a time"},
       }) {
    replace("assignment.yaml", now, m.policy);
    now = m.policy;
    const std::string said = error();
    EXPECT_EQ(said.find(place("assignment.yaml")), 0u) << m.policy << ": " << said;
    EXPECT_NE(said.find(m.said), std::string::npos) << m.policy << ": " << said;
  }
  replace("assignment.yaml", now, good);
  replace("hidden.yaml", "case_sets:", "extensions: {20261234: 0}\ncase_sets:");
  EXPECT_EQ(error().find(place("hidden.yaml")), 0u) << error();
  replace("assignment.yaml", good, "");
  replace("hidden.yaml", "20261234: 0", "20261234: 1");
  EXPECT_EQ(error(), place("hidden.yaml") +
                         "'extensions' needs 'late' in assignment.yaml, which says what late work loses");
}

}  // namespace
}  // namespace warpgrade::course
