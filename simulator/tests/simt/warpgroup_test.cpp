// wgmma: what warpgroups compute from matrices in shared memory and in registers, and what goes wrong around
// it.
#include "machine/instructions/warpgroup.hpp"

#include <cmath>
#include <functional>
#include <set>

#include "decode/handlers.hpp"
#include "harness.hpp"
#include "machine/instructions/fragments.hpp"
#include "tests/simt/warpgroup_cases.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::parse;

constexpr std::uint32_t half_of_tile = 16384, columns = 16;
const std::string tile = ".shared .align 1024 .b8 tile[32768];\n.shared .align 8 .b64 bars[2];\n",
                  file = ".file 1 \"k.cu\"\n";

/// The types of a product with 16 columns, and how to write a number in them.
struct Types {
  std::string name;  ///< ".f32.f16.f16"
  std::uint32_t bytes, k;
  std::function<std::uint32_t(int)> bits;
};

std::uint32_t half_bits(int value) {
  return double_to_half(value, Rounding::nearest);
}
std::uint32_t bfloat_bits(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
}
std::uint32_t single_bits(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
/// Small whole numbers in a format of 8 bits.
std::uint32_t small_bits(int value, int fraction, int bias) {
  if (value == 0) return 0;
  int exponent = 0;
  const double significand = std::frexp(std::abs(value), &exponent);  // 0.5 to 1
  const auto rest = static_cast<std::uint32_t>((2 * significand - 1) * (1 << fraction));
  return (value < 0 ? 0x80u : 0u) | static_cast<std::uint32_t>(exponent - 1 + bias) << fraction | rest;
}

const Types half{".f32.f16.f16", 2, 16, half_bits};

struct Layout {
  std::uint32_t row = 16;  ///< bytes of a row of the swizzle
  bool by_lines = true;    ///< K-major
  std::uint32_t leading = 128, stride = 256;

  std::uint64_t mode() const { return row == 16 ? 0 : row == 128 ? 1 : row == 64 ? 2 : 3; }
  std::uint64_t fields() const {
    return std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 | mode() << 62;
  }
  /// As the manual draws the canonical layouts.
  std::uint32_t place(std::uint32_t line, std::uint32_t k, std::uint32_t bytes) const {
    const std::uint32_t each = 16 / bytes, pieces = row / 16;
    std::uint32_t at = 0;
    if (by_lines) {
      at = line % 8 * row + line / 8 * stride + k / each * (row == 16 ? leading : 16) + k % each * bytes;
    } else {
      const std::uint32_t piece = line / each;
      at = k % 8 * row + k / 8 * (row == 16 ? leading : stride) + piece % pieces * 16 +
           piece / pieces * (row == 16 ? stride : leading) + line % each * bytes;
    }
    return at ^ (at >> 7 & (pieces - 1)) << 4;
  }
};

int element_of_a(std::uint32_t row, std::uint32_t k) {
  return static_cast<int>((row * 5 + k * 3) % 7) - 3;
}
int element_of_b(std::uint32_t k, std::uint32_t column) {
  return static_cast<int>((k * 2 + column * 3) % 5) - 2;
}

/// Copies 32 KiB of %in to the tile, 256 bytes for each thread, and makes descriptors %d1 and %d2.
std::string fill(const Layout &a, const Layout &b,
                 const std::string &fence = "fence.proxy.async.shared::cta;") {
  std::string text =
      "mov.u32 %r30, tile; mul.wide.u32 %d10, %tid, 32; sub.s64 %d11, %in, %d10; mul.wide.u32 %d10, %tid, "
      "256; "
      "add.s64 %d11, %d11, %d10; mad.lo.u32 %r31, %tid, 256, %r30;\n.loc 1 3 1\n";
  for (int i = 0; i < 256; i += 16) {
    const std::string at = "+" + std::to_string(i) + "]";
    text += "ld.global.v4.u32 {%r32, %r33, %r34, %r35}, [%d11" + at + "; st.shared.v4.u32 [%r31" + at +
            ", {%r32, %r33, %r34, %r35};\n";
  }
  return text + fence + " bar.sync 0;\nshr.u32 %r36, %r30, 4; cvt.u64.u32 %d12, %r36; or.b64 %d1, %d12, " +
         std::to_string(a.fields()) + "; add.u64 %d12, %d12, " + std::to_string(half_of_tile / 16) +
         "; or.b64 %d2, %d12, " + std::to_string(b.fields()) + ";\nsetp.ne.u32 %p1, %r30, 0;\n";
}

const std::string results = "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}";
const std::string zeros =
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.f32 %f4, %f0; "
    "mov.f32 "
    "%f5, %f0; mov.f32 %f6, %f0; mov.f32 %f7, %f0;\n";
const std::string wait = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
const std::string begin = "wgmma.fence.sync.aligned;\n";
const std::string write =
    "\n.loc 1 9 1\nst.global.v4.f32 [%out], {%f0,%f1,%f2,%f3}; st.global.v4.f32 [%out+16], "
    "{%f4,%f5,%f6,%f7};\n";

std::string product(const Types &types, const std::string &end = ", %p1, 1, 1, 0, 0;",
                    const std::string &a = "%d1") {
  return ".loc 1 5 1\nwgmma.mma_async.sync.aligned.m64n16k" + std::to_string(types.k) + types.name + " " +
         results + ", " + a + ", %d2" + end + "\n";
}

struct Made {
  LaunchResult result;
  std::vector<std::uint32_t> out;  ///< 8 words of each thread
};

Made run(const std::string &body, const std::vector<std::byte> &in, std::uint32_t threads = 128) {
  Device device;
  device.load(parse(kernel(body, tile) + file));
  Made made;
  made.out.resize(std::size_t{threads} * 8);
  const Address from = device.allocate(in.size(), "in"), to = device.allocate(made.out.size() * 4, "out");
  device.write(from, in);
  device.fill(to, std::byte{0}, made.out.size() * 4);
  Launch launch;
  launch.kernel = "k";
  launch.block = {threads, 1, 1};
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &from, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  made.result = device.launch(launch);
  device.read(to, std::as_writable_bytes(std::span(made.out)));
  return made;
}

std::vector<std::byte> image(const Types &types, const Layout &a, const Layout &b) {
  std::vector<std::byte> made(2 * half_of_tile);
  const auto put = [&](std::uint32_t at, int value) {
    const std::uint32_t bits = types.bits(value);
    std::memcpy(&made.at(at), &bits, types.bytes);
  };
  for (std::uint32_t k = 0; k < types.k; ++k) {
    for (std::uint32_t row = 0; row < 64; ++row) put(a.place(row, k, types.bytes), element_of_a(row, k));
    for (std::uint32_t n = 0; n < columns; ++n)
      put(half_of_tile + b.place(n, k, types.bytes), element_of_b(k, n));
  }
  return made;
}

int expected(std::uint32_t row, std::uint32_t column, std::uint32_t k) {
  int sum = 0;
  for (std::uint32_t i = 0; i < k; ++i) sum += element_of_a(row, i) * element_of_b(i, column);
  return sum;
}

/// How many of the results differ from factor * A * B + added.
int count_wrong(const Made &made, std::uint32_t k, int factor = 1, int added = 0, bool integers = false) {
  int wrong = 0;
  for (std::uint32_t t = 0; t < 128; ++t)
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t row = t / 32 * 16 + t % 32 / 4 + 8 * (i >> 1 & 1),
                          column = i / 4 * 8 + t % 4 * 2 + (i & 1);
      const int want = factor * expected(row, column, k) + added;
      const std::uint32_t got = made.out[t * 8 + i];
      wrong += integers ? static_cast<std::int32_t>(got) != want
                        : std::bit_cast<float>(got) != static_cast<float>(want);
    }
  return wrong;
}

