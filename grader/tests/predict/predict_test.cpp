// Predictions of launches that are put together by hand: what each resource does to the time.
#include "predict/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "course/gpu.hpp"
#include "predict/program.hpp"
#include "ptx/parser.hpp"

namespace warpgrade::predict {
namespace {

// A warp's path: each load reads the address of the next one.
constexpr std::string_view chain = R"(
.version 7.1
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 x) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  cvta.to.global.u64 %rd2, %rd1;
again:
  ld.global.u64 %rd2, [%rd2];
  add.f32 %f2, %f2, %f1;
  bra again;
}
)";

Machine h200() {
  const auto gpus = course::read_gpus(WARPGRADE_ROOT "/assignments");
  return machine_of(*course::find_gpu(gpus, "nvidia-h200")).value();
}

struct Example {
  ptx::Module module = ptx::parse(chain);
  Call call;
  explicit Example(std::uint32_t blocks) {
    run::SampledLaunch launch;
    launch.kernel = "chain";
    launch.grid = {blocks, 1, 1};
    launch.block = {256, 1, 1};
    launch.exact = true;
    launch.blocks.push_back({{0, 0, 0}, blocks, {}});
    call.module = &module;
    call.launches.push_back(launch);
    call.registers = 32;
  }
  simt::Counters &counters() { return call.launches[0].blocks[0].counters; }
  /// Warp instructions of the block that multiply and add.
  Example &computes(std::uint64_t fma) {
    counters().by_class[static_cast<std::size_t>(simt::InstructionClass::single)] += fma;
    counters().fp32_fma += 32 * fma;
    counters().lines[{"a.cu", 7}].fp32_fma += 32 * fma;
    counters().lines[{"a.cu", 7}].warp_instructions += fma;
    return *this;
  }
  Example &streams(std::uint64_t sectors) {
    counters().global_load.requests += sectors / 4;
    counters().global_load.sectors += sectors;
    counters().accesses[{{"a.cu", 9}, ptx::Space::global, false, 4, "X"}].global = {
        sectors / 4, sectors, 32 * sectors, 32 * sectors, sectors};
    counters().lines[{"a.cu", 9}].global_load.sectors += sectors;
    const simt::UniqueSectors one{sectors, 0, sectors}, two{2 * sectors, 0, 2 * sectors};
    call.launches[0].sectors.push_back({"X", one, two, one, two});
    return *this;
  }
  /// So many turns of the loop.
  simt::Path &walks(std::size_t turns) {
    simt::Path &path = call.launches[0].path;
    path.blocks = {{8, 9}, {11, 13}};
    path.steps.assign(turns + 1, 1);
    path.steps[0] = 0;
    return path;
  }
  /// What its load does: so many requests for something new, and for what was loaded at this distance before.
  static simt::LineLoads load_of(std::string buffer, std::uint64_t first, std::size_t distance,
                                 std::uint64_t again) {
    simt::LineLoads loads;
    loads.line = 11, loads.bytes = 4, loads.buffer = std::move(buffer);
    loads.sectors.first = first, loads.sectors.again[distance] = again;
    loads.requests = loads.sectors;
    loads.lines = first + again;
    return loads;
  }
  Example &conflicts(std::uint64_t wavefronts) {
    counters().shared_load.compiled_wavefronts += wavefronts;
    counters().shared_load.compiled_requests += wavefronts / 32;
    counters().lines[{"a.cu", 8}].shared_load.compiled_wavefronts += wavefronts;
    return *this;
  }
};

/// The chain as machine code: its loop, in which each turn loads and adds, unrolled `copies` times.
struct MachineExample : Example {
  static constexpr std::uint16_t load = 0x181, add = 0x021, jump = 0x147, leave = 0x14d;
  std::vector<ptx::MachineInstruction> code = {made(0x002, 8)};

