// ./gradebook run SUBMISSIONS --assignment hw6 --out DIR: grades a class; the same command continues.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <system_error>

#include "apps/class_files.hpp"
#include "apps/class_run.hpp"
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/text.hpp"
#include "batch/take_in.hpp"

namespace warpgrade::apps {

namespace fs = std::filesystem;

namespace {

bool lies_within(const fs::path &folder, const fs::path &other) {
  const fs::path inner = fs::weakly_canonical(folder), outer = fs::weakly_canonical(other);
  const fs::path relative = inner.lexically_relative(outer);
  return !relative.empty() && *relative.begin() != "..";
}

/// Gives how many handins there were; fewer than there are when interrupted.
std::size_t take_in(batch::Store &store, const fs::path &submissions, const course::Assignment &a,
                    batch::TakeInOptions options, const Interruption &interruption) {
  struct Interrupted {};
  std::size_t handins = 0;
  options.surveyed = [](const batch::Survey &survey) {
    const auto handed_in = survey.handins - survey.missing;
    fmt::print(stderr, "{} submission{}, layout {}{}", handed_in, handed_in == 1 ? "" : "s", survey.layout,
               survey.decided ? " (by the names; --layout says otherwise)" : "");
    if (survey.superseded > 0) fmt::print(stderr, ", {} superseded by later ones", survey.superseded);
    if (survey.missing > 0) fmt::print(stderr, ", {} of the roster handed in nothing", survey.missing);
    fmt::print(stderr, "\n");
    for (const std::string &remark : survey.remarks) fmt::print(stderr, "  {}\n", for_terminal(remark));
  };
  try {
    batch::take_in(submissions, a, options, [&](const batch::Handin &handin) {
      if (interruption.signal()) throw Interrupted();
      store.take_in(handin);
      ++handins;
    });
  } catch (const Interrupted &) {
  } catch (const std::system_error &e) {
    throw UsageError(fmt::format("{}. Nothing of this run was graded", e.what()));
  }
  store.finish_taking_in();
  return handins;
}

}  // namespace

int gradebook_run(const std::vector<std::string> &words) {
  GradingWords w;
  std::string submissions, out;
  CLI::App app(
      "Grades a class: builds and runs every file that was handed in, and writes DIR/grades.csv, "
      "DIR/reports/<student>/\nand DIR/gradebook.db. Interrupted in whatever way, the same command "
      "continues.",
      "gradebook run");
  app.add_option("submissions", submissions,
                 "a folder of folders or archives, an archive of them, or what a platform exports")
      ->required();
  app.add_option("--assignment", w.assignment, "which one, such as hw6")->required();
  app.add_option("--out", out, "the folder of the class; made if it is not there")->required();
  app.add_option(
      "--seed", w.seed,
      "of the random inputs; drawn by the operating system when a class is begun, and kept with it. "
      "Each file gets\none of its own from it");
  batch::TakeInOptions options;
  app.add_option(
      "--layout", options.layout,
      fmt::format("how submissions are named: {}; otherwise as assignment.yaml says, or as they look",
                  fmt::join(course::layout_names(), ", ")));
  app.add_option("--roster", options.roster,
                 "a CSV of the class: who is on it and handed in nothing gets a row")
      ->check(CLI::ExistingFile);
  add_grading_options(app, w);
  if (const auto status = parse(app, words)) return *status;

  if (!fs::exists(submissions)) throw UsageError(fmt::format("there is no '{}'", submissions));
  if (lies_within(out, submissions))
    throw UsageError(
        fmt::format("--out {}: it may not lie in {}, whose folders are submissions", out, submissions));
  ClassCourse course = open_class_course(w.assignment);
  batch::Store store(out, batch::Store::Access::create);
  remove_unfinished(store.folder());
  if (const auto info = store.info(); info && info->assignment != course.assignment.name)
    throw UsageError(
        fmt::format("{} holds a class of {}: name another folder with --out", out, info->assignment));
  const Interruption interruption;
  const auto interrupted = [&interruption] {
    fmt::print(stderr, "interrupted; what is graded is kept, and the same command continues\n");
    return 128 + interruption.signal().value_or(2);
  };
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w, interruption);
  if (!prepared) return interrupted();
  const ClassGrader &grader = *prepared;
  announce(store, grader);
  const std::size_t handins = take_in(store, submissions, grader.course.assignment, options, interruption);
  if (handins == 0 && !interruption.signal())
    throw UsageError(fmt::format(
        "{} holds no submissions: a folder or an archive for each student is expected", submissions));
  fmt::print(stderr, "graded on {}, seed {}\n", batch::device_of(store, grader.course.assignment).name,
             grader.seed);
  const bool finished = !interruption.signal() && grade_pending(store, grader, interruption);
  return finished ? conclude_class(store, grader.course) : interrupted();
}

}  // namespace warpgrade::apps
