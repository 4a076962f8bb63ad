// wmma.load and wmma.store: which lane of a warp holds what, and what is said of misplaced fragments.
#include <cstring>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

const std::string file = ".file 1 \"k.cu\"\n";

/// PTX that loads a fragment from %in of thread 0 (rows of `stride` elements) and stores its registers.
std::string load_registers(const std::string &opcode, int registers, int stride) {
  std::string list;
  for (int r = 1; r <= registers; ++r) list += (r > 1 ? ",%r" : "%r") + std::to_string(r);
  std::string text = "ld.param.u64 %d1, [k_in]; mov.u32 %r30, " + std::to_string(stride) + ";\n" + opcode +
                     " {" + list + "}, [%d1], %r30;\n";
  for (int r = 1; r <= registers; ++r)
    text += "st.global.u32 [%out+" + std::to_string(4 * (r - 1)) + "], %r" + std::to_string(r) + ";\n";
  return text;
}

/// 16-bit elements that are their own index, 32 of them to a row.
std::vector<std::uint64_t> indices() {
  std::vector<std::uint64_t> in(128);
  for (std::uint64_t i = 0; i < 512; ++i) in[i / 4] |= i << 16 * (i % 4);
  return in;
}

TEST(Wmma, FragmentsHaveTheLayoutOfTheHardware) {
  // row, column of the two elements of each register of lane 5, as an H200 has them
  struct Expected {
    const char *opcode;
    bool by_rows;
    std::vector<std::array<std::uint32_t, 4>> registers;
  };
  const Expected cases[] = {
      {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
       true,
       {{1, 2, 1, 3},
        {9, 2, 9, 3},
        {1, 10, 1, 11},
        {9, 10, 9, 11},
        {1, 2, 1, 3},
        {9, 2, 9, 3},
        {1, 10, 1, 11},
        {9, 10, 9, 11}}},
      {"wmma.load.a.sync.aligned.col.m16n16k16.global.f16",
       false,
       {{1, 2, 1, 3},
        {9, 2, 9, 3},
        {1, 10, 1, 11},
        {9, 10, 9, 11},
        {1, 2, 1, 3},
        {9, 2, 9, 3},
        {1, 10, 1, 11},
        {9, 10, 9, 11}}},
      {"wmma.load.b.sync.aligned.row.m16n16k16.global.bf16",
       true,
       {{2, 1, 3, 1}, {10, 1, 11, 1}, {2, 9, 3, 9}, {10, 9, 11, 9}}},
      {"wmma.load.b.sync.aligned.col.m32n8k16.f16",
       false,
       {{2, 1, 3, 1},
        {10, 1, 11, 1},
        {2, 1, 3, 1},
        {10, 1, 11, 1},
        {2, 1, 3, 1},
        {10, 1, 11, 1},
        {2, 1, 3, 1},
        {10, 1, 11, 1}}},
      {"wmma.load.a.sync.aligned.row.m8n32k16.bf16", true, {{1, 2, 1, 3}, {1, 10, 1, 11}}},
      {"wmma.load.c.sync.aligned.row.m16n16k16.f16",
       true,
       {{1, 2, 1, 3}, {9, 2, 9, 3}, {1, 10, 1, 11}, {9, 10, 9, 11}}},
      {"wmma.load.c.sync.aligned.col.m16n16k16.f16",
       false,
       {{1, 2, 1, 3}, {9, 2, 9, 3}, {1, 10, 1, 11}, {9, 10, 9, 11}}}};
  for (const Expected &one : cases) {
    const auto count = static_cast<int>(one.registers.size());
    const auto got = run(kernel(load_registers(one.opcode, count, 32)), indices());
    ASSERT_EQ(last(got.result), "completed") << one.opcode;
    for (std::size_t r = 0; r < one.registers.size(); ++r) {
      const auto &[row, column, next_row, next_column] = one.registers[r];
      const auto index = [&](std::uint32_t i, std::uint32_t j) {
        return one.by_rows ? 32 * i + j : 32 * j + i;
      };
      EXPECT_EQ(got.word(5, r / 2) >> 32 * (r % 2) & 0xFFFFFFFF,
                index(row, column) | index(next_row, next_column) << 16)
          << one.opcode << ", register " << r;
    }
  }
}

