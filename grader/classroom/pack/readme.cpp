#include "pack/readme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "pack/package.hpp"

namespace warpgrade::pack {

namespace {

/// For a cell of a table in Markdown, where a bar would end the cell.
std::string cell_text(const std::string &text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

std::string quoted_names(const std::vector<std::string> &names) {
  std::vector<std::string> quoted;
  for (const std::string &name : names) quoted.push_back('`' + name + '`');
  return fmt::format("{}", fmt::join(quoted, ", "));
}

/// "`a`", "`a` and `b`", "`a`, `b` and `c`"
std::string listed_names(std::vector<std::string> names) {
  if (names.size() < 2) return quoted_names(names);
  const std::string last = names.back();
  names.pop_back();
  return quoted_names(names) + " and `" + last + '`';
}

/// What students hand in, each file once: kernels, then answers.
std::vector<std::string> student_files(const course::Assignment &a, bool kernels) {
  std::vector<std::string> files;
  for (const course::Step &step : a.steps)
    if (!step.beyond && step.has_kernel() == kernels)
      for (const std::string &file : step.files())
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  return files;
}

std::string introduction_of(const course::Assignment &a, const KitContents &kit) {
  std::vector<std::string> headers;
  for (const std::string &file : kit.support)
    if (file.ends_with(".h")) headers.push_back(file);
  const bool hunts =
      std::any_of(a.steps.begin(), a.steps.end(), [](const auto &s) { return s.hunt.has_value(); });
  std::string text = fmt::format(fmt::runtime(hunts ? "# {}: {}\n\nEach of these files has one fault: {}. "
                                                      "Name its line and its cause at the top of the "
                                                      "file, and fix it."
                                                    : "# {}: {}\n\nFill in the numbered gaps in {}."),
                                 a.name, a.title, listed_names(student_files(a, true)));
  if (const auto answers = student_files(a, false); !answers.empty())
    text += fmt::format(" Write your answers to the questions into {}.", listed_names(answers));
  if (!headers.empty())
    text += fmt::format(" {} {} what each function must do.", listed_names(headers),
                        headers.size() == 1 ? "says" : "say");
  if (!kit.handouts.empty())
    text += fmt::format(" The handout ({}) explains why, and how your work is graded.",
                        quoted_names(kit.handouts));
  return text + "\n";
}

constexpr std::string_view needs = R"md(
The Tab key completes steps and options after `eval "$(./grade completion bash)"` (or `zsh`).

You need Linux on x86-64 or 64-bit Arm (WSL works too), g++, make, and a CUDA C++ compiler: either clang
(`sudo apt-get install clang`) or nvcc from the CUDA Toolkit 12 or 13. If both are installed, nvcc is used. You do not need a
GPU: without one, your kernels run on a simulator, and only points for speed wait. `./grade doctor` says what is missing and how
to fix it. If `./grade` ends with `GLIBC_2... not found`, your Linux is older than the one that your course supports: use a
newer one.
)md";

std::string commands_of(const course::Assignment &a, const KitContents &kit) {
  const auto first = std::find_if(a.steps.begin(), a.steps.end(),
                                  [](const auto &step) { return !step.beyond && step.has_kernel(); });
  const std::string step = first == a.steps.end() ? "STEP" : first->id;
  std::string text = "\n## Building and running\n\n";
  const auto add = [&](const std::string &command, const std::string &what) {
    text += fmt::format("    {:<32} # {}\n", command, what);
  };
  add("./grade doctor", "does this machine have what it needs?");
  add("./grade list", "the steps, their files, points and rules");
  add("make", "compiles every file, as the grader does");
  add("./grade", "grades everything: is it right, how fast is it, what does it score?");
  add("./grade " + step, "grades one step");
  add("./grade --watch " + step, "the same again whenever you save the file");
  add("./grade explain " + step, "which lines are slow, and why");
  add("./grade quiz " + step, "questions about your own kernel");
  if (first != a.steps.end() && !first->headers.empty())
    add("./grade tune --help", "tries several values of your constants and measures them");
  if (!a.driver.empty()) add(fmt::format("./grade {} --help", a.driver), "runs one kernel with any geometry");
  if (kit.report) add("./grade report", "fills in the measurements of report.md");
  add("./grade package 20261234",
      fmt::format("grades everything and writes {} to hand in", archive_name("20261234", a.name)));
  add("./grade --help", "the rest");
  const std::string_view waits = ", and only points for speed wait.";
  std::string rest(needs);
  if (a.without_gpu != course::WithoutGpu::leave) rest.replace(rest.find(waits), waits.size(), ".");
  return text + rest;
}

std::string files_of(const course::Assignment &a, const KitContents &kit) {
  std::string text = "\n## Files\n\n| file | |\n|---|---|\n";
  const auto add = [&](const std::string &files, const std::string &what) {
    text += fmt::format("| {} | {} |\n", files, what);
  };
  add(quoted_names(student_files(a, true)), "yours, and graded");
  if (const auto answers = student_files(a, false); !answers.empty())
    add(quoted_names(answers), "yours, and graded: your answers to the questions");
  if (kit.report)
    add("`report.md`", "yours: `./grade report` fills its tables and plots, and you write the text");
  if (!kit.support.empty())
    add(quoted_names(kit.support),
        "how your files are compiled, and what each function must do. The grader uses its own copies in "
        "`starter/`: changes to these have no effect on your grade");
  if (!kit.handouts.empty()) add(quoted_names(kit.handouts), "the handout");
  add(fmt::format("`{}.ipynb`", a.name), "the same files as a notebook for Jupyter and Colab");
  add("`assignments/`", "points, cases, rules and the speed thresholds of each GPU");
  add(fmt::format("`starter/{}/`", a.name), "the files as you got them, in case you want to start one over");
  add("`grade`, `bin/`", "the grader");
  add("`cuda/`", "headers with which clang compiles if there is no CUDA Toolkit");
  add("`.clangd`, `.vscode/`, `.devcontainer/`",
      "for editors: CUDA without false errors. If the CUDA Toolkit is not in `/usr/local/cuda`, change the "
      "path in `.clangd`");
  return text;
}

std::string points_of(const course::Assignment &a) {
  const auto any = [&](double course::Points::*part) {
    return std::any_of(a.steps.begin(), a.steps.end(), [&](const auto &s) { return s.points.*part > 0; });
  };
  const bool fast = any(&course::Points::fast), counters = any(&course::Points::counters),
             answers = any(&course::Points::answers), proof = any(&course::Points::proof);
  std::string text = fmt::format(
      "\n## Points\n\n| step | file | | correct |{}{}{}{} points |\n|---|---|---|--:|{}{}{}{}--:|\n",
      counters ? " counters |" : "", proof ? " proof |" : "", fast ? " speed |" : "",
      answers ? " line, cause |" : "", counters ? "--:|" : "", proof ? "--:|" : "", fast ? "--:|" : "",
      answers ? "--:|" : "");
  std::vector<course::Step> all = a.steps;
  all.insert(all.end(), a.exams.begin(), a.exams.end());
  for (const course::Step &step : all) {
    if (step.beyond) continue;
    text +=
        fmt::format("| `{}` | {} | {}{} | {:g} |", step.id, step.viva ? "none" : '`' + step.file + '`',
                    cell_text(step.title), step.extra_credit ? " (extra credit)" : "", step.points.correct);
    if (counters) text += fmt::format(" {:g} |", step.points.counters);
    if (proof) text += fmt::format(" {:g} |", step.points.proof);
    if (fast) text += fmt::format(" {:g} |", step.points.fast);
    if (answers) text += fmt::format(" {:g} |", step.points.answers);
    text += fmt::format(" {:g} |\n", step.points.total());
  }
  text += fmt::format("\n{:g} points in all{}.", a.points,
                      a.extra_credit > 0 ? fmt::format(", and {:g} of extra credit", a.extra_credit) : "");
  if (counters)
    text += fmt::format(
        " Counters measure how efficiently a kernel uses memory and warps; "
        "`assignments/{}/assignment.yaml` has their limits.",
        a.name);
  if (proof)
    text +=
        " Points for a proof need a property that `./grade prove STEP` calls proved for all sizes; what is "
        "not "
        "decided earns none.";
  if (fast)
    text += a.without_gpu == course::WithoutGpu::rescale
                ? " Without a GPU, the points of a step are those for everything but speed, scaled to its "
                  "maximum, and reports say so (`without_gpu: rescale`)."
            : a.without_gpu == course::WithoutGpu::predicted
                ? fmt::format(
                      " Without a GPU, the rate that is predicted for `{}` earns the points for speed, and "
                      "reports say so (`without_gpu: predicted`).",
                      a.predict_for)
                : " Points for speed need a GPU.";
  return text + "\n";
}

}  // namespace

std::string make_readme(const course::Assignment &a, const KitContents &kit) {
  return introduction_of(a, kit) + commands_of(a, kit) + files_of(a, kit) + points_of(a);
}

}  // namespace warpgrade::pack
