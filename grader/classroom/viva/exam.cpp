#include "viva/exam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "base/csv.hpp"
#include "base/encoding.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/usage.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/variant_rules.hpp"
#include "grading/exam.hpp"

namespace warpgrade::viva {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view letters = "ABCD";

Asked asked_of(const Json &q) {
  Asked one{q.at("step"), {}};
  quiz::Question &made = one.question;
  made.topic = q.at("topic");
  made.kind = q.at("kind");
  made.difficulty = q.at("difficulty");
  made.file = q.at("file");
  made.line = q.at("line");
  made.code = q.at("code");
  made.text = q.at("question");
  made.choices = q.at("choices").get<std::vector<std::string>>();
  made.answer = q.at("answer");
  made.mistakes = q.at("mistakes").get<std::vector<std::string>>();
  made.why = q.at("why");
  if (made.choices.size() != letters.size() || made.mistakes.size() != letters.size() ||
      made.answer >= letters.size())
    throw std::runtime_error("a question without four choices");
  return one;
}

/// "3", "q3", "Question 3", "Response 3"
std::optional<std::size_t> number_of_question(const std::string &cell) {
  std::string text = folded(trimmed(cell));
  for (const char *word : {"question", "response", "q"})
    if (text.starts_with(word)) {
      text = trimmed(text.substr(std::string_view(word).size()));
      break;
    }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

/// Throws UsageError for what is none of the choices.
std::optional<std::size_t> choice_of(const std::string &cell, const quiz::Question &q) {
  if (cell.empty() || cell == "-") return std::nullopt;
  if (cell.size() == 1)
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (cell[0] == letters[i] || cell[0] == letters[i] - 'A' + 'a') return i;
  for (std::size_t i = 0; i < q.choices.size(); ++i)
    if (trimmed(q.choices[i]) == cell) return i;
  throw UsageError(
      fmt::format("'{}' is none of the choices A to D, nor the text of one", for_terminal(cell)));
}

class AnswersFile {
 public:
  AnswersFile(const std::string &csv, const std::string &file, const Exam &exam)
      : exam_(exam), file_(file), table_(utf8_of(csv), {.trimmed = true}) {
    for (std::size_t c = 0; table_.rows() > 0 && c < table_.columns(0); ++c) {
      const std::string name = folded(table_.cell(0, c));
      if (name == "student" || name == "id")
        student_ = c;
      else if (name == "question")
        question_ = c;
      else if (name == "choice" || name == "answer")
        choice_ = c;
      else if (const auto number = number_of_question(name))
        wide_.emplace_back(c, *number);
    }
    const bool tall = question_ && choice_;
    if (!student_ || tall == !wide_.empty())
      throw UsageError(
          fmt::format("{}:1: the columns are either id, question, choice or id, 1, 2, 3 and so on", file_));
  }

  std::map<std::string, Chosen> read() {
    for (std::size_t row = 1; row < table_.rows(); ++row) {
      const std::vector<std::string> cells = table_.cells(row);
      if (std::all_of(cells.begin(), cells.end(), [](const std::string &cell) { return cell.empty(); }))
        continue;
      try {
        read_row(row);
      } catch (const UsageError &e) {
        wrong_.push_back(fmt::format("{}:{}: {}", file_, table_.line(row), e.what()));
      }
    }
    // An answer that is left out would take away one that was taken before.
    for (const auto &[id, chosen] : wrong_.empty() ? all_ : std::map<std::string, Chosen>())
      for (std::size_t n = 1; n <= chosen.size(); ++n)
        if (!seen_.contains({id, n}))
          wrong_.push_back(fmt::format("{}: {} has no answer to question {}; '-' says that it was left open",
                                       file_, for_terminal(id), n));
    if (!wrong_.empty()) throw UsageError(fmt::format("{}\nno points were given", fmt::join(wrong_, "\n")));
    if (all_.empty()) throw UsageError(fmt::format("{} has no answers in it", file_));
    return std::move(all_);
  }

 private:
  void read_row(std::size_t row) {
    const std::string &id = table_.cell(row, *student_);
    const Sheet *sheet = exam_.find(id);
    if (!sheet) throw UsageError(fmt::format("there are no questions for a student '{}'", for_terminal(id)));
    if (sheet->questions.empty())
      throw UsageError(fmt::format("{} has no questions: {}", id, sheet->why_none));
    const auto [place, fresh] = all_.try_emplace(id, sheet->questions.size());
    if (!wide_.empty() && !fresh) throw UsageError(fmt::format("{} has answers in another row", id));
    if (wide_.empty()) {
      const std::string &cell = table_.cell(row, *question_);
      const auto number = number_of_question(cell);
      if (!number) throw UsageError(fmt::format("'{}' is not the number of a question", for_terminal(cell)));
      return put(*sheet, place->second, *number, table_.cell(row, *choice_));
    }
    for (const auto &[column, number] : wide_)
      if (number <= sheet->questions.size() || !table_.cell(row, column).empty())
        put(*sheet, place->second, number, table_.cell(row, column));
  }

  void put(const Sheet &sheet, Chosen &chosen, std::size_t number, const std::string &cell) {
    if (number > sheet.questions.size())
      throw UsageError(
          fmt::format("{} has {} questions, not {}", sheet.student, sheet.questions.size(), number));
    if (!seen_.emplace(sheet.student, number).second)
      throw UsageError(fmt::format("{} has an answer to question {} already", sheet.student, number));
    chosen[number - 1] = choice_of(cell, sheet.questions[number - 1].question);
  }

  const Exam &exam_;
  std::string file_;
  CsvTable table_;
  std::optional<std::size_t> student_, question_, choice_;
  std::vector<std::pair<std::size_t, std::size_t>> wide_;  ///< columns, and numbers of questions
  std::map<std::string, Chosen> all_;
  std::set<std::pair<std::string, std::size_t>> seen_;
  std::vector<std::string> wrong_;
};

}  // namespace

const Sheet *Exam::find(const std::string &student) const {
  const auto found =
      std::find_if(sheets.begin(), sheets.end(), [&](const Sheet &s) { return s.student == student; });
  return found == sheets.end() ? nullptr : &*found;
}

Exam exam_of(const std::string &text) try {
  const Json json = Json::parse(text);
  if (json.at("schema") != viva_schema) throw std::runtime_error("another schema");
  Exam exam{json.at("assignment"), json.value("step", ""), json.at("seed"), {}};
  for (const Json &student : json.at("students")) {
    Sheet sheet{student.at("student"), "", {}, student.at("why_none")};
    for (const Json &q : student.at("questions")) sheet.questions.push_back(asked_of(q));
    exam.sheets.push_back(std::move(sheet));
  }
  return exam;
} catch (const nlohmann::json::exception &e) {
  throw std::runtime_error(e.what());
}

std::map<std::string, Chosen> read_answers(const std::string &csv, const std::string &file,
                                           const Exam &exam) try {
  return AnswersFile(csv, file, exam).read();
} catch (const CsvError &e) {
  throw UsageError(fmt::format("{}:{}: {}", file, e.line(), e.what()));
} catch (const EncodingError &e) {
  throw UsageError(fmt::format("{}:{}: {}", file, e.line(), e.what()));
}

batch::ExamRow exam_row(const course::Step &step, const Exam &exam, const Sheet &sheet, const Chosen &chosen,
                        const std::string &by) {
  std::vector<grading::ExamAnswer> answers;
  Json whole = Json::parse(to_json(exam.assignment, exam.step, exam.seed, {sheet}));
  Json &questions = whole["students"][0]["questions"];
  for (std::size_t i = 0; i < sheet.questions.size(); ++i) {
    const quiz::Question &q = sheet.questions[i].question;
    const std::size_t none = q.choices.size(), choice = i < chosen.size() ? chosen[i].value_or(none) : none;
    answers.push_back({q.topic, choice != none, choice == q.answer});
    questions[i]["chosen"] = choice == none ? Json(nullptr) : Json(choice);
  }
  whole["answers_from"] = for_json(by);
  return {grading::exam_taken(step, answers), whole.dump()};
}

const course::Step *exam_step(const course::Assignment &a, const std::string &name) {
  std::vector<std::string> ids;
  for (const course::Step &step : a.exams) {
    if (step.id == name) return &step;
    ids.push_back(step.id);
  }
  if (name.empty() && ids.size() < 2) return ids.empty() ? nullptr : &a.exams.front();
  throw UsageError(ids.empty() ? fmt::format("{} has no step of 'kind: viva'", a.name)
                   : name.empty()
                       ? fmt::format("for which exam? --for {}", fmt::join(ids, " or --for "))
                       : fmt::format("{} has no exam '{}' (it has: {})", a.name, name, fmt::join(ids, ", ")));
}

fs::path exam_folder(const fs::path &class_folder, const course::Step *exam) {
  return exam ? class_folder / "viva" / exam->id : class_folder / "viva";
}

int take_answers(const AnswersOptions &w) {
  batch::Store store(w.folder, batch::Store::Access::change);
  const gradebook::ClassCourse course = gradebook::course_of(store);
  const course::Assignment &a = course.assignment;
  const course::Step *const step = exam_step(a, w.step);
  if (!step)
    throw UsageError(fmt::format("{} has no step of 'kind: viva' that answers would count for", a.name));
  const fs::path file =
      (w.questions.empty() ? exam_folder(w.folder, step) : fs::path(w.questions)) / "viva.json";
  if (!fs::exists(file))
    throw UsageError(fmt::format("{} is missing: 'gradebook viva' makes the questions", file.string()));
  const Exam exam = [&] {
    try {
      return exam_of(read_whole(file));
    } catch (const std::runtime_error &e) {
      throw UsageError(fmt::format("{} cannot be read: {}", file.string(), e.what()));
    }
  }();
  if (exam.assignment != a.name || exam.step != step->id)
    throw UsageError(fmt::format("{} has questions for {} {}, not for {} {}", file.string(), exam.assignment,
                                 exam.step, a.name, step->id));
  const std::map<std::string, Chosen> answers = read_answers(read_whole(w.file), w.file, exam);
  const std::vector<std::string> students = store.students();
  for (const auto &[id, chosen] : answers)
    if (!std::binary_search(students.begin(), students.end(), id))
      throw UsageError(fmt::format("there is no student '{}' in {}", id, w.folder));
  for (const auto &[id, chosen] : answers) {
    const batch::ExamRow row =
        exam_row(*step, exam, *exam.find(id), chosen, fs::path(w.file).filename().string());
    store.keep_exam(id, step->id, row);
    fmt::print("{}: {}\n", for_terminal(id),
               row.record.reason.empty() ? "all questions answered correctly" : row.record.reason);
  }
  std::vector<std::string> without;
  for (const Sheet &s : exam.sheets)
    if (!s.questions.empty() && !answers.contains(s.student)) without.push_back(for_terminal(s.student));
  if (!without.empty()) fmt::print("no answers of: {}\n", fmt::join(without, ", "));
  gradebook::write_all(store, a, gradebook::rules_of(store, course), [] { return false; });
  return full_score;
}

}  // namespace warpgrade::viva