TEST(Wmma, BytesAndWordsAreLoadedWhereTheHardwareHasThem) {
  std::vector<std::uint64_t> bytes(64);
  for (std::uint64_t i = 0; i < 512; ++i) bytes[i / 8] |= (i & 255) << 8 * (i % 8);
  const auto a =
      run(kernel(load_registers("wmma.load.a.sync.aligned.row.m16n16k16.global.s8", 2, 16)), bytes);
  EXPECT_EQ(a.word(5), 0x97969594ull << 32 | 0x17161514);  // rows 1 and 9, columns 4 to 7
  const auto b =
      run(kernel(load_registers("wmma.load.b.sync.aligned.row.m16n16k16.global.u8", 2, 16)), bytes);
  EXPECT_EQ(b.word(5), 0x79695949ull << 32 | 0x71615141);  // rows 4 to 7 of columns 1 and 9
  std::vector<std::uint64_t> words(128);
  for (std::uint64_t i = 0; i < 256; ++i) words[i / 2] |= i << 32 * (i % 2);
  const auto c = run(kernel(load_registers("wmma.load.c.sync.aligned.row.m32n8k16.global.s32", 8, 8)), words);
  EXPECT_EQ(c.word(5, 0), 11ull << 32 | 10);  // (1, 2), (1, 3)
  EXPECT_EQ(c.word(5, 3), (8ull * 25 + 3) << 32 | (8 * 25 + 2));
  const auto tf32 =
      run(kernel(load_registers("wmma.load.b.sync.aligned.col.m16n16k8.global.tf32", 4, 8)), words);
  EXPECT_EQ(tf32.word(5, 0), 13ull << 32 | 9);  // k 1 and 5 of column 1
}

TEST(Wmma, DoublesAndPackedIntegersAreLoadedWhereTheHardwareHasThem) {
  std::vector<std::uint64_t> doubles(128);
  for (std::size_t i = 0; i < doubles.size(); ++i) doubles[i] = std::bit_cast<std::uint64_t>(double(i));
  const auto load = [&](const std::string &opcode, const std::string &list, const std::string &stride,
                        const std::vector<std::uint64_t> &in) {
    std::string text = "ld.param.u64 %d1, [k_in]; mov.u32 %r30, " + stride + ";\n.loc 1 7 1\n" + opcode +
                       " {" + list + "}, [%d1], %r30;\nst.global." + (list[1] == 'g' ? "f64" : "b32") +
                       " [%out], " + list.substr(0, 3) + ";";
    if (list.size() > 3)
      text +=
          std::string("st.global.") + (list[1] == 'g' ? "f64" : "b32") + " [%out+8], " + list.substr(4) + ";";
    return run(kernel(text) + file, in);
  };
  const auto number = [](const auto &got, std::size_t i = 0) {
    return std::bit_cast<double>(got.word(6, i));
  };
  // lane 6: row 1, column 2 of A; row 2, column 1 of B; row 1, columns 4 and 5 of C
  EXPECT_EQ(number(load("wmma.load.a.sync.aligned.row.m8n8k4.global.f64", "%g1", "6", doubles)), 8);
  EXPECT_EQ(number(load("wmma.load.a.sync.aligned.col.m8n8k4.f64", "%g1", "10", doubles)), 21);
  EXPECT_EQ(number(load("wmma.load.b.sync.aligned.row.m8n8k4.global.f64", "%g1", "10", doubles)), 21);
  EXPECT_EQ(number(load("wmma.load.b.sync.aligned.col.m8n8k4.global.f64", "%g1", "4", doubles)), 6);
  const auto by_rows = load("wmma.load.c.sync.aligned.row.m8n8k4.global.f64", "%g1,%g2", "10", doubles);
  EXPECT_EQ(number(by_rows), 14);
  EXPECT_EQ(number(by_rows, 1), 15);
  const auto columns = load("wmma.load.c.sync.aligned.col.m8n8k4.global.f64", "%g1,%g2", "10", doubles);
  EXPECT_EQ(number(columns), 41);
  EXPECT_EQ(number(columns, 1), 51);
  EXPECT_EQ(
      last(load("wmma.load.c.sync.aligned.row.m8n8k4.global.f64", "%g1,%g2", "9", doubles).result)
          .find("k.cu:7: error: the leading dimension of a fragment is 9 elements of 8 bytes: it has to be "
                "a multiple of 2"),
      0u);
  std::vector<std::uint64_t> words(128);
  for (std::uint64_t i = 0; i < 256; ++i) words[i / 2] |= i << 32 * (i % 2);
  EXPECT_EQ(load("wmma.load.a.sync.aligned.row.m8n8k32.global.s4", "%r1", "96", words).word(6), 12 + 2);
  EXPECT_EQ(load("wmma.load.b.sync.aligned.col.m8n8k32.global.u4", "%r1", "32", words).word(6), 4 + 2);
  EXPECT_EQ(load("wmma.load.a.sync.aligned.row.m8n8k128.global.b1", "%r1", "256", words).word(6), 8 + 2);
  const auto sums = load("wmma.load.c.sync.aligned.col.m8n8k128.global.s32", "%r1,%r2", "16", words);
  EXPECT_EQ(sums.word(6), 65);
  EXPECT_EQ(sums.word(6, 1), 81);
  EXPECT_EQ(
      last(load("wmma.load.a.sync.aligned.row.m8n8k32.global.s4", "%r1", "36", words).result)
          .find("k.cu:7: error: the leading dimension of a fragment is 36 elements of 4 bits: it has to be "
                "a multiple of 8"),
      0u);
  EXPECT_NE(last(load("wmma.load.a.sync.aligned.col.m8n8k32.global.s4", "%r1", "32", words).result)
                .find("fragments of this shape and type are not simulated"),
            std::string::npos);
}

