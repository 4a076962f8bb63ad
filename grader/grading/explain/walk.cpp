#include "explain/walk.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpgrade::explain {

namespace {

constexpr std::int64_t word = 4;

bool belongs(const simt::TracedRequest &r, const Walk &walk) {
  return r.space == ptx::Space::global && r.buffer == walk.buffer && r.store == walk.store;
}

bool takes_part(const simt::LaneSample &r, int lane) {
  return (r.mask >> lane & 1) != 0;
}

/// Calls visit(element) for every word that a lane touches.
template <class Visit>
void for_elements(const simt::LaneSample &r, int lane, const Walk &walk, const Visit &visit) {
  if (!takes_part(r, lane)) return;
  const std::int64_t begin = r.offsets[static_cast<std::size_t>(lane)];
  for (std::int64_t at = begin / word; at * word < begin + std::int64_t{r.bytes}; ++at)
    visit(walk.by_columns ? Element{at % walk.pitch, at / walk.pitch}
                          : Element{at / walk.pitch, at % walk.pitch});
}

}  // namespace

std::vector<Element> path_of(const std::vector<simt::TracedRequest> &trace, const Walk &walk,
                             std::uint32_t warp, int lane) {
  std::vector<Element> path;
  for (const simt::TracedRequest &r : trace)
    if (belongs(r, walk) && r.warp == warp)
      for_elements(r, lane, walk, [&](Element e) { path.push_back(e); });
  return path;
}

const simt::TracedRequest *first_request(const std::vector<simt::TracedRequest> &trace, const Walk &walk,
                                         std::uint32_t warp) {
  const auto found = std::find_if(trace.begin(), trace.end(), [&](const simt::TracedRequest &r) {
    return belongs(r, walk) && r.warp == warp;
  });
  return found == trace.end() ? nullptr : &*found;
}

std::vector<Tile> tiles_of(const std::vector<simt::TracedRequest> &trace, const Walk &walk) {
  std::map<std::uint64_t, std::set<Element>> touched;
  for (const simt::TracedRequest &r : trace)
    if (belongs(r, walk))
      for (int lane = 0; lane < 32; ++lane)
        for_elements(r, lane, walk, [&](Element e) { touched[r.phase].insert(e); });
  std::vector<Tile> tiles;
  for (const auto &[phase, elements] : touched) {
    Tile tile{phase, *elements.begin(), *elements.begin(), false};
    for (const Element &e : elements) {
      tile.first = {std::min(tile.first.row, e.row), std::min(tile.first.col, e.col)};
      tile.last = {std::max(tile.last.row, e.row), std::max(tile.last.col, e.col)};
    }
    tile.filled = static_cast<std::int64_t>(elements.size()) == tile.rows() * tile.cols();
    tiles.push_back(tile);
  }
  return tiles;
}

std::uint64_t shared_words_loaded(const std::vector<simt::TracedRequest> &trace, std::uint32_t warp,
                                  int lane) {
  std::uint64_t words = 0;
  for (const simt::TracedRequest &r : trace)
    if (r.space == ptx::Space::shared && !r.store && r.warp == warp && takes_part(r, lane))
      words += r.bytes / word;
  return words;
}

}  // namespace warpgrade::explain
