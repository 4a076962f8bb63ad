#include "generator.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace warpgrade::prove {
namespace {

class Writer {
 public:
  Writer(std::uint64_t seed, bool with_ways_out) : random_(seed), with_ways_out_(with_ways_out) {}

  Generated write() {
    block_ = pick({1, 4, 8, 32});
    Generated result;
    result.problem.kernel = "k";
    result.problem.sizes = {"n"};
    result.problem.assumptions = {"n >= 1"};
    result.problem.block = {std::to_string(block_), "1", "1"};
    result.problem.grid = {chance(4) ? "2" : fmt::format("ceil_div(n, {})", block_), "1", "1"};
    square_ = chance(3);
    const std::string extent = square_ ? "n * n" : chance(2) ? "n" : chance(2) ? "n + 1" : "2 * n";
    // D is only read, by a thread's index in its launch or in its block.
    result.problem.buffers = {{"A", {extent}, 4, false}, {"D", {"n + 64"}, 4, false}};
    result.problem.arguments = {{Argument::Kind::pointer, "0", "A"},
                                {Argument::Kind::pointer, "0", "D"},
                                {Argument::Kind::integer, "n", ""}};
    line("ld.param.u64 %rd0, [a];");
    line("ld.param.u64 %rd9, [d];");
    line("ld.param.u32 %r0, [n];");
    line("mov.u32 %r1, %tid.x;");
    line("mov.u32 %r2, %ctaid.x;");
    line(fmt::format("mad.lo.s32 %r3, %r2, {}, %r1;", block_));
    if (with_ways_out_) {
      if (chance(4)) piece();
      loop_with_ways_out();
      if (chance(4)) piece();
    } else {
      for (int pieces = pick({1, 1, 2, 3}); pieces > 0; --pieces) piece();
    }
    result.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 d, "
        ".param "
        ".u32 n)\n{\n"
        ".reg .pred %p<400>;\n.reg .b32 %r<400>;\n.reg .b64 %rd<400>;\n.reg .f32 %f<200>;\n"
        ".shared .align 4 .b8 s[256];\n" +
        text_ + "END:\nret;\n}\n";
    return result;
  }

