// Under which conditions files of variants are graded.
#include "gradebook/variant_rules.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "batch/content.hpp"
#include "setup/selection.hpp"
#include "tests/course/a_copy.hpp"

namespace warpgrade::gradebook {
namespace {

namespace fs = std::filesystem;

class ConditionsOfReduction : public ::testing::Test {
 protected:
  ConditionsOfReduction() {
    tests::copy_course(WARPGRADE_ROOT, "reduction", root());
    course.root = root();
    course.folder = root() / "assignments/reduction";
    course.assignment = course::read_assignment(course.folder);
  }
  fs::path root() const { return scratch.path(); }
  std::string now(const std::string &step, const std::string &variant) const {
    batch::ClassSetup setup;
    setup.assignment = &course.assignment;
    setup.thresholds = &thresholds;
    setup.assignment_folder = course.folder;
    setup.starter = root() / "starter/reduction";
    const batch::Grading g =
        ConditionsOfVariants(course).of(setup, find_step(course.assignment, step), variant);
    EXPECT_EQ(g.step, step);
    EXPECT_EQ(g.variant, variant);
    return g.fingerprint;
  }
  void insert(const std::string &before, const std::string &text) const {
    std::string all = read_whole(course.folder / "variants.yaml");
    const std::size_t at = all.find(before, all.find("\n    int:"));
    ASSERT_NE(at, std::string::npos) << before;
    write_whole(course.folder / "variants.yaml", all.insert(at, text));
  }
  Scratch scratch;
  ClassCourse course;
  course::Thresholds thresholds;
  const std::string ints = "operation=sum place=smallest_first element=int",
                    doubles = "operation=sum place=smallest_first element=double";
};

TEST_F(ConditionsOfReduction, DifferByVariant) {
  EXPECT_NE(now("argmin", ints), now("argmin", doubles));
  EXPECT_NE(now("argmin", ints), now("argmin", ""));
}

TEST_F(ConditionsOfReduction, DoNotDependOnHowAVariantIsWorded) {
  const std::string before = now("argmin", ints), without = now("argmin", "");
  insert("      says: The numbers are ints.", "      # Another comment, and other words.\n");
  std::string all = read_whole(course.folder / "variants.yaml");
  const std::string said = "The numbers are ints.";
  write_whole(course.folder / "variants.yaml", all.replace(all.find(said), said.size(), "You add up ints."));
  EXPECT_EQ(now("argmin", ints), before);
  EXPECT_EQ(now("argmin", ""), without);
}

TEST_F(ConditionsOfReduction, ChangeForTheStepsOfTheVariantsThatAnEditIsAbout) {
  const std::string before = now("argmin", ints), of_doubles = now("argmin", doubles),
                    other_step = now("interleaved", ints), without = now("argmin", "");
  insert("        - in: [assignment.yaml, hidden.yaml]",
         "        - in: [assignment.yaml]\n"
         "          texts: {\"counted_at: {n: 65536}\\n    points: {correct: 12\": "
         "\"counted_at: {n: 32768}\\n    points: {correct: 12\"}\n");
  EXPECT_NE(now("argmin", ints), before);
  EXPECT_EQ(now("interleaved", ints), other_step);
  EXPECT_EQ(now("argmin", doubles), of_doubles);
  EXPECT_EQ(now("argmin", ""), without);
}

TEST_F(ConditionsOfReduction, ThatCannotBeReadNameTheVariantAndTheFileInTheCourse) {
  write_whole(course.folder / "assignment.yaml",
              read_whole(course.folder / "assignment.yaml") + "nonsense: 1\n");
  try {
    now("argmin", ints);
    FAIL() << "a key that nobody knows is a mistake";
  } catch (const course::ConfigError &e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find("variant '" + ints + "': assignments/reduction/assignment.yaml:"), 0u) << what;
  }
}

TEST_F(ConditionsOfReduction, OfAVariantAreToldToAWorkerAndComparedWithTheFilesOfNow) {
  ClassGrader grader;
  grader.course = {course.root, course.folder, course.assignment, {}};
  grader.front_end = "nvcc";
  batch::Store store(root() / "class", batch::Store::Access::create);
  store.begin({"reduction", 42});
  batch::Handin handin;
  handin.student = "100";
  handin.source = "submission";
  const std::string of_ints = variants::marked("text", "r6_argmin.cu", ints);
  handin.files = {{"r6_argmin.cu", of_ints, ints}, {"r4_shuffled.cu", "without", ""}};
  store.take_in(handin);
  store.finish_taking_in();
  const batch::Task task{"argmin", batch::hash_of(of_ints)};
  const course::Step &step = find_step(course.assignment, "argmin");
  store.grade_with(ConditionsOfVariants(grader.course).of(grader.setup(), step, ints));
  const std::string told = conditions_that_count(store)(task);
  EXPECT_EQ(told, store.grading_of("argmin", ints)->fingerprint);
  EXPECT_NE(told, "");
  EXPECT_EQ(conditions_that_count(store)({"shuffled", batch::hash_of("without")}), "");
  EXPECT_FALSE(variant_has_changed(grader, "argmin", ints, told));
  const std::string hidden = read_whole(course.folder / "hidden.yaml");
  write_whole(course.folder / "hidden.yaml", hidden + "# a comment\n");
  EXPECT_FALSE(variant_has_changed(grader, "argmin", ints, told));
  insert("        - in: [assignment.yaml, hidden.yaml]",
         "        - in: [assignment.yaml]\n"
         "          texts: {\"counted_at: {n: 65536}\\n    points: {correct: 12\": "
         "\"counted_at: {n: 32768}\\n    points: {correct: 12\"}\n");
  EXPECT_TRUE(variant_has_changed(grader, "argmin", ints, told));
  insert("        - in: [assignment.yaml]\n",
         "        - in: [assignment.yaml]\n          texts: {\"no such text\": \"another\"}\n");
  EXPECT_THROW(variant_has_changed(grader, "argmin", ints, told), variants::UnreadableVariant);
}

}  // namespace
}  // namespace warpgrade::gradebook
