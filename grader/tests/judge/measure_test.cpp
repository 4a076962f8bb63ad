#include "judge/measure.hpp"

#include <gtest/gtest.h>

namespace warpgrade::judge {
namespace {

using course::Measure;

/// Two lines: line 5 loads with 32 sectors where 4 would do, line 6 stores well and conflicts in shared
/// memory.
Counted sample() {
  Counted counted;
  simt::LineCounters five, six;
  five.global_load = {10, 320, 1280, 1280, 40};
  five.fp32_fma = 640;
  five.warp_instructions = 30;
  five.thread_instructions = 30 * 32;
  six.global_store = {10, 40, 1280, 1280, 40};
  six.shared_load = {10, 80, 70, 1280, 10, 80, 70};
  six.warp_instructions = 20;
  six.thread_instructions = 20 * 8;
  counted.counts.lines[{"k.cu", 5}] = five;
  counted.counts.lines[{"k.cu", 6}] = six;
  static_cast<simt::LineCounters &>(counted.counts) += five;
  static_cast<simt::LineCounters &>(counted.counts) += six;
  counted.outputs_per_thread = 4;
  return counted;
}

TEST(Measures, FollowFromTheCounters) {
  const Counted c = sample();
  EXPECT_EQ(value_of(Measure::sectors_per_load, c), 32);
  EXPECT_EQ(value_of(Measure::sectors_per_store, c), 4);
  EXPECT_EQ(value_of(Measure::load_sectors_over_ideal, c), 8);
  EXPECT_EQ(value_of(Measure::store_sectors_over_ideal, c), 1);
  EXPECT_EQ(value_of(Measure::global_requests, c), 20);
  EXPECT_EQ(value_of(Measure::requested_bytes_per_flop, c), 2560.0 / 1280);
  EXPECT_EQ(value_of(Measure::sector_bytes_per_flop, c), 360.0 * 32 / 1280);
  EXPECT_EQ(value_of(Measure::wavefronts_over_ideal, c), 8);
  EXPECT_EQ(value_of(Measure::bank_conflicts, c), 70);
  EXPECT_EQ(value_of(Measure::outputs_per_thread, c), 4);
  EXPECT_EQ(value_of(Measure::lane_efficiency, c), (960.0 + 160) / (50 * 32));
  EXPECT_EQ(value_of(Measure::local_accesses, c), 0);
}

TEST(Measures, OfTensorCoresCountTheirShareOfTheFlopsAndStoresToSharedMemory) {
  Counted c = sample();
  EXPECT_FALSE(value_of(Measure::tensor_share, c)) << "nobody knows how many flops are needed";
  c.useful_flops = 32768;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 0);
  c.counts.tensor_flops = 16384;
  c.counts.shared_store.requests = 3;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 0.5);
  EXPECT_EQ(value_of(Measure::shared_stores, c), 3);
}

TEST(Measures, OfTensorCoresAreWhatOrdinaryArithmeticLeaves) {
  Counted c = sample();  // 640 fma
  c.counts.tensor_flops = 65536;
  c.useful_flops = 32768;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 2) << "wide tiles at an edge";
  c.counts.fp32_fma = 1024;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 2) << "a sixteenth of the flops is free";
  c.counts.fp32_add = 1;
  EXPECT_LT(value_of(Measure::tensor_share, c), 1);
  c.counts.fp32_add = 0, c.counts.fp64_fma = 8192 - 1024;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 0.5);
  c.counts.fp64_fma = 0, c.counts.fp32_fma = 0;
  c.counts.by_class[static_cast<std::size_t>(simt::InstructionClass::half)] = 128;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 0.5) << "128 instructions of 32 lanes with two halves";
  c.counts.fp32_fma = 32768;
  EXPECT_EQ(value_of(Measure::tensor_share, c), 0);
}

TEST(Measures, QuotientsAreTakenOverTheFlopsThatTheProblemNeeds) {
  Counted c = sample();
  c.useful_flops = 256;
  EXPECT_EQ(value_of(Measure::requested_bytes_per_flop, c), 2560.0 / 256)
      << "idle arithmetic makes it no smaller";
  EXPECT_EQ(value_of(Measure::sector_bytes_per_flop, c), 360.0 * 32 / 256);
}

