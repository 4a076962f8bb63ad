// Several devices: what each of them holds of every array of a problem, and how sums travel around a ring of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/drawings.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

/// What one device holds of the array of one name.
struct Piece {
  std::string array;  ///< "A[1]"
  problem::Extent extent;
  bool empty = false;
  std::string size() const { return empty ? "nothing" : fmt::format("{} × {}", extent.rows, extent.cols); }
};

/// A panel for each device, two beside each other.
class DevicesPicture {
  static constexpr double side = 100, left = 10, gap = 22, heading = 24, words = 15, apart = 30,
                          words_width = 118;
  static constexpr std::size_t factors_and_product = 3;

 public:
  DevicesPicture(const course::Figure &figure, std::string title, const problem::Problem &p)
      : figure_(figure), title_(std::move(title)), case_(p.case_name(figure.at)) {
    const std::vector<plan::Buffer> buffers = p.buffers(figure.at);
    const std::vector<problem::Extent> extents = p.extents(figure.at);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      panels_.resize(std::max<std::size_t>(panels_.size(), buffers[b].device + std::size_t{1}));
      panels_[buffers[b].device].push_back({buffers[b].name, extents[b], buffers[b].bytes == 0});
      if (buffers[b].bytes > 0) largest_ = std::max({largest_, extents[b].rows, extents[b].cols});
    }
    if (panels_.size() < 2) throw std::runtime_error("'devices' draws what is split over several devices");
    for (const auto &pieces : panels_) {
      width_ = std::max(
          width_, is_product(pieces) ? width_of(pieces[0]) + gap + width_of(pieces[1]) : widest(pieces));
      height_ = std::max(height_, height_of_all(pieces));
    }
  }

  Drawing draw() const {
    const double rows = static_cast<double>((panels_.size() + 1) / 2);
    Svg svg(figure_.name, left + 2 * (width_ + apart), rows * (heading + height_ + apart));
    std::string described;
    for (std::size_t d = 0; d < panels_.size(); ++d) {
      const double x = left + static_cast<double>(d % 2) * (width_ + apart),
                   y = static_cast<double>(d / 2) * (heading + height_ + apart);
      svg.text(x, y + 15, fmt::format("device {}", d), {.size = 13, .bold = true});
      panel(svg, panels_[d], x, y + heading);
      described += fmt::format("Device {} holds", d);
      for (const Piece &piece : panels_[d]) described += fmt::format(" {}: {};", piece.array, piece.size());
      described.back() = '.';
      described += ' ';
    }
    described.pop_back();
    return {svg.finish(fmt::format("{} ({}) at {}: what each device holds", figure_.step, title_, case_),
                       described),
            {{"devices", std::to_string(panels_.size())}}};
  }

 private:
  static bool is_product(const std::vector<Piece> &pieces) { return pieces.size() == factors_and_product; }
  double scaled(std::int64_t elements) const {
    return std::max(3.0, static_cast<double>(elements) * side / static_cast<double>(largest_));
  }
  double wide(const Piece &p) const { return p.empty ? 0 : scaled(p.extent.cols); }
  double high(const Piece &p) const { return p.empty ? 0 : scaled(p.extent.rows); }
  double width_of(const Piece &p) const { return std::max(wide(p), words_width); }
  double widest(const std::vector<Piece> &pieces) const {
    double most = 0;
    for (const Piece &p : pieces) most = std::max(most, width_of(p));
    return most;
  }
  double height_of_all(const std::vector<Piece> &pieces) const {
    if (is_product(pieces))
      return high(pieces[1]) + std::max(high(pieces[0]), high(pieces[2])) + 2 * words + gap;
    double all = 0;
    for (const Piece &p : pieces) all += high(p) + words + gap;
    return all - gap;
  }

  /// A product as it is taught: A left of C, B above it. Anything else one below the other.
  void panel(Svg &svg, const std::vector<Piece> &pieces, double x, double y) const {
    if (is_product(pieces)) {
      const double beside = x + width_of(pieces[0]) + gap, below = y + words + high(pieces[1]) + gap;
      piece(svg, pieces[1], beside, y, Paint::pale);
      piece(svg, pieces[0], x, below, Paint::pale);
      return piece(svg, pieces[2], beside, below, Paint::second);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      piece(svg, pieces[i], x, y, i + 1 == pieces.size() ? Paint::second : Paint::pale);
      y += words + high(pieces[i]) + gap;
    }
  }
  void piece(Svg &svg, const Piece &p, double x, double y, Paint paint) const {
    const std::string said = fmt::format("{}: {}", p.array, p.size());
    svg.text(x, y + words - 4, said, {.size = 11});
    if (!p.empty) svg.rect(x, y + words, wide(p), high(p), paint, said);
  }

  const course::Figure &figure_;
  std::string title_, case_;
  std::vector<std::vector<Piece>> panels_;
  std::int64_t largest_ = 1;
  double width_ = 0, height_ = 0;
};

