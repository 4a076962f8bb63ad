#include "quiz/subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "setup/files.hpp"

namespace warpgrade::quiz {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t warp = 32;

/// The same case with its sizes changed; nothing if the step has no such case.
template <class Change>
std::optional<problem::Case> with_sizes(const course::Step &step, const problem::Case &c,
                                        const Change &change) try {
  problem::Given given = problem::sizes_of(*step.problem, c);
  for (std::size_t i = 0; i < given.integers.size(); ++i)
    if (step.problem->integers()[i].size && given.integers[i]) given.integers[i] = change(*given.integers[i]);
  return problem::complete(*step.problem, given, step.with);
} catch (const std::invalid_argument &) {
  return std::nullopt;
}

}  // namespace

Subject::Subject(const course::Assignment &a, const grading::Environment &environment,
                 const grading::Options &options, const course::Step &step, const Place &place,
                 std::uint64_t seed)
    : assignment_(a),
      environment_(environment),
      options_(options),
      step_(step),
      place_(place),
      seed_(seed),
      grader_(a, environment, options),
      build_(grader_.build(step, place.submission)) {
  if (!build_.ok) throw NoSubject(fmt::format("{} does not build: {}", step.file, build_.message));
  source_ = read_whole(step.source_in(place.submission));
  lines_ = lines_of(source_);
  find_own_lines();
  if (own_.empty())
    throw NoSubject(
        fmt::format("{} is the starter's file: there is nothing of yours to ask about", step.file));
  runner_ = std::make_unique<mutants::CaseRunner>(a, environment_, options_, step, build_, data_);
  choose_sizes();
}

/// A student's lines are those that the starter does not have, as often as it does not.
void Subject::find_own_lines() {
  std::multiset<std::string> starter;
  for (const std::string &line : lines_of(read_or_empty(environment_.starter / step_.path())))
    starter.insert(trimmed(line));
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string line = trimmed(lines_[i]);
    if (line.empty() || line.starts_with("//")) continue;
    if (const auto found = starter.find(line); found != starter.end())
      starter.erase(found);
    else
      own_.insert(static_cast<int>(i) + 1);
  }
}

bool Subject::is_right_at(const problem::Case &c) {
  return runner_->run(c).accepted();
}

/// Sizes of its own for each seed, so that handouts contain no answers.
void Subject::choose_sizes() {
  Dice dice(seed_, "sizes");
  const std::int64_t eighths = 3 + static_cast<std::int64_t>(dice.below(4));
  const auto smaller = [&](std::int64_t v) {
    return v < 2 * warp ? v : std::max(warp, v * eighths / 8 / warp * warp);
  };
  const auto first = with_sizes(step_, step_.counters_on, smaller);
  even_ = first && is_right_at(*first) ? *first : step_.counters_on;
  if (!(first && even_ == *first)) {
    const mutants::Ran ran = runner_->run(even_);
    if (!ran.accepted())
      throw NoSubject(fmt::format("{} is not right yet, at {}: {}", step_.id, at(even_), ran.reason));
  }
  const auto less = 1 + 2 * static_cast<std::int64_t>(dice.below(8));
  const auto second = with_sizes(step_, even_, [&](std::int64_t v) { return v > less ? v - less : v; });
  if (second && !(*second == even_) && is_right_at(*second)) odd_ = second;
}

/// Their counters differ with other inputs.
void Subject::find_lines_that_follow_inputs() {
  follow_inputs_.emplace();
  grading::Options others = options_;
  ++others.seed;
  const grading::Grader with_others(assignment_, environment_, others);
  const simt::Counters now = counters(even_), then = with_others.count(step_, build_, even_).counts;
  for (const auto &[one, other] : {std::pair(&now, &then), std::pair(&then, &now)})
    for (const auto &[at, counts] : one->lines)
      if (const auto found = other->lines.find(at); found == other->lines.end() || !(found->second == counts))
        follow_inputs_->insert(at);
}

bool Subject::is_plain(const simt::SourceLine &at) {
  if (!follow_inputs_) find_lines_that_follow_inputs();
  return is_own(at) && !follow_inputs_->contains(at);
}

