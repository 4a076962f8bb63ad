// Tensor-core instructions: what they compute, which lane holds what, and what is said of wrong ones.
#include <algorithm>
#include <sstream>

#include "decode/handlers.hpp"
#include "decode/opcode.hpp"
#include "harness.hpp"
#include "machine/instructions/fragments.hpp"
#include "tests/simt/tensor_cases.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

/// tensor_samples.bin: fragments and their products on an H200. Each has 64 bytes of text (kernel of
/// tests/gpu/tensor_kernels.cu, registers of A, B, C and D), then the registers.
TEST(TensorCores, FragmentsGiveTheBitsThatAnH200Gave) {
  const std::string file = testing::read_text("tensor_samples.bin");
  const std::vector<tensor::Case> cases = tensor::all_cases();
  std::size_t samples = 0;
  for (std::size_t at = 0; at < file.size(); ++samples) {
    std::istringstream header(file.substr(at, 64));
    std::string kernel;
    std::size_t registers[4] = {};
    header >> kernel >> registers[0] >> registers[1] >> registers[2] >> registers[3];
    at += 64;
    std::vector<std::uint32_t> words[4];
    for (int i = 0; i < 4; ++i) {
      words[i].resize(32 * registers[i]);
      ASSERT_LE(at + 128 * registers[i], file.size());
      std::memcpy(words[i].data(), file.data() + at, 128 * registers[i]);
      at += 128 * registers[i];
    }
    const auto one =
        std::find_if(cases.begin(), cases.end(), [&](const tensor::Case &c) { return c.kernel == kernel; });
    ASSERT_NE(one, cases.end()) << kernel;
    EXPECT_EQ(tensor::expected_product(*one, words[0], words[1], words[2]), words[3]) << kernel;
  }
  EXPECT_EQ(samples, 118u);
}

/// One product of rows and columns of small numbers.
float product_of(float a, float b, float c, tensor::Element element) {
  tensor::Matrices all{};
  const auto bits = [&](float value) {
    const auto single = std::bit_cast<std::uint32_t>(value);
    return element == tensor::Element::bf16 ? single >> 16 : single;
  };
  for (auto &row : all.a) row[0] = bits(a);
  for (auto &column : all.b) column[0] = bits(b);
  for (auto &row : all.c)
    for (std::uint32_t &one : row) one = std::bit_cast<std::uint32_t>(c);
  tensor::multiply({element, element, tensor::Element::f32, tensor::Element::f32, 16, 8, 8}, all);
  return std::bit_cast<float>(all.d[3][5]);
}

/// Seen on an H200: a subnormal C in f16 counts as the normal f32 that it is converted to, and a D in f16
/// keeps the sign of a number that is too small for it.
TEST(TensorCores, MixedTypesOfCAndDAreConvertedBeforeAndAfterTheSum) {
  struct Seen {
    const char *kernel;
    std::uint64_t fragment;
    std::size_t word, lane;
    std::uint32_t bits;
  };
  const std::vector<tensor::Case> cases = tensor::all_cases();
  for (const Seen &seen : {Seen{"wmma_m16_f16_f16_f32_rc", 9, 1, 5, 0x38a2e1cd},
                           Seen{"wmma_m16_f16_f16_f32_rc", 19, 2, 0, 0xb71f9f04},
                           Seen{"wmma_m16_f16_f16_f32_rc", 29, 5, 25, 0xb8330315},
                           Seen{"wmma_m16_f16_f32_f16_rc", 146, 2, 1, 0x8000e161},
                           Seen{"wmma_m16_f16_f32_f16_rc", 336, 1, 0, 0xa7c48000},
                           Seen{"wmma_m16_f16_f32_f16_rc", 396, 2, 20, 0xe05a8000}}) {
    const auto of = std::find_if(cases.begin(), cases.end(),
                                 [&](const tensor::Case &one) { return one.kernel == seen.kernel; });
    ASSERT_NE(of, cases.end()) << seen.kernel;
    const std::vector<std::uint32_t> got = tensor::RandomFragments(*of, seen.fragment).product(*of);
    EXPECT_EQ(got.at(seen.word * 32 + seen.lane), seen.bits) << seen.kernel << ", fragment " << seen.fragment;
  }
}

