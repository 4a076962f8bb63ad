#include "quiz/question.hpp"

#include <gtest/gtest.h>

#include <set>

#include "quiz/quiz.hpp"

namespace warpgrade::quiz {
namespace {

TEST(Question, HasTheAnswerAndTheFirstThreeMistakesThatDiffer) {
  Dice dice(1, "test");
  const auto q = with_choices(
      {}, "8",
      {{"8", "the answer again"}, {"4", "a"}, {"4", "b"}, {"", "c"}, {"2", "d"}, {"1", "e"}, {"0", "f"}},
      dice);
  ASSERT_TRUE(q);
  EXPECT_EQ(std::set<std::string>(q->choices.begin(), q->choices.end()),
            (std::set<std::string>{"8", "4", "2", "1"}));
  EXPECT_EQ(q->choices[q->answer], "8");
  ASSERT_EQ(q->mistakes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(q->mistakes[i].empty(), i == q->answer);
}

TEST(Question, IsNotAskedWithFewerThanThreeMistakes) {
  Dice dice(1, "test");
  EXPECT_FALSE(with_choices({}, "8", {{"4", "a"}, {"2", "b"}, {"8", "c"}}, dice));
}

TEST(Question, PutsTheAnswerInEveryPlace) {
  std::set<std::size_t> places;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Dice dice(seed, "test");
    places.insert(with_choices({}, "8", {{"4", "a"}, {"2", "b"}, {"1", "c"}}, dice)->answer);
  }
  EXPECT_EQ(places.size(), 4u);
}

TEST(QuizDice, FollowFromSeedAndPurpose) {
  Dice a(7, "x"), b(7, "x"), c(7, "y");
  bool differ = false;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t one = a.below(1000);
    EXPECT_EQ(one, b.below(1000));
    differ = differ || one != c.below(1000);
  }
  EXPECT_TRUE(differ);
}

TEST(QuizNumbers, AreGroupedInThrees) {
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1234), "1,234");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Quiz, KnowsAtLeastTwentyKindsOfQuestions) {
  const std::vector<std::string_view> names = kind_names();
  EXPECT_GE(std::set<std::string_view>(names.begin(), names.end()).size(), 20u);
}

}  // namespace
}  // namespace warpgrade::quiz
