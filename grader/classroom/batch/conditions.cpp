#include "batch/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/json_fields.hpp"
#include "batch/content.hpp"
#include "build/files.hpp"
#include "grading/record_fields.hpp"
#include "predict/for_points.hpp"

namespace warpgrade::json {
template <>
struct Codec<course::Permission> {
  static Json write(course::Permission p) { return static_cast<int>(p); }
};
}  // namespace warpgrade::json

namespace warpgrade::course {
WARPGRADE_FIELDS(Case, name, values, visibility, gpu_only, advisory)
WARPGRADE_FIELDS(Rules::OutputsPerThread, at_least, on, near)
WARPGRADE_FIELDS(Rules, shared_memory, tensor_cores_forbidden, low_precision_forbidden, atomics_forbidden,
                 static_shared_bytes, outputs_per_thread)
WARPGRADE_FIELDS(Limits::Compile, wall_seconds, cpu_seconds, memory_bytes, file_bytes, log_bytes)
WARPGRADE_FIELDS(Limits::Record, wall_seconds, cpu_seconds, memory_bytes, output_bytes)
WARPGRADE_FIELDS(Limits::Plan, plan_bytes, operations, launches, buffers, scratch_bytes, threads)
WARPGRADE_FIELDS(Limits::Simulate, warp_instructions, printed_bytes, memory_bytes)
WARPGRADE_FIELDS(Limits, compile, record, plan, simulate, gpu_wall_seconds, step_wall_seconds)
WARPGRADE_FIELDS(Timing, least_samples, most_samples, interval, seconds)
}  // namespace warpgrade::course

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;
using json::Json;

/// Files below a folder with their hashes, by name. `suffix`: of those that matter; empty: all.
Json hashes(const fs::path &folder, const std::string &suffix) {
  Json found = Json::object();
  std::error_code none;
  for (const auto &entry : fs::recursive_directory_iterator(folder, none))
    if (entry.is_regular_file() && (suffix.empty() || entry.path().extension() == suffix))
      found[fs::relative(entry.path(), folder).string()] = hash_of(read_or_empty(entry.path()));
  return found;
}

/// Headers and the Makefile: what student files are compiled with.
std::string starter_hash(const fs::path &starter) {
  Json files = Json::object();
  for (const fs::path &name : build::support_files(starter))
    files[name.string()] = hash_of(read_or_empty(starter / name));
  return hash_of(files.dump());
}

Json step_conditions(const course::Step &step) {
  // A new field of a step must be sorted in here: is it a condition, or does it only make points?
  [[maybe_unused]] const auto &[id, title, file, entry, headers, arch, problem, with, counters_on,
                                counters_near, extra_credit, beyond, points, rules, counter_checks, cases,
                                questions, hunt, viva, proof, links] = step;
  Json conditions = {{"file", step.file},
                     {"entry", step.entry},
                     {"arch", step.arch},
                     {"problem", std::string(step.problem->name())},
                     {"counters", json::write(step.counters_on)},
                     {"counters near", json::write(step.counters_near)},
                     {"rules", json::write(step.rules)},
                     {"cases", json::write(step.cases)}};
  if (!headers.empty()) conditions["headers"] = headers;
  if (links != course::default_links) conditions["links"] = links;
  if (!proof.empty()) conditions["proof"] = true;
  if (hunt) conditions["hunt"] = {hunt->most_changes, hunt->first_line, hunt->last_line, hunt->causes};
  for (const course::Question &q : step.questions) {
    Json facts = Json::array();
    for (const course::Fact &fact : q.facts) facts.push_back({json::write(fact.on), fact.value});
    conditions["questions"].push_back({q.id, q.ask, std::string(course::name_of(q.count)), std::move(facts)});
  }
  return conditions;
}

}  // namespace

Grading grading_of(const ClassSetup &setup, const course::Step &step) {
  const course::Assignment &a = *setup.assignment;
  Json conditions = step_conditions(step);
  conditions["version"] = setup.version;
  conditions["compiler"] = setup.front_end;
  conditions["tolerance"] = json::write(a.tolerance);
  conditions["limits"] = json::write(a.limits);
  conditions["starter"] = starter_hash(setup.starter);
  if (step.hunt) conditions["fault"] = hash_of(read_or_empty(setup.starter / step.path()));
  conditions["seed"] = setup.seed;
  conditions["device"] = setup.device.gpu ? setup.device.name : "simulator";
  if (setup.device.gpu) {
    const course::StepThresholds *timed = setup.thresholds->find(step.id);
    conditions["timing"] = json::write(a.timing);
    conditions["timed size"] = timed ? json::write(timed->size) : Json();
  }
  if (step.points.fast > 0 && predict::earns_points(a, setup.device.gpu)) {
    const course::StepThresholds *timed = setup.thresholds->find(step.id);
    const fs::path gpu = setup.assignment_folder / ".." / "gpus" / (a.predict_for + ".yaml");
    conditions["prediction"] = {{"gpu", a.predict_for},
                                {"file", hash_of(read_or_empty(gpu))},
                                {"model", predict::model_version},
                                {"size", timed ? json::write(timed->size) : Json()}};
  }
  const Json provenance = {{"files", hashes(setup.assignment_folder, ".yaml")}, {"sandbox", setup.sandbox}};
  return {step.id, hash_of(conditions.dump()), conditions.dump(), provenance.dump(), setup.device};
}

std::string fingerprint_of(const ClassSetup &setup) {
  std::string all;
  for (const course::Step &step : setup.assignment->steps)
    if (!step.beyond) all += grading_of(setup, step).fingerprint;
  if (const std::string &file = setup.assignment->variants; !file.empty())
    all += hash_of(read_or_empty(setup.assignment_folder / file));
  return hash_of(all);
}

std::string difference(const std::string &conditions, const std::string &other) {
  const Json a = Json::parse(conditions), b = Json::parse(other);
  std::vector<std::string> keys;
  for (const Json &both : {a, b})
    for (const auto &[key, value] : both.items())
      if (a.value(key, Json()) != b.value(key, Json()) &&
          std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

}  // namespace warpgrade::batch
