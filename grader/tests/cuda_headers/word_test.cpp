// Integers, atomics, warps, half precision and vectors of the clang front end's headers, on the simulator.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <numeric>
#include <random>

#include "decode/handlers.hpp"
#include "tests/cuda_headers/kernels.hpp"

namespace warpgrade {
namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

std::uint32_t low(Word a) {
  return static_cast<std::uint32_t>(a);
}
std::int32_t int_of(Word a) {
  return static_cast<std::int32_t>(a);
}
/// Applies an operation to each part of `bits` bits.
template <class T>
Word parts(Word a, Word b, int bits, const std::function<std::int64_t(std::int64_t, std::int64_t)> &of) {
  Word all = 0;
  for (int i = 0; i < 32; i += bits)
    all |= (static_cast<Word>(of(static_cast<T>(a >> i), static_cast<T>(b >> i))) & ((1u << bits) - 1)) << i;
  return all;
}
std::int64_t mul_high(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<__int128>(a) * b >> 64);
}

/// Words of all kinds: random ones, small ones, and those at the ends.
struct Given {
  Words a, b;
  explicit Given(std::size_t count = 256) {
    std::mt19937_64 random(99);
    for (const Word special : {Word{0}, Word{1}, ~Word{0}, Word{1} << 63, Word{0x80000000}, Word{0x7fffffff},
                               Word{0xffffffff}, Word{0x7f80ff017f80ff01}})
      a.push_back(special), b.push_back(~special);
    while (a.size() < count) a.push_back(random() >> random() % 64), b.push_back(random() >> random() % 64);
    a.resize(count), b.resize(count);
  }
};

struct Function {
  const char *name;
  std::function<Word(Word, Word)> on_host;
};

TEST(Words, IntegerFunctionsReturnTheDefinedValues) {
  const Function functions[] = {
      {"clz", [](Word a, Word) -> Word { return static_cast<Word>(std::countl_zero(low(a))); }},
      {"clzll", [](Word a, Word) -> Word { return static_cast<Word>(std::countl_zero(a)); }},
      {"popc", [](Word a, Word) -> Word { return static_cast<Word>(std::popcount(low(a))); }},
      {"popcll", [](Word a, Word) -> Word { return static_cast<Word>(std::popcount(a)); }},
      {"first_set", [](Word a, Word) -> Word { return static_cast<Word>(__builtin_ffs(int_of(a))); }},
      {"first_set_long",
       [](Word a, Word) -> Word { return static_cast<Word>(__builtin_ffsll(static_cast<long long>(a))); }},
      {"brev",
       [](Word a, Word) {
         Word all = 0;
         for (int i = 0; i < 32; ++i) all |= (a >> i & 1) << (31 - i);
         return all;
       }},
      {"brevll",
       [](Word a, Word) {
         Word all = 0;
         for (int i = 0; i < 64; ++i) all |= (a >> i & 1) << (63 - i);
         return all;
       }},
      {"mulhi",
       [](Word a, Word b) -> Word {
         return low(static_cast<Word>(std::int64_t{int_of(a)} * int_of(b)) >> 32);
       }},
      {"umulhi", [](Word a, Word b) -> Word { return Word{low(a)} * low(b) >> 32; }},
      {"mul64hi",
       [](Word a, Word b) -> Word {
         return static_cast<Word>(mul_high(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
       }},
      {"umul64hi",
       [](Word a, Word b) -> Word { return static_cast<Word>(static_cast<unsigned __int128>(a) * b >> 64); }},
      {"byte_perm",
       [](Word a, Word b) -> Word {
         const Word both = low(a) | Word{low(b)} << 32;
         return (both >> 40 & 0xff) | (both >> 8 & 0xff) << 8 | (both >> 56 & 0xff) << 16 |
                (both >> 24 & 0xff) << 24;
       }},
      {"sad",
       [](Word a, Word b) -> Word {
         return low(static_cast<Word>(std::abs(std::int64_t{int_of(a)} - int_of(b))) + 7);
       }},
      {"usad",
       [](Word a, Word b) -> Word { return low(std::max(low(a), low(b)) - std::min(low(a), low(b)) + 7); }},
      {"hadd",
       [](Word a, Word b) -> Word {
         return low(static_cast<Word>((std::int64_t{int_of(a)} + int_of(b)) >> 1));
       }},
      {"rhadd",
       [](Word a, Word b) -> Word {
         return low(static_cast<Word>((std::int64_t{int_of(a)} + int_of(b) + 1) >> 1));
       }},
      {"uhadd", [](Word a, Word b) -> Word { return (Word{low(a)} + low(b)) >> 1; }},
      {"funnel_l",
       [](Word a, Word b) -> Word { return low((Word{low(b)} << 32 | low(a)) << (a >> 32 & 31) >> 32); }},
      {"funnel_rc",
       [](Word a, Word b) -> Word {
         return low((Word{low(b)} << 32 | low(a)) >> std::min<Word>(a >> 32, 32));
       }},
      {"dp4a_signed",
       [](Word a, Word b) -> Word {
         std::int32_t all = 5;
         for (int i = 0; i < 32; i += 8)
           all += static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i);
         return low(static_cast<Word>(all));
       }},
      {"dp4a_unsigned",
       [](Word a, Word b) -> Word {
         Word all = 5;
         for (int i = 0; i < 32; i += 8) all += (a >> i & 0xff) * (b >> i & 0xff);
         return low(all);
       }},
      {"vadd4", [](Word a, Word b) { return parts<std::int8_t>(a, b, 8, std::plus<>()); }},
      {"vsub2", [](Word a, Word b) { return parts<std::int16_t>(a, b, 16, std::minus<>()); }},
      {"vmaxs4",
       [](Word a, Word b) {
         return parts<std::int8_t>(a, b, 8, [](auto x, auto y) { return std::max(x, y); });
       }},
      {"vabsdiffu4",
       [](Word a, Word b) {
         return parts<std::uint8_t>(a, b, 8, [](auto x, auto y) { return std::abs(x - y); });
       }},
      {"vcmpgts2",
       [](Word a, Word b) {
         return parts<std::int16_t>(a, b, 16, [](auto x, auto y) { return x > y ? -1 : 0; });
       }},
      {"min_mixed", [](Word a, Word b) -> Word { return std::min(low(a), low(b)); }},
      {"max_signed",
       [](Word a, Word b) -> Word { return low(static_cast<Word>(std::max(int_of(a), int_of(b)))); }},
      {"absolute", [](Word a, Word) -> Word { return int_of(a) < 0 ? low(-a) : low(a); }},
      {"ldg_char4",
       [](Word a, Word) -> Word {
         return static_cast<Word>(std::int64_t{static_cast<std::int8_t>(a >> 8)});
       }},
  };
  const Given given;
  for (const Function &f : functions) {
    const Words got = tests::apply<Word>("word_functions", f.name, given.a, given.b);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], f.on_host(given.a[i], given.b[i]))
          << f.name << std::hex << " of " << given.a[i] << ", " << given.b[i];
  }
}

