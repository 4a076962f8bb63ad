#include "gradebook/outdated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "batch/scoring.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

std::vector<OutdatedStep> outdated_steps(const batch::Store &store, const course::Assignment &a,
                                         const ConditionsOfStep &now) {
  std::vector<OutdatedStep> outdated;
  std::map<std::string, std::map<std::string, std::string>> differences;  // by variant and earlier conditions
  std::map<std::string, batch::Grading> present;                          // by variant
  std::string of_step;
  for (const batch::Store::GradedUnder &one : store.conditions_that_count(batch::steps_of(a))) {
    const course::Step &step = find_step(a, one.task.step);
    if (of_step != step.id) {
      of_step = step.id;
      present.clear();
      differences.clear();
    }
    const auto [own, unknown] = present.try_emplace(one.variant);
    if (unknown) own->second = now(step, one.variant);
    const auto [place, fresh] = differences[one.variant].try_emplace(one.conditions);
    if (fresh) place->second = batch::difference(one.conditions, own->second.conditions);
    if (place->second.empty()) continue;
    const auto same = [&](const OutdatedStep &o) {
      return o.step == step.id && o.difference == place->second;
    };
    auto group = std::find_if(outdated.begin(), outdated.end(), same);
    if (group == outdated.end()) group = outdated.insert(outdated.end(), {step.id, place->second, {}});
    group->students.insert(one.students.begin(), one.students.end());
  }
  return outdated;
}

ConditionsOfStep conditions_of_yaml(const batch::Store &store, const ClassCourse &course,
                                    const course::Thresholds &thresholds) {
  const auto conditions_of_all = std::make_shared<ConditionsOfVariants>(course);
  return [&store, &course, &thresholds, conditions_of_all](const course::Step &step,
                                                           const std::string &variant) {
    const std::optional<batch::Grading> before = store.grading_of(step.id);
    const auto conditions = nlohmann::json::parse(before ? before->conditions : "{}");
    const batch::ClassSetup same_machine{&course.assignment,
                                         &thresholds,
                                         course.folder,
                                         course.root / "starter" / course.assignment.name,
                                         store.info()->seed,
                                         before ? before->device : grading::DeviceRecord(),
                                         conditions.value("compiler", ""),
                                         conditions.value("version", ""),
                                         ""};
    return conditions_of_all->of(same_machine, step, variant);
  };
}

ConditionsOfStep conditions_of(const ClassGrader &grader) {
  const auto all = std::make_shared<ConditionsOfVariants>(grader.course);
  return [&grader, all](const course::Step &step, const std::string &variant) {
    return all->of(grader.setup(), step, variant);
  };
}

std::string students_were(std::size_t count) {
  return fmt::format("{} student{}", count, count == 1 ? " was" : "s were");
}

void say_what_stays(const batch::Store &store, const ClassCourse &course, const batch::RulesOf &rules,
                    const ConditionsOfStep &now, const std::set<std::string> &students) {
  for (OutdatedStep &o : outdated_steps(store, course.assignment, now)) {
    std::erase_if(o.students, [&](const std::string &id) { return students.contains(id); });
    if (o.students.empty()) continue;
    fmt::print(stderr,
               "{}: {} changed since {} other {} graded. Their results stay until 'gradebook run' grades "
               "them again\n",
               o.step, o.difference, o.students.size(),
               o.students.size() == 1 ? "student was" : "students were");
  }
  std::size_t others = 0;
  for (const std::string &id : store.students()) {
    const auto row = store.score(id);
    if (!row || students.contains(id)) continue;
    const batch::Scored scored = batch::score_student(store, rules, id);
    others += scored.complete && scored.row != *row;
  }
  if (others == 0) return;
  const std::string folder = shell_word(store.folder().string());
  fmt::print(stderr,
             "The points of {} other student{} are from earlier YAML files: 'gradebook rescore {}' computes "
             "them again, and shows with --dry-run what would change\n",
             others, others == 1 ? "" : "s", folder);
}

}  // namespace warpgrade::gradebook
