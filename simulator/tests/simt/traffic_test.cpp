// Where memory traffic goes: by line and buffer, in distinct sectors, and lane by lane.
#include <set>

#include "sgemm.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::Sgemm;

constexpr Dim3 row_of_blocks(std::uint32_t blocks) {
  return {blocks, 1, 1};
}

LaunchResult run_product(const char *name, int size, Options options = {}) {
  Sgemm problem(size, size, size, options);
  const auto n = static_cast<std::uint32_t>(size);
  const std::string_view kernel = name;
  const bool tiles = kernel == "blocktile2d" || kernel == "vectorized";
  const Launch launch = kernel == "tile32" ? problem.tile32()
                        : tiles            ? problem.launch(name, {n / 128, n / 128, 1}, {256, 1, 1})
                                           : problem.launch(name, {n / 32, n / 8, 1}, {32, 8, 1});
  LaunchResult result = problem.device.launch(launch);
  EXPECT_EQ(result.status, Status::completed) << last(result);
  EXPECT_EQ(problem.result(), problem.want) << name;
  return result;
}

/// A kernel(in, out) with blocks; both buffers as large as requested, and all initialized.
LaunchResult run_blocks(const std::string &text, Dim3 grid, Options options = {},
                        std::uint64_t bytes = 1 << 16) {
  Device device(options);
  device.load(testing::parse(text));
  const Address in = device.allocate(bytes, "in", true), out = device.allocate(bytes, "out", true);
  Launch launch{"k", grid, {32, 1, 1}, 0, std::vector<std::byte>(16)};
  std::memcpy(launch.arguments.data(), &in, 8);
  std::memcpy(launch.arguments.data() + 8, &out, 8);
  LaunchResult result = device.launch(launch);
  EXPECT_EQ(result.status, Status::completed) << last(result);
  return result;
}

const AccessCounters &access_of(const LaunchResult &result, const AccessKey &key) {
  return result.counters.accesses.at(key);
}

TEST(Traffic, AMatrixProductTouchesEachSectorOfItsMatricesOnce) {
  // A, B and C are read, C is written: 4 bytes an element, 32 bytes a sector.
  for (const char *name : {"naive", "coalesced", "tile32", "blocktile2d", "vectorized"}) {
    const std::uint64_t matrix = 128 * 128 * 4 / 32;
    const UniqueSectors sectors = run_product(name, 128).counters.unique_sectors;
    EXPECT_EQ(sectors.loaded, 3 * matrix) << name;
    EXPECT_EQ(sectors.stored, matrix) << name;
    EXPECT_EQ(sectors.touched, 3 * matrix) << name;
  }
}

TEST(Traffic, SectorsOfRowsThatBeginInsideASectorCountOnce) {
  // 37 x 19 and 19 x 45 elements, rows of 76 and 180 bytes: whole matrices again, the last sector begun.
  Sgemm problem(37, 45, 19);
  const LaunchResult result = problem.device.launch(problem.naive());
  ASSERT_EQ(result.status, Status::completed) << last(result);
  const auto sectors = [](std::uint64_t rows, std::uint64_t columns) {
    return (rows * columns * 4 + 31) / 32;
  };
  EXPECT_EQ(result.counters.unique_sectors.loaded, sectors(37, 19) + sectors(19, 45) + sectors(37, 45));
  EXPECT_EQ(result.counters.unique_sectors.stored, sectors(37, 45));
  EXPECT_EQ(result.counters.compulsory_bytes(),
            32 * (sectors(37, 19) + sectors(19, 45) + 2 * sectors(37, 45)));
}

