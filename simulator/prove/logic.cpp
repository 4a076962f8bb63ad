// Shifts and operations on bits, as what they are of numbers.
#include <algorithm>

#include "prove/thread.hpp"

namespace warpgrade::prove {

using ptx::Instruction;

namespace {

/// 2 to the power k, for a mask of k low bits or a number with one bit.
std::optional<int> exponent(Integer n) {
  for (int k = 0; k < 64; ++k)
    if (n == Integer{1} << k) return k;
  return std::nullopt;
}

}  // namespace

Value Thread::shift(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  const auto a = number(i.operands[1], state), by = number(i.operands[2], state);
  if (!a || !by || !by->constant()) return {};
  const Integer k = *by->constant();
  if (k < 0 || k >= op.width()) return {};
  const Polynomial power(Integer{1} << static_cast<int>(k));
  if (op.base == "shl") return a_number(*a * power);
  // A high product has 32 bits: of one in a register of 16, the others are gone.
  const auto q = op.width() >= 32 ? divided_by_product(*a, static_cast<int>(k), state) : std::nullopt;
  if (q) return a_number(*q);
  return a_number(quotient(scene_.symbols, integer(*a, op.width(), op.is_signed(), state), power));
}

Value Thread::logic(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  const bool predicates = op.type == "pred";
  const Value x = read(i.operands[1], state, predicates), y = read(i.operands[2], state, predicates);
  if (predicates) {
    const Condition none;
    const Condition &a = x.kind == Value::Kind::predicate ? *x.condition : none;
    const Condition &b = y.kind == Value::Kind::predicate ? *y.condition : none;
    return a_predicate(combine(op.base, a, b));
  }
  if (x.kind != Value::Kind::number || y.kind != Value::Kind::number) return {};
  const bool swap = x.number.constant() && !y.number.constant();
  const Polynomial &a = swap ? y.number : x.number, &b = swap ? x.number : y.number;
  const auto mask = b.constant();
  if (const auto two = mask ? of_two_values(op.base, a, *mask) : std::nullopt) return a_number(*two);
  if (op.base == "and" && mask) {
    if (const auto bits = masked(a, *mask)) return a_number(*bits);
  }
  if (op.base == "xor" && mask) {
    if (*mask == -1) return a_number(-a - Polynomial(1));
    const Range range = scene_.symbols.range(a);
    if (exponent(*mask + 1) && range.low >= 0 && range.high <= *mask) return a_number(b - a);
    if (const auto bits = masked(a, *mask)) return a_number(a + b - *bits * Polynomial(2));
  }
  if (op.base == "or") {
    for (const auto &[high, low] : {std::pair(a, b), std::pair(b, a)}) {
      const Range range = scene_.symbols.range(low);
      for (int k = 1; k < 32 && range.low >= 0; ++k)
        if (range.high < (Integer{1} << k) && high.divided_by(Integer{1} << k)) return a_number(high + low);
    }
    if (const auto bits = mask ? masked(a, *mask) : std::nullopt) return a_number(a + b - *bits);
    return either_bit(integer(a, op.width(), true, state), integer(b, op.width(), true, state), op.width());
  }
  return {};
}

/// Modulo a power of two, which does not ask how often a value left its range.
Polynomial Thread::rest_of(const Polynomial &a, const Polynomial &power) const {
  Polynomial kept = a;
  for (const auto &[turns, wrap] : wraps_)
    if (const Integer all = a.coefficient({turns}); all != 0 && all % *power.constant() == 0)
      kept = kept - Polynomial::of(turns) * Polynomial(all);
  return kept - quotient(scene_.symbols, kept, power) * power;
}

/// The bits of a mask, if they are adjacent, or all but some low ones.
std::optional<Polynomial> Thread::masked(const Polynomial &a, Integer mask) const {
  const auto rest = [&](int k) { return rest_of(a, Polynomial(Integer{1} << k)); };
  if (const auto k = exponent(mask + 1)) return rest(*k);
  if (const auto k = exponent(-mask)) return a - rest(*k);
  // Adjacent bits, such as 508: the multiples of 4 below 512.
  const Integer lowest = mask & -mask;
  const auto from = exponent(lowest), to = exponent(mask + lowest);
  if (mask > 0 && from && to) return rest(*to) - rest(*from);
  return std::nullopt;
}

/// Of numbers, a number; of what has two values, such as the turn of a buffer, two values.
std::optional<Polynomial> Thread::of_two_values(const std::string &base, const Polynomial &a,
                                                Integer mask) const {
  constexpr Integer above_all = Integer{1} << 31;
  const auto is_plain = [](Integer x) { return x >= 0 && x < above_all; };
  const auto result = [&](Integer x) {
    return base == "and" ? x & mask : base == "or" ? x | mask : x ^ mask;
  };
  if (!is_plain(mask)) return std::nullopt;
  if (const auto constant = a.constant())
    return is_plain(*constant) ? std::optional(Polynomial(result(*constant))) : std::nullopt;
  const auto two = two_values_of(scene_.symbols, a);
  if (!two || !is_plain(two->zero) || !is_plain(two->one)) return std::nullopt;
  return two->with(result(two->zero), result(two->one));
}

/// Of `a | b` the sign is known: programs ask for both at once whether they are negative.
Value Thread::either_bit(const Polynomial &a, const Polynomial &b, int width) {
  const Level level = std::max(scene_.symbols.level(a), scene_.symbols.level(b));
  const Symbol s = scene_.symbols.make("or", level, range_of(width, true));
  const Polynomial v = Polynomial::of(s), zero(0);
  scene_.symbols.define(s, {{},
                            {{{at_least_zero(a), at_least_zero(b), at_least(v, a), at_least(v, b)},
                              {less(a, zero), less(v, zero)},
                              {less(b, zero), less(v, zero)}}}});
  return a_number(v);
}

}  // namespace warpgrade::prove