TEST(Words, LoadsAndStoresWithACacheOperatorMoveTheirData) {
  const Given given;
  for (const char *kernel : {"__ldg___stwb", "__ldcg___stcg", "__ldcs___stcs", "__ldca___stwt"})
    EXPECT_EQ(tests::apply<Word>("word_functions", kernel, given.a, given.b), given.a) << kernel;
}

TEST(Words, AtomicFunctionsOfAWarpAddUp) {
  const Given given(32);
  Word sum = 0, all_and = 100, all_or = 100, all_xor = 100, least = 100, most = 100;
  for (const Word a : given.a) {
    sum += a % 1000;
    all_and &= low(a), all_or |= low(a), all_xor ^= a;
    least = std::min(least, a % 1000), most = std::max(most, a % 1000);
  }
  const std::pair<const char *, Word> wanted[] = {
      {"atomic_add_int", 100 + sum},
      {"atomic_add_unsigned", 100 + sum},
      {"atomic_add_word", 100 + sum},
      {"atomic_add_float", 100 + sum},
      {"atomic_add_double", 100 + sum},
      {"atomic_add_block", 100 + sum},
      {"atomic_sub", low(100 - sum)},
      {"atomic_min", least},
      {"atomic_max", most},
      {"atomic_and", all_and},
      {"atomic_or", all_or},
      {"atomic_xor", all_xor},
      {"atomic_inc", 21},  // 100 and 10 more reach 110, the next gives 0, and 21 are left
      {"atomic_dec", 68},  // 100 - 32
      {"atomic_exch", 7},
  };
  for (const auto &[kernel, want] : wanted)
    EXPECT_EQ(tests::apply<Word>("word_functions", kernel, given.a, given.b)[0], want) << kernel;
  // The first thread to find 100 puts in its own word, with which nobody finds 100 again, unless it is 100.
  const Word left = tests::apply<Word>("word_functions", "atomic_cas", given.a, given.b)[0];
  EXPECT_TRUE(std::any_of(given.a.begin(), given.a.end(), [&](Word a) { return a % 1000 == left; })) << left;
}

