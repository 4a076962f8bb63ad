// Why a result is wrong, as a person reads it: what the first wrong element is made of, and a smaller case that fails
// in the same way, with a command that repeats it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "setup/fixtures.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Graded {
  int status = -1;
  std::string output;
};

Graded graded(const std::string &words) {
  const std::string command = "cd '" + std::string(place::root) + "' && COLUMNS=80 '" + place::grade + "' " +
                              words + " 2>&1 </dev/null";
  Graded made;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    made.output.append(piece.data(), n);
  const int status = pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return made;
}

struct Fixture {
  const char *assignment, *step, *folder;
  const char *sentence;  ///< of its terms: a regular expression
};

/// The arguments that grade a fixture.
std::string words_for(WholeFixtures &fixtures, const Fixture &f) {
  const fs::path folder = fs::path(place::root) / "grader/tests/submissions" / f.assignment / f.folder;
  return std::string(f.step) + " --device sim --assignment " + f.assignment + " --submission '" +
         fixtures.whole(folder).string() + "'";
}

/// The open case of a step's JSON that has `key`; null if there is none.
Json case_with(const std::string &words, const std::string &key) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-why-" + std::to_string(getpid()) + ".json");
  graded(words + " --json '" + file.string() + "'");
  Json found;
  std::ifstream in(file);
  const Json all = Json::parse(in);
  for (const Json &one : all.at("steps").at(0).at("cases"))
    if (one.contains(key)) found = one;
  fs::remove(file);
  return found;
}

class TermsOfFixture : public ::testing::TestWithParam<Fixture> {};

TEST_P(TermsOfFixture, SayWhatIsAddedAndWhatIsNot) {
  WholeFixtures fixtures(place::root);
  const Json one = case_with(words_for(fixtures, GetParam()), "terms");
  ASSERT_FALSE(one.is_null());
  const auto said = one.at("terms").at("sentence").get<std::string>();
  EXPECT_TRUE(std::regex_search(said, std::regex(GetParam().sentence))) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Why, TermsOfFixture,
    ::testing::Values(
        Fixture{"hw6", "step2", "wrong_answer/tail_dropped", "the products for k = 0.* never"},
        Fixture{"hw6", "step3", "wrong_answer/sum_not_reset", "adds A.* twice, not each with its partner"},
        Fixture{"hw6", "step2", "wrong_answer/one_row_too_low", "never, and what it held before"},
        Fixture{"reduction", "sequential", "wrong_answer/sequential_stops_a_round_early", "never"},
        Fixture{"transpose", "naive", "wrong_answer/naive_copies", "which do(es)? not belong to it"},
        Fixture{"spmv", "ell", "wrong_answer/ell_last_entry_left_out", "never"}));

TEST(Why, ASmallerCaseIsNamedWithACommandThatRepeatsIt) {
  WholeFixtures fixtures(place::root);
  const Fixture f{"hw6", "step3", "wrong_answer/beta_ignored", ""};
  const Graded all = graded(words_for(fixtures, f));
  EXPECT_THAT(all.output, HasSubstr("fails in the same way"));
  const Json one = case_with(words_for(fixtures, f), "smallest");
  ASSERT_FALSE(one.is_null()) << all.output;
  const auto name = one.at("smallest").at("name").get<std::string>();
  EXPECT_THAT(all.output, HasSubstr(name));
  const Graded again = graded(words_for(fixtures, f) + " --case '" + name + "' --seed " +
                              std::to_string(one.at("seed").get<std::uint64_t>()));
  EXPECT_EQ(again.status, 1) << again.output;
  EXPECT_THAT(again.output, HasSubstr("wrong_answer"));
  EXPECT_THAT(again.output, HasSubstr("beta * C is not added"));
  EXPECT_THAT(again.output, Not(HasSubstr("fails in the same way"))) << "it was the smallest";
}

