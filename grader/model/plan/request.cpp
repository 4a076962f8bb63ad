#include "plan/request.hpp"

#include "base/wire.hpp"

namespace warpgrade::plan {
namespace {

void put(Writer &to, const Buffer &buffer) {
  to.put(buffer.owner);
  to.put_string(buffer.name);
  to.put(buffer.bytes);
  to.put(buffer.device);
}

Buffer get_buffer(Reader &from) {
  Buffer buffer;
  const auto owner = from.get<std::uint8_t>();
  if (owner > static_cast<std::uint8_t>(Owner::module)) throw WireError("unknown owner of a buffer");
  buffer.owner = static_cast<Owner>(owner);
  buffer.name = from.get_string();
  buffer.bytes = from.get<std::uint64_t>();
  buffer.device = from.get<std::uint8_t>();
  return buffer;
}

void put(Writer &to, const KernelLayout &kernel) {
  to.put_string(kernel.name);
  to.put(kernel.argument_bytes);
  to.put<std::uint64_t>(kernel.parameters.size());
  for (const ParameterLayout &parameter : kernel.parameters) {
    to.put(parameter.offset);
    to.put(parameter.size);
  }
  for (const std::uint32_t fact :
       {kernel.static_shared_bytes, kernel.local_bytes, kernel.registers, kernel.max_threads}) {
    to.put(fact);
  }
  for (const std::uint32_t blocks : kernel.cluster) to.put(blocks);
}

KernelLayout get_kernel(Reader &from) {
  KernelLayout kernel;
  kernel.name = from.get_string();
  kernel.argument_bytes = from.get<std::uint32_t>();
  for (auto left = from.get_count(8); left > 0; --left) {
    ParameterLayout parameter;
    parameter.offset = from.get<std::uint32_t>();
    parameter.size = from.get<std::uint32_t>();
    kernel.parameters.push_back(parameter);
  }
  for (std::uint32_t *fact :
       {&kernel.static_shared_bytes, &kernel.local_bytes, &kernel.registers, &kernel.max_threads}) {
    *fact = from.get<std::uint32_t>();
  }
  for (std::uint32_t &blocks : kernel.cluster) blocks = from.get<std::uint32_t>();
  return kernel;
}

// One list of the fields for both directions, so that reading matches writing.
template <typename Device, typename Each>
void each_number(Device &device, Each each) {
  each(device.major), each(device.minor), each(device.multiprocessors);
  each(device.max_threads_per_block), each(device.max_threads_per_multiprocessor);
  each(device.registers_per_block), each(device.registers_per_multiprocessor);
  each(device.shared_bytes_per_block), each(device.shared_bytes_per_block_optin);
  each(device.shared_bytes_per_multiprocessor), each(device.global_bytes), each(device.constant_bytes);
  each(device.l2_bytes), each(device.memory_bus_bits), each(device.clock_khz), each(device.memory_clock_khz);
}

template <typename Some, typename Each>
void each_limit(Some &limits, Each each) {
  each(limits.plan_bytes), each(limits.operations), each(limits.launches), each(limits.buffers);
  each(limits.scratch_bytes), each(limits.threads);
}

}  // namespace

std::vector<std::byte> encode(const CallRequest &request, const Limits &limits) {
  Writer to;
  to.put_string(request.parameters);
  to.put<std::uint64_t>(request.integers.size());
  for (const std::int64_t integer : request.integers) to.put(integer);
  to.put<std::uint64_t>(request.reals.size());
  for (const double real : request.reals) to.put(real);
  to.put<std::uint64_t>(request.buffers.size());
  for (const Buffer &buffer : request.buffers) put(to, buffer);
  to.put<std::uint64_t>(request.kernels.size());
  for (const KernelLayout &kernel : request.kernels) put(to, kernel);
  to.put<std::uint64_t>(request.variables.size());
  for (const Buffer &variable : request.variables) put(to, variable);
  to.put(request.calls);
  to.put(request.devices);
  to.put_string(request.device.name);
  each_number(request.device, [&](const auto &number) { to.put(number); });
  each_limit(limits, [&](const auto &number) { to.put(number); });
  return to.bytes();
}

WorkerOrders decode_request(std::span<const std::byte> bytes) {
  Reader from(bytes);
  WorkerOrders orders;
  CallRequest &request = orders.request;
  const auto number = [&]<typename Number>(Number &into) { into = from.get<Number>(); };
  request.parameters = from.get_string();
  for (auto left = from.get_count(8); left > 0; --left) request.integers.push_back(from.get<std::int64_t>());
  for (auto left = from.get_count(8); left > 0; --left) request.reals.push_back(from.get<double>());
  for (auto left = from.get_count(18); left > 0; --left) request.buffers.push_back(get_buffer(from));
  for (auto left = from.get_count(48); left > 0; --left) request.kernels.push_back(get_kernel(from));
  for (auto left = from.get_count(18); left > 0; --left) request.variables.push_back(get_buffer(from));
  request.calls = from.get<std::uint32_t>();
  request.devices = from.get<std::uint8_t>();
  request.device.name = from.get_string();
  each_number(request.device, number);
  each_limit(orders.limits, number);
  if (!from.at_end()) throw WireError("bytes follow the end of the request");
  return orders;
}

}  // namespace warpgrade::plan
