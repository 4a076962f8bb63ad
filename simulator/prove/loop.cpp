// A loop once for all its iterations: what its registers hold at iteration i is guessed from one run through the
// body, assumed in a second run, and used only if that run gives the same for iteration i + 1.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "prove/thread.hpp"

namespace warpgrade::prove {

struct Thread::Loop {
  const FlowLoop &blocks;
  const State &entry;
  std::uint32_t at = 0;               ///< first instruction
  Symbol iteration = 0;               ///< older symbols are those from before the loop
  std::set<int> changed{};            ///< registers that an iteration passes to the next
  std::map<int, Symbol> guessed{};    ///< symbols of the first run
  std::map<int, Polynomial> value{};  ///< of a register at the start of an iteration; others are not known
  std::map<int, Polynomial> next{};   ///< and at its end
  std::set<int> in_turn{};            ///< registers whose values come back after some iterations
  /// The number of an iteration modulo so many, or that of the next one.
  std::map<std::pair<Integer, bool>, Polynomial> turns{};
  Symbol guessed_interval = 0;
  Polynomial intervals{};          ///< barriers of one iteration
  std::vector<Atom> conditions{};  ///< that hold at the end of an iteration which another one follows
  std::set<Polynomial> strict{};   ///< those that hold only if they do so at the first iteration
  Level level = Level::launch;     ///< of the choice whether another iteration follows
  Level in_step = Level::launch;   ///< the same, among threads in the same iteration of the loops around

