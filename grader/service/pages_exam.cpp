// Exams on a page: a student's questions without their answers, a clock, and what the staff sees of it.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/files.hpp"
#include "base/text.hpp"
#include "service/api_error.hpp"
#include "service/disputes/forms.hpp"
#include "service/pages.hpp"

namespace warpgrade::service {

using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr std::int64_t minute = 60;

/// With seconds: an exam ends at one of them.
std::string clock_text(std::int64_t time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(time)));
}

/// The questions that 'gradebook viva' made for an exam; nothing: not yet.
std::optional<viva::Exam> prepared(const Shared &shared, const ServedCourse &served,
                                   const course::Step &step) {
  const std::filesystem::path file =
      viva::exam_folder(shared.folder / served.assignment.name, &step) / "viva.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    viva::Exam exam = viva::exam_of(read_whole(file));
    if (exam.assignment == served.assignment.name && exam.step == step.id) return exam;
  } catch (const std::runtime_error &) {
  }
  throw ApiError{500, "exam", "The questions of this exam cannot be read. Please tell the course staff."};
}

std::string name_of_question(std::size_t i) {
  return fmt::format("q{}", i + 1);
}

/// Questions, their choices, and which of these are chosen; nothing about which are right.
PageForm form_of(const Sitting &s, const std::string &action) {
  PageForm form{action, "Save", {}, "Save and end the exam"};
  const std::vector<viva::Asked> &asked = s.sheet().questions;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const quiz::Question &q = asked[i].question;
    std::string letter;
    if (i < s.chosen.size() && s.chosen[i]) letter = static_cast<char>('A' + *s.chosen[i]);
    PageField field{PageField::Kind::one_of,
                    name_of_question(i),
                    fmt::format("{}. {}", i + 1, viva::heading(asked[i])),
                    letter,
                    q.choices,
                    false};
    if (q.line > 0) field.code = viva::place(asked[i]);
    form.fields.push_back(std::move(field));
  }
  form.fields.push_back({PageField::Kind::hidden, "sitting", "", std::to_string(s.id)});
  return form;
}

std::size_t answered(const viva::Chosen &chosen) {
  return static_cast<std::size_t>(
      std::count_if(chosen.begin(), chosen.end(), [](const auto &c) { return c.has_value(); }));
}

std::string state_of(const Sitting &s, std::int64_t now) {
  return s.ended ? "ended" : s.over(now) ? "time is over" : "under way";
}

}  // namespace

std::pair<const ServedCourse &, const course::Step &> Pages::exam_at(const std::string &rest) const {
  const std::size_t slash = rest.find('/');
  if (slash != std::string::npos) {
    const ServedCourse &served = course(rest.substr(0, slash));
    for (const course::Step &step : served.assignment.exams)
      if (step.id == rest.substr(slash + 1)) return {served, step};
  }
  throw ApiError{404, "not_found", "There is no such exam."};
}

ApiResponse Pages::exam(const Visit &visit, const std::string &rest) {
  const auto [served, step] = exam_at(rest);
  return visit.staff() ? exam_of_class(visit, served, step) : exam_of_student(visit, served, step);
}

ApiResponse Pages::exam_of_student(const Visit &visit, const ServedCourse &served, const course::Step &step) {
  const std::string action =
      fmt::format("/exams/{}/{}", path_part(served.assignment.name), path_part(step.id));
  ServicePage p = page(&visit, fmt::format("{}: {}", served.assignment.title, step.title));
  PageSection section;
  const std::int64_t now = shared_.now();
  if (const auto s = exams_.sitting(visit.person.id, served.assignment.name, step.id)) {
    const std::size_t all = s->sheet().questions.size();
    const std::string saved =
        fmt::format("{} of {} questions have a saved answer.", answered(s->chosen), all);
    if (s->over(now)) {
      section.sentences = {
          fmt::format("Your exam ended at {}. {}", clock_text(s->ended.value_or(s->ends)), saved),
          "Your points appear in your report once the grader has counted them."};
    } else {
      section.sentences = {
          fmt::format("Answers are taken until {}; it is now {}.", clock_text(s->ends), clock_text(now)),
          saved, "Save as often as you like. When the time is over, what you saved last counts."};
      section.forms.push_back(form_of(*s, action));
    }
  } else if (const auto exam = prepared(shared_, served, step); !exam) {
    section.sentences = {"The course has not prepared this exam yet."};
  } else if (const viva::Sheet *sheet = exam->find(visit.person.id); !sheet || sheet->questions.empty()) {
    section.sentences = {fmt::format("There are no questions for you{}. Please ask the course staff.",
                                     sheet ? ": " + sheet->why_none : "")};
  } else {
    section.sentences = {
        fmt::format("{} questions about your own kernels, {} minutes, {} points.", sheet->questions.size(),
                    step.viva->minutes, points(step.points.total())),
        "The clock starts when you press the button, and nothing stops it: not closing this page, not a lost "
        "connection. You can begin only once, and answers that arrive after the time are refused."};
    section.forms.push_back({action, "Begin the exam", {{PageField::Kind::hidden, "begin", "", "1"}}});
  }
  p.sections.push_back(std::move(section));
  return shown(p);
}