Layout k_major(std::uint32_t row) {
  return {row, true, 128, row == 16 ? 256 : 8 * row};
}
Layout mn_major(std::uint32_t row) {
  if (row == 16) return {row, false, 1024, 128};
  return {row, false, row * 16, row * 8};
}

TEST(Warpgroup, MultipliesInEveryLayoutOfSharedMemory) {
  for (const std::uint32_t row : {16u, 32u, 64u, 128u})
    for (const bool a_by_lines : {true, false})
      for (const bool b_by_lines : {true, false}) {
        const Layout a = a_by_lines ? k_major(row) : mn_major(row),
                     b = b_by_lines ? k_major(row) : mn_major(row);
        const std::string end =
            std::string(", %p1, 1, 1, ") + (a_by_lines ? "0, " : "1, ") + (b_by_lines ? "0;" : "1;");
        const Made made =
            run(fill(a, b) + zeros + begin + product(half, end) + wait + write, image(half, a, b));
        ASSERT_EQ(last(made.result), "completed") << row;
        EXPECT_EQ(count_wrong(made, 16), 0) << row << ' ' << a_by_lines << ' ' << b_by_lines;
      }
}

TEST(Warpgroup, MultipliesEveryType) {
  const Types all[] = {
      {".f32.bf16.bf16", 2, 16, bfloat_bits},
      {".f32.tf32.tf32", 4, 8, single_bits},
      {".f32.e4m3.e4m3", 1, 32, [](int value) { return small_bits(value, 3, 7); }},
      {".f32.e5m2.e5m2", 1, 32, [](int value) { return small_bits(value, 2, 15); }},
      {".s32.s8.s8", 1, 32, [](int value) { return static_cast<std::uint32_t>(value) & 0xFF; }}};
  for (const Types &types : all)
    for (const std::uint32_t row : {16u, 32u, 64u, 128u}) {
      const bool integers = types.name.starts_with(".s32");
      const std::string end = integers ? ", %p1;" : types.bytes == 2 ? ", %p1, 1, 1, 0, 0;" : ", %p1, 1, 1;";
      std::string body =
          fill(k_major(row), k_major(row)) + zeros + begin + product(types, end) + wait + write;
      const Made made = run(body, image(types, k_major(row), k_major(row)));
      ASSERT_EQ(last(made.result), "completed") << types.name << row;
      EXPECT_EQ(count_wrong(made, types.k, 1, 0, integers), 0) << types.name << row;
    }
}