TEST(Traffic, AccessesAreByLineAndBufferWithUnrolledCopiesTogether) {
  // 64 x 64 results in 128 warps; the loop over 64 k is unrolled by 4. Lanes lie along the rows of A and C:
  // 32 sectors where 4 would do; B is one word for all.
  const LaunchResult result = run_product("naive", 64);
  ASSERT_EQ(result.counters.accesses.size(), 4u);
  const auto traffic = [](std::uint64_t requests, std::uint64_t sectors, std::uint64_t used,
                          std::uint64_t ideal) {
    return GlobalTraffic{requests, requests * sectors, requests * 128, requests * used, requests * ideal};
  };
  const auto at = [&](int line, bool store, const char *buffer) {
    return access_of(result, {{"sgemm.cu", line}, ptx::Space::global, store, 4, buffer}).global;
  };
  EXPECT_EQ(at(9, false, "A"), traffic(128 * 64, 32, 128, 4));
  EXPECT_EQ(at(9, false, "B"), traffic(128 * 64, 1, 4, 1));
  EXPECT_EQ(at(10, false, "C"), traffic(128, 32, 128, 4));
  EXPECT_EQ(at(10, true, "C"), traffic(128, 32, 128, 4));
}

TEST(Traffic, VectorAndSharedAccessesNameTheirWidthAndVariable) {
  // One block of 8 warps: a tile of 8 k is one 16-byte load of A and of B per thread; 128 / 8 = 16 tiles.
  const LaunchResult result = run_product("vectorized", 128);
  std::set<std::string> buffers;
  std::uint64_t wide_loads = 0, scalar_stores = 0;
  for (const auto &[key, access] : result.counters.accesses) {
    buffers.insert(key.buffer);
    if (key.space == ptx::Space::global && !key.store && key.bytes == 16 && key.buffer == "A")
      wide_loads += access.global.requests;
    if (key.space == ptx::Space::shared && key.store && key.bytes == 4 && key.buffer == "As")
      scalar_stores += access.shared.requests;
  }
  EXPECT_EQ(buffers, (std::set<std::string>{"A", "As", "B", "Bs", "C"}));
  EXPECT_EQ(wide_loads, 8u * 16);
  EXPECT_EQ(scalar_stores, 8u * 16 * 4);
}

TEST(Traffic, LinesAndAccessesAddUpToTheWhole) {
  for (const char *name : {"naive", "coalesced", "tile32", "blocktile2d", "vectorized"}) {
    const Counters c = run_product(name, 128).counters;
    LineCounters by_line;
    for (const auto &[line, counters] : c.lines) by_line += counters;
    EXPECT_EQ(by_line, static_cast<const LineCounters &>(c)) << name;
    LineCounters by_access;
    std::map<SourceLine, LineCounters> lines;
    for (const auto &[key, access] : c.accesses) {
      LineCounters one;
      (key.store ? one.global_store : one.global_load) = access.global;
      (key.store ? one.shared_store : one.shared_load) = access.shared;
      by_access += one;
      lines[key.at] += one;
    }
    EXPECT_EQ(by_access.global_load, c.global_load) << name;
    EXPECT_EQ(by_access.global_store, c.global_store) << name;
    EXPECT_EQ(by_access.shared_load, c.shared_load) << name;
    EXPECT_EQ(by_access.shared_store, c.shared_store) << name;
    for (const auto &[line, counters] : lines) {
      EXPECT_EQ(counters.global_load, c.lines.at(line).global_load) << name << line.line;
      EXPECT_EQ(counters.shared_load, c.lines.at(line).shared_load) << name << line.line;
    }
  }
}

TEST(Traffic, ARequestToTwoBuffersHasNoName) {
  // Lanes below 16 load from in, the others from out; then the same instruction loads from each alone.
  const LaunchResult result = run_blocks(
      kernel("setp.lt.u32 %p1, %tid, 16; selp.b64 %d1, %in, %out, %p1; mov.u32 %r1, 0;\n"
             "again: ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, 1; setp.eq.u32 %p2, %r1, 1; selp.b64 %d1, "
             "%in, %out, %p2; setp.lt.u32 %p3, %r1, 4; @%p3 bra again;"),
      row_of_blocks(1));
  const AccessKey key{{}, ptx::Space::global, false, 4, ""};
  const auto requests = [&](const char *buffer) {
    AccessKey named = key;
    named.buffer = buffer;
    return access_of(result, named).global.requests;
  };
  EXPECT_EQ(result.counters.accesses.size(), 3u);
  EXPECT_EQ(requests(""), 1u);
  EXPECT_EQ(requests("in"), 1u);
  EXPECT_EQ(requests("out"), 2u);
  // 32 lanes 32 bytes apart: a sector each, of which lane t's is touched in `in` and in `out`.
  EXPECT_EQ(result.counters.unique_sectors.loaded, 64u);
}