/// Of a million fragments, these are those in which it matters.
TEST(TensorCores, BitsBelowTheSmallestThatAnH200KeepsAreCutOff) {
  struct Seen {
    const char *kernel;
    std::uint64_t fragment;
    std::size_t word;
    std::uint32_t bits;
  };
  const std::vector<tensor::Case> cases = tensor::all_cases();
  for (const Seen &seen :
       {Seen{"mma_k4_tf32_f32", 277379, 34, 0x8000f3ad}, Seen{"mma_k4_tf32_f32", 361051, 47, 0x3448},
        Seen{"wmma_k8_tf32_rr", 225659, 249, 0x800139f7}}) {
    const auto of = std::find_if(cases.begin(), cases.end(),
                                 [&](const tensor::Case &one) { return one.kernel == seen.kernel; });
    ASSERT_NE(of, cases.end());
    EXPECT_EQ(tensor::RandomFragments(*of, seen.fragment).product(*of).at(seen.word), seen.bits)
        << seen.kernel << ", fragment " << seen.fragment;
  }
}

TEST(TensorCores, SumsAreCutOffNotRounded) {
  EXPECT_EQ(product_of(3.0f, 0.5f, 1.0f, tensor::Element::bf16), 2.5f);
  // 1 + 2^-24 + ... is closer to 1 + 2^-23 only if it is rounded.
  EXPECT_EQ(product_of(0x1.8p-24f, 1.0f, 1.0f, tensor::Element::bf16), 1.0f);
  EXPECT_EQ(product_of(-0x1p-26f, 1.0f, 1.0f, tensor::Element::bf16), 1.0f);  // cut off before the sum
  EXPECT_EQ(product_of(-0x1p-25f, 1.0f, 1.0f, tensor::Element::bf16), 0x1.fffffep-1f);  // kept, then cut off
}

TEST(TensorCores, TheLowBitsOfATf32AreIgnored) {
  const float low_bits = std::bit_cast<float>(std::bit_cast<std::uint32_t>(3.0f) | 0x1FFF);
  EXPECT_EQ(product_of(low_bits, 1.0f, 0.0f, tensor::Element::tf32), 3.0f);
}

