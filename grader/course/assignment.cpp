#include "course/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "course/name_pattern.hpp"
#include "course/read_case.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

constexpr double mebi = 1024.0 * 1024.0;

std::uint64_t mebibytes(const Yaml &y) {
  return static_cast<std::uint64_t>(y.real(1.0 / 1024, 1 << 20) * mebi);
}
std::uint64_t kibibytes(const Yaml &y) {
  return static_cast<std::uint64_t>(y.integer(1, 1 << 20)) * 1024;
}
std::uint64_t count(const Yaml &y) {
  return static_cast<std::uint64_t>(y.real(1, 1e18));
}
double seconds(const Yaml &y) {
  return y.real(0.01, 3600);
}

Limits read_limits(const Yaml &y) {
  y.expect_keys({"compile", "record", "plan", "simulate", "gpu", "archive"});
  Limits limits;
  const Yaml compile = y.at("compile");
  compile.expect_keys({"wall_seconds", "cpu_seconds", "memory_mib", "file_mib", "log_kib"});
  limits.compile = {seconds(compile.at("wall_seconds")), seconds(compile.at("cpu_seconds")),
                    mebibytes(compile.at("memory_mib")), mebibytes(compile.at("file_mib")),
                    kibibytes(compile.at("log_kib"))};
  const Yaml record = y.at("record");
  record.expect_keys({"wall_seconds", "cpu_seconds", "memory_mib", "output_kib"});
  limits.record = {seconds(record.at("wall_seconds")), seconds(record.at("cpu_seconds")),
                   mebibytes(record.at("memory_mib")), kibibytes(record.at("output_kib"))};
  const Yaml plan = y.at("plan");
  plan.expect_keys({"plan_mib", "operations", "launches", "buffers", "scratch_mib", "threads"});
  limits.plan = {mebibytes(plan.at("plan_mib")),    count(plan.at("operations")),
                 count(plan.at("launches")),        count(plan.at("buffers")),
                 mebibytes(plan.at("scratch_mib")), count(plan.at("threads"))};
  const Yaml simulate = y.at("simulate");
  simulate.expect_keys({"warp_instructions", "printed_kib"});
  limits.simulate = {count(simulate.at("warp_instructions")), kibibytes(simulate.at("printed_kib"))};
  const Yaml gpu = y.at("gpu");
  gpu.expect_keys({"wall_seconds"});
  limits.gpu_wall_seconds = seconds(gpu.at("wall_seconds"));
  return limits;
}

ArchiveLimits read_archive_limits(const Yaml &archive) {
  archive.expect_keys({"packed_mib", "unpacked_mib", "source_kib", "ratio", "ratio_from_kib", "entries",
                       "depth", "name_bytes", "memory_mib", "wall_seconds"});
  const auto whole = [&](const char *key, std::int64_t most) {
    return static_cast<std::uint64_t>(archive.at(key).integer(1, most));
  };
  return {mebibytes(archive.at("packed_mib")),
          mebibytes(archive.at("unpacked_mib")),
          kibibytes(archive.at("source_kib")),
          archive.at("ratio").real(1, 1e6),
          kibibytes(archive.at("ratio_from_kib")),
          whole("entries", 10'000'000),
          whole("depth", 10),
          whole("name_bytes", 4096),
          mebibytes(archive.at("memory_mib")),
          seconds(archive.at("wall_seconds"))};
}

Submissions read_submissions(const Yaml &y) {
  y.expect_keys({"layout", "pattern"});
  Submissions submissions;
  if (const auto pattern = y.find("pattern")) {
    if (y.has("layout")) y.at("layout").fail("'layout' and 'pattern' exclude each other; give one of them");
    submissions = {"pattern", pattern->text()};
    try {
      NamePattern(submissions.pattern, true);
    } catch (const PatternError &e) {
      pattern->fail(e.what());
    }
  } else {
    const Yaml layout = y.at("layout");
    const std::vector<std::string> names = layout_names();
    submissions.layout = layout.text();
    if (std::find(names.begin(), names.end(), submissions.layout) == names.end())
      layout.fail(
          fmt::format("there is no layout '{}' (there are: {})", submissions.layout, fmt::join(names, ", ")));
  }
  return submissions;
}

