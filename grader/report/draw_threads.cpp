// What a few neighbouring threads of a warp do: their paths through the matrices, and the addresses of their
// first loads.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "explain/walk.hpp"
#include "report/drawings.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

constexpr std::int64_t most_rows = 16, words_per_sector = 8;

/// Who touches each element: indices into Figure::lanes.
using Touched = std::map<explain::Element, std::set<std::size_t>>;

Paint paint_of(const std::set<std::size_t> &who) {
  if (who.empty()) return Paint::cell;
  if (who.size() > 1) return Paint::several;
  return *who.begin() == 0 ? Paint::first : *who.begin() == 1 ? Paint::second : Paint::third;
}

std::string lanes_text(const course::Figure &f, const std::set<std::size_t> &who) {
  std::string text;
  bool neighbours = true;
  for (const std::size_t i : who) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", f.lanes[i]);
    neighbours = neighbours && f.lanes[i] == f.lanes[*who.begin()] + static_cast<int>(i - *who.begin());
  }
  if (who.size() > 2 && neighbours)
    return fmt::format("{}-{}", f.lanes[*who.begin()], f.lanes[*who.rbegin()]);
  return text;
}

class ThreadsPicture {
  static constexpr double cell = 22, word_width = 20, gap = 46, left = 14, top = 44;

 public:
  explicit ThreadsPicture(const TracedCall &call) : call_(call), figure_(call.figure) {
    double right = left;
    for (const auto &[name, extent] : call.buffers) {
      if (extent.rows > most_rows || extent.cols > most_rows)
        throw std::runtime_error(fmt::format("{} has {} rows of {}; choose a case with at most {} of each",
                                             name, extent.rows, extent.cols, most_rows));
      right += static_cast<double>(extent.cols) * cell + gap;
      lowest_ = std::max(lowest_, top + static_cast<double>(extent.rows) * cell);
    }
    width_ = std::max(right - gap + left, 116 + 3 * (words_per_sector * word_width + 16));
  }

  Drawing draw() {
    Svg svg(figure_.name, width_, lowest_ + 22 + 38 * static_cast<double>(loads().size()));
    svg_ = &svg;
    double x = left;
    for (const auto &[name, extent] : call_.buffers) {
      draw_matrix(x, name, extent);
      x += static_cast<double>(extent.cols) * cell + gap;
    }
    double y = lowest_ + 24;
    for (const auto &[name, extent] : loads()) {
      draw_memory(y, name, extent);
      y += 38;
    }
    return {svg.finish(fmt::format("{} ({}) at {}: what {} threads of a warp touch", figure_.step,
                                   call_.step_title, call_.case_name, figure_.lanes.size()),
                       description_),
            facts_};
  }

 private:
  bool stored(const std::string &buffer) const {
    return std::any_of(call_.trace.begin(), call_.trace.end(), [&](const simt::TracedRequest &r) {
      return r.space == ptx::Space::global && r.store && r.buffer == buffer;
    });
  }
  std::vector<std::pair<std::string, problem::Extent>> loads() const {
    std::vector<std::pair<std::string, problem::Extent>> list;
    for (const auto &buffer : call_.buffers)
      if (!stored(buffer.first)) list.push_back(buffer);
    return list;
  }

  void draw_matrix(double x, const std::string &name, problem::Extent extent) {
    const explain::Walk walk = walk_over(name, stored(name), extent);
    Touched touched;
    std::string direction;
    for (std::size_t i = 0; i < figure_.lanes.size(); ++i) {
      const auto path = explain::path_of(call_.trace, walk, figure_.warp, figure_.lanes[i]);
      for (const explain::Element &e : path) touched[e].insert(i);
      if (path.empty()) continue;
      const bool along = path.back().row == path.front().row, down = path.back().col == path.front().col;
      if (path.size() > 1 && along) direction = "each thread goes →";
      if (path.size() > 1 && !along && down) direction = "each thread goes ↓";
      description_ += fmt::format(
          "Lane {} {} {} element{} of {}, from row {}, column {} to row {}, column {}. ", figure_.lanes[i],
          walk.store ? "stores" : "loads", path.size(), path.size() == 1 ? "" : "s", name, path.front().row,
          path.front().col, path.back().row, path.back().col);
    }
    svg_->text(x, top - 24, fmt::format("{}, {}", name, walk.store ? "written" : "read"),
               {.size = 12, .bold = true});
    if (!direction.empty()) svg_->text(x, top - 9, direction, {.size = 10, .faint = true});
    for (std::int64_t row = 0; row < extent.rows; ++row)
      for (std::int64_t col = 0; col < extent.cols; ++col)
        draw_cell(x + static_cast<double>(col) * cell, top + static_cast<double>(row) * cell, cell,
                  touched[{row, col}], fmt::format("{}[{}][{}]", name, row, col));
  }

  void draw_cell(double x, double y, double width, const std::set<std::size_t> &who,
                 const std::string &where) {
    const Paint paint = paint_of(who);
    svg_->rect(x, y, width, cell, paint,
               who.empty() ? where : fmt::format("{}: lane {}", where, lanes_text(figure_, who)));
    if (!who.empty())
      svg_->text(x + width / 2, y + cell / 2 + 4, lanes_text(figure_, who),
                 {.anchor = 'm', .size = who.size() > 1 ? 10.0 : 11.0, .on = paint});
  }

  /// The sectors from the first to the last that the first load of these lanes touches.
  void draw_memory(double y, const std::string &name, problem::Extent extent) {
    const simt::TracedRequest *r =
        explain::first_request(call_.trace, walk_over(name, false, extent), figure_.warp);
    if (!r) return;
    std::map<std::int64_t, std::set<std::size_t>> words;
    for (std::size_t i = 0; i < figure_.lanes.size(); ++i) {
      const std::int64_t at = r->offsets[static_cast<std::size_t>(figure_.lanes[i])];
      if (at >= 0) words[at / 4].insert(i);
    }
    if (words.empty()) return;
    std::set<std::int64_t> sectors;
    for (const auto &[word, who] : words) sectors.insert(word / words_per_sector);
    facts_["sectors_of_" + name] = std::to_string(sectors.size());
    description_ += fmt::format("Their first loads of {} touch {} sector{}. ", name, sectors.size(),
                                sectors.size() == 1 ? "" : "s");
    svg_->text(left, y + 9, fmt::format("First load of {}:", name), {.size = 10.5});
    svg_->text(left, y + 21, fmt::format("{} sector{}", sectors.size(), sectors.size() == 1 ? "" : "s"),
               {.size = 10.5, .bold = true});
    double x = 116;
    for (const std::int64_t sector : sectors) {
      for (std::int64_t w = 0; w < words_per_sector; ++w)
        draw_cell(x + static_cast<double>(w) * word_width, y, word_width,
                  words[sector * words_per_sector + w],
                  fmt::format("byte {} of {}", (sector * words_per_sector + w) * 4, name));
      svg_->frame(x, y, word_width * words_per_sector, cell);
      x += word_width * words_per_sector + 16;
    }
  }

  const TracedCall &call_;
  const course::Figure &figure_;
  Svg *svg_ = nullptr;
  double width_ = 0, lowest_ = 0;
  std::string description_;
  std::map<std::string, std::string> facts_;
};

}  // namespace

Drawing draw_threads(const TracedCall &call) {
  return ThreadsPicture(call).draw();
}

}  // namespace warpgrade::report