  static ptx::MachineInstruction made(std::uint16_t operation, int line, int result = 7, int waits = 0) {
    ptx::MachineInstruction i;
    i.operation = operation;
    i.form = operation == jump ? 4 : 1;
    i.text_line = line;
    i.stall = 1;
    i.result = static_cast<std::uint8_t>(result);
    i.waits = static_cast<std::uint8_t>(waits);
    return i;
  }
  void add_loop(int copies) {
    const auto first = static_cast<std::int32_t>(code.size());
    for (int c = 0; c < copies; ++c) code.push_back(made(load, 11, c % 6));
    for (int c = 0; c < copies; ++c) code.push_back(made(add, 12, 7, 1 << c % 6));
    code.push_back(made(jump, 13));
    code.back().guard = 0;
    code.back().target = first;
  }
  explicit MachineExample(int turns) : Example(132) {
    simt::Path &path = call.launches[0].path;
    path.blocks = {{8, 9}, {11, 13}};
    path.steps = {0};
    path.steps.resize(static_cast<std::size_t>(turns) + 1, 1);
  }
  void finish() {
    code.push_back(made(leave, 13));
    ptx::MachineCode &machine_code = call.machine_code["chain"];
    machine_code.function = "chain";
    machine_code.instructions = code;
  }
  Program program() {
    finish();
    return machine_program(call.machine_code["chain"], module, call.launches[0].path, h200().architecture);
  }
};

double loads(const Program &p) {
  return p.count[static_cast<std::size_t>(Kind::global_load)];
}

TEST(MachineProgram, FollowsAnUnrolledLoopForAsManyTurnsAsThePtxHas) {
  MachineExample e(100);
  e.add_loop(4);
  const Program p = e.program();
  ASSERT_TRUE(p.machine_code);
  EXPECT_EQ(loads(p), 100);
  EXPECT_EQ(p.instructions, 1 + 25 * (2 * 4 + 1) + 1);
}

TEST(MachineProgram, FollowsTheLoopThatDoesTheTurnsWhichAreLeft) {
  MachineExample e(103);
  e.add_loop(4);
  e.add_loop(1);
  const Program p = e.program();
  EXPECT_EQ(loads(p), 103);
  EXPECT_EQ(p.instructions, 1 + 25 * (2 * 4 + 1) + 3 * (2 * 1 + 1) + 1);
}

TEST(MachineProgram, JumpsOverWhatThePtxDoesNotExecute) {
  MachineExample e(10);
  // A load of a line that the warp never reaches, after a jump.
  e.code.push_back(MachineExample::made(MachineExample::jump, 9));
  e.code.back().guard = 0;
  e.code.back().target = static_cast<std::int32_t>(e.code.size()) + 1;
  e.code.push_back(MachineExample::made(MachineExample::load, 20));
  e.add_loop(1);
  EXPECT_EQ(loads(e.program()), 10);
}

TEST(MachineProgram, IsEmptyWhereLinesOrWaysAreUnknown) {
  MachineExample unknown(10);
  unknown.add_loop(1);
  for (ptx::MachineInstruction &i : unknown.code) i.text_line = 0;
  EXPECT_TRUE(unknown.program().empty());
  MachineExample twice(10);  // its code loads twice as often as the PTX
  twice.add_loop(1);
  for (int i = 0; i < 12; ++i) twice.code.push_back(MachineExample::made(MachineExample::load, 11));
  EXPECT_TRUE(twice.program().empty());
}

TEST(MachineProgram, ReadsOfThreeRegistersTakeAnotherCycleUnlessTheyAreKept) {
  const auto cycles = [](std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t reuse) {
    MachineExample e(1);
    e.add_loop(1);
    for (int i = 0; i < 2; ++i) {
      e.code.push_back(MachineExample::made(0x023, 0));
      e.code.back().a = a, e.code.back().b = b, e.code.back().c = c, e.code.back().reuse = reuse;
    }
    const Program p = e.program();
    return p.steps.size() == 7 ? p.steps[5].issue : 0;
  };
  EXPECT_EQ(cycles(1, 2, 3, 0), 2);
  EXPECT_EQ(cycles(1, 3, 5, 0), 3);
  EXPECT_EQ(cycles(1, 2, 3, 1), 1);
  EXPECT_EQ(cycles(1, 3, 255, 0), 1);
  EXPECT_EQ(cycles(1, 1, 3, 0), 1);
}

