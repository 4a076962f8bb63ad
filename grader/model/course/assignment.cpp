#include "course/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/did_you_mean.hpp"
#include "course/name_pattern.hpp"
#include "course/plain_name.hpp"
#include "course/read_case.hpp"
#include "course/read_questions.hpp"
#include "course/syllabus.hpp"
#include "course/yaml.hpp"
#include "links/topology.hpp"
#include "platforms/platform.hpp"
#include "prove/prove.hpp"

namespace warpgrade::course {

namespace {

constexpr double mebi = 1024.0 * 1024.0, most_limit = 1e15;

std::uint64_t mebibytes(const Yaml &y) {
  return static_cast<std::uint64_t>(y.real(1.0 / 1024, 1 << 20) * mebi);
}
std::uint64_t kibibytes(const Yaml &y) {
  return static_cast<std::uint64_t>(y.integer(1, 1 << 20)) * 1024;
}
std::uint64_t count(const Yaml &y, double most = 1e18) {
  return static_cast<std::uint64_t>(y.real(1, most));
}
/// Of a plan's parts, which are counted in 32 bits.
std::uint64_t count_of_parts(const Yaml &y) {
  return count(y, 1e9);
}
double seconds(const Yaml &y) {
  return y.real(0.01, 3600);
}

Limits read_limits(const Yaml &y) {
  y.expect_keys({"compile", "record", "plan", "simulate", "gpu", "step", "archive"});
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
  limits.plan = {mebibytes(plan.at("plan_mib")),      count_of_parts(plan.at("operations")),
                 count_of_parts(plan.at("launches")), count_of_parts(plan.at("buffers")),
                 mebibytes(plan.at("scratch_mib")),   count(plan.at("threads"))};
  const Yaml simulate = y.at("simulate");
  simulate.expect_keys({"warp_instructions", "printed_kib", "memory_mib"});
  limits.simulate.warp_instructions = count(simulate.at("warp_instructions"));
  limits.simulate.printed_bytes = kibibytes(simulate.at("printed_kib"));
  if (const auto memory = simulate.find("memory_mib")) limits.simulate.memory_bytes = mebibytes(*memory);
  const Yaml gpu = y.at("gpu");
  gpu.expect_keys({"wall_seconds"});
  limits.gpu_wall_seconds = seconds(gpu.at("wall_seconds"));
  if (const auto step = y.find("step")) {
    step->expect_keys({"wall_seconds"});
    limits.step_wall_seconds = seconds(step->at("wall_seconds"));
  }
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

Rules read_rules(const Yaml &y, const Step &step) {
  y.expect_keys({"shared_memory", "tensor_cores", "low_precision", "atomics", "static_shared_bytes",
                 "outputs_per_thread"});
  Rules rules;
  if (const auto shared = y.find("shared_memory"))
    rules.shared_memory = shared->one_of({"required", "forbidden"}) == "required" ? Permission::required
                                                                                  : Permission::forbidden;
  if (const auto tensor = y.find("tensor_cores"))
    tensor->one_of({"forbidden"}), rules.tensor_cores_forbidden = true;
  if (const auto low = y.find("low_precision"))
    low->one_of({"forbidden"}), rules.low_precision_forbidden = true;
  if (const auto atomics = y.find("atomics")) atomics->one_of({"forbidden"}), rules.atomics_forbidden = true;
  if (const auto bytes = y.find("static_shared_bytes"))
    rules.static_shared_bytes = static_cast<std::uint64_t>(bytes->integer(0, 49152));
  if (const auto outputs = y.find("outputs_per_thread")) {
    outputs->expect_keys({"at_least", "on", "near"});
    rules.outputs_per_thread = {outputs->at("at_least").real(0.01, 65536),
                                read_values(outputs->at("on"), *step.problem, step.with),
                                {}};
    if (const auto near = outputs->find("near"))
      rules.outputs_per_thread->near =
          read_near(*near, *step.problem, step.with, rules.outputs_per_thread->on);
  }
  return rules;
}

/// A case set as one step sees it: its problem defines which numbers a case has.
std::vector<Case> read_cases(const Yaml &list, const Step &step, Visibility visibility) {
  std::vector<Case> cases;
  std::set<std::string> seen;
  for (const Yaml &item : list.items()) {
    cases.push_back(read_case(item, *step.problem, step.with, visibility));
    if (!seen.insert(cases.back().name).second)
      item.fail(fmt::format("case '{}' is listed twice", cases.back().name));
  }
  return cases;
}

using CaseSets = std::map<std::string, Yaml>;

std::vector<std::string> names_of(const CaseSets &sets) {
  std::vector<std::string> names;
  for (const auto &[name, list] : sets) names.push_back(name);
  return names;
}

const problem::Problem *read_problem(const Yaml &y) {
  const problem::Problem *found = problem::find_problem(y.text());
  if (!found)
    y.fail(fmt::format("there is no problem '{}'{} (there are: {}); run 'make' to add a new problem.cpp",
                       y.text(), did_you_mean(y.text(), problem::problem_names()),
                       fmt::join(problem::problem_names(), ", ")));
  return found;
}

/// The assignment's values for steps that do not set their own.
struct Defaults {
  const problem::Problem *problem;
  Yaml counters;
  std::optional<Yaml> near;  ///< sizes near `counters`
  std::string arch, links;
};

std::string read_links(const Yaml &y) {
  const std::vector<std::string> known = links::known_topologies();
  if (std::find(known.begin(), known.end(), y.text()) == known.end())
    y.fail(fmt::format("there is no topology '{}'{} (there are: {})", y.text(), did_you_mean(y.text(), known),
                       fmt::join(known, ", ")));
  return y.text();
}

Points read_points(const Yaml &y, const char *correct = "correct") {
  Points points;
  points.correct = y.at(correct).real(0, 1e6);
  if (const auto fast = y.find("fast")) points.fast = fast->real(0, 1e6);
  if (const auto counters = y.find("counters")) points.counters = counters->real(0, 1e6);
  if (const auto proof = y.find("proof")) points.proof = proof->real(0, 1e6);
  return points;
}

/// points: {fix: 5, line: 3, cause: 2}
Hunt read_hunt(const Yaml &y, Points &points) {
  const Yaml shares = y.at("points");
  shares.expect_keys({"fix", "counters", "fast", "line", "cause"});
  points = read_points(shares, "fix");
  Hunt hunt;
  hunt.line_points = shares.at("line").real(0, 1e6);
  hunt.cause_points = shares.at("cause").real(0, 1e6);
  points.answers = hunt.line_points + hunt.cause_points;
  constexpr int most = 1000;
  hunt.most_changes = static_cast<std::size_t>(y.at("changes").integer(1, most));
  return hunt;
}

void read_points_of(const Yaml &y, Step &step) {
  const auto kind = y.find("kind");
  if (const auto changes = y.find("changes"); changes && !kind)
    changes->fail_at_key("'changes' needs 'kind: hunt'");
  if (step.beyond && kind) kind->fail("a step beyond the course has no points, so it cannot be a hunt");
  if (step.beyond && y.has("points")) y.at("points").fail("a step beyond the course has no points");
  if (step.beyond) return;
  if (kind) {
    step.hunt = read_hunt(y, step.points);
  } else {
    y.at("points").expect_keys({"correct", "fast", "counters", "proof"});
    step.points = read_points(y.at("points"));
  }
  if (step.points.total() == 0) y.at("points").fail("a step needs points");
}

/// A number, or a formula of the sizes at which the step is counted: 1.1 * 4 * m * n.
double read_limit(const Yaml &y, const Step &step) {
  const std::string text = y.text();
  try {
    const problem::Formula formula(text);
    if (formula.names().empty()) return y.real(0, most_limit);
    if (!step.counters_near.empty())
      y.fail("a formula is a limit at one size, and 'counted_near' names others; write a number");
    problem::Formula::Variables sizes;
    for (std::size_t i = 0; i < step.counters_on.integers.size(); ++i)
      sizes[step.problem->integers()[i].name] = static_cast<double>(step.counters_on.integers[i]);
    const double value = formula.value(sizes);
    if (value < 0 || value > most_limit)
      y.fail(fmt::format("'{}' is {:g}, should be from 0 to {:g}", text, value, most_limit));
    return value;
  } catch (const problem::FormulaError &e) {
    y.fail(e.what());
  }
}

/// sectors_per_load: {at_most: 4, points: 2}
std::vector<CounterCheck> read_counter_checks(const Yaml &y, const Step &step) {
  std::vector<CounterCheck> checks;
  for (const auto &[name, item] : y.entries()) {
    const auto measure = measure_of(name);
    if (!measure)
      item.fail_at_key(fmt::format("'{}' is not a counter{} (known: {})", name,
                                   did_you_mean(name, measure_names()), fmt::join(measure_names(), ", ")));
    item.expect_keys({"at_most", "at_least", "points"});
    if (item.has("at_most") == item.has("at_least"))
      item.fail("a counter needs 'at_most' or 'at_least', and not both");
    CounterCheck check;
    check.measure = *measure;
    check.at_least = item.has("at_least");
    check.limit = read_limit(item.at(check.at_least ? "at_least" : "at_most"), step);
    check.points = item.at("points").real(0, 1e6);
    checks.push_back(check);
  }
  return checks;
}

/// proof: {bounds: 2, races: 3}
std::vector<ProofPoints> read_proof(const Yaml &y) {
  const std::vector<std::string> known(prove::property_names.begin(), prove::property_names.end());
  std::vector<ProofPoints> all;
  for (const auto &[name, points] : y.entries()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      points.fail_at_key(fmt::format("'{}' is not a property that can be proved{} (known: {})", name,
                                     did_you_mean(name, known), fmt::join(known, ", ")));
    all.push_back({name, points.real(0, 1e6)});
  }
  return all;
}

/// The parts of a step's points that lists below have one by one.
void check_parts(const Yaml &y, const Step &step) {
  double counted = 0, proved = 0;
  for (const CounterCheck &check : step.counter_checks) counted += check.points;
  for (const ProofPoints &one : step.proof) proved += one.points;
  for (const auto &[name, points, sum] : {std::tuple("counters", step.points.counters, counted),
                                          std::tuple("proof", step.points.proof, proved)})
    if (std::fabs(sum - points) > 1e-9)
      y.at(y.has("points") ? "points" : name)
          .fail(fmt::format("'{0}' is {1:g}, but the points under this step's '{0}' add up to {2:g}", name,
                            points, sum));
}

std::string read_arch(const Yaml &y) {
  return plain_name(y, is_architecture,
                    "a virtual architecture from compute_75 on, such as compute_80, or compute_90a");
}

/// The step's cases: the open ones of the set that it names, then the hidden ones.
std::vector<Case> cases_of(const Yaml &set, const Step &step, const CaseSets &open, const CaseSets &hidden) {
  const auto found = open.find(set.text());
  if (found == open.end())
    set.fail(fmt::format("there is no case set '{}'{} (there are: {})", set.text(),
                         did_you_mean(set.text(), names_of(open)), fmt::join(names_of(open), ", ")));
  std::vector<Case> cases = read_cases(found->second, step, Visibility::open);
  const auto more = hidden.find(found->first);
  if (more == hidden.end()) return cases;
  const std::vector<Yaml> items = more->second.items();
  const std::vector<Case> secret = read_cases(more->second, step, Visibility::hidden);
  for (std::size_t i = 0; i < secret.size(); ++i) {
    for (const Case &c : cases)
      if (c.name == secret[i].name)
        items[i].fail(fmt::format("case '{}' is in assignment.yaml already", c.name));
  }
  cases.insert(cases.end(), secret.begin(), secret.end());
  return cases;
}

/// An exam: its points are one number.
Step read_exam(const Yaml &y, const Defaults &defaults, const std::vector<Step> &before) {
  y.expect_keys({"id", "title", "kind", "points", "extra_credit", "questions", "minutes", "about"});
  Step step;
  step.id = plain_name(y.at("id"), is_step, "a lower-case word");
  step.title = y.at("title").text();
  step.arch = defaults.arch;
  step.problem = defaults.problem;
  if (const auto extra = y.find("extra_credit")) step.extra_credit = extra->boolean();
  step.points.correct = y.at("points").real(0.01, 1e6);
  step.viva = read_viva(y, before);
  return step;
}

bool is_exam(const Yaml &y) {
  const auto kind = y.find("kind");
  return kind && kind->one_of({"hunt", "viva"}) == "viva";
}

/// A file of answers: its points are those of its questions.
Step read_answer_step(const Yaml &y, const Defaults &defaults, const std::vector<Step> &before) {
  y.expect_keys({"id", "title", "file", "extra_credit", "questions", "counted_at", "in_kit"});
  Step step;
  step.id = plain_name(y.at("id"), is_step, "a lower-case word");
  step.title = y.at("title").text();
  step.file = plain_name(y.at("file"), is_answer_file, "the name of a .yaml file");
  step.arch = defaults.arch;
  step.problem = defaults.problem;
  if (const auto extra = y.find("extra_credit")) step.extra_credit = extra->boolean();
  step.questions = read_questions(y, before);
  for (const Question &q : step.questions) step.points.correct += q.points;
  return step;
}

/// How many devices the cases of a step are for, unless they say so themselves.
void read_devices(const Yaml &y, Step &step) {
  const auto &known = step.problem->integers();
  if (std::ranges::none_of(known, [](const problem::Integer &i) { return i.name == "devices"; }))
    y.fail_at_key(fmt::format("the problem {} is for one device", step.problem->name()));
  const auto devices = y.integer(1, plan::most_devices);
  if (!step.with.emplace("devices", problem::Formula(std::to_string(devices))).second)
    y.fail_at_key("'with' has 'devices' already");
}

Step read_step(const Yaml &y, const Defaults &defaults, const CaseSets &open, const CaseSets &hidden) {
  y.expect_keys({"id",       "title",        "file",   "entry",   "points", "cases",      "rules",
                 "counters", "extra_credit", "beyond", "problem", "with",   "counted_at", "counted_near",
                 "headers",  "arch",         "kind",   "changes", "proof",  "links",      "devices"});
  Step step;
  step.id = plain_name(y.at("id"), is_step, "a lower-case word");
  step.title = y.at("title").text();
  step.file = plain_name(y.at("file"), is_file, "the name of a .cu file");
  step.entry = plain_name(y.at("entry"), is_entry, "a C++ function name");
  if (const auto headers = y.find("headers"))
    for (const Yaml &header : headers->items())
      step.headers.push_back(plain_name(header, is_header, "the name of a .h file"));
  step.arch = y.has("arch") ? read_arch(y.at("arch")) : defaults.arch;
  step.links = y.has("links") ? read_links(y.at("links")) : defaults.links;
  const auto other = y.find("problem");
  step.problem = other ? read_problem(*other) : defaults.problem;
  if (const auto with = y.find("with")) step.with = read_formulas(*with, *step.problem);
  if (const auto devices = y.find("devices")) read_devices(*devices, step);
  if (other && !y.has("counted_at"))
    other->fail(
        "a step with a problem of its own needs 'counted_at', the size at which counters are reported");
  step.counters_on =
      read_size(y.has("counted_at") ? y.at("counted_at") : defaults.counters, *step.problem, step.with);
  if (const auto near = y.has("counted_at") ? y.find("counted_near") : defaults.near)
    step.counters_near = read_near(*near, *step.problem, step.with, step.counters_on);
  if (const auto extra = y.find("extra_credit")) step.extra_credit = extra->boolean();
  if (const auto beyond = y.find("beyond")) step.beyond = beyond->boolean();
  read_points_of(y, step);
  if (const auto counters = y.find("counters")) step.counter_checks = read_counter_checks(*counters, step);
  if (const auto proof = y.find("proof")) step.proof = read_proof(*proof);
  check_parts(y, step);
  if (const auto rules = y.find("rules")) step.rules = read_rules(*rules, step);
  const Yaml cases = y.at("cases");
  step.cases = cases_of(cases, step, open, hidden);
  if (std::all_of(step.cases.begin(), step.cases.end(),
                  [](const Case &c) { return c.gpu_only || c.advisory; }))
    cases.fail(fmt::format(
        "every case of '{}' waits for a GPU or is advisory; at least one must be graded on the simulator",
        cases.text()));
  return step;
}

void check_sum(const Yaml &declared, const std::string &what, double sum, double total) {
  if (std::fabs(sum - total) > 1e-9)
    declared.fail(fmt::format("{} is {:g}, but the steps add up to {:g}", what, total, sum));
}

void check_unique_steps(const Yaml &steps, const std::vector<Step> &all) {
  std::set<std::string> ids;
  std::map<std::filesystem::path, const Step *> files;
  std::vector<Yaml> items;  // of `all`, which has no exams
  for (const Yaml &item : steps.items()) {
    const std::string id = item.at("id").text();
    if (!ids.insert(id).second) item.fail(fmt::format("step '{}' is listed twice", id));
    if (!is_exam(item)) items.push_back(item);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Steps may share a file, to grade it in several ways; then they must compile it alike.
    const Step &first = *files.emplace(all[i].path(), &all[i]).first->second;
    if (first.entry != all[i].entry || first.problem != all[i].problem || first.headers != all[i].headers ||
        first.arch != all[i].arch)
      items[i].fail(
          fmt::format("file '{}' belongs to step '{}' already, with another entry, problem, arch or headers",
                      all[i].file, first.id));
  }
}

CaseSets read_case_sets(const Yaml &y) {
  const auto entries = y.entries();
  return {entries.begin(), entries.end()};
}

/// hidden.yaml: cases, and other things that students do not get.
CaseSets read_hidden(const std::filesystem::path &file, Assignment &a, const CaseSets &open) {
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "case_sets", "extensions", "hunts"});
  if (y.at("assignment").text() != a.name)
    y.at("assignment").fail(fmt::format("this is '{}', should be '{}'", y.at("assignment").text(), a.name));
  if (const auto extensions = y.find("extensions")) {
    if (!a.late)
      extensions->fail("'extensions' needs 'late' in assignment.yaml, which says what late work loses");
    a.late->extensions = read_extensions(*extensions);
  }
  if (!y.has("case_sets") && (y.has("extensions") || y.has("hunts"))) return {};
  CaseSets hidden = read_case_sets(y.at("case_sets"));
  for (const auto &[name, list] : hidden)
    if (!open.contains(name))
      list.fail_at_key(
          fmt::format("assignment.yaml has no case set '{}'{}", name, did_you_mean(name, names_of(open))));
  return hidden;
}

/// A set that no step uses is a mistake: nothing would ever run it.
void check_sets_used(const CaseSets &sets, const Yaml &steps) {
  std::set<std::string> used;
  for (const Yaml &item : steps.items())
    if (const auto set = item.find("cases")) used.insert(set->text());
  for (const auto &[name, list] : sets)
    if (!used.contains(name)) list.fail_at_key(fmt::format("no step uses the case set '{}'", name));
}

/// Refuses what could never be scored.
WithoutGpu read_without_gpu(const Yaml &y, const Assignment &a) {
  const std::optional<WithoutGpu> policy = without_gpu_of(y.text());
  if (!policy)
    y.fail(
        fmt::format("there is no policy '{}'; write leave (points for speed wait for a GPU), rescale or "
                    "predicted",
                    y.text()));
  if (policy == WithoutGpu::predicted && a.predict_for.empty())
    y.fail("'predicted' needs 'predict_for', the GPU whose thresholds predicted rates are compared with");
  if (policy != WithoutGpu::leave &&
      std::none_of(a.steps.begin(), a.steps.end(), [](const Step &s) { return s.points.fast > 0; }))
    y.fail(fmt::format("'{}' is about points for speed, and no step has any", name_of(*policy)));
  for (const Step &step : a.steps)
    if (policy == WithoutGpu::rescale && step.points.fast > 0 && step.points.fast == step.points.total())
      y.fail(fmt::format("'rescale' leaves nothing of step '{}', which has only points for speed", step.id));
  return *policy;
}

Toolchain read_toolchain(const Yaml &y) {
  const std::string name = y.text();
  if (name == "auto") return Toolchain::automatic;
  if (name == "nvcc") return Toolchain::nvcc;
  if (name == "clang") return Toolchain::clang;
  y.fail(fmt::format(
      "there is no toolchain '{}'; write auto (nvcc where it is installed, else clang), nvcc or clang",
      name));
}

}  // namespace

