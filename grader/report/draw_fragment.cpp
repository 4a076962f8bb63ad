// Which lane of a warp holds which element of a product on tensor cores: A beside C, B above it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/drawings.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using simt::tensor::Fragment;
using simt::tensor::Holder;

constexpr std::string_view taught_product =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";  // in handouts
struct DrawnOperand {
  // What comes after them repeats.
  static constexpr std::uint32_t most_columns = 32;  ///< of B and C
  static constexpr std::uint32_t most_along_k = 64;  ///< columns of A, rows of B
  char letter;                                       ///< of an element: "A3"
  const char *name;
  const Fragment &fragment;
  std::uint32_t columns() const {
    return std::min(fragment.columns, letter == 'A' ? most_along_k : most_columns);
  }
  std::uint32_t rows() const { return std::min(fragment.rows, most_along_k); }
  std::uint32_t per_register() const { return simt::tensor::per_register(fragment.element); }
};

class FragmentPicture {
  static constexpr std::array paints = {Paint::first, Paint::second, Paint::third,
                                        Paint::several};  // by register
  static constexpr double wide = 24, high = 15, left = 8, top = 24, gap = 34, line = 18, legend_width = 270;

 public:
  FragmentPicture(const std::string &name, std::string_view instruction, const simt::tensor::Fragments &of,
                  std::uint32_t lane)
      : a_{'A', "A", of.a},
        b_{'B', "B", of.b},
        c_{'c', of.c.element == of.d ? "C and D" : "C, and D likewise", of.c},
        right_(left + std::max(a_.columns() * wide, legend_width) + gap),
        below_(top + std::max(b_.rows() * high, line * (2 + static_cast<double>(registers()))) + gap),
        svg_(name, right_ + c_.columns() * wide + left,
             below_ + of.c.rows * high + (cut(a_) || cut(c_) ? 24 : 8)),
        instruction_(instruction),
        lane_(lane),
        as_measured_(of.as_measured),
        warps_(of.warps) {}

  std::string draw() {
    matrix(right_ - gap - a_.columns() * wide, below_, a_);
    matrix(right_, below_ - gap - b_.rows() * high, b_);
    matrix(right_, below_, c_);
    legend();
    const auto and_so_on = [&](double x, double y, const char *what, std::uint32_t count) {
      svg_.text(x, y + 15, fmt::format("and so on, to {} {}", what, count - 1), {.size = 11});
    };
    if (cut(a_))
      and_so_on(right_ - gap - a_.columns() * wide, below_ + a_.rows() * high, "column", a_.fragment.columns);
    if (b_.rows() < b_.fragment.rows) and_so_on(right_, below_ - gap - 2, "row", b_.fragment.rows);
    if (cut(c_)) and_so_on(right_, below_ + c_.rows() * high, "column", c_.fragment.columns);
    std::string text = fmt::format(
        "A has {0} by {1} elements, B {1} by {2}, C and D {0} by {2}. Each cell shows the lane that holds "
        "the "
        "element. The elements of lane {3} are painted by register, and numbered instead.",
        a_.fragment.rows, a_.fragment.columns, c_.fragment.columns, lane_);
    if (warps_ > 1)
      text +=
          fmt::format(" This is the first of {} warps, each of which has {} rows.", warps_, a_.fragment.rows);
    if (as_measured_) text += " CUDA does not say which lane holds what; this is the layout of an H200.";
    return svg_.finish(fmt::format("Which lane holds which element of {}", instruction_), text);
  }

 private:
  static bool cut(const DrawnOperand &o) { return o.columns() < o.fragment.columns; }
  std::uint32_t registers_of(const DrawnOperand &o) const {
    return o.fragment.holders.empty() ? 0 : o.fragment.each_lane() / o.per_register();
  }
  /// That the legend lists: those of the columns that are drawn.
  std::uint32_t registers() const {
    return std::max(
        {registers_of(a_), registers_of(b_), registers_of(c_) * c_.columns() / c_.fragment.columns});
  }

  void matrix(double x, double y, const DrawnOperand &o) {
    const std::uint32_t columns = o.columns();
    svg_.text(x, y - 6, fmt::format("{} ({} x {})", o.name, o.fragment.rows, o.fragment.columns),
              {.size = 12, .bold = true});
    for (std::uint32_t row = 0; row < o.rows() && !o.fragment.holders.empty(); ++row)
      for (std::uint32_t column = 0; column < columns; ++column)
        cell(x + column * wide, y + row * high, o, row, column);
    svg_.frame(x, y, columns * wide, o.rows() * high);
    if (o.fragment.holders.empty())
      svg_.text(x + columns * wide / 2, y + o.rows() * high / 2 + 4, "in shared memory",
                {.anchor = 'm', .size = 12});
  }

  void cell(double x, double y, const DrawnOperand &o, std::uint32_t row, std::uint32_t column) {
    const Holder &by = o.fragment.holders[std::size_t{row} * o.fragment.columns + column];
    const std::uint32_t reg = by.index / o.per_register();
    const bool own = by.lane == lane_;
    const Paint paint = own ? paints.at(reg % paints.size()) : Paint::cell;
    svg_.rect(x, y, wide, high, paint,
              fmt::format("{}, row {}, column {}: lane {}, element {} (register {})", o.name, row, column,
                          by.lane, by.index, reg));
    svg_.text(x + wide / 2, y + 11.5, own ? fmt::format("{}{}", o.letter, by.index) : std::to_string(by.lane),
              {.anchor = 'm', .size = 10, .bold = own, .on = paint});
  }

  /// The elements of each register of the lane.
  void legend() {
    svg_.text(left, 14, instruction_, {.size = 10, .faint = true});
    svg_.text(left, top + 10, fmt::format("Lane {} holds", lane_), {.size = 12, .bold = true});
    for (std::uint32_t r = 0; r < registers(); ++r) {
      const double y = top + line * (r + 1) + 2;
      svg_.rect(left, y, wide, high, paints.at(r % paints.size()));
      std::string words;
      for (const DrawnOperand *o : {&a_, &b_, &c_}) {
        if (r >= registers_of(*o)) continue;
        const std::uint32_t first = r * o->per_register(), last = first + o->per_register() - 1;
        words += fmt::format("{}{}{}", words.empty() ? "" : "; ", o->letter, first);
        if (last > first) words += fmt::format("{} {}{}", last == first + 1 ? "," : " to", o->letter, last);
      }
      svg_.text(left + wide + 8, y + 11.5, fmt::format("register {}: {}", r, words), {.size = 11});
    }
  }

  const DrawnOperand a_, b_, c_;
  double right_, below_;
  Svg svg_;
  std::string instruction_;
  std::uint32_t lane_;
  bool as_measured_;
  std::uint32_t warps_;
};

}  // namespace

std::string draw_fragments(const std::string &name, std::string_view instruction,
                           const simt::tensor::Fragments &fragments, std::uint32_t lane) {
  return FragmentPicture(name, for_terminal(instruction), fragments, lane).draw();
}

Drawing draw_fragment(const course::Figure &figure) {
  const auto fragments = simt::tensor::fragments_of(taught_product);
  return {
      draw_fragments(figure.name, taught_product, *fragments, static_cast<std::uint32_t>(figure.lanes.at(0))),
      {{"lane", std::to_string(figure.lanes.at(0))},
       {"m", std::to_string(fragments->c.rows)},
       {"n", std::to_string(fragments->c.columns)},
       {"k", std::to_string(fragments->a.columns)}}};
}

}  // namespace warpgrade::report
