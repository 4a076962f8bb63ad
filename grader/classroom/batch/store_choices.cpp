// Which result counts for whom: students with the same file share a result, until one of them gets another.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "batch/store.hpp"

namespace warpgrade::batch {

void Store::want_again(const std::vector<Task> &tasks, const std::vector<std::string> &whom) {
  Transaction transaction(*database_);
  for (const Task &task : tasks) {
    const bool by_everybody = is_wanted_again(task) && wanted_for(task).empty();
    database_->prepare("INSERT INTO wanted_again (step, file) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .text(task.step)
        .text(task.file)
        .run();
    if (whom.empty())
      database_->prepare("DELETE FROM wanted_for WHERE step = ? AND file = ?")
          .text(task.step)
          .text(task.file)
          .run();
    if (whom.empty() || by_everybody) continue;
    for (const std::string &student : whom)
      database_
          ->prepare("INSERT INTO wanted_for (step, file, student) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
          .text(task.step)
          .text(task.file)
          .text(student)
          .run();
  }
  transaction.commit();
}

bool Store::is_wanted_again(const Task &task) const {
  Statement statement = database_->prepare("SELECT 1 FROM wanted_again WHERE step = ? AND file = ?");
  return statement.text(task.step).text(task.file).step();
}

std::vector<std::string> Store::wanted_for(const Task &task) const {
  std::vector<std::string> students;
  Statement statement =
      database_->prepare("SELECT student FROM wanted_for WHERE step = ? AND file = ? ORDER BY student");
  statement.text(task.step).text(task.file);
  while (statement.step()) students.push_back(statement.text_at(0));
  return students;
}

std::vector<std::string> Store::students_with_verdict(const Task &task, judge::Verdict verdict) const {
  std::vector<std::string> students = owners(task.file);
  std::erase_if(students, [&](const std::string &student) {
    Statement statement = database_->prepare("SELECT verdict FROM result WHERE id = ?");
    return !statement.integer(number_of_result(student, task)).step() ||
           statement.text_at(0) != judge::name_of(verdict);
  });
  return students;
}

void Store::keep_result(const std::string &student, const Task &task, std::int64_t result) {
  database_
      ->prepare(
          "INSERT INTO choice (student, step, file, result) VALUES (?, ?, ?, ?) "
          "ON CONFLICT DO UPDATE SET result = excluded.result")
      .text(student)
      .text(task.step)
      .text(task.file)
      .integer(result)
      .run();
}

void Store::follow(const std::string &student, const Task &task) {
  database_->prepare("DELETE FROM choice WHERE student = ? AND step = ? AND file = ?")
      .text(student)
      .text(task.step)
      .text(task.file)
      .run();
}

void Store::follow_present_conditions() {
  database_->execute(
      "DELETE FROM choice WHERE result IN (SELECT r.id FROM result r WHERE r.grading NOT IN (SELECT grading "
      "FROM "
      "grading_now))");
}

void Store::change_only(const std::vector<std::string> &students, const StepFiles &steps,
                        const std::function<void()> &work) {
  Transaction transaction(*database_);
  const std::vector<Standing> before = standings(steps);
  work();
  const std::set<std::string> theirs(students.begin(), students.end());
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> after;
  for (const Standing &s : standings(steps)) after[{s.student, s.step, s.file}] = s.result;
  for (const Standing &s : before) {
    if (theirs.contains(s.student)) continue;
    // Without one since, as on another device, there has to be a new one.
    const auto now = after.find({s.student, s.step, s.file});
    if (now != after.end() && now->second != s.result) keep_result(s.student, {s.step, s.file}, s.result);
  }
  transaction.commit();
}

void Store::at_once(const std::function<void()> &work) {
  Transaction transaction(*database_);
  work();
  transaction.commit();
}

std::string Store::conditions_of(std::int64_t result) const {
  Statement statement = database_->prepare(
      "SELECT g.conditions FROM result r JOIN grading g ON g.id = r.grading WHERE r.id = ?");
  return statement.integer(result).step() ? statement.text_at(0) : "{}";
}

std::string Store::conditions_of(const std::string &student, const Task &task) const {
  return conditions_of(number_of_result(student, task));
}

}  // namespace warpgrade::batch
