#include "viva/viva.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/scratch.hpp"
#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/variant_rules.hpp"
#include "quiz/quiz.hpp"
#include "setup/files.hpp"
#include "variants/variants.hpp"
#include "viva/exam.hpp"
#include "viva/sheets.hpp"

namespace warpgrade::viva {

namespace {

namespace fs = std::filesystem;

/// Everything that questions are made with.
struct Setup {
  const batch::Store &store;
  const course::Assignment &assignment;
  const fs::path &root;
  gradebook::VariantCourses &variants;
  const Machine &machine;
  const grading::Options &options;
  const std::vector<std::string> &steps;  ///< none: all
  std::size_t questions = 0;
  std::uint64_t seed = 0;
};

/// The files that count, in a folder. Of those that cannot be read, the step is left out later.
void write_files(const batch::Store &store, const batch::Student &student, const fs::path &folder) {
  for (const auto &[name, hash] : student.files) {
    const auto content = store.file(hash);
    if (!content) continue;
    fs::create_directories((folder / name).parent_path());
    write_scratch(folder / name, variants::unmarked(*content).content);
  }
}

std::vector<const course::Step *> steps_to_ask_about(const Setup &s, const course::Assignment &a,
                                                     const batch::Student &student, quiz::Dice &dice) {
  std::vector<const course::Step *> steps;
  for (const course::Step &step : a.steps) {
    const bool wanted =
        s.steps.empty() || std::find(s.steps.begin(), s.steps.end(), step.id) != s.steps.end();
    if (step.has_kernel() && wanted && student.hash_of(step.path().string())) steps.push_back(&step);
  }
  if (s.steps.empty()) dice.shuffle(steps);
  return steps;
}

/// One question of each step in turn, topics that have not come yet first.
std::vector<Asked> mixed(std::vector<std::vector<Asked>> by_step, std::size_t how_many) {
  std::vector<Asked> all;
  std::set<std::string> topics;
  for (const bool again : {false, true})
    for (bool any = true; any && all.size() < how_many;) {
      any = false;
      for (std::vector<Asked> &some : by_step) {
        const auto next = std::find_if(some.begin(), some.end(), [&](const Asked &a) {
          return again || !topics.contains(a.question.topic);
        });
        if (next == some.end() || all.size() >= how_many) continue;
        topics.insert(next->question.topic);
        all.push_back(std::move(*next));
        some.erase(next);
        any = true;
      }
    }
  return all;
}

Sheet sheet_of(const Setup &s, const std::string &id) {
  constexpr std::size_t steps_of_a_student = 2;
  const batch::Student student = s.store.student(id);
  Sheet sheet{id, student.name, {}, ""};
  if (!student.handed_in_something()) {
    sheet.why_none = "nothing was handed in";
    return sheet;
  }
  const Scratch scratch;
  write_files(s.store, student, scratch.path());
  const gradebook::VariantCourse *const own = s.variants.of(s.store, student);
  const course::Assignment &a = own ? own->assignment : s.assignment;
  grading::Environment environment = s.machine.environment;
  if (own) environment.starter = own->starter();
  quiz::Dice dice(s.seed, id);
  const std::uint64_t seed = dice.below(1u << 30);
  std::vector<std::vector<Asked>> by_step;
  for (const course::Step *step : steps_to_ask_about(s, a, student, dice)) {
    if (s.steps.empty() && by_step.size() == steps_of_a_student) break;
    try {
      quiz::Subject subject(a, environment, s.options, *step, {own ? own->root() : s.root, scratch.path()},
                            seed);
      std::vector<Asked> some;
      for (quiz::Question &q : quiz::choose(subject, s.questions)) some.push_back({step->id, std::move(q)});
      if (!some.empty()) by_step.push_back(std::move(some));
    } catch (const std::runtime_error &) {  // not right, or nothing of the student's in it
    }
  }
  sheet.questions = mixed(std::move(by_step), s.questions);
  if (sheet.questions.empty()) sheet.why_none = "no step is right";
  return sheet;
}

std::vector<std::string> students_of(const batch::Store &store, const std::vector<std::string> &wanted) {
  const std::vector<std::string> all = store.students();
  for (const std::string &one : wanted)
    if (std::find(all.begin(), all.end(), one) == all.end())
      throw UsageError(fmt::format("the class has no student '{}'", one));
  return wanted.empty() ? all : wanted;
}

/// What was made for this exam before; nothing where there is none.
std::optional<Exam> made_before(const fs::path &folder, const course::Step *exam) {
  const fs::path file = folder / "viva.json";
  if (!exam || !fs::exists(file)) return std::nullopt;
  try {
    Exam made = exam_of(read_whole(file));
    return made.step == exam->id ? std::optional(std::move(made)) : std::nullopt;
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

/// With the sheets of others that were made before.
std::vector<Sheet> with_others(std::vector<Sheet> made, const std::optional<Exam> &before,
                               const batch::Store &store) {
  if (!before) return made;
  for (const Sheet &old : before->sheets) {
    if (std::any_of(made.begin(), made.end(), [&](const Sheet &s) { return s.student == old.student; }))
      continue;
    made.push_back(old);
    made.back().name = store.student(old.student).name;
  }
  std::sort(made.begin(), made.end(), [](const Sheet &a, const Sheet &b) { return a.student < b.student; });
  return made;
}

}  // namespace

int viva(const VivaOptions &w) {
  const batch::Store store(w.folder, batch::Store::Access::read);
  const gradebook::ClassCourse course = gradebook::course_of(store);
  const course::Assignment &a = course.assignment;
  const course::Step *const exam = exam_step(a, w.exam);
  const std::vector<std::string> steps = w.steps.empty() && exam ? exam->viva->about : w.steps;
  for (const std::string &step : steps) (void)find_kernel(a, step);
  const fs::path out = w.out.empty() ? exam_folder(w.folder, exam) : fs::path(w.out);
  const std::optional<Exam> before = made_before(out, exam);
  const auto machine =
      look_at_machine(course.root, a, DeviceChoice::simulator, !w.no_sandbox, toolchain_named(w.toolchain));
  gradebook::demand_sandbox(*machine->sandbox, w.no_sandbox);
  const grading::Options options = grading_options({}, a);
  const std::uint64_t seed = w.seed ? *w.seed : before ? before->seed : fresh_seed() % 1'000'000;
  gradebook::VariantCourses variants(course);
  const Setup setup{store,    a,       course.root, variants,
                    *machine, options, steps,       w.questions.value_or(exam ? exam->viva->questions : 6),
                    seed};
  std::vector<Sheet> sheets;
  std::size_t without = 0;
  for (const std::string &id : students_of(store, w.students)) {
    // Printed sheets stay true: questions that were made change only if somebody asks for it.
    const Sheet *const old = before && !w.seed && w.students.empty() ? before->find(id) : nullptr;
    const bool kept = exam && old && !old->questions.empty();
    sheets.push_back(kept ? *old : sheet_of(setup, id));
    if (kept) sheets.back().name = store.student(id).name;
    const Sheet &made = sheets.back();
    without += made.questions.empty();
    if (made.questions.empty())
      fmt::print("{}: no questions: {}\n", for_terminal(id), made.why_none);
    else
      fmt::print("{}: {} questions\n", for_terminal(id), made.questions.size());
    std::fflush(stdout);
  }
  if (!w.students.empty()) sheets = with_others(std::move(sheets), before, store);
  fs::create_directories(exam ? out : out / "practice");
  write_whole(out / "questions.html", to_html(a.title, sheets, Show::questions));
  write_whole(out / "answers.html", to_html(a.title + ": answers", sheets, Show::answers));
  for (const Sheet &s : sheets)
    if (!s.questions.empty() && !exam)  // a page that knows the answers is none for an exam with points
      write_whole(out / "practice" / (batch::folder_of(store, s.student) + ".html"),
                  to_html(a.title, {s}, Show::practice));
  write_whole(out / "questions.gift", to_gift(a.title, sheets));
  write_whole(out / "questions.moodle.xml", to_moodle_xml(a.title, sheets));
  write_whole(out / "questions.qti.zip", to_qti(a.title, sheets));
  write_whole(out / "viva.json", to_json(a.name, exam ? exam->id : "", setup.seed, sheets));
  fmt::print("{}: questions.html to print, answers.html for the examiner (seed {})\n", out.string(),
             setup.seed);
  return without == 0 ? full_score : below;
}

}  // namespace warpgrade::viva
