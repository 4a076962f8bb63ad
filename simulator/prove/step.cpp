#include <algorithm>
#include <string_view>

#include "prove/thread.hpp"

namespace warpgrade::prove {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// They only make a value, which is not followed: floating point, bits, what other threads have.
constexpr std::string_view only_values[] = {
    "fma",      "rcp",   "sqrt",       "rsqrt",    "ex2",         "lg2",  "sin",  "cos",   "tanh",
    "copysign", "testp", "popc",       "clz",      "brev",        "bfi",  "lop3", "prmt",  "shf",
    "shfl",     "vote",  "activemask", "match",    "set",         "slct", "cnot", "mul24", "mad24",
    "sad",      "bfind", "dp4a",       "dp2a",     "addc",        "subc", "madc", "fns",   "redux",
    "cvt",      "elect", "getctarank", "isspacep", "createpolicy"};
/// The lanes of a warp meet in them, as in bar.warp.sync.
constexpr std::string_view of_a_warp[] = {"shfl", "vote", "match", "redux", "elect"};
/// They neither touch the memory of a launch nor order it for other threads.
constexpr std::string_view no_effect[] = {"membar", "fence", "prefetch", "prefetchu", "pmevent", "nanosleep"};

bool among(std::string_view word, const auto &words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

Condition comparison(const std::string &how, const Polynomial &a, const Polynomial &b) {
  const Disjunction below{{less(a, b)}}, above{{less(b, a)}}, at_most{{at_least(b, a)}},
      from{{at_least(a, b)}};
  if (how == "lt" || how == "lo") return {below, from, true};
  if (how == "le" || how == "ls") return {at_most, above, true};
  if (how == "gt" || how == "hi") return {above, at_most, true};
  if (how == "ge" || how == "hs") return {from, below, true};
  const Disjunction same{{equal(a, b)}}, different{below.front(), above.front()};
  if (how == "eq") return {same, different, true};
  if (how == "ne") return {different, same, true};
  return {};
}

Condition negated(const Condition &c) {
  return {c.no, c.yes, c.known};
}

}  // namespace

Opcode::Opcode(const std::string &text) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t dot = text.find('.', from);
    parts.push_back(text.substr(from, dot - from));
    if (dot == std::string::npos) break;
    from = dot + 1;
  }
  base = parts.front();
  for (const std::string &part : parts)
    if (part == "pred" || width_of(part) > 0) type = part;
}

bool Opcode::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

int Opcode::width_of(const std::string &type) {
  for (const auto &[name, width] : std::initializer_list<std::pair<std::string_view, int>>{{"u8", 8},
                                                                                           {"s8", 8},
                                                                                           {"b8", 8},
                                                                                           {"u16", 16},
                                                                                           {"s16", 16},
                                                                                           {"b16", 16},
                                                                                           {"f16", 16},
                                                                                           {"bf16", 16},
                                                                                           {"u32", 32},
                                                                                           {"s32", 32},
                                                                                           {"b32", 32},
                                                                                           {"f32", 32},
                                                                                           {"u64", 64},
                                                                                           {"s64", 64},
                                                                                           {"b64", 64},
                                                                                           {"f64", 64},
                                                                                           {"b128", 128},
                                                                                           {"f16x2", 32},
                                                                                           {"bf16x2", 32}})
    if (type == name) return width;
  return 0;
}

Value Thread::read(const Operand &operand, const State &state, bool as_predicate) const {
  const Disjunction always{{}}, never;
  switch (operand.kind) {
    case Operand::Kind::reg: {
      Value value = state.registers[static_cast<std::size_t>(operand.reg)];
      if (operand.negated && value.kind == Value::Kind::predicate)
        return a_predicate(negated(*value.condition));
      return value;
    }
    case Operand::Kind::immediate:
      if (as_predicate)
        return a_predicate({operand.value != 0 ? always : never, operand.value != 0 ? never : always, true});
      return operand.type == ptx::Type::none ? a_number(Polynomial(Integer{operand.value})) : Value{};
    case Operand::Kind::symbol:
      for (const MemoryObject &object : scene_.objects)
        if (object.kind != MemoryObject::Kind::buffer &&
            (object.name == operand.name || object.also.count(operand.name) > 0))
          return a_number(Polynomial::of(object.base) + Polynomial(Integer{operand.value}));
      return {};
    default:
      return {};
  }
}

