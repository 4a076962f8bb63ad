// Copies and fills of every shape: each is a box of bytes from one place to another. The direction is what
// the pointers say, and the kind must agree with it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/copies.hpp"
#include "runtime/simulate/arrays.hpp"
#include "runtime/simulate/devices.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

struct Side {
  bool device = false;  ///< kernels can reach it
  bool host = true;     ///< the host can
  const Block *block = nullptr;
};

Side side_of(Runtime &r, const void *p) {
  const Address a = number(p);
  Side side;
  side.block = r.blocks.at(a);
  if (side.block != nullptr && side.block->kind == Kind::registered && !side.block->live)
    side.block = nullptr;
  if (side.block != nullptr) {
    side.device = true;
    side.host = side.block->host_sees_it();
  } else if (in_device_range(a)) {
    side = {true, false, r.blocks.before(a)};
  } else if (in_visible_range(a)) {
    side = {true, true, r.blocks.before(a)};
  }
  return side;
}

/// Whether one live allocation holds all the bytes; says what is wrong if not.
bool inside(Runtime &r, const char *call, const Side &side, const Place &place, const Box &box,
            const char *verb) {
  if (!side.device) return true;
  const Address begin = number(place.at);
  const std::uint64_t bytes = place.extent(box);
  const Block *block = side.block;
  if (block == nullptr) {
    r.mistake(call, "copy_out_of_bounds",
              fmt::format("{} {} bytes at {:#x}, which is in no allocation", verb, bytes, begin));
    return false;
  }
  if (!block->live) {
    r.mistake(call, "use_after_free",
              fmt::format("{} {} bytes at {}, which was freed", verb, bytes, place_name(*block, begin)),
              block->name);
    return false;
  }
  if (begin >= block->begin && begin + bytes <= block->end() && begin + bytes >= begin) return true;
  const std::uint64_t past = begin + bytes - block->end();
  r.mistake(call, "copy_out_of_bounds",
            fmt::format("{} {} bytes at {}, up to {} bytes past the end of its {} bytes", verb, bytes,
                        place_name(*block, begin), past, block->bytes),
            block->name);
  return false;
}

cudaError_t wrong(Runtime &r, const char *call, const char *kind, const char *which, bool is_device) {
  r.mistake(
      call, "wrong_direction",
      fmt::format("the kind is {}, but the {} is {} memory", kind, which, is_device ? "device" : "host"));
  return cudaErrorInvalidValue;
}

cudaError_t check_kind(Runtime &r, const char *call, const Side &to, const Side &from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      if (!to.device) return wrong(r, call, "cudaMemcpyHostToDevice", "destination", false);
      if (!from.host) return wrong(r, call, "cudaMemcpyHostToDevice", "source", true);
      return cudaSuccess;
    case cudaMemcpyDeviceToHost:
      if (!to.host) return wrong(r, call, "cudaMemcpyDeviceToHost", "destination", true);
      if (!from.device) return wrong(r, call, "cudaMemcpyDeviceToHost", "source", false);
      return cudaSuccess;
    case cudaMemcpyDeviceToDevice:
      if (!to.device) return wrong(r, call, "cudaMemcpyDeviceToDevice", "destination", false);
      if (!from.device) return wrong(r, call, "cudaMemcpyDeviceToDevice", "source", false);
      return cudaSuccess;
    case cudaMemcpyHostToHost:
      if (!to.host) return wrong(r, call, "cudaMemcpyHostToHost", "destination", true);
      if (!from.host) return wrong(r, call, "cudaMemcpyHostToHost", "source", true);
      return cudaSuccess;
    case cudaMemcpyDefault:
      return cudaSuccess;
  }
  return cudaErrorInvalidMemcpyDirection;
}

std::vector<simt::AddressRange> ranges_of(const Place &place, const Box &box) {
  return streams::ranges_of(number(place.at), box.width, box.height, place.pitch, box.depth, place.slice);
}

/// Memory that the host sees, and that the device uses while the host goes on.
bool in_sight(const Side &side) {
  return side.block && side.block->host_sees_it();
}

