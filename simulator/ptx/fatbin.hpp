// The fat binary that nvcc embeds in an object: a container of PTX texts and ELF images.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade::ptx {

/// Hostile or truncated input causes this exception, never undefined behaviour.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One entry of a fat binary, decompressed.
struct Image {
  enum class Kind { ptx, elf };
  Kind kind = Kind::ptx;
  int sm = 0;                    ///< 80 for compute_80 or sm_80
  std::string name;              ///< the source's file name if nvcc recorded it (-lineinfo), else empty
  std::vector<std::byte> bytes;  ///< PTX without its padding of NULs
};

/// bytes    starts at the magic number 0xBA55ED50; several fat binaries may follow each other (zero padding
/// between) returns  every PTX and ELF image, in file order; entries of other kinds are left out throws
/// FormatError: truncated, wrong magic, an unknown compression, more than 1 GiB decompressed
std::vector<Image> read_fatbin(std::span<const std::byte> bytes);

/// A fat binary that contains one PTX text, not compressed, for sm_`sm` and later.
std::vector<std::byte> wrap_ptx(std::span<const std::byte> ptx, int sm);

}  // namespace warpgrade::ptx