std::optional<Polynomial> Thread::number(const Operand &operand, const State &state) const {
  const Value value = read(operand, state);
  if (value.kind != Value::Kind::number) return std::nullopt;
  return value.number;
}

Polynomial Thread::integer(const Polynomial &p, int width, bool is_signed, State &state) {
  const Range wanted = range_of(width, is_signed), range = scene_.symbols.range(p);
  if (guessing_ || (range.low >= wanted.low && range.high <= wanted.high)) return p;
  const Atom enough = at_least(p, Polynomial(wanted.low)), not_much = at_least(Polynomial(wanted.high), p);
  const bool below = range.low < wanted.low && !proves(state, enough);
  const bool above = range.high > wanted.high && !proves(state, not_much);
  if (!below && !above) return p;
  if (!is_signed && !above && proves(state, at_least(p, Polynomial(-(Integer{1} << width))))) {
    // A negative number, read as unsigned, is large.
    const Symbol s =
        scene_.symbols.make("unsigned(" + scene_.symbols.text(p) + ")", scene_.symbols.level(p), wanted);
    const Polynomial v = Polynomial::of(s);
    scene_.symbols.define(s, {{},
                              {{{at_least_zero(p), equal(v, p)},
                                {less(p, Polynomial(0)), equal(v, p + Polynomial(Integer{1} << width))},
                                {less(Polynomial(wanted.high), p)},  // not on this way through the kernel
                                {less(p, Polynomial(-(Integer{1} << width)))}}}});
    return v;
  }
  // What is left of it in so many bits. Whether that is the number itself matters only where it is used.
  const Integer all = Integer{1} << width;
  // Bounded by the range of the number, if it has one.
  const bool bounded = range.low > Symbols::everything.low && range.high < Symbols::everything.high;
  const Symbol turns =
      scene_.symbols.make("?wraps(" + scene_.symbols.text(p) + ")", scene_.symbols.level(p),
                          bounded ? Range{range.low / all - 1, range.high / all + 1} : Symbols::everything);
  const Polynomial rest = p - Polynomial::of(turns) * Polynomial(all);
  scene_.symbols.define(
      turns, {{at_least(rest, Polynomial(wanted.low)), at_least(Polynomial(wanted.high), rest)}, {}});
  // A number that was loaded has no sign of its own: read with one or without, it overflows nothing.
  const bool was_loaded = p.degree() == 1 && p.terms().size() == 1 && p.terms().begin()->second == 1 &&
                          loaded_.count(symbol_of(p)) > 0;
  if (!was_loaded) wraps_[turns] = {State{}, p, wanted, now_};
  return rest;
}

/// The wraps in what defines the symbols of a number, and in what defines theirs.
std::set<Symbol> Thread::wraps_within(const Polynomial &p) const {
  std::set<Symbol> seen, found;
  std::vector<Symbol> open;
  const auto add = [&](const Polynomial &one) {
    for (const auto &[monomial, factor] : one.terms())
      open.insert(open.end(), monomial.begin(), monomial.end());
  };
  add(p);
  while (!open.empty()) {
    const Symbol s = open.back();
    open.pop_back();
    if (!seen.insert(s).second) continue;
    if (wraps_.count(s) != 0) {  // settling it looks at what its value is made of
      found.insert(s);
      continue;
    }
    const Formula &facts = scene_.symbols.facts(s);
    for (const Atom &atom : facts.atoms) add(atom.polynomial);
    for (const Disjunction &clause : facts.clauses)
      for (const Conjunction &one : clause)
        for (const Atom &atom : one) add(atom.polynomial);
  }
  return found;
}

