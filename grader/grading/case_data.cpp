#include <fmt/format.h>

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
  auto data = begun.valid() ? begun.get() : computed(problem, c, seed);
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

void CaseData::forget_all_but(std::optional<std::uint64_t> seed) {
  const std::lock_guard lock(mutex_);
  const auto other = [&](const auto &one) { return one.first.first != seed; };
  std::erase_if(kept_, other);
  std::erase_if(begun_, other);
}

}  // namespace warpgrade::grading
