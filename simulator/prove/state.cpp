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

}  // namespace warpgrade::prove