/// Where a value is used, what it was made of is to have stayed in its range; if that is not known, it is noted
/// and then assumed.
Polynomial Thread::settled(Polynomial p, State &state) {
  const auto settle = [&](const Overflow &wrap) {
    const Polynomial value = settled(wrap.value, state);
    const Atom enough = at_least(value, Polynomial(wrap.range.low)),
               not_much = at_least(Polynomial(wrap.range.high), value);
    if (proves(state, enough) && proves(state, not_much)) return;
    done_.overflows.push_back({{{}, state.path, {}, {}}, value, wrap.range, wrap.instruction});
    state.path.push_back({{{enough, not_much}}, {}, wrap.instruction, true, true, true, Level::launch});
  };
  for (auto at = wraps_.rbegin(); at != wraps_.rend(); ++at) {
    const auto &[turns, wrap] = *at;
    if (!p.contains(turns)) continue;
    p = p.substitute(turns, 0);
    settle(wrap);
  }
  // What a quotient or a minimum in it is made of is used as well.
  for (const Symbol turns : wraps_within(p)) settle(wraps_.at(turns));
  return p;
}

Value Thread::special(const std::string &name, int) {
  const std::string axes = "xyz";
  const std::size_t dot = name.find('.');
  const std::size_t d = dot == std::string::npos ? std::string::npos : axes.find(name[dot + 1]);
  const std::string what = name.substr(0, dot);
  if (d < 3) {
    if (what == "%tid") return a_number(scene_.thread_index[d]);
    if (what == "%ntid") return a_number(scene_.block[d]);
    if (what == "%ctaid") return a_number(scene_.block_index[d]);
    if (what == "%nctaid") return a_number(scene_.grid[d]);
  }
  const Polynomial linear = scene_.thread_index[0] + scene_.thread_index[1] * scene_.block[0] +
                            scene_.thread_index[2] * scene_.block[0] * scene_.block[1];
  if (name == "%laneid") return a_number(linear - quotient(scene_.symbols, linear, 32) * 32);
  if (name == "WARP_SZ") return a_number(32);
  return {};
}

/// 1 if there is a remainder, else 0, as ceil(p / d) - floor(p / d).
std::optional<Polynomial> Thread::rounds_up(const Condition &condition, const Value &a,
                                            const Value &b) const {
  Symbols &symbols = scene_.symbols;
  const bool swapped = a.number == Polynomial(0) && b.number == Polynomial(1);
  if (!swapped && !(a.number == Polynomial(1) && b.number == Polynomial(0))) return std::nullopt;
  const Disjunction &multiple = swapped ? condition.yes : condition.no;
  if (!condition.known || multiple.size() != 1 || multiple.front().size() != 1) return std::nullopt;
  const Atom &atom = multiple.front().front();
  if (!atom.equality) return std::nullopt;
  for (const Polynomial &rest : {atom.polynomial, -atom.polynomial})
    for (const auto &[monomial, factor] : rest.terms())
      for (const Symbol q : monomial) {
        const std::vector<Atom> &facts = symbols.facts(q).atoms;
        if (facts.size() != 2 || facts[0] != at_least_zero(rest)) continue;
        const Polynomial divisor = rest + facts[1].polynomial + Polynomial(1);  // 0 <= divisor - 1 - rest
        const Polynomial whole = rest + Polynomial::of(q) * divisor;
        if (whole.contains(q) || divisor.contains(q)) continue;
        return quotient(symbols, whole + divisor - Polynomial(1), divisor) - Polynomial::of(q);
      }
  return std::nullopt;
}

/// A choice that a number makes which is 0 or 1, such as the turn of a buffer, as a sum; of values that all threads share.
std::optional<Polynomial> Thread::by_two_values(const Condition &condition, const Polynomial &a,
                                                const Polynomial &b) const {
  std::set<Symbol> found;
  for (const Disjunction *cases : {&condition.yes, &condition.no})
    for (const Conjunction &one : *cases)
      for (const Atom &atom : one)
        for (const auto &[monomial, factor] : atom.polynomial.terms())
          found.insert(monomial.begin(), monomial.end());
  if (!condition.known || found.size() != 1 || scene_.symbols.level(a - b) != Level::launch)
    return std::nullopt;
  const Symbol by = *found.begin();
  if (!two_values_of(scene_.symbols, Polynomial::of(by))) return std::nullopt;
  const auto holds = [&](const Disjunction &cases, Integer at) {
    return std::any_of(cases.begin(), cases.end(), [&](const Conjunction &one) {
      return std::all_of(one.begin(), one.end(), [&](const Atom &atom) {
        const Integer value = *atom.polynomial.substitute(by, Polynomial(at)).constant();
        return atom.equality ? value == 0 : value >= 0;
      });
    });
  };
  for (const Integer at : {0, 1})
    if (holds(condition.yes, at) == holds(condition.no, at)) return std::nullopt;
  const Polynomial &zero = holds(condition.yes, 0) ? a : b, &one = holds(condition.yes, 1) ? a : b;
  return zero + (one - zero) * Polynomial::of(by);
}

