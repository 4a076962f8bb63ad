#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <semaphore>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/wire.hpp"
#include "build/cache.hpp"
#include "build/files.hpp"
#include "grading/exam.hpp"
#include "platforms/platform.hpp"
#include "predict/for_points.hpp"
#include "report/grades.hpp"
#include "report/html.hpp"
#include "report/prediction.hpp"
#include "report/report.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/html_extras.hpp"
#include "setup/interruption.hpp"
#include "setup/selection.hpp"
#include "setup/sizes.hpp"
#include "steps/debug.hpp"
#include "steps/gradescope_metadata.hpp"
#include "steps/steps.hpp"
#include "steps/watch.hpp"
#include "whatif/kept.hpp"
#include "whatif/promises.hpp"

namespace warpgrade::steps {

namespace {

/// "building step2" on a terminal, nothing in a pipe.
class StepProgress {
 public:
  explicit StepProgress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~StepProgress() { say(""); }
  void say(const std::string &what) const {
    if (shown_) fmt::print(stderr, "\r\x1b[K{}", what);
    if (shown_) std::fflush(stderr);
  }

 private:
  bool shown_;
};

/// Builds go ahead on every core while earlier steps are run.
std::vector<std::future<build::Build>> start_builds(const grading::Grader &grader,
                                                    const std::vector<const course::Step *> &steps,
                                                    const std::filesystem::path &submission,
                                                    std::counting_semaphore<> &slots) {
  std::vector<std::future<build::Build>> builds;
  for (const course::Step *step : steps)
    builds.push_back(std::async(std::launch::async, [&grader, &submission, &slots, step] {
      slots.acquire();
      struct Release {
        std::counting_semaphore<> &slots;
        ~Release() { slots.release(); }
      } release{slots};
      return grader.build(*step, submission);
    }));
  return builds;
}

/// Accepted steps at more sizes; nothing without a GPU, whose times these are.
std::vector<grading::BenchPoint> over_sizes(
    const grading::Grader &grader, const std::vector<std::int64_t> &sizes,
    const std::vector<std::pair<const course::Step *, build::Build>> &accepted,
    const StepProgress &progress) {
  std::vector<grading::BenchPoint> points;
  if (!grader.device().gpu) return points;
  for (const std::int64_t n : sizes) {
    for (const auto &[step, build] : accepted) {
      const problem::Case size = case_of(*step, problem::all_sizes(*step->problem, n));
      progress.say(fmt::format("timing {} at {}", step->id, n));
      points.push_back(grader.bench(*step, build, size));
    }
  }
  progress.say("");
  return points;
}

/// When the grader fails, what was reached before stands: Gradescope asks for a score either way.
std::string for_gradescope(const report::Report &r, const std::string &metadata_file) {
  GradescopeMetadata metadata;
  try {
    if (!metadata_file.empty()) metadata = gradescope_metadata(read_whole(metadata_file));
  } catch (const UsageError &e) {
    fmt::print(stderr, "grade: {}; graded without it\n", e.what());
  }
  const std::string users = fmt::format("{}", fmt::join(metadata.users, ", "));
  platforms::StudentGrades grades = report::grades_of(
      r, metadata.id.empty()
             ? ""
             : fmt::format("submission {}{}", metadata.id, users.empty() ? "" : " of " + users));
  if (metadata.total_points && *metadata.total_points != grades.max_points)
    fmt::print(stderr, "Gradescope has {:g} points for this assignment, and its steps have {:g}\n",
               *metadata.total_points, grades.max_points);
  if (grades.standing == platforms::Standing::grader_error &&
      metadata.best_score_before.value_or(0) > grades.points) {
    grades.points = *metadata.best_score_before;
    grades.notes.push_back(
        fmt::format("The grader failed on a step, so the {} points of an earlier submission count until it "
                    "is graded again.",
                    points(grades.points)));
  }
  return platforms::gradescope.exports.of_student(grades);
}

/// Of each --for NAME=FILE. Throws UsageError.
std::vector<std::pair<const platforms::Platform *, std::string>> platforms_of(const GradeOptions &w) {
  std::vector<std::pair<const platforms::Platform *, std::string>> all;
  for (const std::string &word : w.platforms) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string why = platforms::why_not(name, grades_alone);
    if (why.empty() && (equals == std::string::npos || equals + 1 == word.size()))
      why = fmt::format("the file to write is missing; write {}=FILE", name);
    if (why.empty()) why = why_not_writable(word.substr(equals + 1));
    if (!why.empty()) throw UsageError(fmt::format("--for {}: {}", word, why));
    all.emplace_back(platforms::find(name), word.substr(equals + 1));
  }
  return all;
}

/// What stays the same from one grading to the next.
struct Session {
  const GradeOptions &wanted;
  const Course &course;
  const Machine &machine;
  grading::Options options;
  std::vector<std::int64_t> sizes;                        ///< for the chart of --html
  std::optional<predict::Predictor> predictor;            ///< none: nothing is predicted
  std::optional<predict::Machine> predict_on;             ///< of --gpu
  std::function<void()> is_right = {}, is_measured = {};  ///< of grading::Options
};

bool earns_points(const Session &session) {
  return predict::earns_points(session.course.assignment, session.machine.environment.gpu.has_value());
}

/// The GPU here, the one that was named, or the first with thresholds; nothing if the model does not know it.
std::optional<predict::Machine> predicted_gpu(const Session &session) {
  if (!session.predictor) return std::nullopt;
  if (const auto &gpu = session.machine.environment.gpu) return session.predictor->find_machine(gpu->name);
  if (session.predict_on) return session.predict_on;
  const std::vector<predict::Machine> graded_on = session.predictor->machines();
  return graded_on.empty() ? std::nullopt : std::optional(graded_on.front());
}

/// Whether a person reads the report before its new predictions are there, and these below it: nothing measured is
/// compared with them, they earn no points, and no program or file would lack them.
bool may_come_late(const Session &session) {
  const GradeOptions &w = session.wanted;
  return !session.machine.environment.gpu && !earns_points(session) && w.json.empty() && w.html.empty() &&
         isatty(STDOUT_FILENO) != 0;
}

/// None of a step that is not timed. On a GPU, cases leave cores idle: the prediction is made beside them. Elsewhere
/// they need every core, and a rejected step has no prediction: it is made beside what comes after the cases.
struct Predicting {
  std::optional<predict::StepPrediction> known;  ///< an earlier run made it
  std::future<predict::StepPrediction> made;
};

Predicting start_prediction(const Session &session, const grading::Grader &grader, const course::Step &step,
                            const std::shared_ptr<const build::Build> &build, const predict::Machine &gpu) {
  constexpr int gives_way = 10;
  using Effort = predict::Predictor::Effort;
  const Effort effort = earns_points(session) ? Effort::any : Effort::a_second;
  Predicting one;
  const auto size = step.has_kernel() && build->ok ? session.predictor->timed_size(gpu, step) : std::nullopt;
  if (!size || (one.known = session.predictor->known(grader, step, *build, *size, gpu, effort))) return one;
  one.made = std::async(std::launch::async, [&session, &grader, &step, build, &gpu, size, effort] {
    if (may_come_late(session))
      ::setpriority(PRIO_PROCESS, 0, gives_way);  // of this thread, and of the processes that it starts
    return session.predictor->predict(grader, step, *build, *size, gpu, effort);
  });
  return one;
}

/// The prediction that earns the points of a step that was graded: the one that was made, if it is for the
/// GPU whose thresholds count.
std::optional<grading::PredictedRecord> prediction_for_points(
    const Session &session, const grading::Grader &grader, const course::Step &step,
    const build::Build &build, const grading::StepRecord &record, const predict::StepPrediction *made) {
  const course::Assignment &a = session.course.assignment;
  if (!session.predictor || !earns_points(session)) return std::nullopt;
  if (made != nullptr && made->gpu_id == a.predict_for && step.points.fast > 0)
    return predict::record_of(*made);
  return predict::for_points(*session.predictor, grader, a, step, build, record);
}

void write_files(const Session &session, const report::Report &r,
                 const std::vector<const course::Step *> &steps,
                 const std::map<std::string, report::Recorded> &recordings,
                 const std::function<std::vector<grading::BenchPoint>()> &bench) {
  const GradeOptions &w = session.wanted;
  std::string unwritten;  // a file that cannot be written must not take the others along
  const auto write = [&](const std::string &file, const std::function<std::string()> &render) {
    try {
      if (!file.empty()) write_whole(file, render());
    } catch (const std::exception &e) {
      unwritten = e.what();
    }
  };
  write(w.json, [&] { return report::to_json(r); });
  write(w.junit, [&] { return report::to_junit(r); });
  write(w.sarif, [&] { return report::to_sarif(r); });
  write(w.annotations, [&] {
    return report::to_annotations(r, std::filesystem::relative(session.course.submission).generic_string());
  });
  for (const auto &[platform, file] : platforms_of(w))
    write(file, [&, p = platform] {
      return p == &platforms::gradescope ? for_gradescope(r, w.gradescope_metadata)
                                         : p->exports.of_student(report::grades_of(r, ""));
    });
  write(w.html, [&] {
    const course::Assignment &a = session.course.assignment;
    const auto folder = std::filesystem::relative(session.course.root / "assignments" / a.name);
    return report::to_html(r, {sources_of(steps, session.course.submission),
                               bench(),
                               roof_of(folder, a, session.machine.thresholds, r.record.device),
                               {},
                               recordings});
  });
  if (!unwritten.empty()) throw UsageError(unwritten);
}

/// What readers know the submission by: the folder as it was given, or its real name where that is only dots.
std::string shown_name(const std::filesystem::path &folder) {
  const std::filesystem::path plain = folder.lexically_normal();
  const bool dots = std::all_of(plain.begin(), plain.end(), [](const std::filesystem::path &part) {
    return part.empty() || part == "." || part == "..";
  });
  const std::string name = dots ? std::filesystem::weakly_canonical(folder).filename().string() : "";
  return name.empty() ? folder.string() : name;
}

/// "1 of 23 cases run" where single cases were named, whose points would be no grade; else empty.
std::string not_graded(const grading::Options &options, const std::vector<const course::Step *> &steps) {
  if (options.only.empty()) return "";
  std::size_t run = 0, all = 0;
  for (const course::Step *step : steps) {
    run += options.only.contains(step->id);
    all += static_cast<std::size_t>(std::count_if(step->cases.begin(), step->cases.end(),
                                                  [](const course::Case &c) { return !c.advisory; }));
  }
  return fmt::format("{} of {} cases run", run, std::max(run, all));
}

/// Files of the course that were edited beside the student's: `make` here compiles with them, the grader does
/// not.
std::vector<std::string> edited_files(const Course &course, const std::filesystem::path &starter) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  std::set<std::string> own;
  for (const course::Step &s : course.assignment.steps)
    for (const std::string &file : s.files()) own.insert(file);
  std::vector<std::string> notes;
  for (const std::filesystem::path &name : build::support_files(starter)) {
    const auto mine = read_regular(course.submission / name, most_bytes);
    if (!mine || own.contains(name.string()) || mine == read_regular(starter / name, most_bytes)) continue;
    notes.push_back(fmt::format(
        "your {0} differs from the course's {0}, which is used instead: only the step's files are handed in",
        name.string()));
  }
  return notes;
}

