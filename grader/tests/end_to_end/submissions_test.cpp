// Every folder of submissions/<assignment>/<verdict>/ is graded and must get that verdict: on the simulator,
// or, built with WARPGRADE_ON_GPU and run by `make test-gpu`, on the GPU, together with the folders of
// submissions/<assignment>-gpu/.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "tests/end_to_end/bench.hpp"

namespace warpgrade {
namespace {

const std::string on_gpu = "-gpu";  // whose mistake appears only on a GPU

/// The folders of submissions/; with or without those only for GPUs.
std::vector<std::string> collections(bool for_gpus) {
  std::vector<std::string> all;
  for (const auto &folder : fs::directory_iterator(root / "grader/tests/submissions"))
    if (folder.is_directory() && folder.path().filename().string().ends_with(on_gpu) == for_gpus)
      all.push_back(folder.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

struct Fixture {
  std::string collection, verdict, name;
  fs::path folder;
  bool for_gpus() const { return collection.ends_with(on_gpu); }
  std::string assignment() const {
    return for_gpus() ? collection.substr(0, collection.size() - on_gpu.size()) : collection;
  }
  /// Of its test; hw6 came first and needs no prefix.
  std::string title() const {
    std::string prefix = assignment() == "hw6" ? "" : assignment() + "__";
    std::replace(prefix.begin(), prefix.end(), '-', '_');
    return prefix + (for_gpus() ? "gpu__" : "") + verdict + "__" + name;
  }
};
void PrintTo(const Fixture &f, std::ostream *out) {
  *out << f.folder.lexically_relative(root).string();
}

std::vector<Fixture> fixtures_of(const std::vector<std::string> &of_collections) {
  std::vector<Fixture> all;
  for (const std::string &collection : of_collections)
    for (const auto &verdict : fs::directory_iterator(root / "grader/tests/submissions" / collection))
      for (const auto &name : fs::directory_iterator(verdict.path()))
        all.push_back(
            {collection, verdict.path().filename().string(), name.path().filename().string(), name.path()});
  std::sort(all.begin(), all.end(), [](const Fixture &a, const Fixture &b) { return a.folder < b.folder; });
  return all;
}

std::vector<Fixture> all_fixtures() {
  std::vector<std::string> all = collections(false);
#ifdef WARPGRADE_ON_GPU
  for (const std::string &more : collections(true)) all.push_back(more);
#endif
  return fixtures_of(all);
}

/// The places of an assignment's header that are inside its functions of one name, as a report writes them:
/// "FILE:LINE". A header changes without its fixtures, so they name a function of it and no line.
std::vector<std::string> places_in(const std::string &assignment, const std::string &file,
                                   const std::string &function) {
  std::ifstream header(root / "starter" / assignment / file);
  std::vector<std::string> places;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(header, line); inside = inside && !line.starts_with('}')) {
    ++number;
    inside |= !line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) != 0 &&
              line.find(' ' + function + '(') != std::string::npos;
    if (inside) places.push_back(file + ':' + std::to_string(number));
  }
  return places;
}

/// The report holds each line of the file `says` in the fixture's folder: the cause, or the line that is
/// wrong. A terminal may break them anywhere. "FILE in FUNCTION" is any line of that function of a header.
void expect_said(const Bench &bench, const Fixture &f, const grading::SubmissionRecord &record) {
  const auto in_one_line = [](const std::string &text) {
    std::istringstream words(text);
    std::string all;
    for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + word;
    return all;
  };
  const std::string report = in_one_line(bench.terminal(record)) + ' ';
  const std::regex in_function(R"((\S+\.h) in (\w+))");
  std::ifstream says(f.folder / "says");
  for (std::string line; std::getline(says, line);) {
    std::vector<std::string> any = {in_one_line(line)};
    if (std::smatch place; std::regex_match(line, place, in_function)) {
      any = places_in(f.assignment(), place[1], place[2]);
      for (std::string &p : any) p += ' ';  // so that line 15 is not found in line 154
    }
    EXPECT_TRUE(std::any_of(any.begin(), any.end(),
                            [&](const std::string &text) { return report.find(text) != std::string::npos; }))
        << "missing: " << line << '\n'
        << bench.terminal(record);
  }
}

class Submission : public ::testing::TestWithParam<Fixture> {};

TEST_P(Submission, GetsTheVerdictOfItsFolder) {
  const Fixture &f = GetParam();
  std::set<std::string> accepted = {f.verdict};
  // For what a limit may end in one way or another, for what a GPU words differently than the simulator, and
  // for what is contained only where bubblewrap is.
  Bench bench(f.assignment(), quickest);
  std::vector<std::string> files = {"or"};
  if (device == DeviceChoice::gpu) files.emplace_back("or-on-gpu");
  if (!bench.contained()) files.emplace_back("or-without-sandbox");
  if (bench.with_clang()) files.emplace_back("or-with-clang");
  for (const std::string &file : files) {
    std::ifstream or_else(f.folder / file);
    for (std::string verdict; std::getline(or_else, verdict);) accepted.insert(verdict);
  }

  const grading::SubmissionRecord record = bench.grade(f.folder, false, f.for_gpus());
  for (const grading::StepRecord &s : record.steps)
    EXPECT_TRUE(accepted.contains(std::string(judge::name_of(s.verdict)))) << bench.terminal(record);
  if (device == DeviceChoice::simulator) expect_said(bench, f, record);
  // Whatever a submission does, its points follow from its verdict; answers have points of their own, and steps beyond the
  // course have none.
  const score::Score score = bench.score(record);
  std::map<std::string, course::Hunt> hunts;
  for (const course::Step &step : course::read_assignment(root / "assignments" / f.assignment()).steps)
    if (step.hunt) hunts[step.id] = *step.hunt;
  for (std::size_t i = 0; i < record.steps.size(); ++i)
    if (!record.steps[i].file.ends_with(".yaml") && score.steps[i].max_points > 0) {
      double named = 0;  // of a hunt
      for (const judge::CaseVerdict &answer : record.steps[i].answers)
        if (answer.verdict == judge::Verdict::accepted)
          named += answer.name == "line" ? hunts.at(record.steps[i].id).line_points
                                         : hunts.at(record.steps[i].id).cause_points;
      EXPECT_EQ(score.steps[i].points > named, record.steps[i].verdict == judge::Verdict::accepted)
          << bench.terminal(record);
    }
}

/// The first fixture of each folder, or all the others, which `make test-long` grades.
std::vector<Fixture> firsts(bool wanted) {
  std::vector<Fixture> some;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Fixture &f : all_fixtures())
    if (seen.emplace(f.collection, f.verdict).second == wanted) some.push_back(f);
  return some;
}

INSTANTIATE_TEST_SUITE_P(First, Submission, ::testing::ValuesIn(firsts(true)),
                         [](const auto &fixture) { return fixture.param.title(); });
INSTANTIATE_TEST_SUITE_P(Further, Submission, ::testing::ValuesIn(firsts(false)),
                         [](const auto &fixture) { return fixture.param.title(); });

#ifndef WARPGRADE_ON_GPU
class GpuSubmission : public ::testing::TestWithParam<Fixture> {};

// What they do shows itself on a GPU only. Here: that they compile, are graded, and that it is not some other
// mistake of theirs for which a GPU's run would give the verdict of the folder.
TEST_P(GpuSubmission, HasNoOtherMistakeThatASimulatorSees) {
  const Fixture &f = GetParam();
  Bench bench(f.assignment(), quickest);
  const grading::SubmissionRecord record = bench.grade(f.folder);
  const std::string verdict(judge::name_of(record.steps.at(0).verdict));
  const bool unsupported =
      verdict == "device_error" && record.steps[0].reason.find("malloc") != std::string::npos;
  EXPECT_TRUE(verdict == "accepted" || verdict == f.verdict || unsupported) << bench.terminal(record);
}

INSTANTIATE_TEST_SUITE_P(Every, GpuSubmission, ::testing::ValuesIn(fixtures_of(collections(true))),
                         [](const auto &fixture) { return fixture.param.title(); });
#endif

#ifndef WARPGRADE_ON_GPU
// The launcher contains the inputs that one seed gives, also those of repeated calls, and computes the product on the host.
TEST(Seeds, KnowingTheSeedHelpsOnlyWithThatSeed) {
  const fs::path folder = root / "grader/tests/submissions/hw6/wrong_answer/knows_the_seed";
  Bench bench;
  const auto with = [&](std::uint64_t seed) { return bench.grade(folder, false, false, seed); };
  const auto known = with(42);
  EXPECT_EQ(known.steps.at(0).verdict, judge::Verdict::accepted) << bench.terminal(known);
  std::random_device device;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t seed = (std::uint64_t{device()} << 32) | device();
    const auto fresh = with(seed);
    EXPECT_EQ(fresh.steps.at(0).verdict, judge::Verdict::wrong_answer)
        << "seed " << seed << bench.terminal(fresh);
  }
}
#endif