/// A small whole number as bits of an element; a single bit: whether it is odd.
std::uint64_t bits_of_whole(int value, tensor::Element element) {
  switch (element) {
    case tensor::Element::f64:
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    case tensor::Element::s4:
    case tensor::Element::u4:
      return static_cast<std::uint32_t>(value) & 0xF;
    case tensor::Element::b1:
      return static_cast<std::uint32_t>(value) & 1;
    case tensor::Element::e4m3:  // at most 4: three bits of fraction will do
      return value == 0 ? 0 : (std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 20) - (120 << 3);
    case tensor::Element::e5m2:
      return double_to_half(value, Rounding::nearest) >> 8;
    case tensor::Element::f16:
      return double_to_half(value, Rounding::nearest);
    case tensor::Element::bf16:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    case tensor::Element::s8:
    case tensor::Element::u8:
      return static_cast<std::uint32_t>(value) & 0xFF;
    case tensor::Element::s32:
      return static_cast<std::uint32_t>(value);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

/// Registers of an operand whose element (row, column) is value(row, column), with its places in a drawing.
template <class Value>
std::vector<std::uint32_t> registers_of(const tensor::Fragment &f, const Value &value) {
  const std::uint32_t each = tensor::per_register(f.element), wide = tensor::words_of_register(f.element);
  std::vector<std::uint32_t> words(std::size_t{f.each_lane()} / each * wide * 32);
  for (std::uint32_t row = 0; row < f.rows; ++row)
    for (std::uint32_t column = 0; column < f.columns; ++column) {
      const tensor::Holder &by = f.holders[std::size_t{row} * f.columns + column];
      const std::uint64_t bits = bits_of_whole(value(row, column), f.element);
      const std::size_t at = std::size_t{wide} * (by.index / each * 32 + by.lane);
      words.at(at) |= static_cast<std::uint32_t>(bits) << tensor::bits_of(f.element) % 32 * (by.index % each);
      if (wide == 2) words.at(at + 1) = static_cast<std::uint32_t>(bits >> 32);
    }
  return words;
}

TEST(TensorCores, MultiplyWhatDrawingsShow) {
  for (const char *instruction : {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                                  "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                                  "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                                  "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                                  "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
                                  "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32",
                                  "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
                                  "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16",
                                  "wmma.mma.sync.aligned.col.row.m8n32k16.f32.f32",
                                  "wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32",
                                  "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32",
                                  "wmma.mma.sync.aligned.row.row.m8n32k16.s32.u8.u8.s32",
                                  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
                                  "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
                                  "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
                                  "mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64",
                                  "wmma.mma.sync.aligned.col.row.m8n8k4.rn.f64.f64.f64.f64",
                                  "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32",
                                  "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32",
                                  "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
                                  "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite",
                                  "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc",
                                  "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc",
                                  "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
                                  "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
                                  "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
                                  "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16"}) {
    const auto f = tensor::fragments_of(instruction);
    ASSERT_TRUE(f) << instruction;
    EXPECT_EQ(f->as_measured, std::string(instruction).starts_with("wmma"));
    const auto a = [](std::uint32_t row, std::uint32_t k) { return static_cast<int>((row * 5 + k * 3) % 4); };
    const auto b = [](std::uint32_t k, std::uint32_t column) {
      return static_cast<int>((k + column * 3) % 5);
    };
    const auto c = [](std::uint32_t row, std::uint32_t column) {
      return static_cast<int>((row + column) % 3);
    };
    tensor::Case one;
    const ProductForm form = product_form(Opcode(instruction));
    one.product = form.product, one.swapped = form.swapped;
    const auto got =
        tensor::expected_product(one, registers_of(f->a, a), registers_of(f->b, b), registers_of(f->c, c));
    const auto sum = [&](std::uint32_t row, std::uint32_t column) {
      int all = c(row, column);
      for (std::uint32_t k = 0; k < f->a.columns; ++k)
        all += f->a.element != tensor::Element::b1 ? a(row, k) * b(k, column)
               : form.product.one.exclusive        ? (a(row, k) ^ b(k, column)) & 1
                                                   : a(row, k) & b(k, column) & 1;
      return all;
    };
    ASSERT_EQ(f->c.element, f->d);
    EXPECT_EQ(got, registers_of(f->c, sum)) << instruction;
  }
  for (const char *none :
       {"mma.sync.aligned.m8n8k8.row.col.f64.f64.f64.f64", "mma.sync.aligned.m8n8k64.row.col.s32.s4.s4.s32",
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.s8.s32", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
        "wmma.mma.sync.aligned.row.col.m8n8k16.s32.s8.s8.s32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s4.s4.s32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.e4m3.e4m3.f32", "add.f32"})
    EXPECT_FALSE(tensor::fragments_of(none)) << none;
}

/// The first result of a product of f64 whose row of A, column of B and C are these.
double double_product(const std::string &opcode, const std::vector<double> &a, const std::vector<double> &b,
                      double c) {
  tensor::Case one;
  one.product = product_form(Opcode(opcode)).product;
  const tensor::Product &p = one.product.one;
  std::vector<std::uint32_t> words[3];
  const auto put = [](std::vector<std::uint32_t> &to, std::uint32_t reg, std::uint32_t lane, double value) {
    to.resize(std::max<std::size_t>(to.size(), 64 * (reg + 1)));
    std::memcpy(&to[64 * reg + 2 * lane], &value, sizeof value);
  };
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t r = 0; r < p.a_registers(); ++r)
      put(words[0], r, lane, a.at(tensor::place_in_a(p.a, lane, r).column));
    for (std::uint32_t r = 0; r < p.b_registers(); ++r)
      put(words[1], r, lane, b.at(tensor::place_in_b(p.b, lane, r).row));
    for (std::uint32_t r = 0; r < p.c_registers(); ++r) put(words[2], r, lane, c);
  }
  const std::vector<std::uint32_t> got = tensor::expected_product(one, words[0], words[1], words[2]);
  double first;
  std::memcpy(&first, got.data(), sizeof first);
  return first;
}

