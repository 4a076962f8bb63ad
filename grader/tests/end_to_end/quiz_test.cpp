// ./grade quiz as a person types it: its answers against what the text of a kernel says, worked out here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "base/text.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Said {
  int status = -1;
  std::string output;
};

Said quiz(const std::string &words) {
#ifdef WARPGRADE_CLANG
  const std::string quickest = " --toolchain clang";
#else
  const std::string quickest;
#endif
  const std::string command = "cd '" + std::string(place::root) + "' && COLUMNS=80 '" + place::grade +
                              "' quiz " + words + quickest + " 2>&1 </dev/null";
  Said made;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    made.output.append(piece.data(), n);
  const int status = pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return made;
}

json questions_of(const std::string &words) {
  const Scratch scratch;
  const std::string file = (scratch.path() / "q.json").string();
  const Said said = quiz(words + " --json " + file);
  EXPECT_EQ(said.status, 0) << said.output;
  return said.status == 0 ? json::parse(read_whole(file)).at("questions") : json::array();
}

TEST(Quiz, AsksSixQuestionsOfDifferentTopicsWithFourChoicesEach) {
  const json questions = questions_of("step2 --submission solutions/hw6 --seed 3");
  ASSERT_EQ(questions.size(), 6u);
  std::set<std::string> topics;
  for (const json &q : questions) {
    topics.insert(q["topic"]);
    EXPECT_EQ(q["choices"].size(), 4u);
    EXPECT_EQ(std::set<json>(q["choices"].begin(), q["choices"].end()).size(), 4u) << q.dump();
    EXPECT_LT(q["answer"].get<std::size_t>(), 4u);
    EXPECT_FALSE(q["why"].get<std::string>().empty());
  }
  EXPECT_EQ(topics.size(), 6u);
}

TEST(Quiz, AsksTheSameForTheSameSeedAndSomethingElseForAnother) {
  const std::string of = "step1 --submission solutions/hw6 --seed ";
  const json first = questions_of(of + "5");
  EXPECT_EQ(first, questions_of(of + "5"));
  EXPECT_NE(first, questions_of(of + "6"));
}

TEST(Quiz, AsksAboutLinesOfTheStudentOnly) {
  std::set<std::string> starter;
  for (const std::string &line :
       lines_of(read_whole(std::string(place::root) + "/starter/hw6/step2_shared.cu")))
    starter.insert(trimmed(line));
  for (const json &q : questions_of("step2 --submission solutions/hw6 --seed 4 --questions 12"))
    if (q["line"] != 0) {
      EXPECT_FALSE(starter.contains(q["code"])) << q.dump();
    }
}

/// gemm_coalesced of solutions/hw6: blocks of 128 x 8 threads; a thread computes C[row][col] with row = 8 by + y and
/// col = 128 bx + x, and loads A[row][k] and B[k][col] in turn k.
struct Coalesced {
  long n = 0;
  static long x(long warp, long lane) { return (32 * warp + lane) % 128; }
  static long y(long warp, long lane) { return (32 * warp + lane) / 128; }
};

std::string element(const std::string &matrix, long row, long col) {
  return matrix + "[" + std::to_string(row) + ", " + std::to_string(col) + "]";
}

/// What the text of the kernel says; empty for questions that are not worked out here.
std::string worked_out(const json &q) {
  const std::string text = q["question"], kind = q["kind"];
  std::smatch m;
  if (!std::regex_search(text, m, std::regex("At m=n=k=(\\d+)"))) return "";
  const long n = std::stol(m[1]);
  const auto up = [](long a, long b) { return (a + b - 1) / b; };
  const auto grouped = [](long number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return digits;
  };
  if (kind == "blocks_launched") return grouped(up(n, 128) * up(n, 8));
  if (kind == "warps_of_launch") return grouped(up(n, 128) * up(n, 8) * 32);
  if (kind == "idle_threads") return grouped(up(n, 128) * up(n, 8) * 1024 - n * n);
  if (kind == "warps_that_store") return grouped(n * up(n, 32));  // a row of C takes so many warps
  const bool in_loop = q["code"].get<std::string>().find("sum +=") != std::string::npos;
  if (kind == "multiply_adds")
    return grouped(in_loop ? n * n * n : n * n);  // alpha * sum + beta * C[...] is one
  const std::regex which(
      "which element of (\\w) does lane (\\d+) of warp (\\d+) of block \\((\\d+), (\\d+), 0\\) (load|store "
      "to) in line \\d+(, the (\\w+) time)?");
  if (std::regex_search(text, m, which)) {
    const std::map<std::string, long> turns = {{"", 0},      {"first", 0},   {"second", 1},
                                               {"third", 2}, {"fourth", 3},  {"fifth", 4},
                                               {"sixth", 5}, {"seventh", 6}, {"eighth", 7}};
    const std::string matrix = m[1];
    const long lane = std::stol(m[2]), warp = std::stol(m[3]),
               row = 8 * std::stol(m[5]) + Coalesced::y(warp, lane),
               col = 128 * std::stol(m[4]) + Coalesced::x(warp, lane);
    const long k = turns.at(m[8]);
    return matrix == "A"   ? element("A", row, k)
           : matrix == "B" ? element("B", k, col)
                           : element("C", row, col);
  }
  if (std::regex_search(
          text, m,
          std::regex("which thread .* of block \\((\\d+), (\\d+), 0\\) stores C\\[(\\d+), (\\d+)\\]")))
    return "(" + std::to_string(std::stol(m[4]) - 128 * std::stol(m[1])) + ", " +
           std::to_string(std::stol(m[3]) - 8 * std::stol(m[2])) + ", 0)";
  if (std::regex_search(text, m, std::regex("which block .* stores C\\[(\\d+), (\\d+)\\]")))
    return "(" + std::to_string(std::stol(m[2]) / 128) + ", " + std::to_string(std::stol(m[1]) / 8) + ", 0)";
  return "";
}

TEST(Quiz, AnswersWhatTheTextOfTheKernelSays) {
  std::set<std::string> kinds;
  for (const char *seed : {"1", "2"})
    for (const json &q :
         questions_of("step1 --submission solutions/hw6 --questions 24 --seed " + std::string(seed))) {
      const std::string expected = worked_out(q);
      if (expected.empty()) continue;
      kinds.insert(q["kind"]);
      EXPECT_EQ(q["choices"][q["answer"].get<std::size_t>()], expected) << q.dump(2);
    }
  EXPECT_GE(kinds.size(), 7u) << "of the kinds that are worked out here, most have come up";
}

TEST(Quiz, PrintsQuestionsThenAnswersWhereNobodyCanBeAsked) {
  const Said said = quiz("step1 --submission solutions/hw6 --seed 5 --questions 2");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.output, HasSubstr("\nAnswers\n"));
  EXPECT_LT(said.output.find("   D  "), said.output.find("\nAnswers\n"));
}

TEST(Quiz, AsksNothingAboutAStarter) {
  const Said said = quiz("step1 --submission starter/hw6");
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.output, HasSubstr("nothing of yours to ask about"));
}

TEST(Quiz, AsksNothingAboutAKernelThatIsWrong) {
  const Scratch scratch;
  std::string source = read_whole(std::string(place::root) + "/solutions/hw6/step1_coalesced.cu");
  const std::string from = "k < K", to = "k < K - 1";
  source.replace(source.find(from), from.size(), to);
  write_scratch(scratch.path() / "step1_coalesced.cu", source);
  const Said said = quiz("step1 --assignment hw6 --submission " + scratch.path().string());
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.output, HasSubstr("is not right yet"));
}

}  // namespace
}  // namespace warpgrade
