// What a student found in a bug hunt, and how much their fix changes. Pure functions of texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "judge/verdict.hpp"

namespace warpgrade::judge {

/// How the two answers begin in the student's file: "// answer line: 31", "// answer cause: race".
inline constexpr std::string_view answer_mark = "answer";

/// Verdicts on the answers "line" and "cause", in this order: accepted; wrong_answer, with a sentence for each mistake;
/// not_implemented where there is none yet. An answer that could be right, and that only the course can judge, is left to
/// the course.
/// source   the student's file, which may be hostile
/// starter  the file with the fault, in which lines are counted
std::vector<CaseVerdict> judge_hunt(const course::Step &, std::string_view source, std::string_view starter);

/// How many statements differ, but for layout, comments and braces: the sum over all places of the larger number there,
/// of those that are gone and those that are new. The head of a loop or of a condition is a statement of its own, and
/// so is a line for the preprocessor. Of texts whose lengths differ by more than `enough` statements, that difference.
std::size_t changed_statements(std::string_view before, std::string_view after, std::size_t enough);

/// Why a fix changes too much; "" if it does not.
std::string too_many_changes(const course::Step &, std::string_view source, std::string_view starter);

}  // namespace warpgrade::judge
