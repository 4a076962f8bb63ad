// What a prediction needs to know about a GPU: the file of that GPU (course/gpu.hpp) and figures of its
// architecture, each with its source in architectures.inc.
#pragma once

#include <optional>
#include <string>

#include "course/gpu.hpp"

namespace warpgrade::predict {

/// Figures of one compute capability. Rates are per multiprocessor and cycle, latencies in cycles.
struct Architecture {
  const char *compute_capability = "";
  double issue = 0;         ///< warp instructions
  double fp32 = 0;          ///< warp instructions of single-precision arithmetic
  double fp64 = 0;          ///< the same in double precision
  double tensor_flops = 0;  ///< fp16 operations with fp32 sums on the tensor cores
  double wavefronts = 0;    ///< of the load and store unit, 128 bytes each
  double l2_bytes = 0;      ///< from the L2 cache, where all multiprocessors read at the same time
  double fp32_latency = 0, shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
  int warps = 0, blocks = 0;   ///< resident at most
  int shared_kib = 0;          ///< shared memory of all resident blocks
  double l2_mib = 0;           ///< of the chip, of the GPU with this capability that courses use most
  double l2_parts = 1;         ///< into which it is divided: a multiprocessor is near one of them
  bool measured_here = false;  ///< the model was compared with measurements on it
};

struct Machine {
  course::Gpu gpu;
  Architecture architecture;
  double clock_mhz = 0;  ///< of the multiprocessors under load
  /// Of the data sheet's bandwidth, what kernels reach that only read, and that read as much as they write.
  double dram_read_share = 0.949, dram_copy_share = 0.824;  // as measured on an H200

  /// GB/s of a kernel of whose bytes this share is read.
  double dram_gb_per_s(double read) const;
};

/// What was measured on the GPU (Gpu::measured) comes before the figures of its compute capability. Nothing
/// if neither is known, or too little was measured to do without the other.
std::optional<Machine> machine_of(const course::Gpu &);

}  // namespace warpgrade::predict
