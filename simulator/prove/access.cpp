#include <algorithm>
#include <string_view>

#include "prove/thread.hpp"

namespace warpgrade::prove {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// What an access keeps of the way to it.
State without_registers(const State &state) {
  return {{}, state.path, state.interval, state.iterations};
}

constexpr const char *address_not_followed =
    "the address depends on data, or on a loop or an operation that is not followed";

}  // namespace

void Thread::load_parameter(const Instruction &i, State &state) {
  const Opcode op(i.opcode);
  const Operand &from = i.operands[1];
  Value result;
  const auto &parameters = scene_.kernel->parameters;
  for (std::size_t n = 0; n < parameters.size(); ++n)
    if (parameters[n].name == from.name && from.value == 0 && from.reg < 0 && op.is_integer() &&
        i.operands.front().kind == Operand::Kind::reg)
      result = scene_.arguments[n];
  const auto wider = [&](int r) {
    return size_of(scene_.kernel->registers[static_cast<std::size_t>(r)].type) * 8 >
           static_cast<std::uint32_t>(op.width());
  };
  if (result.kind == Value::Kind::number && wider(i.operands.front().reg))
    result = a_number(integer(result.number, op.width(), op.is_signed(), state));
  for (const int r : written_by(i)) state.registers[static_cast<std::size_t>(r)] = result;
}

/// What a load gives: any number of its type.
Value Thread::loaded(const std::string &type) {
  const int width = Opcode::width_of(type);
  if (type.empty() || (type.front() != 'u' && type.front() != 's') || width > 32) return {};
  const Integer all = Integer{1} << width;
  const Range range = type.front() == 's' ? Range{-all / 2, all / 2 - 1} : Range{0, all - 1};
  const Symbol s = scene_.symbols.make(loaded_name, Level::thread, range);
  loaded_.insert(s);
  return a_number(Polynomial::of(s));
}

/// The places that an address may be, where it is one of several: the case in which it is each.
std::vector<Thread::Way> Thread::ways_of(const Polynomial &address) const {
  const auto has_base = [&](const Polynomial &p) {
    return std::any_of(scene_.objects.begin(), scene_.objects.end(),
                       [&](const MemoryObject &one) { return p.contains(one.base); });
  };
  std::set<Symbol> symbols;
  for (const auto &[monomial, factor] : address.terms()) symbols.insert(monomial.begin(), monomial.end());
  for (const Symbol s : symbols) {
    const Polynomial zero = address.substitute(s, 0), one = address.substitute(s, 1);
    const Polynomial choice = Polynomial::of(s);
    if (!(address == zero + (one - zero) * choice)) continue;
    if (two_values_of(scene_.symbols, choice) && has_base(one - zero))
      return {{{is_zero(choice)}, zero}, {{equal(choice, 1)}, one}};
    for (const Disjunction &cases : scene_.symbols.facts(s).clauses) {
      std::vector<Way> ways;
      for (const Conjunction &where : cases)
        for (const Atom &atom : where) {  // the last one says what it is
          const Integer factor = atom.polynomial.coefficient({s});
          if (&atom != &where.back() || !atom.equality || (factor != 1 && factor != -1)) continue;
          const Polynomial value = choice - atom.polynomial * Polynomial(factor);
          if (!value.contains(s)) ways.push_back({where, address.substitute(s, value)});
        }
      const bool told =
          std::any_of(ways.begin(), ways.end(), [&](const Way &w) { return has_base(w.address); });
      if (told && ways.size() == cases.size()) return ways;
    }
  }
  return {};
}

/// Whether the offset has to do with the start of another object, as where the distance to it is one of several, is
/// divided, or is what a loop counts: then the address may be in that object.
bool Thread::reaches_another(const Access &access, const Place &place) const {
  std::map<Symbol, bool> starts;  // of objects: whether it is another one
  for (std::size_t i = 0; i < scene_.objects.size(); ++i)
    starts[scene_.objects[i].base] = static_cast<int>(i) != place.object;
  using Found = std::vector<Symbol>;
  const auto add = [](const Polynomial &p, Found &to) {
    for (const auto &[monomial, factor] : p.terms()) to.insert(to.end(), monomial.begin(), monomial.end());
  };
  const auto of_cases = [&](const Disjunction &cases, Found &to) {
    for (const Conjunction &one : cases)
      for (const Atom &atom : one) add(atom.polynomial, to);
  };
  // What is known on the way ties symbols together, too: the count of a loop to where the loop ended.
  std::vector<Found> on_the_way;
  for (const Decision &one : access.at.path)
    for (const Conjunction &conjunction : one.cases)
      for (const Atom &atom : conjunction) {
        Found symbols;
        add(atom.polynomial, symbols);
        if (symbols.size() > 1) on_the_way.push_back(std::move(symbols));
      }
  std::set<Symbol> seen;
  Found open;
  add(place.offset, open);
  while (!open.empty()) {
    const Symbol s = open.back();
    open.pop_back();
    if (const auto start = starts.find(s); start != starts.end()) {
      if (start->second) return true;
      continue;
    }
    if (!seen.insert(s).second) continue;
    const Formula &facts = scene_.symbols.facts(s);
    for (const Atom &atom : facts.atoms) add(atom.polynomial, open);
    for (const Disjunction &clause : facts.clauses) of_cases(clause, open);
    if (const auto product = high_products_.find(s); product != high_products_.end())
      add(product->second.of, open);
    for (const Found &together : on_the_way)
      if (std::find(together.begin(), together.end(), s) != together.end())
        open.insert(open.end(), together.begin(), together.end());
  }
  return false;
}

