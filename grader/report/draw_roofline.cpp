// The ladder under a roof: each step as a rung at the speed that was measured, from the intensity that its
// threads ask for to the one that perfect caches would give; thresholds as boxes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawings.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

class LadderPicture {
  static constexpr double width = 640, height = 356, left = 58, right = 18, top = 26, bottom = 66;

 public:
  LadderPicture(const std::string &name, const Roofline &roof, const course::Thresholds &thresholds,
                const Measured &measured)
      : svg_(name, width, height), roof_(roof), thresholds_(thresholds), measured_(measured) {
    double least_x = ridge(roof.peak_gflops, roof.bandwidths.front()), most_x = least_x,
           least_y = roof.peak_gflops;
    for (const RooflinePoint &p : roof.points) {
      least_x = std::min(least_x, p.requested), most_x = std::max(most_x, p.compulsory);
      least_y = std::min(least_y, p.gflops.value_or(least_y));
    }
    x0_ = std::floor(std::log10(least_x) - 0.2), x1_ = std::log10(most_x) + 0.8;
    y0_ = std::floor(std::log10(least_y)), y1_ = std::log10(roof.peak_gflops * 2);
  }

  std::string draw(const std::string &description) {
    grid();
    roof();
    library();
    for (const RooflinePoint &p : roof_.points)
      if (p.gflops) threshold(p);
    for (const RooflinePoint &p : roof_.points)
      if (p.gflops) rung(p);
    legend();
    return svg_.finish(fmt::format("The steps of {} under the roof of an {}", roof_.title, roof_.gpu),
                       description);
  }

 private:
  double x(double intensity) const {
    return left + (std::log10(intensity) - x0_) / (x1_ - x0_) * (width - left - right);
  }
  double y(double gflops) const {
    return height - bottom - (std::log10(gflops) - y0_) / (y1_ - y0_) * (height - top - bottom);
  }
  double bandwidth() const { return roof_.bandwidths.front(); }

  void grid() {
    for (double e = x0_; e <= x1_; ++e) {
      const double at = x(std::pow(10, e));
      svg_.line(at, top, at, height - bottom, true);
      svg_.text(at, height - bottom + 15, figure(std::pow(10, e)), {.anchor = 'm', .size = 10});
    }
    for (double e = y0_; e <= y1_; ++e) {
      const double at = y(std::pow(10, e));
      svg_.line(left, at, width - right, at, true);
      svg_.text(left - 6, at + 3.5, figure(std::pow(10, e)), {.anchor = 'e', .size = 10});
    }
    svg_.text((left + width - right) / 2, height - bottom + 32, "flops per byte (logarithmic)",
              {.anchor = 'm', .size = 10.5});
    svg_.text(4, 12, "GFLOPS (logarithmic)", {.size = 10.5});
  }

  void roof() {
    const double corner = ridge(roof_.peak_gflops, bandwidth());
    const double from = std::max(std::pow(10, x0_), std::pow(10, y0_) / bandwidth());
    svg_.line(x(from), y(bandwidth() * from), x(corner), y(roof_.peak_gflops));
    svg_.line(x(corner), y(roof_.peak_gflops), width - right, y(roof_.peak_gflops));
    svg_.text(x(corner) - 10, y(roof_.peak_gflops) - 5, fmt::format("peak: {:.0f} GFLOPS", roof_.peak_gflops),
              {.anchor = 's', .size = 10.5, .bold = true});
    const double label = from * std::pow(corner / from, 0.30);
    svg_.text(x(label) + 9, y(bandwidth() * label) + 8, fmt::format("memory: {:.0f} GB/s", bandwidth()),
              {.size = 10.5, .bold = true});
  }

