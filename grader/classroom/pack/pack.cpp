#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <set>

#include "base/zip.hpp"
#include "bench/roofline_point.hpp"
#include "course/yaml.hpp"
#include "judge/speed.hpp"
#include "pack/package.hpp"
#include "predict/for_points.hpp"
#include "report/bench.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"
#include "setup/html_extras.hpp"
#include "setup/selection.hpp"
#include "setup/sizes.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

using Files = std::vector<ZipEntry>;

struct Checked {
  Files sources;
  std::vector<const course::Step *> steps;  ///< those that build, the first of those that share a file
  std::vector<const course::Step *> timed;  ///< all that build: each may be timed at a size of its own
  std::vector<build::Build> builds;         ///< of these
  std::vector<std::string> left_out;        ///< extra credit that was not tried
  std::vector<grading::StepRecord> graded;  ///< all steps, each as far as its file allows
  std::size_t mistakes = 0;
  std::size_t open = 0;  ///< files in which nothing was done yet
};

void tell(const char *mark, const course::Step &step, const std::string &what) {
  std::cout << fmt::format("  {:<4} {:<24} {}\n", mark, step.file, for_terminal(what)) << std::flush;
}

/// A file with the student's headers that it is compiled with, each once: steps may share them.
void add_source(Files &sources, const course::Step &step, const std::string &text,
                const fs::path &submission) {
  const auto add = [&](const std::string &name, const std::string &content) {
    if (std::none_of(sources.begin(), sources.end(), [&](const auto &s) { return s.path == name; }))
      sources.push_back({name, content});
  };
  add(step.path().generic_string(), text);
  for (const std::string &header : step.headers)
    if (const fs::path file = submission / header; fs::is_regular_file(fs::symlink_status(file)))
      add(header, read_whole(file));
}

/// The student's words around what was measured, with its pictures.
void add_report(Files &files, const fs::path &submission) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  const auto add = [&](const fs::path &file) {
    if (fs::is_regular_file(fs::symlink_status(file)) && fs::file_size(file) <= most_bytes)
      files.push_back({file.lexically_relative(submission).generic_string(), read_whole(file)});
  };
  const std::size_t before = files.size();
  add(submission / "report.md");
  if (files.size() == before) return;
  std::error_code none;
  std::vector<fs::path> pictures;
  for (const auto &entry : fs::directory_iterator(submission / "report-pictures", none))
    if (entry.path().extension() == ".svg") pictures.push_back(entry.path());
  std::sort(pictures.begin(), pictures.end());
  for (const fs::path &picture : pictures) add(picture);
  std::cout << fmt::format("  ok   {:<24} with {} pictures\n", "report.md", files.size() - before - 1);
}

/// "out_of_bounds; ./grade step3 explains it"
std::string words_for(const course::Step &step, const grading::StepRecord &graded) {
  if (graded.verdict == judge::Verdict::accepted) return "accepted";
  return fmt::format("{}; './grade {}' explains it", judge::in_words(graded.verdict), step.id);
}

/// A file of answers: it is not built, but has to be YAML.
void check_answers(grading::Grader &grader, const course::Step &step, const fs::path &submission,
                   const std::map<std::string, std::string> &sources, Checked &result) {
  const auto source = sources.find(step.id);
  if (source == sources.end() && step.extra_credit) {
    tell("-", step, "missing; it is extra credit");
    result.left_out.push_back(step.file);
    return;
  }
  try {
    if (source == sources.end()) throw course::ConfigError(fmt::format("{} is missing", step.file));
    course::Yaml::parse(source->second, step.file);
    result.sources.push_back({step.path().generic_string(), source->second});
    result.graded.push_back(grader.grade(step, {}, submission));
    const grading::StepRecord &graded = result.graded.back();
    const bool open = graded.verdict == judge::Verdict::not_implemented;
    result.open += open ? 1 : 0;
    tell(open                                         ? "-"
         : graded.verdict == judge::Verdict::accepted ? "ok"
                                                      : "--",
         step, open ? "has no answer yet, so it gets no points" : words_for(step, graded));
  } catch (const course::ConfigError &wrong) {
    ++result.mistakes;
    tell("--", step, wrong.what());
  }
}

