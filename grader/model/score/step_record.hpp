// Everything that was found out about one step of one submission: verdicts, counters, raw times. Points are
// not here: score/ computes them from this and the YAML, and can do so again when the YAML changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/sample.hpp"
#include "judge/measure.hpp"
#include "judge/verdict.hpp"
#include "run/energy.hpp"
#include "run/timed_sample.hpp"

namespace warpgrade::grading {

struct BuildRecord {
  bool ok = false;
  double seconds = 0;
  std::string front_end;         ///< "nvcc 13.0", "clang 14.0"
  std::optional<int> registers;  ///< per thread, the most of all kernels; needs a GPU architecture
  std::optional<std::uint64_t> spill_bytes;          ///< likewise
  std::optional<std::uint64_t> static_shared_bytes;  ///< the most of all kernels
  std::string why_no_registers;
  std::string log;        ///< the compiler's, bounded
  std::string code = {};  ///< a hash of the device code without names; empty: unknown, or there is none
  bool operator==(const BuildRecord &) const = default;
};

/// An array in shared memory that the student's file declares.
struct SharedArray {
  std::string name;
  std::uint32_t row_bytes = 0;  ///< from one row to the next: its last dimension
  std::uint64_t bytes = 0;
  bool operator==(const SharedArray &) const = default;
};

struct CounterRecord : judge::Counted {
  problem::Case on;
  std::vector<simt::LaneSample> samples;  ///< a request of each memory instruction, for drawings
  // What advice has to respect.
  bool shared_forbidden = false;             ///< by the step's rules
  std::optional<std::uint64_t> shared_room;  ///< bytes by which a block's static arrays may grow
  std::vector<SharedArray> shared_arrays;    ///< those whose rows are known
  bool operator==(const CounterRecord &) const = default;
};

/// Raw times of a step on a GPU.
struct PerformanceRecord {
  problem::Case size;
  std::vector<double> seconds;          ///< one per sample, in the order measured
  std::vector<double> library_seconds;  ///< of problem::Problem::library(), interleaved; empty without it
  std::string why_no_library;
  std::vector<gpu::GpuState> states;        ///< of the GPU right after each run; empty without NVML
  std::vector<gpu::TimedSample> throttled;  ///< runs that were made again, since the GPU was held back
  bool throttled_throughout = false;        ///< it was all the time: `seconds` are of such runs
  bool cut_short = false;                   ///< few runs, since each takes so long
  bool settled = true;                      ///< the clocks had, when sampling began
  std::optional<run::Energy> energy = {}, library_energy = {};  ///< if they were wanted
  bool operator==(const PerformanceRecord &) const = default;
};

/// The speed of an accepted step on a GPU that is not here, where the course lets it earn points.
struct PredictedRecord {
  std::string gpu;    ///< "NVIDIA H200"
  std::string model;  ///< its version
  problem::Case size;
  double seconds = 0, low = 0, high = 0;  ///< low and high: its interval
  std::optional<double> library_rate;     ///< that was measured there, for thresholds that are shares of it
  std::string why_not;                    ///< set where nothing could be predicted
  bool operator==(const PredictedRecord &) const = default;
};

/// A step at a size that is measured for a table, not for points.
struct BenchPoint {
  std::string step;
  problem::Case size;
  std::optional<PerformanceRecord> performance;  ///< on a GPU
  std::optional<CounterRecord> counters;         ///< on the simulator
  std::string why_not;                           ///< set when there is neither
  bool operator==(const BenchPoint &) const = default;
};

/// Elements of a buffer in a case in which a property fails, and who touches them.
struct RegionRecord {
  std::string buffer;
  std::uint64_t rows = 1, columns = 1;  ///< of the buffer
  /// Neighbours that fare alike. Before the buffer, elements are negative; behind it, at least rows * columns.
  struct Part {
    std::int64_t first = 0, last = 0;
    std::string by;  ///< "block (1, 0)", "blocks (0, 0) and (1, 0)"; empty: nobody
    bool operator==(const Part &) const = default;
  };
  std::vector<Part> parts;  ///< in order
  bool operator==(const RegionRecord &) const = default;
};

/// What is known about a property of a step for all sizes of its contract.
struct PropertyRecord {
  std::string property;  ///< "bounds", "races", "written", "barriers", "overflow"
  std::string result;    ///< "proved", "fails", "not decided"
  std::string at;        ///< of one that fails: a case that shows it, as --case takes it
  std::string file;      ///< of one that is not proved: where
  int line = 0;
  std::string why;  ///< likewise; one sentence
  bool open =
      false;  ///< not decided because this machine was too slow, or lacks the library: no points are lost
  std::optional<RegionRecord> region = {};  ///< of one that fails
  bool operator==(const PropertyRecord &) const = default;
};

struct StepRecord {
  std::string id, title, file;
  judge::Verdict verdict = judge::Verdict::grader_error;
  bool try_again = false;  ///< a grader_error of a machine that was short of something: it may be well later
  std::vector<judge::Verdict> also;
  std::string reason;  ///< one sentence unless accepted
  BuildRecord build;
  std::vector<judge::CaseVerdict> cases;
  std::vector<judge::CaseVerdict> answers = {};  ///< of a hunt: "line" and "cause"
  std::optional<CounterRecord> counters;
  /// The same at a size near that one, without lines, accesses and samples. Its flops and results per thread
  /// are those of whole warps: an edge costs a kernel as much as a full tile.
  std::optional<CounterRecord> counters_near;
  std::string why_no_counters;
  std::optional<PerformanceRecord> performance;
  std::string why_no_performance;
  std::vector<judge::Finding> findings;           ///< of all cases, same ones once
  std::string printed;                            ///< by the launcher, capped
  std::vector<PropertyRecord> properties = {};    ///< of an accepted step; empty if there was no time
  std::optional<PredictedRecord> predicted = {};  ///< only where `without_gpu: predicted` wants it
  bool operator==(const StepRecord &) const = default;
};

/// Where and how the steps ran.
struct DeviceRecord {
  bool gpu = false;
  std::string name;  ///< "NVIDIA H200", or "Warpgrade simulator"
  std::string arch;  ///< "sm_90"; "compute_80" on the simulator
  std::string why_no_gpu;
  bool operator==(const DeviceRecord &) const = default;
};

struct SubmissionRecord {
  std::string assignment, submission;
  std::uint64_t seed = 0;
  DeviceRecord device;
  std::vector<StepRecord> steps;
  std::vector<std::string> notes = {};  ///< what the student should know about what was handed in
  std::string refused = {};             ///< why nothing of it was graded
  bool operator==(const SubmissionRecord &) const = default;
};

}  // namespace warpgrade::grading
