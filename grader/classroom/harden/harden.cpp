#include "harden/harden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "harden/examine.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::harden {

namespace {

namespace fs = std::filesystem;

constexpr double enough = 0.97;

/// One of each kind in turn, so that a run that is cut short has seen all kinds.
std::vector<mutants::Mutant> in_turn(std::vector<mutants::Mutant> all) {
  std::map<std::string_view, std::size_t> seen;
  std::vector<std::pair<std::size_t, mutants::Mutant>> ranked;
  for (mutants::Mutant &m : all) ranked.emplace_back(seen[m.kind]++, std::move(m));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  all.clear();
  for (auto &[rank, m] : ranked) all.push_back(std::move(m));
  return all;
}

/// clang compiles faster; what it makes of a kernel is right for the same sizes.
build::Toolchain toolchain_of(const HardenOptions &w) {
  if (w.toolchain != "auto") return toolchain_named(w.toolchain);
  return find_clang() ? build::Toolchain::clang : build::Toolchain::automatic;
}

StepResult examine_step(const course::Assignment &a, const Machine &machine, const grading::Options &options,
                        const course::Step &step, const fs::path &solutions, const fs::path &state,
                        int threads, Clock::time_point end) {
  Examination examination(a, machine, options, step, solutions);
  const std::vector<mutants::Mutant> all = in_turn(mutants::mutants_of(examination.source()));
  const std::string conditions = examination.conditions();
  Results results(state / (step.id + ".jsonl"));
  std::vector<std::optional<Fate>> fates(all.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < all.size();) {
      const std::string key = key_of(conditions + all[i].text);
      fates[i] = results.find(key);
      if (fates[i] && !examination.stands(*fates[i])) fates[i].reset();
      if (fates[i] || Clock::now() > end) continue;
      fates[i] = examination.examine(all[i]);
      results.add(key, *fates[i]);
    }
  };
  std::exception_ptr failed;
  std::mutex failing;
  const auto work_or_fail = [&] {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(failing);
      if (!failed) failed = std::current_exception();
      next = all.size();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int t = 1; t < threads; ++t) workers.emplace_back(work_or_fail);
    work_or_fail();
  }
  if (failed) std::rethrow_exception(failed);
  StepResult result{step.id, step.file, examination.source(), {}, 0, constant_outputs(a, step)};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (fates[i])
      result.examined.push_back({all[i], *fates[i]});
    else
      ++result.left;
  return result;
}

std::vector<const course::Step *> steps_to_harden(const course::Assignment &a, const HardenOptions &w) {
  std::vector<const course::Step *> steps = pick_steps(a, w.steps);
  std::erase_if(steps, [&](const course::Step *s) { return !s->has_kernel(); });
  if (steps.empty()) throw UsageError(fmt::format("{} has no kernels, and so no mutants", a.name));
  return steps;
}

}  // namespace

int harden(const HardenOptions &w) {
  Common common;
  common.assignment = w.assignment;
  common.no_sandbox = w.no_sandbox;
  const fs::path root = find_root();
  const std::vector<mutants::Equivalent> equivalents =
      mutants::read_equivalents(root / "assignments" / w.assignment, w.assignment);
  common.submission = (root / "solutions" / w.assignment).string();
  const Course course = open_course(common, w.steps);
  const course::Assignment &a = course.assignment;
  const std::vector<const course::Step *> steps = steps_to_harden(a, w);
  if (!w.write.empty()) {
    write_mutants(a, steps, course.submission, w.write);
    return full_score;
  }
  const auto machine =
      look_at_machine(course.root, a, DeviceChoice::simulator, !w.no_sandbox, toolchain_of(w));
  grading::Options options = grading_options(common, a);
  const int threads = options.threads;
  options.threads = 1;  // each mutant has a thread of its own
  options.measure = false;
  std::vector<StepResult> results;
  auto left = std::chrono::duration<double>(60 * w.minutes);
  bool good = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto begin = Clock::now();
    const auto share =
        std::chrono::duration_cast<Clock::duration>(left / static_cast<double>(steps.size() - i));
    results.push_back(examine_step(a, *machine, options, *steps[i], course.submission,
                                   fs::path(w.state) / a.name, threads, begin + share));
    apply_equivalents(results.back(), equivalents);
    left -= Clock::now() - begin;
    fmt::print("{}{}", i == 0 ? "" : "\n", to_text(results.back()));
    std::fflush(stdout);
    good = good && figures_of(results.back().examined).share() >= enough && results.back().left == 0;
  }
  if (!w.json.empty()) write_whole(w.json, to_json(a.name, results));
  const bool unfinished =
      std::any_of(results.begin(), results.end(), [](const StepResult &r) { return r.left > 0; });
  if (unfinished) fmt::print("\nThe time is up; the same command goes on.\n");
  return good ? full_score : below;
}

}  // namespace warpgrade::harden
