// The kernel that questions are about: what the simulator counts and records of it, and what becomes of it when its
// source is changed. Everything is found out once, when it is asked for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/scratch.hpp"
#include "grading/grading.hpp"
#include "mutants/case_runner.hpp"
#include "quiz/question.hpp"

namespace warpgrade::quiz {

/// A step that no question can be asked about. what() says why.
class NoSubject : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Subject {
 public:
  struct Place {
    std::filesystem::path root, submission;  ///< of the course; of the student's files
  };
  /// Builds the step and runs it. Throws NoSubject where it is not right.
  Subject(const course::Assignment &, const grading::Environment &, const grading::Options &,
          const course::Step &, const Place &, std::uint64_t seed);

  const course::Assignment &assignment() const { return assignment_; }
  const grading::Grader &grader() const { return grader_; }
  const course::Step &step() const { return step_; }
  const problem::Problem &problem() const { return *step_.problem; }
  const std::filesystem::path &root() const { return place_.root; }
  const build::Build &build() const { return build_; }
  const std::string &source() const { return source_; }
  std::uint64_t seed() const { return seed_; }

  /// Whether the student wrote the line: the starter's file has none like it.
  bool is_own(const simt::SourceLine &at) const { return at.file == step_.file && own_.contains(at.line); }
  /// Whether it does the same with other inputs too; what others do, nobody can say from the code.
  bool is_plain(const simt::SourceLine &at);
  /// Whether this holds for all lines.
  bool is_plain();
  /// A question about a line.
  Question about(int line) const;

  /// A size that is a multiple of a warp, if the step's counters are read at one; and one that is none, if the step
  /// takes any.
  const problem::Case &even() const { return even_; }
  const std::optional<problem::Case> &odd() const { return odd_; }
  /// One of these.
  const problem::Case &any_size(Dice &dice) const { return odd_ && dice.below(2) == 1 ? *odd_ : even_; }
  std::string at(const problem::Case &c) const { return problem().case_name(c); }

  const simt::Counters &counters(const problem::Case &);
  const std::vector<simt::LaneSample> &samples(const problem::Case &);
  /// Null unless there is exactly one.
  const plan::Launch *only_launch(const problem::Case &);
  /// The requests of a block; empty where there are several launches, or too many requests.
  const std::vector<simt::TracedRequest> &trace(const problem::Case &, std::uint64_t block);

  /// The name of the element at an offset in bytes of one of the judge's buffers; empty for other memory, or past its end.
  std::string element(const problem::Case &, const std::string &buffer, std::int64_t offset);
  std::int64_t element_bytes(const std::string &buffer);

  /// The step with another text for its file; null if that does not build.
  struct Changed {
    build::Build build;
    std::unique_ptr<mutants::CaseRunner> runner;
  };
  Changed *changed(const std::string &text);

 private:
  const grading::CounterRecord &counted(const problem::Case &);
  const plan::LaunchPlan &plan(const problem::Case &);
  void find_own_lines();
  void choose_sizes();
  void find_lines_that_follow_inputs();
  bool is_right_at(const problem::Case &);

  const course::Assignment &assignment_;
  const grading::Environment &environment_;
  const grading::Options &options_;
  const course::Step &step_;
  Place place_;
  std::uint64_t seed_;
  grading::Grader grader_;
  grading::CaseData data_;
  build::Build build_;
  std::string source_;
  std::vector<std::string> lines_;
  std::set<int> own_;
  std::optional<std::set<simt::SourceLine>> follow_inputs_;
  std::unique_ptr<mutants::CaseRunner> runner_;
  problem::Case even_;
  std::optional<problem::Case> odd_;
  std::map<std::string, grading::CounterRecord> counted_;
  std::map<std::string, plan::LaunchPlan> plans_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<simt::TracedRequest>> traces_;
  std::map<std::string, std::int64_t> element_bytes_;
  std::map<std::string, std::unique_ptr<Changed>> changed_;
  Scratch scratch_;
};

}  // namespace warpgrade::quiz