TEST(Fixtures, ThereIsOneForEveryVerdictThatASimulatedSubmissionCanGet) {
  std::set<std::string> have;
  for (const Fixture &f : all_fixtures()) have.insert(f.verdict);
  for (const char *verdict :
       {"accepted", "wrong_answer", "input_changed", "out_of_bounds", "race", "barrier_error",
        "uninitialized_read", "launch_error", "device_error", "rule_violation", "bad_plan", "time_limit",
        "crashed", "build_error", "not_implemented", "missing"})
    EXPECT_TRUE(have.contains(verdict)) << verdict;
}

TEST(Secrets, NoByteOfAHiddenFileReachesAnyOutput) {
  Bench bench;
  std::ostringstream hidden;
  hidden << std::ifstream(root / "assignments/hw6/hidden.yaml").rdbuf();
  for (const char *name : {"include_secret", "include_hidden", "incbin_secret"}) {
    const auto record = bench.grade(root / "grader/tests/submissions/hw6/build_error" / name);
    const std::string output = bench.terminal(record) + bench.json(record);
    std::istringstream lines(hidden.str());
    for (std::string line; std::getline(lines, line);)
      if (line.size() > 20) {
        EXPECT_EQ(output.find(line), std::string::npos) << name;
      }
  }
}

/// What a student reads where `right` of the hidden cases that ran here are.
std::string hidden_that_pass(const grading::SubmissionRecord &record, int right) {
  int ran = 0;
  for (const judge::CaseVerdict &c : record.steps.at(0).cases)
    ran += c.visibility == course::Visibility::hidden && c.ran();
  return std::to_string(right) + " of " + std::to_string(ran) + " hidden cases pass";
}

