// The second golden set: kernels that hw6's solutions and submissions bring, against what an NVIDIA H200
// counted. Nothing is compared loosely: where the machine code does something else than the PTX says,
// `Machine` has how much, and golden/README.md what it was seen to do.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

struct Size {
  int M, N, K;
};

struct GoldenLaunch {
  std::string name, kernel;
  Dim3 (*grid)(int M, int N, int K);
  Dim3 block;
  std::uint32_t shared;
  std::string arguments;
  bool quads;
};

constexpr std::uint32_t up(int a, int b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}
Dim3 dim(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
  return {x, y, z};
}
Dim3 dim(int x, std::uint32_t y = 1, std::uint32_t z = 1) {
  return {static_cast<std::uint32_t>(x), y, z};
}
Dim3 dim(std::uint32_t x, int y) {
  return {x, static_cast<std::uint32_t>(y), 1};
}
Dim3 dim(int x, int y, int z = 1) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
}
Dim3 dim(std::uint32_t x, std::uint32_t y, int z) {
  return {x, y, static_cast<std::uint32_t>(z)};
}

/// "(f<1, 2>)", as a macro with commas needs it, to "f<1, 2>".
std::string bare(std::string kernel) {
  return kernel.front() == '(' ? kernel.substr(1, kernel.size() - 2) : kernel;
}

