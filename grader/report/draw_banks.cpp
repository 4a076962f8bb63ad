// Shared memory as lines of 128 bytes, once over all banks, with what a warp does there: the words or pieces
// that a request wants, or the tile that an asynchronous copy writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "explain/lanes.hpp"
#include "report/drawings.hpp"
#include "report/lanes.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

class OverBanks {
 public:
  static constexpr std::array paints = {Paint::first, Paint::second, Paint::third, Paint::several};
  static constexpr std::int64_t line = 128, bank = 4;  ///< bytes; a line is all banks once

  struct Cell {
    std::int64_t offset = 0;
    std::string text, label;
    Paint paint = Paint::cell;
    bool framed = false;
  };
  std::string name, heading, figure;  ///< heading and figure are left and right above the picture
  std::vector<std::string> legend;
  std::int64_t bytes = 16;  ///< of each cell: 4, 8 or 16
  std::vector<Cell> cells;

  std::string draw(const std::string &title, const std::string &description) const {
    const auto [tops, left_out] = place_lines();
    const double bottom = tops.empty() ? first_top() : tops.rbegin()->second + high;
    Svg svg(name, right() + 8, bottom + (left_out > 0 ? 26 : 8));
    put_words(svg);
    for (const auto &[number, top] : tops) {
      svg.text(left - 6, top + 12, fmt::format("byte {}", number * line),
               {.anchor = 'e', .size = 10, .faint = true});
      for (std::int64_t c = 0; c < columns(); ++c)
        svg.rect(left + static_cast<double>(c) * wide(), top, wide(), high, Paint::cell);
    }
    for (const bool framed : {false, true})  // frames are above their neighbours
      for (const Cell &cell : cells) {
        const auto found = tops.find(cell.offset / line);
        if (found == tops.end() || cell.framed != framed) continue;
        const double x = left + static_cast<double>(cell.offset % line / bytes) * wide(), y = found->second;
        svg.rect(x, y, wide(), high, cell.paint, cell.label);
        svg.text(x + wide() / 2, y + 12, cell.text, {.anchor = 'm', .size = 10, .on = cell.paint});
        if (framed) svg.frame(x + 1, y + 1, wide() - 2, high - 2);
      }
    if (left_out > 0)
      svg.text(8, bottom + 16, fmt::format("and {} more lines of 128 bytes", left_out), {.size = 11});
    return svg.finish(title, description);
  }

 private:
  static constexpr double high = 17, left = 78, row = 16;
  static constexpr std::size_t most_lines = 32;

  std::int64_t columns() const { return line / bytes; }
  double wide() const { return bytes == 4 ? 20 : bytes == 8 ? 40 : 74; }
  double right() const { return left + static_cast<double>(columns()) * wide(); }
  double first_top() const { return 46 + row * static_cast<double>(legend.size()); }

  /// Where the lines that are touched begin, and how many are not drawn. A gap says that some are between
  /// two.
  std::pair<std::map<std::int64_t, double>, std::size_t> place_lines() const {
    std::map<std::int64_t, double> tops;
    for (const Cell &cell : cells) tops[cell.offset / line];
    std::size_t left_out = 0;
    for (; tops.size() > most_lines; ++left_out) tops.erase(std::prev(tops.end()));
    double y = first_top();
    for (auto it = tops.begin(); it != tops.end(); ++it, y += high) {
      if (it != tops.begin() && std::prev(it)->first + 1 != it->first) y += 6;
      it->second = y;
    }
    return {tops, left_out};
  }

  void put_words(Svg &svg) const {
    constexpr std::size_t longest = 70;  // beside the figure
    svg.text(8, 14, heading.size() <= longest ? heading : heading.substr(0, longest - 3) + "...",
             {.size = 12, .bold = true});
    svg.text(right(), 14, figure, {.anchor = 'e', .size = 12, .bold = true});
    for (std::size_t i = 0; i < legend.size(); ++i)
      svg.text(8, 32 + row * static_cast<double>(i), legend[i], {.size = 11});
    const std::int64_t banks = bytes / bank;
    const double y = first_top() - 6;
    svg.text(left - 6, y, banks == 1 ? "bank" : "banks", {.anchor = 'e', .size = 10, .faint = true});
    for (std::int64_t c = 0; c < columns(); ++c)
      svg.text(left + (static_cast<double>(c) + 0.5) * wide(), y,
               banks == 1 ? std::to_string(c) : fmt::format("{}-{}", banks * c, banks * (c + 1) - 1),
               {.anchor = 'm', .size = 10, .faint = true});
  }
};

std::string wavefronts(std::uint32_t n) {
  return fmt::format("{} wavefront{}", n, n == 1 ? "" : "s");
}

const simt::TracedRequest &first_access(const TracedCall &call) {
  const course::Figure &f = call.figure;
  const auto found = std::find_if(call.trace.begin(), call.trace.end(), [&](const simt::TracedRequest &r) {
    return r.space == ptx::Space::shared && r.store == f.store && r.warp == f.warp && r.bytes == f.bytes;
  });
  if (found == call.trace.end())
    throw std::runtime_error(fmt::format("warp {} of block {} {} no {} byte{} a lane {} shared memory",
                                         f.warp, f.block, f.store ? "stores" : "loads", f.bytes,
                                         f.bytes == 1 ? "" : "s", f.store ? "in" : "from"));
  return *found;
}

}  // namespace