Value Thread::either(const Condition &condition, const Value &a, const Value &b, const Conjunction &with_a,
                     const Conjunction &with_b, const Disjunction &elsewhere) {
  if (a == b) return a;
  if (a.kind != Value::Kind::number || b.kind != Value::Kind::number) return {};
  if (const auto up = rounds_up(condition, a, b)) return a_number(*up);
  if (with_a.empty() && with_b.empty())
    if (const auto sum = by_two_values(condition, a.number, b.number)) return a_number(*sum);
  Symbols &symbols = scene_.symbols;
  const Level level = condition.known ? symbols.level(condition.yes) : Level::thread;
  const Range x = symbols.range(a.number), y = symbols.range(b.number);
  const Symbol s =
      symbols.make("?choice", std::max({symbols.level(a.number), symbols.level(b.number), level}),
                   {std::min(x.low, y.low), std::max(x.high, y.high)});
  const Polynomial v = Polynomial::of(s);
  Disjunction cases = any(both(both(condition.yes, {with_a}), {{equal(v, a.number)}}),
                          both(both(condition.no, {with_b}), {{equal(v, b.number)}}));
  if (!with_a.empty() || !with_b.empty()) cases = any(std::move(cases), elsewhere);
  symbols.define(s, {{}, {std::move(cases)}});
  return a_number(v);
}

Value Thread::arithmetic(const Instruction &i, const State &state) {
  const Opcode op(i.opcode);
  if (!op.is_integer() || op.has("sat") || op.has("cc") || op.has("hi")) return {};
  const auto a = number(i.operands[1], state);
  const auto b = i.operands.size() > 2 ? number(i.operands[2], state) : Polynomial(0);
  if (!a || !b) return {};
  if (op.base == "neg") return a_number(-*a);
  if (op.base == "not") return a_number(-*a - Polynomial(1));
  if (op.base == "add") return a_number(*a + *b);
  if (op.base == "sub") return a_number(*a - *b);
  return {};
}

Value Thread::divide(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  if (!op.is_integer()) return {};
  auto a = number(i.operands[1], state), b = number(i.operands[2], state);
  if (!a || !b) return {};
  *a = integer(*a, op.width(), op.is_signed(), state);
  *b = integer(*b, op.width(), op.is_signed(), state);
  if (!proves(state, at_least(*b, Polynomial(1))) || !proves(state, at_least_zero(*a))) return {};
  if (!b->constant() && proves(state, less(*a, *b))) return a_number(op.base == "div" ? Polynomial(0) : *a);
  const bool everywhere = scene_.symbols.range(*b).low >= 1;
  const Polynomial q = everywhere ? quotient(scene_.symbols, *a, *b) : quotient_here(*a, *b, state);
  // It is not negative here, which what it is divided by says only as a product.
  if (!b->constant() && scene_.symbols.range(q).low < 0)
    state.path.push_back({{{at_least_zero(q)}}, {}, now_, true, true, true, Level::launch});
  return a_number(op.base == "div" ? q : *a - q * *b);
}

/// A quotient by what is at least 1 on this way through the kernel, and perhaps not on others.
Polynomial Thread::quotient_here(const Polynomial &p, const Polynomial &divisor, State &state) {
  const Range range = scene_.symbols.range(p);
  const Polynomial q = Polynomial::of(
      scene_.symbols.make("(" + scene_.symbols.text(p) + ")/(" + scene_.symbols.text(divisor) + ")",
                          std::max(scene_.symbols.level(p), scene_.symbols.level(divisor)),
                          {std::min<Integer>(range.low, 0), std::max<Integer>(range.high, 0)}));
  const Polynomial rest = p - q * divisor;
  state.path.push_back({{{at_least_zero(q), at_least_zero(rest), less(rest, divisor)}},
                        {},
                        now_,
                        true,
                        true,
                        true,
                        Level::launch});
  return q;
}

