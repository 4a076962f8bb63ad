// Copies and fills of every shape: each is a box of bytes from one place to another. The direction is what
// the pointers say, and the kind must agree with it.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "cudart/library/arrays.hpp"
#include "cudart/library/runtime.hpp"
#include "cudart/library/work.hpp"

namespace warpgrade::cudart {
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

/// Whether the bytes lie in one live allocation; says what is wrong if not.
bool inside(Runtime &r, const char *call, const Side &side, const Place &place, const Box &box,
            const char *verb) {
  if (!side.device) return true;
  const Address begin = number(place.at);
  const std::uint64_t bytes = place.extent(box);
  const Block *block = side.block;
  if (block == nullptr) {
    r.mistake(call, "copy_out_of_bounds",
              fmt::format("{} {} bytes at {:#x}, where no allocation is", verb, bytes, begin));
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
  r.recorder.note(std::move(finding));
}

}  // namespace

cudaError_t copy(Runtime &r, const char *call, const CopyWork &work) {
  const auto &[to, from, box, kind] = work;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (box.empty()) return cudaSuccess;
  if (to.at == nullptr || from.at == nullptr) return cudaErrorInvalidValue;
  if (box.height > 1 && (to.pitch < box.width || from.pitch < box.width)) return cudaErrorInvalidPitchValue;
  const Side to_side = side_of(r, to.at), from_side = side_of(r, from.at);
  if (const cudaError_t error = check_kind(r, call, to_side, from_side, kind); error != cudaSuccess)
    return error;
  const bool reads = inside(r, call, from_side, from, box, "reads");
  if (!inside(r, call, to_side, to, box, "writes") || !reads) return cudaErrorInvalidValue;
  if (r.pending != cudaSuccess) return cudaSuccess;  // queued behind what failed, never done
  r.clock += 1;
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

CopyWork line_copy(void *to, const void *from, std::uint64_t bytes, cudaMemcpyKind kind) {
  return {{to, bytes, bytes}, {const_cast<void *>(from), bytes, bytes}, {bytes}, kind};
}

cudaError_t fill(Runtime &r, const char *call, const FillWork &work) {
  const auto &[to, value, element, box] = work;
  if (box.empty()) return cudaSuccess;
  if (to.at == nullptr) return cudaErrorInvalidValue;
  if (box.height > 1 && to.pitch < box.width) return cudaErrorInvalidPitchValue;
  const Side side = side_of(r, to.at);
  if (!side.device) {
    r.mistake(call, "wrong_direction", "the destination is host memory; cudaMemset fills device memory");
    return cudaErrorInvalidValue;
  }
  if (!inside(r, call, side, to, box, "writes")) return cudaErrorInvalidValue;
  if (r.pending != cudaSuccess) return cudaSuccess;
  r.clock += 1;
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
  const auto &[variable, module] = known->second;
  found.error = r.load(*module, call);
  if (found.error != cudaSuccess) return found;
  const auto address = r.device->variable(module->renamed(variable.name));
  if (!address) return {0, 0, cudaErrorInvalidSymbol};
  return {*address, variable.bytes, cudaSuccess};
}

}  // namespace

cudaError_t make_symbol_copy(Runtime &r, const char *call, const void *symbol, void *other, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, bool to_symbol, CopyWork &work) {
  const Symbol found = find_symbol(r, call, symbol);
  if (found.error != cudaSuccess) return found.error;
  const bool fits = kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice ||
                    kind == (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (!fits) return cudaErrorInvalidMemcpyDirection;
  if (offset > found.bytes || bytes > found.bytes - offset) {
    const Block *block = r.blocks.at(found.address);
    r.mistake(call, "copy_out_of_bounds",
              fmt::format("{} bytes at offset {} of {}, which has {} bytes", bytes, offset,
                          block ? block->name : "a variable", found.bytes));
    return cudaErrorInvalidValue;
  }
  void *const at = pointer(found.address + offset);
  work = to_symbol ? line_copy(at, other, bytes, kind) : line_copy(other, at, bytes, kind);
  return cudaSuccess;
}

namespace {

struct SymbolCopy {
  const void *symbol;
  void *other;
  size_t bytes, offset;
  cudaMemcpyKind kind;
  bool to_symbol;
  cudaStream_t stream;
};

cudaError_t copy_symbol(Runtime &r, const char *call, const SymbolCopy &c) {
  CopyWork work;
  const cudaError_t error =
      make_symbol_copy(r, call, c.symbol, c.other, c.bytes, c.offset, c.kind, c.to_symbol, work);
  return error == cudaSuccess ? submit(r, call, c.stream, work) : error;
}

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
    r.mistake(call, "wrong_direction", "one side is no CUDA array that cudaMallocArray or a relative gave");
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

FillWork fill_2d(void *to, size_t pitch, int value, size_t width, size_t height) {
  return {{to, pitch}, static_cast<unsigned>(value), 1, {width, height}};
}

CopyWork copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 cudaMemcpyKind kind) {
  return {{to, to_pitch}, {const_cast<void *>(from), from_pitch}, {width, height}, kind};
}

/// A call that is one piece of work in a stream.
cudaError_t in_stream(const char *call, cudaStream_t stream, Work work) {
  return api(call, Waits::no, [&](Runtime &r) { return submit(r, call, stream, std::move(work)); });
}

}  // namespace
}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return api("cudaMemcpy", Waits::yes,
             [&](Runtime &r) { return copy(r, "cudaMemcpy", line_copy(to, from, bytes, kind)); });
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream("cudaMemcpyAsync", stream, line_copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return api("cudaMemcpyPeer", Waits::yes, [&](Runtime &r) {
    return copy(r, "cudaMemcpyPeer", line_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t stream) {
  return in_stream("cudaMemcpyPeerAsync", stream, line_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2D", Waits::yes, [&](Runtime &r) {
    return copy(r, "cudaMemcpy2D", copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
  });
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream("cudaMemcpy2DAsync", stream, copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return api("cudaMemcpy3D", Waits::yes, [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3D", p, nullptr); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return api("cudaMemcpy3DAsync", Waits::no,
             [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3DAsync", p, stream); });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return api("cudaMemset", Waits::yes,
             [&](Runtime &r) { return fill(r, "cudaMemset", fill_2d(to, bytes, value, bytes, 1)); });
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  return in_stream("cudaMemsetAsync", stream, fill_2d(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return api("cudaMemset2D", Waits::yes,
             [&](Runtime &r) { return fill(r, "cudaMemset2D", fill_2d(to, pitch, value, width, height)); });
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return in_stream("cudaMemset2DAsync", stream, fill_2d(to, pitch, value, width, height));
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return api("cudaMemset3D", Waits::yes,
             [&](Runtime &r) { return fill(r, "cudaMemset3D", fill_3d(to, value, extent)); });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return in_stream("cudaMemset3DAsync", stream, fill_3d(to, value, extent));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return api("cudaMemcpyToSymbol", Waits::yes, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyToSymbol",
                       {symbol, const_cast<void *>(from), bytes, offset, kind, true, nullptr});
  });
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpyToSymbolAsync", Waits::no, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyToSymbolAsync",
                       {symbol, const_cast<void *>(from), bytes, offset, kind, true, stream});
  });
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return api("cudaMemcpyFromSymbol", Waits::yes, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyFromSymbol", {symbol, to, bytes, offset, kind, false, nullptr});
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpyFromSymbolAsync", Waits::no, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyFromSymbolAsync", {symbol, to, bytes, offset, kind, false, stream});
  });
}
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return api("cudaGetSymbolAddress", Waits::no, [&](Runtime &r) {
    if (address == nullptr) return cudaErrorInvalidValue;
    const Symbol found = find_symbol(r, "cudaGetSymbolAddress", symbol);
    if (found.error == cudaSuccess) *address = pointer(found.address);
    return found.error;
  });
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return api("cudaGetSymbolSize", Waits::no, [&](Runtime &r) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    const Symbol found = find_symbol(r, "cudaGetSymbolSize", symbol);
    if (found.error == cudaSuccess) *bytes = found.bytes;
    return found.error;
  });
}

WARPGRADE_ALSO(cudaMemcpy, _ptds);
WARPGRADE_ALSO(cudaMemcpy2D, _ptds);
WARPGRADE_ALSO(cudaMemcpy3D, _ptds);
WARPGRADE_ALSO(cudaMemcpyToSymbol, _ptds);
WARPGRADE_ALSO(cudaMemcpyFromSymbol, _ptds);
WARPGRADE_ALSO(cudaMemset, _ptds);
WARPGRADE_ALSO(cudaMemset2D, _ptds);
WARPGRADE_ALSO(cudaMemset3D, _ptds);
WARPGRADE_ALSO(cudaMemcpyAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpy2DAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpy3DAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyToSymbolAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyFromSymbolAsync, _ptsz);
WARPGRADE_ALSO(cudaMemsetAsync, _ptsz);
WARPGRADE_ALSO(cudaMemset2DAsync, _ptsz);
WARPGRADE_ALSO(cudaMemset3DAsync, _ptsz);

}  // extern "C"