/// The failed case that a report shows, once more on the simulator with a recording for the page. A recording that
/// cannot be made leaves the page without one.
void record_failure(const grading::Grader &grader, const course::Step &step, const build::Build &build,
                    const grading::StepRecord &record, std::map<std::string, report::Recorded> &recordings) {
  constexpr double most_work = 1e8;  // beyond, a second run would take seconds
  if (!build.ok || !step.has_kernel() || record.verdict == judge::Verdict::not_implemented) return;
  const judge::CaseVerdict *shown = nullptr;
  for (const judge::CaseVerdict &c : record.cases) {
    if (!c.ran() || c.advisory || c.visibility != course::Visibility::open ||
        c.verdict == judge::Verdict::accepted || c.verdict == judge::Verdict::time_limit ||
        c.where.find("sim") == std::string::npos || step.problem->work(c.values) > most_work)
      continue;
    if (!shown || judge::telling(c, *step.problem) > judge::telling(*shown, *step.problem)) shown = &c;
  }
  if (!shown) return;
  try {
    grading::Debugging made =
        grader.debug(step, build, shown->smallest ? shown->smallest->values : shown->values, {});
    if (!made.failed || !made.recording || made.recording->events.empty()) return;
    recordings[step.id] = {fmt::format("{} at {}", step.id, step.problem->case_name(made.values)),
                           playback_of(step, std::move(made), build.source)};
  } catch (const std::exception &) {
  }
}

