// Why a result is wrong, and what a case that gives no points says.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "grading/far_end.hpp"
#include "grading/influence.hpp"
#include "grading/step_grader.hpp"
#include "grading/trials.hpp"
#include "grading/wording.hpp"
#include "plan/describe.hpp"
#include "problem/product.hpp"

namespace warpgrade::grading {

namespace {

/// Launches and copies are changed and run again for failing cases up to this size.
constexpr double most_work_tried = 1e6;
/// A wrong case up to this size is held against the results of common mistakes.
constexpr double most_work_explained = 4e7;

bool is_square(const problem::Problem &problem, const problem::Case &c) {
  const auto p = problem.product(c);
  return p && p->m == p->n && p->n == p->k;
}

/// Steps that students hand in for points and that grade products which are not square.
std::string steps_with_other_shapes(const course::Assignment &a, const problem::Problem &problem) {
  std::vector<std::string> ids;
  for (const course::Step &s : a.steps)
    if (s.problem == &problem && s.has_kernel() && !s.beyond &&
        std::any_of(s.cases.begin(), s.cases.end(), [&](const course::Case &c) {
          return !c.advisory && c.visibility == course::Visibility::open && !is_square(problem, c.values);
        }))
      ids.push_back(s.id);
  if (ids.empty()) return "";
  return fmt::format("{} check{} this. ", fmt::join(ids, ", "), ids.size() == 1 ? "s" : "");
}

/// The buffers with room behind them, so that a kernel that leaves its matrices reads and writes known
/// numbers.
std::vector<run::HostBuffer> with_room(std::vector<run::HostBuffer> buffers, std::size_t elements) {
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const std::size_t size = buffers[b].element_bytes, before = buffers[b].bytes.size();
    buffers[b].bytes.resize(before + elements * size);
    const problem::Fill fill{31, 1, 4,
                             size == 1   ? problem::Type::e4m3
                             : size == 2 ? problem::Type::f16
                                         : problem::Type::f32};
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint32_t bits = fill.bits(b, i);
      std::memcpy(&buffers[b].bytes[before + i * size], &bits, std::min(size, sizeof bits));
    }
  }
  return buffers;
}

}  // namespace

void StepGrader::find_mistakes(const judge::CaseVerdict &v, const std::vector<run::HostBuffer> &inputs,
                               const run::Run &run) {
  const bool wrong = run.end == run::End::completed && v.comparison && v.comparison->wrong > 0;
  if (!wrong || v.visibility == course::Visibility::hidden ||
      step_.problem->work(v.values) > most_work_explained)
    return;
  mistakes_[v.name] = step_.problem->mistakes(v.values, inputs, run.buffers, assignment_.tolerance);
}

/// A cause is named when it explains every wrong result of the step that was looked at, and is the only one
/// that does: small cases alone cannot tell every mistake from every other. Degenerate cases count only if
/// there are no others.
void StepGrader::name_causes() {
  std::set<std::string> degenerate;
  for (const judge::CaseVerdict &c : record_.cases)
    if (problem::is_degenerate(*step_.problem, c.values)) degenerate.insert(c.name);
  const bool all_degenerate = std::all_of(mistakes_.begin(), mistakes_.end(), [&](const auto &entry) {
    return degenerate.contains(entry.first);
  });
  std::optional<std::vector<std::string>> common;
  for (const auto &[name, mistakes] : mistakes_) {
    if (!all_degenerate && degenerate.contains(name)) continue;
    if (!common) {
      common = mistakes;
      continue;
    }
    std::erase_if(*common, [&, &mistakes = mistakes](const std::string &m) {
      return std::find(mistakes.begin(), mistakes.end(), m) == mistakes.end();
    });
  }
  if (!common) return;
  if (common->size() != 1) {
    note_influence();
    return;
  }
  for (judge::CaseVerdict &c : record_.cases) {
    const auto found = mistakes_.find(c.name);
    if (!c.comparison || found == mistakes_.end() ||
        std::find(found->second.begin(), found->second.end(), common->front()) == found->second.end())
      continue;
    const std::string before = judge::describe(*c.comparison);
    c.comparison->cause = common->front();
    if (c.reason == before) c.reason = judge::describe(*c.comparison);
  }
}