 private:
  int pick(const std::vector<int> &of) {
    return of[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random_)];
  }
  bool chance(int one_in) { return pick({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) % one_in == 0; }
  void line(const std::string &text) { text_ += text + "\n"; }
  int next() { return ++registers_; }

  /// a * x + b * n + c, in a new register.
  int affine(int x, const std::vector<int> &factors, const std::vector<int> &sizes,
             const std::vector<int> &constants) {
    const int r = next(), q = next();
    line(fmt::format("mul.lo.s32 %r{}, %r{}, {};", r, x, pick(factors)));
    line(fmt::format("mad.lo.s32 %r{}, %r0, {}, %r{};", q, pick(sizes), r));
    line(fmt::format("add.s32 %r{}, %r{}, {};", q, q, pick(constants)));
    return q;
  }

  void touch(int index) {
    const int r = next();
    line(fmt::format("mul.wide.s32 %rd{}, %r{}, 4;", r, index));
    line(fmt::format("add.s64 %rd{}, %rd{}, %rd0;", r, r));
    line(chance(2) ? fmt::format("st.global.f32 [%rd{}], %f0;", r)
                   : fmt::format("ld.global.f32 %f1, [%rd{}];", r));
  }

  /// Skips to a label where a comparison holds.
  void skip_if(int a, const std::string &how, const std::string &b, const std::string &label) {
    const int p = next();
    line(fmt::format("setp.{}.s32 %p{}, %r{}, {};", how, p, a, b));
    line(fmt::format("@%p{} bra {};", p, label));
  }

  void guarded() {
    const std::string after = fmt::format("L{}", next());
    const char *const how[] = {"ge", "gt", "ne", "lt"};
    if (!chance(4)) skip_if(3, how[pick({0, 0, 0, 1, 2, 3})], "%r0", after);
    if (chance(4)) skip_if(0, "ne", std::to_string(pick({7, 33, 64})), after);
    if (chance(5)) skip_if(3, "eq", std::to_string(pick({0, 3})), after);
    touch(affine(3, {1, 1, 1, 2, -1}, {0, 0, 0, 1}, {0, 0, 0, 1, -1}));
    line(after + ":");
  }

  void loop() {
    const std::string after = fmt::format("L{}", next()), again = fmt::format("L{}", next());
    if (!chance(4)) skip_if(3, "ge", "%r0", after);
    const int k = next(), step = pick({1, 1, 2, 4});
    line(fmt::format("mov.u32 %r{}, {};", k, pick({0, 0, 1})));
    if (chance(3)) line(fmt::format("add.s32 %r{}, %r{}, %r1;", k, k));
    line(again + ":");
    skip_if(k, chance(5) ? "gt" : "ge", chance(4) ? "%r1" : "%r0", after);
    const int index = next();
    if (square_)
      line(chance(2) ? fmt::format("mad.lo.s32 %r{}, %r3, %r0, %r{};", index, k)
                     : fmt::format("mad.lo.s32 %r{}, %r{}, %r0, %r3;", index, k));
    else
      line(fmt::format("mad.lo.s32 %r{}, %r{}, {}, {};", index, k, pick({1, 1, 2}), pick({0, 0, 1})));
    touch(index);
    line(fmt::format("add.s32 %r{}, %r{}, {};", k, k, step));
    line("bra " + again + ";");
    line(after + ":");
  }

  void shared() {
    const int base = next();
    line(fmt::format("mov.u32 %r{}, s;", base));
    if (chance(6)) skip_if(3, "ge", "%r0", "END");
    for (const bool first : {true, false}) {
      const std::string after = fmt::format("L{}", next());
      if (!first && chance(3)) skip_if(1, "gt", std::to_string(pick({2, 3})), after);
      const int index = affine(1, {1, 1, 1, 2, -1}, {0}, {0, 0, 1, block_ - 1}), at = next();
      line(fmt::format("mad.lo.s32 %r{}, %r{}, 4, %r{};", at, index, base));
      line(first || chance(4) ? fmt::format("st.shared.f32 [%r{}], %f0;", at)
                              : fmt::format("ld.shared.f32 %f1, [%r{}];", at));
      line(after + ":");
      if (!chance(4)) line("bar.sync 0;");
    }
  }

  /// The quotient of a number by another, as compilers compute it; now and then with a factor or a shift that is not
  /// quite right.
  int quotient(int x, int divisor) {
    int shift = 0;
    std::uint64_t factor = 0;
    for (;; ++shift) {
      const std::uint64_t power = std::uint64_t{1} << (32 + shift), by = static_cast<std::uint64_t>(divisor);
      factor = (power + by - 1) / by;
      if ((factor * by - power) >> (1 + shift) == 0) break;
    }
    if (chance(6)) factor += static_cast<std::uint64_t>(pick({1, 1000, 100'000'000}));
    if (chance(6)) ++shift;
    const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(factor));
    const int r = next(), sign = next(), q = next();
    line(fmt::format("mul.hi.s32 %r{}, %r{}, {};", r, x, low));
    if (low < 0) line(fmt::format("add.s32 %r{}, %r{}, %r{};", r, r, x));
    line(fmt::format("shr.u32 %r{}, %r{}, 31;\nshr.s32 %r{}, %r{}, {};", sign, r, q, r, shift));
    line(fmt::format("add.s32 %r{}, %r{}, %r{};", q, q, sign));
    return q;
  }

