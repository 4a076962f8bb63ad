#include "score/without_gpu.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "judge/speed.hpp"

namespace warpgrade::score {

std::string sentence_without_gpu(const course::Assignment &a, const course::Thresholds &thresholds,
                                 bool gpu) {
  if (gpu || a.without_gpu == course::WithoutGpu::leave) return "";
  if (a.without_gpu == course::WithoutGpu::predicted)
    return fmt::format(
        "Speed was predicted for {} and not measured: predicted rates earn the points for speed "
        "(without_gpu: predicted).",
        thresholds.gpu);
  return "Speed was not measured: the points of a step are those for everything else, scaled to its maximum "
         "(without_gpu: rescale).";
}

void rescale(StepScore &s, const course::Step &step) {
  const double measured = step.points.total() - step.points.fast;
  const double scale = step.points.total() / measured;
  InPlaceOfSpeed by{course::WithoutGpu::rescale, s.points, measured, ""};
  s.points = round_points(s.points * scale);
  // What waits is what is missing from the rest, so that rounding neither takes nor gives points.
  s.ungraded_points =
      round_points(step.points.total() - round_points(step.points.total() - s.ungraded_points * scale));
  by.sentence = fmt::format("not measured; {} of {} points for everything else count as {} of {}",
                            points(by.points), points(by.of), points(s.points), points(s.max_points));
  s.in_place = std::move(by);
}

std::string add_predicted_points(StepScore &s, const course::Step &step, const course::Thresholds &thresholds,
                                 const grading::StepRecord &record) {
  if (!record.predicted) return "its speed was not predicted";
  const grading::PredictedRecord &p = *record.predicted;
  if (!p.why_not.empty()) return "its speed could not be predicted: " + p.why_not;
  if (p.gpu != thresholds.gpu)
    return fmt::format("its speed was predicted for {}, and the thresholds are those of {}", p.gpu,
                       thresholds.gpu.empty() ? "any GPU" : thresholds.gpu);
  const course::StepThresholds *const t = thresholds.find(step.id);
  if (t == nullptr) return "no threshold for this step";
  if (!(p.size == t->size))
    return fmt::format("its speed was predicted at {}, and the threshold is for {}",
                       step.problem->case_name(p.size), step.problem->case_name(t->size));
  const auto library = p.library_rate
                           ? std::optional(judge::Rate{*p.library_rate, *p.library_rate, *p.library_rate})
                           : std::nullopt;
  const auto pass = judge::bar_of(t->pass, library), full = judge::bar_of(t->full, library);
  if (!pass || !full)
    return fmt::format("its thresholds are shares of {}, which nobody measured on {}",
                       problem::name_of(step.problem->library()), p.gpu);
  const auto rate = [&](double seconds) { return step.problem->work(p.size) / seconds / 1e9; };
  InPlaceOfSpeed by{course::WithoutGpu::predicted,
                    performance_points(step.points.fast, rate(p.seconds), pass->value, full->value),
                    step.points.fast, ""};
  s.points += by.points;
  by.sentence =
      fmt::format("{:.0f} {} predicted for {} at {} ({:.0f} to {:.0f}, model {}), not measured: {}/{} points",
                  rate(p.seconds), step.problem->rate_unit(), p.gpu, step.problem->case_name(p.size),
                  rate(p.high), rate(p.low), p.model, points(round_points(by.points)), points(by.of));
  s.in_place = std::move(by);
  return "";
}

}  // namespace warpgrade::score