TEST(TensorCores, DoublesAreAddedByFusedMultiplyAddsInTheOrderOfK) {
  const std::string m8 = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";
  // Small terms before a large one count; after it, each of them is rounded away.
  EXPECT_EQ(double_product(m8, {1, 1, 0x1p53, 0}, {1, 1, 1, 1}, 0), 0x1p53 + 2);
  EXPECT_EQ(double_product(m8, {0x1p53, 1, 1, 0}, {1, 1, 1, 1}, 0), 0x1p53);
  // The product itself is not rounded.
  EXPECT_EQ(double_product(m8, {1 + 0x1p-52, 0, 0, 0}, {1 + 0x1p-52, 0, 0, 0}, -1 - 0x1p-51), 0x1p-104);
  const std::string m16 = "mma.sync.aligned.m16n8k16.row.col";
  std::vector<double> a(16, 0x1p-60), b(16, 1);
  EXPECT_EQ(double_product(m16 + ".f64.f64.f64.f64", a, b, 1), 1);
  EXPECT_EQ(double_product(m16 + ".rp.f64.f64.f64.f64", a, b, 1), 1 + 16 * 0x1p-52);
  EXPECT_EQ(double_product(m16 + ".rz.f64.f64.f64.f64", a, b, -1), -1 + 16 * 0x1p-53);
  EXPECT_EQ(double_product(m16 + ".rm.f64.f64.f64.f64", a, b, -1), -1);
}

/// As the machine code says that ptxas makes for sm_90: the pairs 0 1, 4 5, ... first, then 2 3, 6 7, ...,
/// each sum cut off as one of f16, and C by an ordinary addition.
TEST(TensorCores, ProductsOfFp8AreTwoOfF16AndAnAddition) {
  const auto product = [](std::uint32_t k0, std::uint32_t k1, std::uint32_t k2, float c) {
    tensor::Case one;
    one.product = product_form(Opcode("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")).product;
    std::vector<std::uint32_t> a(128), b(64), sums(128, std::bit_cast<std::uint32_t>(c));
    for (std::uint32_t lane = 0; lane < 32; lane += 4) {
      a[lane] = a[32 + lane] = k0 | k1 << 8 | k2 << 16;
      b[lane] = 0x3C3C3C;  // 1.0
    }
    return std::bit_cast<float>(tensor::expected_product(one, a, b, sums)[0]);
  };
  constexpr std::uint32_t large = 0x7B, small = 0x08;           // 57344, 2^-13
  EXPECT_EQ(product(large, small, large | 0x80, 0), 0);         // below 2^(15 - 25)
  EXPECT_EQ(product(large, large | 0x80, small, 0), 0x1p-13f);  // the large ones are gone by then
  EXPECT_EQ(product(0x3C, 0, 0, 0x1.8p-24f), 0x1.000002p0f);    // rounded to nearest, not cut off
}

TEST(TensorCores, SumsOfFourBitsAreClampedOrWrap) {
  for (const bool saturate : {false, true}) {
    tensor::Case one;
    one.product = {{tensor::Element::u4, tensor::Element::u4, tensor::Element::s32, tensor::Element::s32, 16,
                    64, 64, saturate}};
    const auto got = tensor::expected_product(one, std::vector<std::uint32_t>(128, UINT32_MAX),
                                              std::vector<std::uint32_t>(64, UINT32_MAX),
                                              std::vector<std::uint32_t>(128, 0x7FFFFFFF));
    EXPECT_EQ(got, std::vector<std::uint32_t>(128, saturate ? 0x7FFFFFFF : 0x7FFFFFFF + 64u * 15 * 15));
  }
}

/// PTX of a product of A full of 2 and B full of 3 (f16), with C = 1, in %f1 to %f4.
const std::string mma =
    "mov.b32 %r1, 0x40004000; mov.b32 %r2, 0x42004200; mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 "
    "%f3, %f1; "
    "mov.f32 %f4, %f1;\n.loc 1 7 1\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r2,%r2}, "
    "{%f1,%f2,%f3,%f4};\n";
const std::string file = ".file 1 \"k.cu\"\n";

