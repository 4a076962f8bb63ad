// Textures and surfaces: images in device memory, and how a kernel reads them through an object.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warpgrade::simt {

/// One element of an image: one, two or four channels of the same kind.
struct TexelFormat {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, floating };
  Kind kind = Kind::floating;
  std::uint8_t channels = 1, bits = 32;  ///< bits of a channel: 8, 16 or 32
  std::uint32_t bytes() const { return std::uint32_t{channels} * bits / 8; }
};

/// Rows of texels in one allocation. Layers and the faces of cubes follow one another, as slices do.
struct Image {
  std::uint64_t address = 0;
  TexelFormat format;
  std::uint64_t width = 1, height = 1, depth = 1;  ///< texels; depth counts layers and faces too
  std::uint64_t pitch = 0, slice = 0;              ///< bytes from row to row, from slice to slice
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  std::vector<Image> levels;  ///< of a mipmap; one otherwise
  std::array<AddressMode, 3> modes{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;        ///< filter; else the nearest texel
  bool level_linear = false;  ///< the same between levels
  bool normalized = false;    ///< coordinates from 0 to 1 instead of texels
  bool as_float = false;      ///< integers are read as fractions of their largest value
  float bias = 0, least_level = 0, most_level = 0;
  std::array<float, 4> border{};
};

}  // namespace warpgrade::simt
