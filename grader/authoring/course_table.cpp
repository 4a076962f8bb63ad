#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "authoring/authoring.hpp"
#include "course/assignment.hpp"
#include "course/syllabus.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::authoring {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view opening = "<!-- course: ./gradebook table -->\n", closing = "<!-- /course -->";

struct Row {
  course::Assignment assignment;
  course::Syllabus syllabus;
};

/// In the order of the textbook.
std::vector<Row> rows_of(const fs::path &root) {
  std::vector<Row> rows;
  for (const std::string &name : assignment_names(root)) {
    const fs::path folder = fs::relative(root / "assignments" / name);
    if (auto syllabus = course::find_syllabus(folder))
      rows.push_back({course::read_assignment(folder), std::move(*syllabus)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return std::tie(a.syllabus.chapters, a.assignment.name) <
           std::tie(b.syllabus.chapters, b.assignment.name);
  });
  return rows;
}

/// links: where an assignment's name leads, with NAME for the name
std::string table_of(const std::vector<Row> &rows, const std::string &links) {
  std::string text =
      "| assignment | what it teaches | chapters | hours | steps | points "
      "|\n|:---|:---|:---|---:|---:|---:|\n";
  double hours = 0;
  const auto points_of = [](double all, double more) {
    return more > 0 ? fmt::format("{:g} + {:g}", all, more) : fmt::format("{:g}", all);
  };
  for (const Row &row : rows) {
    const course::Assignment &a = row.assignment;
    std::string link = links, chapters;
    link.replace(link.find("NAME"), 4, a.name);
    for (const int chapter : row.syllabus.chapters)
      chapters += fmt::format("{}{}", chapters.empty() ? "" : ", ", chapter);
    text +=
        fmt::format("| [{}]({}) `{}` | {} | {} | {:g} | {} | {} |\n", a.title, link, a.name,
                    row.syllabus.teaches, chapters, row.syllabus.hours,
                    std::count_if(a.steps.begin(), a.steps.end(), [](const auto &s) { return !s.beyond; }),
                    points_of(a.points, a.extra_credit));
    hours += row.syllabus.hours;
  }
  return text + fmt::format(
                    "\nChapters are of {}. Hours are estimates, {:g} for all of it. Points after + are "
                    "extra credit.\n",
                    course::textbook, hours);
}

/// The file with the table between its two marks.
std::string with_table(std::string text, const std::string &table, const std::string &file) {
  const std::size_t begin = text.find(opening), end = text.find(closing);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw UsageError(fmt::format("{}: the table goes between the lines '{}' and '{}', which are missing",
                                 file, opening.substr(0, opening.size() - 1), closing));
  return text.replace(begin + opening.size(), end - begin - opening.size(), table);
}

}  // namespace

int write_course_table(const TableOptions &w) {
  const std::string table = table_of(rows_of(find_root()), w.pages ? "NAME.html" : "handouts/NAME.md");
  if (w.into.empty()) {
    fmt::print("{}", table);
    return full_score;
  }
  const std::string before = read_whole(w.into), after = with_table(before, table, w.into);
  if (after != before) write_whole(w.into, after);
  return full_score;
}

}  // namespace warpgrade::authoring
