#include "sanitize/sanitize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/device_lock.hpp"
#include "grading/step_grader.hpp"
#include "report/text.hpp"
#include "sanitize/compare.hpp"
#include "sanitize/sanitizer.hpp"

namespace warpgrade::sanitize {
namespace {

constexpr const char *what_the_tools_look_for =
    "memcheck looks for accesses outside of memory, racecheck for races in shared memory, initcheck for "
    "reads of uninitialised global memory, synccheck for invalid use of barriers. The simulator looks for "
    "all of these, in all memory.";

std::vector<Tool> tools_named(const std::vector<std::string> &names) {
  std::vector<Tool> tools;
  for (const Tool tool : all_tools)
    if (names.empty() || std::find(names.begin(), names.end(), name_of(tool)) != names.end())
      tools.push_back(tool);
  return tools;
}

std::vector<simt::Diagnostic> findings_of_ours(const grading::Environment &environment,
                                               const course::Assignment &a, const grading::Options &options,
                                               const build::Build &build, const plan::LaunchPlan &plan,
                                               const std::vector<run::HostBuffer> &inputs,
                                               std::string &why_not) {
  run::SimulateOptions how = grading::simulate_options(a, options);
  how.warp_instructions *= 100;  // whoever names a size waits for it
  run::Simulator simulator(environment.simulator, build.fatbin, grading::simulator_limits(a.limits));
  run::Run run = simulator.simulate(plan, inputs, how);
  const bool said =
      std::any_of(run.diagnostics.begin(), run.diagnostics.end(),
                  [](const simt::Diagnostic &d) { return d.severity == simt::Severity::error; });
  if (run.end != run::End::completed && !said) why_not = run.message;
  return std::move(run.diagnostics);
}

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string in_words(const Finding &f) {
  std::string text = f.line > 0 ? fmt::format("{}:{}: ", for_terminal(f.file), f.line) : std::string();
  text += for_terminal(f.what);
  if (f.other_line > 0) text += fmt::format(", the other at line {}", f.other_line);
  if (!f.detail.empty()) text += fmt::format(" ({})", for_terminal(f.detail));
  if (!f.thread.empty())
    text += fmt::format("; thread {} of block {}", for_terminal(f.thread), for_terminal(f.block));
  return text + "; " + times(f.times);
}

std::string in_words(const simt::Diagnostic &d) {
  const auto triple = [](const simt::Dim3 &at) { return fmt::format("({},{},{})", at.x, at.y, at.z); };
  std::string text = d.here.at.line > 0 ? fmt::format("{}:{}: ", for_terminal(d.here.at.file), d.here.at.line)
                                        : std::string();
  text += for_terminal(d.message);
  return text + fmt::format("; thread {} of block {}; {}", triple(d.here.thread), triple(d.here.block),
                            times(d.count));
}

void print_line(const std::string &label, const std::string &text, std::size_t columns) {
  const std::string indent(4 + label.size(), ' ');
  bool first = true;
  for (const std::string &line : report::wrap(text, std::max<std::size_t>(columns, 60) - indent.size())) {
    fmt::print("{}{}\n", first ? "  " + label + "  " : indent, line);
    first = false;
  }
}

void print_report(const ToolReport &report, const std::vector<simt::Diagnostic> &ours, std::size_t columns,
                  bool simulated) {
  fmt::print("\n{}\n", name_of(report.tool));
  if (!report.why_not.empty()) return print_line("not run", report.why_not, columns);
  const std::vector<Row> rows = compare(report, ours);
  if (rows.empty() && report.findings.empty())
    fmt::print("  {}\n",
               simulated ? "neither this tool nor the simulator found anything" : "this tool found nothing");
  for (const Row &row : rows) {
    if (row.theirs) print_line("GPU      ", in_words(*row.theirs), columns);
    if (row.ours) print_line("simulator", in_words(*row.ours), columns);
    if (row.by == SeenBy::sanitizer && simulated)
      fmt::print("             The simulator finds nothing like it at this line.\n");
    if (row.by == SeenBy::simulator && report.whole)
      fmt::print("             {} finds nothing like it at this line.\n", name_of(report.tool));
  }
}

nlohmann::json as_json(const Finding &f) {
  return {{"what", for_json(f.what)},
          {"detail", for_json(f.detail)},
          {"kernel", for_json(f.kernel)},
          {"file", for_json(f.file)},
          {"line", f.line},
          {"other_line", f.other_line},
          {"thread", for_json(f.thread)},
          {"block", for_json(f.block)},
          {"warning", f.warning},
          {"times", f.times}};
}

nlohmann::json as_json(const simt::Diagnostic &d) {
  return {{"code", simt::name_of(d.code)},  {"severity", simt::name_of(d.severity)},
          {"message", for_json(d.message)}, {"file", for_json(d.here.at.file)},
          {"line", d.here.at.line},         {"times", d.count}};
}

std::string to_json(const std::string &assignment, const std::string &step, const std::string &size,
                    const std::string &device, const std::vector<ToolReport> &reports,
                    const std::vector<simt::Diagnostic> &ours) {
  nlohmann::json all{{"schema", "warpgrade.sanitize/1"},
                     {"assignment", assignment},
                     {"step", step},
                     {"case", size},
                     {"device", device}};
  all["tools"] = nlohmann::json::array();
  for (const ToolReport &report : reports) {
    nlohmann::json one{{"tool", name_of(report.tool)}, {"why_not", for_json(report.why_not)}};
    one["findings"] = nlohmann::json::array();
    for (const Finding &f : report.findings) one["findings"].push_back(as_json(f));
    all["tools"].push_back(std::move(one));
  }
  all["simulator"] = nlohmann::json::array();
  for (const simt::Diagnostic &d : ours) all["simulator"].push_back(as_json(d));
  return all.dump(2) + "\n";
}

}  // namespace

int sanitize_step(const SanitizeOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade sanitize step1");
  const auto program = profile::find_cuda_program("compute-sanitizer");
  if (!program)
    throw UsageError(
        "there is no compute-sanitizer on PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin: it comes with "
        "the CUDA "
        "Toolkit. Without it, ./grade looks for the same mistakes on the simulator.");
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const problem::Case c = w.common.case_to_look_at(step);
  if (step.problem->devices(c) > 1)
    throw UsageError(
        fmt::format("{} is for several GPUs, and compute-sanitizer looks at one: './grade {}' looks for the "
                    "same mistakes "
                    "on the simulator, and for races between devices",
                    step.id, step.id));
  const auto machine = look_at_machine(course.root, a, DeviceChoice::gpu, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  const build::Build build = grader.build(step, course.submission);
  try {
    profile::ReplayRequest request;
    request.device = machine->environment.gpu->index;
    request.fat_binary = build.fatbin;
    request.plan = grader.plan(step, build, c);
    request.problem = step.problem->name();
    request.size = c;
    request.seed = options.seed;
    request.run_seconds = w.seconds;
    request.scratch_bytes = a.limits.plan.scratch_bytes;
    request.bare = true;
    const std::size_t columns = terminal_style().columns;
    fmt::print("{} {} at {} on {}\n\n", a.name, step.id, step.problem->case_name(c), grader.device().name);
    for (const std::string &line : report::wrap(what_the_tools_look_for, columns)) fmt::print("{}\n", line);
    std::string why_not;
    const std::vector<simt::Diagnostic> ours =
        findings_of_ours(grading::for_step(machine->environment, step), a, options, build, request.plan,
                         step.problem->inputs(c, options.seed), why_not);
    if (!why_not.empty())
      print_line("simulator", "it did not run to its end: " + for_terminal(why_not), columns);
    std::optional<gpu::DeviceLock> lock;
    if (const std::string &folder = machine->environment.lock_directory; !folder.empty())
      lock.emplace(folder, *machine->environment.gpu, 600, gpu::DeviceLock::Use::together);
    if (lock && !lock->held())
      throw std::runtime_error("another grader has been measuring on this GPU for 10 minutes");
    const Sanitizer sanitizer(*program);
    std::vector<ToolReport> reports;
    bool found = false;
    for (const Tool tool : tools_named(w.tools)) {
      ToolReport report{tool, {}, {}, true};
      try {
        Log log = sanitizer.look(tool, request, w.seconds);
        // After an access outside of memory, the GPU gives up the rest of the launch.
        report.whole = log.unprinted == 0 && (tool != Tool::memcheck || log.findings.empty());
        report.findings = std::move(log.findings);
      } catch (const SanitizerError &e) {
        report.why_not = e.what();
      }
      print_report(report, ours, columns, why_not.empty());
      found |= !report.findings.empty();
      reports.push_back(std::move(report));
    }
    if (!w.json.empty())
      write_whole(w.json,
                  to_json(a.name, step.id, step.problem->case_name(c), grader.device().name, reports, ours));
    found |= std::any_of(ours.begin(), ours.end(),
                         [](const simt::Diagnostic &d) { return d.severity == simt::Severity::error; });
    if (found) return below;
    const bool all_ran =
        why_not.empty() &&
        std::all_of(reports.begin(), reports.end(), [](const ToolReport &r) { return r.why_not.empty(); });
    return all_ran ? full_score : grader_failed;
  } catch (const std::runtime_error &e) {
    fmt::print("{} cannot be run: {}\nRun '{}' for details.\n", step.id, for_terminal(e.what(), true),
               command_again(w.common, a, course.submission, step.id));
    return below;
  }
}

}  // namespace warpgrade::sanitize
