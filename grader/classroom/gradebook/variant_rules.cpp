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
  if (!all_) all_ = variants::read_variants(course_.folder).value();  // the assignment names the file
  auto made = std::make_unique<VariantCourse>();
  variants::write_course(course_.root, *all_, all_->parse(variant), made->scratch.path());
  const std::filesystem::path folder = made->scratch.path() / "assignments" / course_.assignment.name;
  made->assignment = course::read_assignment(folder);
  made->assignment.without_gpu = course_.assignment.without_gpu;  // as the class counts
  made->thresholds = thresholds_of(store, folder, made->assignment);
  return made;
}

batch::Grading ConditionsOfVariants::of(const batch::ClassSetup &of_class, const course::Step &step,
                                        const std::string &variant) {
  if (variant.empty()) return batch::grading_of(of_class, step);
  std::unique_ptr<Course> &own = courses_[variant];
  const std::string &name = course_.assignment.name;
  if (!own) {
    if (!all_) all_ = variants::read_variants(course_.folder);
    if (!all_) throw UsageError(name + " has no variants any more");
    auto made = std::make_unique<Course>();
    variants::write_course(course_.root, *all_, all_->parse(variant), made->scratch.path());
    const std::filesystem::path folder = made->scratch.path() / "assignments" / name;
    made->assignment = course::read_assignment(folder);
    made->thresholds = course::read_thresholds(
        folder, made->assignment, of_class.device.gpu ? of_class.device.name : std::string("none"));
    own = std::move(made);
  }
  batch::ClassSetup setup = of_class;
  setup.assignment = &own->assignment;
  setup.thresholds = &own->thresholds;
  setup.assignment_folder = own->scratch.path() / "assignments" / name;
  setup.starter = own->scratch.path() / "starter" / name;
  batch::Grading g = batch::grading_of(setup, find_step(own->assignment, step.id));
  g.variant = variant;
  return g;
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