/// What is kept from one report to the next, below the cache; empty where nothing can be kept.
std::filesystem::path kept(const char *what) {
  const std::filesystem::path cache = cache_folder();
  return cache.empty() ? cache : cache / what;
}

/// Stands for what the assignment was read from.
std::string contract_of(const Course &course) {
  const std::filesystem::path folder = course.root / "assignments" / course.assignment.name;
  Writer files;
  for (const char *name : {"assignment.yaml", "hidden.yaml"})
    files.put_string(name).put_string(read_or_empty(folder / name));
  return build::name_of(files.bytes());
}

/// Builds, runs, judges, scores and reports these steps; gives the exit status.
int grade_once(Session &session, grading::Grader &grader, const std::vector<const course::Step *> &steps) {
  const GradeOptions &w = session.wanted;
  const Course &course = session.course;
  const course::Assignment &a = course.assignment;
  grading::SubmissionRecord record{
      a.name, shown_name(course.submission), session.options.seed, grader.device(), {}, w.notes, {}};
  for (std::string &note : edited_files(course, session.machine.environment.starter))
    record.notes.push_back(std::move(note));
  const StepProgress progress(w.quiet);
  std::counting_semaphore<> slots(session.options.threads);
  std::vector<std::pair<const course::Step *, build::Build>> accepted;
  const std::optional<predict::Machine> gpu = predicted_gpu(session);
  std::map<std::string, predict::StepPrediction> predictions;
  struct Late {
    const course::Step *step;
    std::string source;
    std::future<predict::StepPrediction> made;
  };
  std::vector<Late> late;
  const auto note = [&](const course::Step &step, const std::string &source,
                        predict::StepPrediction made) -> const predict::StepPrediction & {
    predict::StepPrediction &p = predictions.emplace(step.id, std::move(made)).first->second;
    whatif::remember(kept("promises"), course.submission, a.name, source, p);
    return p;
  };
  std::map<std::string, report::Recorded> recordings;
  grader.set_up_gpu_for(*steps.front());
  auto builds = start_builds(grader, steps, course.submission, slots);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    try {
      progress.say(fmt::format("building {}", steps[i]->id));
      const auto references = grader.expect(*steps[i]);
      const auto build = std::make_shared<const build::Build>(builds[i].get());
      progress.say(fmt::format("running {}", steps[i]->id));
      Predicting prediction;
      const auto predict = [&] {
        if (gpu) prediction = start_prediction(session, grader, *steps[i], build, *gpu);
        session.is_right = {};
      };
      session.is_right = predict;
      session.is_measured = [&, next = i + 1] {
        if (next < steps.size()) grader.set_up_gpu_for(*steps[next]);
      };
      if (session.machine.environment.gpu) predict();
      record.steps.push_back(grader.grade(*steps[i], *build, course.submission, [&] {
        if (prediction.made.valid()) prediction.made.wait();
      }));
      session.is_right = session.is_measured = {};
      if (!w.html.empty()) record_failure(grader, *steps[i], *build, record.steps.back(), recordings);
      if (record.steps.back().verdict != judge::Verdict::accepted || !steps[i]->has_kernel()) continue;
      if (!session.sizes.empty()) accepted.emplace_back(steps[i], *build);
      const predict::StepPrediction *made = nullptr;
      if (prediction.known) made = &note(*steps[i], build->source, std::move(*prediction.known));
      if (prediction.made.valid() && may_come_late(session)) {
        late.push_back({steps[i], build->source, std::move(prediction.made)});
      } else if (prediction.made.valid()) {
        progress.say(fmt::format("predicting {}", steps[i]->id));
        made = &note(*steps[i], build->source, prediction.made.get());
      }
      record.steps.back().predicted =
          prediction_for_points(session, grader, *steps[i], *build, record.steps.back(), made);
    } catch (const std::bad_alloc &) {
      session.is_right = session.is_measured = {};
      record.steps.push_back(grading::our_failure(*steps[i], "this machine has too little memory for it"));
    } catch (const std::exception &e) {
      session.is_right = session.is_measured = {};
      record.steps.push_back(grading::our_failure(*steps[i], e.what()));
    }
  }
  progress.say("");
  if (w.steps.empty())
    for (const course::Step &exam : a.exams) record.steps.push_back(grading::exam_to_come(exam));

  const score::Score score = score::score(a, session.machine.thresholds, record);
  if (!score.without_gpu.empty()) record.notes.push_back(score.without_gpu);
  const report::Report report{a,
                              session.machine.thresholds,
                              record,
                              score,
                              command_again(w.common, a, course.submission, "{step}"),
                              w.reveal_hidden,
                              not_graded(session.options, steps),
                              &predictions};
  const std::string text = report::to_terminal(report, terminal_style(w.verbose, w.quiet));
  try {
    write_files(session, report, steps, recordings,
                [&] { return over_sizes(grader, session.sizes, accepted, progress); });
  } catch (const UsageError &) {  // the result is not lost
    std::cout << text << std::flush;
    throw;
  }
  std::cout << text << std::flush;
  for (auto &[step, source, prediction] : late) {
    progress.say(fmt::format("predicting {}", step->id));
    try {
      note(*step, source, prediction.get());
    } catch (const std::exception &) {  // the step is graded and shown; it has no prediction today
      progress.say("");
      continue;
    }
    progress.say("");
    std::cout << report::late_prediction_to_terminal(report, step->id, terminal_style(w.verbose, w.quiet))
              << std::flush;
  }
  const bool ours = std::any_of(record.steps.begin(), record.steps.end(), [](const grading::StepRecord &s) {
    return s.verdict == judge::Verdict::grader_error;
  });
  return ours ? grader_failed : score.full() ? full_score : below;
}

