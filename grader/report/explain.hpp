// An explanation for people and programs: the source with its figures, advice, lanes as text and SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/gpu.hpp"
#include "explain/explain.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// What explain/ says of counters, with advice that respects the step.
explain::Explanation explanation_of(const grading::CounterRecord &);

/// The contents of `grade explain`. `source` is the student's file, untrusted, without line ends.
struct ExplainView {
  std::string title;  ///< "hw6 step1 (Coalesced) at m=n=k=256"
  std::string file;   ///< base name of `source`
  const std::vector<std::string> &source;
  const grading::CounterRecord &counters;
  const explain::Explanation &explanation;
  const std::vector<score::CounterScore> &checks;       ///< the step's thresholds with the measured values
  std::string again;                                    ///< "./grade explain step1 --submission DIR"
  std::vector<course::Gpu> gpus = {};                   ///< whose peaks are compared with the work
  const predict::StepPrediction *prediction = nullptr;  ///< for what cured lines would gain; null: nothing
};

/// The checklist that advice refers to, row by row.
std::string checklist_to_terminal(std::size_t columns = 80);
/// The source with a gutter of figures, then the worst lines first with advice.
std::string explain_to_terminal(const ExplainView &, const Style &);
/// The lanes of every access of one line; nothing if the line has none.
std::string line_to_terminal(const ExplainView &, int line, const Style &);

/// schema warpgrade.explain/1: `counters` as a step of score.json has them.
std::string explain_to_json(const ExplainView &, const course::Assignment &, const std::string &step);

/// The 32 lanes of an access over the sectors or banks that they touch. The access has a sample.
std::string lanes_to_text(const explain::Access &);
/// The same as a picture: a whole SVG document.
/// for_page   low, for a page with a caption beside it: no title, and of many wavefronts the first alone
std::string lanes_to_svg(const explain::Access &, bool for_page = false);

/// "f16", as course::tensor_types name it; "" if the instruction is unknown or its factors have no such name.
std::string type_of_factors(std::string_view instruction);
/// Bytes that are loaded from shared memory, or without any, from global memory, as fragments of the factors
/// that products take from registers. Nothing if there are no such products.
std::optional<double> fragments_per_product(const explain::Explanation &, const simt::Counters &);

/// A picture in the style of handouts, with its caption. `name` distinguishes pictures of one page.
struct Captioned {
  std::string svg, caption;
};
/// Which lane holds which element of a product's operands; nothing if the instruction is unknown.
std::optional<Captioned> draw_product(const std::string &name, const explain::Product &);
/// The lanes of an access to shared memory over its lines of banks. The access has a sample.
Captioned draw_shared_access(const std::string &name, const explain::Access &);
/// The tile that an asynchronous copy writes.
Captioned draw_copied_tile(const std::string &name, const simt::LaneSample &);
/// The lane of each element of a product's operands, as text; "" if the instruction is unknown.
std::string product_to_text(const explain::Product &);

}  // namespace warpgrade::report