/// Every step is looked at, whatever is wrong with one before it: who reads this wants all of it at once.
Checked check(grading::Grader &grader, const course::Assignment &a, const fs::path &root,
              const fs::path &submission) {
  std::vector<const course::Step *> all = pick_steps(a, {});
  const auto answers =
      std::stable_partition(all.begin(), all.end(), [](const course::Step *s) { return s->has_kernel(); });
  const std::vector<const course::Step *> read(answers, all.end());
  all.erase(answers, all.end());
  std::vector<std::future<build::Build>> builds;
  for (const course::Step *step : all)
    builds.push_back(std::async(std::launch::async, [&, step] { return grader.build(*step, submission); }));
  Checked result;
  const std::map<std::string, std::string> sources = sources_of(all, submission);
  std::set<fs::path> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const course::Step &step = *all[i];
    build::Build build = builds[i].get();
    if (build.reason == build::Reason::our_failure)
      throw std::runtime_error(fmt::format("{}: {}", step.file, build.message));
    result.graded.push_back(grader.grade(step, build, submission));
    if (predict::earns_points(a, grader.device().gpu))
      result.graded.back().predicted =
          predict::for_points(predict::Predictor(root, a), grader, a, step, build, result.graded.back());
    const grading::StepRecord &graded = result.graded.back();
    if (build.ok) result.timed.push_back(&step);
    if (!seen.insert(step.path()).second) {
      if (build.ok && graded.verdict != judge::Verdict::accepted) tell("--", step, words_for(step, graded));
      continue;
    }
    if (const auto source = sources.find(step.id); source != sources.end())
      add_source(result.sources, step, source->second, submission);
    if (build.ok) {
      const bool open = graded.verdict == judge::Verdict::not_implemented;
      result.open += open ? 1 : 0;
      tell(open                                         ? "-"
           : graded.verdict == judge::Verdict::accepted ? "ok"
                                                        : "--",
           step, open ? "launches no kernel yet, so it gets no points" : words_for(step, graded));
      result.steps.push_back(&step);
      result.builds.push_back(std::move(build));
    } else if (build.reason == build::Reason::missing_file && step.extra_credit) {
      tell("-", step, "missing; it is extra credit");
      result.left_out.push_back(step.file);
    } else {
      ++result.mistakes;
      tell("--", step, build.message);
      for (const std::string &line : lines_of(build.log))
        std::cout << "         | " << for_terminal(line) << '\n';
    }
  }
  const std::map<std::string, std::string> texts = sources_of(read, submission);
  for (const course::Step *step : read) check_answers(grader, *step, submission, texts, result);
  return result;
}

/// Steps of one problem, which have sizes in common: a table each.
struct Table {
  std::vector<std::size_t> steps;  ///< of Checked
  std::vector<grading::BenchPoint> points;
};

std::vector<Table> tables_of(const Checked &checked) {
  std::vector<Table> tables;
  for (std::size_t i = 0; i < checked.steps.size(); ++i) {
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const Table &t) {
      return checked.steps[t.steps.front()]->problem == checked.steps[i]->problem;
    });
    if (same == tables.end())
      tables.push_back({{i}, {}});
    else
      same->steps.push_back(i);
  }
  return tables;
}

/// Every step at every size that is timed here, or its counters without a GPU.
void measure(Table &table, const grading::Grader &grader, const Machine &machine, const Checked &checked) {
  const bool shown = isatty(STDERR_FILENO);
  std::vector<const course::Step *> steps;
  for (const course::Step *step : checked.timed)
    if (step->problem == checked.steps[table.steps.front()]->problem) steps.push_back(step);
  for (const problem::Given &given :
       timed_sizes(machine.thresholds, machine.environment.gpu.has_value(), steps))
    for (const std::size_t i : table.steps) {
      const course::Step &step = *checked.steps[i];
      const problem::Case size = case_of(step, given);
      if (shown) fmt::print(stderr, "\r\x1b[K{} at {}", step.id, step.problem->case_name(size));
      table.points.push_back(grader.bench(step, checked.builds[i], size));
    }
  if (shown) fmt::print(stderr, "\r\x1b[K");
}

/// Intensities as the simulator counts them; rates are those of a table's first size, which has all its
/// steps.
report::Roofline roofline(const Course &course, const grading::Grader &grader, const Machine &machine,
                          const Checked &checked, const std::vector<Table> &tables,
                          const report::Roof &roof) {
  const course::Assignment &a = course.assignment;
  const auto name_of = [](const course::Step &step, const problem::Case &c) {
    return step.problem->case_name(c);
  };
  const course::Step &first = *checked.steps.front();
  report::Roofline drawn;
  drawn.title = fmt::format("{} at {}", a.name, name_of(first, first.counters_on));
  if (machine.environment.gpu)
    drawn.title += fmt::format(", rates at {}", name_of(first, tables.front().points.front().size));
  drawn.gpu = roof.gpu;
  drawn.peak_gflops = roof.peak_gflops;
  drawn.bandwidths = {roof.memory_gb_per_s};
  profile::Profiling nobody(false, machine, grader, a, a.seed);
  for (const Table &table : tables)
    for (std::size_t i = 0; i < table.steps.size(); ++i) {
      const course::Step &step = *checked.steps[table.steps[i]];
      drawn.points.push_back(bench::roofline_point(grader, step, checked.builds[table.steps[i]],
                                                   step.counters_on, false, nobody));
      const grading::BenchPoint &timed = table.points[i];  // the first size, step by step
      if (timed.performance && !timed.performance->seconds.empty())
        drawn.points.back().gflops =
            judge::rate_of(step.problem->flops(timed.size), timed.performance->seconds).median;
    }
  return drawn;
}