TEST(Wmma, StoresDoublesAndFindsThoseWithoutAValue) {
  const std::string product =
      "ld.param.u64 %d1, [k_out]; mov.f64 %g1, 0d4000000000000000; mov.f64 %g2, 0d4008000000000000;\n.loc 1 "
      "7 "
      "1\nwmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%g5,%g6}, {%g1}, {%g2}, {%g3,%g4};\n.loc 1 8 "
      "1\nwmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%d1], {%g5,%g6};";
  const auto got = run(kernel("mov.f64 %g3, 0d3FF0000000000000; mov.f64 %g4, %g3;\n" + product) + file);
  ASSERT_EQ(last(got.result), "completed");
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(std::bit_cast<double>(got.out[i]), 25) << i;
  EXPECT_EQ(got.result.counters.tensor_flops, 2u * 8 * 8 * 4);
  EXPECT_EQ(got.result.counters.global_store.bytes, 512u);
  const auto bad = run(kernel("mov.f64 %g3, 0d3FF0000000000000;\n" + product) + file);
  EXPECT_NE(last(bad.result)
                .find("k.cu:7: error: this line reads a variable that has no value yet, and the result is "
                      "stored (k.cu:8)"),
            std::string::npos)
      << last(bad.result);
}

TEST(Wmma, StoresWhatItLoaded) {
  for (const std::string type : {"f32", "f16", "s32"})
    for (const std::string shape : {"m16n16k16", "m32n8k16", "m8n32k16"})
      for (const std::string layout : {"row", "col"}) {
        const bool half = type == "f16";
        const std::string list = half ? "{%r1,%r2,%r3,%r4}" : "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}";
        std::vector<std::uint64_t> in(128);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = i * 0x9E3779B97F4A7C15;
        const auto got = run(
            kernel("ld.param.u64 %d1, [k_in]; ld.param.u64 %d2, [k_out];\nwmma.load.c.sync.aligned." +
                   layout + "." + shape + "." + type + " " + list + ", [%d1];\nwmma.store.d.sync.aligned." +
                   layout + "." + shape + ".global." + type + " [%d2], " + list + ";"),
            in);
        ASSERT_EQ(last(got.result), "completed") << type << shape << layout;
        const std::size_t bytes = half ? 512 : 1024;
        EXPECT_EQ(std::memcmp(got.out.data(), in.data(), bytes), 0) << type << shape << layout;
        EXPECT_EQ(got.result.counters.global_load.bytes, bytes);
      }
}