TEST(Traffic, AtomicsTouchSectorsButNeitherLoadNorStoreThem) {
  const LaunchResult result =
      run_blocks(kernel("red.global.add.u32 [%out], 1; ld.global.u32 %r1, [%in];"), row_of_blocks(1));
  EXPECT_EQ(result.counters.unique_sectors, (UniqueSectors{32, 0, 64}));
  EXPECT_EQ(result.counters.atomic_requests, 1u);
  EXPECT_EQ(result.counters.global_atomics, 32u);
  EXPECT_EQ(result.counters.accesses.size(), 1u);
}

TEST(Traffic, AtomicsInSharedMemoryDoNotCountAsGlobal) {
  const LaunchResult result =
      run_blocks(kernel("mov.u32 %r1, T; red.shared.add.u32 [%r1], 1;", ".shared .align 16 .b8 T[512];\n"),
                 row_of_blocks(1));
  EXPECT_EQ(result.counters.atomic_requests, 1u);
  EXPECT_EQ(result.counters.global_atomics, 0u);
}

TEST(Traffic, ABranchIsDivergentOnlyWhereTheLanesOfAWarpDiverge) {
  const auto branches = [](const std::string &condition) {
    return run_blocks(
               kernel("setp." + condition + " %p1, %tid, 16; @%p1 bra over; ld.global.u32 %r1, [%in]; over:"),
               row_of_blocks(1))
        .counters.divergent_branches;
  };
  EXPECT_EQ(branches("lt.u32"), 1u);  // lanes 0 to 15 leave
  EXPECT_EQ(branches("lt.s32"), 1u);
  EXPECT_EQ(branches("ge.u32"), 1u);
  EXPECT_EQ(run_blocks(kernel("setp.lt.u32 %p1, %tid, 64; @%p1 bra over; ld.global.u32 %r1, [%in]; over:"),
                       row_of_blocks(1))
                .counters.divergent_branches,
            0u);
}

TEST(Traffic, AsynchronousCopiesLoadWhatTheyRead) {
  // 16 bytes per lane, 32 bytes apart: half of each of 32 sectors
  const LaunchResult result = run_blocks(
      kernel("mov.u32 %r1, T; shl.b32 %r2, %tid, 4; add.u32 %r1, %r1, %r2; cp.async.cg.shared.global "
             "[%r1], [%in], 16; cp.async.wait_all; ld.shared.u32 %r3, [%r1];",
             ".shared .align 16 .b8 T[512];\n"),
      row_of_blocks(1));
  EXPECT_EQ(result.counters.unique_sectors, (UniqueSectors{32, 0, 32}));
  const AccessKey key{{}, ptx::Space::global, false, 16, "in"};
  EXPECT_EQ(access_of(result, key).global, (GlobalTraffic{1, 32, 512, 512, 16}));
}

TEST(Traffic, TheEndsOfALargeAllocationAreTwoSectors) {
  const std::uint64_t bytes = 1ull << 30;
  const LaunchResult result = run_blocks(
      kernel("ld.param.u64 %d1, [k_in]; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+1073741820];"),
      row_of_blocks(1), {}, bytes);
  EXPECT_EQ(result.counters.unique_sectors, (UniqueSectors{2, 0, 2}));
}

TEST(Traffic, ScatteredRequestsWhoseLanesChangeEveryTimeAreCountedEach) {
  // Request i of 4: lane t at byte 32 * (t * (i + 1)), so distinct sectors are the products t * (i + 1) <
  // 125.
  const LaunchResult result = run_blocks(
      kernel("ld.param.u64 %d1, [k_in]; mov.u32 %r1, 0;\n"
             "again: add.u32 %r1, %r1, 1; mul.lo.u32 %r2, %tid, %r1; mul.wide.u32 %d2, %r2, 32; add.u64 %d3, "
             "%d1, %d2; ld.global.u32 %r3, [%d3]; setp.lt.u32 %p1, %r1, 4; @%p1 bra again;"),
      row_of_blocks(1));
  std::set<int> sectors;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 1; i <= 4; ++i) sectors.insert(lane * i);
  EXPECT_EQ(result.counters.unique_sectors.loaded, sectors.size());
  EXPECT_EQ(result.counters.global_load, (GlobalTraffic{4, 128, 512, 512, 16}));
}

