// The C interface of libwarpgrade_problems.so, which holds the problem.cu of all assignments: inputs that a
// GPU draws by itself, and a look at outputs that stay in its memory. The referee's process opens it at run
// time, because it needs the CUDA runtime. problem/on_device.cuh is what a problem.cu includes.
#pragma once

#include <cstdint>

namespace warpgrade::problem {

/// A case on the GPU.
struct OnDeviceCase {
  static constexpr std::uint32_t most_arrays = 24, most_integers = 16, most_reals = 4;
  std::int64_t integers[most_integers] = {};
  double reals[most_reals] = {};
  std::uint64_t elements[most_arrays] = {};  ///< of each array
  std::uint32_t types[most_arrays] = {};     ///< Type
  std::uint32_t is_output[most_arrays] = {};
  std::uint32_t arrays = 0;
};

/// What a look at the arrays after a run has found.
struct Looked {
  std::uint64_t changed = 0;        ///< elements of inputs that are not what they were
  std::uint32_t changed_array = 0;  ///< the first one with such elements
  std::uint32_t wrong_array = 0;    ///< the first output with wrong elements
  std::uint64_t checked = 0, wrong = 0;
  std::uint64_t element = 0;  ///< the first wrong one there
  double got = 0, want = 0;   ///< there
};

/// Whether the library has a problem of this name; 0 or 1.
using ProblemIsThere = int(const char *problem);
inline constexpr char problem_is_there[] = "warpgrade_problem_is_there";
/// Fills the arrays (device pointers) with the numbers that Problem::inputs() has for this seed.
/// returns  0, or an error of the CUDA runtime
using ProblemDeals = int(const char *problem, const OnDeviceCase *, std::uint64_t seed, void *const *arrays,
                         void *stream);
inline constexpr char problem_deals[] = "warpgrade_problem_deals";
/// Compares every element as Problem::compare() does; waits for the stream.
/// dealt  the arrays as they were before the run
/// after  the same afterwards
using ProblemLooks = int(const char *problem, const OnDeviceCase *, void *const *dealt, void *const *after,
                         double tolerance, Looked *, void *stream);
inline constexpr char problem_looks[] = "warpgrade_problem_looks";
/// The name of an error
using ProblemError = const char *(int);
inline constexpr char problem_error[] = "warpgrade_problem_error";

}  // namespace warpgrade::problem
