// Counting rules against an NVIDIA H200: golden/*.csv hold what its hardware counters said.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "harness.hpp"
#include "machine/block_run.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

std::vector<std::string> split(const std::string &line, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Op::site of a shuffle is the number of its mask, of isspacep the number of a space: neither names a site.
template <typename T>
concept Countable = requires(BlockRun &run, const T &what) {
  run.count(what);
};
static_assert(Countable<Site>);
static_assert(!Countable<Op>);

TEST(Counters, All108AccessPatternsCostWhatTheHardwareCounts) {
  std::stringstream rows(testing::read_text("golden/h200_access_patterns.csv"));
  std::string line;
  std::getline(rows, line);
  int count = 0;
  while (std::getline(rows, line)) {
    const auto parts = split(line, ',');
    std::uint64_t offsets[32];
    std::uint32_t mask = 0, lane = 0;
    for (const std::string &text : split(parts[3], ' ')) {
      const int offset = std::stoi(text);
      offsets[lane] = offset < 0 ? 0 : static_cast<std::uint64_t>(offset) + 4096;
      if (offset >= 0) mask |= 1u << lane;
      ++lane;
    }
    const std::uint32_t bytes = static_cast<std::uint32_t>(std::stoi(parts[1])) / 8;
    const Wavefronts cost = count_wavefronts(offsets, mask, bytes, parts[0] == "store");
    EXPECT_EQ(cost.wavefronts, std::stoul(parts[4])) << line;
    EXPECT_EQ(cost.conflicts, std::stoul(parts[5])) << line;
    EXPECT_EQ(count_sectors(offsets, mask, bytes), std::stoul(parts[6])) << line;
    ++count;
  }
  EXPECT_EQ(count, 108);
}

struct Golden {
  const char *symbol;
  Dim3 grid, block;
};

std::uint32_t up(int a, int b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

Golden golden(const std::string &name, int m, int n) {
  const auto u = [](int a, int b) { return up(a, b); };
  if (name == "rows_across_threads")
    return {"_Z19rows_across_threadsPKfS0_Pfiii", {u(m, 32), u(n, 8), 1}, {32, 8, 1}};
  if (name == "columns_across_threads")
    return {"_Z22columns_across_threadsPKfS0_Pfiii", {u(n, 32), u(m, 8), 1}, {32, 8, 1}};
  if (name == "tile16") return {"_Z6tile16PKfS0_Pfiii", {u(n, 16), u(m, 16), 1}, {16, 16, 1}};
  if (name == "tile32_transposed<1>")
    return {"_Z17tile32_transposedILi1EEvPKfS1_Pfiii", {u(n, 32), u(m, 32), 1}, {32, 32, 1}};
  if (name == "tile32_transposed<0>")
    return {"_Z17tile32_transposedILi0EEvPKfS1_Pfiii", {u(n, 32), u(m, 32), 1}, {32, 32, 1}};
  if (name == "registers8x8") return {"_Z12registers8x8PKfS0_Pfiii", {u(n, 64), u(m, 64), 1}, {64, 1, 1}};
  if (name == "vector128") return {"_Z9vector128PKfS0_Pfiii", {u(n, 64), u(m, 64), 1}, {256, 1, 1}};
  if (name == "dot_by_warp") return {"_Z11dot_by_warpPKfS0_Pfiii", {u(m * n, 4), 1, 1}, {128, 1, 1}};
  if (name == "tile16_double") return {"_Z13tile16_doublePKdS0_Pdiii", {u(n, 16), u(m, 16), 1}, {16, 16, 1}};
  if (name == "transpose_padded") return {"_Z16transpose_paddedPKfPfii", {u(n, 32), u(m, 32), 1}, {32, 8, 1}};
  return {"_Z12uneven_loopsPKfPfi", {u(m * n, 256), 1, 1}, {256, 1, 1}};
}

LaunchResult run_golden(const Golden &kernel, const std::string &name, int m, int n, int k,
                        const std::shared_ptr<const ptx::Module> &module) {
  Device device;
  device.load(module);
  const std::uint64_t width = name == "tile16_double" ? 8 : 4;
  const auto make = [&](int rows, int columns, const char *buffer) {
    return device.allocate(static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns) * width,
                           buffer, true);
  };
  const Address left = make(m, k, "L"), right = make(k, n, "R"), product = make(m, n, "P"),
                turned = make(m, n, "T");
  std::vector<std::byte> arguments;
  const auto push = [&arguments](auto value) {
    while (arguments.size() % sizeof value) arguments.push_back({});
    const auto *bytes = reinterpret_cast<const std::byte *>(&value);
    arguments.insert(arguments.end(), bytes, bytes + sizeof value);
  };
  if (name == "transpose_padded")
    push(product), push(turned), push(m), push(n);
  else if (name == "uneven_loops")
    push(left), push(product), push(m * k < m * n ? m * k : m * n);
  else
    push(left), push(right), push(product), push(m), push(n), push(k);
  return device.launch({kernel.symbol, kernel.grid, kernel.block, 0, arguments});
}

/// Thread i reads element (3 i + 17 k) mod n in passes k = 0 .. i mod 7; the lanes that run a load together
/// share a request. As written, these are those of one k.
std::uint64_t sectors_of_uneven_loops(int n, const std::function<int(int i, int k)> &together) {
  std::uint64_t total = 0;
  for (int first = 0; first < n; first += 32) {
    std::map<int, std::set<int>> requests;
    for (int i = first; i < std::min(first + 32, n); ++i)
      for (int k = 0; k <= i % 7; ++k) requests[together(i, k)].insert((i * 3 + k * 17) % n / 8);
    for (const auto &[load, sectors] : requests) total += sectors.size();
  }
  return total;
}

/// The seven LDG that ptxas makes of it: four for threads with four passes or more, two for those with two or
/// three left, one for what is left then. All have one request a warp, as have the seven passes; only who
/// meets in them differs.
int unrolled(int i, int k) {
  const int passes = i % 7 + 1, left = passes % 4, before = passes - left;
  if (k < before) return k;
  return left >= 2 && k < before + 2 ? 4 + (k - before) : 6;
}

TEST(Counters, GlobalTrafficAndFlopsOfWholeKernelsAreTheHardwares) {
  const auto module = testing::parse(testing::read_text("golden/kernels.ptx"));
  std::stringstream rows(testing::read_text("golden/h200_kernels.csv"));
  std::string line;
  std::getline(rows, line);
  const auto header = split(line, ',');
  int count = 0;
  while (std::getline(rows, line)) {
    std::map<std::string, std::string> row;
    const auto parts = split(line, ',');
    for (std::size_t i = 0; i < parts.size(); ++i) row[header[i]] = parts[i];
    const std::string name = row["kernel"];
    const int m = std::stoi(row["M"]), n = std::stoi(row["N"]), k = std::stoi(row["K"]);
    const LaunchResult result = run_golden(golden(name, m, n), name, m, n, k, module);
    SCOPED_TRACE(fmt::format("{} {}x{}x{}", name, m, n, k));
    ASSERT_EQ(result.status, Status::completed) << testing::last(result);
    const auto want = [&row](const char *column) { return std::stoull(row[column]); };
    const Counters &c = result.counters;
    EXPECT_EQ(c.global_load.requests, want("global_load_requests"));
    if (name == "uneven_loops") {
      const int elements = std::min(m * k, m * n);
      EXPECT_EQ(c.global_load.sectors, sectors_of_uneven_loops(elements, [](int, int pass) { return pass; }));
      EXPECT_EQ(sectors_of_uneven_loops(elements, unrolled), want("global_load_sectors"));
    } else {
      EXPECT_EQ(c.global_load.sectors, want("global_load_sectors"));
    }
    EXPECT_EQ(c.global_store.requests, want("global_store_requests"));
    EXPECT_EQ(c.global_store.sectors, want("global_store_sectors"));
    // ptxas moves the last add of the warp's sum into the branch of lane 0, one lane instead of 32 per
    // result.
    const std::uint64_t moved = name == "dot_by_warp" ? 31ull * static_cast<unsigned>(m * n) : 0;
    EXPECT_EQ(c.fp32_add, want("fadd_threads") + moved);
    EXPECT_EQ(c.fp32_mul, want("fmul_threads"));
    EXPECT_EQ(c.fp64_fma, want("dfma_threads"));
    EXPECT_EQ(c.fp32_fma, want("ffma_threads"));
    // The hardware also counts instructions whose lanes are all switched off by a predicate, which ptxas
    // makes of the branches at a ragged edge.
    const bool ragged_transpose = name == "transpose_padded" && m != 256;
    if (!ragged_transpose) {
      EXPECT_EQ(c.shared_load.compiled_requests, want("shared_load_requests"));
      EXPECT_EQ(c.shared_store.compiled_requests, want("shared_store_requests"));
    }
    // 1916 wavefronts of the largest run are noise of the hardware, 0.1 %.
    const std::uint64_t noise = name == "tile16_double" && m == 256 ? 1916 : 0;
    EXPECT_EQ(c.shared_load.compiled_wavefronts + noise, want("shared_load_wavefronts"));
    EXPECT_EQ(c.shared_load.compiled_conflicts + noise, want("shared_load_conflicts"));
    EXPECT_LE(c.shared_store.compiled_wavefronts, want("shared_store_wavefronts"));
    EXPECT_GE(c.shared_store.compiled_wavefronts * 115, want("shared_store_wavefronts") * 100);
    EXPECT_LE(c.shared_store.compiled_conflicts, want("shared_store_conflicts"));
    ++count;
  }
  EXPECT_EQ(count, 31);
}

TEST(Counters, NeighboursInSharedMemoryAreMergedAsCompiled) {
  // 4 scalar loads of neighbours off an aligned base: one of 16 bytes, 4 phases; off an unaligned one: as
  // written
  const std::string shared = ".shared .align 4 .b8 T[1024];\n";
  const std::string loads =
      "ld.shared.u32 %r1, [%r9]; ld.shared.u32 %r2, [%r9+4]; ld.shared.u32 %r3, [%r9+8]; ld.shared.u32 %r4, "
      "[%r9+12];";
  Options options;
  options.check_initialized = false;
  const auto aligned = testing::run(
      testing::kernel("mov.u32 %r8, T; shl.b32 %r7, %tid, 4; add.u32 %r9, %r8, %r7;\n" + loads, shared), {},
      32, options);
  const SharedTraffic &vector = aligned.result.counters.shared_load;
  EXPECT_EQ(vector.requests, 4u);
  EXPECT_EQ(vector.wavefronts, 16u) << "stride 4 words: 4 lanes in one bank, 4 times";
  EXPECT_EQ(vector.compiled_requests, 1u);
  EXPECT_EQ(vector.compiled_wavefronts, 4u);
  EXPECT_EQ(vector.compiled_conflicts, 0u);
  const auto other = testing::run(
      testing::kernel("mov.u32 %r8, T; mul.lo.u32 %r7, %tid, 12; add.u32 %r9, %r8, %r7;\n" + loads, shared),
      {}, 32, options);
  EXPECT_EQ(other.result.counters.shared_load.compiled_requests, 4u);
}

TEST(Counters, WaitingForOtherThreadsAndGridsIsCooperation) {
  for (const char *ptx :
       {"griddepcontrol.wait;", "griddepcontrol.launch_dependents;", "setmaxnreg.inc.sync.aligned.u32 232;",
        "mbarrier.init.shared.b64 [barrier], 32;"}) {
    const auto got = testing::run(testing::kernel(ptx, ".shared .align 8 .b64 barrier;\n"));
    const auto without = testing::run(testing::kernel("", ".shared .align 8 .b64 barrier;\n"));
    const auto of = [](const auto &ran, InstructionClass one) {
      return ran.result.counters.by_class[static_cast<std::size_t>(one)];
    };
    EXPECT_EQ(of(got, InstructionClass::cooperation), 1u) << ptx;
    EXPECT_EQ(of(got, InstructionClass::integer), of(without, InstructionClass::integer)) << ptx;
  }
}

TEST(Counters, ClassesAndUsedBytesAddUp) {
  // one element in two: 32 lanes of 4 bytes with 8 between them touch 8 sectors and use half of each
  const auto got = testing::run(testing::kernel(
      "mul.wide.u32 %d1, %tid, 24; sub.s64 %d2, %in, %d1; ld.global.f32 %f1, [%d2]; add.f32 %f1, "
      "%f1, %f1; bar.sync 0;"));
  const Counters &c = got.result.counters;
  EXPECT_EQ(c.global_load.sectors, 8u);
  EXPECT_EQ(c.global_load.used_bytes, 128u);
  std::uint64_t sum = 0;
  for (const std::uint64_t one : c.by_class) sum += one;
  EXPECT_EQ(sum, c.warp_instructions);
  EXPECT_EQ(c.by_class[static_cast<std::size_t>(InstructionClass::single)], 1u);
  EXPECT_EQ(c.by_class[static_cast<std::size_t>(InstructionClass::cooperation)], 1u);
  EXPECT_EQ(c.lane_efficiency(), 1.0);
}

TEST(Counters, LinesAddUpToTheLaunch) {
  // A guarded barrier is a branch and a barrier; a guarded addition counts for the 16 lanes that do it.
  const auto got =
      testing::run(testing::kernel(".loc 1 7 1\nsetp.lt.u32 %p1, %tid, 64;\n"
                                   ".loc 1 8 1\n@%p1 bar.sync 0;\n"
                                   ".loc 1 9 1\nsetp.lt.u32 %p2, %tid, 16; @%p2 add.f32 %f1, %f2, %f3;\n"
                                   "ld.global.u32 %r1, [%in]; red.global.add.u32 [%out], %r1;\n"
                                   ".loc 1 10 1\n@%p2 bra over; mul.f64 %g1, %g1, %g1; over:\n",
                                   ".file 1 \"k.cu\"\n"),
                   {}, 64);
  const Counters &c = got.result.counters;
  EXPECT_EQ(c.fp32_add, 16u);
  EXPECT_EQ(c.lines.at({"k.cu", 8}).warp_instructions, 4u) << "a branch and a barrier for each of two warps";
  LineCounters sum;
  for (const auto &[line, counters] : c.lines) sum += counters;
  EXPECT_EQ(sum, static_cast<const LineCounters &>(c));
}

}  // namespace
}  // namespace warpgrade::simt
