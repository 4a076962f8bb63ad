// What makes a result another one, and what only makes other points of it.
#include "batch/conditions.hpp"

#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;

class Conditions : public ::testing::Test {
 protected:
  Conditions() {
    std::filesystem::create_directories(folder / "starter");
    std::filesystem::create_directories(folder / "assignment");
    write("starter/gemm.h", "void base();");
    write("starter/base.cu", "// a stub");
    write("assignment/assignment.yaml", "points: 10");
    a.steps[0].cases = {{"one", {{1, 1, 1}, {1, 0}}, course::Visibility::open, false}};
    thresholds.steps = {{"base", {{64, 64, 64}, {1, 0}}, {100, false}, {200, false}}};
  }
  void write(const std::string &name, const std::string &text) const { std::ofstream(folder / name) << text; }
  ClassSetup setup() const {
    return {&a,    &thresholds, folder / "assignment", folder / "starter", 42, device, "nvcc 13.0",
            "1.0", "none"};
  }
  std::string now() const { return batch::grading_of(setup(), a.steps[0]).fingerprint; }

  Folder folder;
  course::Assignment a = two_steps();
  course::Thresholds thresholds;
  grading::DeviceRecord device{true, "NVIDIA H200", "sm_90", ""};
};

TEST_F(Conditions, PointsTitlesAndThresholdsDoNotChangeResults) {
  const std::string before = now();
  a.steps[0].points = {7, 3, 1};
  a.steps[0].title = "Another";
  a.steps[0].counter_checks.emplace_back();
  a.steps[0].extra_credit = true;
  a.points = 99;
  a.calibration.pass = 0.1;
  thresholds.steps[0].pass.value = 7;
  thresholds.peak_gflops = 7;
  write("assignment/assignment.yaml", "points: 11");
  write("starter/base.cu", "// another stub");
  EXPECT_EQ(now(), before);
}

TEST_F(Conditions, ChangesThatAffectARecordMakeAnotherResult) {
  const std::string before = now();
  const auto differs = [&](const char *what, const auto &change, const auto &undo) {
    change();
    EXPECT_NE(now(), before) << what;
    undo();
    EXPECT_EQ(now(), before) << what;
  };
  const course::Assignment kept = a;
  const course::Thresholds kept_thresholds = thresholds;
  const auto undo = [&] { a = kept, thresholds = kept_thresholds; };
  differs(
      "cases", [&] { a.steps[0].cases[0].visibility = course::Visibility::hidden; }, undo);
  differs(
      "rules", [&] { a.steps[0].rules.shared_memory = course::Permission::forbidden; }, undo);
  differs(
      "limits", [&] { a.limits.simulate.warp_instructions = 7; }, undo);
  differs(
      "tolerance", [&] { a.tolerance = 1e-3; }, undo);
  differs(
      "arch", [&] { a.steps[0].arch = "compute_90"; }, undo);
  differs(
      "counters",
      [&] {
        a.steps[0].counters_on = {{8, 8, 8}, {}};
      },
      undo);
  differs(
      "timed size", [&] { thresholds.steps[0].size.integers[0] = 128; }, undo);
  differs(
      "device", [&] { device.name = "NVIDIA T4"; }, [&] { device.name = "NVIDIA H200"; });
  differs(
      "header", [&] { write("starter/gemm.h", "void base(int);"); },
      [&] { write("starter/gemm.h", "void base();"); });
  ClassSetup other = setup();
  other.seed = 43;
  EXPECT_NE(batch::grading_of(other, a.steps[0]).fingerprint, before);
  other = setup();
  other.version = "1.1";
  EXPECT_NE(batch::grading_of(other, a.steps[0]).fingerprint, before);
}

TEST_F(Conditions, TheFileOfVariantsIsNoneOfThoseWhoHaveNoVariant) {
  a.variants = "variants.yaml";
  write("assignment/variants.yaml", "says: one");
  const std::string before = now(), all = fingerprint_of(setup());
  write("assignment/variants.yaml", "says: another");
  EXPECT_EQ(now(), before);
  EXPECT_NE(fingerprint_of(setup()), all) << "processes that grade together must still read the same file";
}

TEST_F(Conditions, ACaseOfOneStepIsNoConditionOfAnother) {
  const std::string before = batch::grading_of(setup(), a.steps[1]).fingerprint,
                    all = fingerprint_of(setup());
  a.steps[0].cases.clear();
  EXPECT_EQ(batch::grading_of(setup(), a.steps[1]).fingerprint, before);
  EXPECT_NE(fingerprint_of(setup()), all);
}

TEST_F(Conditions, DifferencesAreNamed) {
  const std::string before = batch::grading_of(setup(), a.steps[0]).conditions;
  a.steps[0].cases.clear();
  a.tolerance = 1;
  EXPECT_EQ(difference(before, batch::grading_of(setup(), a.steps[0]).conditions), "cases, tolerance");
  EXPECT_EQ(difference(before, before), "");
}

}  // namespace
}  // namespace warpgrade::tests
