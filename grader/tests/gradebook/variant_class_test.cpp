// Which variant the students of a class have, and what is said where nobody knows.
#include "gradebook/variant_class.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/usage.hpp"
#include "tests/batch/a_class.hpp"
#include "tests/course/a_copy.hpp"

namespace warpgrade::gradebook {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AClassWithVariants : public ::testing::Test {
 protected:
  AClassWithVariants() {
    tests::copy_course(WARPGRADE_ROOT, "reduction", root());
    course.root = root();
    course.folder = root() / "assignments/reduction";
    course.assignment = course::read_assignment(course.folder);
  }
  fs::path root() const { return scratch.path(); }
  std::optional<VariantClass> open() const { return VariantClass::of(store, course, "", {}); }

  Scratch scratch;
  ClassCourse course;
  tests::Folder folder;
  batch::Store store{folder.path() / "out", batch::Store::Access::create};
};

TEST_F(AClassWithVariants, SaysWithoutASecretThatEverybodyIsGradedByTheFilesAsTheyAre) {
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(open());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            variants::nobody_has_a_variant(root() / variants::secrets_file, "reduction") + "\n");
  course.assignment.name = "scan";
  course.folder = fs::path(WARPGRADE_ROOT) / "assignments/scan";
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(open());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "it has no variants";
}

TEST_F(AClassWithVariants, DoesNotGoOnWithoutTheSecretByWhichItsFilesWereGraded) {
  store.begin({"reduction", 1, course::WithoutGpu::leave});
  batch::Handin h = tests::handin("100", "text", "");
  h.files = {{"r6_argmin.cu", "text", "operation=sum place=smallest_first element=int"}};
  store.take_in(h);
  store.finish_taking_in();
  try {
    open();
    FAIL() << "everybody would be graded by the files as they are";
  } catch (const UsageError &e) {
    EXPECT_THAT(e.what(), HasSubstr((folder.path() / "out/variants.secret: this file is missing").string()));
    EXPECT_THAT(e.what(), HasSubstr("from the backup"));
  }
}

}  // namespace
}  // namespace warpgrade::gradebook