/// Notes an access; of an address that is one of several, one for each.
void Thread::note(Access access, const Polynomial &address, int ways_before) {
  constexpr int most_ways_of_ways = 3;
  Place place = place_of(scene_, address);
  if (place.object >= 0 && reaches_another(access, place)) place = {};
  const std::vector<Way> ways =
      place.object >= 0 || ways_before == most_ways_of_ways ? std::vector<Way>() : ways_of(address);
  for (const Way &one : ways) {
    Access part = access;
    Decision decision{{one.where}, {}, access.instruction, true, true, false, Level::thread};
    for (const Way &other : ways)
      if (&other != &one) decision.otherwise.push_back(other.where);
    part.at.path.push_back(std::move(decision));
    note(std::move(part), one.address, ways_before + 1);
  }
  if (!ways.empty()) return;
  access.object = place.object;
  access.offset = place.offset;
  if (access.object < 0) access.why = address_not_followed;
  done_.accesses.push_back(std::move(access));
}

void Thread::access(std::uint32_t index, State &state) {
  const Instruction &i = scene_.kernel->instructions[index];
  const Opcode op(i.opcode);
  if (op.base == "ld" && op.has("param")) return load_parameter(i, state);
  const bool writes = op.base == "st" || op.base == "red";
  const Operand &memory = i.operands[writes ? 0 : 1];
  const int count = op.has("v2") ? 2 : op.has("v4") ? 4 : op.has("v8") ? 8 : 1;
  Access access;
  access.kind = op.base == "st"                       ? Access::Kind::store
                : op.base == "ld" || op.base == "ldu" ? Access::Kind::load
                                                      : Access::Kind::atomic;
  access.bytes = static_cast<std::uint32_t>(op.width() / 8 * count);
  if (access.kind == Access::Kind::atomic) {
    access.update_bytes = static_cast<std::uint32_t>(op.width() / 8);
    access.of_block = op.has("cta") || op.has("cluster");
  }
  access.instruction = index;
  access.at = without_registers(state);
  Value address;
  if (memory.reg >= 0)
    address = state.registers[static_cast<std::size_t>(memory.reg)];
  else
    for (const MemoryObject &object : scene_.objects)
      if (object.kind != MemoryObject::Kind::buffer && object.name == memory.name)
        address = a_number(Polynomial::of(object.base));
  if (op.has("async") || op.width() == 0)
    throw NotUnderstood(i.location, "'" + i.opcode + "' is not modelled");
  if (!guessing_) {
    if (address.kind == Value::Kind::number) {
      const Polynomial whole = settled(address.number, access.at) + Polynomial(Integer{memory.value});
      note(std::move(access), whole, 0);
    } else {
      access.why = address_not_followed;
      done_.accesses.push_back(std::move(access));
    }
  }
  if (writes) return;
  for (const int r : written_by(i))
    state.registers[static_cast<std::size_t>(r)] = op.base == "ld" && count == 1 ? loaded(op.type) : Value{};
}

/// The lanes of a warp meet here: those that the last operand, a mask, names.
void Thread::note_warp(std::uint32_t index, const State &state) {
  if (guessing_) return;
  constexpr Integer all = Integer{1} << 32;
  const auto mask = number(scene_.kernel->instructions[index].operands.back(), state);
  const auto lanes = mask ? mask->constant() : std::nullopt;
  done_.warp_meetings.push_back({without_registers(state), index, lanes && (*lanes + 1) % all == 0});
}

void Thread::barrier(std::uint32_t index, State &state) {
  const Instruction &i = scene_.kernel->instructions[index];
  const Opcode op(i.opcode);
  if (op.has("warp")) return note_warp(index, state);  // no proof makes use of the order of lanes
  const bool reduces = op.has("red") && i.operands.size() == 3;
  const std::size_t at = reduces ? 1 : 0;
  const bool whole = ((reduces || (op.has("sync") && i.operands.size() == 1)) &&
                      i.operands[at].kind == Operand::Kind::immediate && i.operands[at].value == 0);
  if (!whole) throw NotUnderstood(i.location, "'" + i.opcode + "' is not modelled");
  if (!guessing_) done_.meetings.push_back({without_registers(state), index});
  state.interval = state.interval + Polynomial(1);
  if (!reduces) return;
  const Value result = said_together(op, state);
  for (const int r : written_by(i)) state.registers[static_cast<std::size_t>(r)] = result;
}

/// What __syncthreads_count, _and or _or gives. In a loop it is another number in each iteration, which only threads in
/// the same iteration have in common.
Value Thread::said_together(const Opcode &op, const State &state) {
  constexpr Integer most_threads = 1024;
  Symbols &symbols = scene_.symbols;
  const bool counts = op.has("popc");
  const Symbol s = symbols.make("?together", state.iterations.empty() ? Level::block : Level::thread,
                                {0, counts ? most_threads : 1});
  done_.together.insert(s);
  const Polynomial v = Polynomial::of(s);
  if (!counts) return a_predicate({{{at_least(v, 1)}}, {{at_least_zero(-v)}}, true});
  symbols.define(s, {{at_least(scene_.block[0] * scene_.block[1] * scene_.block[2], v)}, {}});
  return a_number(v);
}

}  // namespace warpgrade::prove