/// After each round, a grid: a row for each device, a column for each chunk, with the devices whose elements
/// are in the sum.
class RingPicture {
  static constexpr double wide = 34, high = 18, left = 62, top = 22, apart = 20;
  static constexpr std::size_t in_a_row = 4;  // grids beside each other

 public:
  RingPicture(std::string name, std::size_t devices)
      : devices_(devices),
        rounds_(2 * (devices - 1)),
        grid_width_(static_cast<double>(devices) * wide),
        grid_height_(static_cast<double>(devices) * high),
        svg_(std::move(name),
             left + static_cast<double>(std::min(in_a_row, rounds_ + 1)) * (grid_width_ + apart),
             static_cast<double>(rounds_ / in_a_row + 1) * (grid_height_ + top + apart)) {
    for (std::size_t d = 0; d < devices; ++d) sums_.emplace_back(devices, std::vector<bool>(devices));
    for (std::size_t d = 0; d < devices; ++d)
      for (std::size_t chunk = 0; chunk < devices; ++chunk) sums_[d][chunk][d] = true;
  }

  Drawing draw() {
    grid(0);
    for (std::size_t round = 0; round < rounds_; ++round) {
      const auto before = sums_;
      for (std::size_t d = 0; d < devices_; ++d) {
        const std::size_t from = (d + devices_ - 1) % devices_, chunk = received(d, round);
        for (std::size_t part = 0; part < devices_; ++part)
          sums_[d][chunk][part] = before[from][chunk][part] || (round + 1 < devices_ && part == d);
      }
      grid(round + 1);
    }
    return {svg_.finish(
                fmt::format("A ring of {} devices: which elements are in which sum", devices_),
                fmt::format(
                    "A row for each device, a column for each of {0} chunks. In each of {1} rounds, every "
                    "device receives one chunk from the device before it and adds its own elements; in the "
                    "last {1}, it receives one finished chunk.",
                    devices_, devices_ - 1)),
            {{"devices", std::to_string(devices_)},
             {"rounds", std::to_string(rounds_)},
             {"half", std::to_string(devices_ - 1)}}};
  }

 private:
  /// The chunk that a device receives in a round.
  std::size_t received(std::size_t d, std::size_t round) const {
    return (d + 2 * devices_ - 1 - round) % devices_;
  }
  /// After that many rounds.
  void grid(std::size_t rounds) {
    const double x = left + static_cast<double>(rounds % in_a_row) * (grid_width_ + apart),
                 y = top + static_cast<double>(rounds / in_a_row) * (grid_height_ + top + apart);
    svg_.text(x, y - 7, rounds == 0 ? "at first" : fmt::format("after round {}", rounds - 1),
              {.size = 11, .bold = true});
    for (std::size_t d = 0; d < devices_; ++d) {
      const double row = y + static_cast<double>(d) * high;
      if (rounds % in_a_row == 0)
        svg_.text(left - 8, row + 13, fmt::format("device {}", d), {.anchor = 'e', .size = 11});
      for (std::size_t chunk = 0; chunk < devices_; ++chunk)
        cell(x + static_cast<double>(chunk) * wide, row, d, chunk,
             rounds > 0 && received(d, rounds - 1) == chunk);
    }
  }
  void cell(double x, double y, std::size_t d, std::size_t chunk, bool fresh) {
    const std::vector<bool> &parts = sums_[d][chunk];
    std::string of;
    for (std::size_t part = 0; part < devices_; ++part)
      if (parts[part]) of += std::to_string(part);
    const bool whole = of.size() == devices_;
    const Paint paint = fresh ? Paint::third : whole ? Paint::second : Paint::cell;
    svg_.rect(x, y, wide, high, paint,
              fmt::format("device {}, chunk {}: {}", d, chunk, whole ? "the whole sum" : "of " + of));
    svg_.text(x + wide / 2, y + 13, whole ? "all" : of,
              {.anchor = 'm', .size = 10.5, .bold = fresh, .on = paint});
  }

  std::size_t devices_, rounds_;
  double grid_width_, grid_height_;
  Svg svg_;
  std::vector<std::vector<std::vector<bool>>> sums_;  // by device and chunk: whose elements are in it
};

}  // namespace

Drawing draw_devices(const course::Figure &figure, const std::string &step_title, const problem::Problem &p) {
  return DevicesPicture(figure, step_title, p).draw();
}

Drawing draw_ring(const course::Figure &figure) {
  return RingPicture(figure.name, figure.devices).draw();
}

}  // namespace warpgrade::report
