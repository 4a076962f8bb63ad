// Which lane of a warp holds which element of a product on tensor cores: A beside C, B above it.
#include <fmt/format.h>

#include <array>

#include "report/drawings.hpp"
#include "report/svg.hpp"
#include "simt/tensor.hpp"

namespace warpgrade::report {

namespace {

using simt::tensor::Element;
using simt::tensor::Place;

// Of mma.m16n8k16.
constexpr std::uint32_t tensor_m = 16, tensor_n = 8, tensor_k = 16;

/// The lane and its register of each element, row by row.
struct HeldBy {
  std::uint32_t lane = 0, reg = 0;
};
template <typename PlaceOf>
std::vector<HeldBy> holders(std::uint32_t columns, std::uint32_t each, std::uint32_t per_register,
                            const PlaceOf &place_of) {
  std::vector<HeldBy> all(32 * each);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; i < each; ++i) {
      const Place p = place_of(lane, i);
      all.at(p.row * columns + p.column) = {lane, i / per_register};
    }
  return all;
}

class FragmentPicture {
  static constexpr double wide = 24, high = 15, left = 8, top = 24, gap = 34;
  static constexpr std::uint32_t m = tensor_m, n = tensor_n, k = tensor_k;
  static constexpr std::array paints = {Paint::first, Paint::second, Paint::third, Paint::several};

 public:
  FragmentPicture(const std::string &name, std::uint32_t lane)
      : svg_(name, left * 2 + (k + n) * wide + gap, top + (k + m) * high + gap + 8), lane_(lane) {}

  std::string draw() {
    const double right = left + k * wide + gap, below = top + k * high + gap;
    matrix(left, below, k, "A", holders(k, 8, 2, [](auto lane, auto i) {
             return simt::tensor::place_in_a(Element::f16, lane, i);
           }));
    matrix(right, top, n, "B", holders(n, 4, 2, [](auto lane, auto i) {
             return simt::tensor::place_in_b(Element::f16, lane, i);
           }));
    matrix(right, below, n, "sum", holders(n, 4, 2, simt::tensor::place_in_c));
    legend();
    return svg_.finish("Which lane holds which element of a product on tensor cores",
                       fmt::format("A has {0} by {1} elements, B {1} by {2}, the sums {0} by {2}. Each cell "
                                   "shows the lane that holds it; those of lane {3} are painted by register.",
                                   m, k, n, lane_));
  }

 private:
  void matrix(double x, double y, std::uint32_t columns, const char *name, const std::vector<HeldBy> &all) {
    svg_.text(x, y - 6, name, {.size = 12, .bold = true});
    for (std::size_t e = 0; e < all.size(); ++e) {
      const double at_x = x + static_cast<double>(e % columns) * wide,
                   at_y = y + static_cast<double>(e / columns) * high;
      const Paint paint = all[e].lane == lane_ ? paints.at(all[e].reg) : Paint::cell;
      svg_.rect(at_x, at_y, wide, high, paint,
                fmt::format("{}, row {}, column {}: lane {}", name, e / columns, e % columns, all[e].lane));
      svg_.text(at_x + wide / 2, at_y + 11.5, std::to_string(all[e].lane),
                {.anchor = 'm', .size = 10, .on = paint});
    }
    svg_.frame(x, y, columns * wide, static_cast<double>(all.size() / columns) * high);
  }

  void legend() {
    constexpr std::array<const char *, 4> words = {"a[0], b0, sum[0] and sum[1]",
                                                   "a[1], b1, sum[2] and sum[3]", "a[2]", "a[3]"};
    svg_.text(left, top + 10, fmt::format("Lane {} holds", lane_), {.size = 12, .bold = true});
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double y = top + 24 + static_cast<double>(i) * 22;
      svg_.rect(left, y, wide, high, paints[i]);
      svg_.text(left + wide + 8, y + 11.5, words[i], {.size = 11});
    }
  }

  Svg svg_;
  std::uint32_t lane_;
};

}  // namespace

Drawing draw_fragment(const course::Figure &figure) {
  return {FragmentPicture(figure.name, static_cast<std::uint32_t>(figure.lanes.at(0))).draw(),
          {{"lane", std::to_string(figure.lanes.at(0))},
           {"m", std::to_string(tensor_m)},
           {"n", std::to_string(tensor_n)},
           {"k", std::to_string(tensor_k)}}};
}

}  // namespace warpgrade::report