TEST(Mma, MultipliesAndCountsItsOperations) {
  const auto got = run(kernel(mma + "st.global.f32 [%out], %f3;"));
  ASSERT_EQ(last(got.result), "completed");
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(got.word(17))), 97.0f);
  EXPECT_EQ(got.result.counters.tensor_products, 1u);
  EXPECT_EQ(got.result.counters.tensor_flops, 2u * 16 * 8 * 16);
  ASSERT_EQ(got.result.counters.products.size(), 1u);
  const auto &[key, counts] = *got.result.counters.products.begin();
  EXPECT_EQ(key.instruction, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(key.at.line, 7);
  EXPECT_EQ(counts, (ProductCounters{1, 2 * 16 * 8 * 16}));
  EXPECT_EQ(got.result.counters.by_class[static_cast<std::size_t>(InstructionClass::tensor)], 1u);
}

TEST(Mma, NeedsAllLanesOfItsWarp) {
  const auto half =
      run(kernel("setp.gt.u32 %p1, %tid, 15; @%p1 bra SKIP;\n" + mma + "SKIP: mov.u32 %r1, 0;") + file);
  EXPECT_EQ(last(half.result),
            "k.cu:7: error: a tensor-core instruction needs all 32 lanes of the warp: 16 execute it, and the "
            "others took another branch or have left the kernel, thread (0,0,0) of block (0,0,0) of k");
  const auto small = run(kernel(mma) + file, {}, 24);
  EXPECT_EQ(last(small.result),
            "k.cu:7: error: a tensor-core instruction needs all 32 lanes of the warp: 24 execute it, and the "
            "warp has "
            "24 threads; is the block's size a multiple of 32?, thread (0,0,0) of block (0,0,0) of k");
  const auto twice = run(kernel("setp.gt.u32 %p1, %tid, 15; @%p1 bra OTHER;\n" + mma +
                                "bra.uni END; OTHER: " + mma + "END: mov.u32 %r1, 0;") +
                         file);
  EXPECT_NE(
      last(twice.result)
          .find(
              "k.cu:7: error: a tensor-core instruction needs all 32 lanes of the warp together: 16 of them "
              "are here, 16 at k.cu:7"),
      std::string::npos)
      << last(twice.result);
}

TEST(Mma, LanesThatPartedBeforeMeetAgainForIt) {
  const auto got =
      run(kernel("mov.u32 %r9, 1; setp.gt.u32 %p1, %tid, 15; @%p1 bra SKIP; mov.u32 %r9, 2; SKIP:\n" + mma +
                 "st.global.f32 [%out], %f1;"));
  ASSERT_EQ(last(got.result), "completed");
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(got.word(31))), 97.0f);
}

TEST(Mma, AnAccumulatorWithoutAValueIsFoundWhereItIsStored) {
  const std::string product =
      "mov.b32 %r1, 0x40004000;\n.loc 1 7 1\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1}, {%r1}, "
      "{%f5,%f6,%f7,%f8};\n"
      ".loc 1 8 1\nst.global.f32 [%out], %f1;";
  const auto got = run(kernel(product) + file);
  EXPECT_NE(
      last(got.result)
          .find("k.cu:7: error: this line reads a variable that has no value yet, and the result is stored "
                "(k.cu:8)"),
      std::string::npos)
      << last(got.result);
  // Its other half may lack a value if nobody needs what comes of it.
  const auto good = run(kernel("mov.f32 %f5, 0f00000000; mov.f32 %f6, %f5;\n" + product) + file);
  EXPECT_EQ(last(good.result), "completed");
}