/// Keeps what a copy or fill accesses. Pageable memory of the host, which is not a block, is copied by the
/// time that the call returns; a copy to it is done by then. In a graph it counts like all memory.
void note_access(Runtime &r, const char *call, const Box &box, const Side &to_side, const Place &to,
                 const Side *from_side, const Place &from) {
  if (!r.order.watches(r) &&
      !(r.order.watches_host(r) && (in_sight(to_side) || (from_side && in_sight(*from_side)))))
    return;
  simt::Footprint bytes;
  const bool in_graph = r.order.nodes().current != 0;
  if (from_side && (from_side->block || in_graph))
    bytes[static_cast<std::size_t>(simt::Access::read)] = ranges_of(from, box);
  if (to_side.block || in_graph) bytes[static_cast<std::size_t>(simt::Access::write)] = ranges_of(to, box);
  r.order.access(r, call, std::move(bytes));
  if (!to_side.block && !in_graph) r.order.host_waits_for_stream(r, r.order.stream());
}

void copy_row(Runtime &r, const Side &to_side, std::byte *to, const Side &from_side, const std::byte *from,
              std::uint64_t bytes) {
  if (to_side.device && from_side.device)
    r.device->copy(number(to), number(from), bytes);
  else if (to_side.device)
    r.device->write(number(to), {from, bytes});
  else if (from_side.device)
    r.device->read(number(from), {to, bytes});
  else
    std::memmove(to, from, bytes);
}

/// A copy to the host of bytes that no kernel wrote: usually a result of which a part is missing. A warning,
/// since the padding of rows may be copied along.
void look_for_unwritten(Runtime &r, const char *call, const Block &block, const Place &from, const Box &box) {
  if (!r.options.check_initialized) return;
  std::uint64_t unwritten = 0;
  bool padding = true;
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y) {
      unwritten += r.device->unwritten(number(from.row(y, z)), box.width);
      padding = padding && r.device->lacks_only_padding(number(from.row(y, z)), box.width);
    }
  if (unwritten == 0) return;
  Finding finding;
  finding.code = "uninitialized_copy";
  finding.severity = padding ? simt::Severity::info : simt::Severity::warning;
  finding.call = call;
  finding.buffer = block.name;
  finding.message = fmt::format("copies {} bytes of {} to the host, of which {} were never written{}",
                                box.width * box.height * box.depth, block.name, unwritten,
                                padding ? ": small gaps, such as structs have between their members" : "");
  r.journal.note(std::move(finding));
}

/// How many bytes of a row the block there holds, where mappings of cuMemMap lie side by side: one call may reach over
/// several. Else all of them.
std::uint64_t bytes_of_mapping(Runtime &r, const Place &place, const Box &box) {
  if (box.height != 1 || box.depth != 1) return box.width;
  const Address begin = number(place.at);
  const auto is_mapped = [](const Block *one) {
    return one != nullptr && one->kind == Kind::mapped && one->live;
  };
  const Block *const block = r.blocks.at(begin);
  if (!is_mapped(block) || box.width <= block->end() - begin) return box.width;
  return is_mapped(r.blocks.starting_at(block->end())) ? block->end() - begin : box.width;
}

Place after(const Place &place, std::uint64_t bytes) {
  Place rest = place;
  rest.at = static_cast<std::byte *>(place.at) + bytes;
  return rest;
}

}  // namespace

