// Limits on counters as formulas, and the topology of links.
#include <gtest/gtest.h>

#include "course/assignment.hpp"
#include "edited.hpp"

namespace warpgrade::course {
namespace {

using EditedLimits = Edited;

TEST_F(EditedLimits, ALimitMayBeAFormulaOfTheCountedSizes) {
  replace("assignment.yaml", "counters: {m: 256, n: 256, k: 256}", "counters: {m: 64, n: 32, k: 16}");
  replace("assignment.yaml", "counted_near: {from: 232, to: 248, multiple_of: 8}", "");
  replace("assignment.yaml", "{at_most: 3, points", "{at_most: 1.5 * m * n / k, points");
  EXPECT_EQ(read_assignment(folder_).find_step("step1")->counter_checks.at(0).limit, 1.5 * 64 * 32 / 16);
  replace("assignment.yaml", "1.5 * m * n / k", "1.5 * rows");
  EXPECT_TRUE(error().starts_with(place("assignment.yaml") + "'1.5 * rows': there is no 'rows' here"))
      << error();
  replace("assignment.yaml", "1.5 * rows", "m - 100");
  EXPECT_EQ(error(), place("assignment.yaml") + "'m - 100' is -36, should be from 0 to 1e+15");
}

TEST_F(EditedLimits, AFormulaIsNoLimitAtSizesNearTheCountedOne) {
  replace("assignment.yaml", "{at_most: 3, points", "{at_most: m, points");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "a formula is a limit at one size, and 'counted_near' names others; write a number");
}

TEST_F(EditedLimits, ATopologyIsOneThatIsKnown) {
  replace("assignment.yaml", "points: 100 ", "links: pcie5\npoints: 100 ");
  replace("assignment.yaml", "    entry: step1\n", "    entry: step1\n    links: nvlink5\n");
  const Assignment a = read_assignment(folder_);
  EXPECT_EQ(a.find_step("step0")->links, "pcie5");
  EXPECT_EQ(a.find_step("step1")->links, "nvlink5");
  replace("assignment.yaml", "links: nvlink5", "links: nvlink6");
  EXPECT_TRUE(error().starts_with(place("assignment.yaml") + "there is no topology 'nvlink6'")) << error();
}

TEST_F(EditedLimits, OnlyAProblemOfSeveralDevicesHasANumberOfThem) {
  replace("assignment.yaml", "    entry: step1\n", "    entry: step1\n    devices: 2\n");
  EXPECT_TRUE(error().ends_with(": the problem sgemm is for one device")) << error();
}

class EditedDevices : public Edited {
 protected:
  EditedDevices() : Edited("multi") {}
};

TEST_F(EditedDevices, AStepSaysForHowManyDevicesItsCasesAreAndACaseMaySayOtherwise) {
  replace("assignment.yaml", "    entry: ring_allreduce\n    devices: 2\n",
          "    entry: ring_allreduce\n    devices: 3\n");
  const Assignment a = read_assignment(folder_);
  const Step &ring = *a.find_step("ring");
  EXPECT_EQ(ring.problem->devices(ring.cases.at(0).values), 3);
  EXPECT_EQ(ring.problem->devices(ring.cases.at(2).values), 4);
}

}  // namespace
}  // namespace warpgrade::course