  /// An index from a quotient and a remainder, by a number or by masks.
  void divided() {
    const std::string after = fmt::format("L{}", next());
    if (!chance(5)) skip_if(3, chance(4) ? "gt" : "ge", "%r0", after);
    const int x = pick({1, 3}), rest = next(), index = next();
    int q = 0, divisor = pick({3, 5, 7, 12, 34, 204});
    if (chance(2)) {
      q = quotient(x, divisor);
      line(fmt::format("mul.lo.s32 %r{}, %r{}, {};\nsub.s32 %r{}, %r{}, %r{};", rest, q, divisor, rest, x,
                       rest));
    } else {
      divisor = pick({2, 4, 8});
      q = next();
      line(fmt::format("shl.b32 %r{}, %r{}, 2;\nand.b32 %r{}, %r{}, {};", q, x, rest, q, 4 * divisor - 4));
      line(fmt::format("shr.u32 %r{}, %r{}, 2;\nshr.u32 %r{}, %r{}, 1;", rest, rest, q, x));
      line(fmt::format("shr.u32 %r{}, %r{}, {};", q, q, divisor == 2 ? 0 : divisor == 4 ? 1 : 2));
    }
    const int stride = chance(3) ? pick({divisor - 1, divisor + 1}) : divisor;
    line(fmt::format("mad.lo.s32 %r{}, %r{}, {}, %r{};", index, q, stride, rest));
    if (chance(4)) line(fmt::format("add.s32 %r{}, %r{}, {};", index, index, pick({1, -1})));
    touch(index);
    line(after + ":");
  }

  /// Accesses of an unrolled loop, each thread those of its own, or one row of threads after the other.
  void unrolled() {
    const int times = pick({2, 4}), base = next();
    line(fmt::format("mov.u32 %r{}, s;", base));
    for (const bool first : {true, false}) {
      const bool own = chance(2), stores = first || chance(4), guards = chance(3);
      const int step = own         ? 1
                       : chance(6) ? block_ - 1
                                   : block_,
                scale = own ? (chance(6) ? times - 1 : times) : 1, shift = chance(4) ? 1 : 0;
      for (int i = 0; i < times; ++i) {
        const std::string after = fmt::format("L{}", next());
        const int at = next();
        if (guards) {
          const int x = next();
          line(fmt::format("add.s32 %r{}, %r3, {};", x, i));
          skip_if(x, "ge", "%r0", after);
        }
        line(fmt::format("mad.lo.s32 %r{}, %r1, {}, %r{};", at, 4 * scale, base));
        line(stores ? fmt::format("st.shared.f32 [%r{}+{}], %f0;", at, 4 * (i * step + shift))
                    : fmt::format("ld.shared.f32 %f1, [%r{}+{}];", at, 4 * (i * step + shift)));
        line(after + ":");
      }
      if (!chance(4)) line("bar.sync 0;");
    }
  }

  /// What this thread finds in D, from 0 to 7.
  int data() {
    const int r = next();
    line(fmt::format("mul.wide.u32 %rd{}, %r{}, 4;\nadd.s64 %rd{}, %rd{}, %rd9;", r, pick({1, 3}), r, r));
    line(fmt::format("ld.global.u32 %r{}, [%rd{}];", r, r));
    return r;
  }

  /// A register and what it is compared with: an index of the thread or of its block, a size, data, or the count of a
  /// loop.
  std::pair<int, std::string> sides(int count) {
    const int small = pick({0, 1, 2, 3, 5});
    switch (pick({0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 8})) {
      case 0:
        return {1, std::to_string(small)};
      case 1:
        return {2, std::to_string(pick({0, 0, 1}))};
      case 2:
        return {0, std::to_string(pick({1, 2, 7, 33, 40}))};
      case 3:
        return {data(), std::to_string(small)};
      case 4:
        return {count, std::to_string(small)};
      case 5:
        return {count, "%r1"};
      case 6:
        return {count, fmt::format("%r{}", data())};
      case 7:
        return {3, "%r0"};
      default:
        break;
    }
    const int sum = next();
    line(fmt::format("add.s32 %r{}, %r{}, %r1;", sum, count));
    return {sum, chance(2) ? "%r0" : std::to_string(small)};
  }

  /// Where something holds, the thread leaves the loop, or returns, or goes on with the next iteration.
  void way_out(int count, int found, const std::vector<std::string> &targets) {
    const auto [a, b] = sides(count);
    const char *const how[] = {"ge", "gt", "eq", "ne", "lt"};
    const char *const chosen = how[pick({0, 0, 1, 2, 2, 3, 4})];
    const int p = next();
    line(fmt::format("setp.{}.s32 %p{}, %r{}, {};", chosen, p, a, b));
    if (chance(3)) line(fmt::format("@%p{} mov.u32 %r{}, {};", p, found, chance(2) ? "1" : "%r1"));
    const std::size_t to = static_cast<std::size_t>(pick({0, 0, 0, 1, 2, 2, 3}));
    line(to < targets.size() ? fmt::format("@%p{} bra {};", p, targets[to]) : fmt::format("@%p{} ret;", p));
  }

