#include "predict/for_points.hpp"

#include <fmt/format.h>

namespace warpgrade::predict {

bool earns_points(const course::Assignment &a, bool gpu) {
  return !gpu && a.without_gpu == course::WithoutGpu::predicted;
}

grading::PredictedRecord record_of(const StepPrediction &p) {
  const Prediction &x = p.prediction;
  return {p.gpu, model_version, p.size, x.seconds, x.low, x.high, p.cublas, x.why_not};
}

std::optional<grading::PredictedRecord> for_points(const Predictor &predictor, const grading::Grader &grader,
                                                   const course::Assignment &a, const course::Step &step,
                                                   const build::Build &build,
                                                   const grading::StepRecord &record) {
  if (record.verdict != judge::Verdict::accepted || step.points.fast == 0) return std::nullopt;
  grading::PredictedRecord none;
  none.model = model_version;
  const std::optional<Machine> machine = predictor.find_machine(a.predict_for);
  if (!machine) {
    none.why_not = fmt::format("nothing is known about {}", a.predict_for);
    return none;
  }
  const auto size = predictor.timed_size(*machine, step);
  if (!size) {
    none.why_not = fmt::format("{} has no threshold for this step", machine->gpu.name);
    return none;
  }
  return record_of(predictor.predict(grader, step, build, *size, *machine));
}

}  // namespace warpgrade::predict
