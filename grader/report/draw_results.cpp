// The results of one thread among those of its block: which elements of C it stores, and the rows of A and
// columns of B that it needs for them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "explain/walk.hpp"
#include "report/drawings.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

constexpr double side = 320, left = 92, top = 78, strip = 18;

struct Results {
  explain::Tile tile;                 ///< of the block
  std::set<explain::Element> thread;  ///< of the chosen one
  std::set<explain::Element> warp;    ///< of the others of its warp
  std::set<std::int64_t> rows, cols;  ///< of the chosen thread's results
};

Results results_of(const TracedCall &call, const std::string &buffer, const problem::Extent &extent) {
  const explain::Walk walk = walk_over(buffer, true, extent);
  Results r;
  const std::vector<explain::Tile> tiles = explain::tiles_of(call.trace, walk);
  if (tiles.size() != 1)
    throw std::runtime_error(fmt::format("block {} writes {} in {} phases, where 'results' shows one",
                                         call.figure.block, buffer, tiles.size()));
  r.tile = tiles.front();
  for (int lane = 0; lane < 32; ++lane)
    for (const explain::Element &e : explain::path_of(call.trace, walk, call.figure.warp, lane))
      (lane == call.figure.lanes.front() ? r.thread : r.warp).insert(e);
  for (const explain::Element &e : r.thread) r.rows.insert(e.row), r.cols.insert(e.col);
  if (r.thread.empty())
    throw std::runtime_error(
        fmt::format("lane {} of warp {} stores nothing", call.figure.lanes.front(), call.figure.warp));
  return r;
}

/// A block of elements that lie side by side.
struct Patch {
  std::int64_t row = 0, col = 0, rows = 0, cols = 0;
};

/// The elements in as few patches as whole columns allow.
std::vector<Patch> patches_of(const std::set<explain::Element> &elements) {
  std::vector<explain::Element> by_column(elements.begin(), elements.end());
  std::sort(by_column.begin(), by_column.end(), [](const explain::Element &a, const explain::Element &b) {
    return std::tie(a.col, a.row) < std::tie(b.col, b.row);
  });
  std::vector<Patch> runs, patches;
  for (const explain::Element &e : by_column)
    if (!runs.empty() && runs.back().col == e.col && runs.back().row + runs.back().rows == e.row)
      ++runs.back().rows;
    else
      runs.push_back({e.row, e.col, 1, 1});
  for (const Patch &run : runs) {
    const auto beside = std::find_if(patches.begin(), patches.end(), [&](const Patch &p) {
      return p.col + p.cols == run.col && p.row == run.row && p.rows == run.rows;
    });
    if (beside == patches.end())
      patches.push_back(run);
    else
      ++beside->cols;
  }
  return patches;
}

class ResultsPicture {
 public:
  ResultsPicture(const TracedCall &call, const Results &r, const std::string &name)
      : call_(call),
        r_(r),
        name_(name),
        unit_(side / static_cast<double>(std::max(r.tile.rows(), r.tile.cols()))) {}

  std::string draw(const std::string &description) {
    const double width = static_cast<double>(r_.tile.cols()) * unit_,
                 height = static_cast<double>(r_.tile.rows()) * unit_;
    Svg svg(call_.figure.name, left + width + 158, top + height + 12);
    svg_ = &svg;
    svg.rect(left, top, width, height, Paint::cell);
    svg.rect(left - 14 - strip, top, strip, height, Paint::cell);
    svg.rect(left, top - 14 - strip, width, strip, Paint::cell);
    std::set<explain::Element> all = r_.warp;
    all.insert(r_.thread.begin(), r_.thread.end());
    for (const Patch &patch : patches_of(all)) draw_patch(patch, Paint::third);
    for (const Patch &patch : patches_of(r_.thread)) draw_patch(patch, Paint::first);
    std::set<explain::Element> down, along;  // what is fetched of a column of A, of a row of B
    for (const std::int64_t row : r_.rows) down.insert({row, 0});
    for (const std::int64_t col : r_.cols) along.insert({0, col});
    for (const Patch &p : patches_of(down))
      svg.patch(left - 14 - strip, y(p.row), strip, static_cast<double>(p.rows) * unit_, Paint::second);
    for (const Patch &p : patches_of(along))
      svg.patch(x(p.col), top - 14 - strip, static_cast<double>(p.cols) * unit_, strip, Paint::second);
    svg.frame(left, top, width, height);
    svg.frame(left - 14 - strip, top, strip, height);
    svg.frame(left, top - 14 - strip, width, strip);
    svg.text(left, top - 24 - strip, fmt::format("a row of the tile of B: {} numbers", r_.cols.size()),
             {.size = 11});
    svg.text(4, top - 40, "a column of", {.size = 11});
    svg.text(4, top - 27, "the tile of A:", {.size = 11});
    svg.text(4, top - 14, fmt::format("{} numbers", r_.rows.size()), {.size = 11});
    legend(left + width + 14);
    return svg.finish(fmt::format("{} ({}): the results of one thread", call_.figure.step, call_.step_title),
                      description);
  }

