// The referee's arrays of a problem that a problem.cu deals and checks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/library_routine.hpp"
#include "gpu/referee_device.hpp"
#include "gpu/shared_library.hpp"
#include "problem/on_device.hpp"

namespace warpgrade::gpu {

/// Deals and checks one case. All of it throws DriverError, or DriverUnavailable with a sentence.
class ArrayDevice {
 public:
  /// Opens libwarpgrade_problems.so, for which it looks in `directories` first.
  /// memory_of  the device of each array's buffer; whatever is kept or compared is on the context's
  ArrayDevice(const Context &context, const std::vector<std::string> &directories, std::string problem,
              const problem::OnDeviceCase &size, const std::vector<CUdevice> &memory_of);

  std::uint32_t arrays() const { return size_.arrays; }
  std::uint64_t bytes(std::uint32_t array) const;
  /// Where a run finds its buffers; another process can map them.
  const Mapping &buffer(std::uint32_t array) const { return exchange_.at(array)->mapping(); }

  /// Draws the arrays; puts copies of them into the buffers, at places that `random` decides. Returns the
  /// places.
  std::vector<std::uint64_t> deal(std::uint64_t seed, std::uint64_t random);
  /// The buffers after a run.
  problem::Looked look(double tolerance);
  std::vector<GuardDamage> damage() const;

  /// The same look at memory in which a library has computed.
  problem::Looked look_at(std::span<const DeviceSpan> after, double tolerance);
  /// The arrays as they were dealt.
  std::vector<DeviceSpan> dealt() const;

 private:
  void check(int error, const char *doing) const;
  problem::Looked look_at(const std::vector<void *> &after, double tolerance);

  const Context &context_;
  SharedLibrary library_;
  problem::ProblemDeals *deals_ = nullptr;
  problem::ProblemLooks *looks_ = nullptr;
  problem::ProblemError *error_ = nullptr;
  std::string problem_;
  problem::OnDeviceCase size_;
  std::vector<std::unique_ptr<Arena>> exchange_;
  std::vector<std::unique_ptr<DeviceMemory>> own_;
};

}  // namespace warpgrade::gpu
