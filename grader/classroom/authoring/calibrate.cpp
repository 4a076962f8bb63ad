#include "authoring/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <iostream>
#include <set>

#include "authoring/authoring.hpp"
#include "authoring/threshold_lines.hpp"
#include "base/statistics.hpp"
#include "report/conditions.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"

namespace warpgrade::authoring {

namespace {

double rate(const course::Assignment &a, const grading::BenchPoint &p, const std::vector<double> &seconds,
            double q) {
  return find_step(a, p.step).problem->work(p.size) / quantile(seconds, q) / 1e9;
}

std::string step_line(const course::Assignment &a, const course::StepThresholds &before,
                      const grading::BenchPoint &p) {
  const double median = rate(a, p, p.performance->seconds, 0.5);
  // Of a product, a rate stays a rate: its author chose between them.
  const bool wanted = before.pass.of_library || !find_step(a, p.step).problem->is_product();
  const bool shares = wanted && !p.performance->library_seconds.empty();
  const double of = shares ? median / rate(a, p, p.performance->library_seconds, 0.5) : median;
  const course::Step &step = find_step(a, p.step);
  const std::string_view library = shares ? problem::word_of(step.problem->library()) : "";
  return fmt::format("  {}: {{size: {}, pass: {}, full: {}}}\n", p.step, size_text(step, p.size),
                     threshold_text(rounded(of * a.calibration.pass), library),
                     threshold_text(rounded(of * a.calibration.full), library));
}

/// "GFLOPS", or the units of all that was measured.
std::string units_of(const course::Assignment &a, const std::vector<grading::BenchPoint> &points) {
  std::set<std::string_view> units;
  for (const grading::BenchPoint &p : points) units.insert(find_step(a, p.step).problem->rate_unit());
  return fmt::format("{}", fmt::join(units, " or "));
}

bool agreed() {
  fmt::print("Replace it? [y/N] ");
  std::fflush(stdout);
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "yes");
}

}  // namespace

