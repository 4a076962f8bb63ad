// Writes every platform's results of a class with a student of every status: format_samples DIR
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/report/a_class.hpp"
#include "tests/report/sample.hpp"

int main(int argc, char **argv) {
  using namespace warpgrade;
  namespace fs = std::filesystem;
  if (argc != 2) {
    std::cerr << "usage: format_samples DIR\n";
    return 2;
  }
  bool good = true;
  const auto write = [&](const std::string &format, const std::string &name, const std::string &text) {
    const fs::path folder = fs::path(argv[1]) / format;
    fs::create_directories(folder);
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    good = static_cast<bool>(file.flush()) && good;
  };
  report::ClassGrades grades = report::a_class();
  grades.students[1].steps[1].pictures = {{report::hostile_text, "<svg/>"},
                                          {"too large", std::string(1 << 20, ' ')}};
  grades.students.push_back(report::student_grades("nothing", report::Standing::graded, {}));
  for (const platforms::Platform *p : platforms::all()) {
    const auto of_student = p->exports.of_student;
    if (of_student == nullptr) continue;
    for (const report::StudentGrades &s : grades.students)
      write(std::string(p->name), s.student, of_student(s));
  }
  write("junit", "class", report::grades_to_junit(grades));

  report::Sample sample, failed;
  judge::Finding race;
  race.code = "race";
  race.severity = "warning";
  race.line = 31;
  race.message = report::hostile_text;
  sample.record.steps[1].findings = {race};
  failed.record.steps[1].verdict = judge::Verdict::grader_error;
  failed.record.steps[1].reason = report::hostile_text;
  for (const auto &[name, s] : {std::pair("sample", &sample), std::pair("failed", &failed)}) {
    write("sarif", name, report::to_sarif(s->report()));
    write("annotations", name, report::to_annotations(s->report(), "hw6"));
    write("junit", name, report::to_junit(s->report()));
  }
  if (!good) std::cerr << "format_samples: cannot write to " << argv[1] << "\n";
  return good ? 0 : 1;
}
