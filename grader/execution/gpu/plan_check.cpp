#include "gpu/plan_check.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpgrade::gpu {
namespace {

using plan::Owner;
using run::End;

/// Walks through the operations in order; throws a Refusal at the first that can't be carried out.
class Checker {
 public:
  Checker(const plan::LaunchPlan &plan, std::uint64_t limit)
      : plan_(plan),
        limit_(limit),
        devices_(devices_of(plan)),
        live_(plan.buffers.size(), false),
        seen_(plan.buffers.size(), false) {}

  void check() {
    bool judges_over = false;
    for (const auto &buffer : plan_.buffers) {
      judges_over |= buffer.owner != Owner::judge;
      if (judges_over && buffer.owner == Owner::judge)
        throw Refusal{End::our_failure, "the plan's judge buffers do not come first"};
      on_a_device(buffer.device, "buffer '" + buffer.name + "'");
    }
    for (const auto &stream : plan_.streams) on_a_device(stream.device, "a stream");
    for (const auto &operation : plan_.operations) std::visit(*this, operation);
  }

  void operator()(const plan::Allocate &operation) {
    const auto &buffer = at(operation.buffer);
    if (buffer.owner != Owner::student || seen_[operation.buffer])
      throw Refusal{End::launch_error, "the plan allocates '" + buffer.name + "', which it already has"};
    live_[operation.buffer] = seen_[operation.buffer] = true;
    // Written so that nothing overflows: live_bytes_ <= limit_ always holds.
    if (buffer.bytes > limit_ - live_bytes_)
      throw Refusal{End::device_error, "out of memory: with '" + buffer.name + "' (" +
                                           std::to_string(buffer.bytes) +
                                           " bytes) the launcher holds more than " + std::to_string(limit_) +
                                           " bytes, the limit for its allocations"};
    live_bytes_ += buffer.bytes;
  }
  void operator()(const plan::Free &operation) {
    const auto &buffer = at(operation.buffer);
    if (buffer.owner != Owner::student || !live_[operation.buffer])
      throw Refusal{End::launch_error, "the plan frees '" + buffer.name + "', which is not allocated"};
    live_[operation.buffer] = false;
    live_bytes_ -= buffer.bytes;
  }
  void operator()(const plan::SetMemory &o) const {
    inside(o.to, o.width, o.rows, o.pitch, "a memset writes");
  }
  void operator()(const plan::CopyIn &o) const {
    inside(o.to, o.bytes.size(), 1, 0, "a copy writes");
    for (const auto &map : o.tensor_maps)
      part("a copy to the device", o.bytes, map.to, map.at, ptx::TensorMap::bytes, "a tensor map", "bytes");
  }
  void operator()(const plan::CopyWithin &o) const {
    inside(o.from, o.width, o.rows, o.from_pitch, "a copy reads");
    inside(o.to, o.width, o.rows, o.to_pitch, "a copy writes");
  }
  void operator()(const plan::SetFunctionAttribute &) const {}
  void operator()(const plan::Launch &launch) const {
    for (const auto &pointer : launch.pointers)
      argument(launch, pointer.to, pointer.at, 8, "a pointer argument");
    for (const auto &map : launch.tensor_maps)
      argument(launch, map.to, map.at, ptx::TensorMap::bytes, "a tensor map");
    for (const std::uint32_t at : launch.parameters)
      if (at >= launch.arguments.size())
        throw Refusal{End::launch_error, "kernel " + launch.kernel + ": a parameter is outside its " +
                                             std::to_string(launch.arguments.size()) + " argument bytes"};
  }
  void operator()(const plan::UseStream &o) {
    known(o.stream, plan_.streams.size(), "stream");
    stream_ = o.stream;
  }
  void operator()(const plan::RecordEvent &o) {
    known(o.event, plan_.events, "event");
    const auto [recorded, fresh] = device_of_event_.emplace(o.event, plan_.streams.at(stream_).device);
    if (!fresh && recorded->second != plan_.streams[stream_].device)
      throw Refusal{End::launch_error,
                    "the plan records event " + std::to_string(o.event) + " in streams of two devices"};
  }
  void operator()(const plan::WaitForEvent &o) const { known(o.event, plan_.events, "event"); }
  void operator()(const plan::HostWaits &o) const {
    if (o.what == plan::HostWaits::For::device) known(o.number, devices_, "device");
    if (o.what == plan::HostWaits::For::stream) known(o.number, plan_.streams.size(), "stream");
    if (o.what == plan::HostWaits::For::event) known(o.number, plan_.events, "event");
  }
  void operator()(const plan::PeerAccess &o) const {
    known(o.device, devices_, "device");
    known(o.owner, devices_, "device");
  }

 private:
  void known(std::size_t number, std::size_t all, const char *what) const {
    if (number < all && !plan_.streams.empty()) return;
    throw Refusal{End::launch_error, std::string("the plan names ") + what + " " + std::to_string(number) +
                                         ", but has only " + std::to_string(all)};
  }
  void on_a_device(std::uint8_t device, const std::string &what) const {
    if (device < devices_) return;
    throw Refusal{End::launch_error, "the plan has " + what + " on device " + std::to_string(device) +
                                         ", but only " + std::to_string(devices_) + " devices"};
  }