/// Grades the steps, then each again whenever its file is saved. Ctrl-C ends it, with the status of the last.
int grade_and_watch(Session &session, const std::vector<const course::Step *> &steps) {
  const Course &course = session.course;
  const FilesOfSteps files(steps, course.submission);
  Watch watch(files.all());
  // The GPU is released while waiting; the simulator's references are worth keeping.
  std::unique_ptr<grading::Grader> grader;
  int status = full_score;
  for (std::vector<const course::Step *> now = steps;;) {
    if (!grader || session.machine.environment.gpu)
      grader =
          std::make_unique<grading::Grader>(course.assignment, session.machine.environment, session.options);
    try {
      status = grade_once(session, *grader, now);
    } catch (const UsageError &e) {  // a report that could not be written; the next one may be
      fmt::print(stderr, "grade: {}\n", for_terminal(e.what(), true));
      status = usage;
    }
    if (session.machine.environment.gpu) grader.reset();
    const Interruption interruption;  // before anybody is told how to end it
    fmt::print(stderr, "Waiting until {} is saved; Ctrl-C ends.\n",
               files.all().size() == 1 ? files.all().front().filename().string()
                                       : fmt::format("one of {} files", files.all().size()));
    const auto saved = watch.next(interruption.descriptor());
    if (!saved || interruption.signal()) return status;
    now = files.using_any(*saved);
    std::vector<std::string> names;
    for (const std::filesystem::path &file : *saved) names.push_back(file.filename().string());
    if (isatty(STDOUT_FILENO)) fmt::print("\x1b[H\x1b[2J\x1b[3J");
    fmt::print("\nSaved: {}\n", fmt::join(names, ", "));
    std::fflush(stdout);
  }
}

