// A launcher is called more than once in its life: what one call leaves in device variables, on the device
// heap or in its buffers must not be taken for the result of the next.
#include <fmt/format.h>

#include <array>

#include "grading/step_grader.hpp"
#include "grading/wording.hpp"
#include "problem/random.hpp"

namespace warpgrade::grading {

namespace {

/// The largest case up to this size is run several times in a row.
constexpr double most_work_repeated = 3e6;
/// Which purpose a seed is derived for.
enum Purpose : std::uint64_t { other_data = 1, exchanged_elements = 2 };

}  // namespace

/// The largest open case that ran well on the simulator and is small enough to be run again; null when
/// something else is to be mended first.
const judge::CaseVerdict *StepGrader::case_to_repeat() const {
  const judge::CaseVerdict *chosen = nullptr;
  for (const judge::CaseVerdict &c : record_.cases) {
    if (!c.ran()) continue;
    if (c.verdict != judge::Verdict::accepted) return nullptr;
    const bool fits = step_.problem->work(c.values) <= most_work_repeated &&
                      c.visibility == course::Visibility::open && c.where.starts_with("sim");
    if (fits && (!chosen || step_.problem->work(c.values) > step_.problem->work(chosen->values))) chosen = &c;
  }
  return chosen;
}

/// The second call has other data at the same addresses, the third has data that are nearly those of the
/// second. A launcher that does something else in its second call is judged by that.
void StepGrader::run_in_turn() {
  const judge::CaseVerdict *chosen = only_ ? nullptr : case_to_repeat();
  if (!chosen) return;
  const auto recording = record(chosen->values);
  if (recording->outcome != record::Recording::Outcome::plan) return;
  const auto first = data_.get(*step_.problem, chosen->values, chosen->seed);
  const auto second =
      data_.get(*step_.problem, chosen->values, problem::derived_seed(chosen->seed, other_data));
  CaseData::Data third{
      problem::with_exchanged_elements(*step_.problem, chosen->values, second->inputs,
                                       problem::derived_seed(chosen->seed, exchanged_elements)),
      {}};
  third.reference = step_.problem->reference(chosen->values, third.inputs);
  const record::SecondCall *again = recording->again ? &*recording->again : nullptr;
  run::SimulateOptions options = simulate_options(assignment_, options_);
  std::vector<std::vector<run::HostBuffer>> inputs = {first->inputs, second->inputs, third.inputs};
  if (again) {  // what a third call would do is not known
    options.first_call = again->first_call;
    inputs.pop_back();
  }
  const std::vector<run::Run> runs =
      simulator_.simulate_in_turn(again ? again->both : recording->plan, inputs, options);
  const std::array<const CaseData::Data *, 3> data = {first.get(), second.get(), &third};
  static constexpr std::array<const char *, 3> which = {
      "called again at {}, it is wrong: {}",
      "called twice in a row at {} on different data, the second call is wrong: {}",
      "called three times in a row at {}, the third time on the data of the second with a few elements "
      "exchanged, the third call is wrong: {}"};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::optional<problem::Comparison> comparison;
    if (runs[i].end == run::End::completed) comparison = compare(chosen->values, *data[i], runs[i].buffers);
    const judge::RunVerdict verdict = judge::judge_run(runs[i], comparison, environment_.gpu.has_value());
    if (verdict.verdict == judge::Verdict::accepted) continue;
    if (verdict.verdict == judge::Verdict::grader_error) return;
    std::string reason = verdict.reason;
    for (std::size_t earlier = 0; comparison && comparison->wrong > 0 && earlier < i; ++earlier) {
      const CaseData::Data its_result{data[i]->inputs, data[earlier]->reference};
      if (compare(chosen->values, its_result, runs[i].buffers).wrong > 0) continue;
      reason += fmt::format("; it is the result of the {} call: something is kept from one call to the next",
                            earlier == 0 ? "first" : "second");
      break;
    }
    if (i > 0 && again) {
      const Wording words(step_, chosen->values, *recorder_, *recording, guards_);
      reason += "; " + words.in_students_words(again->difference);
    }
    hold(verdict.verdict, fmt::format(fmt::runtime(which[i]), chosen->name, reason));
    for (const judge::Finding &f : verdict.findings) add_once(record_.findings, f);
    if (const int line = i > 0 && again ? recorder_->line_of(again->callers) : 0; line > 0)
      add_once(record_.findings, {std::string(judge::name_of(verdict.verdict)), "error", step_.file, line,
                                  "only one of the two calls comes here"});
    return;
  }
}

}  // namespace warpgrade::grading
