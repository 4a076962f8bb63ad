// docs/adding-an-assignment.md, followed word by word: its blocks say what to run and what to write where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const fs::path repository = fs::path(place::root).lexically_normal();

/// A fenced block and the words after its three backticks: "sh", "cpp FILE" or "yaml >> FILE".
struct FencedBlock {
  std::string language, file, text;
  bool appends = false;
};

std::vector<FencedBlock> blocks_of(const std::string &document) {
  std::vector<FencedBlock> blocks;
  std::istringstream in(document);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) != 0) {
      if (inside) blocks.back().text += line + "\n";
      continue;
    }
    inside = !inside;
    if (!inside) continue;
    std::istringstream words(line.substr(3));
    FencedBlock block;
    words >> block.language >> block.file;
    block.appends = block.file == ">>";
    if (block.appends) words >> block.file;
    blocks.push_back(block);
  }
  return blocks;
}

/// What a person has who begins: this repository, without its tests.
class Adding : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "adding-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::permissions(root_, fs::perms(0755));
    for (const char *folder :
         {"assignments/banks", "starter/banks", "solutions/banks", "templates", "tools"}) {
      fs::create_directories(root_ / fs::path(folder).parent_path());
      fs::copy(repository / folder, root_ / folder, fs::copy_options::recursive);
    }
    for (const char *folder : {"grader", "handouts"}) fs::create_directories(root_ / folder);
    fs::copy(repository / "grader/make_starter.awk", root_ / "grader/make_starter.awk");
    fs::create_symlink(place::grade, root_ / "grade");
    fs::create_symlink(place::gradebook, root_ / "gradebook");
  }
  void TearDown() override { fs::remove_all(root_); }
  /// `make` is this folder's: a build of the programs would take minutes, so the test's own build has made
  /// them, with the problems that the page and the template contain, and this `make` puts them in place if
  /// these are what is there.
  CommandResult run(const std::string &command) const {
    return shell("make() { " + put_programs_in_place() + "; }; " + command, root_);
  }
  static std::string put_programs_in_place() {
    return std::string("for p in ranges averaged; do [ ! -f assignments/$p/problem.cpp ] || ") +
           "cmp assignments/$p/problem.cpp " + place::guide_problems + "/$p/problem.cpp || return 1; done; " +
           "ln -sf " + place::grade_of_guide + " grade; ln -sf " + place::gradebook_of_guide + " gradebook";
  }
  fs::path root_;
};

TEST_F(Adding, FollowingTheDocumentWordByWordMakesAGradedAssignment) {
  const std::vector<FencedBlock> blocks = blocks_of(text_of(repository / "docs/adding-an-assignment.md"));
  std::vector<std::string> said;
  int commands = 0, files = 0;
  for (const FencedBlock &block : blocks) {
    if (block.language == "sh") {
      const CommandResult r = run("set -e; " + block.text.substr(0, block.text.size() - 1));
      ASSERT_EQ(r.status, 0) << block.text << r.output;
      said.push_back(r.output);
      ++commands;
    } else if (!block.file.empty()) {
      std::ofstream(root_ / block.file, block.appends ? std::ios::app : std::ios::trunc) << block.text;
      ++files;
    }
  }
  EXPECT_EQ(commands, 4);
  EXPECT_EQ(files, 7);
  EXPECT_THAT(said.at(1), HasSubstr("products: no mistakes found"));
  EXPECT_THAT(said.at(1), EndsWith("\nScore: 140/150\n"));
  EXPECT_THAT(said.at(3), HasSubstr("ranges: no mistakes found"));
  EXPECT_THAT(said.at(3), EndsWith("\nScore: 90/100\n"));
  for (const char *name : {"products", "ranges"}) {
    const CommandResult starter =
        run(std::string("./grade --assignment ") + name + " --submission starter/" + name + " --device sim");
    EXPECT_THAT(starter.output, HasSubstr("\nScore: 0/"));
  }
}

TEST_F(Adding, AnAssignmentWithItsOwnProblemComputesWhatItsTemplateDoes) {
  ASSERT_EQ(run("./gradebook new averaged --problem").status, 0);
  const CommandResult unbuilt = run("./gradebook lint averaged");
  EXPECT_EQ(unbuilt.status, 2);
  EXPECT_THAT(unbuilt.output, HasSubstr("run 'make' to add a new problem.cpp"));
  ASSERT_EQ(run("make").status, 0);
  const CommandResult r = run("./gradebook lint --grade averaged");
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST_F(Adding, ACourseMayHaveAFolderOfItsOwnOutsideOfTheRepository) {
  const fs::path course = root_.string() + "-course";
  fs::create_directories(course);
  const auto there = [&](const std::string &program, const std::string &words) {
    return shell("'" + program + "' " + words, course);
  };
  const CommandResult made = there(place::gradebook, "new averaged --problem --title Averages");
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("assignments/averaged/problem.cpp\n"));
  EXPECT_THAT(made.output, HasSubstr(" COURSE=" + course.string() + "'"));
  for (const char *folder : {"assignments", "solutions", "starter"}) {
    EXPECT_TRUE(fs::is_directory(course / folder / "averaged")) << folder;
    EXPECT_FALSE(fs::exists(repository / folder / "averaged")) << folder;
  }
  // The program that 'make COURSE=...' builds knows the problem.
  const CommandResult checked = there(place::gradebook_of_guide, "lint --grade averaged");
  EXPECT_EQ(checked.status, 0) << checked.output;
  std::ofstream(course / "starter/averaged/first.cu", std::ios::app) << "// a hint\n";
  const CommandResult changed = there(place::gradebook_of_guide, "lint averaged");
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.output,
              HasSubstr("starter/averaged/first.cu: this differs from what the solution generates"));
  fs::remove_all(course);
}

