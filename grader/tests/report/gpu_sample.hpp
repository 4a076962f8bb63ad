// A submission graded on a GPU as reports show it at their fullest: fast, slow, uncoalesced, wrong and racing
// steps, with times, counters and sizes. All figures are made up.
#pragma once

#include <map>

#include "report/report.hpp"

namespace warpgrade::report {

struct GpuSample {
  course::Assignment assignment;
  course::Thresholds thresholds;
  grading::SubmissionRecord record;
  score::Score score;
  std::vector<grading::BenchPoint> bench;      ///< step1 and step3 from 256 to 4096
  std::map<std::string, std::string> sources;  ///< by step
  grading::CounterRecord flawless;             ///< of another file, for students who lose nothing

  GpuSample();
  Report report() const {
    return {assignment, thresholds, record, score, "./grade {step} --submission homework"};
  }
};

/// Times around a rate, with a little scatter that is the same in every run.
std::vector<double> times_of(double flops, double gflops, int samples);

}  // namespace warpgrade::report
