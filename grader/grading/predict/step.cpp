#include "predict/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/files.hpp"
#include "base/wire.hpp"
#include "build/answers.hpp"
#include "plan/request.hpp"
#include "predict/store.hpp"
#include "ptx/architecture.hpp"

namespace warpgrade::predict {

namespace {

/// Less than a second of one core.
constexpr grading::SampleCost a_second = {40'000'000, 3e8};

bool uses_tensor_cores(const Call &call) {
  for (const run::SampledLaunch &launch : call.launches)
    for (const run::SampledBlock &block : launch.blocks)
      if (block.counters.tensor_flops > 0) return true;
  return false;
}

/// The GPU's peak for this problem's arithmetic; nothing where it is unknown.
std::optional<double> peak_of(const problem::Problem &problem, const course::Gpu &gpu) {
  if (!problem.on_tensor_cores()) return gpu.peak_gflops;
  if (!gpu.tensor_gflops) return std::nullopt;
  return *gpu.tensor_gflops * problem.over_half_precision();
}

/// Nothing is faster than the GPU's peak, or its memory where a rate counts bytes.
void bound(Prediction &p, const Call &call, const problem::Problem &problem, const problem::Case &size,
           const course::Gpu &gpu) {
  const bool bytes = problem.rate_unit() == "GB/s";
  const std::optional<double> peak = peak_of(problem, gpu);
  if (!bytes && (!peak || (uses_tensor_cores(call) && !problem.on_tensor_cores()))) return;
  const double least = problem.work(size) / (bytes ? gpu.memory_gb_per_s : *peak) / 1e9;
  for (double *seconds : {&p.low, &p.seconds, &p.high}) *seconds = std::max(*seconds, least);
}

/// The work per second if the GPU did nothing but this arithmetic, or moved nothing but these bytes.
double under_roof(const problem::Problem &problem, const problem::Case &size, const Prediction &p,
                  const course::Gpu &gpu) {
  double bytes = 0;
  for (const LaunchPrediction &l : p.launches) bytes += l.dram_bytes;
  const std::optional<double> peak = peak_of(problem, gpu);
  if (bytes <= 0 || !peak) return 0;
  const double seconds = std::max(problem.flops(size) / *peak, bytes / gpu.memory_gb_per_s) / 1e9;
  return problem.work(size) / seconds / 1e9;
}

}  // namespace

std::string library_rates(const std::string &measured, const course::Assignment &a) {
  using Json = nlohmann::ordered_json;
  const Json all = Json::parse(measured, nullptr, false);
  std::set<std::string> kept = {"cublas_gflops"};
  for (const course::Step &s : a.steps)
    if (s.problem != nullptr)
      for (const auto &n : s.problem->integers()) kept.insert(std::string(n.name));
  Json points = Json::array();
  if (all.is_object() && all.contains("points"))
    for (const Json &point : all.at("points")) {
      if (!point.contains("cublas_gflops") || !point.at("cublas_gflops").is_number()) continue;
      Json rate = Json::object();
      for (const auto &[key, value] : point.items())
        if (kept.contains(key)) rate[key] = value;
      points.push_back(std::move(rate));
    }
  if (points.empty()) return "";
  return Json{{"schema", "warpgrade.library/1"}, {"assignment", a.name}, {"points", points}}.dump(1) + "\n";
}

double StepPrediction::rate(double seconds) const {
  return seconds > 0 ? problem->work(size) / seconds / 1e9 : 0;
}

Predictor::Predictor(std::filesystem::path root, const course::Assignment &a,
                     std::vector<course::Thresholds> thresholds)
    : root_(std::move(root)),
      assignment_(a),
      gpus_(course::read_gpus(root_ / "assignments")),
      thresholds_(std::move(thresholds)) {}

const std::vector<course::Thresholds> &Predictor::thresholds() const {
  const std::scoped_lock lock(reading_);
  if (thresholds_.empty())
    thresholds_ = course::read_all_thresholds(root_ / "assignments" / assignment_.name, assignment_);
  return thresholds_;
}

std::optional<course::Gpu> Predictor::find_gpu(const std::string &gpu) const {
  if (gpu.ends_with(".yaml")) return course::read_gpu(gpu);
  const course::Gpu *known = course::find_gpu(gpus_, gpu);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

std::optional<Machine> Predictor::find_machine(const std::string &gpu) const {
  const auto known = find_gpu(gpu);
  return known ? machine_of(*known) : std::nullopt;
}

Machine Predictor::machine(const std::string &gpu) const {
  const auto known = find_gpu(gpu);
  if (!known) {
    std::vector<std::string> ids;
    for (const course::Gpu &g : gpus_) ids.push_back(g.id);
    throw std::invalid_argument(fmt::format("--gpu {}: no such GPU (known: {})", gpu, fmt::join(ids, ", ")));
  }
  if (const auto machine = machine_of(*known)) return *machine;
  throw std::invalid_argument(
      fmt::format("--gpu {}: cannot predict: nothing is known about compute capability {}", gpu,
                  known->compute_capability));
}

std::vector<Machine> Predictor::machines() const {
  std::vector<Machine> all;
  for (const course::Thresholds &t : thresholds()) {
    // What was only predicted does not say that the course has such a GPU, unless predict_for names it.
    const bool chosen = !t.predicted() || t.gpu_id == assignment_.predict_for;
    if (const auto machine = find_machine(t.gpu_id); machine && chosen && !t.gpu_id.empty())
      all.push_back(*machine);
  }
  return all;
}

std::optional<problem::Case> Predictor::timed_size(const Machine &machine, const course::Step &step) const {
  const course::Thresholds there = course::choose_thresholds(
      thresholds(), root_ / "assignments" / assignment_.name, assignment_, machine.gpu.name);
  const course::StepThresholds *t = there.find(step.id);
  return t == nullptr ? std::nullopt : std::optional(t->size);
}

namespace {

/// The architecture of the GPU, or the step's where that is newer: older machine code cannot be made of it.
std::string architecture(const course::Gpu &gpu, const course::Step &step) {
  const int here = static_cast<int>(std::lround(10 * std::stod(gpu.compute_capability)));
  const ptx::Architecture arch(step.arch);
  if (arch.exact && arch.capability != here)
    throw std::runtime_error(fmt::format("it is compiled for {}, and this GPU is sm_{}", step.arch, here));
  const int newer = std::max(here, arch.capability);
  return arch.machine_code(newer / 10, newer % 10);
}

}  // namespace

/// As the course's own measurements on this GPU have it.
std::optional<double> Predictor::cublas(const course::Gpu &gpu, const course::Step &step,
                                        const problem::Case &size) const {
  using Json = nlohmann::json;
  auto file = root_ / "handouts" / "measured" / fmt::format("{}-{}.json", assignment_.name, gpu.id);
  if (!std::filesystem::exists(file))
    file = root_ / "assignments" / assignment_.name / library_folder / (gpu.id + ".json");
  if (!std::filesystem::exists(file)) return std::nullopt;
  const Json measured = Json::parse(read_whole(file), nullptr, false);
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

namespace {

StepPrediction unpredicted(const course::Step &step, const problem::Case &size, const Machine &machine) {
  StepPrediction p;
  p.step = step.id, p.file = step.file;
  p.gpu = machine.gpu.name, p.gpu_id = machine.gpu.id;
  p.problem = step.problem, p.size = size;
  return p;
}

void put_gpu(Writer &to, const course::Gpu &g) {
  to.put_string(g.id).put_string(g.name).put_string(g.compute_capability).put(g.multiprocessors);
  to.put(g.clock_mhz).put(g.peak_gflops).put(g.tensor_gflops.value_or(0)).put(g.memory_gb_per_s);
  for (const auto *table : {&g.tensor, &g.measured}) {
    to.put<std::uint64_t>(table->size());
    for (const auto &[name, figure] : *table) to.put_string(name).put(figure);
  }
}

}  // namespace

void Predictor::keep_in(std::filesystem::path folder, std::uint64_t seed) {
  kept_in_ = std::move(folder);
  seed_ = seed;
}

/// The model and the simulator are this program. A launcher sees a device, the GPU that is here or the simulator's.
std::vector<std::byte> Predictor::question(const grading::Grader &grader, const course::Step &step,
                                           const build::Build &build, const problem::Case &size,
                                           const Machine &machine, Effort effort) const {
  Writer asked;
  asked.put_string("warpgrade prediction 2").put_string(model_version);
  build::put_identity(asked, build);
  asked.put_string(assignment_.name).put_string(step.id).put_string(step.arch);
  asked.put_string(step.problem->case_name(size)).put(effort).put(seed_);
  asked.put_bytes(plan::encode(grader.call(step, size), grading::record_limits(assignment_.limits).plan));
  asked.put(assignment_.limits.simulate.warp_instructions).put(assignment_.limits.plan.scratch_bytes);
  asked.put<std::uint8_t>(static_cast<bool>(further));
  put_gpu(asked, machine.gpu);
  return asked.bytes();
}

/// What is read from files of the course, which may have changed since.
void Predictor::complete(StepPrediction &p, const course::Step &step, const Machine &machine) const {
  if (!p.prediction.why_not.empty()) return;
  p.cublas = cublas(machine.gpu, step, p.size);
  p.roofline = under_roof(*step.problem, p.size, p.prediction, machine.gpu);
}

std::optional<StepPrediction> Predictor::known(const grading::Grader &grader, const course::Step &step,
                                               const build::Build &build, const problem::Case &size,
                                               const Machine &machine, Effort effort) const try {
  if (!kept_in_) return std::nullopt;
  std::optional<Kept> kept = Store(*kept_in_).find(question(grader, step, build, size, machine, effort));
  if (!kept) return std::nullopt;
  StepPrediction p = unpredicted(step, size, machine);
  p.prediction = std::move(kept->prediction);
  p.too_long = kept->too_long;
  complete(p, step, machine);
  return p;
} catch (const std::exception &) {
  return std::nullopt;
}

bool explain(StepPrediction &p, const grading::NotSampled &e, Predictor::Effort effort) {
  const bool briefly = effort == Predictor::Effort::a_second;
  p.prediction.why_not = e.what();
  const bool failed = e.end == run::End::fault || e.end == run::End::device_error;
  // Of an accepted step this would look like a mistake in it.
  if (briefly && failed)
    p.prediction.why_not =
        "a launch reads what other blocks have stored before, and a prediction runs a few of them only";
  p.too_long = briefly && e.end == run::End::time_limit;
  if (p.too_long) p.prediction.why_not = "a few of its blocks take too long to simulate while you wait";
  p.ours = e.end == run::End::our_failure;
  return e.end == run::End::fault || (p.too_long && !e.by_clock);
}

StepPrediction Predictor::predict(const grading::Grader &grader, const course::Step &step,
                                  const build::Build &build, const problem::Case &size,
                                  const Machine &machine, Effort effort) const {
  if (auto p = known(grader, step, build, size, machine, effort)) return std::move(*p);
  StepPrediction p = unpredicted(step, size, machine);
  const auto most = effort == Effort::a_second ? std::optional(a_second) : std::nullopt;
  bool lasting = true;
  try {
    const build::Build there = grader.with_machine_code(build, architecture(machine.gpu, step));
    grading::SampledCall sampled = grader.sample(step, there, size, most);
    Call call{&there.module,
              std::move(sampled.launches),
              std::move(sampled.samples),
              std::move(sampled.buffer_bytes),
              there.registers,
              there.spill_bytes.value_or(0),
              {},
              std::move(sampled.moves)};
    for (const ptx::MachineCode &code : there.machine_code) call.machine_code[code.function] = code;
    if (machine.architecture.tensor_flops == 0 && uses_tensor_cores(call))
      throw std::runtime_error("this GPU has no tensor cores");
    const Predicted predicted = [&](const Call &asked) {
      Prediction time = predict::predict(asked, machine);
      bound(time, asked, *step.problem, size, machine.gpu);
      return time;
    };
    p.prediction = predicted(call);
    if (!std::isfinite(p.prediction.seconds)) throw std::runtime_error("its counters give no time");
    if (further) further(call, predicted, p.prediction);
    complete(p, step, machine);
    // Machine code that could not be made today may be made tomorrow.
    lasting = !there.machine_code.empty() || !there.front_end.starts_with("nvcc");
  } catch (const grading::NotSampled &e) {
    lasting = explain(p, e, effort);
  } catch (const std::exception &e) {
    p.prediction = {};
    p.prediction.why_not = e.what();
    lasting = false;
  }
  if (kept_in_ && lasting)
    Store(*kept_in_).keep(question(grader, step, build, size, machine, effort), {p.prediction, p.too_long});
  return p;
}

}  // namespace warpgrade::predict
