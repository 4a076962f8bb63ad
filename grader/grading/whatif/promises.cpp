#include "whatif/promises.hpp"

#include <algorithm>
#include <map>

#include "whatif/ideal.hpp"

namespace warpgrade::whatif {

namespace {

constexpr double worth_mention = 0.01;  ///< of all bytes that the call moves
constexpr double sector_bytes = 32, wavefront_bytes = 128;

/// Whether lanes side by side ask for bytes side by side.
bool neighbours(const simt::LaneSample &s) {
  for (std::size_t lane = 1; lane < s.offsets.size(); ++lane)
    if ((s.mask >> (lane - 1) & 3) == 3 && s.offsets[lane] - s.offsets[lane - 1] != s.bytes) return false;
  return true;
}

bool only_alignment(const predict::Call &call, const simt::SourceLine &at) {
  bool any = false;
  for (const simt::LaneSample &s : call.samples) {
    if (s.at != at || s.space != ptx::Space::global || s.cost <= s.ideal) continue;
    if (!neighbours(s)) return false;
    any = true;
  }
  return any;
}

std::string cure_of(const Waste &w) {
  const std::string of_sectors = w.only_alignment ? "aligned" : "coalesced";
  if (!w.banks) return of_sectors;
  return w.sectors ? of_sectors + " and without bank conflicts" : "without bank conflicts";
}

}  // namespace

std::vector<Waste> wastes_of(const predict::Call &call) {
  struct Bytes {
    double sectors = 0, banks = 0;
  };
  std::map<simt::SourceLine, Bytes> wasted;
  double moved = 0;
  for (const run::SampledLaunch &launch : call.launches)
    for (const run::SampledBlock &b : launch.blocks)
      for (const auto &[key, access] : b.counters.accesses) {
        const auto times = static_cast<double>(b.stands_for);
        moved += times * (sector_bytes * static_cast<double>(access.global.sectors) +
                          wavefront_bytes * static_cast<double>(access.shared.wavefronts));
        Bytes &w = wasted[key.at];
        w.sectors += times * sector_bytes *
                     static_cast<double>(access.global.sectors -
                                         std::min(access.global.sectors, access.global.ideal_sectors));
        w.banks += times * wavefront_bytes * static_cast<double>(access.shared.conflicts);
      }
  std::vector<Waste> all;
  for (const auto &[at, w] : wasted)
    if (w.sectors + w.banks > worth_mention * moved && at.line > 0)
      all.push_back({at, (w.sectors + w.banks) / moved, w.sectors > 0, w.banks > 0,
                     w.sectors > 0 && only_alignment(call, at)});
  std::stable_sort(all.begin(), all.end(), [](const Waste &a, const Waste &b) { return a.share > b.share; });
  if (all.size() > most_lines) all.resize(most_lines);
  return all;
}

void promise(const predict::Call &call, const predict::Predictor::Predicted &again, predict::Prediction &p) {
  std::set<simt::SourceLine> together;
  const auto add = [&](std::vector<simt::SourceLine> lines, std::string cure) {
    const predict::Prediction x = again(ideal(call, {lines.begin(), lines.end()}));
    // Less waste never costs time; what the model says otherwise is its own noise.
    p.promises.push_back({std::move(lines), std::move(cure), std::min(x.seconds, p.seconds),
                          std::min(x.low, p.low), std::min(x.high, p.high)});
  };
  const std::vector<Waste> worst = wastes_of(call);
  for (const Waste &w : worst) add({w.at}, cure_of(w)), together.insert(w.at);
  if (worst.size() > 1) add({together.begin(), together.end()}, "without waste");
}

}  // namespace warpgrade::whatif