/// Compilers divide x by a number as they multiply it by about 2^(32 + k) / number, take the upper half of the product,
/// and shift that by k. What is divided is known here, the divisor once the shift comes.
Value Thread::high_product(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  const auto a = number(i.operands[1], state), b = number(i.operands[2], state);
  if (op.width() != 32 || !a || !b || !b->constant()) return {};
  const Polynomial of = integer(*a, 32, op.is_signed(), state);
  if (!proves(state, at_least_zero(of))) return {};
  const Integer all = Integer{1} << 32, by = (*b->constant() % all + all) % all;
  const bool negative = op.is_signed() && by >= all / 2;
  // With nothing said of it but its range: where it is used otherwise, it is any number.
  const Symbol s = scene_.symbols.make("high product", scene_.symbols.level(of),
                                       {0, op.is_signed() ? all / 2 - 1 : all - 1});
  high_products_[s] = {of, by};
  Polynomial high = Polynomial::of(s);
  if (const auto q = divided_by_product(high, 0, state)) high = *q;
  return a_number(negative ? high - of : high);  // x * (by - 2^32)
}

/// x / d, if a high product of x, shifted by so many bits more, is that for all x below 2^31.
std::optional<Polynomial> Thread::divided_by_product(const Polynomial &high, int more, State &state) {
  if (high.terms().size() != 1 || high.degree() != 1 || high.terms().begin()->second != 1)
    return std::nullopt;
  const auto found = high_products_.find(symbol_of(high));
  if (found == high_products_.end() || found->second.by <= 0) return std::nullopt;
  const auto &[of, by] = found->second;
  const Integer power = Integer{1} << (32 + more), divisor = (power + by - 1) / by,
                error = divisor * by - power;
  constexpr Integer most = (Integer{1} << 31) - 1;
  if (error * most >= power) return std::nullopt;
  if (!proves(state, at_least_zero(of)) || !proves(state, at_least(Polynomial(most), of)))
    return std::nullopt;
  if (divisor > most) return Polynomial(0);
  return quotient(scene_.symbols, of, Polynomial(divisor));
}

Value Thread::convert(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  const std::string to = op.parts[op.parts.size() - 2];
  if (!op.is_integer() || to.front() == 'f' || to.starts_with("bf") || op.has("sat") ||
      Opcode::width_of(to) == 0)
    return {};
  const auto a = number(i.operands[1], state);
  if (!a || i.operands.front().kind != Operand::Kind::reg) return {};
  const int width = Opcode::width_of(to);
  const Polynomial from = width <= op.width() ? *a : integer(*a, op.width(), op.is_signed(), state);
  const ptx::Type holder = scene_.kernel->registers[static_cast<std::size_t>(i.operands.front().reg)].type;
  // A wider register holds what is left of it in so many bits.
  if (static_cast<int>(size_of(holder)) * 8 <= width) return a_number(from);
  return a_number(integer(from, width, to.front() == 's', state));
}

Value Thread::choose(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  if (!op.is_integer() || op.has("relu")) return {};
  if (op.base == "selp") {
    const Value condition = read(i.operands[3], state);
    if (condition.kind != Value::Kind::predicate) return {};
    const Value a = read(i.operands[1], state), b = read(i.operands[2], state);
    const Condition &c = *condition.condition;
    if (c.known && excluded(state, c.no)) return a;
    if (c.known && excluded(state, c.yes)) return b;
    return either(c, a, b);
  }
  const auto a = number(i.operands[1], state);
  const auto b = op.base == "abs" ? std::optional(Polynomial(0)) : number(i.operands[2], state);
  if (!a || !b) return {};
  const Polynomial x = integer(*a, op.width(), op.is_signed(), state);
  if (op.base == "abs") return a_number(larger(scene_.symbols, x, -x));
  const Polynomial y = integer(*b, op.width(), op.is_signed(), state);
  return a_number(op.base == "min" ? smaller(scene_.symbols, x, y) : larger(scene_.symbols, x, y));
}

