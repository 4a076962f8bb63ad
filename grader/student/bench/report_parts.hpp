// What `grade report` measures for the marks of a student's report: a table or a picture each.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/fill_in.hpp"
#include "setup/selection.hpp"
#include "tune/tuning.hpp"

namespace warpgrade::bench {

/// Marks and their values; `sizes` are "256,512" or "256:2048:64", and `sim` those where there is no GPU:
///
///   options   step                        the constants that are defined with the step
///   peaks     step sizes sim              rate, share of the library, grid and block
///   compare   step with sizes sim         one step's rate over another's
///   sweep     step sizes sim geometry     variants side by side, the best in bold; "BX=8 BY=8; BX=16 BY=16"
///   curve     step sizes sim tiles        over many sizes beside the library; remainders by the constants
///   `tiles` roofline  step size counted peak bandwidth
class ReportParts {
 public:
  /// pictures   where SVG files go, and how the report names that folder
  ReportParts(const Common &, const Course &, const Machine &, std::filesystem::path pictures);

  /// Looks at names and values alone. Throws UsageError with the mark's line.
  void check(const report::Mark &) const;
  /// Measures: Markdown. Throws UsageError.
  std::string measure(const report::Mark &);

 private:
  std::string options(const report::Mark &);
  std::string peaks(const report::Mark &);
  std::string compare(const report::Mark &);
  std::string sweep(const report::Mark &);
  std::string curve(const report::Mark &);
  std::string roofline(const report::Mark &);

  bool gpu() const { return machine_.environment.gpu.has_value(); }
  const course::Step &step_of(const report::Mark &, const char *key = "step") const;
  std::vector<std::int64_t> sizes_of(const report::Mark &) const;
  tune::Tunable tunable(const course::Step &) const;
  const build::Build &build_of(const course::Step &);
  /// Each size once, whichever mark asks for it.
  const grading::BenchPoint &point(const course::Step &, std::int64_t size);
  std::string picture(const std::string &name, const std::string &title, const std::string &svg);
  /// One sentence under what has no times; empty on a GPU.
  std::string without_times(const char *what) const;

  const Course &course_;
  const Machine &machine_;
  grading::Options options_;
  std::unique_ptr<grading::Grader> grader_;
  std::filesystem::path pictures_;
  std::map<std::string, build::Build> builds_;                                  ///< by file
  std::map<std::pair<std::string, std::int64_t>, grading::BenchPoint> points_;  ///< by file and size
};

}  // namespace warpgrade::bench