TEST(Warpgroup, AddsToItsResultsOrReplacesThemAndNegates) {
  const Layout l = k_major(128);
  std::string ones = zeros;
  ones.replace(ones.find("0f00000000"), 10, "0f40A00000");
  const std::string start = fill(l, l) + ones + begin;
  EXPECT_EQ(
      count_wrong(run(start + product(half) + product(half) + wait + write, image(half, l, l)), 16, 2, 5), 0);
  EXPECT_EQ(count_wrong(run(start + product(half, ", 0, 1, 1, 0, 0;") + wait + write, image(half, l, l)), 16),
            0);
  EXPECT_EQ(count_wrong(run(start + product(half, ", %p1, -1, 1, 0, 0;") + wait + write, image(half, l, l)),
                        16, -1, 5),
            0);
  EXPECT_EQ(count_wrong(run(start + product(half, ", %p1, -1, -1, 0, 0;") + wait + write, image(half, l, l)),
                        16, 1, 5),
            0);
}

/// Loads the fragment of A from the tile into %r1 to %r4, for a layout in rows of 16 bytes.
const std::string fragment =
    "shr.u32 %r10, %tid, 5; and.b32 %r11, %tid, 31; shr.u32 %r12, %r11, 2; and.b32 %r13, %r11, 3; mad.lo.u32 "
    "%r14, "
    "%r10, 512, %r30; mad.lo.u32 %r14, %r12, 16, %r14; mad.lo.u32 %r14, %r13, 4, %r14;\nld.shared.u32 %r1, "
    "[%r14]; ld.shared.u32 %r2, [%r14+256]; ld.shared.u32 %r3, [%r14+128]; ld.shared.u32 %r4, [%r14+384];\n";
const std::string of_registers = "{%r1,%r2,%r3,%r4}";

TEST(Warpgroup, TakesAFromRegisters) {
  const Layout l = k_major(16);
  const Made made = run(
      fill(l, l) + zeros + fragment + begin + product(half, ", %p1, 1, 1, 0;", of_registers) + wait + write,
      image(half, l, l));
  ASSERT_EQ(last(made.result), "completed");
  EXPECT_EQ(count_wrong(made, 16), 0);
}

/// Element (row, column) of a matrix in an image of shared memory, where its descriptor says.
std::uint32_t element_at(const std::vector<std::uint32_t> &image, std::uint64_t descriptor, bool by_lines,
                         std::uint32_t bytes, std::uint32_t line, std::uint32_t along) {
  const MatrixDescriptor at = MatrixDescriptor::of(descriptor);
  const std::uint32_t each = 16 / bytes;
  const std::uint32_t first_byte = by_lines ? at.place(line, along / each, true) + along % each * bytes
                                            : at.place(line / each, along, false) + line % each * bytes;
  std::uint32_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte *>(image.data()) + first_byte, bytes);
  return bits;
}

