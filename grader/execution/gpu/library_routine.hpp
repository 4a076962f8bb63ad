// Routines of libraries that do the work of a launcher, other than products: CUB, cuSPARSE, cuBLAS with a
// softmax, NCCL, a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "problem/library.hpp"

namespace warpgrade::gpu {

/// A part of the device's memory that a routine reads or writes.
struct DeviceSpan {
  CUdeviceptr at = 0;
  std::uint64_t bytes = 0;
  /// How many elements of 4 bytes; all types of problem::Routine have that size.
  std::int64_t elements() const { return static_cast<std::int64_t>(bytes / 4); }
};

/// All of it throws DriverUnavailable with a sentence.
class LibraryRoutine {
 public:
  virtual ~LibraryRoutine() = default;
  /// "CUB 3.0.1 from /opt/warpgrade/bin/libwarpgrade_cub.so"
  virtual std::string name_and_version() const = 0;
  /// Before each run, outside the timed span: the operands in the order of problem::Routine.
  virtual void prepare(std::span<const DeviceSpan> operands) = 0;
  /// Puts the routine on the stream.
  virtual void run() = 0;
  virtual bool uses_several_gpus() const { return false; }
};

/// Opens the routine's library, for which it looks in `directories` first. The routine must not be none nor
/// product. Throws DriverUnavailable with a sentence.
/// devices  the driver's numbers of all devices that a plan may use
std::unique_ptr<LibraryRoutine> open_routine(problem::Routine, const Context &,
                                             const std::vector<std::string> &directories,
                                             const std::vector<std::int32_t> &devices = {});

/// The parts of open_routine(), one for each library.
std::unique_ptr<LibraryRoutine> open_cub(problem::Routine, const Context &,
                                         const std::vector<std::string> &directories);
std::unique_ptr<LibraryRoutine> open_cusparse(const Context &, const std::vector<std::string> &directories);
std::unique_ptr<LibraryRoutine> open_composed(const Context &, const std::vector<std::string> &directories);
std::unique_ptr<LibraryRoutine> open_nccl(const Context &, const std::vector<std::string> &directories,
                                          const std::vector<std::int32_t> &devices);

/// Throws unless there are `count` operands.
void require_operands(std::span<const DeviceSpan> operands, std::size_t count);

}  // namespace warpgrade::gpu
