// The 32 lanes of a request over the memory that they access: sectors of global memory, banks of shared
// memory. Takes a sample; returns rows and cells to draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "counters/sample.hpp"

namespace warpgrade::explain {

using Lanes = std::vector<std::uint8_t>;  ///< ascending

/// A sector with the lanes at each of its eight words.
struct SectorRow {
  std::int64_t offset = 0;  ///< of its first byte, from the start of the buffer
  std::array<Lanes, 8> words;
  bool operator==(const SectorRow &) const = default;
};
/// The sectors that a request to global memory touches, ascending.
std::vector<SectorRow> sectors_of(const simt::LaneSample &);

/// A word of shared memory with the lanes that want it: they are served at once.
struct BankWord {
  std::int64_t offset = 0;
  Lanes lanes;
  bool operator==(const BankWord &) const = default;
};
/// A part of a request that the hardware processes at once: all lanes up to 4 bytes each, half of them at 8,
/// a quarter at 16. The bank with the most words determines the number of wavefronts.
struct BankPhase {
  int first_lane = 0, last_lane = 31;
  std::array<std::vector<BankWord>, 32> banks;
  std::size_t wavefronts() const;
  bool operator==(const BankPhase &) const = default;
};
/// The phases that have an active lane.
std::vector<BankPhase> banks_of(const simt::LaneSample &);

/// 4, 8 or 16 bytes of shared memory that lanes of a request want at once.
struct BankPiece {
  std::int64_t offset = 0;
  std::uint32_t bytes = 4;
  Lanes lanes;
  std::size_t phase = 0;      ///< index in banks_of()
  std::size_t wavefront = 0;  ///< of all phases together, from 0
  bool conflict = false;      ///< its banks serve other words in the same phase
  bool operator==(const BankPiece &) const = default;
};
/// Phase by phase, ascending offsets.
std::vector<BankPiece> bank_pieces_of(const simt::LaneSample &);

}  // namespace warpgrade::explain