TEST(Mma, WhatDoesNotExistOrIsNotSimulatedIsRefusedByName) {
  const std::pair<const char *, const char *> cases[] = {
      {"mma.sync.aligned.m16n8k32.row.col.f32.e2m1.e2m1.f32",
       "products of e2m1 on tensor cores are not simulated"},
      {"mma.sync.aligned.m8n8k8.row.col.f64.f64.f64.f64",
       "products of this shape and these types are not simulated"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
       "products of sparse matrices are not simulated"},
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
       "the product of Volta's shape, m8n8k4, is not simulated"},
      {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.xor.popc",
       "products of this shape and these types are not simulated"},
      {"tcgen05.mma.cta_group::1.kind::f16",
       "of the tensor-core instructions, only mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix are "
       "simulated"}};
  for (const auto &[opcode, why] : cases) {
    const auto got =
        run(kernel(".loc 1 7 1\n" + std::string(opcode) + " {%f1}, {%r1}, {%r2}, {%f1};") + file);
    EXPECT_EQ(got.result.status, Status::unsupported) << opcode;
    EXPECT_NE(last(got.result).find(why), std::string::npos) << last(got.result);
    EXPECT_EQ(last(got.result).find("k.cu:7: error: unsupported PTX instruction " + std::string(opcode)), 0u);
  }
}

/// 64 lanes' rows of 16 bytes in As; thread t fills words 4 t to 4 t + 3 with 8 t + (0, 1), (2, 3), ... as
/// 16-bit numbers; %r9: address of the thread's row
const std::string rows =
    "mov.u32 %r8, As; shl.b32 %r7, %tid, 4; add.u32 %r9, %r8, %r7; mul.lo.u32 %r1, %tid, 0x80008; "
    "add.u32 %r1, %r1, 0x10000; add.u32 %r2, %r1, 0x20002; add.u32 %r3, %r2, 0x20002; add.u32 %r4, %r3, "
    "0x20002;\n"
    ".loc 1 3 1\nst.shared.v4.u32 [%r9], {%r1,%r2,%r3,%r4};\n";
const std::string As = ".shared .align 16 .b8 As[1024];\n";

TEST(Ldmatrix, GivesEachLaneItsPairOfEveryMatrix) {
  const auto got = run(kernel(rows + "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                                     "{%r1,%r2,%r3,%r4}, [%r9]; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};",
                              As));
  ASSERT_EQ(last(got.result), "completed");
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
      const auto first = static_cast<std::uint32_t>(8 * (8 * matrix + lane / 4) + lane % 4 * 2);
      const std::uint64_t pair = got.word(lane, matrix / 2) >> 32 * (matrix % 2) & 0xFFFFFFFF;
      EXPECT_EQ(pair, first | (first + 1) << 16) << lane << " " << matrix;
    }
  EXPECT_EQ(got.result.counters.shared_load.requests, 1u);
  EXPECT_EQ(got.result.counters.shared_load.wavefronts, 4u);
  EXPECT_EQ(got.result.counters.shared_load.conflicts, 0u);
  EXPECT_EQ(got.result.counters.shared_load.bytes, 512u);
}

TEST(Ldmatrix, Transposes) {
  const auto got =
      run(kernel(rows + "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 "
                        "{%r1}, [%r9]; st.global.u32 [%out], %r1;",
                 As));
  ASSERT_EQ(last(got.result), "completed");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto first = static_cast<std::uint32_t>(8 * (lane % 4 * 2) + lane / 4);
    EXPECT_EQ(got.word(lane), first | (first + 8) << 16) << lane;
  }
}

TEST(Ldmatrix, RowsInTheSameBanksConflict) {
  // All rows 128 bytes apart: 8 of them share their banks.
  const auto got =
      run(kernel("mov.u32 %r8, Bs; and.b32 %r7, %tid, 7; shl.b32 %r7, %r7, 7; add.u32 %r9, %r8, %r7; "
                 "st.shared.v4.u32 [%r9], {%tid,%tid,%tid,%tid}; bar.sync 0; "
                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];",
                 ".shared .align 16 .b8 Bs[1024];\n"));
  EXPECT_EQ(got.result.counters.shared_load.wavefronts, 8u);
  EXPECT_EQ(got.result.counters.shared_load.conflicts, 7u);
}

