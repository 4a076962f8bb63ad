#include "gpu/run_request.hpp"

namespace warpgrade::gpu {
namespace {

void encode(Writer &to, const plan::Place &place) {
  to.put(place.buffer).put(place.offset);
}
plan::Place decode_place(Reader &from) {
  const auto buffer = from.get<std::uint32_t>();
  return {.buffer = buffer, .offset = from.get<std::int64_t>()};
}

void encode(Writer &to, const plan::Dim3 &dim) {
  to.put(dim.x).put(dim.y).put(dim.z);
}
plan::Dim3 decode_dim(Reader &from) {
  plan::Dim3 dim;
  dim.x = from.get<std::uint32_t>();
  dim.y = from.get<std::uint32_t>();
  dim.z = from.get<std::uint32_t>();
  return dim;
}

struct Encoder {
  Writer &to;
  void operator()(const plan::Allocate &o) const { to.put(o.buffer); }
  void operator()(const plan::Free &o) const { to.put(o.buffer); }
  void operator()(const plan::SetMemory &o) const {
    encode(to, o.to);
    to.put(o.value).put(o.width).put(o.rows).put(o.pitch);
  }
  void operator()(const plan::CopyIn &o) const {
    encode(to, o.to);
    to.put_bytes(o.bytes);
  }
  void operator()(const plan::CopyWithin &o) const {
    encode(to, o.to);
    encode(to, o.from);
    to.put(o.width).put(o.rows).put(o.to_pitch).put(o.from_pitch);
  }
  void operator()(const plan::SetFunctionAttribute &o) const {
    to.put_text(o.kernel).put(static_cast<std::uint8_t>(o.attribute)).put(o.value);
  }
  void operator()(const plan::Launch &o) const {
    to.put_text(o.kernel);
    encode(to, o.grid);
    encode(to, o.block);
    to.put(o.dynamic_shared_bytes).put_bytes(o.arguments).put(std::uint64_t{o.pointers.size()});
    for (const auto &pointer : o.pointers) {
      to.put(pointer.at);
      encode(to, pointer.to);
    }
  }
};

plan::Launch decode_launch(Reader &from) {
  plan::Launch launch;
  launch.kernel = from.get_text();
  launch.grid = decode_dim(from);
  launch.block = decode_dim(from);
  launch.dynamic_shared_bytes = from.get<std::uint32_t>();
  launch.arguments = from.get_bytes();
  launch.pointers.resize(from.get_count(16));
  for (auto &pointer : launch.pointers) {
    pointer.at = from.get<std::uint32_t>();
    pointer.to = decode_place(from);
  }
  return launch;
}

plan::SetMemory decode_set_memory(Reader &from) {
  plan::SetMemory o;
  o.to = decode_place(from);
  o.value = from.get<std::uint8_t>();
  o.width = from.get<std::uint64_t>();
  o.rows = from.get<std::uint64_t>();
  o.pitch = from.get<std::uint64_t>();
  return o;
}

plan::CopyWithin decode_copy_within(Reader &from) {
  plan::CopyWithin o;
  o.to = decode_place(from);
  o.from = decode_place(from);
  o.width = from.get<std::uint64_t>();
  o.rows = from.get<std::uint64_t>();
  o.to_pitch = from.get<std::uint64_t>();
  o.from_pitch = from.get<std::uint64_t>();
  return o;
}

plan::Operation decode_operation(Reader &from) {
  switch (from.get<std::uint8_t>()) {  // the alternative's index in plan::Operation
    case 0:
      return plan::Allocate{.buffer = from.get<std::uint32_t>()};
    case 1:
      return plan::Free{.buffer = from.get<std::uint32_t>()};
    case 2:
      return decode_set_memory(from);
    case 3: {
      const auto to = decode_place(from);
      return plan::CopyIn{.to = to, .bytes = from.get_bytes()};
    }
    case 4:
      return decode_copy_within(from);
    case 5: {
      plan::SetFunctionAttribute o;
      o.kernel = from.get_text();
      o.attribute = plan::FunctionAttribute{from.get<std::uint8_t>()};
      o.value = from.get<std::int32_t>();
      return o;
    }
    case 6:
      return decode_launch(from);
    default:
      throw WireError("an operation of unknown kind");
  }
}
static_assert(std::variant_size_v<plan::Operation> == 7, "a new operation needs its encoding here");

}  // namespace

void encode(Writer &to, const RunRequest &request) {
  to.put(std::uint64_t{request.plan.buffers.size()});
  for (const auto &buffer : request.plan.buffers)
    to.put(static_cast<std::uint8_t>(buffer.owner)).put_text(buffer.name).put(buffer.bytes);
  to.put(std::uint64_t{request.plan.operations.size()});
  for (const auto &operation : request.plan.operations) {
    to.put(static_cast<std::uint8_t>(operation.index()));
    std::visit(Encoder{to}, operation);
  }
  to.put(std::uint64_t{request.offsets.size()});
  for (const auto offset : request.offsets) to.put(offset);
  to.put(std::uint8_t{request.dealt});
  to.put(request.shared_bytes).put(request.random).put(std::uint8_t{request.timed});
  to.put(std::uint8_t{request.sample.flush_l2}).put(request.sample.spin_seconds);
}

RunRequest decode_run_request(Reader &from) {
  RunRequest request;
  request.plan.buffers.resize(from.get_count(17));
  for (auto &buffer : request.plan.buffers) {
    buffer.owner = plan::Owner{from.get<std::uint8_t>()};
    buffer.name = from.get_text();
    buffer.bytes = from.get<std::uint64_t>();
  }
  const auto operations = from.get_count(5);
  for (std::uint64_t i = 0; i < operations; ++i) request.plan.operations.push_back(decode_operation(from));
  request.offsets.resize(from.get_count(8));
  for (auto &offset : request.offsets) offset = from.get<std::uint64_t>();
  request.dealt = from.get<std::uint8_t>() != 0;
  request.shared_bytes = from.get<std::uint64_t>();
  request.random = from.get<std::uint64_t>();
  request.timed = from.get<std::uint8_t>() != 0;
  request.sample.flush_l2 = from.get<std::uint8_t>() != 0;
  request.sample.spin_seconds = from.get<double>();
  return request;
}

}  // namespace warpgrade::gpu
