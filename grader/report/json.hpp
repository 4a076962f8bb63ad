// Code shared by the parts of score.json. Internal to report.
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace warpgrade::report {

using Json = nlohmann::ordered_json;

Json number(double);  ///< null unless finite
/// "gflops", "gb_per_s": the field name of a rate in that unit.
std::string key_of_unit(std::string_view unit);
/// The rates of a library beside a step: null where none was measured. Those of cuBLAS have fields of their
/// own too, which are older.
void put_library(Json &, const score::Performance &);
void put_sizes(Json &, const problem::Problem &, const problem::Case &, bool reals);
/// What holds of a step for all sizes.
Json properties_to_json(const course::Assignment &, const std::string &step,
                        const std::vector<grading::PropertyRecord> &);
/// A step's `counters`: totals, thresholds, lines with their accesses and advice, worst first.
Json counters_to_json(const problem::Problem &, const grading::CounterRecord &,
                      const std::vector<score::CounterScore> &);

}  // namespace warpgrade::report