  bool is_old(const Polynomial &p, bool or_iteration) const {
    for (const auto &[monomial, factor] : p.terms())
      for (const Symbol s : monomial)
        if (s > iteration || (s == iteration && !or_iteration)) return false;
    return true;
  }
  /// In terms of the iteration, for what was found in the first run.
  Polynomial settled(Polynomial p) const {
    for (const auto &[r, symbol] : guessed)
      if (const auto found = value.find(r); found != value.end()) p = p.substitute(symbol, found->second);
    return p;
  }
};

namespace {

constexpr int most_tries = 6;
constexpr std::size_t most_turns = 4;
constexpr int most_rounds = 80;   // of a loop that is followed round by round
constexpr int most_choices = 12;  // among them, rounds after which it may end or go on

/// The number that is not zero where one of two cases holds, as `!=` gives them.
std::optional<Polynomial> different_from_zero(const Disjunction &cases) {
  if (cases.size() != 2 || cases[0].size() != 1 || cases[1].size() != 1) return std::nullopt;
  if (cases[0][0].equality || cases[1][0].equality) return std::nullopt;
  const Polynomial e = -cases[0][0].polynomial - Polynomial(1);
  if (!(cases[1][0].polynomial == e - Polynomial(1))) return std::nullopt;
  return e;
}

std::vector<Decision> choices_after(const State &state, const State &entry) {
  std::vector<Decision> result;
  for (std::size_t i = entry.path.size(); i < state.path.size(); ++i)
    if (!state.path[i].fact) result.push_back(state.path[i]);
  return result;
}

}  // namespace

void Thread::guess(Loop &loop) {
  State state = loop.entry;
  for (const int r : flow_.live[static_cast<std::size_t>(loop.blocks.header)]) {
    bool written = false;
    for (const int b : loop.blocks.blocks)
      for (std::uint32_t i = flow_.blocks[static_cast<std::size_t>(b)].begin;
           i < flow_.blocks[static_cast<std::size_t>(b)].end && !written; ++i)
        written = written_by(scene_.kernel->instructions[i]).count(r) > 0;
    if (written) loop.changed.insert(r);
  }
  for (const int r : loop.changed) {
    Value &value = state.registers[static_cast<std::size_t>(r)];
    if (value.kind != Value::Kind::number) {
      value = {};
      continue;
    }
    loop.guessed[r] = scene_.symbols.make("?", Level::thread);
    value = a_number(Polynomial::of(loop.guessed[r]));
  }
  loop.guessed_interval = scene_.symbols.make("?", Level::thread);
  state.interval = Polynomial::of(loop.guessed_interval);
  const bool before = std::exchange(guessing_, true);
  Region region{&loop.blocks.blocks, loop.blocks.header, {}, {}};
  run_region(region, loop.blocks.header, {state});
  guessing_ = before;
  guess_steps(loop, region.backs);
  guess_conditions(loop, region.backs);
}

void Thread::guess_steps(Loop &loop, const std::vector<State> &backs) {
  if (backs.empty()) return;
  const Polynomial i = Polynomial::of(loop.iteration);
  loop.intervals = backs.front().interval - Polynomial::of(loop.guessed_interval);
  const auto same = [&](int r) {
    const Value &first = backs.front().registers[static_cast<std::size_t>(r)];
    return first.kind == Value::Kind::number &&
           std::all_of(backs.begin(), backs.end(),
                       [&](const State &one) { return one.registers[static_cast<std::size_t>(r)] == first; });
  };
  std::map<int, Polynomial> others;
  for (const auto &[r, symbol] : loop.guessed) {
    if (!same(r)) continue;
    const Polynomial after = backs.front().registers[static_cast<std::size_t>(r)].number;
    const Polynomial start = loop.entry.registers[static_cast<std::size_t>(r)].number;
    const Polynomial g = Polynomial::of(symbol);
    if (loop.is_old(after - g, false)) {
      loop.value[r] = start + (after - g) * i;
      loop.next[r] = loop.value[r] + (after - g);
    } else if (loop.is_old(after + g, false)) {
      loop.value[r] = start + (after + g - start - start) * turn_of(loop, 2, false);
      loop.next[r] = after + g - loop.value[r];
    } else {
      others[r] = after;
    }
  }
  for (const auto &[r, after] : others) {  // the value that another register had in the iteration before
    const Polynomial end = loop.settled(after);
    const Polynomial value = end.substitute(loop.iteration, i - Polynomial(1));
    if (!loop.is_old(end, true) ||
        !(value.substitute(loop.iteration, 0) == loop.entry.registers[static_cast<std::size_t>(r)].number))
      continue;
    loop.value[r] = value;
    loop.next[r] = end;
  }
  guess_turns(loop);
}

/// The iteration modulo a number, or the next one, as a symbol.
Polynomial Thread::turn_of(Loop &loop, Integer turns, bool next) {
  const auto known = loop.turns.find({turns, next});
  if (known != loop.turns.end()) return known->second;
  Symbols &symbols = scene_.symbols;
  const Polynomial turn = Polynomial::of(symbols.make("?turn", Level::thread, {0, turns - 1}));
  const Polynomial i = Polynomial::of(loop.iteration) + Polynomial(next ? 1 : 0);
  const Polynomial rest = i - quotient(symbols, i, Polynomial(turns)) * Polynomial(turns);
  symbols.define(symbol_of(turn), {{equal(turn, rest)}, {}});
  return loop.turns[{turns, next}] = turn;
}

/// What has no step may come back: two pointers that are swapped, `b = !b`, (b + 1) % 3. The first iterations are run one
/// by one, from what the registers hold before the loop; a value that comes back is guessed to do so again.
void Thread::guess_turns(Loop &loop) {
  if (steps_ > most_steps / 4) return;
  std::map<int, std::vector<Polynomial>> starts;  // what iterations begin with
  for (const auto &[r, symbol] : loop.guessed)
    if (loop.value.count(r) == 0)
      starts[r].push_back(loop.entry.registers[static_cast<std::size_t>(r)].number);
  State state = loop.entry;
  const bool before = std::exchange(guessing_, true);
  for (std::size_t n = 0; n < most_turns && !starts.empty(); ++n) {
    Region region{&loop.blocks.blocks, loop.blocks.header, {}, {}};
    run_region(region, loop.blocks.header, {state});
    if (region.backs.empty()) break;
    state = loop.entry;
    for (const int r : loop.changed) {
      const auto at = static_cast<std::size_t>(r);
      const Value &end = region.backs.front().registers[at];
      const bool same = end.kind == Value::Kind::number &&
                        std::all_of(region.backs.begin(), region.backs.end(),
                                    [&](const State &back) { return back.registers[at] == end; });
      state.registers[at] = same ? end : Value{};
      const auto start = starts.find(r);
      if (start == starts.end()) continue;
      if (same && loop.is_old(end.number, false) && end.number == start->second.front())
        take_turns(loop, r, start->second);
      else if (same && loop.is_old(end.number, false)) {
        start->second.push_back(end.number);
        continue;
      }
      starts.erase(start);
    }
  }
  guessing_ = before;
}

/// A register takes these values in turn.
void Thread::take_turns(Loop &loop, int reg, const std::vector<Polynomial> &values) {
  loop.in_turn.insert(reg);
  const auto count = static_cast<Integer>(values.size());
  const Polynomial step = count > 1 ? values[1] - values[0] : Polynomial();
  bool regular = true;
  for (std::size_t n = 0; n < values.size(); ++n)
    regular = regular && values[n] == values[0] + step * Polynomial(static_cast<Integer>(n));
  for (const bool next : {false, true}) {
    Polynomial &value = (next ? loop.next : loop.value)[reg];
    if (count == 1) {
      value = values[0];
    } else if (regular && (count > 2 || !next)) {
      value = values[0] + step * turn_of(loop, count, next);
    } else if (count == 2) {
      value = values[0] + values[1] - loop.value[reg];
    } else {
      Range range{Symbols::everything.high, Symbols::everything.low};
      for (const Polynomial &one : values) {
        const Range here = scene_.symbols.range(one);
        range = {std::min(range.low, here.low), std::max(range.high, here.high)};
      }
      const Polynomial turn = turn_of(loop, count, next),
                       choice = Polynomial::of(scene_.symbols.make("?one of turns", Level::thread, range));
      Disjunction cases;
      for (std::size_t n = 0; n < values.size(); ++n)
        cases.push_back({equal(turn, Polynomial(static_cast<Integer>(n))), equal(choice, values[n])});
      scene_.symbols.define(symbol_of(choice), {{}, {std::move(cases)}});
      value = choice;
    }
  }
}

/// Without the iteration itself: of what a condition has besides it, such as the step by which it multiplies it.
/// in_step  among threads in the same iteration of the loops around, which are of all threads or have no barriers in step
Level Thread::level_of(const Loop &loop, const Polynomial &p, bool in_step) const {
  const std::vector<Symbol> &around = loop.entry.iterations;
  Level result = Level::launch;
  for (const auto &[monomial, factor] : p.terms())
    for (const Symbol s : monomial) {
      if (s == loop.iteration || (in_step && std::find(around.begin(), around.end(), s) != around.end()))
        continue;
      const bool together = done_.together.count(s) > 0 && (in_step || around.empty());
      result = std::max(result, together ? Level::block : scene_.symbols.level(s));
    }
  return result;
}

/// By a choice on a way to the next iteration. False: it had a higher level than was known.
bool Thread::raise_levels(Loop &loop, const Decision &one,
                          const std::function<Polynomial(const Polynomial &)> &settled) const {
  Level level = one.known ? Level::launch : Level::thread, in_step = level;
  for (const Conjunction &conjunction : one.cases)
    for (const Atom &atom : conjunction) {
      const Polynomial p = settled(atom.polynomial);
      level = std::max(level, level_of(loop, p, false));
      in_step = std::max(in_step, level_of(loop, p, true));
    }
  const bool was_known = level <= loop.level && in_step <= loop.in_step;
  loop.level = std::max(loop.level, level);
  loop.in_step = std::max(loop.in_step, in_step);
  return was_known;
}

void Thread::guess_conditions(Loop &loop, const std::vector<State> &backs) {
  const Polynomial i = Polynomial::of(loop.iteration);
  for (const State &back : backs)
    for (const Decision &one : choices_after(back, loop.entry))
      raise_levels(loop, one, [&](const Polynomial &p) { return loop.settled(p); });
  if (backs.empty()) return;
  for (const Decision &one : choices_after(backs.front(), loop.entry)) {
    const bool shared = std::all_of(backs.begin(), backs.end(), [&](const State &back) {
      const auto choices = choices_after(back, loop.entry);
      return std::find(choices.begin(), choices.end(), one) != choices.end();
    });
    if (!shared || !one.known) continue;
    if (one.cases.size() == 1) {
      for (const Atom &atom : one.cases.front()) {
        const Polynomial p = loop.settled(atom.polynomial);
        if (!atom.equality && loop.is_old(p, true)) loop.conditions.push_back(at_least_zero(p));
      }
    } else if (auto e = different_from_zero(one.cases)) {
      // It goes towards zero in equal steps that meet zero, so it stays on its side of it.
      *e = loop.settled(*e);
      if (!loop.is_old(*e, true)) continue;
      const auto step = (e->substitute(loop.iteration, i + Polynomial(1)) - *e).constant();
      if (!step || *step == 0 || !e->divided_by(*step > 0 ? *step : -*step)) continue;
      const Polynomial p = *step > 0 ? -*e - Polynomial(*step) : *e + Polynomial(*step);
      loop.conditions.push_back(at_least_zero(p));
      loop.strict.insert(p);
    }
  }
}

/// What holds at an iteration: it is the first one, or the conditions held at the end of the one before.
void Thread::assume_conditions(Loop &loop) {
  const Polynomial i = Polynomial::of(loop.iteration);
  scene_.symbols.forget(loop.iteration);
  Conjunction later;
  std::vector<Atom> kept;
  for (const Atom &atom : loop.conditions) {
    const Polynomial before = atom.polynomial.substitute(loop.iteration, i - Polynomial(1));
    if (proves(loop.entry, at_least_zero(before.substitute(loop.iteration, 0))))
      scene_.symbols.define(loop.iteration, {{at_least_zero(before)}, {}});
    else if (loop.strict.count(atom.polynomial) > 0)
      continue;
    else
      later.push_back(at_least_zero(before));
    kept.push_back(atom);
  }
  loop.conditions = kept;
  if (later.empty()) return;
  later.push_back(at_least(i, Polynomial(1)));
  scene_.symbols.define(loop.iteration, {{}, {{{is_zero(i)}, later}}});
}

State Thread::at_iteration(Loop &loop, const Polynomial &i) {
  State state = loop.entry;
  for (const int r : loop.changed) {
    const auto found = loop.value.find(r);
    state.registers[static_cast<std::size_t>(r)] =
        found == loop.value.end() ? Value{} : a_number(found->second);
  }
  state.interval = loop.entry.interval + loop.intervals * i;
  Decision goes_on{{{}}, {{}}, loop.at, true, true, false, loop.in_step};
  state.path.push_back(goes_on);
  state.iterations.push_back(loop.iteration);
  return state;
}

/// Drops what was not confirmed; true if nothing was.
bool Thread::verify(Loop &loop, const Region &region) {
  bool right = true;
  for (const State &back : region.backs) {
    const auto interval =
        back.interval - loop.entry.interval - loop.intervals * Polynomial::of(loop.iteration);
    if (!(interval == loop.intervals) || !loop.intervals.constant())
      throw NotUnderstood(scene_.kernel->instructions[loop.at].location,
                          "iterations pass different numbers of barriers");
    for (auto at = loop.value.begin(); at != loop.value.end();) {
      const Value &now = back.registers[static_cast<std::size_t>(at->first)];
      const Polynomial &next = loop.next[at->first];
      const bool holds = now.kind == Value::Kind::number &&
                         (now.number == next || (loop.in_turn.count(at->first) > 0 &&
                                                 (guessing_ || proves(back, equal(now.number, next)))));
      right = right && holds;
      at = holds ? std::next(at) : loop.value.erase(at);
    }
    for (const Decision &one : choices_after(back, loop.entry))
      right = raise_levels(loop, one, [](const Polynomial &p) { return p; }) && right;
    const std::size_t before = loop.conditions.size();
    if (!guessing_) std::erase_if(loop.conditions, [&](const Atom &atom) { return !proves(back, atom); });
    right = right && loop.conditions.size() == before;
  }
  return right;
}

/// Whether an iteration is reached exactly where the conditions held at the end of the one before: they are all
/// that the loop goes on by, and once one of them does not hold it never does again.
bool Thread::is_exact(Loop &loop, const Region &region) {
  const Polynomial i = Polynomial::of(loop.iteration);
  const auto expected = [&](const Atom &atom) {
    return std::find(loop.conditions.begin(), loop.conditions.end(), atom) != loop.conditions.end();
  };
  for (const State &back : region.backs)
    for (std::size_t n = loop.entry.path.size() + 1; n < back.path.size(); ++n) {
      const Decision &one = back.path[n];
      if (one.fact) continue;
      const auto e = different_from_zero(one.cases);
      const bool stepwise =
          e && std::any_of(loop.strict.begin(), loop.strict.end(), [&](const Polynomial &p) {
            return expected(at_least_zero(p)) && ((p + *e).constant() || (p - *e).constant());
          });
      const bool plain =
          one.cases.size() == 1 && std::all_of(one.cases[0].begin(), one.cases[0].end(), expected);
      if (!one.known || !(stepwise || plain)) return false;
    }
  return std::all_of(loop.conditions.begin(), loop.conditions.end(), [&](const Atom &atom) {
    const Polynomial next = atom.polynomial.substitute(loop.iteration, i + Polynomial(1));
    return proves(loop.entry, at_least_zero(atom.polynomial - next));
  });
}

/// The last iteration is `n`. What was made in it, such as a minimum with the iteration in it, gets a copy that is of `n`:
/// what holds of all iterations holds only where there are any, and this is left behind with the loop.
std::map<Symbol, Symbol> Thread::names_of_last(const Loop &loop, const Leaving &exit, Symbol n) {
  Symbols &symbols = scene_.symbols;
  Formula mentioned;
  for (std::size_t i = loop.entry.path.size() + 1; i < exit.state.path.size(); ++i) {
    mentioned.clauses.push_back(exit.state.path[i].cases);
    mentioned.clauses.push_back(exit.state.path[i].otherwise);
  }
  std::vector<Polynomial> numbers{exit.state.interval};
  if (exit.target != no_block)
    for (const int r : flow_.live[static_cast<std::size_t>(exit.target)])
      numbers.push_back(exit.state.registers[static_cast<std::size_t>(r)].number);
  std::map<Symbol, Symbol> names{{loop.iteration, n}};
  const std::vector<Symbol> made = symbols.made_of(loop.iteration, mentioned, numbers);
  for (const Symbol s : made) names[s] = symbols.make(symbols.name(s), symbols.level(s), symbols.range(s));
  for (const Symbol s : made) {
    symbols.define(names[s], symbols.facts(s).rename(names));
    if (const auto fraction = symbols.fraction_of(s))
      symbols.remember_quotient(fraction->first.rename(names), fraction->second.rename(names), names[s]);
    if (const auto wrap = wraps_.find(s); wrap != wraps_.end()) {
      Overflow copy = wrap->second;
      copy.value = copy.value.rename(names);
      wraps_[names[s]] = std::move(copy);
    }
    if (const auto product = high_products_.find(s); product != high_products_.end())
      high_products_[names[s]] = {product->second.of.rename(names), product->second.by};
  }
  return names;
}

/// The number of iterations becomes a symbol of its own, of which the way knows what held where the loop ended.
void Thread::leave(Loop &loop, Region &region, std::vector<Leaving> &leaving) {
  // Loops end, so where there is one way out, all that it asks holds. With several, which one it was is a choice.
  const bool one_way = region.exits.size() == 1 && !region.ends;
  if (region.ends) leaving.push_back({no_block, loop.entry});
  for (Leaving &one : region.exits) {
    Symbols &symbols = scene_.symbols;
    const Symbol n = symbols.make("iterations", loop.level, {0, Integer{1} << 62});
    const std::map<Symbol, Symbol> names = names_of_last(loop, one, n);
    State state = one.state;
    for (Value &value : state.registers) {
      if (value.kind == Value::Kind::number) value.number = value.number.rename(names);
      if (value.kind == Value::Kind::predicate) value = {};
    }
    state.interval = state.interval.rename(names);
    state.path = loop.entry.path;
    state.iterations = loop.entry.iterations;
    // All of this holds where the loop ended, and so on this way only.
    const auto fact = [&](const Disjunction &cases) {
      state.path.push_back({cases, {}, loop.at, true, true, true, loop.level});
    };
    const Formula known = symbols.facts(loop.iteration).rename(names);
    if (!known.atoms.empty()) fact({known.atoms});
    for (const Disjunction &clause : known.clauses) fact(clause);
    for (std::size_t i = loop.entry.path.size() + 1; i < one.state.path.size(); ++i) {
      Decision decision = one.state.path[i];
      const auto of_exit = [&](const Disjunction &cases) {
        return Formula{{}, {cases}}.rename(names).clauses.front();
      };
      decision.cases = of_exit(decision.cases);
      decision.otherwise = of_exit(decision.otherwise);
      decision.fact = decision.fact || one_way;
      state.path.push_back(std::move(decision));
    }
    leaving.push_back({one.target, std::move(state)});
  }
}

/// Follows the loop round by round, as long as it is known whether it goes on. False: it goes on too long.
bool Thread::follow(const FlowLoop &blocks, const State &entry, std::vector<Leaving> &leaving) {
  const Behaviour before = done_;
  std::vector<Leaving> exits;
  std::vector<State> states{entry};
  int choices = 0;
  bool ends = false;
  for (int round = 0; round < most_rounds && choices < most_choices; ++round) {
    Region region{&blocks.blocks, blocks.header, {}, {}};
    run_region(region, blocks.header, std::move(states));
    if (!region.exits.empty() && !region.backs.empty()) ++choices;
    exits.insert(exits.end(), region.exits.begin(), region.exits.end());
    states = std::move(region.backs);
    ends = ends || region.ends;
    if (states.empty()) {
      if (ends) leaving.push_back({no_block, entry});
      leaving.insert(leaving.end(), exits.begin(), exits.end());
      return true;
    }
  }
  done_ = before;
  return false;
}

void Thread::run_loop(const FlowLoop &blocks, const State &entry, std::vector<Leaving> &leaving) {
  Loop loop{
      .blocks = blocks, .entry = entry, .at = flow_.blocks[static_cast<std::size_t>(blocks.header)].begin};
  loop.iteration = scene_.symbols.make("iteration", Level::thread, {0, Integer{1} << 62});
  guess(loop);
  const bool counted = std::any_of(loop.guessed.begin(), loop.guessed.end(), [&](const auto &one) {
    return loop.value.count(one.first) == 0 || loop.in_turn.count(one.first) > 0;
  });
  if (loop.conditions.empty() && counted && follow(blocks, entry, leaving)) return;
  for (int n = 0; n < most_tries; ++n) {
    const Behaviour before = done_;
    assume_conditions(loop);
    Region region{&blocks.blocks, blocks.header, {}, {}};
    run_region(region, blocks.header, {at_iteration(loop, Polynomial::of(loop.iteration))});
    if (verify(loop, region)) {
      if (!guessing_ && is_exact(loop, region)) done_.exact.insert(loop.iteration);
      return leave(loop, region, leaving);
    }
    done_ = before;
  }
  throw NotUnderstood(scene_.kernel->instructions[loop.at].location, "a loop that is not understood");
}

}  // namespace warpgrade::prove