TEST_F(Adding, ANewAssignmentOverwritesNothingAndHasAPlainName) {
  EXPECT_EQ(run("./gradebook new banks").status, 2);
  EXPECT_THAT(run("./gradebook new banks").output, HasSubstr("assignments/banks is there already"));
  EXPECT_THAT(run("./gradebook new ../elsewhere").output, HasSubstr("is not the name of an assignment"));
  EXPECT_THAT(run("./gradebook new Hw7").output, HasSubstr("is not the name of an assignment"));
  EXPECT_FALSE(fs::exists(root_ / "assignments/Hw7"));
}

TEST_F(Adding, LintFindsAStarterThatIsNotWhatTheSolutionMakesAndNumbersThatWereTyped) {
  ASSERT_EQ(run("./gradebook new hw7").status, 0);
  EXPECT_EQ(run("./gradebook lint hw7").status, 0);
  std::ofstream(root_ / "starter/hw7/first.cu", std::ios::app) << "// a hint\n";
  std::ofstream(root_ / "handouts/hw7.md", std::ios::app) << "Full points from 3000 GFLOPS on. `TODO(9)`\n";
  const CommandResult r = run("./gradebook lint hw7");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("starter/hw7/first.cu: this differs from what the solution generates"));
  EXPECT_THAT(r.output, HasSubstr("the number 3000 is typed"));
  EXPECT_THAT(r.output, HasSubstr("TODO(9) is under no heading"));
}

TEST_F(Adding, LintNamesTheLineOfAMissingFileWithoutItsConsequences) {
  ASSERT_EQ(run("./gradebook new hw7").status, 0);
  std::string yaml = text_of(root_ / "assignments/hw7/assignment.yaml");
  const std::size_t at = yaml.find("file: first.cu");
  const auto line = std::count(yaml.begin(), yaml.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  std::ofstream(root_ / "assignments/hw7/assignment.yaml") << yaml.replace(at, 14, "file: frist.cu");
  const CommandResult r = run("./gradebook lint hw7");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.output, "assignments/hw7/assignment.yaml:" + std::to_string(line + 1) +
                          ": step 'first' has the file 'frist.cu', which is missing from starter/hw7 and "
                          "solutions/hw7; did you mean first.cu?\n");
}

TEST_F(Adding, LintFindsAToleranceThatAcceptsWrongResults) {
  ASSERT_EQ(run("./gradebook new hw7").status, 0);
  std::string yaml = text_of(root_ / "assignments/hw7/assignment.yaml");
  const std::size_t at = yaml.find("tolerance: ");
  const auto line = std::count(yaml.begin(), yaml.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  yaml.replace(at, yaml.find_first_of(" \n", at + 11) - at, "tolerance: 0.5");
  std::ofstream(root_ / "assignments/hw7/assignment.yaml") << yaml;
  const CommandResult r = run("./gradebook lint hw7");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("assignments/hw7/assignment.yaml:" + std::to_string(line + 1) +
                                  ": 'tolerance' is 0.5, which accepts results of '"));
}

TEST_F(Adding, LintFindsAMistypedEntryWithoutGrading) {
  ASSERT_EQ(run("./gradebook new hw7").status, 0);
  const std::string yaml = text_of(root_ / "assignments/hw7/assignment.yaml");
  const auto with_entry = [&](const std::string &entry) {
    std::string text = yaml;
    text.replace(text.find("entry: first"), 12, "entry: " + entry);
    std::ofstream(root_ / "assignments/hw7/assignment.yaml") << text;
    return run("./gradebook lint hw7");
  };
  const auto line =
      std::count(yaml.begin(), yaml.begin() + static_cast<std::ptrdiff_t>(yaml.find("entry: first")), '\n');
  const CommandResult r = with_entry("frist");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output,
              HasSubstr("assignments/hw7/assignment.yaml:" + std::to_string(line + 1) +
                        ": step 'first' has the entry 'frist', which starter/hw7/contract.h does not "
                        "declare (accepted: first)"));
  // The header declares it, and the step's file defines another.
  std::ofstream(root_ / "solutions/hw7/contract.h", std::ios::app)
      << "void second(int n);  // void third(int n);\n";
  ASSERT_EQ(run("tools/make-starter solutions/hw7 starter/hw7").status, 0);
  EXPECT_THAT(with_entry("second").output,
              HasSubstr("which solutions/hw7/first.cu does not define (accepted: first)"));
  EXPECT_THAT(with_entry("third").output, HasSubstr("does not declare (accepted: first, second)"));
}

}  // namespace
}  // namespace warpgrade::tests