  /// An access by a count or by an index, often guarded.
  void touch_within(int count) {
    const std::string after = fmt::format("L{}", next());
    const int x = chance(2) ? count : 3;
    if (!chance(6)) skip_if(x, chance(6) ? "gt" : "ge", "%r0", after);
    if (square_ && chance(2)) {
      const int index = next();
      if (!chance(6)) skip_if(3, "ge", "%r0", after);
      line(fmt::format("mad.lo.s32 %r{}, %r3, %r0, %r{};", index, count));
      touch(index);
    } else {
      touch(x);
    }
    line(after + ":");
  }

  /// What is kept of an iteration: a minimum, a quotient or a remainder.
  void keep(int count, int found) {
    const int kind = pick({0, 0, 1, 2});
    if (kind == 0) line(fmt::format("min.s32 %r{}, %r{}, {};", found, count, pick({2, 5, 10})));
    if (kind == 1) line(fmt::format("shr.u32 %r{}, %r{}, 1;", found, count));
    if (kind == 2) line(fmt::format("rem.s32 %r{}, %r{}, %r0;", found, count));
  }

  void share(int base, bool stores) {
    const int at = affine(1, {1, 1, 1, -1}, {0}, {0, 0, 1, block_ - 1}), word = next();
    line(fmt::format("mad.lo.s32 %r{}, %r{}, 4, %r{};", word, at, base));
    line(stores ? fmt::format("st.shared.f32 [%r{}], %f0;", word)
                : fmt::format("ld.shared.f32 %f1, [%r{}];", word));
  }

  /// A loop that ends in several ways, perhaps with another one in it, and what follows it.
  void loop_with_ways_out(int depth = 0, const std::string &around = {}, int found_around = 0) {
    const std::string after = fmt::format("L{}", next()), again = fmt::format("L{}", next()),
                      step = fmt::format("L{}", next());
    const int base = next(), k = next(), by = next(), found = depth > 0 ? found_around : next();
    line(fmt::format("mov.u32 %r{}, s;", base));
    const bool shares = chance(3);
    if (shares) share(base, true);
    if (depth == 0) line(fmt::format("mov.u32 %r{}, {};", found, pick({0, 0, 0, 3, 40})));
    if (chance(3)) skip_if(3, "ge", "%r0", after);
    if (chance(4)) skip_if(0, "lt", std::to_string(pick({2, 5, 9})), after);
    line(fmt::format("mov.u32 %r{}, {};", k, pick({0, 0, 0, 1})));
    if (chance(3)) line(fmt::format("add.s32 %r{}, %r{}, %r{};", k, k, pick({1, 3})));
    line(fmt::format("mov.u32 %r{}, {};", by, pick({1, 1, 1, 2})));
    if (chance(4)) line(fmt::format("add.s32 %r{}, %r{}, %r{};", by, by, pick({1, 1, data()})));
    const std::string end = chance(4) ? "%r1" : chance(6) ? std::to_string(pick({3, 8})) : "%r0";
    const bool at_top = chance(2);
    std::vector<std::string> targets{after, "END", step};
    if (!around.empty()) targets[1] = around;
    line(again + ":");
    if (at_top) skip_if(k, chance(5) ? "gt" : "ge", end, after);
    for (int parts = pick({1, 2, 2, 3, 4}); parts > 0; --parts) {
      const int kind = pick({0, 0, 0, 1, 1, 2, depth == 0 ? 3 : 1, 4});
      if (kind == 0) way_out(k, found, targets);
      if (kind == 1) touch_within(k);
      if (kind == 2) line("bar.sync 0;");
      if (kind == 3) loop_with_ways_out(1, after, found);
      if (kind == 4) keep(k, found);
    }
    if (chance(2)) way_out(k, found, targets);
    line(step + ":");
    line(fmt::format("add.s32 %r{}, %r{}, %r{};", k, k, by));
    if (at_top)
      line("bra " + again + ";");
    else
      skip_if(k, "lt", end, again);
    line(after + ":");
    if (depth > 0) return;
    const std::string rest = fmt::format("L{}", next());
    if (chance(3)) skip_if(found, chance(2) ? "eq" : "ne", "0", chance(2) ? rest : "END");
    if (chance(4)) skip_if(k, chance(2) ? "ge" : "lt", chance(2) ? "%r0" : "%r1", chance(2) ? rest : "END");
    if (chance(2)) touch_within(chance(3) ? found : k);
    if (chance(2)) line("bar.sync 0;");
    line(rest + ":");
    if (chance(4)) line("bar.sync 0;");
    if (shares) share(base, chance(3));
  }

