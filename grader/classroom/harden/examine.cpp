#include "harden/examine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harden/search.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"

namespace warpgrade::harden {

namespace fs = std::filesystem;

struct Examination::Subject {
  const build::Build &build;
  bool same_code;  ///< as the solution: launched alike, it does the same
  mutants::CaseRunner runner;
  std::optional<mutants::CaseRunner> solution;
};

Examination::Examination(const course::Assignment &a, const Machine &machine, const grading::Options &options,
                         const course::Step &step, const fs::path &solutions)
    : assignment_(a),
      machine_(machine),
      options_(options),
      step_(step),
      solutions_(solutions),
      source_(read_whole(step.source_in(solutions))) {
  options_.search = false;  // the cases are what is looked at
  build_ = grading::Grader(a, machine.environment, options_).build(step, solutions);
  if (!build_.ok)
    throw std::runtime_error(fmt::format("the solution of {} does not build: {}", step.id, build_.message));
  const grading::StepRecord record = grade(build_, solutions);
  if (record.verdict != judge::Verdict::accepted)
    throw std::runtime_error(fmt::format("the solution of {} is not accepted: {}", step.id, record.reason));
  points_ = points_of(record);
  code_ = mutants::code_of(build_);
  std::string cases;
  for (const course::Case &c : step.cases)
    cases += fmt::format(" {}{}{}", c.name, static_cast<int>(c.visibility),
                         c.advisory   ? "a"
                         : c.gpu_only ? "g"
                                      : "");
  cases_ = key_of(cases);
  mutants::CaseRunner runner(assignment_, machine_.environment, options_, step_, build_, data_, &recordings_);
  for (const auto visibility : {course::Visibility::open, course::Visibility::hidden})
    for (const course::Case &c : graded_cases(step_, visibility)) note_most(runner, c.values);
}

std::string Examination::conditions() const {
  return fmt::format("2 {} {} {}", build_.front_end, step_.id, code_);
}

bool Examination::stands(const Fate &f) const {
  if (f.outcome == Outcome::not_compiled || f.outcome == Outcome::same_code || f.cases == cases_) return true;
  if (f.outcome != Outcome::by_public && f.outcome != Outcome::by_hidden) return false;
  const std::vector<course::Case> all = graded_cases(
      step_, f.outcome == Outcome::by_public ? course::Visibility::open : course::Visibility::hidden);
  return std::any_of(all.begin(), all.end(), [&](const course::Case &c) { return c.name == f.by; });
}

/// How many instructions an honest kernel takes in a case: a mutant that takes many more does not end.
void Examination::note_most(mutants::CaseRunner &solution, const problem::Case &c) {
  constexpr std::uint64_t times = 20, more = 200'000;
  const mutants::Ran ran = solution.run(c, {.count = true});
  if (!ran.accepted() || !ran.run.counters) return;
  const std::scoped_lock lock(mutex_);
  most_[step_.problem->case_name(c)] = times * ran.run.counters->warp_instructions + more;
}

std::optional<std::uint64_t> Examination::most_of(const std::string &case_name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = most_.find(case_name);
  return found == most_.end() ? std::nullopt : std::optional(found->second);
}

/// The cases of the search at which the solution is right. Only a mutant that passes all others needs them.
const std::vector<problem::Case> &Examination::wider() {
  const std::scoped_lock lock(widening_);
  if (!wider_) {
    std::vector<problem::Case> cases = wider_cases(step_, source_);
    mutants::CaseRunner runner(assignment_, machine_.environment, options_, step_, build_, data_,
                               &recordings_);
    for (const problem::Case &c : cases) note_most(runner, c);
    std::erase_if(cases, [&](const problem::Case &c) { return !most_of(step_.problem->case_name(c)); });
    wider_ = std::move(cases);
  }
  return *wider_;
}

grading::StepRecord Examination::grade(const build::Build &build, const fs::path &folder) {
  std::unique_ptr<grading::Grader> grader;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      grader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!grader) grader = std::make_unique<grading::Grader>(assignment_, machine_.environment, options_);
  grading::StepRecord record = grader->grade(step_, build, folder);
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(grader));
  return record;
}

double Examination::points_of(const grading::StepRecord &record) const {
  return score::score_step(step_, machine_.thresholds, record).points;
}

fs::path Examination::write(const std::string &text) {
  int number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = written_++;
  }
  const fs::path folder = scratch_.path() / std::to_string(number),
                 beside = (folder / step_.path()).parent_path();
  fs::create_directories(beside);
  write_scratch(beside / step_.file, text);
  for (const std::string &header : step_.headers) {
    const fs::path own = step_.source_in(solutions_).parent_path() / header;
    if (fs::exists(own)) fs::copy_file(own, beside / header);
  }
  return folder;
}

