// What may follow from another finding: folded in reports for people, marked in those for programs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

constexpr const char *reason_of_the_other = "uninitialized read on shared memory tile";

/// The sample, with a finding in line 30 that may follow from that in line 23.
Sample with_a_consequence() {
  Sample s;
  for (grading::StepRecord &step : s.record.steps)
    if (step.id == "step2") {
      judge::Finding later{"uninitialized_read", "error", "step2.cu", 30, reason_of_the_other, 3};
      later.follows = judge::Origin{"out_of_bounds", "step2.cu", 23};
      step.findings.push_back(later);
    }
  return s;
}

TEST(Consequence, IsALineBelowItsCauseAtATerminalAndWholeInTheVerboseReport) {
  const std::string brief = to_terminal(with_a_consequence().report(), {});
  EXPECT_NE(brief.find("Possibly a consequence: uninitialized_read in line 30"), std::string::npos) << brief;
  EXPECT_EQ(brief.find(reason_of_the_other), std::string::npos) << brief;
  EXPECT_EQ(brief.find("step2.cu:30"), std::string::npos) << brief;
  const std::string all = to_terminal(with_a_consequence().report(), {.verbose = true});
  EXPECT_NE(all.find("consequence: uninitialized_read in line 30 (3 times)"), std::string::npos) << all;
}

TEST(Consequence, IsFoldedBelowItsCauseOnAPage) {
  const std::string page = to_html(with_a_consequence().report(), {});
  const std::size_t folded =
      page.find("<details><summary>Possibly a consequence: uninitialized_read in line 30</summary>");
  ASSERT_NE(folded, std::string::npos);
  EXPECT_NE(page.find(reason_of_the_other, folded), std::string::npos);
}

TEST(Consequence, IsListedAndMarkedInJson) {
  const auto j = nlohmann::json::parse(to_json(with_a_consequence().report()));
  const auto &all = j["steps"][1]["diagnostics"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].contains("possibly_follows"));
  EXPECT_EQ(all[1]["message"], reason_of_the_other);
  EXPECT_EQ(all[1]["possibly_follows"],
            nlohmann::json::parse(R"({"code": "out_of_bounds", "file": "step2.cu", "line": 23})"));
}

TEST(Consequence, IsMarkedInSarifAndAnnotations) {
  const std::string mark = "(possibly a consequence of out_of_bounds in line 23)";
  EXPECT_NE(to_sarif(with_a_consequence().report()).find(mark), std::string::npos);
  EXPECT_NE(to_annotations(with_a_consequence().report(), "").find(mark), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::report
