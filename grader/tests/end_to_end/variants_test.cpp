// A class in which students have variants: kits, grading, and files that are right for another variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class VariantsOfAClass : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(course_ / "solutions");
    for (const char *part : {"assignments", "starter", "solutions"})
      fs::copy(fs::path(place::root) / part / "reduction", course_ / part / fs::path("reduction"),
               fs::copy_options::recursive);
    fs::create_directories(course_ / "handouts");
    fs::copy(fs::path(place::root) / "handouts/reduction.md", course_ / "handouts/reduction.md");
    course_.write("variants.secret", "reduction 00112233445566778899aabbccddeeff\n");
  }
  CommandResult gradebook(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' " + words, course_.root());
  }
  /// "operation=sum"
  std::string operation_of(const std::string &student) const {
    const std::string said = gradebook("variants reduction --student " + student).output;
    return said.substr(0, said.find(' '));
  }
  std::string element_of(const std::string &student) const {
    const std::string said = gradebook("variants reduction --student " + student).output;
    const std::size_t at = said.find("element=");
    return said.substr(at, said.find('\n') - at);
  }
  /// A student after `from` with another operation on numbers of the same type.
  int neighbour_of(int from) const {
    const std::string own = std::to_string(from);
    for (int i = from + 1;; ++i)
      if (element_of(std::to_string(i)) == element_of(own) &&
          operation_of(std::to_string(i)) != operation_of(own))
        return i;
  }
  void hand_in(const std::string &student, const fs::path &file) const {
    course_.write("class/" + student + "/" + file.filename().string(), text_of(file));
  }
  nlohmann::json step(const std::string &student) const {
    return nlohmann::json::parse(text_of(course_ / ("out/reports/" + student + "/score.json")))["steps"][0];
  }
  SmallCourse course_;
};

TEST_F(VariantsOfAClass, AreGradedByThemselvesAndAFileOfAnotherVariantIsNamed) {
  constexpr int own = 100;
  const int other = neighbour_of(own);
  ASSERT_EQ(gradebook("variants reduction --student 100 --secret variants.secret").status, 0);
  const std::string choices = gradebook("variants reduction --student 100").output;
  ASSERT_EQ(gradebook("variants reduction " + choices.substr(0, choices.find('\n')) + " --out own").status,
            0);
  hand_in("100", course_ / "own/solutions/reduction/r1_interleaved.cu");
  hand_in(std::to_string(other), course_ / "own/solutions/reduction/r1_interleaved.cu");
  course_.write("class.csv", "student\n100\n101\n" + std::to_string(other) + "\n");
  const CommandResult run =
      gradebook("run class --assignment reduction --roster class.csv --out out --device sim");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(step("100")["verdict"], "accepted") << step("100")["reason"];
  const auto copied = step(std::to_string(other));
  EXPECT_EQ(copied["verdict"], "wrong_answer");
  const std::string sentence = "It is right for another variant of this assignment: " + operation_of("100") +
                               ", not " + operation_of(std::to_string(other)) + ".";
  EXPECT_THAT(copied["reason"].get<std::string>(), HasSubstr(sentence));
  EXPECT_THAT(copied.dump(), Not(HasSubstr("100:"))) << "no student is named";
  ASSERT_EQ(gradebook("report out").status, 0);
  const std::string page = text_of(course_ / "out/class.html");
  const std::size_t section = page.find("Files that are right for another variant");
  ASSERT_NE(section, std::string::npos);
  EXPECT_THAT(page.substr(section, page.find("</section>", section) - section),
              HasSubstr(std::to_string(other) + " (r1_interleaved.cu): " + operation_of("100")));
  EXPECT_THAT(page, Not(HasSubstr("100 (r1_interleaved.cu)")));

  const CommandResult without = gradebook("run class --assignment reduction --out out --device sim");
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.output, HasSubstr("name it with --roster"));
  course_.write("variants.secret", "reduction ffff\n");
  EXPECT_THAT(gradebook("run class --assignment reduction --roster class.csv --out out --device sim").output,
              HasSubstr("this class was begun with another secret"));
}