/// The device code alone if the host's is the same: that takes half the time. A kernel whose parameters or attributes
/// are others may be launched in another way.
build::Build Examination::build(const mutants::Mutant &m, const fs::path &folder) const {
  const grading::Grader grader(assignment_, machine_.environment, options_);
  if (m.on_device && source_.find("__host__") == std::string::npos) {
    build::Build build = grader.build(step_, folder, &build_);
    if (!build.ok || (build.kernels == build_.kernels && build.variables == build_.variables)) return build;
  }
  return grader.build(step_, folder);
}

Fate Examination::examine(const mutants::Mutant &m) {
  const fs::path folder = write(m.text);
  const build::Build build = this->build(m, folder);
  if (!build.ok) return {Outcome::not_compiled, "", build.message, "", 0};
  const std::string code = mutants::code_of(build);
  if (m.on_device && code == code_) return {Outcome::same_code, "", "", "", 0};
  const std::string key = build.worker == build_.worker ? key_of(code) : "";
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = by_code_.find(key); !key.empty() && known != by_code_.end()) return known->second;
  }
  Subject subject{build,
                  code == code_,
                  {assignment_, machine_.environment, options_, step_, build, data_,
                   build.worker == build_.worker ? &recordings_ : nullptr},
                  std::nullopt};
  Fate fate = fate_of(subject, folder);
  fate.cases = cases_;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  const std::scoped_lock lock(mutex_);
  if (!key.empty()) by_code_.emplace(key, fate);
  return fate;
}

Fate Examination::fate_of(Subject &subject, const fs::path &folder) {
  if (auto fate = killed_by_cases(subject)) return *fate;
  if (auto fate = killed_by_grading(subject.build, folder)) return *fate;
  return searched(subject);
}

/// The cases of a visibility, first those that have killed most in the least time.
std::vector<course::Case> Examination::best_first(course::Visibility visibility) {
  std::vector<course::Case> all = graded_cases(step_, visibility);
  std::map<std::string, double> worth;
  {
    constexpr double start = 0.005;  // seconds
    const std::scoped_lock lock(mutex_);
    for (const course::Case &c : all) {
      const Service &s = service_[c.name];
      worth[c.name] = (s.kills + 1.0) / (s.runs + 2.0) / (start + s.seconds / std::max(s.runs, 1));
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const course::Case &a, const course::Case &b) {
    return worth[a.name] > worth[b.name];
  });
  return all;
}

/// Why a mutant fails at a case; nothing if it does not, or if the solution is not known to be right there.
std::optional<std::string> Examination::why_wrong(Subject &s, const problem::Case &c) {
  const auto most = most_of(step_.problem->case_name(c));
  if (!most) return std::nullopt;
  if (s.same_code) {
    if (!s.solution)
      s.solution.emplace(assignment_, machine_.environment, options_, step_, build_, data_, &recordings_);
    const auto own = s.runner.record(c), right = s.solution->record(c);
    if (own->outcome == record::Recording::Outcome::plan && own->plan == right->plan) return std::nullopt;
  }
  const mutants::Ran ran = s.runner.run(c, {.warp_instructions = *most});
  return ran.accepted() ? std::nullopt : std::optional(ran.reason);
}

std::optional<Fate> Examination::killed_by_cases(Subject &subject) {
  for (const auto visibility : {course::Visibility::open, course::Visibility::hidden})
    for (const course::Case &c : best_first(visibility)) {
      const auto begin = Clock::now();
      const std::optional<std::string> reason = why_wrong(subject, c.values);
      {
        const std::scoped_lock lock(mutex_);
        Service &s = service_[c.name];
        ++s.runs;
        s.kills += reason.has_value();
        s.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      }
      if (reason)
        return Fate{visibility == course::Visibility::open ? Outcome::by_public : Outcome::by_hidden, c.name,
                    *reason, "", 0};
    }
  return std::nullopt;
}

/// As a student's file is graded: rules, counters, advisory cases.
std::optional<Fate> Examination::killed_by_grading(const build::Build &build, const fs::path &folder) {
  const grading::StepRecord record = grade(build, folder);
  if (record.verdict != judge::Verdict::accepted && record.verdict != judge::Verdict::grader_error)
    return Fate{Outcome::by_points, std::string(judge::name_of(record.verdict)), record.reason, "", 0};
  if (points_of(record) < points_)
    return Fate{Outcome::by_points, "counters", "it loses points for counters", "", 0};
  for (const judge::CaseVerdict &c : record.cases)
    if (c.advisory && c.ran() && c.verdict != judge::Verdict::accepted &&
        c.verdict != judge::Verdict::grader_error)
      return Fate{Outcome::warned, c.name, c.reason, "", 0};
  return std::nullopt;
}

Fate Examination::searched(Subject &subject) {
  Fate fate{Outcome::no_difference, "", "", "", 0};
  for (const problem::Case &c : wider()) {
    ++fate.tried;
    fate.by = step_.problem->case_name(c);
    if (const auto reason = why_wrong(subject, c))
      return {Outcome::survived, fate.by, *reason, as_yaml(step_, c), fate.tried};
  }
  return fate;
}

}  // namespace warpgrade::harden
