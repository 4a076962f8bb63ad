// The parts of a class's pages. Internal to report.
#pragma once

#include <string>
#include <vector>

#include "report/class.hpp"
#include "report/html_page.hpp"

namespace warpgrade::report {

/// Nothing if the student has no such step.
const ClassStep *step_of(const ClassStudent &, const std::string &id);
/// The steps of the course.
std::vector<const course::Step *> graded_steps(const Class &);
/// Whether any step was timed.
bool timed(const Class &, const course::Step &);

/// Sets `leaderboard` (whether anyone is ranked), `ranked_by`, `board_shows`, `board_heads`, `board`, and
/// `not_timed`: why speed does not rank. Without times, counters rank.
void put_leaderboard(Fields &page, const Class &);

}  // namespace warpgrade::report
