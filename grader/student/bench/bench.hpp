// Steps side by side: at many sizes, under the roof of a GPU, and in a student's report. Each function does
// what one command says, prints to standard output and gives the exit status. Throws UsageError.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::bench {

inline constexpr std::array<std::string_view, 3> extent_names = {"--m", "--n", "--k"};

struct BenchOptions {
  Common common;
  std::vector<std::string> steps, sizes;
  std::vector<std::int64_t> extents;  ///< --m, --n, --k as given, 0 where not
  std::vector<std::int64_t> devices;  ///< each size on so many; empty: as it says
  std::string csv, json;
  bool profile = false, energy = false;
};
/// ./grade bench: rates at many sizes beside a library, or counters without a GPU. Grades nothing.
int bench(const BenchOptions &);

struct RooflineOptions {
  Common common;
  std::vector<std::string> steps;
  std::string gpu, json, svg;
  double peak = 0;
  std::vector<double> bandwidths;
  bool profile = false;
};
/// ./grade roofline: intensities as the simulator counts them, and measured rates where there is a GPU.
int roofline(const RooflineOptions &);

struct PredictOptions {
  Common common;
  std::vector<std::string> steps, sizes, gpus;
  std::string json;
  bool what_if = false;  ///< also what curing the worst lines would gain; --json always has it
};
/// ./grade predict: how fast steps would be on GPUs that are not here. Grades nothing.
int predict(const PredictOptions &);

struct ReportOptions {
  Common common;
  std::string from, to;  ///< empty: report.md of the submission; over `from`
};
/// ./grade report: measures what the marks of a report ask for and puts it there. The words around are the
/// student's.
int fill_report(const ReportOptions &);

}  // namespace warpgrade::bench
