#include "tune/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "judge/speed.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"

namespace warpgrade::tune {

namespace {

namespace fs = std::filesystem;

std::string first_error(const build::Build &build) {
  for (const std::string &line : lines_of(build.log))
    if (line.find("error") != std::string::npos) return line;
  return build.message;
}

fs::path write(const fs::path &folder, const course::Step &step,
               const std::map<std::string, std::string> &files) {
  const fs::path beside = (folder / step.path()).parent_path();
  fs::create_directories(beside);
  for (const auto &[name, text] : files) write_scratch(beside / name, text);
  return folder;
}

void build_all(std::vector<Variant> &variants, const grading::Grader &grader, const course::Step &step,
               const Tunable &tunable, const fs::path &scratch, int threads) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < variants.size();) {
      Variant &v = variants[i];
      try {
        v.build = grader.build(step, write(scratch / std::to_string(i), step, tunable.with(v.setting)));
        if (!v.build.ok) v.why_not = "does not build: " + first_error(v.build);
      } catch (const std::exception &e) {
        v.why_not = e.what();
      }
    }
  };
  std::vector<std::jthread> workers;
  for (int t = 1; t < threads; ++t) workers.emplace_back(work);
  work();
}

}  // namespace

Tunable::Tunable(const course::Step &step, const fs::path &submission, const fs::path &starter)
    : step_(step) {
  const fs::path source = step.source_in(submission);
  files_[step.file] = read_whole(source);
  for (const std::string &header : step.headers) {
    const fs::path own = source.parent_path() / header;
    files_[header] = read_whole(fs::exists(own) ? own : starter / header);
  }
}

void Tunable::expect(const std::string &name) const {
  for (const auto &[file, text] : files_)
    if (with_value(text, name, "1")) return;
  throw UsageError(fmt::format("{} defines no constant {} (constexpr int {} = ..., or #define {} ...)",
                               fmt::join(step_.files(), " or "), name, name, name));
}

std::map<std::string, std::string> Tunable::with(const Setting &setting) const {
  std::map<std::string, std::string> files = files_;
  for (const auto &[name, value] : setting)
    for (auto &[file, text] : files)
      if (const auto changed = with_value(text, name, value)) text = *changed;
  return files;
}

Setting Tunable::constants() const {
  Setting all;
  for (const std::string &file : step_.files())
    for (auto &constant : constants_of(files_.at(file))) all.push_back(std::move(constant));
  return all;
}

void measure_variants(std::vector<Variant> &variants, grading::Grader &grader, const course::Step &step,
                      const Tunable &tunable, const std::vector<problem::Case> &sizes, int threads) {
  const Scratch scratch;
  build_all(variants, grader, step, tunable, scratch.path(), threads);
  for (Variant &v : variants) {
    if (!v.why_not.empty()) continue;
    const grading::StepRecord record = grader.grade(step, v.build, scratch.path());
    if (record.verdict != judge::Verdict::accepted)
      v.why_not = fmt::format("{}: {}", judge::name_of(record.verdict), record.reason);
    else
      for (const problem::Case &size : sizes) v.points.push_back(grader.bench(step, v.build, size));
  }
}

std::optional<double> rate_of(const course::Step &step, const grading::BenchPoint &p) {
  if (!p.performance || p.performance->seconds.empty()) return std::nullopt;
  return judge::rate_of(step.problem->work(p.size), p.performance->seconds).median;
}

const Variant *best_of(const std::vector<Variant> &variants, const course::Step &step, std::size_t size) {
  const Variant *best = nullptr;
  double most = 0;
  for (const Variant &v : variants) {
    if (!v.why_not.empty()) continue;
    const auto rate = rate_of(step, v.points.at(size));
    if (rate && *rate > most) best = &v, most = *rate;
  }
  return best;
}

}  // namespace warpgrade::tune
