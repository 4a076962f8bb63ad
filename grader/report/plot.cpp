#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr const char *dashes[] = {"", "6 3", "2 3", "8 3 2 3", "1 2"};

/// 1, 2 or 5 times a power of ten, so that about five fit into `range`.
double step_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double times : {1.0, 2.0, 5.0})
    if (range / (times * power) <= 6) return times * power;
  return 10 * power;
}

class PlotDrawing {
  static constexpr double width = 640, height = 340, left = 64, right = 150, top = 40, bottom = 46;

 public:
  explicit PlotDrawing(const Plot &p) : p_(p) {
    for (const Line &line : p.lines)
      for (const auto &[x, y] : line.points) {
        x0_ = std::min(x0_, scaled(x)), x1_ = std::max(x1_, scaled(x));
        y1_ = std::max(y1_, y);
        xs_.insert(x);
      }
    if (x1_ <= x0_) x1_ = x0_ + 1;
    if (y1_ <= 0) y1_ = 1;
    y_step_ = step_of(y1_);
    y1_ = std::ceil(y1_ / y_step_) * y_step_;
  }

  std::string render() {
    axes();
    for (std::size_t i = 0; i < p_.lines.size(); ++i) line(p_.lines[i], i);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
        width, height, for_xml(p_.title), body_);
  }

 private:
  double scaled(double x) const { return p_.logarithmic ? std::log2(x) : x; }
  double x(double value) const { return left + (scaled(value) - x0_) / (x1_ - x0_) * (width - left - right); }
  double y(double value) const { return height - bottom - value / y1_ * (height - top - bottom); }
  void text(double at_x, double at_y, const std::string &words, const char *anchor, const char *more = "") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#222\"{}>{}</text>\n",
                         at_x, at_y, anchor, more, for_xml(words));
  }
  void rule(double xa, double ya, double xb, double yb) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                         xa, ya, xb, yb);
  }

  void axes() {
    text(left, 18, p_.title, "start", " font-size=\"13\" font-weight=\"bold\"");
    text(left - 6, top - 8, p_.up, "start");
    text((left + width - right) / 2, height - 8, p_.across, "middle");
    const int ticks = static_cast<int>(std::lround(y1_ / y_step_));
    for (int i = 0; i <= ticks; ++i) {
      rule(left, y(i * y_step_), width - right, y(i * y_step_));
      text(left - 6, y(i * y_step_) + 4, fmt::format("{:g}", i * y_step_), "end");
    }
    double last = -1e9;
    for (const double value : xs_) {  // every size that has room
      const std::string words = fmt::format("{:g}", value);
      const double half = 4.0 * static_cast<double>(words.size());
      if (x(value) - half < last) continue;
      rule(x(value), top, x(value), height - bottom);
      text(x(value), height - bottom + 16, words, "middle");
      last = x(value) + half + 4;
    }
  }

  void line(const Line &l, std::size_t index) {
    if (l.points.empty()) return;
    const std::string colour = fmt::format("hsl({}, 70%, {}%)", index * 137 % 360, 30 + index % 3 * 12);
    const std::string dash = dashes[index % std::size(dashes)];
    std::string path;
    for (const auto &[at, value] : l.points) path += fmt::format("{:.1f},{:.1f} ", x(at), y(value));
    const std::string stroke = fmt::format("stroke=\"{}\" stroke-width=\"1.8\"{}", colour,
                                           dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
    body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", path, stroke);
    for (const auto &[at, value] : l.points)
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x(at), y(value),
                           colour);
    const double at_y = top + 16 * static_cast<double>(index) + 6, at_x = width - right + 12;
    body_ += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" {3}/>\n", at_x,
                         at_y, at_x + 22, stroke);
    text(at_x + 28, at_y + 4, l.label, "start", " font-size=\"10\"");
  }

  const Plot &p_;
  std::set<double> xs_;
  double x0_ = 1e300, x1_ = -1e300, y1_ = 0, y_step_ = 1;
  std::string body_;
};

}  // namespace

std::string plot_to_svg(const Plot &p) {
  return PlotDrawing(p).render();
}

}  // namespace warpgrade::report
