// Variants of a step's constants, each built, checked and measured: what `grade tune` and `grade report`
// share.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grading/grading.hpp"
#include "tune/variants.hpp"

namespace warpgrade::tune {

struct Variant {
  Setting setting;
  build::Build build = {};
  std::string why_not = {};                      ///< empty: built and right
  std::vector<grading::BenchPoint> points = {};  ///< one for each size
};

/// A student's file of a step and the headers that it is compiled with, in which constants are defined.
class Tunable {
 public:
  /// Throws UsageError when the file cannot be read. A header that is not there is the starter's.
  Tunable(const course::Step &, const std::filesystem::path &submission,
          const std::filesystem::path &starter);

  /// Throws UsageError unless one of the files defines a constant of that name.
  void expect(const std::string &name) const;
  /// The files with these values, by name.
  std::map<std::string, std::string> with(const Setting &) const;
  /// Every constant with a number for its value, as it stands.
  Setting constants() const;

 private:
  const course::Step &step_;
  std::map<std::string, std::string> files_;
};

/// Builds each variant, on `threads` at once, grades it on every case that can be run here and measures it at
/// `sizes`. What does not build or is not accepted says why and has no points.
void measure_variants(std::vector<Variant> &, grading::Grader &, const course::Step &, const Tunable &,
                      const std::vector<problem::Case> &sizes, int threads);

/// The rate of a point that was timed.
std::optional<double> rate_of(const course::Step &, const grading::BenchPoint &);
/// The fastest at the size of that index; null when nothing was timed.
const Variant *best_of(const std::vector<Variant> &, const course::Step &, std::size_t size);

}  // namespace warpgrade::tune