TEST(Measures, HaveAnIdealUnlessTheyAreAMatterOfDesign) {
  Counted c = sample();
  c.counts.unique_sectors = {20, 40, 60};
  EXPECT_EQ(ideal_of(Measure::sectors_per_load, c), 4);
  EXPECT_EQ(ideal_of(Measure::sectors_per_store, c), 4);
  EXPECT_EQ(ideal_of(Measure::load_sectors_over_ideal, c), 1);
  EXPECT_EQ(ideal_of(Measure::bank_conflicts, c), 0);
  EXPECT_EQ(ideal_of(Measure::requested_bytes_per_flop, c), 60.0 * 32 / 1280) << "each sector once";
  EXPECT_FALSE(ideal_of(Measure::global_requests, c));
  EXPECT_FALSE(ideal_of(Measure::outputs_per_thread, c));
}

TEST(Measures, HaveNoValueWithoutAccesses) {
  const Counted nothing;
  for (const Measure m :
       {Measure::sectors_per_load, Measure::store_sectors_over_ideal, Measure::requested_bytes_per_flop,
        Measure::wavefronts_over_ideal, Measure::outputs_per_thread})
    EXPECT_FALSE(value_of(m, nothing)) << course::name_of(m);
}

TEST(Measures, AreBlamedOnTheLineThatCostsMost) {
  const Counted c = sample();
  EXPECT_EQ(costliest_line(Measure::load_sectors_over_ideal, c)->line, 5);
  EXPECT_EQ(costliest_line(Measure::wavefronts_over_ideal, c)->line, 6);
  EXPECT_EQ(costliest_line(Measure::lane_efficiency, c)->line, 6);
  EXPECT_FALSE(costliest_line(Measure::store_sectors_over_ideal, c)) << "nothing is wasted there";
  EXPECT_FALSE(costliest_line(Measure::outputs_per_thread, c)) << "no line decides that";
}

/// The ring of two devices of 8 us: for 4 us, data moves; for 3 of them beside a kernel.
Counted on_two_devices() {
  Counted c;
  c.links.emplace();
  c.links->busiest = "0 -> switch";
  c.links->busiest_bytes = 4096;
  c.links->total_us = 8;
  c.links->communication_us = 4;
  c.links->overlapped_us = 3;
  c.links->idle = {0.25, 0.5};
  c.links->lines = {{"k.cu", 7, "add", 1, 0, 9000, 90, 0, 0},
                    {"k.cu", 20, "copy", 0, 1, 3000, 1, 3000, 0.75},
                    {"k.cu", 9, "add", 0, 1, 1096, 9, 1096, 0.25},
                    {"", 0, "copy", 0, 1, 100, 1, 100, 9}};
  return c;
}

TEST(Measures, OfLinksAreThoseOfStepsOnSeveralDevices) {
  const Counted c = on_two_devices();
  EXPECT_EQ(value_of(Measure::busiest_link_bytes, c), 4096);
  EXPECT_EQ(value_of(Measure::overlap, c), 0.75);
  EXPECT_EQ(value_of(Measure::idle_share, c), 0.5) << "that of the device that is idle longest";
  for (const Measure m : {Measure::busiest_link_bytes, Measure::overlap, Measure::idle_share})
    EXPECT_FALSE(value_of(m, sample())) << "on one device nothing moves: " << course::name_of(m);
  Counted silent = c;
  silent.links->communication_us = 0;
  EXPECT_FALSE(value_of(Measure::overlap, silent)) << "nothing moves that could overlap";
}

TEST(Measures, OfLinksAreBlamedOnTheLineThatMovesMostThereOrIsAloneLongest) {
  const Counted c = on_two_devices();
  EXPECT_EQ(costliest_line(Measure::busiest_link_bytes, c)->line, 20) << "line 7 sends the other way";
  EXPECT_EQ(costliest_line(Measure::overlap, c)->line, 20);
  EXPECT_FALSE(costliest_line(Measure::idle_share, c)) << "no line decides that";
}

TEST(Measures, HaveANameAndWordsEach) {
  for (const std::string &name : course::measure_names()) {
    ASSERT_TRUE(course::measure_of(name)) << name;
    EXPECT_EQ(course::name_of(*course::measure_of(name)), name);
    EXPECT_FALSE(in_words(*course::measure_of(name)).empty()) << name;
  }
}

}  // namespace
}  // namespace warpgrade::judge