std::vector<std::string> layout_names() {
  std::vector<std::string> names = {"auto", "plain", "id"};
  for (const platforms::Platform *p : platforms::all())
    if (p->names.pattern != nullptr || p->names.metadata != nullptr) names.emplace_back(p->name);
  return names;
}

Assignment read_assignment(const std::filesystem::path &folder) {
  const Yaml y = Yaml::read(folder / "assignment.yaml");
  y.expect_keys({"assignment", "title",       "problem",     "points",       "extra_credit", "seed",
                 "arch",       "toolchain",   "tolerance",   "limits",       "submissions",  "late",
                 "timing",     "calibration", "counters",    "counted_near", "case_sets",    "steps",
                 "driver",     "course",      "predict_for", "without_gpu",  "variants",     "links"});
  Assignment a;
  a.name = plain_name(y.at("assignment"), is_assignment, "a lower-case word");
  const std::filesystem::path full = std::filesystem::weakly_canonical(folder);
  if (a.name != full.filename().string())
    y.at("assignment")
        .fail(fmt::format("this is '{}', but the folder is '{}'", a.name, full.filename().string()));
  a.title = y.at("title").text();
  a.arch = read_arch(y.at("arch"));
  const Defaults defaults{read_problem(y.at("problem")), y.at("counters"), y.find("counted_near"), a.arch,
                          y.has("links") ? read_links(y.at("links")) : default_links};
  a.points = y.at("points").real(0, 1e6);
  if (const auto extra = y.find("extra_credit")) a.extra_credit = extra->real(0, 1e6);
  a.seed = static_cast<std::uint64_t>(y.at("seed").integer(0, INT64_MAX));
  if (const auto toolchain = y.find("toolchain")) a.toolchain = read_toolchain(*toolchain);
  a.tolerance = y.at("tolerance").real(1e-16, 1);
  a.limits = read_limits(y.at("limits"));
  a.archive_limits = read_archive_limits(y.at("limits").at("archive"));
  if (const auto submissions = y.find("submissions")) a.submissions = read_submissions(*submissions);
  if (const auto late = y.find("late")) a.late = read_late_policy(*late);
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

  if (const auto course = y.find("course")) read_syllabus(*course);  // nothing else needs it
  if (const auto gpu = y.find("predict_for")) {
    a.predict_for = gpu->text();
    if (!std::filesystem::exists(folder / "thresholds" / (a.predict_for + ".yaml")))
      gpu->fail(fmt::format("there is no thresholds/{}.yaml, which says how fast is fast on that GPU",
                            a.predict_for));
  }
  if (const auto variants = y.find("variants"))
    a.variants = plain_name(*variants, is_answer_file, "the name of a .yaml file");
  if (const auto driver = y.find("driver")) a.driver = plain_name(*driver, is_step, "a lower-case word");

  const CaseSets open = read_case_sets(y.at("case_sets"));
  CaseSets hidden;
  if (std::filesystem::exists(folder / "hidden.yaml")) {
    hidden = read_hidden(folder / "hidden.yaml", a, open);
    a.has_hidden_cases = !hidden.empty();
  }
  double sum = 0, extra = 0;
  for (const Yaml &item : y.at("steps").items()) {
    const bool exam = is_exam(item);
    std::vector<Step> &of_its_kind = exam ? a.exams : a.steps;
    of_its_kind.push_back(exam                    ? read_exam(item, defaults, a.steps)
                          : item.has("questions") ? read_answer_step(item, defaults, a.steps)
                                                  : read_step(item, defaults, open, hidden));
    (of_its_kind.back().extra_credit ? extra : sum) += of_its_kind.back().points.total();
  }
  if (const auto policy = y.find("without_gpu")) a.without_gpu = read_without_gpu(*policy, a);
  check_unique_steps(y.at("steps"), a.steps);
  check_sets_used(open, y.at("steps"));
  read_facts(folder, a);
  read_sealed(folder, a);
  read_hunts(folder, a);
  check_sum(y.at("points"), "'points'", sum, a.points);
  check_sum(y.has("extra_credit") ? y.at("extra_credit") : y, "'extra_credit'", extra, a.extra_credit);
  return a;
}

const Step *Assignment::find_step(std::string_view id) const {
  for (const std::vector<Step> *all : {&steps, &exams})
    for (const Step &s : *all)
      if (s.id == id) return &s;
  return nullptr;
}

const problem::Problem &Assignment::problem_of(std::string_view step) const {
  const Step *found = find_step(step);
  if (!found) throw std::out_of_range(fmt::format("{} has no step '{}'", name, step));
  return *found->problem;
}

}  // namespace warpgrade::course