/// The course, with every step that was named. A word that is not a step may be a mistyped command.
Course open_steps(const GradeOptions &w) {
  const auto meant = [&](const std::string &word) { return nearest(word, w.commands); };
  try {
    Course course = open_course(w.common, w.steps);
    pick_steps(course.assignment, w.steps);
    return course;
  } catch (const UnknownStep &e) {
    const bool step = std::string_view(e.what()).find("did you mean") != std::string_view::npos;
    if (step || meant(e.word).empty()) throw;
    throw UsageError(
        fmt::format("there is no step or command '{}'; did you mean 'grade {}'?", e.word, meant(e.word)));
  }
}

}  // namespace

int grade(const GradeOptions &w) {
  auto machine_begun = begin_to_look(!w.common.no_sandbox);
  const Course course = open_steps(w);
  const course::Assignment &a = course.assignment;
  const std::vector<const course::Step *> steps = pick_steps(a, w.steps);
  const std::vector<std::int64_t> sizes = sizes_of(w.sizes);
  if (!sizes.empty() && w.html.empty())
    throw UsageError("--sizes is for the chart of --html; 'grade bench' makes a table of them");
  const bool is_grade = !platforms_of(w).empty();
  if (is_grade && !(w.common.one.empty() && w.common.size.empty()))
    throw UsageError("--for reports a grade, which takes more than one case; remove --case or --size");
  const auto machine = look_at_machine(std::move(machine_begun), course.root, a, w.common.device_choice(),
                                       toolchain_named(w.common.toolchain));
  Session session{w, course, *machine, grading_options(w.common, a), sizes, {}, {}};
  session.options.measure = !w.no_timing;
  // Energy takes as long as all else that is measured: for reports that are kept.
  const bool kept_report = !w.html.empty() || !w.json.empty();
  session.options.energy_seconds = w.no_timing || !kept_report ? 0 : 1.3;
  session.options.prove = w.verbose || !w.html.empty();
  // Knowing the inputs must not earn points, and the course's seed is public.
  if (is_grade && !w.common.seed) session.options.seed = fresh_seed() >> 11;  // exact in JSON
  for (const course::Step *step : steps)
    if (auto one = w.common.one_case(*step)) session.options.only.emplace(step->id, std::move(*one));
  // A seed that nobody chose is never used again, and neither is what a search finds with it.
  if (!is_grade || w.common.seed) session.options.kept = {kept("searches"), contract_of(course)};
  session.options.is_right = [&session] {
    if (const auto right = session.is_right) right();
  };
  session.options.is_measured = [&session] {
    if (const auto measured = session.is_measured) measured();
  };
  const bool read = !w.quiet || !w.json.empty() || !w.html.empty();
  if (!w.no_timing && session.options.only.empty() && ((read && !is_grade) || earns_points(session)))
    session.predictor.emplace(course.root, a, machine->all_thresholds).further = whatif::promise;
  if (session.predictor && !earns_points(session) && !kept("predictions").empty())
    session.predictor->keep_in(kept("predictions"), session.options.seed);
  try {
    if (!w.gpu.empty()) session.predict_on = predict::Predictor(course.root, a).machine(w.gpu);
  } catch (const std::invalid_argument &e) {
    throw UsageError(e.what());
  }
  if (w.watch) return grade_and_watch(session, steps);
  grading::Grader grader(a, machine->environment, session.options);
  return grade_once(session, grader, steps);
}

}  // namespace warpgrade::steps