  const plan::Buffer &at(std::uint32_t id) const {
    if (id >= plan_.buffers.size())
      throw Refusal{End::launch_error, "the plan names buffer " + std::to_string(id) + ", but has only " +
                                           std::to_string(plan_.buffers.size())};
    return plan_.buffers[id];
  }

  void argument(const plan::Launch &launch, const plan::Place &to, std::uint32_t place, std::size_t bytes,
                const char *what) const {
    part("kernel " + launch.kernel, launch.arguments, to, place, bytes, what, "argument bytes");
  }

  void part(const std::string &of, const std::vector<std::byte> &all, const plan::Place &to,
            std::uint32_t place, std::size_t bytes, const char *what, const char *unit) const {
    at(to.buffer);
    if (all.size() < bytes || place > all.size() - bytes)
      throw Refusal{End::launch_error,
                    of + ": " + what + " is outside its " + std::to_string(all.size()) + " " + unit};
  }

  void inside(const plan::Place &place, std::uint64_t width, std::uint64_t rows, std::uint64_t pitch,
              const std::string &what) const {
    const auto &buffer = at(place.buffer);
    if (buffer.owner == Owner::student && !live_[place.buffer])
      throw Refusal{End::fault, what + " '" + buffer.name + "', which is not allocated at that point"};
    if (rows == 0 || width == 0) return;
    if (rows > 1 && pitch < width)
      throw Refusal{End::launch_error, what + " rows of " + std::to_string(width) + " bytes that are only " +
                                           std::to_string(pitch) + " bytes apart"};
    // Every step is checked against what is left of the buffer, so that nothing overflows.
    const auto offset = static_cast<std::uint64_t>(place.offset);
    if (place.offset >= 0 && offset <= buffer.bytes && width <= buffer.bytes - offset) {
      const auto left = buffer.bytes - offset - width;
      if (rows == 1 || rows - 1 <= left / pitch) return;
    }
    constexpr std::uint64_t sane = std::uint64_t{1} << 60;  // beyond it the sum might not fit
    const auto last = rows == 1 && width < sane && offset + sane < 2 * sane
                          ? std::to_string(place.offset + static_cast<std::int64_t>(width) - 1)
                          : std::to_string(rows) + " rows of " + std::to_string(width) + " bytes on";
    throw Refusal{End::fault, what + " bytes " + std::to_string(place.offset) + " to " + last + " of '" +
                                  buffer.name + "', which has " + std::to_string(buffer.bytes) + " bytes"};
  }

  const plan::LaunchPlan &plan_;
  std::uint64_t limit_, live_bytes_ = 0;
  std::size_t devices_;
  std::uint32_t stream_ = 0;
  std::map<std::uint32_t, std::uint8_t> device_of_event_;
  std::vector<bool> live_, seen_;
};

}  // namespace

std::size_t devices_of(const plan::LaunchPlan &plan) {
  // The default streams of the devices come first, in their order.
  std::size_t devices = 0;
  while (devices < plan.streams.size() && plan.streams[devices].device == devices &&
         plan.streams[devices].blocking)
    ++devices;
  return std::max<std::size_t>(devices, 1);
}

std::optional<Refusal> check_plan(const plan::LaunchPlan &plan, std::uint64_t scratch_bytes) {
  try {
    Checker(plan, scratch_bytes).check();
  } catch (const Refusal &refusal) {
    return refusal;
  }
  return std::nullopt;
}

namespace {

std::pair<std::uint8_t, std::uint64_t> of_slot(const plan::Buffer &buffer) {
  return {buffer.device, buffer.bytes};
}

}  // namespace

Slots assign_slots(const plan::LaunchPlan &plan) {
  Slots slots;
  slots.of_buffer.resize(plan.buffers.size());
  std::multimap<std::pair<std::uint8_t, std::uint64_t>, std::uint32_t> idle;  // by device and size
  for (const auto &operation : plan.operations) {
    if (const auto *allocate = std::get_if<plan::Allocate>(&operation)) {
      const auto [device, bytes] = of_slot(plan.buffers[allocate->buffer]);
      auto &slot = slots.of_buffer[allocate->buffer];
      if (const auto found = idle.find({device, bytes}); found != idle.end()) {
        slot = found->second;
        idle.erase(found);
      } else {
        slot = static_cast<std::uint32_t>(slots.bytes.size());
        slots.bytes.push_back(bytes);
        slots.device.push_back(device);
      }
    } else if (const auto *freed = std::get_if<plan::Free>(&operation)) {
      idle.emplace(of_slot(plan.buffers[freed->buffer]), *slots.of_buffer[freed->buffer]);
    }
  }
  return slots;
}

}  // namespace warpgrade::gpu
