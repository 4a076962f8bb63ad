// Which GPUs a class is measured on.
#include "gradebook/gpus.hpp"

#include <gtest/gtest.h>

#include "setup/course_root.hpp"

namespace warpgrade::gradebook {
namespace {

std::vector<gpu::DeviceInfo> four() {
  std::vector<gpu::DeviceInfo> all;
  for (const char *name : {"NVIDIA H200", "NVIDIA H200", "NVIDIA L4", "NVIDIA H200"}) {
    gpu::DeviceInfo gpu;
    gpu.index = static_cast<int>(all.size());
    gpu.name = name;
    gpu.pci_bus_id = "0000:0" + std::to_string(all.size()) + ":00.0";
    all.push_back(gpu);
  }
  return all;
}

std::vector<int> picked(const std::string &wanted) {
  std::vector<int> indices;
  for (const gpu::DeviceInfo &gpu : pick_gpus(four(), wanted)) indices.push_back(gpu.index);
  return indices;
}

std::string refusal(const std::string &wanted) {
  try {
    pick_gpus(four(), wanted);
  } catch (const UsageError &e) {
    return e.what();
  }
  return "";
}

TEST(Gpus, AreAllOfTheKindOfTheFirstUnlessNamed) {
  EXPECT_EQ(picked(""), (std::vector<int>{0, 1, 3}));
  EXPECT_TRUE(pick_gpus({}, "").empty());
}

TEST(Gpus, AreThoseNamedInTheirOrderEachOnce) {
  EXPECT_EQ(picked("3,1"), (std::vector<int>{3, 1}));
  EXPECT_EQ(picked("2"), (std::vector<int>{2}));
  EXPECT_EQ(picked("1,1"), (std::vector<int>{1}));
}

TEST(Gpus, OfTwoKindsOrUnknownOnesAreRefusedWithWhatThereIs) {
  EXPECT_EQ(refusal("0,2"),
            "--gpus 0,2: NVIDIA H200 and NVIDIA L4 are two kinds, whose times cannot be compared; name those "
            "of one "
            "kind (0 is NVIDIA H200, 1 is NVIDIA H200, 2 is NVIDIA L4, 3 is NVIDIA H200)");
  for (const char *wrong : {"4", "-1", "all", "0,", "0, 1", "1x", ",", " "})
    EXPECT_NE(refusal(wrong), "") << wrong;
}

}  // namespace
}  // namespace warpgrade::gradebook
