// Products of random fragments on tensor cores: what test_simt and test_gpu share. Each case is a kernel of
// tests/gpu/tensor_kernels.cu; a fragment follows from its number alone.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "decode/tensor.hpp"

namespace warpgrade::simt::tensor {

struct Case {
  std::string kernel;
  WarpProduct product;
  bool swapped = false;  ///< 8 x 32: the operands change places
  /// In words of 32 bits; wmma repeats some elements.
  std::uint32_t words_a = 0, words_b = 0;
  std::uint32_t words_c() const { return product.c_registers() * words_of_register(product.one.c); }
  std::uint32_t words_d() const { return product.d_registers() * words_of_register(product.one.d); }
  bool needs_hopper() const {
    const Element a = product.one.a;
    return (a == Element::f64 && product.one.m == 16) || a == Element::e4m3 || a == Element::e5m2;
  }
};

inline std::string name_of(Element e) {
  static constexpr const char *names[] = {"f16", "bf16", "tf32", "f32", "f64",  "s4",  "u4",
                                          "s8",  "u8",   "s32",  "b1",  "e4m3", "e5m2"};
  return names[static_cast<std::size_t>(e)];
}

inline std::string with_number(std::string letter, std::uint32_t number) {
  letter += std::to_string(number);
  return letter;
}

inline std::vector<Case> all_cases() {
  using enum Element;
  std::vector<Case> made;
  const auto mma = [&](const std::string &name, Product one) {
    one.step = one.k;
    const std::uint32_t words = words_of_register(one.a);
    made.push_back({"mma_" + name, {one}, false, words * one.a_registers(), words * one.b_registers()});
  };
  for (const std::uint32_t k : {8u, 16u}) {
    const std::string shape = with_number("k", k);
    mma(shape + "_f16_f32", {f16, f16, f32, f32, 16, k});
    mma(shape + "_f16_f16", {f16, f16, f16, f16, 16, k});
    mma(shape + "_bf16_f32", {bf16, bf16, f32, f32, 16, k});
    mma(with_number("k", k / 2) + "_tf32_f32", {tf32, tf32, f32, f32, 16, k / 2});
  }
  for (const Element a : {s8, u8})
    for (const Element b : {s8, u8}) {
      const std::string types = std::string(a == s8 ? "_s8" : "_u8") + (b == s8 ? "_s8" : "_u8");
      mma("m8" + types, {a, b, s32, s32, 8, 16});
      for (const std::uint32_t k : {16u, 32u})
        for (const bool saturate : {false, true})
          mma(with_number("k", k) + types + (saturate ? "_sat" : ""), {a, b, s32, s32, 16, k, 16, saturate});
    }
  for (const Element a : {s4, u4})
    for (const Element b : {s4, u4})
      for (const bool saturate : {false, true}) {
        const std::string types = "_" + name_of(a) + "_" + name_of(b) + (saturate ? "_sat" : "");
        mma("m8" + types, {a, b, s32, s32, 8, 32, 32, saturate});
        for (const std::uint32_t k : {32u, 64u})
          mma(with_number("k", k) + types, {a, b, s32, s32, 16, k, k, saturate});
      }
  for (const bool exclusive : {false, true}) {
    const std::string type = exclusive ? "_b1_xor" : "_b1_and";
    mma("m8" + type, {b1, b1, s32, s32, 8, 128, 128, false, exclusive});
    for (const std::uint32_t k : {128u, 256u})
      mma(with_number("k", k) + type, {b1, b1, s32, s32, 16, k, k, false, exclusive});
  }
  for (const auto &[suffix, rounding] : {std::pair{"", Rounding::nearest},
                                         {"_rz", Rounding::zero},
                                         {"_rm", Rounding::down},
                                         {"_rp", Rounding::up}}) {
    mma(std::string("m8_f64") + suffix, {f64, f64, f64, f64, 8, 4, 4, false, false, rounding});
    for (const std::uint32_t k : {4u, 8u, 16u})
      mma(with_number("k", k) + "_f64" + suffix, {f64, f64, f64, f64, 16, k, k, false, false, rounding});
  }
  for (const Element a : {e4m3, e5m2})
    for (const Element b : {e4m3, e5m2})
      for (const Element d : {f32, f16})
        for (const std::uint32_t k : {16u, 32u})
          mma(with_number("k", k) + "_" + name_of(a) + "_" + name_of(b) + "_" + name_of(d),
              {a, b, d, d, 16, k});
  const auto small_wmma = [&](const std::string &name, Product one) {
    one.step = one.k;
    const std::uint32_t words = words_of_register(one.a);
    made.push_back({"wmma_m8_" + name, {one}, false, words, words});
  };
  for (const Element a : {s4, u4})
    for (const bool saturate : {false, true})
      small_wmma(name_of(a) + "_rc" + (saturate ? "_sat" : ""), {a, a, s32, s32, 8, 32, 32, saturate});
  small_wmma("b1_and_rc", {b1, b1, s32, s32, 8, 128});
  small_wmma("b1_xor_rc", {b1, b1, s32, s32, 8, 128, 128, false, true});
  const auto wmma = [&](const std::string &name, std::uint32_t m, const Product &one) {
    Case c{"wmma_" + name, {one, 2, m == 16}, m == 8};
    const bool repeats = one.a == f16;  // its fragments have 8 registers, as Volta needs them
    c.words_a = repeats ? 8 : c.swapped ? c.product.b_registers() : c.product.a_registers();
    c.words_b = repeats ? 8 : c.swapped ? c.product.a_registers() : c.product.b_registers();
    made.push_back(std::move(c));
  };
  for (const char *layouts : {"_rr", "_rc", "_cr", "_cc"}) {
    for (const std::uint32_t m : {16u, 32u, 8u}) {
      const std::string shape = with_number("m", m);
      wmma(shape + "_f16_f32_f32" + layouts, m, {f16, f16, f32, f32});
      wmma(shape + "_f16_f16_f16" + layouts, m, {f16, f16, f16, f16});
      wmma(shape + "_bf16_f32_f32" + layouts, m, {bf16, bf16, f32, f32});
      wmma(shape + "_s8" + layouts, m, {s8, s8, s32, s32});
      wmma(shape + "_u8" + layouts, m, {u8, u8, s32, s32});
    }
    wmma(std::string("k8_tf32") + layouts, 16, {tf32, tf32, f32, f32, 16, 8, 4});
    small_wmma(std::string("f64") + layouts, {f64, f64, f64, f64, 8, 4});
  }
  wmma("m16_f16_f16_f32_rc", 16, {f16, f16, f16, f32});
  wmma("m16_f16_f32_f16_rc", 16, {f16, f16, f32, f16});
  return made;
}

/// What the tensor core is expected to make of operands: word r of lane l is at 32 r + l. An f64 takes two
/// words: number r of lane l is at 64 r + 2 l.
inline std::vector<std::uint32_t> expected_product(const Case &of, const std::vector<std::uint32_t> &a,
                                                   const std::vector<std::uint32_t> &b,
                                                   const std::vector<std::uint32_t> &c) {
  const auto lanes = [&](const std::vector<std::uint32_t> &words) {
    std::vector<const std::uint32_t *> made;
    const std::size_t row = std::size_t{32} * words_of_register(of.product.one.a);
    for (std::size_t r = 0; r < words.size(); r += row) made.push_back(&words[r]);
    return made;
  };
  std::uint32_t d[most_registers][32];
  multiply(of.product, lanes(of.swapped ? b : a).data(), lanes(of.swapped ? a : b).data(), lanes(c).data(),
           d);
  return {&d[0][0], &d[0][0] + std::size_t{32} * of.words_d()};
}

/// Words of random numbers, each kind in a tenth of the fragments: near 1; of all sizes; products that cancel
/// out; subnormal ones; with zeros, infinities and NaN; any bits.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t number) : random_(number * 0x9E3779B97F4A7C15 + 1), kind_(number % 10) {}