 private:
  double x(std::int64_t col) const { return left + static_cast<double>(col - r_.tile.first.col) * unit_; }
  double y(std::int64_t row) const { return top + static_cast<double>(row - r_.tile.first.row) * unit_; }
  void draw_patch(const Patch &p, Paint paint) {
    svg_->patch(x(p.col), y(p.row), static_cast<double>(p.cols) * unit_, static_cast<double>(p.rows) * unit_,
                paint);
  }

  void legend(double at) {
    double down = top + 12;
    const auto say = [&](Paint paint, const std::string &one, const std::string &two) {
      svg_->rect(at, down - 10, 13, 13, paint);
      svg_->text(at + 20, down, one, {.size = 11});
      svg_->text(at + 20, down + 14, two, {.size = 11});
      down += 42;
    };
    say(Paint::first, "one thread:", fmt::format("{} results", r_.thread.size()));
    say(Paint::third, "the other threads", "of its warp");
    say(Paint::second, "what it fetches", "for one k");
    svg_->text(at, top + side - 18,
               fmt::format("{}: {} × {} elements", name_, r_.tile.rows(), r_.tile.cols()), {.size = 11});
    svg_->text(at, top + side - 4, "of one block", {.size = 11});
  }

  const TracedCall &call_;
  const Results &r_;
  const std::string &name_;
  double unit_;
  Svg *svg_ = nullptr;
};

}  // namespace

Drawing draw_results(const TracedCall &call) {
  if (call.buffers.size() != 3)
    throw std::runtime_error("'results' draws a product of two matrices: the problem has other buffers");
  const auto &[a, of_a] = call.buffers[0];
  const auto &[c, of_c] = call.buffers[2];
  const Results r = results_of(call, c, of_c);
  const std::uint64_t fetched =
      explain::shared_words_loaded(call.trace, call.figure.warp, call.figure.lanes.front());
  const auto each = fetched / static_cast<std::uint64_t>(of_a.cols);  // columns of A: K
  const std::string description = fmt::format(
      "The block computes {} by {} elements of {}. Lane {} of warp {} computes {} of them, in {} rows and {} "
      "columns. "
      "It loads {} numbers from shared memory for each k and makes {} products of them.",
      r.tile.rows(), r.tile.cols(), c, call.figure.lanes.front(), call.figure.warp, r.thread.size(),
      r.rows.size(), r.cols.size(), each, r.thread.size());
  return {ResultsPicture(call, r, c).draw(description),
          {{"results", std::to_string(r.thread.size())},
           {"rows", std::to_string(r.rows.size())},
           {"cols", std::to_string(r.cols.size())},
           {"fetched", std::to_string(each)}}};
}

Drawing draw(const TracedCall &call) {
  switch (call.figure.kind) {
    case course::Figure::Kind::threads:
      return draw_threads(call);
    case course::Figure::Kind::sectors:
      return draw_sectors(call);
    case course::Figure::Kind::tiles:
      return draw_tiles(call);
    case course::Figure::Kind::results:
      return draw_results(call);
    case course::Figure::Kind::banks:
      return draw_banks(call);
    case course::Figure::Kind::fragment:
    case course::Figure::Kind::devices:
    case course::Figure::Kind::ring:
    case course::Figure::Kind::roofline:
      break;
  }
  throw std::logic_error("this kind of figure is not drawn from a trace");
}

}  // namespace warpgrade::report
