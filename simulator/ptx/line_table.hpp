// Which line of its PTX each machine instruction was made of. With --generate-line-info, ptxas leaves this in
// a section of its own, in the form of DWARF 2 ("DWARF Debugging Information Format", version 2,
// section 6.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace warpgrade::ptx {

/// From `address` on, up to the next entry.
struct PtxLine {
  std::uint64_t address = 0;
  std::int32_t line = 0;
};

/// The lines of a line number program, by the offset in it of the address at which a sequence starts. The
/// linker replaces that address; its relocation says which function the sequence belongs to. throws
/// FormatError: truncated, or not of this form
std::map<std::uint64_t, std::vector<PtxLine>> read_line_program(std::span<const std::byte>);

}  // namespace warpgrade::ptx