/// Where no cause is known: what a wrong result depends on and should not, or the other way round, in the
/// first wrong cases.
void StepGrader::note_influence() {
  // All of these runs together do no more than one case may.
  constexpr std::uint64_t most_instructions = 1'000'000;
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, most_instructions);
  int cases_left = 3;
  for (judge::CaseVerdict &c : record_.cases) {
    const bool looked_at = c.comparison && mistakes_.contains(c.name);
    if (!looked_at || c.reason != judge::describe(*c.comparison)) continue;
    if (cases_left-- == 0) return;
    const auto recording = record(c.values);
    if (recording->outcome != record::Recording::Outcome::plan) continue;
    const auto run_again =
        [&](const std::vector<run::HostBuffer> &inputs) -> std::optional<std::vector<run::HostBuffer>> {
      run::Run run = simulator_.simulate(recording->plan, inputs, how);
      if (run.end != run::End::completed) return std::nullopt;
      return std::move(run.buffers);
    };
    const auto data = data_for(c.values, c.seed);
    const auto outputs = run_again(data->inputs);
    if (!outputs) continue;
    const std::string found =
        wrong_influence(*step_.problem, c.values, data->inputs, *outputs, assignment_.tolerance, run_again);
    if (!found.empty()) c.reason += "; " + found;
  }
}

bool StepGrader::is_right(const plan::LaunchPlan &plan, const judge::CaseVerdict &v) {
  constexpr std::uint64_t most_instructions = 2'000'000;
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, most_instructions);
  const auto data = data_for(v.values, v.seed);
  const run::Run run = simulator_.simulate(plan, data->inputs, how);
  if (run.end != run::End::completed) return false;
  return judge::judge_run(run, compare(v.values, *data, run.buffers), false, inputs_of(data->inputs),
                          step_.problem->outputs(v.values) > 0)
             .verdict == judge::Verdict::accepted;
}

/// Whether another launch or copy than the one that was made would be right: tried with the failing case that
/// a report shows, and once more with the largest small one.
void StepGrader::try_other_calls() {
  const std::set<judge::Verdict> by_calls = {judge::Verdict::wrong_answer, judge::Verdict::uninitialized_read,
                                             judge::Verdict::out_of_bounds, judge::Verdict::input_changed,
                                             judge::Verdict::race};
  judge::CaseVerdict *shown = nullptr, *largest = nullptr;
  for (judge::CaseVerdict &c : record_.cases) {
    if (!c.ran() || c.advisory || c.visibility == course::Visibility::hidden ||
        !by_calls.contains(c.verdict) || problem::is_degenerate(*step_.problem, c.values) ||
        step_.problem->work(c.values) > most_work_tried)
      continue;
    // Known already; but what the blocks that are missing have to do with the launch is worth a try.
    if (c.comparison && !c.comparison->cause.empty() && !c.comparison->cause.ends_with("too few blocks?"))
      return;
    if (!shown || judge::telling(c, *step_.problem) > judge::telling(*shown, *step_.problem)) shown = &c;
    largest = &c;
  }
  if (!shown) return;
  const auto small = record(shown->values), large = record(largest->values);
  if (small->outcome != record::Recording::Outcome::plan ||
      large->outcome != record::Recording::Outcome::plan)
    return;
  const std::vector<Trial> trials = trials_of(small->plan), again = trials_of(large->plan);
  const Wording words(step_, shown->values, *recorder_, *small, guards_);
  for (const Trial &trial : trials) {
    if (!is_right(trial.plan, *shown)) continue;
    const auto same = std::find_if(again.begin(), again.end(),
                                   [&](const Trial &other) { return other.change == trial.change; });
    if (largest != shown && (same == again.end() || !is_right(same->plan, *largest))) continue;
    const std::string sentence = words.in_students_words(trial.sentence);
    if (shown->verdict == judge::Verdict::wrong_answer) {
      shown->reason += "; " + sentence;
    } else {
      shown->reason = sentence;
      const judge::Finding cause{std::string(judge::name_of(shown->verdict)), "error", step_.file, 0,
                                 sentence};
      for (judge::CaseVerdict &c : record_.cases)
        if (c.verdict == shown->verdict)
          for (judge::Finding &f : c.findings)
            if (f.severity == "error") f.follows = judge::Origin{cause.code, cause.file, cause.line};
      shown->findings.insert(shown->findings.begin(), cause);
    }
    return;
  }
  // The host's numbers are not known here, so a longer copy of them cannot be tried.
  if (shown->verdict == judge::Verdict::wrong_answer)
    shown->reason += words.in_students_words(short_copies(small->plan, ""));
}