/// What test_gpu compares with a GPU, here with products of the single warps. The random words are the same.
TEST(Warpgroup, MultipliesRandomMatricesAsTheModelOfATensorCoreSays) {
  using tensor::GroupCase;
  const std::vector<GroupCase> cases = tensor::group_cases();
  std::set<std::string> names;
  for (const GroupCase &one : cases) {
    ASSERT_TRUE(names.insert(one.kernel()).second) << one.kernel();
    const auto module = parse(".version 8.4\n.target sm_90a\n.address_size 64\n" + tensor::ptx_of(one));
    const tensor::GroupOperands operands(one, names.size());
    const std::vector<std::uint32_t> got = tensor::simulated(one, module, {operands});
    const tensor::Element held = tensor::held_as(one.a);
    const std::uint32_t bytes = tensor::bits_of(held) / 8, each = tensor::per_register(one.d);
    const std::uint32_t sign = 1u << (tensor::bits_of(held) - 1), depth = tensor::held_depth(one.a, one.k());
    const std::uint64_t from_a = tensor::descriptor_fields(one, one.transposes_a, 64),
                        from_b =
                            tensor::descriptor_fields(one, one.transposes_b, one.n) | GroupCase::bytes_a / 16;
    int wrong = 0;
    for (std::uint32_t warp = 0; warp < 4; ++warp)
      for (std::uint32_t part = 0; part < one.n / 8; ++part) {
        tensor::Matrices all{};
        for (std::uint32_t row = 0; row < 16; ++row)
          for (std::uint32_t k = 0; k < depth; ++k)
            all.a[row][k] = element_at(operands.image, from_a, !one.transposes_a, bytes, 16 * warp + row, k);
        for (std::uint32_t lane = 0; one.a_in_registers && lane < 32; ++lane)
          for (std::uint32_t i = 0; i < 16 / bytes; ++i) {
            const tensor::Place at = tensor::place_in_a(held, lane, i);
            const std::uint32_t word = operands.a[i * bytes / 4 * GroupCase::threads + 32 * warp + lane];
            all.a[at.row][at.column] =
                bytes == 4 ? word : word >> 8 * (i * bytes % 4) & ((1u << 8 * bytes) - 1);
          }
        for (std::uint32_t column = 0; column < 8; ++column)
          for (std::uint32_t k = 0; k < depth; ++k)
            all.b[column][k] =
                element_at(operands.image, from_b, !one.transposes_b, bytes, 8 * part + column, k) ^
                (one.negates_b ? sign : 0);
        if (one.negates_a)
          for (auto &row : all.a)
            for (std::uint32_t &bits : row) bits ^= sign;
        const auto word_of = [&](const std::vector<std::uint32_t> &words, std::uint32_t lane,
                                 std::uint32_t i) {
          const std::uint32_t word = words[(part * 4 + i) / each * GroupCase::threads + 32 * warp + lane];
          return each == 1 ? word : word >> 16 * (i & 1) & 0xFFFF;
        };
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          for (std::uint32_t i = 0; i < 4; ++i) {
            const tensor::Place at = tensor::place_in_c(lane, i);
            all.c[at.row][at.column] = word_of(operands.c, lane, i);
          }
        tensor::multiply({one.a, one.b, one.d, one.d, 16, one.k(), one.k(), one.saturates}, all);
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          for (std::uint32_t i = 0; i < 4; ++i) {
            const tensor::Place at = tensor::place_in_c(lane, i);
            wrong += word_of(got, lane, i) != all.d[at.row][at.column];
          }
      }
    EXPECT_EQ(wrong, 0) << one.kernel();
  }
}

TEST(Warpgroup, CountsTheOperationsOfEachWarp) {
  const Layout l = k_major(128);
  const Made made = run(fill(l, l) + zeros + begin + product(half) + wait + write, image(half, l, l));
  EXPECT_EQ(made.result.counters.tensor_products, 4u);
  EXPECT_EQ(made.result.counters.tensor_flops, 2u * 64 * 16 * 16);
  ASSERT_EQ(made.result.counters.products.size(), 1u);
  const auto &[key, counts] = *made.result.counters.products.begin();
  EXPECT_EQ(counts, (ProductCounters{4, 2 * 64 * 16 * 16}));
  EXPECT_TRUE(key.a_in_shared);
}

