// ./grade [STEP...]: builds, runs, judges, scores, reports.
#include <fmt/format.h>

#include <limits>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "remote/remote.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

namespace {

/// A service grades as its course says: what would grade in another way is refused rather than ignored.
void refuse_with_remote(const CLI::App &app) {
  for (const char *name : {"--device", "--toolchain", "--seed", "--case", "--size", "--ones", "--no-sandbox",
                           "--note", "--sizes", "--gpu", "--no-timing", "--reveal-hidden"})
    if (app.count(name) > 0)
      throw UsageError(fmt::format(
          "{} has no effect on a service, which grades as the course says; remove it or --remote", name));
  for (const char *name : {"--sarif", "--annotations", "--for", "--gradescope", "--gradescope-metadata"})
    if (app.count(name) > 0)
      throw UsageError(
          fmt::format("{} cannot be used with --remote, because a service does not write that file; "
                      "use --json, --junit or --html, or grade without --remote",
                      name));
}

}  // namespace

int grade_steps(const std::vector<std::string> &words) {
  steps::GradeOptions w;
  std::string other =
      "Grades a submission on the GPU, or on the simulator if there is no GPU.\n"
      "Other commands, each with --help:";
  for (const Command &c : grade_commands())
    if (is_offered(c)) {
      other += fmt::format("\n  {:<10} {}", c.name, c.what);
      w.commands.emplace_back(c.name);
    }
  CLI::App app(other, "grade");
  app.add_option("step", w.steps, "the steps to grade, such as step3; default: all of them");
  add_common_options(app, w.common);
  app.add_option("--json", w.json, "also write the scores to this file (schema warpgrade.score/1)");
  app.add_option("--junit", w.junit, "also write JUnit XML to this file");
  app.add_option("--sarif", w.sarif,
                 "also write SARIF 2.1.0 to this file: the faulty lines, for editors and code hosts");
  app.add_option(
      "--annotations", w.annotations,
      "also write the faulty lines to this file as GitHub's workflow commands, which a workflow prints");
  app.add_option("--for", w.platforms,
                 "also write what a platform expects, such as prairielearn=results.json; more than once for "
                 "several: " +
                     platforms::listed(platforms::names_of(steps::grades_alone), "and"))
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
      "--gradescope", [&w](const std::string &file) { w.platforms.push_back("gradescope=" + file); },
      "the same as --for gradescope=FILE");
  app.add_option("--gradescope-metadata", w.gradescope_metadata,
                 "with --for gradescope: the submission_metadata.json that Gradescope provides")
      ->check(CLI::ExistingFile);
  app.add_option("--note", w.notes,
                 "a remark on what was handed in, for the reports; more than once for several")
      ->allow_extra_args(false);
  app.add_option("--html", w.html,
                 "also write a page for a browser to this file: charts, the source with its figures");
  app.add_option(
         "--sizes", w.sizes,
         "with --html on a GPU: also time accepted steps at these sizes, such as 256:4096:256, for a chart")
      ->delimiter(',');
  app.add_option("--gpu", w.gpu,
                 "without a GPU here: predict speed on this one of assignments/gpus, such as nvidia-t4");
  app.add_flag("--no-timing", w.no_timing, "measure and predict no speed");
  app.add_flag("-v,--verbose", w.verbose,
               "every finding, every case, the compiler's output, and what the code printed");
  app.add_flag("-q,--quiet", w.quiet, "one line per step, and the score");
  app.add_flag("--watch", w.watch, "grade a step again whenever its file is saved, until Ctrl-C");
  app.add_flag("--reveal-hidden", w.reveal_hidden, "show the sizes and values of hidden cases (instructors)");
  bool remote = false;
  std::int64_t attach = 0;
  app.add_flag("--remote", remote, "grade on the course's service, which 'grade login' knows");
  app.add_option("--attach", attach,
                 "with --remote: wait for the submission with this number, and submit nothing")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json", "--junit", "--sarif", "--annotations", "--html"});
  if (!remote && attach > 0) throw UsageError("--attach is for --remote");
  if (remote) {
    refuse_with_remote(app);
    return remote::grade({w.common, w.steps, w.json, w.junit, w.html, w.verbose, w.quiet, w.watch, attach});
  }
  return steps::grade(w);
}

}  // namespace warpgrade::apps
