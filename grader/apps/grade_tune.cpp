// ./grade tune STEP -D NAME=VALUES: the same kernel with other constants, each built, checked and measured.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <thread>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "apps/files.hpp"
#include "apps/variants.hpp"
#include "judge/speed.hpp"
#include "report/text.hpp"

namespace warpgrade::apps {

namespace {

constexpr std::size_t most_variants = 256;

struct Variant {
  Setting setting;
  build::Build build;
  std::string why_not;                      ///< empty: built and right
  std::vector<grading::BenchPoint> points;  ///< one for each size
};

/// Writes each variant's file and removes them all at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpgrade-tune-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder could be made");
    folder_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  std::filesystem::path write(std::size_t index, const std::filesystem::path &file,
                              const std::string &text) const {
    const std::filesystem::path submission = folder_ / std::to_string(index);
    std::filesystem::create_directories((submission / file).parent_path());
    std::ofstream(submission / file) << text;
    return submission;
  }

 private:
  std::filesystem::path folder_;
};

std::string first_error(const build::Build &build) {
  for (const std::string &line : lines_of(build.log))
    if (line.find("error") != std::string::npos) return line;
  return build.message;
}

void build_all(std::vector<Variant> &variants, const grading::Grader &grader, const course::Step &step,
               const std::string &source, const Scratch &scratch, int threads) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < variants.size();) {
      Variant &v = variants[i];
      std::string text = source;
      for (const auto &[name, value] : v.setting) text = *with_value(text, name, value);
      try {
        v.build = grader.build(step, scratch.write(i, step.path(), text));
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

std::vector<problem::Case> sizes_of(const std::vector<std::string> &texts, const course::Step &step,
                                    const course::StepThresholds *timed, bool gpu) {
  std::vector<problem::Case> sizes;
  for (const std::string &text : texts) try {
      sizes.push_back(problem::parse_case(*step.problem, text, step.with));
    } catch (const std::invalid_argument &e) {
      throw UsageError(fmt::format("--sizes: {}", e.what()));
    }
  if (sizes.empty()) sizes.push_back(gpu && timed ? timed->size : step.counters_on);
  return sizes;
}

double rate(const course::Step &step, const grading::BenchPoint &p) {
  return judge::rate_of(step.problem->work(p.size), p.performance->seconds).median;
}

std::string one_figure(const course::Step &step, const grading::BenchPoint &p) {
  if (p.performance && !p.performance->seconds.empty())
    return fmt::format("{:>10.0f} {}", rate(step, p), step.problem->rate_unit());
  if (!p.counters) return report::for_terminal(p.why_not);
  const simt::Counters &c = p.counters->counts;
  using simt::per;
  return fmt::format("{:>8.4f} bytes/flop, {:>8} conflicts, {:>9} wavefronts",
                     per(c.requested_bytes(), c.fp32_flops()), c.conflicts(), c.wavefronts());
}

void print(const std::vector<Variant> &variants, const std::vector<problem::Case> &sizes,
           const course::Step &step, bool gpu) {
  std::size_t width = 8;
  for (const Variant &v : variants) width = std::max(width, name_of(v.setting).size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    fmt::print("\n{}\n", step.problem->case_name(sizes[s]));
    const Variant *best = nullptr;
    for (const Variant &v : variants) {
      if (!v.why_not.empty()) continue;
      fmt::print("  {:<{}}  {}\n", name_of(v.setting), width, one_figure(step, v.points[s]));
      if (v.points[s].performance && (!best || rate(step, v.points[s]) > rate(step, best->points[s])))
        best = &v;
    }
    if (best) fmt::print("  best: {}\n", name_of(best->setting));
  }
  bool any = false;
  for (const Variant &v : variants) {
    if (v.why_not.empty()) continue;
    if (!any) fmt::print("\nnot possible\n");
    any = true;
    fmt::print("  {:<{}}  {}\n", name_of(v.setting), width, report::for_terminal(v.why_not));
  }
  if (!gpu) fmt::print("\nCounters only: without a GPU nothing can be said about which is fastest.\n");
}

}  // namespace

int grade_tune(const std::vector<std::string> &words) {
  Common common;
  std::string id;
  std::vector<std::string> definitions, texts;
  CLI::App app(
      "Builds a step with other values of its constants, checks each variant on every case and measures it.\n"
      "Constants are those that the file defines with constexpr or #define.",
      "grade tune");
  app.add_option("step", id, "the step, such as step3")->required();
  add_common_options(app, common);
  app.add_option("-D,--define", definitions, "a constant and its values: -D BM=64,128 -D BK=8,16")
      ->required();
  app.add_option("--sizes", texts, "where to measure: 2048, or 1024,2048, or \"m=67 n=1 k=129\"")
      ->delimiter(',');
  if (const auto status = parse(app, words)) return *status;

  const Course course = open_course(common, {id});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, id);
  std::vector<Choice> choices;
  for (const std::string &text : definitions) choices.push_back(parse_choice(text));
  const std::string source = read_whole(step.source_in(course.submission));
  for (const Choice &choice : choices)
    if (!with_value(source, choice.name, "1"))
      throw UsageError(fmt::format("{} defines no constant {} (constexpr int {} = ..., or #define {} ...)",
                                   step.file, choice.name, choice.name, choice.name));
  std::vector<Variant> variants;
  for (Setting &setting : combinations(choices)) variants.push_back({std::move(setting), {}, {}, {}});
  if (variants.size() > most_variants)
    throw UsageError(fmt::format("{} combinations are more than {}", variants.size(), most_variants));

  const auto machine = look_at_machine(course.root, a, common.device_choice(), !common.no_sandbox);
  grading::Options options = grading_options(common, a);
  options.measure = false;
  grading::Grader grader(a, machine->environment, options);
  const bool gpu = machine->environment.gpu.has_value();
  const std::vector<problem::Case> sizes = sizes_of(texts, step, machine->thresholds.find(step.id), gpu);
  const Scratch scratch;
  fmt::print("{} variants of {}, {} sizes\n", variants.size(), step.id, sizes.size());
  build_all(variants, grader, step, source, scratch, options.threads);
  for (Variant &v : variants) {
    if (!v.why_not.empty()) continue;
    const grading::StepRecord record = grader.grade(step, v.build, course.submission);
    if (record.verdict != judge::Verdict::accepted)
      v.why_not = fmt::format("{}: {}", judge::name_of(record.verdict), record.reason);
    else
      for (const problem::Case &size : sizes) v.points.push_back(grader.bench(step, v.build, size));
  }
  print(variants, sizes, step, gpu);
  return std::any_of(variants.begin(), variants.end(), [](const Variant &v) { return v.why_not.empty(); })
             ? full_score
             : below;
}

}  // namespace warpgrade::apps
