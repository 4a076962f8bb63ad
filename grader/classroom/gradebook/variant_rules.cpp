#include "gradebook/variant_rules.hpp"

#include "gradebook/class_files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

const VariantCourse *VariantCourses::of(const batch::Store &store, const batch::Student &student) {
  const std::string variant = name_of(store, student);
  return variant.empty() ? nullptr : &named(store, variant);
}

const VariantCourse &VariantCourses::named(const batch::Store &store, const std::string &variant) {
  std::unique_ptr<VariantCourse> &known = courses_[variant];
  if (!known) known = read(store, variant);
  return *known;
}

/// Empty: the files as they are.
std::string VariantCourses::name_of(const batch::Store &store, const batch::Student &student) const {
  if (course_.assignment.variants.empty()) return "";
  for (const course::Step &step : course_.assignment.steps) {
    const std::string *hash = student.hash_of(step.path().string());
    const auto content = hash ? store.file(*hash) : std::nullopt;
    if (!content) continue;
    if (std::string variant = variants::unmarked(*content).variant; !variant.empty()) return variant;
  }
  return "";
}

std::unique_ptr<VariantCourse> VariantCourses::read(const batch::Store &store, const std::string &variant) {
  const std::string &name = course_.assignment.name;
  if (!all_) all_ = variants::demand_variants(course_.folder, name);
  const grading::DeviceRecord device = batch::device_of(store, course_.assignment);
  auto made =
      std::make_unique<VariantCourse>(course_.root, *all_, variant, device.gpu ? device.name : "none");
  made->assignment.without_gpu = course_.assignment.without_gpu;  // as the class counts
  return made;
}

batch::Grading ConditionsOfVariants::of(const batch::ClassSetup &of_class, const course::Step &step,
                                        const std::string &variant) {
  if (variant.empty()) return batch::grading_of(of_class, step);
  std::unique_ptr<VariantCourse> &own = courses_[variant];
  if (!own) {
    if (!all_) all_ = variants::demand_variants(course_.folder, course_.assignment.name);
    own = std::make_unique<VariantCourse>(course_.root, *all_, variant,
                                          of_class.device.gpu ? of_class.device.name : "none");
    own->assignment.without_gpu = course_.assignment.without_gpu;
  }
  batch::ClassSetup setup = of_class;
  setup.assignment = &own->assignment;
  setup.thresholds = &own->thresholds;
  setup.assignment_folder = own->folder();
  setup.starter = own->starter();
  batch::Grading g = batch::grading_of(setup, find_step(own->assignment, step.id));
  g.variant = variant;
  return g;
}

ConditionsOfTask conditions_that_count(const batch::Store &store) {
  return [&store](const batch::Task &task) -> std::string {
    const std::string variant = store.variant_of(task.file);
    const auto grading = variant.empty() ? std::nullopt : store.grading_of(task.step, variant);
    return grading ? grading->fingerprint : "";
  };
}

ConditionsOfTask conditions_of_preview(const batch::Store &store) {
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (const batch::PreviewFile &f : store.preview_files())
    if (!f.grading.variant.empty()) known[{f.task.step, f.task.file}] = f.grading.fingerprint;
  return [known = std::move(known)](const batch::Task &task) -> std::string {
    const auto found = known.find({task.step, task.file});
    return found == known.end() ? "" : found->second;
  };
}

std::string told_of(const std::string &conditions, const std::string &file) {
  return conditions + "\n" + file;
}

bool variant_has_changed(const ClassGrader &grader, const std::string &step, const std::string &variant,
                         const std::string &conditions) {
  return !variant.empty() && !conditions.empty() &&
         ConditionsOfVariants(grader.course)
                 .of(grader.setup(), find_step(grader.course.assignment, step), variant)
                 .fingerprint != conditions;
}

batch::RulesOf rules_of(const ClassCourse &course, course::Thresholds thresholds) {
  struct Kept {
    course::Thresholds thresholds;
    VariantCourses courses;
  };
  const auto kept = std::make_shared<Kept>(Kept{std::move(thresholds), VariantCourses(course)});
  return [kept, &course](const batch::Store &store, const batch::Student &student) -> batch::Rules {
    if (const VariantCourse *own = kept->courses.of(store, student))
      return {&own->assignment, &own->thresholds};
    return {&course.assignment, &kept->thresholds};
  };
}

batch::RulesOf rules_of(const batch::Store &store, const ClassCourse &course) {
  return rules_of(course, thresholds_of(store, course.folder, course.assignment));
}

}  // namespace warpgrade::gradebook
