#include "prove/thread.hpp"

#include <algorithm>
#include <string_view>

namespace warpgrade::prove {
namespace {

constexpr std::size_t few_states = 4;    // ways that go on side by side although they could be joined
constexpr std::size_t most_states = 24;  // ways at one place

bool starts_like(const std::string &opcode, std::string_view base) {
  return opcode.starts_with(base) && (opcode.size() == base.size() || opcode[base.size()] == '.');
}

/// The cases in which a thread does not come by this way: at one of its choices it goes another one.
Disjunction elsewhere(const std::vector<Decision> &path, std::size_t count) {
  Disjunction result;
  for (std::size_t n = 0; n < count; ++n) {
    const Decision &one = path[n];
    if (!one.fact && !goes_on(one)) result.insert(result.end(), one.otherwise.begin(), one.otherwise.end());
  }
  return result;
}

}  // namespace

Thread::Thread(Scene &scene, Decider &decider)
    : scene_(scene), decider_(decider), flow_(flow_of(*scene.kernel)) {
  for (const ptx::Instruction &i : scene.kernel->instructions)
    has_barriers_ = has_barriers_ || starts_like(i.opcode, "bar") || starts_like(i.opcode, "barrier") ||
                    Opcode(i.opcode).has("sync");
}

Behaviour Thread::run() {
  State start;
  start.registers.resize(scene_.kernel->registers.size());
  std::set<int> all;
  for (std::size_t b = 0; b < flow_.blocks.size(); ++b) all.insert(static_cast<int>(b));
  Region kernel{&all, no_block, {}, {}};
  run_region(kernel, 0, {start});
  return std::move(done_);
}

bool Thread::proves(const State &state, const Atom &atom) {
  if (!atom.equality && scene_.symbols.range(atom.polynomial).low >= 0) return true;
  if (guessing_) return false;
  const Disjunction against = negation(atom);
  return std::all_of(against.begin(), against.end(), [&](const Conjunction &one) {
    Formula formula = state.formula();
    formula.add(Disjunction{one});
    return decider_.is_empty(scene_.symbols.complete(std::move(formula)));
  });
}

/// Whether none of the cases can hold here.
bool Thread::excluded(const State &state, const Disjunction &cases) {
  const auto impossible = [&](const Conjunction &one) {
    return std::any_of(one.begin(), one.end(), [&](const Atom &atom) {
      const Range range = scene_.symbols.range(atom.polynomial);
      return range.high < 0 || (atom.equality && range.low > 0);
    });
  };
  if (std::all_of(cases.begin(), cases.end(), impossible)) return true;
  if (guessing_) return false;
  Formula formula = state.formula();
  formula.add(cases);
  return decider_.is_empty(scene_.symbols.complete(std::move(formula)), Look::integers);
}

void Thread::run_region(Region &region, int entry, std::vector<State> states) {
  std::map<int, std::pair<int, std::vector<State>>> open;  // by position: block, states
  open[flow_.position[static_cast<std::size_t>(entry)]] = {entry, std::move(states)};
  while (!open.empty()) {
    auto [block, here] = std::move(open.begin()->second);
    open.erase(open.begin());
    std::vector<Leaving> leaving;
    const auto loop = flow_.loops.find(block);
    for (State &state : join(block, std::move(here)))
      if (loop != flow_.loops.end() && block != region.header)
        run_loop(loop->second, state, leaving);
      else
        run_block(block, std::move(state), leaving);
    for (Leaving &one : leaving) {
      if (one.target == no_block) {
        region.ends = true;
      } else if (one.target == region.header) {
        region.backs.push_back(std::move(one.state));
      } else if (region.blocks->count(one.target) == 0) {
        region.exits.push_back(std::move(one));
      } else {
        auto &there = open[flow_.position[static_cast<std::size_t>(one.target)]];
        there.first = one.target;
        there.second.push_back(std::move(one.state));
      }
    }
  }
}

void Thread::run_block(int number, State state, std::vector<Leaving> &leaving) {
  const FlowBlock &block = flow_.blocks[static_cast<std::size_t>(number)];
  const std::uint32_t end = block.branches ? block.end - 1 : block.end;
  for (std::uint32_t i = block.begin; i < end; ++i) step(i, state);
  if (block.branches)
    branch(block, std::move(state), leaving);
  else
    leaving.push_back({block.next, std::move(state)});
}

/// Whether a thread that comes here returns, and does nothing before.
bool Thread::ends_at_once(int block) const {
  for (std::size_t n = 0; block != no_block && n < flow_.blocks.size(); ++n) {
    const FlowBlock &here = flow_.blocks[static_cast<std::size_t>(block)];
    const std::string &last = scene_.kernel->instructions[here.end - 1].opcode;
    const bool plain = here.branches && !here.conditional && here.end - here.begin == 1;
    if (plain && (starts_like(last, "ret") || starts_like(last, "exit"))) return true;
    if (!plain || here.taken == no_block) return false;
    block = here.taken;
  }
  return false;
}

void Thread::branch(const FlowBlock &block, State state, std::vector<Leaving> &leaving) {
  const ptx::Instruction &i = scene_.kernel->instructions[block.end - 1];
  const auto note_trap = [&](const State &at) {
    if (!guessing_ && starts_like(i.opcode, "trap"))
      done_.traps.push_back({{{}, at.path, at.interval, at.iterations}, block.end - 1});
  };
  if (!block.conditional) {
    note_trap(state);
    leaving.push_back({block.taken, std::move(state)});
    return;
  }
  const Value guard = state.registers[static_cast<std::size_t>(i.guard)];
  Condition condition = guard.kind == Value::Kind::predicate ? *guard.condition : Condition{};
  if (i.guard_negated) std::swap(condition.yes, condition.no);
  const bool never = excluded(state, condition.yes), always = excluded(state, condition.no);
  for (const bool taken : {true, false}) {
    if (taken ? never : always) continue;
    State one = state;
    if (!never && !always) {
      Decision decision;
      decision.cases = taken ? condition.yes : condition.no;
      decision.otherwise = taken ? condition.no : condition.yes;
      decision.at = block.end - 1;
      decision.taken = taken;
      decision.known = condition.known;
      decision.level = condition.known ? scene_.symbols.level(condition.yes) : Level::thread;
      const bool returns = starts_like(i.opcode, "ret") || starts_like(i.opcode, "exit");
      decision.other_ends = taken ? ends_at_once(block.next) : returns || ends_at_once(block.taken);
      one.path.push_back(std::move(decision));
    }
    if (taken) note_trap(one);
    leaving.push_back({taken ? block.taken : block.next, std::move(one)});
  }
}

/// Makes one state of two that came by the two ways of the same branch. Registers that differ get a symbol that is
/// either; without `always` only states with the same registers are joined.
bool Thread::join_pair(int block, State &a, const State &b, bool always) {
  const auto choices = [](const State &s) {
    std::vector<const Decision *> result;
    for (const Decision &one : s.path)
      if (!one.fact) result.push_back(&one);
    return result;
  };
  const auto x = choices(a), y = choices(b);
  if (x.empty() || x.size() != y.size() || a.interval != b.interval) return false;
  for (std::size_t n = 0; n + 1 < x.size(); ++n)
    if (!(*x[n] == *y[n])) return false;
  const Decision last = *x.back();
  if (last.at != y.back()->at || last.taken == y.back()->taken || last.cases != y.back()->otherwise)
    return false;
  const std::set<int> &live = flow_.live[static_cast<std::size_t>(block)];
  const auto stays = [&](const Decision &one) {
    return &one < x.back() && (!one.fact || std::find(b.path.begin(), b.path.end(), one) != b.path.end());
  };
  // Facts of one way only: of symbols that the joined value may be made of.
  const auto facts_of = [](const State &s, const State &other) {
    Conjunction all;
    for (const Decision &one : s.path)
      if (one.fact && one.cases.size() == 1 &&
          std::find(other.path.begin(), other.path.end(), one) == other.path.end())
        all.insert(all.end(), one.cases.front().begin(), one.cases.front().end());
    return all;
  };
  const Conjunction with_a = facts_of(a, b), with_b = facts_of(b, a);
  const Disjunction others = elsewhere(a.path, static_cast<std::size_t>(x.back() - a.path.data()));
  State joined = a;
  for (std::size_t r = 0; r < joined.registers.size(); ++r) {
    if (live.count(static_cast<int>(r)) == 0) {
      joined.registers[r] = {};
    } else if (!(a.registers[r] == b.registers[r])) {
      if (!always) return false;
      joined.registers[r] = either({last.cases, last.otherwise, last.known}, a.registers[r], b.registers[r],
                                   with_a, with_b, others);
    }
  }
  joined.path.clear();
  for (const Decision &one : a.path)
    if (stays(one)) joined.path.push_back(one);
  a = std::move(joined);
  return true;
}

std::vector<State> Thread::join(int block, std::vector<State> states) {
  for (const bool always : {false, true}) {
    if (always && !has_barriers_ && states.size() <= few_states) break;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < states.size() && !again; ++i)
        for (std::size_t j = i + 1; j < states.size() && !again; ++j)
          if (join_pair(block, states[i], states[j], always)) {
            states.erase(states.begin() + static_cast<std::ptrdiff_t>(j));
            again = true;
          }
    }
  }
  if (states.size() > most_states)
    throw NotUnderstood(
        scene_.kernel->instructions[flow_.blocks[static_cast<std::size_t>(block)].begin].location,
        "too many ways through the kernel");
  return states;
}

