#include "report/grades.hpp"

#include <fmt/format.h>

#include <charconv>

#include "report/fixes.hpp"
#include "report/html_parts.hpp"

namespace warpgrade::report {

using platforms::Standing;
using platforms::StepGrade;
using platforms::StudentGrades;

namespace {

/// Where the elements are wrong, in the first case of which a student may see that.
std::vector<platforms::Picture> pictures_of(const Report &r, const grading::StepRecord &step) {
  for (const judge::CaseVerdict &c : step.cases) {
    if (secret(r, c) || !c.comparison || c.comparison->map.empty()) continue;
    const std::string words = judge::describe(*c.comparison);
    return {{fmt::format("{}: {}", c.name, words), map_to_svg_file(c.comparison->map, words)}};
  }
  return {};
}

}  // namespace

StudentGrades grades_of(const Report &r, const std::string &submission) {
  StudentGrades s;
  s.student = submission;
  s.source = submission;
  s.points = r.score.points;
  s.max_points = r.score.max_points;
  s.ungraded_points = r.score.ungraded_points;
  s.refused = r.record.refused;
  s.notes = r.record.notes;
  bool any = false, ours = false;
  for (std::size_t i = 0; i < r.record.steps.size(); ++i) {
    const grading::StepRecord &record = r.record.steps[i];
    const score::StepScore &score = r.score.steps.at(i);
    StepGrade step;
    step.id = record.id;
    step.title = record.title;
    step.file = record.file;
    step.verdict = judge::in_words(record.verdict);
    step.reason = record.reason;
    step.line = line_of_error(record);
    step.points = score.points;
    step.max_points = score.max_points;
    step.ungraded_points = score.ungraded_points;
    step.extra_credit = score.extra_credit;
    if (score.by_hand) step.by_hand = score.by_hand->reason;
    step.pictures = pictures_of(r, record);
    any |= record.verdict != judge::Verdict::missing;
    ours |= record.verdict == judge::Verdict::grader_error;
    s.steps.push_back(std::move(step));
  }
  s.standing = !s.refused.empty() ? Standing::archive_refused
               : ours             ? Standing::grader_error
               : any              ? Standing::graded
                                  : Standing::missing;
  return s;
}

namespace {

/// Of "step1.cu(12): error" and "step1.cu:12:5: error" in what a compiler printed; 0 where there is neither.
int line_in_log(std::string_view log, const std::string &file) {
  for (std::size_t at = 0; (at = log.find(file, at)) != std::string_view::npos;) {
    at += file.size();
    if (at >= log.size() || (log[at] != '(' && log[at] != ':')) continue;
    const std::string_view rest = log.substr(at + 1, log.find('\n', at) - at - 1);
    int line = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
    if (error == std::errc() && rest.find("error") != std::string_view::npos) return line;
  }
  return 0;
}

}  // namespace

int line_of_error(const grading::StepRecord &record) {
  if (record.verdict == judge::Verdict::accepted) return 0;
  for (const bool consequences : {false, true})
    for (const judge::Finding &f : record.findings)
      if (f.severity == "error" && f.line > 0 && f.file == record.file &&
          f.follows.has_value() == consequences)
        return f.line;
  return record.verdict == judge::Verdict::build_error ? line_in_log(record.build.log, record.file) : 0;
}

}  // namespace warpgrade::report
