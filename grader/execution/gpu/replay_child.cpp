// The replay child: answers one query, or sets up one student's device code and carries out plans.
#include <cstdlib>
#include <fstream>

#include "gpu/child_channel.hpp"
#include "gpu/children.hpp"
#include "gpu/conversation.hpp"
#include "gpu/driver.hpp"
#include "gpu/plan_runner.hpp"

namespace warpgrade::gpu {
namespace {

/// "580.159.03, CUDA 13.0"; the first part only where the kernel module says it.
std::string driver_version(const Driver &cu) {
  int version = 0;
  cu.check(cu.driver_version(&version), "cuDriverGetVersion");
  const auto cuda = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word.find('.') != std::string::npos)
      return word + ", " + cuda;
  return cuda;
}

void describe_device(Writer &to, const Driver &cu, int index, int count, const std::string &version) {
  CUdevice device = 0;
  cu.check(cu.device_get(&device, index), "cuDeviceGet");
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    cu.check(cu.device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return std::int32_t{value};
  };
  char name[256] = {}, bus[64] = {};
  std::size_t memory = 0;
  cu.check(cu.device_name(name, sizeof name - 1, device), "cuDeviceGetName");
  cu.check(cu.device_pci_bus_id(bus, sizeof bus - 1, device), "cuDeviceGetPCIBusId");
  cu.check(cu.device_memory(&memory, device), "cuDeviceTotalMem");
  to.put(std::int32_t{index}).put_string(name).put_string(version).put_string(bus).put(std::uint64_t{memory});
  for (const auto which :
       {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS})
    to.put(attribute(which));
  std::vector<std::int32_t> reaches;
  for (int other = 0; other < count; ++other) {
    CUdevice there = 0;
    int can = 0;
    cu.check(cu.device_get(&there, other), "cuDeviceGet");
    if (other != index) cu.check(cu.device_can_reach(&can, device, there), "cuDeviceCanAccessPeer");
    if (can != 0) reaches.push_back(other);
  }
  to.put(std::uint64_t{reaches.size()});
  for (const std::int32_t other : reaches) to.put(other);
}

int answer_query(ParentChannel &parent, const std::string &library) {
  Writer answer;
  try {
    const auto cu = Driver::open(library);
    int count = 0;
    cu.check(cu.device_count(&count), "cuDeviceGetCount");
    const auto version = driver_version(cu);
    answer.put(std::uint64_t(count));
    for (int index = 0; index < count; ++index) describe_device(answer, cu, index, count, version);
  } catch (const std::runtime_error &error) {
    parent.send_after_output(Message::failed, Writer().put_string(bounded(error.what())));
    return 0;
  }
  parent.send_after_output(Message::devices, answer);
  return 0;
}

void report(ParentChannel &parent, const Ending &ending) {
  Writer answer;
  answer.put(static_cast<std::uint32_t>(ending.end)).put_string(bounded(ending.message));
  answer.put(ending.seconds).put(ending.host_seconds);
  put_energy(answer, ending.energy);
  parent.send_after_output(Message::finished, answer);
}

/// One plan. False when this process is of no further use.
bool carry_out(ParentChannel &parent, PlanRunner &runner, const std::vector<std::byte> &payload) {
  Reader reader(payload);
  const auto request = decode_run_request(reader);
  const auto shared = parent.shared(request.shared_bytes);
  double load_seconds = 0;
  try {
    load_seconds = runner.prepare(request, shared);
  } catch (const Refusal &refusal) {
    report(parent, {.end = refusal.end, .message = refusal.message});
    return true;
  }
  parent.send(Message::armed, Writer().put(load_seconds));
  if (parent.receive().type != Message::go) return false;
  const auto ending = runner.execute();
  report(parent, ending);
  if (ending.end != run::End::completed) return ending.end == run::End::launch_error;
  const auto damaged = runner.collect(shared);
  Writer answer;
  answer.put(std::uint64_t{damaged.size()});
  for (const auto &[buffer, damage] : damaged) answer.put(buffer).put(damage);
  parent.send_after_output(Message::outputs, answer);
  return true;
}

void serve(ParentChannel &parent, const std::string &library, const Request &set_up) {
  Reader reader(set_up.payload);
  std::vector<std::int32_t> devices(reader.get_count(4));
  for (auto &device : devices) device = reader.get<std::int32_t>();
  std::vector<Context> contexts;
  for (const auto device : devices) contexts.push_back(Context::create(library, device));
  if (contexts.empty()) throw DriverUnavailable("no GPU was named");
  const auto code = parent.receive();
  if (code.type != Message::device_code) return;
  PlanRunner runner(contexts, Reader(code.payload).copy_bytes());
  parent.send(Message::ready);
  while (true) {
    const auto request = parent.receive();
    if (request.type == Message::adopt) {
      Reader sizes(request.payload);
      std::vector<std::uint64_t> bytes(sizes.get_count(8));
      for (auto &size : bytes) size = sizes.get<std::uint64_t>();
      std::vector<std::uint8_t> owners(bytes.size());
      for (auto &owner : owners) owner = sizes.get<std::uint8_t>();
      runner.adopt(bytes, owners, request.files);
      parent.send(Message::ready);
      continue;
    }
    if (request.type != Message::run || !carry_out(parent, runner, request.payload)) break;
  }
  parent.receive();  // a tainted process waits here for its end
}

}  // namespace

int replay_child(const std::string &library) {
  ParentChannel parent;
  try {
    const auto request = parent.receive();
    if (request.type == Message::query) return answer_query(parent, library);
    if (request.type != Message::set_up_replay) return 1;
    try {
      serve(parent, library, request);
    } catch (const ParentGone &) {
      throw;
    } catch (const std::exception &error) {
      parent.send_after_output(Message::failed, Writer().put_string(bounded(error.what())));
      parent.receive();
    }
  } catch (const ParentGone &) {
  }
  return 0;
}

}  // namespace warpgrade::gpu