TEST(Words, FunctionsOfAWarpSeeItsThreads) {
  const Given given(32);
  const auto &a = given.a;
  const auto run = [&](const char *kernel) {
    return tests::apply<Word>("word_functions", kernel, a, given.b);
  };
  Word odd = 0;
  std::uint32_t sum = 0, most = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    odd |= (a[i] % 2) << i;
    sum += static_cast<std::uint32_t>(a[i] % 1000);
    most = std::max(most, low(a[i]));
  }
  const Words down = run("shfl_down"), across = run("shfl_xor_double"), narrow = run("shfl_idx_width"),
              up = run("shfl_up_float"), same = run("match_any");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(down[i], a[i + 3 < 32 ? i + 3 : i]);
    EXPECT_EQ(std::bit_cast<double>(across[i]), static_cast<double>(a[i ^ 5] % 1000));
    EXPECT_EQ(narrow[i], low(a[i / 8 * 8 + 2]));
    EXPECT_EQ(std::bit_cast<float>(low(up[i])), static_cast<float>(a[i == 0 ? 0 : i - 1] % 1000));
    Word like = 0;
    for (std::size_t j = 0; j < 32; ++j) like |= Word{a[j] % 4 == a[i] % 4} << j;
    EXPECT_EQ(same[i], like);
  }
  EXPECT_EQ(run("ballot")[3], odd);
  EXPECT_EQ(run("all_any")[3], (odd == 0xffffffff ? 2u : 0u) + (odd != 0));
  EXPECT_EQ(run("reduce_add")[3], sum);
  EXPECT_EQ(run("reduce_max")[3], most);
  EXPECT_EQ(run("count")[3], static_cast<Word>(std::popcount(odd)));
  EXPECT_EQ(run("and_or")[3], (odd == 0xffffffff ? 2u : 0u) + (odd != 0));
  EXPECT_EQ(run("active")[3], 0xffffffffu);
}

TEST(Words, AThreadKnowsWhereItIs) {
  const Words got = tests::apply<Word>("word_functions", "who", Words(96), Words(96));
  for (Word i = 0; i < 96; ++i)
    EXPECT_EQ(got[i], i % 32 + 100 * (i / 32) + 10000 * 32 + 1000000 * 3 + 1000000000ull * 32);
}

TEST(Words, HalvesAreConvertedAndRoundedAsTheHardwareDoes) {
  const Given given(512);
  const auto run = [&](const char *kernel) {
    return tests::apply<Word>("word_functions", kernel, given.a, given.b);
  };
  const auto half = [](Word bits) { return simt::half_to_float(static_cast<std::uint32_t>(bits & 0xffff)); };
  const Words wide = run("half_to_float"), sum = run("half_add"), fused = run("half_fma"),
              less = run("half_less");
  for (std::size_t i = 0; i < given.a.size(); ++i) {
    const Word a = given.a[i], b = given.b[i];
    const auto same = [](float x, float y) { return x == y || (x != x && y != y); };
    EXPECT_TRUE(same(std::bit_cast<float>(low(wide[i])), half(a)));
    // the sum of two halves is exact as a double, and so is the product and sum of three
    const double want_sum = static_cast<double>(half(a)) + half(b);
    EXPECT_TRUE(std::isnan(want_sum)
                    ? half(sum[i]) != half(sum[i])
                    : same(half(sum[i]), static_cast<float>(static_cast<_Float16>(want_sum))))
        << std::hex << a << ' ' << b;
    const double want = static_cast<double>(half(a)) * half(b) + half(a >> 16);
    EXPECT_TRUE(std::isnan(want) ? half(fused[i]) != half(fused[i])
                                 : same(half(fused[i]), static_cast<float>(static_cast<_Float16>(want))))
        << std::hex << a << ' ' << b;
    EXPECT_EQ(less[i], half(a) < half(b));
  }
}

TEST(Words, AVectorIsOneRequest) {
  const Given given(32);
  EXPECT_EQ(tests::apply<Word>("word_functions", "vectors", given.a, given.b), given.a);
  std::ostringstream text;
  text << std::ifstream(WARPGRADE_COMPILED "/word_functions.ptx").rdbuf();
  const std::string ptx = text.str(), kernel = ptx.substr(ptx.find(".entry vectors("));
  for (const char *access : {"ld.global", "st.shared.v4.f32", "ld.shared.v4.f32", "st.global.v2.f32"})
    EXPECT_NE(kernel.find(access), std::string::npos) << access;
  EXPECT_EQ(kernel.find("ld.shared.f32"), std::string::npos);
  EXPECT_EQ(kernel.find(".local"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