TEST_F(VariantsOfAClass, AreScoredByThresholdsOfTheirOwnAlsoWhenTheseChange) {
  const auto with_element = [this](const std::string &element) {
    for (int i = 100;; ++i)
      if (element_of(std::to_string(i)) == "element=" + element) return std::to_string(i);
  };
  const std::string floats = with_element("float"), ints = with_element("int");
  for (const std::string &student : {floats, ints}) {
    const std::string said = gradebook("variants reduction --student " + student).output;
    ASSERT_EQ(
        gradebook("variants reduction " + said.substr(0, said.find('\n')) + " --out of" + student).status, 0);
    hand_in(student, course_ / ("of" + student + "/solutions/reduction/r1_interleaved.cu"));
  }
  course_.write("class.csv", "student\n" + floats + "\n" + ints + "\n");
  const std::string as_it_is = text_of(course_ / "assignments/reduction/variants.yaml");
  const auto atomics_of_ints = [&](const std::string &most) {
    std::string text = as_it_is;
    const std::string place = "texts: {\"    - {n: 3000, exact: 0}\\n\": ";
    const std::size_t at = text.find(place);
    ASSERT_NE(at, std::string::npos);
    text.insert(
        text.rfind("        - in:", at),
        "        - in: [assignment.yaml]\n          texts: {\"{at_most: 256, points: 4}          # one for "
        "each block of\": \"{at_most: " +
            most + ", points: 4}  # one for each block of\"}\n");
    course_.write("assignments/reduction/variants.yaml", text);
  };
  atomics_of_ints("1");
  const CommandResult run =
      gradebook("run class --assignment reduction --roster class.csv --out out --device sim");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(step(floats)["points"], 18);
  EXPECT_EQ(step(ints)["points"], 14) << "no points for counters";
  atomics_of_ints("256");
  const CommandResult again = gradebook("rescore out");
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("interleaved 14 -> 18"));
  EXPECT_EQ(step(floats)["points"], 18);
  EXPECT_EQ(step(ints)["points"], 18);
}

TEST_F(VariantsOfAClass, HaveKitsOfTheirOwnWithoutTheOthers) {
  fs::remove(course_ / "variants.secret");
  course_.write("class.csv", "student,name\n100,One\n101,Other\n");
  const std::string words =
      std::string("kit reduction --roster class.csv --out kits --program '") + place::grade + "'";
  const CommandResult made = gradebook(words);
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("kits/reduction: 2 kits of "));
  const std::string secret = text_of(course_ / "variants.secret");
  EXPECT_THAT(secret, HasSubstr("\nreduction "));
  EXPECT_THAT(text_of(course_ / "kits/reduction/variants.csv"),
              HasSubstr("student,variant,kit\r\n100," + operation_of("100") + " "));
  for (const char *student : {"100", "101"}) {
    const std::string kit = std::string("kits/reduction/") + student;
    ASSERT_EQ(shell("mkdir " + kit + " && tar -xzf " + kit + ".tar.gz -C " + kit, course_.root()).status, 0);
    const CommandResult own = gradebook(std::string("variants reduction --student ") + student);
    const std::string says = own.output.substr(own.output.find('\n') + 1);
    EXPECT_THAT(text_of(course_ / (kit + "/reduction/README.md")),
                HasSubstr("**Your variant.** " + says.substr(0, says.size() - 1)));
    const std::string choices = own.output.substr(0, own.output.find('\n'));
    ASSERT_EQ(gradebook("variants reduction " + choices + " --out course" + student).status, 0);
    EXPECT_EQ(text_of(course_ / (kit + "/reduction/reduction.h")),
              text_of(course_ / (std::string("course") + student + "/starter/reduction/reduction.h")));
    const std::string drawn = secret.substr(secret.find("\nreduction ") + 11, 64);
    EXPECT_NE(shell("grep -rIl -e variants.yaml -e " + drawn + " " + kit, course_.root()).status, 0)
        << "a kit says nothing of other variants";
  }
  ASSERT_EQ(gradebook(words).status, 0);
  EXPECT_EQ(text_of(course_ / "variants.secret"), secret) << "it is drawn once";
  EXPECT_THAT(gradebook(std::string("kit hw6 --roster class.csv --program '") + place::grade + "'").output,
              HasSubstr("hw6 has no variants, so one kit serves everybody"));
}

TEST_F(VariantsOfAClass, AreNotGradedByAnAutograderThatKnowsOnlyTheFilesAsTheyAre) {
  const CommandResult refused = gradebook("autograder reduction --out a.zip");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("its students have variants"));
  EXPECT_THAT(refused.output, HasSubstr("'gradebook run FOLDER --assignment reduction --roster FILE'"));
  EXPECT_FALSE(fs::exists(course_ / "a.zip"));
  course_.write("variants.secret", "# reduction 00112233445566778899aabbccddeeff\n");
  const CommandResult packed = gradebook("autograder reduction --out a.zip");
  EXPECT_EQ(packed.status, 0) << packed.output;
  EXPECT_THAT(packed.output, HasSubstr("it grades everybody by the files of reduction as they are"));
}

TEST_F(VariantsOfAClass, ACourseOfOneIsGradedLikeAnyOther) {
  ASSERT_EQ(gradebook("variants reduction operation=alternating place=largest_last element=double --out one")
                .status,
            0);
  const CommandResult graded = shell(std::string("cd one && '") + place::grade +
                                         "' first_add argmin --submission solutions/reduction --device sim",
                                     course_.root());
  EXPECT_EQ(graded.status, 0) << graded.output;
  EXPECT_THAT(gradebook("variants reduction element=half").output,
              HasSubstr("'element' has no value 'half' (there are: float, int, double)"));
  EXPECT_THAT(gradebook("variants reduction --out one").output, HasSubstr("it exists already"));
}

}  // namespace
}  // namespace warpgrade::tests
