#include "gpu/array_device.hpp"

#include <algorithm>

#include "problem/element.hpp"

namespace warpgrade::gpu {

ArrayDevice::ArrayDevice(const Context &context, const std::vector<std::string> &directories,
                         std::string problem, const problem::OnDeviceCase &size,
                         const std::vector<CUdevice> &memory_of)
    : context_(context),
      library_({.called = "the kernels of problems, which `make` compiles where the CUDA Toolkit is,",
                .file = "libwarpgrade_problems",
                .endings = {".so"},
                .many = true},
               and_beside_the_program(directories)),
      problem_(std::move(problem)),
      size_(size) {
  if (!context.shares_memory) throw DriverUnavailable("this driver cannot share memory between processes");
  problem::ProblemIsThere *is_there = nullptr;
  library_.find(is_there, problem::problem_is_there);
  library_.find(deals_, problem::problem_deals);
  library_.find(looks_, problem::problem_looks);
  library_.find(error_, problem::problem_error);
  if (is_there(problem_.c_str()) == 0) throw DriverUnavailable(problem_ + " has no problem.cu");
  for (std::uint32_t a = 0; a < size_.arrays; ++a) {
    exchange_.push_back(
        std::make_unique<Arena>(context, bytes(a), Mapping::Sharing::with_another_process, memory_of.at(a)));
    own_.push_back(std::make_unique<DeviceMemory>(context));
    own_.back()->reserve(std::max<std::uint64_t>(bytes(a), 1));
  }
  deal(0, 0);  // a GPU for which the library has no code says so now
  look(1);
}

std::uint64_t ArrayDevice::bytes(std::uint32_t array) const {
  return size_.elements[array] * problem::bytes_of(static_cast<problem::Type>(size_.types[array]));
}

void ArrayDevice::check(int error, const char *doing) const {
  if (error != 0)
    throw DriverUnavailable(std::string("the kernels of ") + problem_ + ", " + doing + ": " + error_(error));
}

std::vector<DeviceSpan> ArrayDevice::dealt() const {
  std::vector<DeviceSpan> all;
  for (std::uint32_t a = 0; a < size_.arrays; ++a) all.push_back({own_[a]->at(), bytes(a)});
  return all;
}

std::vector<std::uint64_t> ArrayDevice::deal(std::uint64_t seed, std::uint64_t random) {
  const auto &cu = context_.driver;
  std::vector<void *> own;
  for (const auto &memory : own_) own.push_back(reinterpret_cast<void *>(memory->at()));
  check(deals_(problem_.c_str(), &size_, seed, own.data(), context_.stream), "dealing");
  std::vector<std::uint64_t> offsets;
  for (std::uint32_t a = 0; a < size_.arrays; ++a) {
    const CUdeviceptr to = exchange_[a]->place(bytes(a), problem::mix(random + a));
    if (bytes(a) > 0) cu.check(cu.copy_within(to, own_[a]->at(), bytes(a), context_.stream), "dealing");
    offsets.push_back(exchange_[a]->offset());
  }
  cu.check(cu.stream_synchronize(context_.stream), "dealing");
  return offsets;
}

problem::Looked ArrayDevice::look_at(const std::vector<void *> &after, double tolerance) {
  std::vector<void *> own;
  for (const auto &memory : own_) own.push_back(reinterpret_cast<void *>(memory->at()));
  problem::Looked looked;
  check(looks_(problem_.c_str(), &size_, own.data(), after.data(), tolerance, &looked, context_.stream),
        "checking");
  return looked;
}

problem::Looked ArrayDevice::look(double tolerance) {
  std::vector<void *> after;
  for (const auto &arena : exchange_) after.push_back(reinterpret_cast<void *>(arena->address()));
  return look_at(after, tolerance);
}

problem::Looked ArrayDevice::look_at(std::span<const DeviceSpan> spans, double tolerance) {
  std::vector<void *> after;
  for (const DeviceSpan &span : spans) after.push_back(reinterpret_cast<void *>(span.at));
  return look_at(after, tolerance);
}

std::vector<GuardDamage> ArrayDevice::damage() const {
  std::vector<GuardDamage> all;
  for (const auto &arena : exchange_) all.push_back(arena->damage());
  return all;
}

}  // namespace warpgrade::gpu