Rules read_rules(const Yaml &y, const problem::Problem &problem) {
  y.expect_keys(
      {"shared_memory", "tensor_cores", "low_precision", "static_shared_bytes", "outputs_per_thread"});
  Rules rules;
  if (const auto shared = y.find("shared_memory"))
    rules.shared_memory = shared->one_of({"required", "forbidden"}) == "required" ? Permission::required
                                                                                  : Permission::forbidden;
  if (const auto tensor = y.find("tensor_cores"))
    tensor->one_of({"forbidden"}), rules.tensor_cores_forbidden = true;
  if (const auto low = y.find("low_precision"))
    low->one_of({"forbidden"}), rules.low_precision_forbidden = true;
  if (const auto bytes = y.find("static_shared_bytes"))
    rules.static_shared_bytes = static_cast<std::uint64_t>(bytes->integer(0, 49152));
  if (const auto outputs = y.find("outputs_per_thread")) {
    outputs->expect_keys({"at_least", "on"});
    rules.outputs_per_thread = {outputs->at("at_least").real(0.01, 65536),
                                read_values(outputs->at("on"), problem, {})};
  }
  return rules;
}

using CaseSets = std::map<std::string, std::vector<Case>>;

CaseSets read_case_sets(const Yaml &y, const problem::Problem &problem, Visibility visibility) {
  CaseSets sets;
  for (const auto &[name, list] : y.entries()) {
    std::set<std::string> seen;
    for (const Yaml &item : list.items()) {
      Case c = read_case(item, problem, visibility);
      if (!seen.insert(c.name).second) item.fail(fmt::format("case '{}' is listed twice", c.name));
      sets[name].push_back(std::move(c));
    }
  }
  return sets;
}

Points read_points(const Yaml &y) {
  y.expect_keys({"correct", "fast", "counters"});
  Points points;
  points.correct = y.at("correct").real(0, 1e6);
  if (const auto fast = y.find("fast")) points.fast = fast->real(0, 1e6);
  if (const auto counters = y.find("counters")) points.counters = counters->real(0, 1e6);
  if (points.total() == 0) y.fail("a step needs points");
  return points;
}

/// sectors_per_load: {at_most: 4, points: 2}
std::vector<CounterCheck> read_counter_checks(const Yaml &y) {
  std::vector<CounterCheck> checks;
  for (const auto &[name, item] : y.entries()) {
    const auto measure = measure_of(name);
    if (!measure)
      item.fail(fmt::format("'{}' is no counter (there are: {})", name, fmt::join(measure_names(), ", ")));
    item.expect_keys({"at_most", "at_least", "points"});
    if (item.has("at_most") == item.has("at_least"))
      item.fail("a counter needs 'at_most' or 'at_least', and not both");
    CounterCheck check;
    check.measure = *measure;
    check.at_least = item.has("at_least");
    check.limit = item.at(check.at_least ? "at_least" : "at_most").real(0, 1e15);
    check.points = item.at("points").real(0, 1e6);
    checks.push_back(check);
  }
  return checks;
}

/// File names go to a compiler, and entries into a symbol: plain words only.
std::string plain_name(const Yaml &y, const char *pattern, const char *accepted) {
  std::string name = y.text();
  if (!std::regex_match(name, std::regex(pattern))) y.fail(fmt::format("'{}' is not {}", name, accepted));
  return name;
}

