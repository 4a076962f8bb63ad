// What NVIDIA's profiler wrote: `ncu --csv --page raw --log-file` as figures. Pure functions on text.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade::profile {

/// One kernel as it was profiled.
struct ProfiledKernel {
  std::string name;                     ///< as --print-kernel-base says
  double seconds = 0;                   ///< from the kernel's start to its end on the GPU's clock
  double dram_bytes = 0, l2_bytes = 0;  ///< read and written
  bool operator==(const ProfiledKernel &) const = default;
};

/// The log holds no figures, or none that can be read; one sentence says why.
class ProfilerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The metrics that parse_ncu_log reads, for --metrics.
std::string profiler_metrics();

/// Kernels in the order in which they ran. Lines that are not CSV (ncu's own messages) may stand between.
/// Throws ProfilerError: for ncu's own errors, a missing metric, an unknown unit, a value that is not a
/// number.
std::vector<ProfiledKernel> parse_ncu_log(const std::string &log);

/// What a plan cost: the sum over its kernels in each of `runs` repetitions, and of these sums the middle
/// one.
struct Profile {
  double seconds = 0, dram_bytes = 0, l2_bytes = 0;
};
/// Throws ProfilerError unless there are `runs` times `launches` kernels, at least one.
Profile summarise(const std::vector<ProfiledKernel> &, std::size_t launches, std::size_t runs);

}  // namespace warpgrade::profile
