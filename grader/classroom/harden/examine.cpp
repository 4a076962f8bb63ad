#include "harden/examine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harden/search.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"

namespace warpgrade::harden {

namespace fs = std::filesystem;

Examination::Examination(const course::Assignment &a, const Machine &machine, const grading::Options &options,
                         const course::Step &step, const fs::path &solutions)
    : assignment_(a),
      machine_(machine),
      options_(options),
      step_(step),
      solutions_(solutions),
      source_(read_whole(step.source_in(solutions))) {
  grading::Grader grader(a, machine.environment, options_);
  build_ = grader.build(step, solutions);
  if (!build_.ok)
    throw std::runtime_error(fmt::format("the solution of {} does not build: {}", step.id, build_.message));
  const grading::StepRecord record = grader.grade(step, build_, solutions);
  if (record.verdict != judge::Verdict::accepted)
    throw std::runtime_error(fmt::format("the solution of {} is not accepted: {}", step.id, record.reason));
  points_ = points_of(record);
  code_ = mutants::code_of(build_);
  wider_ = wider_cases(step, source_);
  run_solution();
}

std::string Examination::conditions() const {
  std::string text = fmt::format("1 {} {} {}", build_.front_end, step_.id, code_);
  for (const course::Case &c : step_.cases)
    text += fmt::format(" {}{}{}", c.name, static_cast<int>(c.visibility),
                        c.advisory   ? "a"
                        : c.gpu_only ? "g"
                                     : "");
  return text;
}

/// How many instructions an honest kernel takes in each case: a mutant that takes many more does not end.
void Examination::run_solution() {
  mutants::CaseRunner runner(assignment_, machine_.environment, options_, step_, build_, data_);
  constexpr std::uint64_t times = 20, more = 200'000;
  const auto note = [&](const problem::Case &c) {
    const mutants::Ran ran = runner.run(c, {.count = true});
    if (ran.accepted() && ran.run.counters)
      most_[step_.problem->case_name(c)] = times * ran.run.counters->warp_instructions + more;
    return ran.accepted();
  };
  for (const auto visibility : {course::Visibility::open, course::Visibility::hidden})
    for (const course::Case &c : graded_cases(step_, visibility)) note(c.values);
  std::erase_if(wider_, [&](const problem::Case &c) { return !note(c); });
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

Fate Examination::examine(const mutants::Mutant &m) {
  const fs::path folder = write(m.text);
  const build::Build build =
      grading::Grader(assignment_, machine_.environment, options_).build(step_, folder);
  if (!build.ok) return {Outcome::not_compiled, "", build.message, "", 0};
  if (m.on_device && mutants::code_of(build) == code_) return {Outcome::same_code, "", "", "", 0};
  mutants::CaseRunner runner(assignment_, machine_.environment, options_, step_, build, data_);
  if (auto fate = killed_by_cases(runner)) return *fate;
  if (auto fate = killed_by_grading(build, folder)) return *fate;
  return searched(runner);
}

std::optional<Fate> Examination::killed_by_cases(mutants::CaseRunner &runner) {
  for (const auto visibility : {course::Visibility::open, course::Visibility::hidden})
    for (const course::Case &c : graded_cases(step_, visibility)) {
      const auto most = most_.find(c.name);
      if (most == most_.end()) continue;
      const mutants::Ran ran = runner.run(c.values, {.warp_instructions = most->second});
      if (ran.accepted()) continue;
      return Fate{visibility == course::Visibility::open ? Outcome::by_public : Outcome::by_hidden, c.name,
                  ran.reason, "", 0};
    }
  return std::nullopt;
}

/// As a student's file is graded: rules, counters, advisory cases.
std::optional<Fate> Examination::killed_by_grading(const build::Build &build, const fs::path &folder) {
  grading::Grader grader(assignment_, machine_.environment, options_);
  const grading::StepRecord record = grader.grade(step_, build, folder);
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

Fate Examination::searched(mutants::CaseRunner &runner) {
  Fate fate{Outcome::no_difference, "", "", "", 0};
  for (const problem::Case &c : wider_) {
    const auto most = most_.find(step_.problem->case_name(c));
    if (most == most_.end()) continue;
    ++fate.tried;
    fate.by = step_.problem->case_name(c);
    const mutants::Ran ran = runner.run(c, {.warp_instructions = most->second});
    if (!ran.accepted())
      return {Outcome::survived, step_.problem->case_name(c), ran.reason, as_yaml(step_, c), fate.tried};
  }
  return fate;
}

}  // namespace warpgrade::harden