TEST(Traffic, LocalMemoryIsCountedByLineAndDirection) {
  // Each of 32 threads stores 8 bytes and loads 4.
  const LaunchResult result = run_blocks(
      kernel(".local .align 8 .b8 depot[16]; .reg .b64 %SPL; mov.u64 %SPL, depot; st.local.u64 [%SPL], %in; "
             "ld.local.u32 %r1, [%SPL+4];"),
      row_of_blocks(2));
  EXPECT_EQ(result.counters.local_store, (LocalTraffic{2, 512}));
  EXPECT_EQ(result.counters.local_load, (LocalTraffic{2, 256}));
  EXPECT_EQ(result.counters.local_accesses, 4u);
  EXPECT_EQ(result.counters.lines.at({}).local_load, result.counters.local_load);
}

TEST(Traffic, NothingDependsOnTheNumberOfThreads) {
  for (const char *name : {"naive", "coalesced", "tile32", "blocktile2d", "vectorized"}) {
    Options options;
    options.sample_lanes = true;
    const LaunchResult first = run_product(name, 256, options);
    for (const int threads : {2, 3, 8}) {
      options.threads = threads;
      options.alone_until = 0;
      const LaunchResult other = run_product(name, 256, options);
      EXPECT_EQ(other.counters, first.counters) << name;
      EXPECT_EQ(other.samples, first.samples) << name;
    }
  }
}

TEST(Samples, AreTakenOnlyOnRequestAndChangeNothing) {
  Options options;
  const LaunchResult without = run_product("tile32", 64, options);
  EXPECT_TRUE(without.samples.empty());
  options.sample_lanes = true;
  const LaunchResult with = run_product("tile32", 64, options);
  EXPECT_FALSE(with.samples.empty());
  EXPECT_EQ(with.counters, without.counters);
}

TEST(Samples, ShowTheLanesOfARequestWithItsCost) {
  Options options;
  options.sample_lanes = true;
  const LaunchResult result = run_product("naive", 64, options);
  int of_a = 0, of_b = 0;
  for (const LaneSample &sample : result.samples) {
    if (sample.at.line != 9) continue;
    EXPECT_EQ(sample.mask, 0xFFFFFFFFu);
    EXPECT_EQ(sample.bytes, 4u);
    EXPECT_EQ(sample.block, (Dim3{0, 0, 0}));
    EXPECT_EQ(sample.warp, 0u);
    EXPECT_FALSE(sample.store);
    const bool a = sample.buffer == "A";
    (a ? of_a : of_b) += 1;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::int64_t apart = a ? 64 * 4 : 0;
      EXPECT_EQ(sample.offsets[lane] - sample.offsets[0], static_cast<std::int64_t>(lane) * apart);
    }
    EXPECT_EQ(sample.cost, a ? 32u : 1u);
    EXPECT_EQ(sample.ideal, a ? 4u : 1u);
  }
  EXPECT_GT(of_a, 0);
  EXPECT_EQ(of_a, of_b);
}

TEST(Trace, HoldsEveryRequestOfOneBlockInOrderAndChangesNothing) {
  // 64 x 64 in tiles of 32: block 3 has rows and columns 32 to 63; two strides with two barriers each.
  Options options;
  const LaunchResult without = run_product("tile32", 64, options);
  EXPECT_TRUE(without.trace.empty());
  options.trace = TraceOptions{.block = 3};
  for (const int threads : {1, 3}) {
    options.threads = threads;
    options.alone_until = 0;
    const LaunchResult with = run_product("tile32", 64, options);
    EXPECT_EQ(with.counters, without.counters);
    EXPECT_TRUE(with.samples.empty());
    std::uint64_t loads = 0, stores = 0, phase = 0;
    for (const TracedRequest &r : with.trace) {
      EXPECT_EQ(r.block, (Dim3{1, 1, 0}));
      EXPECT_GE(r.phase, phase) << "a barrier keeps what is before it from what is behind it";
      phase = r.phase;
      if (r.space != ptx::Space::global) continue;
      (r.store ? stores : loads) += 1;
      if (r.buffer != "A") continue;
      // Lane 0 of warp w loads A[32 + w][32 s] in stride s, after 2 s barriers.
      EXPECT_EQ(r.offsets[0], static_cast<std::int64_t>(4 * ((32 + r.warp) * 64 + 32 * (r.phase / 2))));
    }
    EXPECT_EQ(loads, 32u * (2 * 2 + 1)) << "a warp loads from A and B in two strides, and from C";
    EXPECT_EQ(stores, 32u);
    EXPECT_EQ(phase, 4u);
  }
}

