// What an element is made of, as a strip over its terms. Internal to report.
#pragma once

#include <string>

#include "judge/verdict.hpp"
#include "problem/terms.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// The sentence, with the case where that is not the one that is shown.
std::string terms_in_words(const problem::Terms &, const std::string &shown_case);
/// "11111111...." with a sign for each term, or for parts of equal size where there are many; empty where the terms
/// are not known.
std::string terms_as_text(const problem::Terms &, std::size_t columns);
/// The same in a page, next to the sentence.
std::string terms_to_svg(const problem::Terms &);

/// "2 x 33 x 2 fails in the same way:", of a failed case with a smaller one.
std::string smaller_in_words(const judge::CaseVerdict &);
/// The options that repeat it: --case "m=2 n=33 k=2" --seed 7
std::string options_of_smallest(const judge::CaseVerdict &);

}  // namespace warpgrade::report
