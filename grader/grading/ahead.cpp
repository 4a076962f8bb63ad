// What can be done before its turn while a kernel is simulated, in another process: the launcher of the next case is
// recorded, and references are computed.
#include <algorithm>
#include <chrono>
#include <system_error>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

/// Of a launcher, in seconds: the next one will hardly be one that is waited for in vain.
constexpr double quick_call = 0.1;

bool is_small(const plan::LaunchPlan &plan) {
  std::size_t copied = 0;
  for (const plan::Operation &o : plan.operations)
    if (const auto *copy = std::get_if<plan::CopyIn>(&o)) copied += copy->bytes.size();
  return plan.operations.size() <= 100 && copied <= 100'000;
}

}  // namespace

std::shared_ptr<const record::Recording> StepGrader::record(const problem::Case &c) {
  for (const auto &[call, recording] : recorded_)
    if (call == c) return recording;
  const auto begin = std::chrono::steady_clock::now();
  auto made = recorded_ahead(c);
  if (!made)
    made = std::make_shared<const record::Recording>(recorder_->record(
        call_request(step_, environment_, c), std::max(0.0, most_seconds_ - seconds()) / 2));
  spent_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  remember(c, made);
  if (made->outcome == record::Recording::Outcome::plan && made->seconds < quick_call) record_ahead();
  return made;
}

/// A small plan is kept until the end of the step, should its call be asked for again.
void StepGrader::remember(const problem::Case &c, std::shared_ptr<const record::Recording> made) {
  if (made->outcome == record::Recording::Outcome::plan && is_small(made->plan))
    recorded_.emplace_back(c, std::move(made));
}

/// That call, if it was recorded ahead of its turn. The recorder is free then.
std::shared_ptr<const record::Recording> StepGrader::recorded_ahead(const problem::Case &c) {
  if (!ahead_.valid()) return nullptr;
  auto made = ahead_.get();
  if (ahead_case_ == c) return made;
  remember(ahead_case_, std::move(made));
  return nullptr;
}

/// Records the next case while the one whose turn it is is simulated, in another process.
void StepGrader::record_ahead() {
  const auto is_recorded = [&](const problem::Case &c) {
    return std::any_of(recorded_.begin(), recorded_.end(), [&](const auto &one) { return one.first == c; });
  };
  while (!coming_.empty() && is_recorded(coming_.front())) coming_.pop_front();
  if (coming_.empty()) return;
  ahead_case_ = std::move(coming_.front());
  coming_.pop_front();
  const double most = std::max(0.0, most_seconds_ - seconds()) / 2;
  try {
    ahead_ =
        std::async(std::launch::async, [this, call = call_request(step_, environment_, ahead_case_), most] {
          return std::make_shared<const record::Recording>(recorder_->record(call, most));
        });
  } catch (const std::system_error &) {  // too many threads: the case waits for its turn
  }
}

/// Waits for the launcher that is recorded ahead of its turn, and starts no other.
void StepGrader::stop_recording_ahead() {
  coming_.clear();
  if (ahead_.valid()) ahead_.wait();
}

/// What will be asked for if the step is accepted, in that order.
void StepGrader::look_ahead() {
  if (only_) return;
  for (const course::Case &c : step_.cases)
    if (!c.advisory) coming_.push_back(c.values);
  for (const problem::Case &c : counted_cases(true)) coming_.push_back(c);
  for (const course::Case &c : step_.cases)
    if (c.advisory) coming_.push_back(c.values);
}

/// Computes references while kernels are simulated: those of the cases once one is right, of what is counted once half of
/// them are. A file that is wrong is counted nowhere, and most that are wrong are wrong at the first size.
void StepGrader::compute_ahead() {
  if (only_) return;
  std::vector<problem::Case> soon;
  const std::size_t ran = record_.cases.size();
  if (ran == 1)
    for (const course::Case &c : step_.cases)
      if (!c.gpu_only && !c.advisory) soon.push_back(c.values);
  if (ran == std::max<std::size_t>(step_.cases.size() / 2, 2)) soon = counted_cases(false);
  const bool right = std::all_of(record_.cases.begin(), record_.cases.end(), [](const judge::CaseVerdict &c) {
    return !c.ran() || c.waits_for_gpu || c.verdict == judge::Verdict::accepted;
  });
  if (soon.empty() || !right) return;
  std::vector<std::pair<problem::Case, std::uint64_t>> all;
  for (const problem::Case &c : soon) all.emplace_back(c, seed_of(options_, *step_.problem, c));
  data_ahead_.push_back(data_.begin_in_turn(*step_.problem, std::move(all)));
}

}  // namespace warpgrade::grading
