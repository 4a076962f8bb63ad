// Copies and fills of every shape: each is a box of bytes from one place to another. The direction is what
// the pointers say, and the kind must agree with it.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

/// Bytes of a place: `height` rows of `width`, `pitch` apart, in each of `depth` slices, `slice` apart.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};
struct Place {
  void *at = nullptr;
  std::uint64_t pitch = 0, slice = 0;
  std::byte *row(std::uint64_t y, std::uint64_t z) const {
    return static_cast<std::byte *>(at) + z * slice + y * pitch;
  }
  std::uint64_t extent(const Box &box) const {
    return (box.depth - 1) * slice + (box.height - 1) * pitch + box.width;
  }
};

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

cudaError_t copy(Runtime &r, const char *call, const Place &to, const Place &from, const Box &box,
                 cudaMemcpyKind kind) {
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

cudaError_t copy_line(Runtime &r, const char *call, void *to, const void *from, std::uint64_t bytes,
                      cudaMemcpyKind kind) {
  return copy(r, call, {to, bytes, bytes}, {const_cast<void *>(from), bytes, bytes}, {bytes}, kind);
}

cudaError_t fill(Runtime &r, const char *call, const Place &to, int value, const Box &box) {
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
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      r.device->fill(number(to.row(y, z)), static_cast<std::byte>(value), box.width);
  return cudaSuccess;
}

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

cudaError_t copy_symbol(Runtime &r, const char *call, const void *symbol, void *host, size_t bytes,
                        size_t offset, cudaMemcpyKind kind, bool to_symbol) {
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
  return to_symbol ? copy_line(r, call, at, host, bytes, kind) : copy_line(r, call, host, at, bytes, kind);
}

/// Where a three-dimensional copy begins in pitched memory.
Place place_of(const cudaPitchedPtr &p, const cudaPos &at) {
  const std::uint64_t slice = p.pitch * p.ysize;
  if (p.ptr == nullptr) return {};
  return {static_cast<std::byte *>(p.ptr) + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

cudaError_t copy_3d(Runtime &r, const char *call, const cudaMemcpy3DParms *p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->srcArray != nullptr || p->dstArray != nullptr) {
    r.not_supported(call, "CUDA arrays; use pitched memory");
    return cudaErrorNotSupported;
  }
  return copy(r, call, place_of(p->dstPtr, p->dstPos), place_of(p->srcPtr, p->srcPos),
              {p->extent.width, p->extent.height, p->extent.depth}, p->kind);
}

cudaError_t fill_3d(Runtime &r, const char *call, const cudaPitchedPtr &p, int value, const cudaExtent &e) {
  return fill(r, call, place_of(p, {0, 0, 0}), value, {e.width, e.height, e.depth});
}

}  // namespace
}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return api("cudaMemcpy", Waits::yes,
             [&](Runtime &r) { return copy_line(r, "cudaMemcpy", to, from, bytes, kind); });
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return api("cudaMemcpyAsync", Waits::no,
             [&](Runtime &r) { return copy_line(r, "cudaMemcpyAsync", to, from, bytes, kind); });
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return api("cudaMemcpyPeer", Waits::yes, [&](Runtime &r) {
    return copy_line(r, "cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t) {
  return api("cudaMemcpyPeerAsync", Waits::no, [&](Runtime &r) {
    return copy_line(r, "cudaMemcpyPeerAsync", to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2D", Waits::yes, [&](Runtime &r) {
    return copy(r, "cudaMemcpy2D", {to, to_pitch}, {const_cast<void *>(from), from_pitch}, {width, height},
                kind);
  });
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return api("cudaMemcpy2DAsync", Waits::no, [&](Runtime &r) {
    return copy(r, "cudaMemcpy2DAsync", {to, to_pitch}, {const_cast<void *>(from), from_pitch},
                {width, height}, kind);
  });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return api("cudaMemcpy3D", Waits::yes, [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3D", p); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t) {
  return api("cudaMemcpy3DAsync", Waits::no, [&](Runtime &r) { return copy_3d(r, "cudaMemcpy3DAsync", p); });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return api("cudaMemset", Waits::yes, [&](Runtime &r) {
    return fill(r, "cudaMemset", {to, bytes}, value, {bytes});
  });
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  return api("cudaMemsetAsync", Waits::no, [&](Runtime &r) {
    return fill(r, "cudaMemsetAsync", {to, bytes}, value, {bytes});
  });
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return api("cudaMemset2D", Waits::yes, [&](Runtime &r) {
    return fill(r, "cudaMemset2D", {to, pitch}, value, {width, height});
  });
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return api("cudaMemset2DAsync", Waits::no, [&](Runtime &r) {
    return fill(r, "cudaMemset2DAsync", {to, pitch}, value, {width, height});
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return api("cudaMemset3D", Waits::yes,
             [&](Runtime &r) { return fill_3d(r, "cudaMemset3D", to, value, extent); });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t) {
  return api("cudaMemset3DAsync", Waits::no,
             [&](Runtime &r) { return fill_3d(r, "cudaMemset3DAsync", to, value, extent); });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return api("cudaMemcpyToSymbol", Waits::yes, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyToSymbol", symbol, const_cast<void *>(from), bytes, offset, kind, true);
  });
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return api("cudaMemcpyToSymbolAsync", Waits::no, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyToSymbolAsync", symbol, const_cast<void *>(from), bytes, offset, kind,
                       true);
  });
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return api("cudaMemcpyFromSymbol", Waits::yes, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyFromSymbol", symbol, to, bytes, offset, kind, false);
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t) {
  return api("cudaMemcpyFromSymbolAsync", Waits::no, [&](Runtime &r) {
    return copy_symbol(r, "cudaMemcpyFromSymbolAsync", symbol, to, bytes, offset, kind, false);
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