const std::vector<GoldenLaunch> &launches() {
  static const std::vector<GoldenLaunch> all = {
#define LAUNCH(name, kernel, grid, block, shared, arguments, check, quads)                \
  {name,      bare(#kernel), []([[maybe_unused]] int M, [[maybe_unused]] int N, int) { return dim grid; }, \
   dim block, shared,        arguments,                                                   \
   quads},
#include "golden/launches2.inc"
#undef LAUNCH
  };
  return all;
}

/// The mangled name of the kernel that C++ calls "solution4::gemm_tiles<32, 32, 2, 2>".
std::string symbol_of(const ptx::Module &module, const std::string &kernel) {
  for (const ptx::KernelFacts &one : module.kernels)
    if (ptx::demangle(one.name).starts_with(kernel + "(")) return one.name;
  return {};
}

LaunchResult simulate(const GoldenLaunch &golden, Size size,
                      const std::shared_ptr<const ptx::Module> &module) {
  const auto [M, N, K] = size;
  Options options;
  options.threads = 2;
  options.alone_until = 0;
  options.check_races = options.check_initialized = false;  // other tests check; this one counts
  Device device(options);
  device.load(module);
  std::vector<std::byte> packed;
  const auto push = [&packed](auto value) {
    while (packed.size() % sizeof value) packed.push_back({});
    const auto *bytes = reinterpret_cast<const std::byte *>(&value);
    packed.insert(packed.end(), bytes, bytes + sizeof value);
  };
  const auto buffer = [&](int count, std::uint64_t width, char letter) {
    push(device.allocate(static_cast<std::uint64_t>(count) * width, std::string(1, letter), true));
  };
  for (const char letter : golden.arguments) {
    const std::string_view left = "AXpD", right = "BYqE", result = "CUF";
    const std::uint64_t width = letter == 'D' || letter == 'E' || letter == 'F' ? 8
                                : letter == 'X' || letter == 'Y'                ? 2
                                : letter == 'p' || letter == 'q'                ? 1
                                                                                : 4;
    if (left.find(letter) != left.npos)
      buffer(M * K, width, letter);
    else if (right.find(letter) != right.npos)
      buffer(K * N, width, letter);
    else if (result.find(letter) != result.npos)
      buffer(M * N, width, letter);
    else if (letter == 'W')
      buffer(4 * M * N, width, letter);
    else if (letter == 'T')
      buffer(64, width, letter);
    else if (letter == 'a' || letter == 'b')
      push(letter == 'a' ? 1.5f : 0.5f);
    else
      push(letter == 'M' ? M : letter == 'N' ? N : letter == 'K' ? K : M * N);
  }
  const std::string symbol = symbol_of(*module, golden.kernel);
  device.set_max_dynamic_shared(symbol, golden.shared);
  return device.launch({symbol, golden.grid(M, N, K), golden.block, golden.shared, packed});
}

/// A row of h200_kernels2.csv.
class Row {
 public:
  Row(const std::vector<std::string> &header, const std::string &line) {
    std::stringstream cells(line);
    std::string cell;
    for (const std::string &column : header)
      if (std::getline(cells, cell, ',')) cells_[column] = cell;
  }
  const std::string &text(const std::string &column) const { return cells_.at(column); }
  std::uint64_t operator()(const std::string &column) const { return std::stoull(text(column)); }
  Size size() const { return {std::stoi(text("M")), std::stoi(text("N")), std::stoi(text("K"))}; }

 private:
  std::map<std::string, std::string> cells_;
};

std::vector<Row> rows_of(const char *file) {
  std::stringstream lines(testing::read_text(file));
  std::string line, column;
  std::getline(lines, line);
  std::vector<std::string> header;
  for (std::stringstream columns(line); std::getline(columns, column, ',');) header.push_back(column);
  std::vector<Row> rows;
  while (std::getline(lines, line)) rows.emplace_back(header, line);
  return rows;
}

/// What the counters must be of the machine code that ptxas made of a kernel.
struct Machine {
  SharedTraffic load, store;  ///< of these, what is "as compiled"
  std::uint64_t fp32_add = 0, half = 0;
};

/// 16-bit instructions that a thread runs to set a register: HFMA2.MMA R, -RZ, RZ, a, b is how ptxas writes
/// `mov`.
std::uint64_t constants_by_hfma(const std::string &name, Size size, std::uint64_t threads) {
  const auto [M, N, K] = size;
  const auto of = [](std::uint32_t each) { return std::uint64_t{each}; };
  const std::set<std::string> once = {
      "store128",        "dynamic_tiles", "half_tiles", "half2_tiles",           "times_transposed<0>",
      "column_of_eight", "row_norms",     "cp_async",   "transposed_tile_padded"};
  const std::set<std::string> twice = {"step4_tiles<64>", "step4_tiles<32>", "vector_loads_when_aligned"};
  if (once.count(name)) return threads;
  if (twice.count(name)) return 2 * threads;
  if (name == "float4_guarded") return 5 * threads;
  // once, and in each pass of the loop over tiles
  if (name == "pairs64") return threads * of(1 + up(K, 16));
  if (name == "times_transposed<1>" || name == "step2_shared") return threads * of(1 + up(K, 32));
  if (name == "split_k") return threads * of(1 + up(static_cast<int>(up(K, 4)), 16));
  if (name == "vector_epilogue") return threads * of(1 + 2 * up(K, 16));
  if (name == "warp_tiles") return threads * of(2 * up(K, 8));
  if (name == "carved_shared_100k") return threads * of(2 + up(K, 64));
  if (name == "coarse_columns") return threads * of(1 + 2 * up(K, 8) + static_cast<std::uint32_t>(K));
  if (name == "step3_blocktile")
    return threads * of(K % 8 == 0 ? 2 : 4);  // the path of a tile beyond the edge
  // only in threads that have a result to compute, or elements to add up
  const auto results = static_cast<std::uint64_t>(M * N);
  if (name == "step1_coalesced") return results;
  if (name == "step4_few_rows") return results * 32;
  if (name == "step4_few_columns") return results * of(256 + 2 * static_cast<std::uint32_t>(K));
  if (name == "shuffled_row") return of(static_cast<std::uint32_t>(M)) * up(N, 32) * 32 * 2 * up(K, 32);
  if (name == "split_k_atomics") return results * 4 * of(up(K, 4) % 4 == 0 ? 1 : 2);
  return 0;
}

Machine compiled(const GoldenLaunch &golden, Size size, const Counters &c) {
  const auto [M, N, K] = size;
  const std::string &name = golden.name;
  const Dim3 grid = golden.grid(M, N, K);
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::uint64_t threads = blocks * golden.block.x * golden.block.y, warps = threads / 32;
  const std::uint64_t lanes_of_half = 32 * c.by_class[static_cast<std::size_t>(InstructionClass::half)];
  Machine machine{c.shared_load, c.shared_store, c.fp32_add,
                  lanes_of_half + constants_by_hfma(name, size, threads)};
  std::uint64_t &loads = machine.load.compiled_requests, &stores = machine.store.compiled_requests;

  // The hardware also counts instructions all of whose lanes are switched off, which ptxas makes of short
  // branches.
  if (name == "bins" || name == "tickets_shared")
    stores = warps;  // if (threadIdx.x < 64) mine[threadIdx.x] = 0
  if (name == "row_norms") loads = 14 * warps + blocks, stores = 8 * warps;          // 7 steps of the tree
  if (name == "step4_few_columns") loads = 16 * warps + blocks, stores = 9 * warps;  // 8 steps of the tree
  if (name == "carved_shared_100k")  // 512 LDS of products, 16 x 3 around the 32 STS of the tiles
    loads = warps * up(K, 64) * 560, stores = warps * up(K, 64) * 32 + warps + 2 * blocks;
  if (name == "cp_async") stores = warps * up(K, 16) * 2;  // zeros beyond the edge
  // Before each group of LDGSTS stand three @!PT LDS RZ, [RZ], which never do anything.
  if (name == "cp_async") loads += warps * up(K, 16) * 6;
  if (name == "async_tiles<4>" || name == "async_tiles<16>") loads += warps * up(K, 32) * 3;
  if (name == "async_tiles<8>") loads += warps * up(K, 32) * 6;

  // An atomic addition to a float in shared memory is a loop of LDS, FADD, ATOMS.CAST; nobody interferes
  // here.
  if (name == "float_sums") {
    loads += c.atomic_requests;
    machine.load.compiled_wavefronts += c.atomic_requests;
    machine.fp32_add += static_cast<std::uint64_t>(M * N);
  }
  // ptxas unrolls the loop of four passes and replaces 16 64-bit loads by 8 LDS.128. Each of either kind takes two
  // wavefronts: the 64-bit loads because of bank conflicts, the LDS.128 because of their width.
  if (name == "float4_guarded") {
    const std::uint64_t pairs = warps * up(K, 8) * 16;
    loads -= pairs / 2;
    machine.load.compiled_wavefronts -= pairs;
    machine.load.compiled_conflicts -= pairs;
  }
  return machine;
}

void expect_global_traffic(const Row &hardware, const Counters &c) {
  EXPECT_EQ(c.global_load.requests, hardware("global_load_requests"));
  EXPECT_EQ(c.global_load.sectors, hardware("global_load_sectors"));
  EXPECT_EQ(c.global_store.requests, hardware("global_store_requests"));
  EXPECT_EQ(c.global_store.sectors, hardware("global_store_sectors"));
  EXPECT_EQ(c.atomic_requests, hardware("global_red_requests") + hardware("global_atom_requests") +
                                   hardware("shared_atom_instructions"));
}

void expect_arithmetic(const Row &hardware, const Counters &c, const Machine &machine) {
  EXPECT_EQ(c.fp32_fma, hardware("ffma_threads"));
  EXPECT_EQ(machine.fp32_add, hardware("fadd_threads"));
  EXPECT_EQ(c.fp32_mul, hardware("fmul_threads"));
  EXPECT_EQ(c.fp64_fma, hardware("dfma_threads"));
  EXPECT_EQ(c.fp64_add, hardware("dadd_threads"));
  EXPECT_EQ(c.fp64_mul, hardware("dmul_threads"));
  EXPECT_EQ(machine.half, hardware("hfma_threads"));
}

/// The sass_ columns say what the addresses cost. The others count what passed the memory pipe, which now and
/// then takes a wavefront more and calls it a conflict.
void expect_shared_traffic(const Row &hardware, const Machine &machine) {
  EXPECT_EQ(machine.load.compiled_requests, hardware("shared_load_requests"));
  EXPECT_EQ(machine.store.compiled_requests, hardware("shared_store_requests"));
  EXPECT_EQ(machine.load.compiled_wavefronts, hardware("sass_shared_load_wavefronts"));
  EXPECT_EQ(machine.store.compiled_wavefronts, hardware("sass_shared_store_wavefronts"));

  const std::uint64_t more_loads =
      hardware("shared_load_wavefronts") - hardware("sass_shared_load_wavefronts");
  const std::uint64_t more_stores =
      hardware("shared_store_wavefronts") - hardware("sass_shared_store_wavefronts");
  EXPECT_EQ(machine.load.compiled_conflicts + more_loads, hardware("shared_load_conflicts"));
  EXPECT_EQ(machine.store.compiled_conflicts + more_stores, hardware("shared_store_conflicts"));
  const std::string &name = hardware.text("kernel");
  const bool noisy = name == "step4_few_rows" || name == "step4_few_columns" ||
                     (name == "double_padded" && hardware.size().M == 256);
  EXPECT_EQ(more_loads > 0, noisy);
  EXPECT_LE(more_stores * 100, machine.store.compiled_wavefronts * 15);
}

/// Sectors that cp.async reads, by requests that leave a copy in the L1 cache; the others have no metric.
void expect_asynchronous_copies(const Row &hardware, const Counters &c) {
  const std::string &name = hardware.text("kernel");
  if (name != "cp_async" && name != "async_tiles<4>" && name != "async_tiles<8>") {
    EXPECT_EQ(hardware("ldgsts_access_sectors"), 0u);
    return;
  }
  GlobalTraffic copied;
  for (const auto &[key, traffic] : c.accesses)
    if (!key.store && (key.buffer == "A" || key.buffer == "B")) copied += traffic.global;
  EXPECT_EQ(copied.sectors, hardware("ldgsts_access_sectors"));
  // A copy of which no lane reads anything, since all are beyond the edge, is a request of LDGSTS, not of
  // loads.
  if (name == "cp_async")
    EXPECT_EQ(copied.requests, hardware("ldgsts_access_requests"));
  else
    EXPECT_EQ(hardware("ldgsts_instructions"), hardware("ldgsts_access_requests"));
}

TEST(Golden2, EveryRowOfTheHardwareIsWhatTheSimulatorCounts) {
  const auto module = testing::parse(testing::read_text("golden/kernels2.ptx"));
  const std::vector<Row> rows = rows_of("golden/h200_kernels2.csv");
  EXPECT_EQ(rows.size(), 123u) << "41 launches at three sizes";
  for (const Row &hardware : rows) {
    const Size size = hardware.size();
    SCOPED_TRACE(fmt::format("{} {}x{}x{}", hardware.text("kernel"), size.M, size.N, size.K));
    const auto golden = std::find_if(launches().begin(), launches().end(), [&](const GoldenLaunch &one) {
      return one.name == hardware.text("kernel");
    });
    ASSERT_NE(golden, launches().end());
    const LaunchResult result = simulate(*golden, size, module);
    ASSERT_EQ(result.status, Status::completed) << testing::last(result);
    const Machine machine = compiled(*golden, size, result.counters);
    expect_global_traffic(hardware, result.counters);
    expect_arithmetic(hardware, result.counters, machine);
    expect_shared_traffic(hardware, machine);
    expect_asynchronous_copies(hardware, result.counters);
  }
}

/// Compiled requests of these accesses, "type@offset", off a base whose five low bits are zero.
std::uint64_t compiled_requests(const char *action, const std::vector<std::string> &accesses) {
  std::string body = "mov.u32 %r8, T; shl.b32 %r7, %tid, 5; add.u32 %r9, %r8, %r7;\n";
  int next = 10;
  for (const std::string &access : accesses) {
    const std::string type = access.substr(0, access.find('@')), offset = access.substr(access.find('@') + 1);
    const std::string scalar = type.substr(type.front() == 'v' ? 3 : 0);
    const std::string reg = scalar == "b64" ? "%g" : scalar == "b32" ? "%r" : "%h";
    std::string value;
    for (int i = type.front() == 'v' ? type[1] - '0' : 1; i > 0; --i)
      value += fmt::format("{}{}{}", value.empty() ? "" : ", ", reg, next++);
    if (type.front() == 'v') value = "{" + value + "}";
    body += std::string(action) == "ld" ? fmt::format("ld.shared.{} {}, [%r9+{}];\n", type, value, offset)
                                        : fmt::format("st.shared.{} [%r9+{}], {};\n", type, offset, value);
  }
  Options options;
  options.check_initialized = false;
  const auto run = testing::run(testing::kernel(body, ".shared .align 32 .b8 T[1024];\n"), {}, 32, options);
  EXPECT_EQ(run.result.status, Status::completed) << testing::last(run.result);
  return run.result.counters.shared_load.compiled_requests +
         run.result.counters.shared_store.compiled_requests;
}

// Each figure is what ptxas 13.0 made of these very accesses for sm_90.
TEST(Golden2, NeighboursOfAnyWidthMergeAsCompiled) {
  EXPECT_EQ(compiled_requests("ld", {"b16@0", "b16@2"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b16@2", "b16@4"}), 2u);
  EXPECT_EQ(
      compiled_requests("ld", {"b16@0", "b16@2", "b16@4", "b16@6", "b16@8", "b16@10", "b16@12", "b16@14"}),
      2u)
      << "four at most: 64 bits";
  EXPECT_EQ(compiled_requests("ld", {"b8@0", "b8@1", "b8@2", "b8@3"}), 4u);
  EXPECT_EQ(compiled_requests("ld", {"b64@0", "b64@8", "b64@16"}), 2u);
  EXPECT_EQ(compiled_requests("ld", {"b64@8", "b64@16"}), 2u);
  EXPECT_EQ(compiled_requests("st", {"b32@0", "b32@4", "b32@8", "b32@12"}), 1u);
  EXPECT_EQ(compiled_requests("st", {"b16@0", "b16@2", "b16@4", "b16@6"}), 1u);
  EXPECT_EQ(compiled_requests("st", {"b64@0", "b64@8"}), 1u);
}

TEST(Golden2, VectorsMergeAsTheirWholes) {
  EXPECT_EQ(compiled_requests("ld", {"v2.b32@0", "v2.b32@8", "v2.b32@16"}), 2u);
  EXPECT_EQ(compiled_requests("ld", {"v2.b32@0", "b32@8", "b32@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"v2.b16@0", "v2.b16@4", "v2.b16@8", "v2.b16@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"v4.b16@0", "v4.b16@8"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"v4.b8@0", "v4.b8@4", "v4.b8@8", "v4.b8@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"v2.b8@0", "v2.b8@2"}), 2u);
  EXPECT_EQ(compiled_requests("ld", {"v4.b32@0", "v4.b32@16"}), 2u);
  EXPECT_EQ(compiled_requests("st", {"v2.b32@0", "v2.b32@8"}), 1u);
}

TEST(Golden2, LoadsOfThreeUnitsOfFourReadTheFourthToo) {
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "b32@4", "b32@8"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "b32@4", "b32@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "b32@8", "b32@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b32@4", "b32@8", "b32@12"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b16@0", "b16@4", "b16@6"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "v2.b32@8"}), 1u);
  EXPECT_EQ(compiled_requests("ld", {"v2.b32@0", "b32@8"}), 2u);
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "b32@8"}), 2u);
  EXPECT_EQ(compiled_requests("ld", {"b32@0", "b32@4", "b32@24", "b32@28"}), 2u);
  EXPECT_EQ(compiled_requests("st", {"b32@0", "b32@4", "b32@8"}), 2u) << "a store writes what was asked for";
  EXPECT_EQ(compiled_requests("st", {"b32@4", "b32@8", "b32@12"}), 2u);
}

}  // namespace
}  // namespace warpgrade::simt