/// The places of results in a drawing are those that count_wrong() expects.
TEST(Warpgroup, HoldsItsResultsAsDrawingsShow) {
  const std::string name = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16";
  const auto drawn = tensor::fragments_of(name);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->warps, 4u);
  EXPECT_EQ(drawn->b.holders.size(), 0u);
  EXPECT_EQ(tensor::fragments_of(name, true)->a.holders.size(), 0u);
  const Layout l = k_major(128);
  const Made made = run(fill(l, l) + zeros + begin + product(half) + wait + write, image(half, l, l));
  for (std::uint32_t row = 0; row < 16; ++row)
    for (std::uint32_t column = 0; column < 16; ++column) {
      const tensor::Holder &by = drawn->c.holders[row * 16 + column];
      EXPECT_EQ(std::bit_cast<float>(made.out[by.lane * 8 + by.index]), expected(row, column, 16));
    }
}

/// What is said of a program, without the thread.
std::string said(const std::string &body, std::uint32_t threads = 128) {
  const Layout l = k_major(16);
  const Made made = run(body, image(half, l, l), threads);
  const std::string text = last(made.result);
  return text.substr(0, text.find(", thread ("));
}
const Layout plain = k_major(16);
const std::string start = fill(plain, plain) + zeros + begin;

TEST(WarpgroupMistakes, ResultsThatAreReadBeforeTheWaitAreNamedWithBothLines) {
  EXPECT_EQ(
      said(start + product(half) + "wgmma.commit_group.sync.aligned;\n" + write),
      "k.cu:9: error: this line reads a result of wgmma that may not be complete yet: wait for the product "
      "(wgmma.commit_group, wgmma.wait_group) first");
  EXPECT_EQ(
      said(start + product(half) + "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;\n" +
           write),
      "k.cu:9: error: this line reads a result of wgmma that may not be complete yet: wait for the product "
      "(wgmma.commit_group, wgmma.wait_group) first");
  EXPECT_EQ(said(start + product(half) + wait + write), "completed");
}

TEST(WarpgroupMistakes, ResultsThatAreWrittenBeforeTheWaitAreNamed) {
  const std::string scale = ".loc 1 7 1\nadd.f32 %f20, %f21, %f21; mov.f32 %f3, %f20;\n";
  const std::string set = "mov.f32 %f21, 0f3F800000;\n";
  EXPECT_EQ(said(set + start + product(half) + scale + wait + write),
            "k.cu:7: error: this line writes a register in which wgmma still sums up: wait for the product "
            "(wgmma.commit_group, wgmma.wait_group) first");
  EXPECT_EQ(said(set + start + product(half) + wait + scale + write), "completed");
}

TEST(WarpgroupMistakes, FragmentsOfAThatAreChangedBeforeTheWaitAreNamed) {
  const std::string begins = fill(plain, plain) + zeros + fragment + begin;
  const std::string changes = ".loc 1 7 1\nadd.u32 %r2, %r2, 1;\n";
  const std::string multiply = product(half, ", %p1, 1, 1, 0;", of_registers);
  EXPECT_EQ(said(begins + multiply + changes + wait + write),
            "k.cu:7: error: this line changes a register of a fragment of A that wgmma may still read: wait "
            "for the "
            "product (wgmma.commit_group, wgmma.wait_group) first");
  EXPECT_EQ(said(begins + multiply + wait + changes + write), "completed");
}

TEST(WarpgroupMistakes, AMissingFenceOfRegistersIsNamed) {
  EXPECT_EQ(
      said(fill(plain, plain) + zeros + product(half) + wait + write),
      "k.cu:5: error: the first product of a warpgroup needs a wgmma.fence before it, and so does each one "
      "whose registers were written in another way");
  const std::string scale = ".loc 1 7 1\nadd.f32 %f3, %f3, %f3;\n";
  EXPECT_EQ(said(start + product(half) + wait + scale + product(half) + wait + write),
            "k.cu:5: error: registers of this product were written, and no wgmma.fence came after that");
  EXPECT_EQ(said(start + product(half) + wait + scale + begin + product(half) + wait + write), "completed");
  EXPECT_EQ(said(start + product(half) + wait + product(half) + wait + write), "completed");
}