  std::vector<std::uint32_t> factors(std::size_t words, Element e) {
    return draw(
        words, [&] { return factor(e); }, e);
  }
  std::vector<std::uint32_t> sums(std::size_t words, Element e) {
    return draw(
        words, [&] { return sum(e); }, e);
  }
  /// RandomFragments of a tenth of the numbers: half of the elements of A become the others with the opposite
  /// sign, and those of B nearly alike, so that products cancel out. Both are neighbours in a word, or in the
  /// next.
  void cancel(std::vector<std::uint32_t> &a, std::vector<std::uint32_t> &b, Element e) {
    if (kind_ != 3 || is_integer(e)) return;
    if (e == Element::f64) {
      for (std::vector<std::uint32_t> *words : {&a, &b})
        for (std::size_t i = 0; i < words->size(); i += 4) {
          const auto noise = static_cast<std::uint32_t>(below(2) ? 0 : below(16));
          (*words)[i + 2] = (*words)[i] ^ (words == &a ? 0 : noise);
          (*words)[i + 3] = (*words)[i + 1] ^ (words == &a ? 1u << 31 : 0);
        }
      return;
    }
    const std::uint32_t width = bits_of(e), top = 1u << (width - 1);
    for (std::vector<std::uint32_t> *words : {&a, &b})
      for (std::size_t i = 0; i < words->size(); i += width == 32 ? 2 : 1) {
        const auto noise = static_cast<std::uint32_t>(below(2) ? 0 : below(16));
        const std::uint32_t change = words == &a ? top : width == 8 ? noise & 1 : noise;
        std::uint32_t &word = (*words)[i];
        if (width == 32)
          (*words)[i + 1] = word ^ change;
        else if (width == 16)
          word = (word & 0xFFFF) | ((word & 0xFFFF) ^ change) << 16;
        else
          word = (word & 0x00FF00FF) | ((word & 0x00FF00FF) ^ (change | change << 16)) << 8;
      }
  }

