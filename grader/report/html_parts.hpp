// The parts of a submission's page. Internal to report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/explain.hpp"
#include "report/html.hpp"
#include "report/html_page.hpp"

namespace warpgrade::report {

/// Sets `charts`, `ladder`, `sizes`, `roofline` and related fields; returns what the scripts draw.
Json put_speed(Fields &page, const Report &, const Extras &);
/// All of one step.
Fields step_fields(const Report &, const grading::StepRecord &, const score::StepScore &, const Extras &);
/// Sets the fields for the cases: failures, maps of C, each case separately.
void put_cases(Fields &step, const Report &, const grading::StepRecord &);
/// Sets the fields for the annotated source and the pictures of lanes.
void put_source(Fields &step, const grading::StepRecord &, const std::string *source, const Extras &);
/// Where a reader disputes a line of a step; 0: the step. Empty: nowhere.
std::string dispute_address(const Extras &, const std::string &step, int line);
/// Sets the fields for what holds for all sizes, with pictures of what fails. id: of the step, for the pictures.
void put_properties(Fields &, const std::string &id, const course::Step *,
                    const std::vector<grading::PropertyRecord> &);
/// The map as SVG, with the colours of the page; or as a file by itself, on white.
std::string map_to_svg(const problem::WrongMap &, const std::string &words);
std::string map_to_svg_file(const problem::WrongMap &, const std::string &words);
/// "12 345" would be hard to copy: digits only. "–" for nothing.
std::string cell(const std::optional<double> &);
std::string cell(double);

}  // namespace warpgrade::report