std::string draw_request_over_banks(const std::string &name, const std::string &what,
                                    const simt::LaneSample &sample) {
  const std::vector<explain::BankPiece> pieces = explain::bank_pieces_of(sample);
  const bool phases = sample.bytes > 4;
  OverBanks picture;
  picture.name = name, picture.heading = what, picture.figure = wavefronts(sample.cost);
  picture.bytes = pieces.empty() ? 4 : pieces.front().bytes;
  picture.legend.push_back(
      phases ? fmt::format("Each colour: {} lanes that are served together. After a lane: its wavefront.",
                           OverBanks::line / picture.bytes)
             : "Each colour: a wavefront. Each cell: the lane that accesses it, or how many do.");
  if (sample.cost > sample.ideal)
    picture.legend.push_back(
        fmt::format("Framed: bank conflicts among lanes that are served together. Without them, {} would do.",
                    wavefronts(sample.ideal)));
  std::map<std::int64_t, std::size_t> there;  // lanes of several phases may want the same piece
  for (const explain::BankPiece &piece : pieces) {
    const bool one = piece.lanes.size() == 1;
    const std::string label = fmt::format("lane{} {}, wavefront {}{}", one ? "" : "s", lane_list(piece.lanes),
                                          piece.wavefront + 1, piece.conflict ? ", in conflict" : "");
    std::string text = one ? std::to_string(piece.lanes.front()) : fmt::format("{}x", piece.lanes.size());
    if (picture.bytes == 16) text = fmt::format("{}{} : {}", one ? "lane " : "", text, piece.wavefront + 1);
    const auto [place, first] = there.try_emplace(piece.offset, picture.cells.size());
    if (first) {
      const Paint paint =
          OverBanks::paints.at((phases ? piece.phase : piece.wavefront) % OverBanks::paints.size());
      picture.cells.push_back({piece.offset, std::move(text), label, paint, piece.conflict});
      continue;
    }
    OverBanks::Cell &cell = picture.cells[place->second];
    cell.label += "; " + label;
    cell.text = "more";
    cell.framed = cell.framed || piece.conflict;
  }
  return picture.draw(fmt::format("{}, over the banks", what),
                      fmt::format("Each line is 128 bytes of shared memory, once over all 32 banks. The "
                                  "request takes {}; {} would do.",
                                  wavefronts(sample.cost), sample.ideal));
}

std::string draw_tile_over_banks(const std::string &name, const std::string &what,
                                 const simt::LaneSample &sample) {
  constexpr std::size_t most_rows = 16;
  const bool box = sample.across > 0;
  OverBanks picture;
  picture.name = name, picture.heading = what;
  picture.bytes = box ? 16 : std::clamp<std::int64_t>(sample.bytes, 4, 16);
  picture.legend.push_back(
      box ? "Each cell: 16 bytes of the tile, as row.piece. Each colour: a row of the tile."
          : "Each cell: what one lane copies. Each colour: eight lanes.");
  std::int64_t first = INT64_MAX;  // where the line begins that holds the first byte: it counts as 0
  for (const std::int64_t written : sample.written)
    if (written >= 0) first = std::min(first, written / OverBanks::line * OverBanks::line);
  std::map<std::int64_t, std::size_t> there;  // several lanes may write the same place
  for (std::size_t i = 0; i < sample.written.size(); ++i) {
    const std::size_t row = box ? i / sample.across : i / 8;
    if (sample.written[i] < 0 || (box && row >= most_rows)) continue;
    const std::int64_t at = (sample.written[i] - first) & -picture.bytes;
    if (!there.try_emplace(at, i).second) continue;
    const std::string text = box                   ? fmt::format("{}.{}", row, i % sample.across)
                             : picture.bytes == 16 ? fmt::format("lane {}", i)
                                                   : std::to_string(i);
    const std::string label =
        box ? fmt::format("row {}, piece {}", row, i % sample.across) : fmt::format("lane {}", i);
    picture.cells.push_back({at, text, label, OverBanks::paints.at(row % OverBanks::paints.size()), false});
  }
  if (box && sample.written.size() > most_rows * sample.across)
    picture.legend.push_back(fmt::format("These are its first {} rows.", most_rows));
  return picture.draw(fmt::format("{}, over the banks", what),
                      "Each line is 128 bytes of shared memory, once over all 32 banks: where an "
                      "asynchronous copy stores its data.");
}

Drawing draw_banks(const TracedCall &call) {
  const simt::TracedRequest &request = first_access(call);
  return {draw_request_over_banks(
              call.figure.name,
              fmt::format("{}: one {} of a warp, {} byte{} a lane", call.figure.step,
                          request.store ? "store" : "load", request.bytes, request.bytes == 1 ? "" : "s"),
              request),
          {{"wavefronts", std::to_string(request.cost)}, {"ideal", std::to_string(request.ideal)}}};
}

}  // namespace warpgrade::report
