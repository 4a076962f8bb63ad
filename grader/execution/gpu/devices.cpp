#include <algorithm>
#include <system_error>

#include "gpu/conversation.hpp"
#include "gpu/gpu.hpp"

namespace warpgrade::gpu {
namespace {

DeviceInfo decode_device(Reader &from) {
  DeviceInfo info;
  info.index = from.get<std::int32_t>();
  info.name = from.get_string();
  info.driver_version = from.get_string();
  info.pci_bus_id = from.get_string();
  info.memory = from.get<std::uint64_t>();
  auto &p = info.properties;  // in the order in which the child asks for them
  for (auto *value :
       {&p.major, &p.minor, &p.multiprocessors, &p.max_threads_per_block, &p.max_threads_per_multiprocessor,
        &p.registers_per_block, &p.registers_per_multiprocessor})
    *value = from.get<std::int32_t>();
  for (auto *value : {&p.shared_bytes_per_block, &p.shared_bytes_per_block_optin,
                      &p.shared_bytes_per_multiprocessor, &p.constant_bytes})
    *value = static_cast<std::uint64_t>(from.get<std::int32_t>());
  for (auto *value : {&p.l2_bytes, &p.memory_bus_bits, &p.clock_khz, &p.memory_clock_khz})
    *value = from.get<std::int32_t>();
  info.reads_host_memory = from.get<std::int32_t>() != 0;
  info.reaches.resize(from.get_count(4));
  for (auto &other : info.reaches) other = from.get<std::int32_t>();
  p.name = info.name;
  p.global_bytes = info.memory;
  info.major = p.major;
  info.minor = p.minor;
  info.multiprocessors = p.multiprocessors;
  return info;
}

}  // namespace

std::vector<DeviceInfo> together_with(const DeviceInfo &first, const std::vector<DeviceInfo> &all) {
  std::vector<DeviceInfo> group{first};
  const auto reach_each_other = [](const DeviceInfo &a, const DeviceInfo &b) {
    return std::ranges::count(a.reaches, b.index) > 0 && std::ranges::count(b.reaches, a.index) > 0;
  };
  for (const DeviceInfo &device : all)
    if (device.index != first.index && device.name == first.name &&
        std::ranges::all_of(group, [&](const DeviceInfo &other) { return reach_each_other(device, other); }))
      group.push_back(device);
  return group;
}

DeviceQuery query_devices(const ChildOptions &options) {
  DeviceQuery query;
  try {
    ChildProcess child(options, "--gpu-replay-child");
    child.send(Message::query, {});
    const auto answer = child.wait(now() + options.setup_seconds);
    query.why_none = unexpected(answer, Message::devices, "looking for GPUs", options.setup_seconds);
    if (!query.why_none.empty()) return query;
    Reader reader(answer.payload);
    const auto count = reader.get_count(64);
    for (std::uint64_t i = 0; i < count; ++i) query.devices.push_back(decode_device(reader));
    if (query.devices.empty()) query.why_none = "the NVIDIA driver is here, but it sees no GPU";
  } catch (const WireError &error) {
    query.devices.clear();
    query.why_none =
        std::string("the process that looks for GPUs gave an unreadable answer: ") + error.what();
  } catch (const std::system_error &error) {
    query.why_none = std::string("the process that looks for GPUs could not be started: ") + error.what();
  }
  return query;
}

}  // namespace warpgrade::gpu
