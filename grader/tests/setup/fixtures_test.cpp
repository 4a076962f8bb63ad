// Fixtures that are edits of another file.
#include "setup/fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.hpp"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;

class Edits : public ::testing::Test {
 protected:
  Edits() {
    fs::create_directories(folder);
    write_scratch(root.path() / "right.cu",
                  "// The solution.\n// Of two lines.\n\nint a;\n  // TODO(1): declare b.\n  // More.\n"
                  "  // BEGIN SOLUTION\n  int b;\n  // END SOLUTION\nint a;\nint c;\n");
  }
  std::string edited(const std::string &edits) {
    write_whole(file, edits);
    return apply_edits(file, root.path());
  }
  std::string refused(const std::string &edits) {
    try {
      return "accepted: " + edited(edits);
    } catch (const EditError &e) {
      return e.what();
    }
  }
  const Scratch root;
  const fs::path folder = root.path() / "race/no_b", file = folder / "step.cu.edits";
};

TEST_F(Edits, ReplaceTheCommentAndLeaveTheExerciseOut) {
  EXPECT_EQ(edited("// No difference.\nfrom right.cu\n"),
            "// No difference.\n\nint a;\n  int b;\nint a;\nint c;\n");
}

TEST_F(Edits, ReplaceRemoveAndInsertWholeLines) {
  EXPECT_EQ(
      edited(
          "// Three.\nfrom right.cu\n\n-  int b;\n+  int d;\n\n int a;\n-int c;\n\n   int d;\n+  int e;\n"),
      "// Three.\n\nint a;\n  int d;\n  int e;\nint a;\n");
}

TEST_F(Edits, ThatMatchNowhereAreRefusedWithFileAndLine) {
  EXPECT_EQ(refused("// x\nfrom right.cu\n\n-int e;\n+int d;\n"),
            "race/no_b/step.cu.edits:4: in right.cu, 'int e;' occurs 0 times, not once");
  EXPECT_THAT(refused("// x\nfrom right.cu\n\n-int b;\n"),
              ::testing::HasSubstr(":4: in right.cu, 'int b;' occurs 0 times"))
      << "a part of a line";
}

TEST_F(Edits, ThatMatchTwiceAreRefusedWithFileAndLine) {
  EXPECT_EQ(refused("// x\nfrom right.cu\n\n-  int b;\n\n-int a;\n"),
            "race/no_b/step.cu.edits:6: in right.cu, 'int a;' occurs 2 times, not once");
}

TEST_F(Edits, OfAFileThatIsMissingAreRefused) {
  EXPECT_EQ(refused("// x\nfrom left.cu\n"), "race/no_b/step.cu.edits:2: there is no file left.cu");
  EXPECT_EQ(refused("// x\n"), "race/no_b/step.cu.edits:1: expected 'from FILE' below the comment");
}

TEST_F(Edits, WithoutAPlaceOrASignAreRefused) {
  EXPECT_THAT(refused("// x\nfrom right.cu\n\n+int d;\n"),
              ::testing::HasSubstr(":4: a group needs a line with"));
  EXPECT_THAT(refused("// x\nfrom right.cu\nint d;\n"), ::testing::HasSubstr(":3: expected ' ', '-' or '+'"));
}

TEST_F(Edits, MakeAFolderWhole) {
  write_scratch(file, "// x\nfrom right.cu\n");
  write_scratch(folder / "says", "why\n");
  WholeFixtures fixtures(root.path());
  const fs::path whole = fixtures.whole(folder);
  EXPECT_EQ(read_whole(whole / "step.cu"), apply_edits(file, root.path()));
  EXPECT_EQ(read_whole(whole / "says"), "why\n");
  EXPECT_FALSE(fs::exists(whole / "step.cu.edits"));
  EXPECT_EQ(fixtures.whole(folder), whole) << "made once";
  EXPECT_EQ(fixtures.whole(whole), whole) << "nothing to make";
}

TEST(Fixtures, AreReadByScriptsAsByTests) {
  const fs::path course = fs::path(WARPGRADE_ROOT).lexically_normal();
  const Scratch scratch;
  const std::string command =
      (course / "tools/whole-fixtures").string() + " '" + (scratch.path() / "all").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  WholeFixtures fixtures(course);
  std::size_t edited = 0;
  for (const auto &file : fs::recursive_directory_iterator(course / "grader/tests/submissions"))
    if (file.path().extension() == ".edits") {
      const fs::path folder = file.path().parent_path(), name = file.path().stem();
      const fs::path there =
          scratch.path() / "all" / folder.lexically_relative(course / "grader/tests/submissions");
      EXPECT_EQ(read_whole(fixtures.whole(folder) / name), read_whole(there / name)) << file.path();
      EXPECT_FALSE(fs::exists(there / file.path().filename()));
      ++edited;
    }
  EXPECT_GT(edited, 100u);
}

}  // namespace
}  // namespace warpgrade