  void library() {
    for (const MeasuredPoint &p : measured_.points)
      if (p.library_rate) {
        svg_.line(x(0.8), y(*p.library_rate), width - right, y(*p.library_rate), false, true);
        svg_.text(x(0.8) - 5, y(*p.library_rate) + 3.5, fmt::format("{}: {:.0f}", p.library, *p.library_rate),
                  {.anchor = 'e', .size = 10.5});
        return;
      }
  }

  void threshold(const RooflinePoint &p) {
    const course::StepThresholds *t = thresholds_.find(p.step);
    const MeasuredPoint *m = measured_.find(p.step);
    if (!t || !m || !(t->size == m->size)) return;
    const auto value = [&](const course::Threshold &one) {
      return one.of_library ? one.value * m->library_rate.value_or(0) : one.value;
    };
    if (value(t->pass) <= 0) return;
    svg_.rect(x(p.requested) - 9, y(value(t->full)), 18, y(value(t->pass)) - y(value(t->full)), Paint::third,
              fmt::format("{}: points for speed from {:.0f} to {:.0f} GFLOPS", p.step, value(t->pass),
                          value(t->full)));
  }

  void rung(const RooflinePoint &p) {
    const double at = y(*p.gflops);
    svg_.line(x(p.requested), at, x(p.compulsory), at, false, true);
    svg_.dot(x(p.requested), at, 4.5, false);
    svg_.dot(x(p.compulsory), at, 4.5, true);
    const std::string words = fmt::format("{}: {:.0f}", p.step, *p.gflops);
    const Svg::Words how{.size = 11, .bold = true};
    double down = 4;
    for (const double dy : {12.0, -4.0, 20.0, -12.0})
      if (!svg_.has_room(x(p.compulsory) + 10, at + down, words, how)) down = dy;
    svg_.clear(x(p.compulsory) + 8, at + down - 9, 4 + 6.0 * static_cast<double>(words.size()), 12);
    svg_.text(x(p.compulsory) + 10, at + down, words, how);
  }

  void legend() {
    const double down = height - 10;
    svg_.dot(left + 4, down - 4, 4.5, false);
    svg_.text(left + 14, down, "what threads request", {.size = 10.5});
    svg_.dot(left + 186, down - 4, 4.5, true);
    svg_.text(left + 196, down, "what must move at least once", {.size = 10.5});
    svg_.rect(left + 374, down - 10, 11, 11, Paint::third);
    svg_.text(left + 390, down, "first to last point for speed", {.size = 10.5});
  }

  Svg svg_;
  const Roofline &roof_;
  const course::Thresholds &thresholds_;
  const Measured &measured_;
  double x0_ = 0, x1_ = 1, y0_ = 0, y1_ = 1;
};

}  // namespace

Drawing draw_roofline(const std::string &name, const Roofline &roof, const course::Thresholds &thresholds,
                      const Measured &measured) {
  Drawing d;
  std::string description = fmt::format(
      "The roof: {:.0f} GB/s of memory up to {} flops per byte, then {:.0f} GFLOPS. ",
      roof.bandwidths.front(), figure(ridge(roof.peak_gflops, roof.bandwidths.front())), roof.peak_gflops);
  for (const RooflinePoint &p : roof.points)
    if (p.gflops)
      description += fmt::format(
          "{} reaches {:.0f} GFLOPS; its threads do {} flops for each byte that they request, and could do "
          "{} if every byte moved once. ",
          p.step, *p.gflops, figure(p.requested), figure(p.compulsory));
  d.facts["ridge"] = figure(ridge(roof.peak_gflops, roof.bandwidths.front()));
  d.facts["peak"] = figure(roof.peak_gflops);
  d.facts["bandwidth"] = figure(roof.bandwidths.front());
  for (const RooflinePoint &p : roof.points) {
    d.facts[p.step + "_asks"] = figure(p.requested);
    d.facts[p.step + "_could"] = figure(p.compulsory);
  }
  d.svg = LadderPicture(name, roof, thresholds, measured).draw(description);
  return d;
}

}  // namespace warpgrade::report
