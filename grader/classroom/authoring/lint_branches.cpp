#include "authoring/lint_branches.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/files.hpp"
#include "grading/searching.hpp"
#include "report/search.hpp"
#include "setup/selection.hpp"

namespace warpgrade::authoring {
namespace {

constexpr double search_seconds = 5;

/// "; m=1 n=524281 k=1 does": a case of the search that took one of these ways.
std::string example(const grading::SearchResult &found, const search::LineCoverage &line) {
  for (const grading::NewWay &one : found.new_ways)
    if (one.at == line.at && line.never_to.contains(one.to)) return fmt::format("; {} does", one.by);
  return fmt::format("; the search found no case that {}, so perhaps no input can",
                     line.reached ? "does" : "reaches it");
}

}  // namespace

std::vector<std::string> branches_not_taken(const std::filesystem::path &root, const std::string &name) {
  std::vector<std::string> remarks;
  Common common;
  common.assignment = name;
  common.submission = std::filesystem::relative(root / "solutions" / name).string();
  const Course course = open_course(common, {});
  const course::Assignment &a = course.assignment;
  const auto machine = look_at_machine(root, a, DeviceChoice::simulator, true);
  const grading::Grader grader(a, machine->environment, grading_options(common, a));
  for (const course::Step *step : pick_steps(a, {})) {
    if (!step->has_kernel()) continue;
    const std::filesystem::path source = step->source_in(course.submission);
    grading::SearchResult found;
    try {
      found = grader.search(*step, grader.build(*step, course.submission), read_whole(source),
                            {search_seconds, true});
    } catch (const std::runtime_error &e) {  // the others can be searched all the same
      const std::string why = e.what();
      remarks.push_back(fmt::format("{}: not searched: {}", source.string(), why.substr(0, why.find('\n'))));
      continue;
    }
    for (const search::LineCoverage &line : found.of_cases)
      if (const std::string never = report::ways_never_taken(line); !never.empty())
        remarks.push_back(fmt::format("{}:{}: in the cases of {}, {}{}", source.string(), line.at.line,
                                      step->id, never, example(found, line)));
    if (found.failed)
      remarks.push_back(fmt::format("{}: fails at {}, which no case of {} shows: {}", source.string(),
                                    found.failed->name, step->id, found.failed->reason));
  }
  return remarks;
}

}  // namespace warpgrade::authoring
