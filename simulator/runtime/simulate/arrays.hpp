// CUDA arrays: images in device memory, which programs know by a handle alone.
#pragma once

#include <cuda_runtime_api.h>

#include "machine/instructions/texture.hpp"
#include "runtime/work.hpp"

namespace warpgrade::cuda {

class Runtime;

struct Array {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};  ///< as the program gave it
  unsigned flags = 0;
  simt::Image image;
  bool owned = true;  ///< false: a level of a mipmap, which frees it
  std::uint64_t element_bytes() const { return image.format.bytes(); }
  /// Where a copy begins; x in bytes.
  Place place(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return {reinterpret_cast<std::byte *>(image.address) + z * image.slice + y * image.pitch + x, image.pitch,
            image.slice};
  }
};

struct Mipmap {
  std::vector<std::unique_ptr<Array>> levels;
};

/// Nullptr when the handle is none.
const Array *find_array(const Runtime &, const void *handle);
/// False for formats that no array has.
bool read_format(const cudaChannelFormatDesc &, simt::TexelFormat &);

}  // namespace warpgrade::cuda