  void piece() {
    const int kind = pick({0, 0, 1, 1, 2, 2, 3, 4});
    if (kind == 0) guarded();
    if (kind == 1) loop();
    if (kind == 2) shared();
    if (kind == 3) divided();
    if (kind == 4) unrolled();
  }

  std::mt19937_64 random_;
  std::string text_;
  int block_ = 1, registers_ = 10;
  bool square_ = false, with_ways_out_ = false;
};

class TileWriter {
 public:
  explicit TileWriter(std::uint64_t seed)
      : random_(seed),
        flips_(static_cast<int>(seed % 4)),
        wrong_flip_(seed / 4 % 8 == 0),
        as_product_(seed / 32 % 2 == 1) {}

  Generated write() {
    wrong_ = pick({0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6});
    const int dimensions = pick({1, 2, 2, 2, 3, 4});
    matrix_ = dimensions == 2;
    Generated result;
    Problem &problem = result.problem;
    problem.kernel = "k";
    problem.sizes = {"n"};
    problem.assumptions = {"n >= 1"};
    problem.arguments = {{Argument::Kind::pointer, "0", "A"}, {Argument::Kind::integer, "n", ""}};
    problem.buffers = {
        {"A", matrix_ ? std::vector<std::string>{"n", "n"} : std::vector<std::string>{"n"}, 4, true}};
    if (matrix_ && as_product_) problem.buffers[0].shape = {"n * n"};
    if (dimensions == 3) {
      problem.buffers[0].shape = {"n", "n", "n"};
      result.most = 11;
      boxes(problem);
    } else if (matrix_) {
      tiles(problem);
    } else if (dimensions == 4) {
      strides(problem);
    } else {
      vectors(problem);
    }
    result.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<50>;\n.reg .b32 %r<100>;\n.reg .b64 %rd<50>;\n.reg .f32 %f<9>;\n"
        "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r3, %ctaid.y;\n" +
        text_ + "END:\nret;\n}\n";
    return result;
  }