TEST(WarpgroupMistakes, AMissingProxyFenceIsNamed) {
  const std::string without = fill(plain, plain, "");
  EXPECT_EQ(
      said(without + zeros + begin + product(half) + wait + write),
      "k.cu:5: error: shared memory that ordinary stores have written is read by a bulk copy or wgmma, which "
      "may not see them: a fence.proxy.async is missing after the stores, before the barrier");
  EXPECT_EQ(said(without + "fence.proxy.async; " + zeros + begin + product(half) + wait + write),
            "completed");
}

TEST(WarpgroupMistakes, SharedMemoryThatIsWrittenBeforeTheWaitIsNamed) {
  const std::string stores = "bar.sync 0;\n.loc 1 7 1\nst.shared.u32 [%r31], %r30;\n";
  EXPECT_EQ(
      said(start + product(half) + "wgmma.commit_group.sync.aligned;\n" + stores +
           "wgmma.wait_group.sync.aligned 0;\n" + write),
      "k.cu:5: error: shared memory was written while wgmma may still have read it: wait for the product "
      "(wgmma.wait_group) before the memory is used again");
  EXPECT_EQ(said(start + product(half) + wait + stores + write), "completed");
}

/// Warps 0 to 3 multiply, the first thread of warp 4 then loads the matrices again. `early` comes before the
/// wait, `late` after it: one of them tells warp 4 that the memory is free.
std::string refill(const std::string &early, const std::string &late) {
  return "mov.u32 %r20, bars; setp.ne.u32 %p3, %tid, 0; @%p3 bra BEGIN; mbarrier.init.shared::cta.b64 "
         "[%r20], 128; "
         "mbarrier.init.shared::cta.b64 [%r20+8], 1;\nBEGIN: mov.u64 %d5, %in; setp.gt.u32 %p4, %tid, 127; "
         "@%p4 bra "
         "OTHER;\n" +
         fill(plain, plain) + zeros + begin + product(half) + "wgmma.commit_group.sync.aligned;\n" + early +
         "wgmma.wait_group.sync.aligned 0;\n" + late + write +
         "bra END;\n.loc 1 3 1\nOTHER: setp.ne.u32 %p5, %tid, 128; mov.u32 %r30, tile; bar.sync 0; @%p5 bra "
         "END;\nWAIT: "
         "mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r20], 0; @!%p6 bra WAIT;\n.loc 1 8 "
         "1\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r30], [%d5], 512, "
         "[%r20+8];\nEND:";
}

TEST(WarpgroupMistakes, SharedMemoryThatIsReleasedBeforeTheWaitIsNamed) {
  const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%r20];\n";
  EXPECT_EQ(
      said(refill(arrive, ""), 160),
      "k.cu:8: error: this copy writes to shared memory that wgmma may still read: no thread that waited for "
      "the product (wgmma.wait_group) has synchronized with this thread since");
  EXPECT_EQ(said(refill("", arrive), 160), "completed");
}

TEST(WarpgroupMistakes, WarpsThatAreMissingAreNamed) {
  EXPECT_EQ(
      said(start + product(half) + wait + write, 64),
      "k.cu:3: error: wgmma needs warpgroups of 4 warps, and the block has 2 warps: its size has to be a "
      "multiple of 128");
  const std::string some = "setp.gt.u32 %p2, %tid, 95; @%p2 bra END;\n";
  EXPECT_EQ(said(fill(plain, plain) + zeros + some + begin + product(half) +
                 "wgmma.commit_group.sync.aligned;\n.loc 1 8 1\nwgmma.wait_group.sync.aligned 0;\n" + write +
                 "END:"),
            "k.cu:8: error: the four warps of a warpgroup have to execute the same wgmma instructions: 3 of "
            "them have "
            "issued the product that is waited for here");
}

TEST(WarpgroupMistakes, MatricesBeyondTheirSharedArrayAreNamed) {
  Layout far = plain;
  far.stride = 65536;
  EXPECT_NE(said(fill(far, plain) + zeros + begin + product(half) + wait + write)
                .find("k.cu:5: error: shared load of 16 bytes, "),
            std::string::npos);
}

TEST(WarpgroupMistakes, WhatIsNotSimulatedNamesTheLine) {
  const auto got = said(start + ".loc 1 5 1\nwgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 " +
                        results + ", %d1, %d2, %r1, 0, %p1, 1, 1, 0, 0;\n" + wait + write);
  EXPECT_NE(got.find("k.cu:5: error: unsupported PTX instruction wgmma.mma_async.sp"), std::string::npos)
      << got;
}

}  // namespace
}  // namespace warpgrade::simt
