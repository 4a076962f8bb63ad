// Races in global memory: cells for what a launch writes, as shared memory has them. Internal to simt.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "simt/memory.hpp"
#include "simt/program.hpp"

namespace warpgrade::simt {

struct LaunchState;

/// The cells of one allocation, of one worker. Cell: as in context.hpp; time below that of the block's start:
/// by another block.
struct Watched {
  const Allocation *allocation = nullptr;
  std::unique_ptr<std::uint64_t[], Free> writers, readers;  ///< from calloc: untouched pages cost nothing
  std::size_t cells = 0;
};

/// Contents of the memory that a launch writes, to start again from.
struct Snapshot {
  struct Part {
    Allocation *allocation;
    std::vector<std::byte> data;
    std::vector<std::uint8_t> valid;
  };
  std::vector<Part> parts;
  void restore() const;
};

/// Of one worker: 16 bytes of the host's memory each.
constexpr std::uint64_t most_cells = std::uint64_t{1} << 26;
std::uint64_t cells_of(const Allocation &, std::uint32_t cell_shift);

/// Live allocations that the kernel's stores may reach, as far as its text and arguments tell, and how many
/// cells they have. None beyond most_cells: then races in global memory are not looked for.
std::vector<Allocation *> written_by(const LaunchState &, std::uint64_t &cells);
Snapshot take_snapshot(const std::vector<Allocation *> &);
Watched watch(const Allocation &, std::uint32_t cell_shift);

/// Whether blocks of different workers touched one cell, and at least one of them wrote it.
bool conflict(const std::vector<Watched> &, const std::vector<Watched> &);

}  // namespace warpgrade::simt