Value Thread::compare(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  Condition result;
  auto a = number(i.operands[1], state), b = number(i.operands[2], state);
  if (op.is_integer() && a && b) {
    if (!guessing_) *a = settled(*a, state), *b = settled(*b, state);
    const std::string &how = op.parts[1];
    const Range apart = scene_.symbols.range(*a - *b);
    const Integer all = Integer{1} << op.width();
    if ((how == "eq" || how == "ne") && apart.low > -all && apart.high < all)
      result = comparison(how, *a, *b);
    else {
      const Polynomial x = integer(*a, op.width(), op.is_signed(), state);
      result = comparison(how, x, integer(*b, op.width(), op.is_signed(), state));
    }
  }
  Condition opposite = negated(result);
  if (i.operands.size() > 3) {
    const Value other = read(i.operands[3], state);
    const Condition with = other.kind == Value::Kind::predicate ? *other.condition : Condition{};
    opposite = combine(op.parts[2], opposite, with);
    result = combine(op.parts[2], result, with);
  }
  if (i.operands.front().second >= 0)
    state.registers[static_cast<std::size_t>(i.operands.front().second)] = a_predicate(opposite);
  return a_predicate(result);
}

void Thread::execute(std::uint32_t index, State &state) {
  const Instruction &i = scene_.kernel->instructions[index];
  const Opcode op(i.opcode);
  const std::string &base = op.base;
  now_ = index;
  if (op.has("sync") && among(base, of_a_warp)) note_warp(index, state);
  if (++steps_ > most_steps) throw NotUnderstood(i.location, "the kernel takes too many steps");
  if (base == "bar" || base == "barrier") return barrier(index, state);
  if (among(base, no_effect)) return;
  if (among(base, std::initializer_list<std::string_view>{"ld", "ldu", "st", "atom", "red"}))
    return access(index, state);
  Value result;
  if (base == "mov" || base == "cvta") {
    const Operand &from = i.operands[1];
    result = from.kind == Operand::Kind::special ? special(from.name, op.width())
                                                 : read(from, state, op.type == "pred");
  } else if (base == "add" || base == "sub" || base == "neg" || base == "not") {
    result = op.type == "pred" && read(i.operands[1], state).kind == Value::Kind::predicate
                 ? a_predicate(negated(*read(i.operands[1], state).condition))
                 : arithmetic(i, state);
  } else if (base == "mul" && op.has("hi")) {
    result = high_product(i, state);
  } else if (base == "mul" || base == "mad") {
    auto a = number(i.operands[1], state), b = number(i.operands[2], state);
    const auto c = base == "mad" ? number(i.operands[3], state) : std::optional(Polynomial(0));
    if (op.is_integer() && a && b && c && (op.has("lo") || op.has("wide"))) {
      if (op.has("wide")) {
        *a = integer(*a, op.width(), op.is_signed(), state);
        *b = integer(*b, op.width(), op.is_signed(), state);
      }
      result = a_number(*a * *b + *c);
    }
  } else if (base == "shl" || base == "shr") {
    result = shift(i, state);
  } else if (base == "and" || base == "or" || base == "xor") {
    result = logic(i, state);
  } else if (base == "div" || base == "rem") {
    result = divide(i, state);
  } else if (base == "cvt") {
    result = convert(i, state);
  } else if (base == "selp" || base == "min" || base == "max" || base == "abs") {
    result = choose(i, state);
  } else if (base == "setp") {
    result = compare(i, state);
  } else if (base == "bfe" && !op.is_signed()) {
    const auto a = number(i.operands[1], state), at = number(i.operands[2], state),
               length = number(i.operands[3], state);
    const Integer first = at && at->constant() ? *at->constant() : -1,
                  bits = length && length->constant() ? *length->constant() : -1;
    if (a && first >= 0 && bits >= 0 && first + bits <= op.width()) {
      const Polynomial down = quotient(scene_.symbols, *a, Polynomial(Integer{1} << static_cast<int>(first)));
      const Polynomial power(Integer{1} << static_cast<int>(bits));
      result = a_number(down - quotient(scene_.symbols, down, power) * power);
    }
  } else if (!among(base, only_values)) {
    throw NotUnderstood(i.location, "'" + i.opcode + "' is not modelled");
  }
  for (const int r : written_by(i))
    if (base != "setp" || r == i.operands.front().reg)
      state.registers[static_cast<std::size_t>(r)] =
          i.operands.front().kind == Operand::Kind::reg ? result : Value{};
}

}  // namespace warpgrade::prove
