// Expressions and assumptions as text, read once: as numbers of a case, or as polynomials over sizes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "prove/symbols.hpp"

namespace warpgrade::prove {

/// A tree; `what` is a number, a name, an operator, or the name of a function.
struct Term {
  std::string what;
  std::vector<Term> of;
};
/// throws std::invalid_argument
Term parse_expression(std::string_view);

using Names = std::map<std::string, Polynomial>;
/// throws std::invalid_argument: a name that is not there, or a divisor that may be below 1
Polynomial to_polynomial(const Term &, const Names &, Symbols &);
/// An assumption: comparisons, joined with && or commas.
Formula to_formula(const Term &, const Names &, Symbols &);

}  // namespace warpgrade::prove