Step read_step(const Yaml &y, const problem::Problem &problem, const CaseSets &open, const CaseSets &hidden) {
  y.expect_keys(
      {"id", "title", "file", "entry", "points", "cases", "rules", "counters", "extra_credit", "beyond"});
  Step step;
  step.id = plain_name(y.at("id"), "[a-z][a-z0-9_]*", "a lower-case word");
  step.title = y.at("title").text();
  step.file = plain_name(y.at("file"), "[A-Za-z0-9][A-Za-z0-9_]*\\.cu", "the name of a .cu file");
  step.entry = plain_name(y.at("entry"), "[A-Za-z_][A-Za-z0-9_]*", "a C++ function name");
  if (const auto extra = y.find("extra_credit")) step.extra_credit = extra->boolean();
  if (const auto beyond = y.find("beyond")) step.beyond = beyond->boolean();
  if (step.beyond && y.has("points")) y.at("points").fail("a step beyond the course has no points");
  if (!step.beyond) step.points = read_points(y.at("points"));
  if (const auto counters = y.find("counters")) step.counter_checks = read_counter_checks(*counters);
  double counted = 0;
  for (const CounterCheck &check : step.counter_checks) counted += check.points;
  if (std::fabs(counted - step.points.counters) > 1e-9)
    y.at("points").fail(
        fmt::format("'counters' is {:g}, but the points under this step's 'counters' add up to {:g}",
                    step.points.counters, counted));
  if (const auto rules = y.find("rules")) step.rules = read_rules(*rules, problem);
  const Yaml cases = y.at("cases");
  const auto set = open.find(cases.text());
  if (set == open.end()) {
    std::string names;
    for (const auto &[name, list] : open) names += (names.empty() ? "" : ", ") + name;
    cases.fail(fmt::format("there is no case set '{}' (there are: {})", cases.text(), names));
  }
  step.cases = set->second;
  if (const auto more = hidden.find(set->first); more != hidden.end())
    step.cases.insert(step.cases.end(), more->second.begin(), more->second.end());
  if (std::all_of(step.cases.begin(), step.cases.end(), [](const Case &c) { return c.gpu_only; }))
    cases.fail(fmt::format("every case of '{}' waits for a GPU; at least one must run on the simulator",
                           set->first));
  return step;
}

void check_sum(const Yaml &declared, const std::string &what, double sum, double total) {
  if (std::fabs(sum - total) > 1e-9)
    declared.fail(fmt::format("{} is {:g}, but the steps add up to {:g}", what, total, sum));
}

void check_unique_steps(const Yaml &steps, const std::vector<Step> &all) {
  std::set<std::string> ids, files, entries;
  const std::vector<Yaml> items = steps.items();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!ids.insert(all[i].id).second) items[i].fail(fmt::format("step '{}' is listed twice", all[i].id));
    if (!files.insert(all[i].file).second)
      items[i].fail(fmt::format("file '{}' belongs to another step already", all[i].file));
  }
}

CaseSets read_hidden(const std::filesystem::path &file, const Assignment &a, const CaseSets &open) {
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "case_sets"});
  if (y.at("assignment").text() != a.name)
    y.at("assignment").fail(fmt::format("this is '{}', should be '{}'", y.at("assignment").text(), a.name));
  CaseSets hidden = read_case_sets(y.at("case_sets"), *a.problem, Visibility::hidden);
  for (const auto &[name, list] : y.at("case_sets").entries()) {
    const auto set = open.find(name);
    if (set == open.end()) list.fail(fmt::format("assignment.yaml has no case set '{}'", name));
    for (std::size_t i = 0; i < hidden[name].size(); ++i)
      for (const Case &c : set->second)
        if (c.name == hidden[name][i].name)
          list.items()[i].fail(fmt::format("case '{}' is in assignment.yaml already", c.name));
  }
  return hidden;
}

}  // namespace

std::vector<std::string> layout_names() {
  return {"auto", "plain", "id", "canvas", "moodle", "gradescope", "autolab"};
}

