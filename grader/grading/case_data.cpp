#include <fmt/format.h>

#include <atomic>
#include <system_error>

#include "grading/grading.hpp"

namespace warpgrade::grading {

namespace {
/// Beyond these, computing every element in double takes longer than a person waits, and spot checks serve.
constexpr double most_reference_work = 3e9;
constexpr std::uint64_t most_kept_outputs = 1 << 21;

std::shared_ptr<const CaseData::Data> computed(const problem::Problem &problem, const problem::Case &c,
                                               std::uint64_t seed) {
  auto data = std::make_shared<CaseData::Data>();
  data->inputs = problem.inputs(c, seed);
  if (problem.work(c) <= most_reference_work) data->reference = problem.reference(c, data->inputs);
  return data;
}

std::pair<std::uint64_t, std::string> key_of(const problem::Problem &problem, const problem::Case &c,
                                             std::uint64_t seed) {
  return {seed, fmt::format("{} {}", problem.name(), problem.case_name(c))};
}

}  // namespace

std::shared_ptr<const CaseData::Data> CaseData::get(const problem::Problem &problem, const problem::Case &c,
                                                    std::uint64_t seed) {
  const Key key = key_of(problem, c, seed);
  std::future<std::shared_ptr<const Data>> begun;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    if (auto node = begun_.extract(key)) begun = std::move(node.mapped());
  }
  std::shared_ptr<const Data> data;
  if (begun.valid()) data = begun.get();  // null: it was not computed after all
  if (!data) data = computed(problem, c, seed);
  const std::lock_guard lock(mutex_);
  if (problem.outputs(c) <= most_kept_outputs) kept_.emplace(key, data);
  return data;
}

void CaseData::begin(const problem::Problem &problem, const problem::Case &c, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(problem, c, seed);
  if (kept_.contains(key) || begun_.contains(key)) return;
  begun_.emplace(key,
                 std::async(std::launch::async, [&problem, c, seed] { return computed(problem, c, seed); }));
}

struct CaseData::Ahead {
  std::atomic<bool> ends = false;
  std::future<void> thread;
  ~Ahead() { ends = true; }  // and waits for the thread
};

std::shared_ptr<CaseData::Ahead> CaseData::begin_in_turn(
    const problem::Problem &problem, std::vector<std::pair<problem::Case, std::uint64_t>> cases_and_seeds) {
  struct Task {
    problem::Case c;
    std::uint64_t seed = 0;
    std::promise<std::shared_ptr<const Data>> data;  // null: somebody else computes it
  };
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    for (auto &[c, seed] : cases_and_seeds) {
      const Key key = key_of(problem, c, seed);
      if (problem.outputs(c) > most_kept_outputs || kept_.contains(key) || begun_.contains(key)) continue;
      tasks.push_back({std::move(c), seed, {}});
      begun_.emplace(key, tasks.back().data.get_future());
    }
  }
  auto ahead = std::make_shared<Ahead>();
  const auto shared = std::make_shared<std::vector<Task>>(std::move(tasks));
  try {
    ahead->thread = std::async(std::launch::async, [&problem, &ends = ahead->ends, shared] {
      for (Task &task : *shared) {
        std::shared_ptr<const Data> made;
        try {
          if (!ends) made = computed(problem, task.c, task.seed);
        } catch (const std::exception &) {  // whoever asks for it finds out
        }
        task.data.set_value(std::move(made));
      }
    });
  } catch (const std::system_error &) {  // too many threads: whoever asks for data computes them
    for (Task &task : *shared) task.data.set_value(nullptr);
  }
  return ahead;
}

void CaseData::forget_all_but(std::optional<std::uint64_t> seed) {
  const std::lock_guard lock(mutex_);
  const auto other = [&](const auto &one) { return one.first.first != seed; };
  std::erase_if(kept_, other);
  std::erase_if(begun_, other);
}

}  // namespace warpgrade::grading
