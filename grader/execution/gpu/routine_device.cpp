#include "gpu/routine_device.hpp"

#include <algorithm>

namespace warpgrade::gpu {

RoutineDevice::RoutineDevice(const Context &context, const std::vector<std::uint64_t> &bytes,
                             const std::vector<CUdevice> &memory_of)
    : context_(context) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    buffers_.emplace_back(new Buffer{
        DeviceMemory(context), Arena(context, bytes[i], Mapping::Sharing::none, memory_of.at(i)), bytes[i]});
    buffers_.back()->uploaded.reserve(std::max<std::uint64_t>(bytes[i], 1));
    buffers_.back()->placed.mapping().allow(memory_of.at(i), true);
  }
}

void RoutineDevice::upload(std::span<const std::span<std::byte>> from) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (!from[i].empty())
      cu.check(cu.copy_in(buffers_[i]->uploaded.at(), from[i].data(), from[i].size(), context_.stream),
               "uploading the operands of a routine");
  cu.check(cu.stream_synchronize(context_.stream), "uploading the operands of a routine");
}

void RoutineDevice::upload(std::span<const DeviceSpan> from) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < buffers_.size() && i < from.size(); ++i)
    if (const std::uint64_t bytes = std::min(from[i].bytes, buffers_[i]->bytes); bytes > 0)
      cu.check(cu.copy_within(buffers_[i]->uploaded.at(), from[i].at, bytes, context_.stream),
               "copying the operands of a routine");
}

void RoutineDevice::repeat(std::span<const DeviceSpan> from) {
  const auto &cu = context_.driver;
  Buffer &to = *buffers_.front();
  std::uint64_t at = 0, before = 1;  // nothing is there to be repeated once a round adds nothing
  while (at < to.bytes && at != before) {
    before = at;
    for (const DeviceSpan &one : from)
      if (const std::uint64_t bytes = std::min(one.bytes, to.bytes - at); bytes > 0) {
        cu.check(cu.copy_within(to.uploaded.at() + at, one.at, bytes, context_.stream),
                 "copying the operands of a routine");
        at += bytes;
      }
  }
}

std::vector<DeviceSpan> RoutineDevice::place(std::uint64_t random) {
  const auto &cu = context_.driver;
  std::vector<DeviceSpan> operands;
  for (const auto &buffer : buffers_) {
    const CUdeviceptr at = buffer->placed.place(buffer->bytes, problem::mix(random + operands.size()));
    if (buffer->bytes > 0)
      cu.check(cu.copy_within(at, buffer->uploaded.at(), buffer->bytes, context_.stream),
               "placing the operands of a routine");
    operands.push_back({at, buffer->bytes});
  }
  return operands;
}

void RoutineDevice::download(std::span<const std::span<std::byte>> to) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (!to[i].empty())
      cu.check(cu.copy_out(to[i].data(), buffers_[i]->placed.address(), to[i].size(), context_.stream),
               "downloading the result of a routine");
  cu.check(cu.stream_synchronize(context_.stream), "downloading the result of a routine");
}

}  // namespace warpgrade::gpu