ApiResponse Pages::exam_of_class(const Visit &visit, const ServedCourse &served, const course::Step &step) {
  ServicePage p = page(&visit, fmt::format("{}: {}", served.assignment.title, step.title));
  const auto exam = prepared(shared_, served, step);
  std::size_t with_questions = 0;
  if (exam)
    for (const viva::Sheet &sheet : exam->sheets) with_questions += !sheet.questions.empty();
  PageSection section;
  section.sentences = {
      exam ? fmt::format("Questions are prepared for {} of {} students; {} minutes each.", with_questions,
                         exam->sheets.size(), step.viva->minutes)
           : fmt::format("No questions are prepared: run 'gradebook viva' on the folder of the class of {}.",
                         served.assignment.name)};
  PageTable table{"Who has begun",
                  {{"Student"}, {"Begun"}, {"Ends"}, {"State"}, {"Answered", "", true}},
                  {},
                  "Nobody has begun yet."};
  const std::int64_t now = shared_.now();
  for (const Sitting &s : exams_.sittings(served.assignment.name, step.id))
    table.rows.push_back(
        {{s.student, "/students/" + path_part(s.student)},
         {clock_text(s.started)},
         {clock_text(s.ended.value_or(s.ends))},
         {state_of(s, now)},
         {fmt::format("{} of {}", answered(s.chosen), s.sheet().questions.size()), "", true}});
  section.table = std::move(table);
  p.sections.push_back(std::move(section));
  p.sections.push_back(
      {"Let a student begin again",
       {"With the questions that are prepared then: the same ones, unless you run 'gradebook viva' for this "
        "student with another --seed before. The answers so far no longer count once the new ones "
        "do. The reason is in the audit log."},
       {},
       "",
       "",
       {{fmt::format("/exams/{}/{}", path_part(served.assignment.name), path_part(step.id)),
         "Reopen",
         {{PageField::Kind::text, "student", "Student", ""},
          {PageField::Kind::text, "reason", "Reason", ""}}}}});
  return shown(p);
}

ApiResponse Pages::change_exam(const Visit &visit, const std::string &rest) {
  const auto [served, step] = exam_at(rest);
  if (visit.staff()) return reopen_exam(visit, served, step);
  const std::string here = "/exams/" + path_part(served.assignment.name) + "/" + path_part(step.id);
  const std::int64_t now = shared_.now();
  if (!visit.field("student").empty() || !visit.field("reason").empty()) need(visit, Role::ta);
  if (!visit.field("begin").empty()) {
    const auto exam = prepared(shared_, served, step);
    const viva::Sheet *sheet = exam ? exam->find(visit.person.id) : nullptr;
    if (!sheet || sheet->questions.empty())
      throw ApiError{409, "no_questions", "There are no questions for you yet. Please ask the course staff."};
    const std::lock_guard writing(shared_.writing);
    if (!exams_.begin(visit.person.id, *exam, *sheet, step.viva->minutes * minute, now))
      throw ApiError{409, "begun", "You have begun this exam already, and its clock did not start again."};
    return go_to(here);
  }
  const auto s = exams_.sitting(visit.person.id, served.assignment.name, step.id);
  if (!s) throw ApiError{409, "not_begun", "You have not begun this exam."};
  if (visit.field("sitting") != std::to_string(s->id))
    throw ApiError{409, "other_sitting",
                   "These answers belong to an earlier beginning of this exam. Open the page again."};
  viva::Chosen chosen;
  for (std::size_t i = 0; i < s->sheet().questions.size(); ++i) {
    const std::string letter = visit.field(name_of_question(i).c_str());
    const bool known =
        letter.size() == 1 && letter[0] >= 'A' &&
        static_cast<std::size_t>(letter[0] - 'A') < s->sheet().questions[i].question.choices.size();
    if (!known && !letter.empty()) throw ApiError{400, "bad_request", "There is no such choice."};
    chosen.push_back(known ? std::optional(static_cast<std::size_t>(letter[0] - 'A')) : std::nullopt);
  }
  const std::lock_guard writing(shared_.writing);
  if (!exams_.choose(*s, chosen, visit.field("what") == "other", now))
    throw ApiError{
        409, "exam_over",
        fmt::format("Your exam ended at {}. These answers came at {} and were not taken; what you saved "
                    "before counts.",
                    clock_text(s->ended.value_or(s->ends)), clock_text(now))};
  return go_to(here);
}

ApiResponse Pages::reopen_exam(const Visit &visit, const ServedCourse &served, const course::Step &step) {
  need(visit, Role::ta);
  const Person student = named(trimmed(visit.field("student")));
  const std::string reason = written(visit.field("reason"), "reason");
  const std::lock_guard writing(shared_.writing);
  if (!exams_.reopen(student.id, served.assignment.name, step.id, reason, visit.person.id, shared_.now()))
    throw ApiError{409, "not_begun", "This student has not begun the exam."};
  return go_to("/exams/" + path_part(served.assignment.name) + "/" + path_part(step.id));
}

}  // namespace warpgrade::service