std::string file_stem(const std::string &gpu_name) {
  std::string stem;
  for (const char c : gpu_name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem.empty() ? "gpu" : stem;
}

std::string calibrated_yaml(const course::Assignment &a, const course::Thresholds &before,
                            const std::vector<grading::BenchPoint> &points, const gpu::DeviceInfo &gpu,
                            const std::string &date) {
  std::string text = fmt::format(
      "# Thresholds that `gradebook calibrate` proposed on {}: {:g} and {:g} of what the solutions reached "
      "on one {}\n"
      "# (driver {}). Median {}, with the tenth and ninetieth percentile:\n",
      date, a.calibration.pass, a.calibration.full, gpu.name, gpu.driver_version, units_of(a, points));
  for (const grading::BenchPoint &p : points) {
    text += fmt::format("#   {:<8} {:>7.0f}  {:.0f} to {:.0f}, {} samples", p.step,
                        rate(a, p, p.performance->seconds, 0.5), rate(a, p, p.performance->seconds, 0.9),
                        rate(a, p, p.performance->seconds, 0.1), p.performance->seconds.size());
    if (!p.performance->library_seconds.empty())
      text += fmt::format("; {} {:.0f}", problem::name_of(find_step(a, p.step).problem->library()),
                          rate(a, p, p.performance->library_seconds, 0.5));
    text += "\n";
    if (const std::string gpu_was = report::conditions_text(score::conditions_of(*p.performance));
        !gpu_was.empty())
      text += fmt::format("#            {}\n", gpu_was);
  }
  if (!before.gpu_id.empty()) {
    text += fmt::format("gpu: {}\n", before.gpu_id);
  } else {
    text += fmt::format("gpu: {{match: \"{}*\"", gpu.name);
    if (before.peak_gflops) text += fmt::format(", peak_gflops: {:g}", *before.peak_gflops);
    if (before.memory_gb_per_s) text += fmt::format(", memory_gb_per_s: {:g}", *before.memory_gb_per_s);
    text += "}\n";
  }
  text += "source: measured\nsteps:\n";
  for (const grading::BenchPoint &p : points) text += step_line(a, *before.find(p.step), p);
  return text;
}

std::string line_difference(const std::string &before, const std::string &after) {
  const std::vector<std::string> old_lines = lines_of(before), new_lines = lines_of(after);
  const std::set<std::string> olds(old_lines.begin(), old_lines.end()),
      news(new_lines.begin(), new_lines.end());
  std::string text;
  for (const std::string &line : old_lines)
    if (!news.contains(line)) text += "- " + line + "\n";
  for (const std::string &line : new_lines)
    if (!olds.contains(line)) text += "+ " + line + "\n";
  return text;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

bool write_after_a_look(const std::filesystem::path &file, const std::string &text, bool yes) {
  if (std::filesystem::exists(file)) {
    fmt::print("{} would change:\n{}", file.string(), line_difference(read_whole(file), text));
    if (!yes && (!isatty(STDIN_FILENO) || !agreed())) {
      fmt::print("Nothing was written; --yes replaces it.\n");
      return false;
    }
  } else {
    fmt::print("{}", text);
  }
  write_whole(file, text);
  return true;
}

namespace {

/// What the model of docs/prediction.md had said, beside what was measured.
void compare_with_prediction(const course::Assignment &a, const course::Thresholds &before,
                             const std::vector<grading::BenchPoint> &points) {
  for (const grading::BenchPoint &p : points)
    if (const course::StepThresholds *t = before.find(p.step); t && t->predicted)
      fmt::print("{}: predicted {:.0f} to {:.0f} {}, measured {:.0f}\n", p.step, t->predicted->first,
                 t->predicted->second, find_step(a, p.step).problem->rate_unit(),
                 rate(a, p, p.performance->seconds, 0.5));
}

}  // namespace

int calibrate(CalibrateOptions w) {
  const std::filesystem::path root = find_root();
  if (w.common.assignment.empty()) w.common.assignment = guess_assignment(root, {});
  if (!w.predict.empty()) return calibrate_predicted(w);
  w.common.submission = std::filesystem::relative(root / "solutions" / w.common.assignment).string();
  const Course course = open_course(w.common, {});
  const course::Assignment &a = course.assignment;
  const auto machine = look_at_machine(course.root, a, DeviceChoice::automatic, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  if (!machine->environment.gpu)
    throw UsageError("thresholds are measured on a GPU, and none is usable here: " +
                     machine->environment.why_no_gpu);
  const grading::Grader grader(a, machine->environment, {});
  std::vector<grading::BenchPoint> points;
  for (const course::Step &step : a.steps) {
    const course::StepThresholds *before = machine->thresholds.find(step.id);
    if (!before) continue;
    fmt::print("{} at {}\n", step.id, step.problem->case_name(before->size));
    points.push_back(grader.bench(step, grader.build(step, course.submission), before->size));
    if (!points.back().performance) {
      fmt::print("{} could not be measured: {}\nNothing was written.\n", step.id, points.back().why_not);
      return below;
    }
  }
  compare_with_prediction(a, machine->thresholds, points);
  const gpu::DeviceInfo &gpu = *machine->environment.gpu;
  const std::filesystem::path folder =
      std::filesystem::relative(root / "assignments" / a.name / "thresholds");
  const bool has_own = machine->thresholds.match != "*";
  const std::filesystem::path file =
      !w.out.empty() ? std::filesystem::path(w.out)
                     : folder / (has_own ? machine->thresholds.file : file_stem(gpu.name) + ".yaml");
  const std::string text = calibrated_yaml(a, machine->thresholds, points, gpu, today());
  if (!write_after_a_look(file, text, w.yes)) return below;
  fmt::print("{} is written; 'gradebook lint {}' checks it.\n", file.string(), a.name);
  return full_score;
}

}  // namespace warpgrade::authoring
