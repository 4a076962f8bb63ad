#include "report/energy.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

run::Energy energy(double joules, double wrong_by) {
  return {joules, wrong_by, 415.4, 1.05, 4000, ""};
}

TEST(Energy, IsShownPerRunWithItsUncertaintyAndBesideTheLibrarys) {
  grading::PerformanceRecord p;
  EXPECT_EQ(energy_text(p, "cuBLAS"), "");
  p.energy = energy(0.3123, 0.014);
  EXPECT_EQ(energy_text(p, "cuBLAS"), "312 mJ per run ± 2 %, at 415 W");
  p.library_energy = energy(2.94e-4, 0.0001);
  EXPECT_EQ(energy_text(p, "cuBLAS"), "312 mJ per run ± 2 %, at 415 W; cuBLAS 294 uJ ± 1 %");
}

TEST(Energy, WithoutAFigureIsAReason) {
  grading::PerformanceRecord p;
  p.energy = run::Energy{.why_not = "NVML counts no energy on this GPU"};
  EXPECT_EQ(energy_text(p, "cuBLAS"), "NVML counts no energy on this GPU");
  EXPECT_EQ(energy_to_json(p.energy), Json({{"reason", "NVML counts no energy on this GPU"}}));
  p.energy = energy(1.5, 0.01);
  p.library_energy = run::Energy{.why_not = "a run takes too long to be repeated for its energy"};
  EXPECT_EQ(energy_text(p, "cuBLAS"),
            "1.5 J per run ± 1 %, at 415 W; cuBLAS: a run takes too long to be repeated for its energy");
}

TEST(Energy, InJsonIsInJoulesOfOneRun) {
  const Json j = energy_to_json(energy(0.3123, 0.014));
  EXPECT_EQ(j.at("joules"), 0.3123);
  EXPECT_EQ(j.at("within"), 0.014);
  EXPECT_TRUE(energy_to_json(std::nullopt).is_null());
}

}  // namespace
}  // namespace warpgrade::report