TEST(Trace, EndsAtItsMaximumLength) {
  Options options;
  options.trace = TraceOptions{.block = 0, .most = 5};
  EXPECT_EQ(run_product("tile32", 64, options).trace.size(), 5u);
  options.trace = TraceOptions{.block = 4};  // there are four
  EXPECT_TRUE(run_product("tile32", 64, options).trace.empty());
}

TEST(Samples, OfSharedMemoryShowTheAccessedBanks) {
  // Lane t stores word 2 t: two lanes to a bank, two wavefronts where one would do.
  Options options;
  options.sample_lanes = true;
  const LaunchResult result = run_blocks(
      kernel("mov.u32 %r1, T; shl.b32 %r2, %tid, 3; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], 1;",
             ".shared .align 16 .b8 T[256];\n"),
      row_of_blocks(1), options);
  ASSERT_EQ(result.samples.size(), 1u);
  const LaneSample &sample = result.samples.front();
  EXPECT_EQ(sample.space, ptx::Space::shared);
  EXPECT_TRUE(sample.store);
  EXPECT_EQ(sample.buffer, "T");
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(sample.offsets[lane], static_cast<std::int64_t>(8 * lane)) << "from the start of T";
  EXPECT_EQ(sample.cost, 2u);
  EXPECT_EQ(sample.ideal, 1u);
}

TEST(Samples, KeepTheRequestWithTheMostLanesOfTheLowestBlock) {
  // In block b the lanes below 8 (b + 1) load: blocks 3, 4 and 5 have all 32.
  const std::string text = kernel(
      "mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 1; shl.b32 %r1, %r1, 3; setp.lt.u32 %p1, %tid, %r1; @%p1 "
      "ld.global.u32 %r2, [%in];");
  for (const int threads : {1, 2, 3}) {
    Options options;
    options.sample_lanes = true;
    options.threads = threads;
    options.alone_until = 0;
    const LaunchResult all = run_blocks(text, row_of_blocks(6), options);
    ASSERT_EQ(all.samples.size(), 1u);
    EXPECT_EQ(all.samples.front().block, (Dim3{3, 0, 0}));
    EXPECT_EQ(all.samples.front().mask, 0xFFFFFFFFu);
    const LaunchResult few = run_blocks(text, row_of_blocks(2), options);
    ASSERT_EQ(few.samples.size(), 1u);
    EXPECT_EQ(few.samples.front().mask, 0xFFFFu);
    EXPECT_EQ(few.samples.front().offsets[15], 15 * 32);
    EXPECT_EQ(few.samples.front().offsets[16], -1);
  }
}

TEST(Samples, OfAsynchronousCopiesShowWhereTheyRead) {
  Options options;
  options.sample_lanes = true;
  const LaunchResult result = run_blocks(
      kernel("mov.u32 %r1, T; shl.b32 %r2, %tid, 4; add.u32 %r1, %r1, %r2; cp.async.cg.shared.global "
             "[%r1], [%in+16], 16; cp.async.wait_all;",
             ".shared .align 16 .b8 T[512];\n"),
      row_of_blocks(1), options);
  ASSERT_EQ(result.samples.size(), 1u);
  EXPECT_EQ(result.samples.front().space, ptx::Space::global);
  EXPECT_EQ(result.samples.front().buffer, "in");
  EXPECT_EQ(result.samples.front().offsets[2], 2 * 32 + 16);
  EXPECT_EQ(result.samples.front().cost, 32u);
  EXPECT_EQ(result.samples.front().ideal, 16u);
}

}  // namespace
}  // namespace warpgrade::simt
