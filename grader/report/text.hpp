// Text laid out for a terminal; escapers are in base/text.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "score/score.hpp"

namespace warpgrade::report {

/// Columns of a terminal that reports make use of.
inline constexpr std::size_t narrowest = 40, widest = 80;

/// The width of escaped text on a terminal: wide characters (CJK, emoji) take two columns, combining marks
/// none.
std::size_t columns_of(std::string_view);
/// Bytes of the longest beginning of `text` that takes at most `width` columns; at least one character.
std::size_t fitting(std::string_view text, std::size_t width);
/// Lines of at most `width` columns, broken at spaces where possible and within a word where not.
std::vector<std::string> wrap(std::string_view, std::size_t width);
/// A shell command over several lines that can be pasted as one: broken at blanks outside quotes, each line
/// except the last ends in a backslash.
std::vector<std::string> wrap_command(std::string_view, std::size_t width);

/// The rows of a table on a terminal too narrow for it: "step1: sectors/load 4, sectors/store 4", wrapped.
/// Empty values are left out, and so is everything after the last label.
std::string as_sentence(std::string_view name, const std::vector<std::string> &labels,
                        const std::vector<std::string> &values, std::size_t columns);

/// Three significant digits, and every digit of a large whole number: 0.0312, 6.6, 1052672.
std::string figure(double);
/// "16.5/2.5": a mean per request, as measured and at best. Empty without requests.
std::string per_request(std::uint64_t all, std::uint64_t ideal, std::uint64_t requests);
/// "6.6, at most 2"
std::string counter_against_limit(const score::CounterScore &);

}  // namespace warpgrade::report