cudaError_t copy(Runtime &r, const char *call, const CopyWork &work) {
  const auto &[to, from, box, kind] = work;
  if (const auto error = answer_without_memory(work)) return *error;
  if (const std::uint64_t first = std::min(bytes_of_mapping(r, to, box), bytes_of_mapping(r, from, box));
      first < box.width) {
    const cudaError_t error = copy(r, call, {to, from, {first, 1, 1}, kind});
    if (error != cudaSuccess) return error;
    return copy(r, call, {after(to, first), after(from, first), {box.width - first, 1, 1}, kind});
  }
  const Side to_side = side_of(r, to.at), from_side = side_of(r, from.at);
  if (const cudaError_t error = check_kind(r, call, to_side, from_side, kind); error != cudaSuccess)
    return error;
  const bool reads = inside(r, call, from_side, from, box, "reads");
  if (!inside(r, call, to_side, to, box, "writes") || !reads) return cudaErrorInvalidValue;
  if (r.pending != cudaSuccess) return cudaSuccess;  // queued behind what failed, never done
  r.clock += 1;
  const bool between = to_side.block && from_side.block && !to_side.host && !from_side.host &&
                       to_side.block->device != from_side.block->device;
  if (between) r.order.begin_copy_between(r, to_side.block->device, from_side.block->device);
  r.traffic.copy(r, call, {true, to_side.block}, {true, from_side.block}, box);
  note_access(r, call, box, to_side, to, &from_side, from);
  if (between) r.order.end_copy_between(r, to_side.block->device, from_side.block->device);
  if (!from_side.host && !to_side.device) look_for_unwritten(r, call, *from_side.block, from, box);
  if (to.pitch == box.width && from.pitch == box.width && box.depth == 1) {
    copy_row(r, to_side, to.row(0, 0), from_side, from.row(0, 0), box.width * box.height);
    return cudaSuccess;
  }
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      copy_row(r, to_side, to.row(y, z), from_side, from.row(y, z), box.width);
  return cudaSuccess;
}

cudaError_t fill(Runtime &r, const char *call, const FillWork &work) {
  const auto &[to, value, element, box] = work;
  if (const auto error = answer_without_memory(work)) return *error;
  if (const std::uint64_t first = bytes_of_mapping(r, to, box); first < box.width) {
    const cudaError_t error = fill(r, call, {to, value, element, {first, 1, 1}});
    if (error != cudaSuccess) return error;
    return fill(r, call, {after(to, first), value, element, {box.width - first, 1, 1}});
  }
  const Side side = side_of(r, to.at);
  if (!side.device) {
    r.mistake(call, "wrong_direction", "the destination is host memory; cudaMemset fills device memory");
    return cudaErrorInvalidValue;
  }
  if (!inside(r, call, side, to, box, "writes")) return cudaErrorInvalidValue;
  const bool in_graph = r.order.nodes().count != 0;  // whose nodes run where they were captured
  const bool mapped = side.block && side.block->kind == Kind::mapped;  // cuMemSetAccess said who may
  if (side.block && !side.host && !in_graph && !mapped &&
      !r.may_access(r.order.device(r), side.block->device))
    return refuse_fill_elsewhere(r, call, *side.block);
  if (r.pending != cudaSuccess) return cudaSuccess;
  r.clock += 1;
  r.traffic.copy(r, call, {true, side.block}, {false, nullptr}, box);
  note_access(r, call, box, side, to, nullptr, to);
  std::vector<std::byte> pattern;  // of a row, where the value is longer than a byte
  if (element > 1)
    for (std::uint64_t i = 0; i < box.width; ++i)
      pattern.push_back(static_cast<std::byte>(value >> 8 * (i % element)));
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      if (element > 1)
        r.device->write(number(to.row(y, z)), pattern);
      else
        r.device->fill(number(to.row(y, z)), static_cast<std::byte>(value), box.width);
  return cudaSuccess;
}

namespace {

struct Symbol {
  Address address = 0;
  std::uint64_t bytes = 0;
  cudaError_t error = cudaErrorInvalidSymbol;
};

Symbol find_symbol(Runtime &r, const char *call, const void *symbol) {
  Symbol found;
  const auto known = r.variables.find(symbol);
  if (known == r.variables.end()) {  // the address of a managed variable is that of its memory
    const Block *block = r.blocks.starting_at(number(symbol));
    if (block != nullptr && block->kind == Kind::managed && !block->allocated)
      return {block->begin, block->bytes, cudaSuccess};
    return found;
  }
  const Variable &variable = known->second;
  found.error = r.load(*variable.module, call);
  if (found.error != cudaSuccess) return found;
  const auto address = r.device->variable(variable.module->renamed(variable.name));
  if (!address) return {0, 0, cudaErrorInvalidSymbol};
  return {*address, variable.bytes, cudaSuccess};
}

}  // namespace