TEST(Secrets, AHiddenCaseThatFailsRevealsNeitherItsSizeNorWhatWasPrintedInIt) {
  Bench bench;
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/wrong_answer/hidden_echo");
  const std::string output = bench.terminal(record) + bench.json(record);
  EXPECT_NE(output.find(" hidden cases pass"), std::string::npos) << output;
  for (const char *secret : {"hidden: 97", "97 97", "=97", "\"m\": 97", "A begins with"})
    EXPECT_EQ(output.find(secret), std::string::npos) << secret << '\n' << output;
}

// Sizes of hidden cases were read from one report, in as many digits as there are kinds of failures.
TEST(Secrets, HiddenCasesThatFailInDifferentWaysRevealOnlyHowManyPass) {
  Bench bench;
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/wrong_answer" /
                                  "kinds_of_failures_spell_hidden_sizes");
  const grading::StepRecord &step = record.steps.at(0);
  std::set<judge::Verdict> kinds;
  for (const judge::CaseVerdict &c : step.cases)
    if (c.visibility == course::Visibility::hidden && c.ran()) kinds.insert(c.verdict);
  EXPECT_GT(kinds.size(), 2u) << "instructors see them";
  EXPECT_EQ(step.verdict, judge::Verdict::wrong_answer);
  EXPECT_EQ(step.reason, hidden_that_pass(record, 0));
  EXPECT_TRUE(step.also.empty());
  EXPECT_TRUE(step.findings.empty());
  const std::string output = bench.terminal(record) + bench.json(record);
  for (const judge::Verdict kind : kinds)
    EXPECT_EQ(output.find(std::string(judge::name_of(kind))), std::string::npos) << output;
}

TEST(Secrets, WhatTheSimulatorLacksHidesNoWrongHiddenCase) {
  Bench bench;
  const auto record =
      bench.grade(root / "grader/tests/submissions/hw6/wrong_answer/unsupported_at_hidden_sizes");
  EXPECT_EQ(record.steps.at(0).reason, hidden_that_pass(record, 0));
}

TEST(Secrets, OutputOfTheLaunchersProcessIsMarkedAsSuch) {
  Bench bench;
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/bad_plan/speaks_for_the_grader");
  EXPECT_EQ(record.steps.at(0).reason,
            "the launcher may not do this: \"the grader's machine is broken'. This "
            "student gets full marks, by order of the staff: '10/10 \"");
}

TEST(Secrets, ARuleBrokenInAHiddenCaseDoesNotRevealItsSize) {
  Bench bench;
  const auto record =
      bench.grade(root / "grader/tests/submissions/hw6/wrong_answer/shared_bytes_spell_a_hidden_size");
  const std::string output = bench.terminal(record) + bench.json(record);
  EXPECT_EQ(record.steps.at(0).reason, hidden_that_pass(record, 0));
  for (const int m : {3, 61, 97, 131, 191})  // hidden.yaml
    EXPECT_EQ(output.find(std::to_string(41000 + m)), std::string::npos) << output;
}

TEST(Limits, AStepOfEndlessKernelsEndsWithAVerdictAndWords) {
  Bench bench;
  bench.limits().simulate.warp_instructions = std::uint64_t{1} << 60;
  bench.limits().step_wall_seconds =
      6;  // half of it is left for what follows the compiler, however slow that was
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/time_limit/infinite_kernel");
  EXPECT_EQ(record.steps.at(0).verdict, judge::Verdict::time_limit);
  // Which comes first depends on the machine.
  EXPECT_THAT(record.steps[0].reason,
              ::testing::AnyOf(::testing::HasSubstr("all the time that the step had left"),
                               ::testing::HasSubstr("it may take 6 s"),
                               ::testing::HasSubstr("the kernel waits for ever")));
}

TEST(Diagnostics, AnAccessOutsideNamesKernelFileLineThreadBlockBufferAndDistance) {
  Bench bench;
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/out_of_bounds/one_past_the_end");
  ASSERT_FALSE(record.steps[0].findings.empty());
  const judge::Finding &f = record.steps[0].findings.front();
  EXPECT_EQ(f.code, "out_of_bounds");
  EXPECT_TRUE(f.file.ends_with(".cu"));
  EXPECT_GT(f.line, 0);
  for (const char *part : {"thread (", "block (", " at the end of ", "bytes"})
    EXPECT_NE(f.message.find(part), std::string::npos) << f.message;
}

}  // namespace
}  // namespace warpgrade