/// The analysis that is handed in beside the steps.
Files analysis(const Course &course, const grading::Grader &grader, const Machine &machine,
               const Checked &checked) {
  Files files;
  if (checked.steps.empty()) return files;
  const course::Assignment &a = course.assignment;
  const bool gpu = machine.environment.gpu.has_value();
  const grading::DeviceRecord device = grader.device();
  std::vector<Table> tables = tables_of(checked);
  std::string text;
  for (Table &table : tables) {
    measure(table, grader, machine, checked);
    const problem::Problem &problem = *checked.steps[table.steps.front()]->problem;
    const report::Bench bench{
        a, problem, device, gpu ? machine.thresholds.peak(problem.rate_unit()) : std::nullopt, table.points};
    text += (text.empty() ? "" : "\n") + report::bench_to_terminal(bench, {});
    files.push_back({tables.size() == 1 ? "benchmark.csv" : fmt::format("benchmark-{}.csv", problem.name()),
                     report::bench_to_csv(bench)});
  }
  files.push_back({"benchmark.txt", text});
  const auto folder = fs::relative(course.root / "assignments" / a.name);
  const auto roof = roof_of(folder, a, machine.thresholds, device);
  if (roof) {
    const report::Roofline drawn = roofline(course, grader, machine, checked, tables, *roof);
    files.push_back({"roofline.txt", report::roofline_to_terminal(drawn, {})});
    files.push_back({"roofline.svg", report::roofline_to_svg(drawn)});
  }
  if (gpu)
    std::cout << "  ok   benchmark.txt            times on " << for_terminal(device.name) << '\n';
  else
    std::cout
        << "  -    benchmark.txt            counters only: there is no GPU here, so there are no times.\n"
           "                                To include a table of times, pack again on a machine with a "
           "GPU.\n";
  if (!roof)
    std::cout << "  -    roofline.svg             left out: no thresholds file has peak_gflops and "
                 "memory_gb_per_s\n";
  else
    std::cout << "  ok   roofline.svg             "
              << (gpu ? "of this GPU"
                      : fmt::format("roof of {}; rates are measured only on a GPU", roof->gpu))
              << '\n';
  return files;
}

}  // namespace

int pack(const PackOptions &w) {
  if (const std::string wrong = wrong_with_id(w.student); !wrong.empty())
    throw UsageError(fmt::format("'{}' is not a student ID: {}", w.student, wrong));

  const Course course = open_course(w.common, {});
  const course::Assignment &a = course.assignment;
  const fs::path file = fs::path(w.out) / archive_name(w.student, a.name);
  if (!fs::is_directory(w.out)) throw UsageError(fmt::format("--out: there is no folder '{}'", w.out));
  if (const std::string why = why_not_writable(file); !why.empty()) throw UsageError(why);
  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  grading::Grader grader(a, machine->environment, options);
  Checked checked = check(grader, a, course.root, course.submission);
  const score::Score score =
      score::score(a, machine->thresholds, {a.name, "", options.seed, grader.device(), checked.graded});
  if (checked.mistakes > 0 && !w.anyway) {
    fmt::print(
        "\nNothing was packed: {} of the files {} not right. --anyway packs what there is; a step that is "
        "missing "
        "or does\nnot build gets no points.\n",
        checked.mistakes, checked.mistakes == 1 ? "is" : "are");
    return below;
  }
  if (checked.sources.empty())
    throw UsageError(fmt::format("{} contains no file of {}", course.submission.string(), a.name));
  Files files = std::move(checked.sources);
  add_report(files, course.submission);
  for (auto &more : analysis(course, grader, *machine, checked)) files.push_back(std::move(more));
  const std::string bytes = zip(files);
  if (bytes.size() > a.archive_limits.packed_bytes)
    throw UsageError(fmt::format("the archive would have {} bytes, and at most {} are accepted", bytes.size(),
                                 a.archive_limits.packed_bytes));
  write_whole(file, bytes);
  fmt::print("\nWrote {}: {} files, {:.0f} kB. Hand in this file as it is.\n",
             file.lexically_normal().string(), files.size(), static_cast<double>(bytes.size()) / 1000);
  fmt::print("Graded here, it gets {:g} of {:g} points{}.\n", score.points, score.max_points,
             score.ungraded_points > 0 ? fmt::format("; {:g} more wait for a GPU", score.ungraded_points)
                                       : std::string());
  if (!score.without_gpu.empty()) fmt::print("{}\n", score.without_gpu);
  if (checked.open > 0)
    fmt::print("{} of its files {} still to be done: a step that does nothing gets no points.\n",
               checked.open, checked.open == 1 ? "is" : "are");
  return checked.mistakes == 0 && score.full() ? full_score : below;
}

}  // namespace warpgrade::pack