 private:
  static bool is_integer(Element e) {
    return bits_of(e) < 8 || e == Element::s8 || e == Element::u8 || e == Element::s32;
  }
  static int fraction(Element e) {
    return e == Element::f16    ? 10
           : e == Element::bf16 ? 7
           : e == Element::e4m3 ? 3
           : e == Element::e5m2 ? 2
           : e == Element::f64  ? 52
                                : 23;
  }
  static int exponent_bits(Element e) {
    if (e == Element::f64) return 11;
    return e == Element::f16 || e == Element::e5m2 ? 5 : e == Element::e4m3 ? 4 : 8;
  }
  static int bias(Element e) { return (1 << (exponent_bits(e) - 1)) - 1; }

  std::uint32_t bits() { return static_cast<std::uint32_t>(random_() >> 16); }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint32_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }

  template <class One>
  std::vector<std::uint32_t> draw(std::size_t words, const One &one, Element element) {
    std::vector<std::uint32_t> made(words);
    for (std::size_t i = 0; i < words; i += words_of_register(element)) {
      if (element == Element::f64) {
        const std::uint64_t drawn = one();
        made[i] = static_cast<std::uint32_t>(drawn), made[i + 1] = static_cast<std::uint32_t>(drawn >> 32);
      } else if (bits_of(element) < 8) {
        made[i] = bits();
      } else {
        for (std::uint32_t e = 0; e < per_register(element); ++e)
          made[i] |= static_cast<std::uint32_t>(one()) << (bits_of(element) & 31) * e;
      }
    }
    return made;
  }

  /// As many bits as the element has, or more.
  std::uint64_t any(Element e) {
    const std::uint64_t low = bits();
    return e == Element::f64 ? low | std::uint64_t{bits()} << 32 : low;
  }

  std::uint64_t number(Element e, int exponent) {
    const int most = (1 << exponent_bits(e)) - 2;
    exponent = exponent < 0 ? 0 : exponent > most ? most : exponent;
    std::uint64_t mantissa = any(e) & ((std::uint64_t{1} << fraction(e)) - 1);
    if (below(4) == 0) mantissa &= any(e) & any(e);
    return sign(e) | static_cast<std::uint64_t>(exponent) << fraction(e) | mantissa;
  }
  std::uint64_t sign(Element e) {
    return static_cast<std::uint64_t>(below(2)) << (fraction(e) + exponent_bits(e));
  }
  std::uint64_t special(Element e) {
    const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits(e)) - 1) << fraction(e);
    const int which = below(4);
    const auto some =
        e == Element::f64 ? any(e) >> 12 | 1 : static_cast<std::uint64_t>(1 + below((1 << fraction(e)) - 1));
    return sign(e) | (which < 2 ? infinity : which == 2 ? infinity | some : 0);
  }

  std::uint64_t factor(Element e) {
    if (is_integer(e)) return bits() & 255;
    const int one = bias(e);
    switch (kind_) {
      case 0:
        return number(e, between(one - 2, one + 2));
      case 1:
        return number(e, between(1, 2 * one));
      case 2:
        return number(e, between(one - 8, one + 8));
      case 3:
        return number(e, between(one - 3, one + 3));
      case 4:
        return below(3) ? number(e, between(0, 3)) : number(e, between(one - 3, one + 10));
      case 5:
        return below(24) ? number(e, between(one - 2, one + 2)) : special(e);
      case 6:
        return below(2) ? sign(e) : number(e, between(one - 12, one + 12));
      case 7:
        return bits_of(e) >= 32 ? any(e) : bits() & ((1u << bits_of(e)) - 1);
      case 8:
        return number(e, between(one - 1, one + 1));
      default:
        return number(e, between(one / 2 - 6, one / 2 + 2));
    }
  }

  std::uint64_t sum(Element e) {
    if (is_integer(e)) {
      const auto near_the_end = static_cast<std::uint32_t>(below(100000));
      const int which = below(4);
      return which == 0   ? bits()
             : which == 1 ? 0x7FFFFFFF - near_the_end
             : which == 2 ? 0x80000000 + near_the_end
                          : near_the_end;
    }
    if (below(6) == 0) return sign(e);
    const int one = bias(e), far = e == Element::f16 ? 0 : 30;
    switch (kind_) {
      case 1:
        return number(e, between(1, 2 * one));
      case 2:
        return number(e, between(one - 12, one + 18));
      case 3:
        return number(e, between(one - far - 4, one + 8));
      case 4:
        return number(e, below(2) ? between(one - far, one - 2) : between(0, 40));
      case 5:
        return below(24) ? number(e, between(one - 4, one + 6)) : special(e);
      case 6:
        return number(e, between(one - far, one + 20));
      case 7:
        return bits_of(e) >= 32 ? any(e) : bits() & 0xFFFF;
      case 8:
        return number(e, between(one - 4, one + 32));
      case 9:
        return number(e, between(0, 12));
      default:
        return number(e, between(one - 4, one + 6));
    }
  }

  std::mt19937_64 random_;
  std::uint64_t kind_;
};

/// The operands of a case, drawn by number.
class RandomFragments {
 public:
  RandomFragments(const Case &of, std::uint64_t number) {
    RandomWords random(number);
    const Product &one = of.product.one;
    a = random.factors(std::size_t{32} * of.words_a, one.a);
    b = random.factors(std::size_t{32} * of.words_b, one.b);
    c = random.sums(std::size_t{32} * of.words_c(), one.c);
    random.cancel(a, b, one.a);
  }
  std::vector<std::uint32_t> a, b, c;  ///< as expected_product() takes them

  std::vector<std::uint32_t> product(const Case &of) const { return expected_product(of, a, b, c); }
};

}  // namespace warpgrade::simt::tensor
