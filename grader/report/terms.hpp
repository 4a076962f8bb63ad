// What an element is made of, as a strip over its terms. Internal to report.
#pragma once

#include <string>

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

}  // namespace warpgrade::report