TEST(Wmma, AMisplacedFragmentIsFoundWithItsLine) {
  const auto text = [](const std::string &address, const std::string &stride) {
    return kernel("ld.param.u64 %d1, [k_in]; " + address + " mov.u32 %r30, " + stride +
                  ";\n.loc 1 7 1\nwmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r1,%r2,%r3,%r4}, "
                  "[%d1], %r30;") +
           file;
  };
  EXPECT_EQ(last(run(text("", "16")).result), "completed");
  EXPECT_EQ(
      last(run(text("", "20")).result)
          .find(
              "k.cu:7: error: the leading dimension of a fragment is 20 elements of 2 bytes: it has to be a "
              "multiple of 8"),
      0u);
  EXPECT_EQ(last(run(text("add.u64 %d1, %d1, 8;", "16")).result)
                .find("k.cu:7: error: the address of a fragment, 0x"),
            0u);
  EXPECT_EQ(last(run(text("mov.u64 %d1, %in;", "16")).result)
                .find("k.cu:7: error: the lanes of a warp load or store"),
            0u);
  EXPECT_EQ(last(run(text("", "64")).result).find("k.cu:7: error: load of 4 bytes that starts "),
            0u);  // past the end
}

/// Loads A and B of 16 x 16 halves and fills the accumulators; line 5 is the product of `a`, of columns if `by_columns`.
std::string product_of(const std::string &before, const std::string &a, const std::string &layout = "row") {
  return kernel(
             "ld.param.u64 %d1, [k_in]; mov.u32 %r30, 16;\n"
             "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1], "
             "%r30;\n"
             "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, "
             "[%d1], "
             "%r30;\nmov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f32 "
             "%f5, %f1; "
             "mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f8, %f1;\n" +
             before + ".loc 1 5 1\nwmma.mma.sync.aligned." + layout + ".row.m16n16k16.f32.f32 " +
             "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, " + a +
             ", {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};\n" +
             "st.global.f32 [%out], %f1;") +
         file;
}

const std::string loaded = "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}",
                  made = "{%r21,%r21,%r21,%r21,%r21,%r21,%r21,%r21}";

TEST(Wmma, ElementsOfAnotherFragmentAreAWarningWithTheLineOfTheProduct) {
  EXPECT_EQ(last(run(product_of("", loaded), indices()).result), "completed");
  const std::string in_place = "k.cu:5: warning: A of this product has elements of ";
  EXPECT_EQ(
      last(run(product_of("", loaded, "col"), indices()).result)
          .find(in_place +
                "a fragment of A (row-major, m16n16k16) in place of those of a fragment of A (column-major"),
      0u);
  EXPECT_EQ(last(run(product_of("", "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}"), indices()).result)
                .find(in_place + "a fragment of B (row-major, m16n16k16)"),
            0u);
  // As compilers write `a.x[i] = __float2half(sum.x[i])`, after a product.
  const std::string sum =
      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, " + loaded +
      ", {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};\n";
  EXPECT_EQ(
      last(run(product_of(sum + "mul.f32 %f9, %f1, 0f3F000000; cvt.rn.f16.f32 %h1, %f9; mov.b32 %r21, {%h1, "
                                "%h1};\n",
                          made),
               indices())
               .result)
          .find(in_place + "an accumulator of m16n16k16"),
      0u);
}

TEST(Wmma, ElementsThatStayInPlaceCauseNoWarning) {
  // Changed where they are, with a factor that comes from another fragment.
  EXPECT_EQ(last(run(product_of("mul.f16x2 %r21, %r1, %r11;\n", made), indices()).result), "completed");
  // From another lane, as sums and maxima of rows are.
  EXPECT_EQ(
      last(run(product_of("shfl.sync.bfly.b32 %r21, %r11, 1, 31, 0xffffffff;\n", made), indices()).result),
      "completed");
}

}  // namespace
}  // namespace warpgrade::simt
