// The referee: a process of ours on the GPU in which student code never runs. It deals the inputs of timed
// runs, checks their outputs, times a library on the same inputs and reads the GPU's clocks.
//
// Its own copies of A, B and C are in a context of its own, which no student's kernel can reach. A replay
// gets memory that both processes map (or, if a driver cannot do that, a copy through the host): the referee
// fills it from its copies before each run, and compares it with them afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "problem/problem.hpp"
#include "run/timed_sample.hpp"

namespace warpgrade::gpu {

/// The referee's judgement of one run.
struct Checked {
  std::string why;                  ///< it could not check: our failure
  std::string finding;              ///< what is wrong: "C[3, 5] is 1, should be 2"; empty when all is right
  bool input_changed = false;       ///< the finding is about A or B
  std::vector<std::string> guards;  ///< writes around the buffers: "C: 4 bytes past the end were overwritten"
  std::optional<GpuState> state;    ///< right after the run; none without NVML
};

/// One run of a library's routine; of cuBLAS, with sums in fp32 and factors as they are (no TF32, no
/// emulation).
struct LibraryTime {
  std::string why;  ///< empty when it ran
  run::Sample sample;
  run::Energy energy = {};  ///< if SampleOptions wants that instead
};

/// Not safe for two threads at once.
class Referee {
 public:
  explicit Referee(DeviceInfo device, ChildOptions options = {});
  /// devices  of plans, in the order of their numbers. The referee works on the first one; on the others it has
  ///          memory only, for what it deals to their plans.
  Referee(std::vector<DeviceInfo> devices, ChildOptions options = {});
  ~Referee();
  Referee(Referee &&) noexcept;
  Referee &operator=(Referee &&) noexcept;

  /// Starts its process, without waiting until it is ready.
  void start_early();
  /// What is dealt, multiplied and checked from now on. `tolerance` is in units of an element's scale.
  /// Returns "" or why it is impossible.
  std::string take(const problem::MatrixProduct &product, double tolerance);
  /// The same for a problem with a problem.cu, whose every element is checked. Where its kernels are not
  /// there or cannot be used, the answer says why, and the host has to deal and check.
  std::string take(const problem::Problem &problem, const problem::Case &size, double tolerance);
  /// Fresh inputs, the numbers that the problem draws from this seed, at a different place in memory each
  /// time. Returns "" or why not.
  std::string deal(std::uint64_t seed);
  /// Runs the plan on the dealt inputs, timed.
  Timed run(Replay &replay, const plan::LaunchPlan &plan, const SampleOptions &options = {});
  /// Checks the result of that run: A and B unchanged, nothing written around the buffers, C right in sampled
  /// cells and in a random signed sum over every row (Freivalds, 1977). `seed` draws both.
  Checked check(std::uint64_t seed);
  /// cuBLAS on copies of the dealt inputs. The first product of each take() is checked like a student's.
  LibraryTime multiply(const SampleOptions &options = {});
  /// C of the first multiply() since take(), in the layout of its buffer; empty before.
  std::vector<float> cublas_product();

  /// What compute() runs from now on, instead of products: a routine other than a product, on operands of
  /// these bytes. Returns "" or why it is impossible.
  /// devices  of the operands; empty: all on the first
  std::string take(problem::Routine routine, const std::vector<std::uint64_t> &bytes,
                   const std::vector<std::uint8_t> &devices = {});
  /// The routine on copies of its operands, at other places each time.
  /// inputs  one per operand; null: those of the call before
  /// left    what the operands hold after the run; null if nobody wants to know
  LibraryTime compute(const std::vector<run::HostBuffer> *inputs, std::vector<run::HostBuffer> *left,
                      const SampleOptions &options = {});
  /// The same on what was dealt. The first run after take() is checked like a student's.
  /// fresh  whether anything was dealt since the last call
  LibraryTime compute_dealt(bool fresh, const SampleOptions &options = {});

  /// "cuBLAS 13.0.2 from /usr/local/cuda/lib64/libcublas.so.13", once take() has succeeded; or why there is
  /// none.
  const std::string &cublas_version() const;
  /// The same of the last routine's library.
  const std::string &routine_version() const;
  const std::string &why_no_cublas() const;
  /// Why GpuState is never available, or "".
  const std::string &why_no_state() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::gpu