/// On the simulator alone, once everything else is done: nothing here can change the verdict or the points.
void StepGrader::advise(judge::CaseVerdict &v) {
  const auto recording = record(v.values);
  v.skipped = false;
  if (recording->outcome != record::Recording::Outcome::plan) {
    v.verdict = recording->outcome == record::Recording::Outcome::our_failure ? judge::Verdict::grader_error
                                                                              : judge::Verdict::bad_plan;
    v.reason = recording->message;
  } else if (!plan::launches_anything(recording->plan)) {
    v.verdict = judge::Verdict::wrong_answer;
    v.reason = "the launcher returned without launching a kernel";
  } else if (is_too_large(*step_.problem, v.values)) {
    look_at_the_far_end(v, recording->plan);
  } else {
    simulate(v, *recording, *data_for(v.values, v.seed));
  }
  if (v.verdict == judge::Verdict::grader_error) v.skipped = true;  // says nothing about the submission
}

/// Which sizes were confused in this case, from a run with room behind every buffer.
std::string StepGrader::confused_sizes(const judge::CaseVerdict &v) {
  constexpr std::size_t room = 1 << 18;  // elements
  const auto recording = record(v.values);
  const auto data = data_for(v.values, v.seed);
  if (recording->outcome != record::Recording::Outcome::plan) return "";
  const std::vector<run::HostBuffer> inputs = with_room(data->inputs, room);
  const run::Run run = simulator_.simulate(recording->plan, inputs, simulate_options(assignment_, options_));
  if (run.end != run::End::completed) return "";
  return step_.problem->confused_sizes(v.values, inputs, run.buffers, assignment_.tolerance);
}

void StepGrader::run_advisory() {
  const judge::CaseVerdict *first = nullptr;  // that is not right
  std::string cause;
  for (judge::CaseVerdict &v : record_.cases) {
    if (!v.advisory) continue;
    advise(v);
    if (!v.ran() || v.verdict == judge::Verdict::accepted) continue;
    if (!first) first = &v;
    if (v.verdict == judge::Verdict::time_limit) break;
    if (cause.empty() && !is_too_large(*step_.problem, v.values)) cause = confused_sizes(v);
  }
  if (!first) return;
  const bool squares = !is_too_large(*step_.problem, first->values) &&
                       std::all_of(step_.cases.begin(), step_.cases.end(), [&](const course::Case &c) {
                         return c.advisory || is_square(*step_.problem, c.values);
                       });
  const std::string elsewhere = squares ? steps_with_other_shapes(assignment_, *step_.problem) : "";
  judge::Finding warning{"advisory_case", "warning", "", 0, "", 1};
  warning.message = fmt::format(
      "{}{}{} {}It costs no points in this step.",
      squares ? "works for squares only: " : "not right everywhere: ",
      cause.empty() ? fmt::format("{} at {}: {}", judge::in_words(first->verdict), first->name, first->reason)
                    : cause,
      cause.ends_with('?') ? "" : ".", elsewhere);
  std::vector<judge::Finding> all = {warning};
  const auto shown = std::find_if(first->findings.begin(), first->findings.end(),
                                  [](const judge::Finding &f) { return f.line > 0; });
  if (shown != first->findings.end()) {
    all.push_back(*shown);
    all.back().severity = "warning";
    all.back().message = fmt::format("at {}: {}", first->name, shown->message);
  }
  record_.findings.insert(record_.findings.begin(), std::make_move_iterator(all.begin()),
                          std::make_move_iterator(all.end()));
}

}  // namespace warpgrade::grading
