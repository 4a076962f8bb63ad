// Thresholds for GPUs that nobody has measured yet, from the predicted times of the solutions.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "authoring/calibrate.hpp"
#include "authoring/threshold_lines.hpp"
#include "predict/step.hpp"
#include "setup/files.hpp"

namespace warpgrade::authoring {

namespace {

namespace fs = std::filesystem;

std::string step_line(const course::Assignment &a, const course::StepThresholds &any,
                      const predict::StepPrediction &p) {
  const course::Step &step = find_step(a, any.step);
  if (!p.prediction.why_not.empty()) {
    const std::string_view library =
        any.pass.of_library ? problem::word_of(step.problem->library()) : std::string_view();
    return fmt::format("  # not predicted: {}\n  {}: {{size: {}, pass: {}, full: {}}}\n",
                       p.prediction.why_not, step.id, size_text(step, any.size),
                       threshold_text(any.pass.value, library), threshold_text(any.full.value, library));
  }
  // The longest time is the lowest rate.
  const double low = p.rate(p.prediction.high), high = p.rate(p.prediction.low);
  return fmt::format("  {}: {{size: {}, pass: {}, full: {}, predicted: [{:.0f}, {:.0f}]}}\n", step.id,
                     size_text(step, p.size), threshold_text(rounded(low * a.calibration.pass), ""),
                     threshold_text(rounded(low * a.calibration.full), ""), low, high);
}

/// Ids of assignments/gpus, without those for which somebody has measured or chosen thresholds.
std::vector<std::string> without_thresholds(const fs::path &root, const course::Assignment &a) {
  std::set<std::string> have;
  for (const course::Thresholds &t : course::read_all_thresholds(root / "assignments" / a.name, a))
    if (!t.predicted()) have.insert(t.gpu_id);
  std::vector<std::string> ids;
  for (const course::Gpu &gpu : course::read_gpus(root / "assignments"))
    if (!have.contains(gpu.id)) ids.push_back(gpu.id);
  return ids;
}

/// A file with other thresholds than predicted ones is somebody's work.
void refuse_to_replace(const fs::path &root, const course::Assignment &a, const std::string &gpu) {
  for (const course::Thresholds &t : course::read_all_thresholds(root / "assignments" / a.name, a))
    if (t.gpu_id == gpu && !t.predicted())
      throw UsageError(fmt::format(
          "assignments/{}/thresholds/{} was not predicted, and stays as it is; --out writes another file",
          a.name, t.file));
}

/// Predicts the timed steps of the solutions, each built once.
class Solutions {
 public:
  Solutions(const CalibrateOptions &w, const Course &course)
      : course_(course),
        machine_(look_at_machine(course.root, course.assignment, DeviceChoice::simulator,
                                 !w.common.no_sandbox, toolchain_named(w.common.toolchain))),
        grader_(course.assignment, machine_->environment, {}),
        predictor_(course.root, course.assignment) {}

  const predict::Predictor &predictor() const { return predictor_; }

  std::vector<predict::StepPrediction> on(const predict::Machine &machine, const course::Thresholds &any) {
    std::vector<predict::StepPrediction> all;
    for (const course::StepThresholds &t : any.steps) {
      const course::Step &step = find_step(course_.assignment, t.step);
      auto build = builds_.find(step.id);
      if (build == builds_.end())
        build = builds_.emplace(step.id, grader_.build(step, course_.submission)).first;
      const auto size = predictor_.timed_size(machine, step);
      all.push_back(predictor_.predict(grader_, step, build->second, size ? *size : t.size, machine));
    }
    return all;
  }

 private:
  const Course &course_;
  std::unique_ptr<Machine> machine_;
  grading::Grader grader_;
  predict::Predictor predictor_;
  std::map<std::string, build::Build> builds_;
};

predict::Machine machine_named(const predict::Predictor &predictor, const std::string &gpu) {
  try {
    return predictor.machine(gpu);
  } catch (const std::invalid_argument &e) {
    std::string message = e.what();
    if (message.starts_with("--gpu")) message.replace(0, 5, "--predict");
    throw UsageError(message);
  }
}

}  // namespace

std::string predicted_yaml(const course::Assignment &a, const course::Thresholds &any,
                           const std::vector<predict::StepPrediction> &predictions, const course::Gpu &gpu) {
  std::string text = fmt::format(
      "# Nobody has measured these: `gradebook calibrate {} --predict {}` took {:g} and {:g} of the lowest "
      "rate\n"
      "# at which the model of docs/prediction.md expects the course's own file on the {}, `predicted: "
      "[lowest, "
      "highest]`.\n"
      "# `gradebook calibrate {}` on that GPU measures them.\n"
      "gpu: {}\nsource: predicted\nmodel: \"{}\"\nsteps:\n",
      a.name, gpu.id, a.calibration.pass, a.calibration.full, gpu.name, a.name, gpu.id,
      predict::model_version);
  for (std::size_t i = 0; i < any.steps.size(); ++i) text += step_line(a, any.steps[i], predictions.at(i));
  return text;
}

int calibrate_predicted(const CalibrateOptions &options) {
  CalibrateOptions w = options;
  const fs::path root = find_root();
  w.common.submission = fs::relative(root / "solutions" / w.common.assignment).string();
  const Course course = open_course(w.common, {});
  const course::Assignment &a = course.assignment;
  const course::Thresholds any = course::read_all_thresholds(root / "assignments" / a.name, a).back();
  std::vector<std::string> ids = w.predict;
  if (ids == std::vector<std::string>{"all"}) ids = without_thresholds(root, a);
  if (!w.out.empty() && ids.size() > 1) throw UsageError("--out names one file, for one GPU");
  Solutions solutions(w, course);
  std::vector<predict::Machine> machines;
  for (const std::string &id : ids) machines.push_back(machine_named(solutions.predictor(), id));
  if (w.out.empty())
    for (const predict::Machine &machine : machines) refuse_to_replace(root, a, machine.gpu.id);
  bool all_written = true;
  for (const predict::Machine &machine : machines) {
    const fs::path file =
        !w.out.empty()
            ? fs::path(w.out)
            : fs::relative(root / "assignments" / a.name / "thresholds" / (machine.gpu.id + ".yaml"));
    const std::vector<predict::StepPrediction> made = solutions.on(machine, any);
    const auto ours =
        std::find_if(made.begin(), made.end(), [](const predict::StepPrediction &p) { return p.ours; });
    if (ours != made.end()) {
      fmt::print(stderr, "gradebook: {} is not written, since {} was not predicted: {}\n", file.string(),
                 ours->step, ours->prediction.why_not);
      all_written = false;
      continue;
    }
    if (write_after_a_look(file, predicted_yaml(a, any, made, machine.gpu), w.yes))
      fmt::print("{} is written.\n", file.string());
    else
      all_written = false;
  }
  return all_written ? full_score : below;
}

}  // namespace warpgrade::authoring