void Thread::step(std::uint32_t index, State &state) {
  const ptx::Instruction &i = scene_.kernel->instructions[index];
  if (i.guard < 0) return execute(index, state);
  const Value guard = state.registers[static_cast<std::size_t>(i.guard)];
  Condition condition = guard.kind == Value::Kind::predicate ? *guard.condition : Condition{};
  if (i.guard_negated) std::swap(condition.yes, condition.no);
  if (excluded(state, condition.yes)) return;
  State guarded = state;
  Decision decision{condition.yes,
                    condition.no,
                    index,
                    true,
                    condition.known,
                    false,
                    condition.known ? scene_.symbols.level(condition.yes) : Level::thread};
  guarded.path.push_back(decision);
  execute(index, guarded);
  if (!(guarded.interval == state.interval)) throw NotUnderstood(i.location, "a barrier with a guard");
  Conjunction with_guard;  // facts that hold only where the instruction runs
  for (std::size_t n = state.path.size() + 1; n < guarded.path.size(); ++n)
    if (guarded.path[n].fact && guarded.path[n].cases.size() == 1)
      with_guard.insert(with_guard.end(), guarded.path[n].cases[0].begin(), guarded.path[n].cases[0].end());
  for (const int r : written_by(i)) {
    const auto at = static_cast<std::size_t>(r);
    state.registers[at] = either(condition, guarded.registers[at], state.registers[at], with_guard, {},
                                 elsewhere(state.path, state.path.size()));
  }
}

}  // namespace warpgrade::prove