Assignment read_assignment(const std::filesystem::path &folder) {
  const Yaml y = Yaml::read(folder / "assignment.yaml");
  y.expect_keys({"assignment", "title", "problem", "points", "extra_credit", "seed", "arch", "tolerance",
                 "limits", "submissions", "timing", "calibration", "counters", "case_sets", "steps"});
  Assignment a;
  a.name = plain_name(y.at("assignment"), "[a-z][a-z0-9_-]*", "a lower-case word");
  const std::filesystem::path full = std::filesystem::weakly_canonical(folder);
  if (a.name != full.filename().string())
    y.at("assignment")
        .fail(fmt::format("this is '{}', but the folder is '{}'", a.name, full.filename().string()));
  a.title = y.at("title").text();
  a.problem = problem::find_problem(y.at("problem").text());
  if (!a.problem)
    y.at("problem").fail(fmt::format("there is no problem '{}' (there are: {})", y.at("problem").text(),
                                     fmt::join(problem::problem_names(), ", ")));
  a.points = y.at("points").real(0, 1e6);
  if (const auto extra = y.find("extra_credit")) a.extra_credit = extra->real(0, 1e6);
  a.seed = static_cast<std::uint64_t>(y.at("seed").integer(0, INT64_MAX));
  a.arch = plain_name(y.at("arch"), "compute_(7[5-9]|[89][0-9]|1[0-9][0-9])",
                      "a virtual architecture from compute_75 on");
  a.tolerance = y.at("tolerance").real(1e-16, 1);
  a.limits = read_limits(y.at("limits"));
  a.archive_limits = read_archive_limits(y.at("limits").at("archive"));
  if (const auto submissions = y.find("submissions")) a.submissions = read_submissions(*submissions);
  const Yaml timing = y.at("timing");
  timing.expect_keys({"least_samples", "most_samples", "interval", "seconds"});
  constexpr int fewest = 20, most = 100000;  // the interval of a median of fewer says little
  a.timing.least_samples = static_cast<int>(timing.at("least_samples").integer(fewest, most));
  a.timing.most_samples = static_cast<int>(timing.at("most_samples").integer(a.timing.least_samples, most));
  a.timing.interval = timing.at("interval").real(1e-6, 1);
  a.timing.seconds = seconds(timing.at("seconds"));

  if (const auto calibration = y.find("calibration")) {
    calibration->expect_keys({"pass", "full"});
    a.calibration = {calibration->at("pass").real(0.001, 1), calibration->at("full").real(0.001, 1)};
    if (a.calibration.full <= a.calibration.pass) calibration->fail("'full' must be more than 'pass'");
  }
  a.counters_on = read_values(y.at("counters"), *a.problem, {});

  const CaseSets open = read_case_sets(y.at("case_sets"), *a.problem, Visibility::open);
  CaseSets hidden;
  if (std::filesystem::exists(folder / "hidden.yaml")) {
    hidden = read_hidden(folder / "hidden.yaml", a, open);
    a.has_hidden_cases = true;
  }
  double sum = 0, extra = 0;
  for (const Yaml &item : y.at("steps").items()) {
    a.steps.push_back(read_step(item, *a.problem, open, hidden));
    (a.steps.back().extra_credit ? extra : sum) += a.steps.back().points.total();
  }
  check_unique_steps(y.at("steps"), a.steps);
  check_sum(y.at("points"), "'points'", sum, a.points);
  check_sum(y.has("extra_credit") ? y.at("extra_credit") : y, "'extra_credit'", extra, a.extra_credit);
  return a;
}

std::optional<std::filesystem::path> find_assignment(const std::filesystem::path &from,
                                                     const std::string &name) {
  std::filesystem::path at = std::filesystem::absolute(from);
  for (;; at = at.parent_path()) {
    const std::filesystem::path folder = at / "assignments" / name;
    if (std::filesystem::exists(folder / "assignment.yaml")) return folder;
    if (at == at.parent_path()) return std::nullopt;
  }
}

}  // namespace warpgrade::course