TEST(MachineProgram, LoadsThatDoNotWaitForEachOtherTakeOneLatency) {
  const auto cycles = [](int copies) {
    MachineExample e(96);
    e.add_loop(copies);
    e.finish();
    return predict(e.call, h200()).launches[0].latency;
  };
  EXPECT_GT(cycles(1), 3 * cycles(6));
  EXPECT_GT(cycles(1), 1.5 * cycles(2));
}

TEST(Prediction, ArithmeticLimitsAKernelThatOnlyComputes) {
  Example e(132 * 8 * 4);
  const Prediction p = predict(e.computes(100'000).call, h200());
  ASSERT_EQ(p.why_not, "");
  EXPECT_TRUE(p.limit == Resource::issue || p.limit == Resource::arithmetic);
  const double peak_seconds = 132 * 8 * 4 * 100'000.0 * 64 / 66.9e12;
  EXPECT_GT(p.seconds, 0.98 * peak_seconds);
  EXPECT_LT(p.seconds, 2.5 * peak_seconds);
  ASSERT_EQ(p.lines.size(), 1u);
  EXPECT_EQ(p.lines[0].at.line, 7);
}

TEST(Prediction, BytesThatNoCacheHoldsTakeTheBandwidthOfTheMemory) {
  Example e(100'000);
  const Prediction p = predict(e.streams(2048).call, h200());
  EXPECT_EQ(p.limit, Resource::dram);
  const double bytes = 100'000.0 * 2048 * 32;
  EXPECT_NEAR(p.launches[0].dram_bytes, bytes, 1);
  EXPECT_GT(p.seconds, bytes / 4.8e12);
}

TEST(Prediction, BankConflictsLimitAndTheirLineIsNamed) {
  Example e(132 * 8 * 4);
  const Prediction p = predict(e.computes(1000).conflicts(64'000).call, h200());
  EXPECT_EQ(p.limit, Resource::load_store);
  ASSERT_FALSE(p.lines.empty());
  EXPECT_EQ(p.lines[0].at.line, 8);
}

TEST(Prediction, AChainOfLoadsTakesTheirLatencies) {
  Example few(1), many(1);
  for (Example *e : {&few, &many}) {
    simt::Path &path = e->call.launches[0].path;
    path.blocks = {{8, 9}, {11, 13}};
    path.steps = {0};
    path.steps.resize(e == &few ? 11 : 1001, 1);
  }
  const Prediction p = predict(few.call, h200()), q = predict(many.call, h200());
  EXPECT_EQ(q.limit, Resource::latency);
  // Half of what is read for the first time is waited for at the memory, as the model has it.
  const Architecture a = h200().architecture;
  const double turn = (q.launches[0].latency - p.launches[0].latency) / 990;
  EXPECT_GT(turn, a.l2_latency);
  EXPECT_LT(turn, a.dram_latency + 20);
}

TEST(Prediction, OnlyFirstLoadsWaitForMemory) {
  const auto latency = [](std::uint64_t first, std::size_t distance, std::uint64_t again) {
    Example e(1);
    e.streams(1000);
    e.walks(1000).loads.push_back(e.load_of("X", first, distance, again));
    return predict(e.call, h200()).launches[0].latency / 1000;
  };
  constexpr std::size_t near = 2, far = 12, farther = 20;
  const Architecture a = h200().architecture;
  const double fresh = latency(1000, near, 0), soon = latency(100, near, 900), late = latency(100, far, 900);
  EXPECT_NEAR(fresh - soon, 0.9 * (a.dram_latency - a.l1_latency), 8) << "nine of ten are in the first cache";
  EXPECT_NEAR(late - soon, 0.9 * (a.l2_latency - a.l1_latency), 8)
      << "they were, but so much later they are in L2";
  EXPECT_NEAR(latency(100, farther, 900), fresh, 8) << "and so much later that L2 has lost them, too";
}

TEST(Prediction, AWaveReusesOnlyDataThatFitInHalfOfTheCache) {
  const auto seconds = [](std::uint64_t stored) {
    Example e(132 * 8 * 4);
    e.streams(1000);
    run::SampledLaunch &launch = e.call.launches[0];
    launch.sectors[0].along_x = launch.sectors[0].square = launch.sectors[0].one;  // all blocks load the same
    const simt::UniqueSectors one{0, stored, stored}, two{0, 2 * stored, 2 * stored};
    launch.sectors.push_back({"Y", one, two, one, two});
    e.walks(1000).loads.push_back(e.load_of("X", 1000, 0, 0));
    return predict(e.call, h200()).seconds;
  };
  const Architecture a = h200().architecture;
  const double waves = 4, near = a.dram_latency + (waves - 1) * a.l2_latency, far = waves * a.dram_latency;
  EXPECT_NEAR(seconds(1200) / seconds(200), far / near, 0.2) << "41 MB a wave, and 7";
}

TEST(Multiprocessor, WarpsThatWaitForSharedMemoryTakeTurns) {
  constexpr int warps = 32, turns = 100;
  MachineExample e(turns);
  e.add_loop(1);
  e.code[1].operation = 0x184;  // LDS
  const Program program = e.program();
  ASSERT_TRUE(program.machine_code);
  Needs needs;
  needs.loads.resize(1);
  needs.shared_loads = 4.0 * warps * turns;
  const double cycles = round_cycles(program, h200().architecture, needs, 1, 1, warps);
  EXPECT_GT(cycles, needs.shared_loads);
  EXPECT_LT(cycles, 1.04 * needs.shared_loads)
      << "if some were ahead, the others would wait alone at the end";
}

TEST(Prediction, DataThatOtherBlocksHaveReadDoNotWaitForMemory) {
  const auto latency = [](double before) {
    Example e(1);
    e.streams(1000);
    simt::Path &path = e.call.launches[0].path;
    path.blocks = {{8, 9}, {11, 13}};
    path.steps.assign(1001, 1);
    path.steps[0] = 0;
    e.call.launches[0].loaded_before = before;
    return predict(e.call, h200()).launches[0].latency;
  };
  const Architecture a = h200().architecture;
  EXPECT_NEAR((latency(0) - latency(1)) / 1000, a.dram_latency - a.l2_latency, 5);
  EXPECT_NEAR(latency(0.5), (latency(0) + latency(1)) / 2, 0.03 * latency(0)) << "loads differ by chance";
}

TEST(Prediction, BlocksThatStartWhereOthersEndKeepTheMultiprocessorBusy) {
  // A single block waits; eight in parallel take hardly longer, and sixteen twice as long.
  const auto seconds = [](std::uint32_t blocks) {
    Example e(132 * blocks);
    simt::Path &path = e.call.launches[0].path;
    path.blocks = {{8, 9}, {11, 13}};
    path.steps = {0};
    path.steps.resize(101, 1);
    return predict(e.call, h200()).launches[0].seconds - 3.2e-6;
  };
  EXPECT_NEAR(seconds(8) / seconds(1), 1, 0.1);
  EXPECT_NEAR(seconds(16) / seconds(1), 2, 0.3);
}

TEST(Prediction, OneBlockMoreThanAWaveHoldsCostsAnotherRound) {
  const Machine machine = h200();
  Example whole(132 * 8), more(132 * 8 + 1);
  const double one = predict(whole.computes(100'000).call, machine).seconds;
  const double two = predict(more.computes(100'000).call, machine).seconds;
  EXPECT_GT(two, 1.08 * one);
}

TEST(Prediction, TheBlockWithTheMostWorkDecidesWhenAllRunTogether) {
  const Machine machine = h200();
  Example even(132), uneven(132);
  const double launch = 3.2e-6, one = predict(even.computes(100'000).call, machine).seconds - launch;
  uneven.computes(100'000);
  uneven.counters().warp_instructions = 100'000;
  run::SampledBlock busy = uneven.call.launches[0].blocks[0];
  busy.stands_for = 1;
  uneven.call.launches[0].blocks[0].stands_for = 131;
  busy.counters.warp_instructions *= 2;
  for (std::uint64_t &n : busy.counters.by_class) n *= 2;
  uneven.call.launches[0].blocks.push_back(busy);
  EXPECT_NEAR((predict(uneven.call, machine).seconds - launch) / one, 2, 0.15);
}

TEST(Prediction, SpilledRegistersInALoopCostTime) {
  const auto seconds = [](int spills) {
    MachineExample e(100);
    e.add_loop(1);
    e.code.insert(e.code.begin() + 1, static_cast<std::size_t>(spills),
                  MachineExample::made(0x183, 0, 1));  // LDL
    e.finish();
    const Prediction p = predict(e.call, h200());
    EXPECT_EQ(p.launches[0].local > 0.01, spills > 0);
    return p.seconds;
  };
  EXPECT_GT(seconds(128), 1.2 * seconds(0));
}

TEST(Prediction, MoreRegistersLeaveRoomForFewerBlocks) {
  Example e(1000);
  e.computes(1000);
  EXPECT_EQ(predict(e.call, h200()).launches[0].resident, 8);
  e.call.registers = 128;
  const Prediction p = predict(e.call, h200());
  EXPECT_EQ(p.launches[0].resident, 2);
  EXPECT_EQ(p.launches[0].resident_limit, "registers");
  e.call.machine_code["chain"].registers = 64;  // another kernel of the file takes 128
  EXPECT_EQ(predict(e.call, h200()).launches[0].resident, 4);
}

TEST(Prediction, UnknownsWidenTheInterval) {
  Example e(1000);
  e.computes(1000);
  const auto width = [&] {
    const Prediction p = predict(e.call, h200());
    return p.high / p.low;
  };
  const double known = width();
  e.call.spill_bytes = 64;
  EXPECT_DOUBLE_EQ(width(), known);  // before or after the loop
  e.call.spill_bytes = 0;
  e.counters().local_accesses = 1000;
  EXPECT_GT(width(), known);
  e.counters().local_accesses = 0;
  e.counters().warp_instructions = 1000;
  e.counters().atomic_requests = 10;
  EXPECT_DOUBLE_EQ(width(), known);  // one for each block's result, say
  e.counters().atomic_requests = 100;
  EXPECT_GT(width(), known);
  e.counters().atomic_requests = 0;
  e.call.registers.reset();
  EXPECT_GT(width(), known);
}

TEST(Prediction, AKernelNeedsNoMoreRegistersThanItsPtxHas) {
  Example e(1056);
  e.call.registers.reset();
  EXPECT_EQ(predict(e.call, h200()).launches[0].resident, 8);
}

TEST(Prediction, WithoutRegistersTheIntervalHoldsTheTimesOfManyAndOfFew) {
  Example e(1056);
  std::string text(chain);
  text.replace(text.find("%f<3>"), 5, "%f<103>");
  for (int i = 3; i < 103; ++i)
    text.insert(text.rfind("}"), "  mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n");
  const ptx::Module module = ptx::parse(text);
  e.call.module = &module;
  e.walks(100);
  const double few = predict(e.call, h200()).seconds;
  e.call.registers = 64;
  const double many = predict(e.call, h200()).seconds;
  EXPECT_GT(many, 1.5 * few) << "half as many blocks fit";
  e.call.registers.reset();
  const Prediction p = predict(e.call, h200());
  EXPECT_EQ(p.seconds, many);
  EXPECT_LT(p.low, few);
  EXPECT_GT(p.high, many);
}

TEST(Prediction, WithoutALaunchThereIsNone) {
  Example e(1);
  e.call.launches.clear();
  EXPECT_EQ(predict(e.call, h200()).why_not, "nothing is launched");
}

TEST(Prediction, EveryGpuOfTheCoursesIsKnown) {
  for (const course::Gpu &gpu : course::read_gpus(WARPGRADE_ROOT "/assignments")) {
    const auto machine = machine_of(gpu);
    ASSERT_TRUE(machine) << gpu.id;
    EXPECT_GT(machine->architecture.l2_latency, machine->architecture.l1_latency) << gpu.id;
    // Two operations in each of 32 lanes of every instruction: the peak of the data sheet.
    const double peak = gpu.multiprocessors * gpu.clock_mhz * 1e-3 * machine->architecture.fp32 * 64;
    EXPECT_NEAR(peak / gpu.peak_gflops, 1, 0.03) << gpu.id;
  }
}

TEST(Prediction, AGpuWithoutTensorCoresHasATimeForEverythingElse) {
  const auto gpus = course::read_gpus(WARPGRADE_ROOT "/assignments");
  const Machine old = machine_of(*course::find_gpu(gpus, "nvidia-gtx-1080")).value();
  ASSERT_EQ(old.architecture.tensor_flops, 0);
  Example e(1000);
  e.computes(10'000);
  const Prediction p = predict(e.call, old);
  EXPECT_TRUE(std::isfinite(p.seconds));
  EXPECT_GT(p.launches.at(0).arithmetic, 0);
}

TEST(Machine, UsesWhatWasMeasuredAndElseTheFiguresOfItsComputeCapability) {
  course::Gpu gpu = h200().gpu;
  gpu.measured = {{"l2_latency", 300},
                  {"warps", 32},
                  {"clock_mhz", 1000},
                  {"dram_read_gb_per_s", 1000},
                  {"mma_flops", 7}};
  const Machine machine = machine_of(gpu).value();
  EXPECT_EQ(machine.architecture.l2_latency, 300);
  EXPECT_EQ(machine.architecture.warps, 32);
  EXPECT_EQ(machine.clock_mhz, 1000);
  EXPECT_NEAR(machine.dram_gb_per_s(1), 1000, 1e-9);
  EXPECT_EQ(machine.architecture.l1_latency, h200().architecture.l1_latency);
  EXPECT_EQ(machine.architecture.tensor_flops, h200().architecture.tensor_flops)
      << "wmma is not all they can do";
  EXPECT_EQ(h200().clock_mhz, gpu.clock_mhz);
}

TEST(Machine, OfAnUnknownComputeCapabilityNeedsEveryFigure) {
  course::Gpu gpu = h200().gpu;
  gpu.compute_capability = "99.0";
  for (const course::GpuFigure &f : course::gpu_figures()) gpu.measured.emplace(f.key, f.most);
  ASSERT_TRUE(machine_of(gpu));
  EXPECT_GT(machine_of(gpu)->architecture.tensor_flops, 0);
  gpu.measured.erase("l1_latency");
  EXPECT_FALSE(machine_of(gpu));
}

TEST(Prediction, MeasuredClockAndBandwidthDecideTheTime) {
  const auto seconds = [](Example &e, const char *key, double value) {
    course::Gpu gpu = h200().gpu;
    if (value > 0) gpu.measured[key] = value;
    return predict(e.call, machine_of(gpu).value()).seconds;
  };
  Example computing(1320), streaming(1320);
  computing.computes(1'000'000);
  streaming.streams(1'000'000);
  const double fast = seconds(computing, "clock_mhz", 0), slow = seconds(computing, "clock_mhz", 990);
  EXPECT_NEAR(slow / fast, 2, 0.01);
  const double wide = seconds(streaming, "dram_read_gb_per_s", 4800 * 0.949),
               narrow = seconds(streaming, "dram_read_gb_per_s", 480);
  EXPECT_NEAR(wide / seconds(streaming, "dram_read_gb_per_s", 0), 1, 0.001)
      << "kernels that read reach 94.9 % of the data sheet";
  EXPECT_GT(narrow / wide, 5);
}

TEST(Machine, MovesACopyMoreSlowlyThanWhatItReads) {
  const Machine machine = h200();
  EXPECT_NEAR(machine.dram_gb_per_s(1), 4555, 5);
  EXPECT_NEAR(machine.dram_gb_per_s(0.5), 3957, 5);
  EXPECT_LT(machine.dram_gb_per_s(0), machine.dram_gb_per_s(0.5));
}

TEST(Prediction, DirtyLinesAreWrittenBackFirst) {
  // 64 MiB are read: as long as 80 MiB at the rate of reads and writes.
  Example e(8192);
  const Prediction p = predict(e.streams(256).call, h200());
  const double mib = 1 << 20;
  EXPECT_EQ(p.launches[0].dram_bytes, 64 * mib);
  EXPECT_GT(p.seconds, 78 * mib / h200().dram_gb_per_s(0.8) / 1e9);
  EXPECT_LT(p.seconds, 110 * mib / h200().dram_gb_per_s(0.8) / 1e9);
}

TEST(Prediction, AGpuStartsOneBlockAfterTheOther) {
  // 132000 blocks of an empty kernel take 82 us on an H200, however few threads they have.
  Example e(132'000);
  e.call.launches[0].block = {32, 1, 1};
  e.walks(1);
  const double seconds = predict(e.call, h200()).seconds;
  EXPECT_NEAR(seconds, 82e-6, 12e-6);
}

TEST(Prediction, ALaunchFindsInTheL2CacheWhatTheOneBeforeLeftThere) {
  Example e(2048);  // 16 MiB
  e.streams(256);
  e.walks(8).loads.push_back(e.load_of("X", 8, 0, 0));
  e.call.launches.push_back(e.call.launches[0]);
  const Prediction p = predict(e.call, h200());
  EXPECT_GT(p.launches[0].dram_bytes, 15 << 20);
  EXPECT_LT(p.launches[1].dram_bytes, 1 << 20);
  EXPECT_LT(p.launches[1].seconds, p.launches[0].seconds - 1.7e-6)
      << "DRAM is left out, and the code is there";
}

TEST(Prediction, LaunchesThatAreAlikeTakeTheTimeOfTheSecond) {
  Example e(132);
  e.streams(1 << 12);
  e.call.launches.resize(5, e.call.launches[0]);
  const Prediction p = predict(e.call, h200());
  ASSERT_EQ(p.launches.size(), 5);
  EXPECT_NE(p.launches[1].seconds, p.launches[0].seconds);
  double all = p.launches[0].seconds;
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(p.launches[i].seconds, p.launches[1].seconds);
    all += p.launches[i].seconds;
  }
  EXPECT_DOUBLE_EQ(p.seconds, all);
}

TEST(Prediction, AtomicsOfAllBlocksOnOneWordTakeTurns) {
  const auto seconds = [](bool same_word) {
    Example e(65'536);
    e.walks(1);
    simt::LineCounters &line = e.counters().lines[{"a.cu", 9}];
    line.atomic_requests = e.counters().atomic_requests = 1;
    simt::LaneSample sample;  // one lane of each block adds
    sample.at = {"a.cu", 9};
    sample.mask = 1;
    sample.buffer = "sum";
    sample.offsets.fill(-1);
    sample.offsets[0] = 0;
    e.call.samples.push_back(sample);
    const simt::UniqueSectors one{0, 0, 1}, two{0, 0, same_word ? 1u : 2u};
    e.call.launches[0].sectors.push_back({"sum", one, two, one, two});
    return predict(e.call, h200()).seconds;
  };
  // An H200 takes 118 us for 65536 blocks that add to one word.
  EXPECT_NEAR(seconds(true), 118e-6, 15e-6);
  EXPECT_LT(seconds(false), 70e-6);
}

TEST(Prediction, LoadsWaitLongerWhileMemoryIsBusyWithOthers) {
  // Of 8 blocks of 8 warps on each multiprocessor, each warp waits for one load of 128 bytes after the other: 8 KiB are in
  // flight, which at 685 cycles would be two thirds of the bandwidth. An H200 takes 118 us for 256 MiB.
  constexpr std::size_t turns = 248;
  Example e(132 * 8);
  e.streams(4 * 8 * turns);
  e.walks(turns).loads.push_back(e.load_of("X", 4 * turns, 0, 0));
  e.call.launches[0].path.loads[0].requests.first = e.call.launches[0].path.loads[0].lines = turns;
  EXPECT_NEAR(predict(e.call, h200()).seconds, 118e-6, 18e-6);
}

}  // namespace
}  // namespace warpgrade::predict
