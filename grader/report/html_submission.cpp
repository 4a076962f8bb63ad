#include <fmt/format.h>

#include <algorithm>

#include "report/conditions.hpp"
#include "report/discreet.hpp"
#include "report/figures.hpp"
#include "report/fixes.hpp"
#include "report/html_debug.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

/// The player of a step that has a recording.
void put_recording(Fields &step, Json &data, const grading::StepRecord &s, const Extras &extras) {
  const auto found = extras.recordings.find(s.id);
  step.set("recorded", found != extras.recordings.end());
  if (found == extras.recordings.end()) return;
  const Recorded &recorded = found->second;
  const auto source = extras.sources.find(s.id);
  const DebugView view{recorded.playback, recorded.title, s.file,
                       source == extras.sources.end() ? "" : source->second};
  std::size_t first = 0;
  data["debug"][s.id] = debug_data(view, most_recorded_bytes / extras.recordings.size(), first);
  step.set("recorded_title", recorded.title);
  step.set("recorded_words", text_or_nothing(recorded.playback.summary));
  step.set("player", debug_player(view, s.id, first));
}

}  // namespace

std::string to_html(const Report &whole, const Extras &extras) {
  const Discreet discreet(whole);
  const Report &r = discreet.report();
  Fields page;
  page.set("assignment", r.assignment.name);
  page.set("title", r.assignment.title);
  page.set("submission", r.record.submission);
  page.set("pseudonym", text_or_nothing(extras.pseudonym));
  page.set("device", r.record.device.name);
  page.set("seed", std::to_string(r.record.seed));
  page.set("thresholds", text_or_nothing(r.record.device.gpu ? r.thresholds.file : ""));
  page.set("no_gpu", text_or_nothing(r.record.device.gpu ? "" : r.record.device.why_no_gpu));
  page.set("speed_waits", r.score.without_gpu.empty());
  page.set("refused", text_or_nothing(r.record.refused.empty()
                                          ? ""
                                          : "archive_refused: nothing was graded: " + r.record.refused));
  Fields notes(Fields::type::list);
  for (const std::string &note : r.record.notes) notes << Fields("note", note);
  if (const std::string remark = remark_on_thresholds(r); !remark.empty()) notes << Fields("note", remark);
  if (!r.not_graded.empty()) notes << Fields("note", "This is not a grade: " + r.not_graded + ".");
  page.set("handin_notes", notes);
  const std::string total = r.not_graded.empty() ? points(r.score.points) : "–";
  page.set("points", total);
  page.set("max_points", points(r.score.max_points));
  page.set("waiting", text_or_nothing(r.not_graded.empty() && r.score.ungraded_points > 0
                                          ? points(r.score.ungraded_points)
                                          : ""));
  page.set("extra", text_or_nothing(r.score.extra_credit > 0 ? points(r.score.extra_credit) : ""));
  page.set("again", again(r, ""));
  page.set("unit", unit_of(r.assignment));
  page.set("library", library_of(r.assignment));
  page.set("fp32",
           library_of(r.assignment) == problem::name_of(problem::Library::cublas) &&
               std::all_of(r.assignment.steps.begin(), r.assignment.steps.end(),
                           [](const course::Step &s) { return !s.has_kernel() || in_fp32(*s.problem); }));
  Json data = put_speed(page, r, extras);
  data["unit"] = unit_of(r.assignment);
  Fields steps(Fields::type::list);
  for (std::size_t i = 0; i < r.record.steps.size(); ++i) {
    Fields step = step_fields(r, r.record.steps[i], r.score.steps.at(i), extras);
    put_recording(step, data, r.record.steps[i], extras);
    steps << step;
  }
  page.set("steps", steps);
  std::vector<Script> scripts = {Script::chart_library, Script::charts, Script::submission};
  if (!extras.recordings.empty()) scripts.push_back(Script::debug);
  return html_page(
      fmt::format("{} {}: {}/{}", r.assignment.name, r.record.submission, total, points(r.score.max_points)),
      fill(submission_template(), page), data, scripts);
}

}  // namespace warpgrade::report
