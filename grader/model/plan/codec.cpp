#include "plan/codec.hpp"

#include <algorithm>
#include <array>

namespace warpgrade::plan {
namespace {

void encode(Writer &to, const Place &place) {
  to.put(place.buffer);
  to.put(place.offset);
}
Place decode_place(Reader &from) {
  const auto buffer = from.get<std::uint32_t>();
  return {.buffer = buffer, .offset = from.get<std::int64_t>()};
}

void encode(Writer &to, const Dim3 &dim) {
  to.put(dim.x);
  to.put(dim.y);
  to.put(dim.z);
}
Dim3 decode_dim(Reader &from) {
  Dim3 dim;
  dim.x = from.get<std::uint32_t>();
  dim.y = from.get<std::uint32_t>();
  dim.z = from.get<std::uint32_t>();
  return dim;
}

void encode(Writer &to, const std::vector<TensorMapArgument> &maps) {
  to.put(static_cast<std::uint64_t>(maps.size()));
  for (const TensorMapArgument &one : maps) {
    to.put(one.at);
    encode(to, one.to);
    std::array<std::byte, ptx::TensorMap::bytes> bytes;
    ptx::encode(one.map, bytes.data());
    to.put_bytes(bytes);
  }
}
std::vector<TensorMapArgument> decode_maps(Reader &from) {
  std::vector<TensorMapArgument> maps(from.get_count(16 + ptx::TensorMap::bytes));
  for (TensorMapArgument &one : maps) {
    one.at = from.get<std::uint32_t>();
    one.to = decode_place(from);
    const std::span<const std::byte> bytes = from.get_bytes();
    const auto map =
        bytes.size() == ptx::TensorMap::bytes ? ptx::decode_tensor_map(bytes.data()) : std::nullopt;
    if (!map || map->address != 0) throw WireError("a tensor map that CUDA would refuse");
    one.map = *map;
  }
  return maps;
}

struct Encoder {
  Writer &to;
  void operator()(const Allocate &o) const { to.put(o.buffer); }
  void operator()(const Free &o) const { to.put(o.buffer); }
  void operator()(const SetMemory &o) const {
    encode(to, o.to);
    to.put(o.value);
    to.put(o.width);
    to.put(o.rows);
    to.put(o.pitch);
  }
  void operator()(const CopyIn &o) const {
    encode(to, o.to);
    to.put_bytes(o.bytes);
    encode(to, o.tensor_maps);
  }
  void operator()(const CopyWithin &o) const {
    encode(to, o.to);
    encode(to, o.from);
    to.put(o.width);
    to.put(o.rows);
    to.put(o.to_pitch);
    to.put(o.from_pitch);
  }
  void operator()(const SetFunctionAttribute &o) const {
    to.put_string(o.kernel);
    to.put(static_cast<std::uint8_t>(o.attribute));
    to.put(o.value);
  }
  void operator()(const Launch &o) const {
    to.put_string(o.kernel);
    encode(to, o.grid);
    encode(to, o.block);
    to.put(o.dynamic_shared_bytes);
    to.put_bytes(o.arguments);
    to.put(static_cast<std::uint64_t>(o.pointers.size()));
    for (const auto &pointer : o.pointers) {
      to.put(pointer.at);
      encode(to, pointer.to);
    }
    encode(to, o.tensor_maps);
    to.put(static_cast<std::uint64_t>(o.parameters.size()));
    for (const std::uint32_t at : o.parameters) to.put(at);
    for (const std::uint32_t blocks : o.cluster) to.put(blocks);
  }
  void operator()(const UseStream &o) const { to.put(o.stream); }
  void operator()(const RecordEvent &o) const { to.put(o.event); }
  void operator()(const WaitForEvent &o) const { to.put(o.event); }
  void operator()(const HostWaits &o) const {
    to.put(static_cast<std::uint8_t>(o.what));
    to.put(o.number);
  }
  void operator()(const PeerAccess &o) const {
    to.put(o.device);
    to.put(o.owner);
    to.put<std::uint8_t>(o.allowed);
  }
};

Launch decode_launch(Reader &from) {
  Launch launch;
  launch.kernel = from.get_string();
  launch.grid = decode_dim(from);
  launch.block = decode_dim(from);
  launch.dynamic_shared_bytes = from.get<std::uint32_t>();
  launch.arguments = from.copy_bytes();
  launch.pointers.resize(from.get_count(16));
  for (auto &pointer : launch.pointers) {
    pointer.at = from.get<std::uint32_t>();
    pointer.to = decode_place(from);
  }
  launch.tensor_maps = decode_maps(from);
  launch.parameters.resize(from.get_count(4));
  for (std::uint32_t &at : launch.parameters) at = from.get<std::uint32_t>();
  for (std::uint32_t &blocks : launch.cluster) blocks = from.get<std::uint32_t>();
  return launch;
}

SetMemory decode_set_memory(Reader &from) {
  SetMemory o;
  o.to = decode_place(from);
  o.value = from.get<std::uint8_t>();
  o.width = from.get<std::uint64_t>();
  o.rows = from.get<std::uint64_t>();
  o.pitch = from.get<std::uint64_t>();
  return o;
}

CopyWithin decode_copy_within(Reader &from) {
  CopyWithin o;
  o.to = decode_place(from);
  o.from = decode_place(from);
  o.width = from.get<std::uint64_t>();
  o.rows = from.get<std::uint64_t>();
  o.to_pitch = from.get<std::uint64_t>();
  o.from_pitch = from.get<std::uint64_t>();
  return o;
}

Operation decode_operation(Reader &from) {
  switch (from.get<std::uint8_t>()) {  // the alternative's index in Operation
    case 0:
      return Allocate{.buffer = from.get<std::uint32_t>()};
    case 1:
      return Free{.buffer = from.get<std::uint32_t>()};
    case 2:
      return decode_set_memory(from);
    case 3: {
      CopyIn o;
      o.to = decode_place(from);
      o.bytes = from.copy_bytes();
      o.tensor_maps = decode_maps(from);
      return o;
    }
    case 4:
      return decode_copy_within(from);
    case 5: {
      SetFunctionAttribute o;
      o.kernel = from.get_string();
      const auto attribute = from.get<std::uint8_t>();
      if (attribute > static_cast<std::uint8_t>(FunctionAttribute::large_clusters))
        throw WireError("an unknown function attribute");
      o.attribute = FunctionAttribute{attribute};
      o.value = from.get<std::int32_t>();
      return o;
    }
    case 6:
      return decode_launch(from);
    case 7:
      return UseStream{from.get<std::uint32_t>()};
    case 8:
      return RecordEvent{from.get<std::uint32_t>()};
    case 9:
      return WaitForEvent{from.get<std::uint32_t>()};
    case 10: {
      const auto what = from.get<std::uint8_t>();
      if (what > static_cast<std::uint8_t>(HostWaits::For::event))
        throw WireError("the host waits for something unknown");
      return HostWaits{HostWaits::For{what}, from.get<std::uint32_t>()};
    }
    case 11: {
      PeerAccess o;
      o.device = from.get<std::uint8_t>();
      o.owner = from.get<std::uint8_t>();
      o.allowed = from.get<std::uint8_t>() != 0;
      return o;
    }
    default:
      throw WireError("an operation of unknown kind");
  }
}
static_assert(std::variant_size_v<Operation> == 12, "a new operation needs its encoding here");

/// Whether the plan has the streams, events and devices that it names.
bool is_known(const Operation &operation, const LaunchPlan &plan) {
  const auto device = [&](std::uint32_t number) {
    return std::any_of(plan.streams.begin(), plan.streams.end(),
                       [&](const DeviceStream &stream) { return stream.device == number; });
  };
  if (const auto *o = std::get_if<UseStream>(&operation)) return o->stream < plan.streams.size();
  if (const auto *o = std::get_if<RecordEvent>(&operation)) return o->event < plan.events;
  if (const auto *o = std::get_if<WaitForEvent>(&operation)) return o->event < plan.events;
  if (const auto *o = std::get_if<PeerAccess>(&operation))
    return device(o->device) && device(o->owner) && o->device != o->owner;
  const auto *o = std::get_if<HostWaits>(&operation);
  if (o == nullptr) return true;
  return o->what == HostWaits::For::device   ? device(o->number)
         : o->what == HostWaits::For::stream ? o->number < plan.streams.size()
                                             : o->number < plan.events;
}

}  // namespace

void encode(Writer &to, const LaunchPlan &plan) {
  to.put<std::uint64_t>(plan.buffers.size());
  for (const Buffer &buffer : plan.buffers) {
    to.put(buffer.owner);
    to.put_string(buffer.name);
    to.put(buffer.bytes);
    to.put(buffer.device);
  }
  to.put<std::uint64_t>(plan.streams.size());
  for (const DeviceStream &stream : plan.streams) {
    to.put(stream.device);
    to.put<std::uint8_t>(stream.blocking);
  }
  to.put(plan.events);
  to.put<std::uint64_t>(plan.operations.size());
  for (const Operation &operation : plan.operations) {
    to.put(static_cast<std::uint8_t>(operation.index()));
    std::visit(Encoder{to}, operation);
  }
}

LaunchPlan decode_plan(Reader &from) {
  LaunchPlan plan;
  plan.buffers.resize(from.get_count(18));
  for (Buffer &buffer : plan.buffers) {
    const auto owner = from.get<std::uint8_t>();
    if (owner > static_cast<std::uint8_t>(Owner::module)) throw WireError("a buffer of an unknown owner");
    buffer.owner = Owner{owner};
    buffer.name = from.get_string();
    buffer.bytes = from.get<std::uint64_t>();
    buffer.device = from.get<std::uint8_t>();
    if (buffer.device >= most_devices) throw WireError("a buffer of an unknown device");
  }
  plan.streams.resize(from.get_count(2));
  for (DeviceStream &stream : plan.streams) {
    stream.device = from.get<std::uint8_t>();
    stream.blocking = from.get<std::uint8_t>() != 0;
    if (stream.device >= most_devices) throw WireError("a stream of an unknown device");
  }
  plan.events = from.get<std::uint32_t>();
  const auto operations = from.get_count(3);
  for (std::uint64_t i = 0; i < operations; ++i) {
    plan.operations.push_back(decode_operation(from));
    if (!is_known(plan.operations.back(), plan))
      throw WireError("an operation of an unknown stream, event or device");
  }
  return plan;
}

}  // namespace warpgrade::plan
