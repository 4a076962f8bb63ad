// ./gradebook export DIR --format ...: the grades of a class in the formats of other systems.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "apps/class_files.hpp"
#include "apps/class_run.hpp"
#include "apps/command_line.hpp"
#include "apps/files.hpp"
#include "apps/gradebook_commands.hpp"
#include "batch/exports.hpp"
#include "report/fill.hpp"

namespace warpgrade::apps {

namespace fs = std::filesystem;

namespace {

struct Words {
  std::string folder, format, file, out;
  report::FillOptions fill;
};

void note(const std::string &sentence) {
  fmt::print(stderr, "{}\n", for_terminal(sentence));
}

void note_students(const std::vector<std::string> &students, const char *what) {
  if (!students.empty())
    note(fmt::format("{} student{} {}: {}", students.size(), students.size() == 1 ? "" : "s", what,
                     fmt::join(students, ", ")));
}

/// What is in a class's folder besides what people put there.
bool is_of_the_class(const fs::path &target, const fs::path &folder) {
  const fs::path below = fs::weakly_canonical(target).lexically_relative(fs::weakly_canonical(folder));
  if (below.empty() || *below.begin() == "..") return false;
  const std::string top = below.begin()->string();
  static const std::set<std::string> ours = {".",          "reports",          "slurm",          "grades.csv",
                                             "class.html", "leaderboard.html", "pseudonyms.json"};
  return ours.contains(top) || top.starts_with("gradebook.");
}

/// Which nobody should lose by a mistyped --out. `text`: what is to be written.
void check_target(const Words &w, const fs::path &target, const std::string &text) {
  // Of every format the beginning tells what it is: the header of a table, the first words of XML and JSON.
  std::size_t telling = text.find('\n');
  if (w.format == "junit") telling = text.find(' ', text.find("<testsuites"));
  if (w.format == "csv") telling = text.find("source");
  if (w.format == "gradescope" || w.format == "github") telling = text.find(':');
  refuse_to_replace(target, text.substr(0, telling), "an earlier export of this format");
}

void fill(const Words &w, const report::ClassGrades &grades) {
  const std::string exported = read_whole(w.file);
  report::Filled filled;
  try {
    filled = w.format == "canvas" ? report::fill_canvas(exported, grades, w.fill)
                                  : report::fill_moodle(exported, grades, w.fill);
  } catch (const CsvError &e) {
    throw UsageError(fmt::format("{}: {}", w.file, e.what()));
  }
  check_target(w, w.out, filled.text);
  write_whole(w.out, filled.text);
  for (const std::string &sentence : filled.notes) note(sentence);
  fmt::print("{}: {} of {} grades filled in\n", w.out, filled.grades, grades.students.size());
}

/// A file a student: OUT/<student>/results.json. Whoever is still to be graded has none.
void write_folders(const Words &w, const batch::Store &store, const report::ClassGrades &grades) {
  const bool gradescope = w.format == "gradescope";
  const auto text_of = [&](const report::StudentGrades &s) {
    return gradescope ? report::to_gradescope(s) : report::to_github(s);
  };
  std::vector<fs::path> files;
  for (const report::StudentGrades &s : grades.students) {
    files.push_back(fs::path(w.out) / batch::folder_of(store, s.student) /
                    (gradescope ? "results.json" : "result.json"));
    check_target(w, files.back(), text_of(s));
  }
  std::vector<std::string> pending, looked_at;
  std::size_t written = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const report::StudentGrades &s = grades.students[i];
    const fs::path &file = files[i];
    if (s.standing == report::Standing::pending) {
      pending.push_back(s.student);
      fs::remove(file);  // of an earlier export, and of an earlier handin
      continue;
    }
    if (s.standing == report::Standing::grader_error) looked_at.push_back(s.student);
    fs::create_directories(file.parent_path());
    write_whole(file, text_of(s));
    ++written;
  }
  note_students(pending, "not yet graded, so without a file");
  note_students(looked_at, "on whose files the grader failed: a person must look");
  fmt::print("{}: {} of {} students\n", w.out, written, grades.students.size());
}

void write_class(const Words &w, const report::ClassGrades &grades) {
  const std::string text =
      w.format == "csv" ? report::grades_to_csv(grades) : report::grades_to_junit(grades);
  check_target(w, w.out, text);
  write_whole(w.out, text);
  fmt::print("{}: {} students\n", w.out, grades.students.size());
}

void check(const Words &w) {
  const bool fills = w.format == "canvas" || w.format == "moodle";
  if (fills && w.file.empty())
    throw UsageError(fmt::format("--format {} fills a file that {} exported: name it after the folder",
                                 w.format, w.format == "canvas" ? "Canvas" : "Moodle"));
  if (!fills && (!w.file.empty() || !w.fill.column.empty() || !w.fill.id_column.empty()))
    throw UsageError(
        fmt::format("--format {} fills no file: no FILE, --column or --id-column goes with it", w.format));
  if (w.format == "canvas" && w.fill.column.empty())
    throw UsageError("--format canvas needs --column: the title of the assignment's column in the file");
  if (is_of_the_class(w.out, w.folder))
    throw UsageError(
        fmt::format("--out {}: this place belongs to the class itself; name another place", w.out));
  std::error_code none;
  if (fills && fs::equivalent(w.out, w.file, none))
    throw UsageError(
        fmt::format("--out {}: this is the exported file itself, which stays as it is; name another", w.out));
}

}  // namespace

int gradebook_export(const std::vector<std::string> &words) {
  Words w;
  CLI::App app(
      "Writes the grades of a class in the format of another system. Runs nothing and changes nothing in "
      "the\n"
      "class; says who is missing on either side.",
      "gradebook export");
  app.add_option("folder", w.folder, "of the class: what --out of 'gradebook run' named")->required();
  app.add_option("file", w.file, "for canvas and moodle: the file that was exported there");
  app.add_option("--format", w.format, "csv, canvas, moodle, gradescope, github or junit")
      ->required()
      ->check(CLI::IsMember({"csv", "canvas", "moodle", "gradescope", "github", "junit"}));
  app.add_option("--out", w.out, "the file to write; for gradescope and github a folder")->required();
  app.add_option("--column", w.fill.column, "of the grades, as in the file's header");
  app.add_option("--id-column", w.fill.id_column, "that holds the ids of the class's students");
  if (const auto status = parse(app, words)) return *status;
  check(w);

  const batch::Store store(w.folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  const batch::Export exported =
      batch::export_of(store, course.assignment, thresholds_of(store, course.folder, course.assignment));
  if (w.format == "canvas" || w.format == "moodle")
    fill(w, exported.grades);
  else if (w.format == "gradescope" || w.format == "github")
    write_folders(w, store, exported.grades);
  else
    write_class(w, exported.grades);
  note_students(exported.outdated,
                fmt::format("with points from before a change of the YAML files ('gradebook "
                            "rescore {}' applies it)",
                            shell_word(w.folder))
                    .c_str());
  return full_score;
}

}  // namespace warpgrade::apps
