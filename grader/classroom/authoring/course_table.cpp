#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "authoring/authoring.hpp"
#include "course/assignment.hpp"
#include "course/handout.hpp"
#include "course/syllabus.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::authoring {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view opening = "<!-- course: ./gradebook table -->\n", closing = "<!-- /course -->";

struct Translation {
  std::string stem, language, title;
};
struct Row {
  course::Assignment assignment;
  course::Syllabus syllabus;
  std::vector<Translation> translations;
};

std::vector<Translation> translations_of(const fs::path &root, const course::Assignment &a) {
  std::vector<Translation> list;
  for (const fs::path &file : course::translations_of(root / "handouts" / (a.name + ".md"))) {
    const course::Handout h = course::read_handout(fs::relative(file), a);
    const auto title = h.words.find(a.title);
    list.push_back({file.stem().string(), h.language, title == h.words.end() ? a.title : title->second});
  }
  return list;
}

/// In the order of the textbook.
std::vector<Row> rows_of(const fs::path &root) {
  std::vector<Row> rows;
  for (const std::string &name : assignment_names(root)) {
    const fs::path folder = fs::relative(root / "assignments" / name);
    if (auto syllabus = course::find_syllabus(folder)) {
      course::Assignment a = course::read_assignment(folder);
      std::vector<Translation> translations = translations_of(root, a);
      rows.push_back({std::move(a), std::move(*syllabus), std::move(translations)});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return std::tie(a.syllabus.chapters, a.assignment.name) <
           std::tie(b.syllabus.chapters, b.assignment.name);
  });
  return rows;
}

/// pages: names lead to pages beside this one, else to the handouts' texts
std::string table_of(const std::vector<Row> &rows, bool pages) {
  const auto link_to = [&](const std::string &stem) {
    return pages ? stem + ".html" : "handouts/" + stem + ".md";
  };
  std::string text =
      "| assignment | what it teaches | chapters | hours | steps | points "
      "|\n|:---|:---|:---|---:|---:|---:|\n";
  double hours = 0;
  const auto points_of = [](double all, double more) {
    return more > 0 ? fmt::format("{:g} + {:g}", all, more) : fmt::format("{:g}", all);
  };
  for (const Row &row : rows) {
    const course::Assignment &a = row.assignment;
    std::string chapters, others;
    for (const Translation &t : row.translations)
      others += fmt::format(", [{}]({}){}", t.title, link_to(t.stem),
                            pages ? fmt::format("{{lang={} hreflang={}}}", t.language, t.language) : "");
    for (const int chapter : row.syllabus.chapters)
      chapters += fmt::format("{}{}", chapters.empty() ? "" : ", ", chapter);
    text +=
        fmt::format("| [{}]({}) `{}`{} | {} | {} | {:g} | {} | {} |\n", a.title, link_to(a.name), a.name,
                    others, row.syllabus.teaches, chapters, row.syllabus.hours,
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
  const std::string table = table_of(rows_of(find_root()), w.pages);
  if (w.into.empty()) {
    fmt::print("{}", table);
    return full_score;
  }
  const std::string before = read_whole(w.into), after = with_table(before, table, w.into);
  if (after != before) write_whole(w.into, after);
  return full_score;
}

}  // namespace warpgrade::authoring
