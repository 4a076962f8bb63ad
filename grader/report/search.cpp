#include "report/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {
namespace {

std::string cases_in_words(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "case" : "cases");
}

std::string wrapped_text(const std::string &text, std::size_t columns) {
  std::string all;
  for (const std::string &line : wrap(text, std::clamp(columns, narrowest, widest))) all += line + "\n";
  return all;
}

std::string search_outcome(const SearchView &v) {
  const grading::SearchResult &s = v.search;
  if (!s.failed)
    return fmt::format("{}: {} in {:.1f} s, and none fails.{}", v.title, cases_in_words(s.cases), s.seconds,
                       s.time_is_up ? " There are more to try: --seconds gives it more time." : "");
  std::string text = fmt::format("{} fails at {}: {}: {}.", v.title, s.failed->name,
                                 judge::in_words(s.failed->verdict), for_terminal(s.failed->reason));
  if (!s.found_at.empty())
    text += fmt::format(" It failed at {} first, the last of {}; this is the smallest case that fails alike.",
                        s.found_at, cases_in_words(s.cases));
  return text;
}

/// The first error that has a line.
std::string place_of_failure(const grading::SearchResult &s) {
  for (const judge::Finding &f : s.failed->findings)
    if (f.severity == "error" && f.line > 0)
      return fmt::format("{}:{}: {}", f.file, f.line, for_terminal(f.message));
  return "";
}

std::string branches_in_words(const std::vector<search::LineCoverage> &lines, std::size_t columns) {
  int ways = 0, taken = 0;
  for (const search::LineCoverage &line : lines) ways += line.ways, taken += line.taken;
  if (ways == 0) return "The kernels have no branches.\n";
  std::string text = fmt::format("Branches: {} of {} ways taken{}\n", taken, ways,
                                 taken == ways ? ", each both ways." : ".");
  for (const search::LineCoverage &line : lines) {
    const std::string never = ways_never_taken(line);
    text += wrapped_text(fmt::format("{}:{}: {} of {}{}{}", for_terminal(line.at.file), line.at.line,
                                     line.taken, line.ways, never.empty() ? "" : "; ", never),
                         columns);
  }
  return text;
}

}  // namespace

std::string ways_never_taken(const search::LineCoverage &line) {
  if (line.taken == line.ways) return "";
  if (!line.reached) return "this branch is never reached";
  std::vector<std::string> ways;
  for (const int to : line.never_to)
    ways.push_back(to == 0              ? "to the end of the kernel"
                   : to == line.at.line ? "back to this line"
                                        : fmt::format("to line {}", to));
  const std::string last = ways.back();
  ways.pop_back();
  return fmt::format(
      "{} never leads {}{}{}",
      line.ways > 2 ? fmt::format("one of the {} branches here", line.ways / 2) : "this branch",
      fmt::join(ways, ", "), ways.empty() ? "" : " or ", last);
}

std::string search_to_terminal(const SearchView &v, const Style &style) {
  std::string text = wrapped_text(search_outcome(v), style.columns);
  if (v.search.failed) {
    if (const std::string where = place_of_failure(v.search); !where.empty())
      text += wrapped_text("  " + where, style.columns);
    if (!v.debug.empty()) text += fmt::format("Go through it: {}\n", v.debug);
  }
  text += branches_in_words(v.search.lines, style.columns);
  for (const std::string &kernel : v.search.not_launched)
    text += wrapped_text(fmt::format("Never launched: {}", for_terminal(kernel)), style.columns);
  return text;
}

std::string search_to_json(const SearchView &v, const course::Assignment &a, const std::string &step) {
  const grading::SearchResult &s = v.search;
  Json j = {{"schema", "warpgrade.search/1"}, {"assignment", a.name},      {"step", step}, {"cases", s.cases},
            {"seconds", number(s.seconds)},   {"time_is_up", s.time_is_up}};
  j["branches"] = Json::array();
  for (const search::LineCoverage &line : s.lines)
    j["branches"].push_back({{"file", for_json(line.at.file)},
                             {"line", line.at.line},
                             {"ways", line.ways},
                             {"taken", line.taken},
                             {"reached", line.reached},
                             {"never_to", line.never_to}});
  j["not_launched"] = Json::array();
  for (const std::string &kernel : s.not_launched) j["not_launched"].push_back(for_json(kernel));
  j["fails"] = nullptr;
  if (s.failed) {
    Json fails = {{"case", s.failed->name},
                  {"verdict", judge::name_of(s.failed->verdict)},
                  {"reason", for_json(s.failed->reason)}};
    put_sizes(fails, a.problem_of(step), s.failed->values, true);
    if (!s.found_at.empty()) fails["found_at"] = s.found_at;
    j["fails"] = fails;
  }
  return j.dump(2) + "\n";
}

}  // namespace warpgrade::report