 private:
  int pick(const std::vector<int> &of) {
    return of[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random_)];
  }
  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args &&...args) {
    text_ += fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  /// n - 1 - x, or n - x where that is the mistake.
  int flipped(int x) {
    const int r = ++next_;
    line("sub.s32 %r{}, %r0, %r{};", r, x);
    if (!wrong_flip_) line("add.s32 %r{}, %r{}, -1;", r, r);
    return r;
  }

  /// A[%r<row> * n + %r<col>], or transposed.
  void store(int row, int col, const std::string &after) {
    if ((flips_ & 1) != 0) col = flipped(col);
    if ((flips_ & 2) != 0 && matrix_) row = flipped(row);
    const int r = ++next_;
    line("mad.lo.s32 %r{}, %r{}, %r0, %r{};", r, row, col);
    line("mul.wide.s32 %rd{}, %r{}, 4;\nadd.s64 %rd{}, %rd{}, %rd0;\nst.global.f32 [%rd{}], %f0;", r, r, r, r,
         r);
    line("{}:", after);
  }

  /// Threads in rows of `wide`; each writes `rows` elements of a column, adjacent or one row of threads apart.
  void tiles(Problem &problem) {
    const int wide = pick({4, 8}), high = pick({1, 2, 4}), rows = pick({1, 2, 4}), tile = high * rows;
    // Rows of numbered tiles are one element high: proofs of others take seconds.
    const bool numbered = rows == 1 && pick({0, 1}) == 1, near = pick({0, 1}) == 1,
               swapped = pick({0, 0, 1}) == 1;
    const std::string across =
                          wrong_ == 1 ? fmt::format("n / {}", wide) : fmt::format("ceil_div(n, {})", wide),
                      down = fmt::format("ceil_div(n, {})", tile);
    problem.block = {std::to_string(wide * high), "1", "1"};
    problem.grid = {numbered ? across + " * " + down : across, numbered ? "1" : down, "1"};
    if (numbered) {  // tiles row by row along x
      line("add.s32 %r4, %r0, {};\nshr.u32 %r4, %r4, {};", wrong_ == 1 ? 0 : wide - 1, wide == 4 ? 2 : 3);
      line("setp.eq.s32 %p9, %r4, 0;\n@%p9 bra END;");
      line("div.u32 %r3, %r2, %r4;\nrem.u32 %r2, %r2, %r4;");
    }
    line("shr.u32 %r5, %r1, {};\nand.b32 %r6, %r1, {};", wide == 4 ? 2 : 3,
         wrong_ == 2 ? wide / 2 - 1 : wide - 1);
    line("mad.lo.s32 %r7, %r2, {}, %r6;", wide);  // column
    line("setp.{}.s32 %p0, %r7, %r0;\n@%p0 bra END;", wrong_ == 3 ? "gt" : "ge");
    line("mul.lo.s32 %r8, %r3, {};\nmad.lo.s32 %r8, %r5, {}, %r8;", tile, near ? rows : 1);
    for (int i = 0; i < rows; ++i) {
      if (wrong_ == 4 && i == rows / 2) continue;
      const int row = ++next_, step = near ? 1 : wrong_ == 5 ? high + 1 : high;
      line("add.s32 %r{}, %r8, {};", row, i * step);
      line("setp.{}.s32 %p{}, %r{}, %r0;\n@%p{} bra L{};", wrong_ == 6 ? "gt" : "ge", row, row, row, row);
      swapped ? store(7, row, fmt::format("L{}", row)) : store(row, 7, fmt::format("L{}", row));
    }
  }

  /// Boxes of a cube: a thread writes `deep` elements, plane by plane.
  void boxes(Problem &problem) {
    const int deep = pick({1, 2});
    problem.block = {"4", "2", "2"};
    problem.grid = {wrong_ == 1 ? "n / 4" : "ceil_div(n, 4)", "ceil_div(n, 2)",
                    fmt::format("ceil_div(n, {})", 2 * deep)};
    line("mov.u32 %r4, %ctaid.z;\nmov.u32 %r5, %tid.y;\nmov.u32 %r6, %tid.z;");
    line("mad.lo.s32 %r7, %r2, 4, %r1;\nmad.lo.s32 %r8, %r3, 2, %r5;\nmad.lo.s32 %r9, %r4, {}, %r6;",
         2 * deep);
    line("setp.{}.s32 %p0, %r7, %r0;\n@%p0 bra END;", wrong_ == 3 ? "gt" : "ge");
    if (wrong_ != 6) line("setp.ge.s32 %p1, %r8, %r0;\n@%p1 bra END;");
    for (int i = 0; i < (wrong_ == 4 ? 1 : deep); ++i) {
      const int z = ++next_, row = ++next_;
      line("add.s32 %r{}, %r9, {};", z, i * (wrong_ == 5 ? 1 : 2));
      line("setp.{}.s32 %p{}, %r{}, %r0;\n@%p{} bra L{};", wrong_ == 2 ? "gt" : "ge", z, z, z, z);
      line("mad.lo.s32 %r{}, %r{}, %r0, %r8;", row, z);
      store(row, 7, fmt::format("L{}", z));
    }
  }

  /// Few blocks, each thread in steps of all of them; with ways out that no thread takes, or that some take too early.
  void strides(Problem &problem) {
    const int block = pick({4, 8, 32}), blocks = pick({1, 2, 3});
    const bool at_top = pick({0, 1}) == 1;
    problem.block = {std::to_string(block), "1", "1"};
    problem.grid = {std::to_string(blocks), "1", "1"};
    line("mad.lo.s32 %r4, %r2, {}, %r1;", block);
    if (!at_top) line("setp.ge.s32 %p0, %r4, %r0;\n@%p0 bra END;");
    line("LOOP:");
    if (at_top) line("setp.{}.s32 %p0, %r4, %r0;\n@%p0 bra END;", wrong_ == 3 ? "gt" : "ge");
    if (wrong_ == 2) line("setp.eq.s32 %p1, %r4, {};\n@%p1 bra END;", pick({0, 13, 33}));
    if (wrong_ == 4) line("setp.eq.s32 %p1, %r1, {};\n@%p1 ret;", pick({0, 2}));
    if (wrong_ == 5) line("setp.gt.s32 %p1, %r4, 20;\n@%p1 bra NEXT;");
    if (wrong_ == 6) line("setp.eq.s32 %p1, %r0, {};\n@%p1 bra END;", pick({1, 7, 33}));
    if (pick({0, 1, 2}) == 0)
      line("setp.lt.s32 %p2, %r4, {};\n@%p2 bra {};", pick({0, -1}), pick({0, 1}) == 0 ? "END" : "NEXT");
    if (pick({0, 1, 2}) == 0) line("setp.gt.s32 %p3, %r4, %r0;\n@%p3 ret;");
    line("mul.wide.s32 %rd1, %r{}, 4;\nadd.s64 %rd1, %rd1, %rd0;\nst.global.f32 [%rd1], %f0;",
         flips_ == 1 ? flipped(4) : 4);
    line("NEXT:\nadd.s32 %r4, %r4, {};", wrong_ == 1 ? block * blocks + block : block * blocks);
    if (at_top)
      line("bra LOOP;");
    else
      line("setp.{}.s32 %p4, %r4, %r0;\n@%p4 bra LOOP;", wrong_ == 3 ? "le" : "lt");
  }

  /// Four elements at once where all are there, else one by one.
  void vectors(Problem &problem) {
    const int block = pick({4, 8, 32});
    problem.block = {std::to_string(block), "1", "1"};
    problem.grid = {
        wrong_ == 1 ? fmt::format("n / {}", 4 * block) : fmt::format("ceil_div(n, {})", 4 * block), "1", "1"};
    line("mad.lo.s32 %r4, %r2, {}, %r1;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r5, %r4, {};", block,
         wrong_ == 2 ? 4 : 3);
    line("mul.wide.s32 %rd1, %r4, 4;\nadd.s64 %rd1, %rd1, %rd0;\nsetp.{}.s32 %p0, %r5, %r0;",
         wrong_ == 3 ? "gt" : "ge");
    line("@%p0 bra ONE;\nst.global.v4.f32 [%rd1], {{%f0, %f0, %f0, %f0}};\nbra END;\nONE:");
    for (int i = 0; i < (wrong_ == 4 ? 2 : 4); ++i) {
      line("add.s32 %r{}, %r4, {};\nsetp.{}.s32 %p{}, %r{}, %r0;\n@%p{} bra END;", 20 + i, i,
           wrong_ == 5 ? "gt" : "ge", 1 + i, 20 + i, 1 + i);
      line("st.global.f32 [%rd1+{}], %f0;", wrong_ == 6 ? 4 * (i / 2) : 4 * i);
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  int next_ = 10, wrong_ = 0;  // 0: no mistake
  int flips_ = 0;              // 1: columns go backwards; 2: rows
  bool matrix_ = false, wrong_flip_ = false, as_product_ = false;
};

}  // namespace

std::map<std::string, Property> decided(const Problem &problem, const Runner &runner) {
  std::map<std::string, Property> result;
  for (const Property &one : decide(problem, runner)) result[one.name] = one;
  return result;
}

Generated generate_writing(std::uint64_t seed) {
  return TileWriter(seed).write();
}

Generated generate(std::uint64_t seed) {
  return Writer(seed, false).write();
}

Generated generate_ways_out(std::uint64_t seed) {
  return Writer(seed, true).write();
}

}  // namespace warpgrade::prove