bool Subject::is_plain() {
  if (!follow_inputs_) find_lines_that_follow_inputs();
  return follow_inputs_->empty();
}

Question Subject::about(int line) const {
  Question q;
  q.file = step_.file;
  q.line = line;
  if (line >= 1 && static_cast<std::size_t>(line) <= lines_.size())
    q.code = trimmed(lines_[static_cast<std::size_t>(line) - 1]);
  return q;
}

const grading::CounterRecord &Subject::counted(const problem::Case &c) {
  const auto [found, fresh] = counted_.try_emplace(at(c));
  if (fresh) found->second = grader_.count(step_, build_, c);
  return found->second;
}

const simt::Counters &Subject::counters(const problem::Case &c) {
  return counted(c).counts;
}

const std::vector<simt::LaneSample> &Subject::samples(const problem::Case &c) {
  return counted(c).samples;
}

const plan::LaunchPlan &Subject::plan(const problem::Case &c) {
  const auto [found, fresh] = plans_.try_emplace(at(c));
  if (fresh) found->second = grader_.plan(step_, build_, c);
  return found->second;
}

const plan::Launch *Subject::only_launch(const problem::Case &c) {
  const plan::Launch *only = nullptr;
  for (const plan::Operation &o : plan(c).operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) {
      if (only) return nullptr;
      only = launch;
    }
  return only;
}

const std::vector<simt::TracedRequest> &Subject::trace(const problem::Case &c, std::uint64_t block) {
  const auto [found, fresh] = traces_.try_emplace({at(c), block});
  if (fresh && only_launch(c)) try {
      found->second = grader_.trace(step_, build_, c, block);
    } catch (const std::runtime_error &) {
    }
  return found->second;
}

std::int64_t Subject::element_bytes(const std::string &buffer) {
  if (element_bytes_.empty())
    for (const run::HostBuffer &b : problem().inputs(even_, options_.seed))
      element_bytes_[b.name] = static_cast<std::int64_t>(b.element_bytes);
  const auto found = element_bytes_.find(buffer);
  return found == element_bytes_.end() ? 0 : found->second;
}

std::string Subject::element(const problem::Case &c, const std::string &buffer, std::int64_t offset) {
  const std::int64_t bytes = element_bytes(buffer);
  const std::vector<plan::Buffer> buffers = problem().buffers(c);
  const std::vector<problem::Extent> extents = problem().extents(c);
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const bool inside = bytes > 0 && offset >= 0 && offset < static_cast<std::int64_t>(buffers[b].bytes);
    if (buffers[b].name != buffer || !inside) continue;
    const std::int64_t at = offset / bytes;
    if (b >= extents.size() || extents[b].rows <= 1 || extents[b].pitch <= 1)
      return problem().element_name(c, b, static_cast<std::uint64_t>(at));
    const auto [across, along] = std::pair(at / extents[b].pitch, at % extents[b].pitch);
    return extents[b].by_columns ? fmt::format("{}[{}, {}]", buffer, along, across)
                                 : fmt::format("{}[{}, {}]", buffer, across, along);
  }
  return "";
}

Subject::Changed *Subject::changed(const std::string &text) {
  const auto [found, fresh] = changed_.try_emplace(text);
  if (!fresh) return found->second.get();
  const fs::path folder = scratch_.path() / std::to_string(changed_.size());
  const fs::path beside = (folder / step_.path()).parent_path();
  fs::create_directories(beside);
  write_scratch(beside / step_.file, text);
  for (const std::string &header : step_.headers) {
    const fs::path own = step_.source_in(place_.submission).parent_path() / header;
    if (fs::exists(own)) fs::copy_file(own, beside / header);
  }
  build::Build build = grader_.build(step_, folder);
  if (!build.ok) return nullptr;
  found->second = std::make_unique<Changed>(Changed{std::move(build), nullptr});
  Changed &made = *found->second;
  made.runner =
      std::make_unique<mutants::CaseRunner>(assignment_, environment_, options_, step_, made.build, data_);
  return &made;
}

}  // namespace warpgrade::quiz
