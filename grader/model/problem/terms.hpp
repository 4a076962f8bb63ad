// What one element of a result is made of: how often each term is in it. grading/ finds out, reports show it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::problem {

/// Neighbouring terms that are added alike.
struct TermRange {
  std::int64_t first = 0, last = 0;  ///< numbers of the terms, both included
  double times = 0;                  ///< 1 as it should be; 0: left out
  bool operator==(const TermRange &) const = default;
};

struct Terms {
  std::string element;  ///< "C[0, 32]"
  std::string at;       ///< the case in which this was found out, by its name
  /// What numbers the terms: "k" of a product, or the input whose elements are added.
  std::string over;
  std::vector<TermRange> ranges;  ///< of all terms that belong to the element, in order; empty: not known
  std::string sentence;           ///< "C[0, 32] adds the products for k = 0 to 31 once, 32 to 63 never"
  /// Elements of the inputs that show it alone, where all others are 0 and these are 1: "A[0, 32]", "B[32, 0]".
  std::vector<std::string> alone = {};
  bool operator==(const Terms &) const = default;
};

}  // namespace warpgrade::problem
