#include "prove/state.hpp"

namespace warpgrade::prove {

bool Value::operator==(const Value &other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::number) return number == other.number;
  return kind == Kind::unknown || condition == other.condition || *condition == *other.condition;
}

Value a_number(Polynomial p) {
  return {Value::Kind::number, std::move(p), nullptr};
}
Value a_predicate(Condition c) {
  return {Value::Kind::predicate, {}, std::make_shared<const Condition>(std::move(c))};
}

Formula State::formula() const {
  Formula result;
  for (const Decision &one : path) result.add(one.cases);
  return result;
}

namespace {

constexpr std::size_t most_cases = 12;

}  // namespace

Disjunction both(const Disjunction &a, const Disjunction &b) {
  Disjunction result;
  for (const Conjunction &x : a)
    for (const Conjunction &y : b) {
      result.push_back(x);
      result.back().insert(result.back().end(), y.begin(), y.end());
    }
  return result;
}

Disjunction any(Disjunction a, const Disjunction &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Condition combine(const std::string &how, const Condition &a, const Condition &b) {
  Condition result;
  result.known = a.known && b.known;
  if (how == "and") {
    result.yes = both(a.yes, b.yes);
    result.no = result.known ? any(a.no, both(a.yes, b.no)) : Disjunction{{}};
  } else if (how == "or") {
    result.yes = result.known ? any(a.yes, both(a.no, b.yes)) : Disjunction{{}};
    result.no = both(a.no, b.no);
  } else if (how == "xor") {
    if (!result.known) return {};
    result.yes = any(both(a.yes, b.no), both(a.no, b.yes));
    result.no = any(both(a.yes, b.yes), both(a.no, b.no));
  } else {
    return {};
  }
  if (result.yes.size() > most_cases || result.no.size() > most_cases) return {};
  return result;
}

}  // namespace warpgrade::prove