TEST(Stmatrix, IsTheInverseOfLdmatrix) {
  for (const std::string trans : {"", ".trans"}) {
    const auto got =
        run(kernel(rows + "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8.x2" + trans +
                       ".shared.b16 {%r1,%r2}, [%r9]; add.u32 %r10, %r9, 512; "
                       "stmatrix.sync.aligned.m8n8.x2" +
                       trans +
                       ".shared.b16 [%r10], {%r1,%r2}; bar.warp.sync 0xffffffff; setp.lt.u32 %p1, %tid, "
                       "16; @%p1 ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [%r10]; @%p1 st.global.v4.u32 "
                       "[%out], {%r1,%r2,%r3,%r4};",
                   As));
    ASSERT_EQ(last(got.result), "completed") << trans;
    EXPECT_EQ(got.word(11),
              (std::uint64_t{8 * 11 + 3} << 48 | std::uint64_t{8 * 11 + 2} << 32 | (8 * 11 + 1) << 16 | 88));
    EXPECT_EQ(got.result.counters.shared_store.requests, 2u);
  }
}

TEST(Movmatrix, Transposes) {
  const auto got =
      run(kernel("shl.b32 %r1, %tid, 1; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2; "
                 "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1; st.global.u32 [%out], %r3;"));
  ASSERT_EQ(last(got.result), "completed");
  EXPECT_EQ(got.word(5), (std::uint64_t{8 * 3 + 1} << 16 | (8 * 2 + 1)));  // column 1, rows 2 and 3
}

TEST(Ldmatrix, AMisalignedRowIsFoundWithItsLine) {
  const auto got = run(kernel(rows + "add.u32 %r9, %r9, 8; bar.warp.sync 0xffffffff;\n.loc 1 9 1\n"
                                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];",
                              As) +
                       file);
  EXPECT_EQ(last(got.result).find("k.cu:9: error: misaligned load of 16 bytes in As: the address"), 0u)
      << last(got.result);
}

TEST(Ldmatrix, ARowPastTheEndIsFoundWithItsLineIfItsMatrixIsLoaded) {
  const std::string body = rows + "add.u32 %r9, %r9, 640; bar.warp.sync 0xffffffff;\n.loc 1 9 1\n";
  const std::string fill =  // the other half has values too
      "st.shared.v4.u32 [%r9+512], {%r1,%r2,%r3,%r4};\n";
  const auto bad =
      run(kernel(fill.empty() ? ""
                              : rows + fill +
                                    "add.u32 %r9, %r9, 640; bar.warp.sync 0xffffffff;\n.loc 1 9 1\n"
                                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r9];",
                 As) +
          file);
  EXPECT_EQ(last(bad.result)
                .find("k.cu:9: error: shared load of 16 bytes that starts at the end of As (1024 bytes)"),
            0u)
      << last(bad.result);
  EXPECT_NE(last(bad.result).find("thread (24,0,0)"), std::string::npos) << last(bad.result);
  const auto good = run(kernel(rows + fill +
                                   "add.u32 %r9, %r9, 640; bar.warp.sync 0xffffffff; "
                                   "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1,%r2}, [%r9];",
                               As));
  EXPECT_EQ(last(good.result), "completed");
}

TEST(Ldmatrix, RacesWithAStoreOfAnotherWarpUnlessABarrierIsBetween) {
  const auto text = [](const std::string &between) {
    return kernel(rows + between +
                      "xor.b32 %r7, %r7, 512; add.u32 %r9, %r8, %r7;\n.loc 1 9 1\n"
                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r9];",
                  As) +
           file;
  };
  const auto racing = run(text(""), {}, 64);
  const bool found = std::any_of(racing.result.diagnostics.begin(), racing.result.diagnostics.end(),
                                 [](const Diagnostic &one) {
                                   return one.code == Code::race && one.severity == Severity::error &&
                                          one.here.at.line == 9 && one.other && one.other->at.line == 3;
                                 });
  EXPECT_TRUE(found) << last(racing.result);
  EXPECT_EQ(last(run(text("bar.sync 0;\n"), {}, 64).result), "completed");
}

TEST(Ldmatrix, UnwrittenSharedMemoryIsFound) {
  const auto got = run(kernel("mov.u32 %r8, As; shl.b32 %r7, %tid, 4; add.u32 %r9, %r8, %r7;\n.loc 1 9 1\n"
                              "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];",
                              As) +
                       file);
  EXPECT_EQ(last(got.result).find("k.cu:9: error: uninitialized read on shared memory As"), 0u)
      << last(got.result);
}

}  // namespace
}  // namespace warpgrade::simt
