#include "setup/selection.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <thread>

#include "base/text.hpp"
#include "grading/alone.hpp"
#include "setup/nearest_step.hpp"

namespace warpgrade {

DeviceChoice Common::device_choice() const {
  return device == "gpu"   ? DeviceChoice::gpu
         : device == "sim" ? DeviceChoice::simulator
                           : DeviceChoice::automatic;
}

std::optional<course::Case> Common::one_case(const course::Step &step) const {
  const std::string &text = one.empty() ? size : one;
  if (text.empty() && !ones.empty()) throw UsageError("--ones is about one case; name it with --case");
  if (text.empty()) return std::nullopt;
  try {
    course::Case c;
    c.values = problem::parse_case(*step.problem, text, step.with);
    c.name = step.problem->case_name(c.values);
    if (!ones.empty())  // refuses elements that are not there
      grading::alone(*step.problem, c.values, step.problem->inputs(c.values, 0),
                     grading::split_elements(ones));
    return c;
  } catch (const std::invalid_argument &e) {
    throw UsageError(e.what());
  }
}

problem::Case Common::case_to_look_at(const course::Step &step) const {
  const auto named = one_case(step);
  return named ? named->values : step.counters_on;
}

Course open_course(const Common &c, const std::vector<std::string> &steps) {
  Course course;
  course.root = find_root();
  std::optional<course::Assignment> read;
  const std::string name =
      c.assignment.empty() ? guess_assignment(course.root, steps, c.submission, &read) : c.assignment;
  const std::vector<std::string> names = assignment_names(course.root);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(names, ", ")));
  // Named as a person would name it, for messages.
  course.assignment =
      read ? std::move(*read)
           : course::read_assignment(std::filesystem::relative(course.root / "assignments" / name));
  course.submission = c.submission.empty() ? guess_submission(course.root, course.assignment, steps)
                                           : std::filesystem::path(c.submission);
  if (!std::filesystem::is_directory(course.submission))
    throw UsageError(fmt::format("--submission: there is no folder '{}'", course.submission.string()));
  return course;
}

problem::Case case_of(const course::Step &step, const problem::Given &given) {
  try {
    return problem::complete(*step.problem, given, step.with);
  } catch (const std::invalid_argument &e) {
    throw UsageError(fmt::format("{} has no such case: {}", step.id, e.what()));
  }
}

const course::Step &find_step(const course::Assignment &a, const std::string &id) {
  if (const course::Step *found = a.find_step(id)) return *found;
  const std::string meant = nearest_step(id, a);
  const std::filesystem::path root = find_root();
  std::vector<std::string> ids;
  for (const course::Step &s : a.steps)
    if (is_there(root, a, s)) ids.push_back(s.id);
  throw UnknownStep(
      id, fmt::format("{} has no step '{}'{} (it has: {})", a.name, id,
                      meant.empty() ? "" : fmt::format("; did you mean {}?", meant), fmt::join(ids, ", ")));
}

const course::Step &find_kernel(const course::Assignment &a, const std::string &id) {
  const course::Step &step = find_step(a, id);
  if (!step.has_kernel())
    throw UsageError(fmt::format("{} is {}, not a kernel", id, step.viva ? "an exam" : "a file of answers"));
  return step;
}

std::vector<const course::Step *> pick_steps(const course::Assignment &a,
                                             const std::vector<std::string> &wanted) {
  std::vector<const course::Step *> steps;
  for (const std::string &id : wanted) {
    const course::Step *step = &find_step(a, id);
    if (step->viva)
      throw UsageError(
          fmt::format("{} is an exam about your kernels, which your course sets; to practise, try "
                      "'./grade quiz STEP'",
                      id));
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(step);
  }
  if (steps.empty())
    for (const course::Step &s : a.steps)
      if (!s.beyond) steps.push_back(&s);
  return steps;
}

std::string command_again(const Common &common, const course::Assignment &a,
                          const std::filesystem::path &submission, const std::string &step) {
  std::string command = "./grade " + step;
  if (!common.assignment.empty()) command += " --assignment " + a.name;
  if (!common.submission.empty()) command += fmt::format(" --submission {}", shell_word(submission.string()));
  if (common.device != "auto") command += " --device " + common.device;
  if (!common.ones.empty()) command += " --ones " + shell_word(common.ones);
  return command;
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

grading::Options grading_options(const Common &common, const course::Assignment &a) {
  grading::Options options;
  options.seed = common.seed.value_or(a.seed);
  options.alone = grading::split_elements(common.ones);
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options;
}

report::Style terminal_style(bool verbose, bool quiet) {
  report::Style style{false, verbose, quiet};
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  style.color = terminal && environment("NO_COLOR").empty();
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.columns = size.ws_col;
  const std::string wanted = environment("COLUMNS");
  std::from_chars(wanted.data(), wanted.data() + wanted.size(),
                  style.columns);  // text that is not a number changes nothing
  return style;
}

}  // namespace warpgrade
