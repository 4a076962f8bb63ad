#include "predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "course/gpu.hpp"
#include "report/prediction.hpp"
#include "setup/files.hpp"
#include "setup/sizes.hpp"

namespace warpgrade::bench {

namespace {

std::vector<predict::Machine> machines_of(const std::vector<std::string> &named, const Course &course) {
  const std::vector<course::Gpu> known = course::read_gpus(course.root / "assignments");
  std::vector<std::string> wanted = named;
  if (wanted.empty())
    for (const course::Thresholds &t : course::read_all_thresholds(
             course.root / "assignments" / course.assignment.name, course.assignment)) {
      const std::string id = std::filesystem::path(t.file).stem().string();
      if (course::find_gpu(known, id) != nullptr) wanted.push_back(id);
    }
  if (wanted.empty())
    throw UsageError("which GPU? The course has no thresholds for one: say --gpu nvidia-t4");
  std::vector<predict::Machine> machines;
  for (const std::string &name : wanted) {
    const course::Gpu *gpu = course::find_gpu(known, name);
    if (gpu == nullptr) {
      std::vector<std::string> ids;
      for (const course::Gpu &g : known) ids.push_back(g.id);
      throw UsageError(fmt::format("--gpu {}: no such GPU (known: {})", name, fmt::join(ids, ", ")));
    }
    const auto machine = predict::machine_of(*gpu);
    if (!machine)
      throw UsageError(fmt::format("--gpu {}: cannot predict: nothing is known about compute capability {}",
                                   name, gpu->compute_capability));
    machines.push_back(*machine);
  }
  return machines;
}

/// The architecture of the GPU, or the course's where that is newer: older machine code cannot be made of it.
std::string machine_code_for(const course::Assignment &a, const course::Gpu &gpu) {
  const int here = static_cast<int>(std::lround(10 * std::stod(gpu.compute_capability)));
  const std::size_t digits = a.arch.find_first_of("0123456789");
  const int least = digits == std::string::npos ? 0 : std::stoi(a.arch.substr(digits));
  return fmt::format("sm_{}", std::max(here, least));
}

/// The rate of cuBLAS at this size, as the course's own measurements on this GPU have it.
std::optional<double> cublas_of(const Course &course, const course::Gpu &gpu, const course::Step &step,
                                const problem::Case &size) {
  using Json = nlohmann::json;
  const auto file =
      course.root / "handouts" / "measured" / fmt::format("{}-{}.json", course.assignment.name, gpu.id);
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string text = read_whole(file);
  const Json measured = Json::parse(text, nullptr, false);
  if (!measured.is_object() || !measured.contains("points")) return std::nullopt;
  for (const Json &point : measured.at("points")) {
    bool same = point.contains("cublas_gflops") && point.at("cublas_gflops").is_number();
    for (std::size_t i = 0; same && i < size.integers.size(); ++i) {
      const std::string &name = step.problem->integers()[i].name;
      same = point.contains(name) && point.at(name).is_number() &&
             point.at(name).get<std::int64_t>() == size.integers[i];
    }
    if (same) return point.at("cublas_gflops").get<double>();
  }
  return std::nullopt;
}

/// What bandwidth and peak alone allow: the bytes that the GPU's memory must move at least.
double under_roof(const course::Step &step, const problem::Case &size, const predict::Prediction &p,
                  const course::Gpu &gpu) {
  double bytes = 0;
  for (const predict::LaunchPrediction &l : p.launches) bytes += l.dram_bytes;
  if (bytes <= 0) return 0;
  return std::min(gpu.peak_gflops, step.problem->flops(size) / bytes * gpu.memory_gb_per_s);
}

std::vector<problem::Case> cases_of(const PredictOptions &w, const course::Step &step) {
  std::vector<problem::Case> cases;
  for (const std::int64_t n : sizes_of(w.sizes))
    cases.push_back(case_of(step, problem::all_sizes(*step.problem, n)));
  if (const std::string &one = w.common.one.empty() ? w.common.size : w.common.one; !one.empty()) try {
      cases.push_back(case_of(step, problem::parse_given(*step.problem, one)));
    } catch (const std::invalid_argument &e) {
      throw UsageError(e.what());
    }
  if (cases.empty()) cases.push_back(case_of(step, problem::all_sizes(*step.problem, 2048)));
  return cases;
}

}  // namespace

int predict(const PredictOptions &w) {
  const Course course = open_course(w.common, w.steps);
  const course::Assignment &a = course.assignment;
  std::vector<const course::Step *> steps = pick_steps(a, w.steps);
  std::erase_if(steps, [](const auto *s) { return !s->has_kernel(); });
  if (steps.empty()) throw UsageError("a file of answers has no kernel to predict");
  const std::vector<predict::Machine> machines = machines_of(w.gpus, course);
  const auto here = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                    toolchain_named(w.common.toolchain));
  std::vector<report::PredictedPoint> points;
  bool any = false;
  for (const predict::Machine &machine : machines) {
    grading::Options options = grading_options(w.common, a);
    options.machine_code = machine_code_for(a, machine.gpu);
    const grading::Grader grader(a, here->environment, options);
    for (const course::Step *step : steps) {
      const build::Build build = grader.build(*step, course.submission);
      for (const problem::Case &size : cases_of(w, *step)) {
        report::PredictedPoint point;
        point.step = step->id, point.file = step->file, point.gpu = machine.gpu.name;
        point.problem = step->problem, point.size = size;
        try {
          grading::SampledCall sampled = grader.sample(*step, build, size);
          predict::Call call{&build.module,
                             std::move(sampled.launches),
                             std::move(sampled.samples),
                             std::move(sampled.buffer_bytes),
                             build.registers,
                             build.spill_bytes.value_or(0),
                             {}};
          for (const ptx::MachineCode &code : build.machine_code)
            call.spills[code.function] = code.local_per_fma;
          point.prediction = predict::predict(call, machine);
          point.cublas = cublas_of(course, machine.gpu, *step, size);
          point.roofline = under_roof(*step, size, point.prediction, machine.gpu);
        } catch (const std::runtime_error &e) {
          point.prediction.why_not = e.what();
        }
        any = any || point.prediction.why_not.empty();
        points.push_back(std::move(point));
      }
    }
  }
  std::cout << report::predictions_to_terminal(a.name, points, terminal_style()) << std::flush;
  if (!w.json.empty()) write_whole(w.json, report::predictions_to_json(a.name, points));
  return any ? full_score : below;
}

}  // namespace warpgrade::bench