namespace backend {

cudaError_t find_variable(const char *call, const void *symbol, std::size_t offset, std::size_t bytes,
                          std::uint64_t &address) {
  Runtime &r = runtime();
  const Symbol found = find_symbol(r, call, symbol);
  if (found.error != cudaSuccess) return found.error;
  if (offset > found.bytes || bytes > found.bytes - offset) {
    const Block *block = r.blocks.at(found.address);
    r.mistake(call, "copy_out_of_bounds",
              fmt::format("{} bytes at offset {} of {}, which has {} bytes", bytes, offset,
                          block ? block->name : "a variable", found.bytes));
    return cudaErrorInvalidValue;
  }
  address = found.address + offset;
  return cudaSuccess;
}
cudaError_t variable_bytes(const char *call, const void *symbol, std::size_t &bytes) {
  const Symbol found = find_symbol(runtime(), call, symbol);
  if (found.error == cudaSuccess) bytes = found.bytes;
  return found.error;
}

}  // namespace backend

namespace {

/// Where a three-dimensional copy begins in pitched memory.
Place place_of(const cudaPitchedPtr &p, const cudaPos &at) {
  const std::uint64_t slice = p.pitch * p.ysize;
  if (p.ptr == nullptr) return {};
  return {static_cast<std::byte *>(p.ptr) + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

}  // namespace

cudaError_t make_copy(Runtime &r, const char *call, const cudaMemcpy3DParms *p, CopyWork &work) {
  if (p == nullptr) return cudaErrorInvalidValue;
  const Array *to = p->dstArray == nullptr ? nullptr : find_array(r, p->dstArray);
  const Array *from = p->srcArray == nullptr ? nullptr : find_array(r, p->srcArray);
  if ((p->dstArray != nullptr && to == nullptr) || (p->srcArray != nullptr && from == nullptr)) {
    r.mistake(call, "wrong_direction", "one side is not a CUDA array from cudaMallocArray or a related call");
    return cudaErrorInvalidResourceHandle;
  }
  // With an array the width counts its elements, else bytes.
  const std::uint64_t unit = to != nullptr     ? to->element_bytes()
                             : from != nullptr ? from->element_bytes()
                                               : 1;
  work.to = to != nullptr ? to->place(p->dstPos.x * unit, p->dstPos.y, p->dstPos.z)
                          : place_of(p->dstPtr, p->dstPos);
  work.from = from != nullptr ? from->place(p->srcPos.x * unit, p->srcPos.y, p->srcPos.z)
                              : place_of(p->srcPtr, p->srcPos);
  work.box = {p->extent.width * unit, p->extent.height, p->extent.depth};
  work.kind = p->kind;
  return cudaSuccess;
}

namespace {

cudaError_t copy_3d(Runtime &r, const char *call, const cudaMemcpy3DParms *p, cudaStream_t stream) {
  CopyWork work;
  const cudaError_t error = make_copy(r, call, p, work);
  return error == cudaSuccess ? submit(r, call, stream, work) : error;
}

FillWork fill_3d(const cudaPitchedPtr &p, int value, const cudaExtent &e) {
  return {place_of(p, {0, 0, 0}), static_cast<unsigned>(value), 1, {e.width, e.height, e.depth}};
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return api("cudaMemcpy3D", Waits::yes, [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3D", p, nullptr); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return api("cudaMemcpy3DAsync", Waits::no,
             [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3DAsync", p, stream); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return at_once("cudaMemset3D", fill_3d(to, value, extent));
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return in_stream("cudaMemset3DAsync", stream, fill_3d(to, value, extent));
}

WARPGRADE_ALSO(cudaMemcpy3D, _ptds);
WARPGRADE_ALSO(cudaMemset3D, _ptds);
WARPGRADE_ALSO(cudaMemcpy3DAsync, _ptsz);
WARPGRADE_ALSO(cudaMemset3DAsync, _ptsz);

}  // extern "C"
