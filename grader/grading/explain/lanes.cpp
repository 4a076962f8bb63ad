#include "explain/lanes.hpp"

#include <algorithm>
#include <map>

namespace warpgrade::explain {

namespace {

/// Calls visit(lane, offset) for every word that a lane touches.
template <class Visit>
void for_words(const simt::LaneSample &sample, int first, int last, const Visit &visit) {
  for (int lane = first; lane <= last; ++lane) {
    if (!(sample.mask >> lane & 1)) continue;
    const std::int64_t begin = sample.offsets[static_cast<std::size_t>(lane)];
    for (std::int64_t at = begin & ~std::int64_t{3}; at < begin + std::int64_t{sample.bytes}; at += 4)
      visit(static_cast<std::uint8_t>(lane), at);
  }
}

std::int64_t sector_of(std::int64_t offset) {
  return offset & ~std::int64_t{31};
}

}  // namespace

std::vector<SectorRow> sectors_of(const simt::LaneSample &sample) {
  std::map<std::int64_t, SectorRow> rows;
  for_words(sample, 0, 31, [&](std::uint8_t lane, std::int64_t at) {
    SectorRow &row = rows[sector_of(at)];
    row.offset = sector_of(at);
    row.words[static_cast<std::size_t>((at - row.offset) / 4)].push_back(lane);
  });
  std::vector<SectorRow> list;
  for (auto &[offset, row] : rows) list.push_back(std::move(row));
  return list;
}

std::size_t BankPhase::wavefronts() const {
  std::size_t most = 0;
  for (const std::vector<BankWord> &words : banks) most = std::max(most, words.size());
  return most;
}

std::vector<BankPhase> banks_of(const simt::LaneSample &sample) {
  const int lanes = sample.bytes <= 4 ? 32 : sample.bytes <= 8 ? 16 : 8;
  std::vector<BankPhase> phases;
  for (int first = 0; first < 32; first += lanes) {
    BankPhase phase;
    phase.first_lane = first;
    phase.last_lane = first + lanes - 1;
    for_words(sample, phase.first_lane, phase.last_lane, [&](std::uint8_t lane, std::int64_t at) {
      std::vector<BankWord> &words = phase.banks[static_cast<std::size_t>(at / 4 % 32)];
      const auto found =
          std::find_if(words.begin(), words.end(), [&](const BankWord &w) { return w.offset == at; });
      if (found == words.end())
        words.push_back({at, {lane}});
      else
        found->lanes.push_back(lane);
    });
    if (phase.wavefronts() > 0) phases.push_back(std::move(phase));
  }
  return phases;
}

std::vector<BankPiece> bank_pieces_of(const simt::LaneSample &sample) {
  const std::int64_t size = sample.bytes <= 4 ? 4 : sample.bytes <= 8 ? 8 : 16;
  std::vector<BankPiece> all;
  std::size_t before = 0;  // wavefronts
  const std::vector<BankPhase> phases = banks_of(sample);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    std::map<std::int64_t, BankPiece> pieces;
    for (const std::vector<BankWord> &words : phases[p].banks)
      for (std::size_t turn = 0; turn < words.size(); ++turn) {
        BankPiece &piece = pieces[words[turn].offset & -size];
        piece.offset = words[turn].offset & -size;
        piece.bytes = static_cast<std::uint32_t>(size);
        piece.lanes.insert(piece.lanes.end(), words[turn].lanes.begin(), words[turn].lanes.end());
        piece.phase = p;
        piece.wavefront = std::max(piece.wavefront, before + turn);
        piece.conflict = piece.conflict || words.size() > 1;
      }
    for (auto &[offset, piece] : pieces) {
      std::sort(piece.lanes.begin(), piece.lanes.end());
      piece.lanes.erase(std::unique(piece.lanes.begin(), piece.lanes.end()), piece.lanes.end());
      all.push_back(std::move(piece));
    }
    before += phases[p].wavefronts();
  }
  return all;
}

}  // namespace warpgrade::explain
