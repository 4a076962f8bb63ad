#include "gpu/run_request.hpp"

#include "plan/codec.hpp"

namespace warpgrade::gpu {

void encode(Writer &to, const RunRequest &request) {
  plan::encode(to, request.plan);
  to.put(std::uint64_t{request.offsets.size()});
  for (const auto offset : request.offsets) to.put(offset);
  to.put(std::uint8_t{request.dealt}).put(std::uint8_t{request.bare});
  to.put(request.shared_bytes).put(request.random).put(std::uint8_t{request.timed});
  to.put(std::uint8_t{request.sample.flush_l2}).put(request.sample.spin_seconds);
  to.put(request.sample.energy_seconds).put_string(request.nvml_library).put_string(request.pci_bus_id);
}

RunRequest decode_run_request(Reader &from) {
  RunRequest request;
  request.plan = plan::decode_plan(from);
  request.offsets.resize(from.get_count(8));
  for (auto &offset : request.offsets) offset = from.get<std::uint64_t>();
  request.dealt = from.get<std::uint8_t>() != 0;
  request.bare = from.get<std::uint8_t>() != 0;
  request.shared_bytes = from.get<std::uint64_t>();
  request.random = from.get<std::uint64_t>();
  request.timed = from.get<std::uint8_t>() != 0;
  request.sample.flush_l2 = from.get<std::uint8_t>() != 0;
  request.sample.spin_seconds = from.get<double>();
  request.sample.energy_seconds = from.get<double>();
  request.nvml_library = from.get_string();
  request.pci_bus_id = from.get_string();
  return request;
}

}  // namespace warpgrade::gpu
