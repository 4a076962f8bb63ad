// A block's way through a product: which tile of A and which of B it reads between two barriers, and which
// tile of C comes of it. The matrices lie as in the product: A left of C, B above it.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "explain/walk.hpp"
#include "report/drawings.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

struct Matrix {
  std::string name;
  problem::Extent extent;
  std::vector<explain::Tile> tiles;
  double x = 0, y = 0, width = 0, height = 0;
};

class TilesPicture {
  static constexpr double side = 124, left = 26, gap = 26, top = 14;

 public:
  explicit TilesPicture(const TracedCall &call) : call_(call) {
    if (call.buffers.size() != 3)
      throw std::runtime_error("'tiles' draws a product of two matrices: the problem has other buffers");
    for (std::size_t i = 0; i < 3; ++i) {
      Matrix &m = matrices_[i];
      std::tie(m.name, m.extent) = call.buffers[i];
      m.tiles = explain::tiles_of(call.trace, walk_over(m.name, i == 2, m.extent));
      if (m.tiles.empty())
        throw std::runtime_error(
            fmt::format("block {} {} nothing of {}", call.figure.block, i == 2 ? "writes" : "reads", m.name));
      largest_ = std::max({largest_, m.extent.rows, m.extent.cols});
    }
    const double unit = side / static_cast<double>(largest_);
    for (Matrix &m : matrices_) {
      m.width = static_cast<double>(m.extent.cols) * unit;
      m.height = static_cast<double>(m.extent.rows) * unit;
    }
    Matrix &a = matrices_[0], &b = matrices_[1], &c = matrices_[2];
    a.x = left, b.x = c.x = left + a.width + gap;
    b.y = top, a.y = c.y = top + b.height + gap;
  }

  Drawing draw() {
    const Matrix &a = matrices_[0], &b = matrices_[1], &c = matrices_[2];
    width_ = c.x + c.width + 190;
    Svg svg(call_.figure.name, width_, c.y + c.height + 8);
    svg_ = &svg;
    for (const Matrix &m : matrices_) draw_matrix(m, &m == &c);
    svg.text(a.x, a.y - 8, a.name + "  →", {.size = 13, .bold = true});
    svg.text(b.x - 8, b.y + 14, b.name, {.anchor = 'e', .size = 13, .bold = true});
    svg.text(b.x - 8, b.y + 32, "↓", {.anchor = 'e', .size = 13, .bold = true});
    svg.text(c.x + c.width + 10, c.y + 14, c.name, {.size = 13, .bold = true});
    legend(c);
    const explain::Tile &of_a = a.tiles.front(), &of_b = b.tiles.front();
    return {svg.finish(fmt::format("{} ({}) at {}: the tiles that one block reads and writes",
                                   call_.figure.step, call_.step_title, call_.case_name),
                       fmt::format(
                           "In {} strides the block reads tiles of {} by {} from left to right in {}, and of "
                           "{} by {} from top to bottom in {}, and then writes {} by {} elements of {}.",
                           a.tiles.size(), of_a.rows(), of_a.cols(), a.name, of_b.rows(), of_b.cols(), b.name,
                           c.tiles.front().rows(), c.tiles.front().cols(), c.name)),
            {{"strides", std::to_string(a.tiles.size())},
             {"rows", std::to_string(c.tiles.front().rows())},
             {"cols", std::to_string(c.tiles.front().cols())}}};
  }

 private:
  void draw_matrix(const Matrix &m, bool result) {
    const double unit = side / static_cast<double>(largest_);
    svg_->rect(m.x, m.y, m.width, m.height, Paint::cell);
    const auto grid = [&](std::int64_t step, std::int64_t extent, bool vertical) {
      for (std::int64_t at = step; step >= 8 && at < extent; at += step) {
        const double d = static_cast<double>(at) * unit;
        vertical ? svg_->line(m.x + d, m.y, m.x + d, m.y + m.height, true)
                 : svg_->line(m.x, m.y + d, m.x + m.width, m.y + d, true);
      }
    };
    grid(m.tiles.front().cols(), m.extent.cols, true);
    grid(m.tiles.front().rows(), m.extent.rows, false);
    for (std::size_t i = 0; i < m.tiles.size(); ++i) {
      const explain::Tile &t = m.tiles[i];
      const double x = m.x + static_cast<double>(t.first.col) * unit,
                   y = m.y + static_cast<double>(t.first.row) * unit;
      const double w = static_cast<double>(t.cols()) * unit, h = static_cast<double>(t.rows()) * unit;
      const Paint paint = result ? Paint::first : i == 0 ? Paint::second : Paint::pale;
      svg_->rect(x, y, w, h, paint,
                 fmt::format("{}: rows {} to {}, columns {} to {}", m.name, t.first.row, t.last.row,
                             t.first.col, t.last.col));
      svg_->frame(x, y, w, h);
      if (!result && std::min(w, h) >= 18)
        svg_->text(x + w / 2, y + h / 2 + 4.5, std::to_string(i + 1),
                   {.anchor = 'm', .size = 12, .bold = true, .on = paint});
    }
  }

  void legend(const Matrix &c) {
    const explain::Tile &t = c.tiles.front();
    double y = top + 14;
    const double x = c.x + c.width + 14;
    const auto say = [&](Paint paint, const std::string &first, const std::string &second) {
      svg_->rect(x, y - 10, 13, 13, paint);
      svg_->text(x + 20, y, first, {.size = 10.5});
      if (!second.empty()) svg_->text(x + 20, y + 13, second, {.size = 10.5});
      y += second.empty() ? 24 : 36;
    };
    say(Paint::second, "read in stride 1", "");
    say(Paint::pale, fmt::format("read in strides 2 to {}", matrices_[0].tiles.size()), "");
    say(Paint::first, "written at the end:", fmt::format("{} × {} elements", t.rows(), t.cols()));
  }

  const TracedCall &call_;
  Matrix matrices_[3];
  std::int64_t largest_ = 1;
  double width_ = 0;
  Svg *svg_ = nullptr;
};

}  // namespace

Drawing draw_tiles(const TracedCall &call) {
  return TilesPicture(call).draw();
}

}  // namespace warpgrade::report