TEST(Why, TwoElementsAloneRepeatAWrongTerm) {
  WholeFixtures fixtures(place::root);
  const std::string words =
      words_for(fixtures, {"hw6", "step1", "wrong_answer/a_warp_covers_a_row_of_a_tile", ""});
  const Json one = case_with(words, "smallest");
  ASSERT_FALSE(one.is_null());
  EXPECT_EQ(one.at("smallest").at("alone"), Json({"A[1, 0]", "B[0, 0]"}));
  const Graded again = graded(words + " --case 'm=n=k=2' --ones 'A[1, 0],B[0, 0]'");
  EXPECT_EQ(again.status, 1) << again.output;
  EXPECT_THAT(again.output, HasSubstr("C[1, 0] is 0, should be 1"));
  EXPECT_THAT(again.output, HasSubstr("--ones")) << "the command that repeats it";
  EXPECT_EQ(graded(words + " --case 'm=n=k=2' --ones 'A[1][0],B[1][0]'").status, 0)
      << "no such term in C[1, 0]";
  const Graded refused = graded(words + " --case 'm=n=k=2' --ones 'A[2][0]'");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("there is no element 'A[2][0]'"));
  EXPECT_THAT(graded(words + " --ones 'A[0][0]'").output, HasSubstr("name it with --case"));
}

TEST(Why, AChosenElementIsRecordedAndExplained) {
  WholeFixtures fixtures(place::root);
  const Graded made =
      graded("debug " + words_for(fixtures, {"hw6", "step2", "wrong_answer/tail_dropped", ""}) +
             " --case m=n=k=31 --element 'C[3][20]'");
  EXPECT_THAT(made.output, HasSubstr("warp 1 of block (1,0,0)"));
  EXPECT_THAT(made.output, HasSubstr("C[3, 20] is "));
  EXPECT_THAT(made.output, HasSubstr("adds the products for k = 0 to 15 once, 16 to 30 never"));
}

TEST(Why, ARaceWithARightResultIsShownInAnotherOrder) {
  WholeFixtures fixtures(place::root);
  const Json warps = case_with(
      words_for(fixtures, {"histogram", "private", "race/no_barrier_before_adding_up", ""}), "order");
  ASSERT_FALSE(warps.is_null());
  EXPECT_TRUE(std::regex_search(
      warps.at("order").get<std::string>(),
      std::regex("when warp [1-7] of each block runs before the others, counts.* is 0 and should be 1")))
      << warps.at("order");
  EXPECT_EQ(warps.at("verdict"), "race");
  // Where the result is wrong anyway, no other order is needed.
  EXPECT_TRUE(
      case_with(words_for(fixtures, {"histogram", "direct", "race/no_atomics", ""}), "order").is_null());
}

TEST(Why, IsTheSameEachTime) {
  WholeFixtures fixtures(place::root);
  const std::string words = words_for(fixtures, {"hw6", "step2", "wrong_answer/tail_dropped", ""});
  const Json first = case_with(words, "terms"), second = case_with(words, "terms");
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first.is_null());
}

TEST(Why, NothingIsSaidOfHiddenCases) {
  // Right in every open case: only hidden ones fail, and nothing smaller than those is sought or shown.
  WholeFixtures fixtures(place::root);
  const std::string words = words_for(fixtures, {"hw6", "step1", "wrong_answer/listed_sizes_only", ""});
  const Graded all = graded(words);
  EXPECT_EQ(all.status, 1) << all.output;
  EXPECT_THAT(all.output, HasSubstr("hidden cases pass"));
  EXPECT_THAT(all.output, Not(HasSubstr("fails in the same way")));
  EXPECT_TRUE(case_with(words, "terms").is_null());
  EXPECT_TRUE(case_with(words, "smallest").is_null());
  EXPECT_TRUE(case_with(words + " --reveal-hidden", "smallest").is_null());
}

TEST(Why, IsInTheDebuggerToo) {
  WholeFixtures fixtures(place::root);
  const Graded made =
      graded("debug " + words_for(fixtures, {"hw6", "step2", "wrong_answer/tail_dropped", ""}));
  EXPECT_THAT(made.output, HasSubstr("adds the products for k = 0"));
  EXPECT_THAT(made.output, HasSubstr("how often each is added"));
}

TEST(Why, IsAStripInThePage) {
  WholeFixtures fixtures(place::root);
  const fs::path file = fs::temp_directory_path() / ("warpgrade-why-" + std::to_string(getpid()) + ".html");
  graded(words_for(fixtures, {"hw6", "step2", "wrong_answer/tail_dropped", ""}) + " --html '" +
         file.string() + "'");
  std::stringstream page;
  page << std::ifstream(file).rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("Why this element is wrong"));
  EXPECT_THAT(page.str(), HasSubstr("class=\"strip\""));
  fs::remove(file);
}

}  // namespace
}  // namespace warpgrade
