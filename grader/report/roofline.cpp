#include "report/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

double attainable(double peak_gflops, double bandwidth, double intensity) {
  return std::min(peak_gflops, bandwidth * intensity);
}
double ridge(double peak_gflops, double bandwidth) {
  return peak_gflops / bandwidth;
}

namespace {

std::string range_of(const PredictedRate &p) {
  return fmt::format("{:.0f} to {:.0f}", p.low, p.high);
}

/// A step as a sentence, where there is no room for the table.
std::string narrow_row(const Roofline &r, const RooflinePoint &p, std::size_t columns) {
  std::vector<std::string> labels, values;
  const auto add = [&](std::string label, std::string value) {
    labels.push_back(std::move(label));
    values.push_back(std::move(value));
  };
  if (p.why_not.empty()) {
    add("flops/byte requested", figure(p.requested));
    add("compulsory", figure(p.compulsory));
    for (const double bandwidth : r.bandwidths)
      add(fmt::format("GFLOPS at {:.0f} GB/s", bandwidth),
          fmt::format("{:.0f} to {:.0f}", attainable(r.peak_gflops, bandwidth, p.requested),
                      attainable(r.peak_gflops, bandwidth, p.compulsory)));
  } else {
    add("not counted:", for_terminal(p.why_not));
  }
  if (p.gflops) add("GFLOPS measured", fmt::format("{:.0f}", *p.gflops));
  if (p.predicted) add("GFLOPS predicted", range_of(*p.predicted));
  if (p.dram) add("flops/byte of DRAM", figure(*p.dram));
  if (p.l2) add("of L2", figure(*p.l2));
  return as_sentence(p.step, labels, values, columns);
}

}  // namespace

std::string roofline_to_terminal(const Roofline &r, const Style &style) {
  const auto paint = [&](std::string_view code, std::string_view text) {
    return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  };
  std::string out = paint("1", fmt::format("{} under the roof of {}", r.title, for_terminal(r.gpu))) + "\n";
  if (!r.why_this_gpu.empty())
    for (const std::string &part :
         wrap(for_terminal(r.why_this_gpu), std::max<std::size_t>(40, style.columns)))
      out += paint("2", part) + "\n";
  for (const double bandwidth : r.bandwidths)
    out += fmt::format("{:.0f} GFLOPS, {:.0f} GB/s: arithmetic is the limit from {} flops per byte on\n",
                       r.peak_gflops, bandwidth, figure(ridge(r.peak_gflops, bandwidth)));
  const bool narrow = style.columns < 80;
  if (narrow) {
    for (const std::string &part :
         wrap("Requested: bytes that threads request, as if there were no caches. Compulsory: each sector "
              "once, as if caches held everything. A kernel is between the two.",
              std::max<std::size_t>(40, style.columns)))
      out += paint("2", part) + "\n";
    out += "\n";
  } else {
    out += paint("2",
                 "Requested: bytes that threads request, as if there were no caches. Compulsory: each sector "
                 "once, as if\n"
                 "caches held everything. A kernel is between the two.") +
           "\n\n";
  }
  std::string head = fmt::format("{:<9}{:>12}{:>12}", "step", "flops/byte", "flops/byte");
  std::string second = fmt::format("{:<9}{:>12}{:>12}", "", "requested", "compulsory");
  for (const double bandwidth : r.bandwidths) {
    head += fmt::format("{:>24}", fmt::format("GFLOPS at {:.0f} GB/s", bandwidth));
    second += fmt::format("{:>12}{:>12}", "requested", "compulsory");
  }
  const auto any = [&](auto &&has) { return std::any_of(r.points.begin(), r.points.end(), has); };
  const bool measured = any([](const RooflinePoint &p) { return p.gflops.has_value(); });
  const bool predicted = any([](const RooflinePoint &p) { return p.predicted.has_value(); });
  const bool profiled = any([](const RooflinePoint &p) { return p.dram || p.l2; });
  if (measured) head += fmt::format("{:>10}", "GFLOPS"), second += fmt::format("{:>10}", "measured");
  if (predicted) head += fmt::format("{:>16}", "GFLOPS"), second += fmt::format("{:>16}", "predicted");
  if (profiled) {
    head += fmt::format("{:>12}{:>12}", "flops/byte", "flops/byte");
    second += fmt::format("{:>12}{:>12}", "DRAM", "L2");
  }
  if (!narrow) out += paint("2", head) + "\n" + paint("2", second) + "\n";
  const auto or_dash = [](const std::optional<double> &v) { return v ? figure(*v) : std::string("-"); };
  for (const RooflinePoint &p : r.points) {
    const bool counted = p.why_not.empty();
    if (narrow) {
      out += narrow_row(r, p, style.columns);
      continue;
    }
    if (!counted && !p.gflops && !p.dram) {
      out += fmt::format("{:<9}  {}\n", p.step, for_terminal(p.why_not));
      continue;
    }
    out += fmt::format("{:<9}{:>12}{:>12}", p.step, counted ? figure(p.requested) : "-",
                       counted ? figure(p.compulsory) : "-");
    for (const double bandwidth : r.bandwidths)
      out += counted ? fmt::format("{:>12.0f}{:>12.0f}", attainable(r.peak_gflops, bandwidth, p.requested),
                                   attainable(r.peak_gflops, bandwidth, p.compulsory))
                     : fmt::format("{:>12}{:>12}", "-", "-");
    if (measured) out += p.gflops ? fmt::format("{:>10.0f}", *p.gflops) : fmt::format("{:>10}", "-");
    if (predicted) out += fmt::format("{:>16}", p.predicted ? range_of(*p.predicted) : "-");
    if (profiled) out += fmt::format("{:>12}{:>12}", or_dash(p.dram), or_dash(p.l2));
    out += "\n";
    if (!counted) out += fmt::format("{:<9}  not counted: {}\n", "", for_terminal(p.why_not));
  }
  if (profiled)
    out += paint("2",
                 "\nDRAM and L2: the bytes that the profiler counted there, with cold caches at the start.") +
           "\n";
  if (predicted)
    for (const std::string &part : wrap("Predicted: Warpgrade's docs/prediction.md says how, and how "
                                        "accurately. A prediction gives no points.",
                                        std::max<std::size_t>(40, style.columns)))
      out += paint("2", part) + "\n";
  if (!r.why_not_profiled.empty()) out += "\n" + for_terminal(r.why_not_profiled) + "\n";
  return out;
}

std::string roofline_to_json(const Roofline &r) {
  Json j = {{"schema", "warpgrade.roofline/1"},     {"title", r.title},       {"gpu", for_json(r.gpu)},
            {"peak_gflops", number(r.peak_gflops)}, {"roofs", Json::array()}, {"points", Json::array()}};
  for (const double bandwidth : r.bandwidths)
    j["roofs"].push_back({{"gb_per_s", bandwidth}, {"ridge", number(ridge(r.peak_gflops, bandwidth))}});
  for (const RooflinePoint &p : r.points) {
    Json one = {{"step", p.step}};
    const auto or_null = [](const std::optional<double> &v) { return v ? number(*v) : Json(nullptr); };
    if (!p.why_not.empty()) one["reason"] = for_json(p.why_not);
    if (p.why_not.empty()) {
      one["requested"] = number(p.requested);
      one["compulsory"] = number(p.compulsory);
    }
    if (p.why_not.empty() || p.gflops) one["gflops"] = or_null(p.gflops);
    if (const auto &x = p.predicted)
      one["predicted_gflops"] = {
          {"low", number(x->low)}, {"likely", number(x->likely)}, {"high", number(x->high)}};
    if (p.dram || p.l2) one["profiled"] = {{"dram", or_null(p.dram)}, {"l2", or_null(p.l2)}};
    j["points"].push_back(std::move(one));
  }
  if (!r.why_not_profiled.empty()) j["why_not_profiled"] = for_json(r.why_not_profiled);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

class Chart {
  static constexpr double width = 720, height = 420, left = 70, right = 20, top = 40, bottom = 50;

 public:
  explicit Chart(const Roofline &r) : r_(r) {
    for (const RooflinePoint &p : r.points) {
      if (!drawn(p)) continue;
      take(p.requested), take(p.compulsory), take(p.dram.value_or(0)), take(p.l2.value_or(0));
      reach(p.gflops.value_or(p.predicted ? p.predicted->likely : r.peak_gflops));
    }
    for (const double bandwidth : r.bandwidths) take(ridge(r.peak_gflops, bandwidth) * 4);
    x0_ = std::floor(std::log10(x0_) - 0.1), x1_ = std::ceil(std::log10(x1_));
    for (const double bandwidth : r.bandwidths) reach(bandwidth * std::pow(10, x0_));
    y0_ = std::floor(std::log10(y0_)), y1_ = std::ceil(std::log10(r.peak_gflops * 1.1));
  }

  std::string render() {
    grid();
    for (const double bandwidth : r_.bandwidths) roof(bandwidth);
    int index = 0;
    for (const RooflinePoint &p : r_.points)
      if (drawn(p)) mark(p, index++);
    legend();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{3}\" y=\"22\" font-size=\"13\" "
        "font-weight=\"bold\">{2}</text>\n{4}</svg>\n",
        width, height, for_xml(fmt::format("{} under the roof of {}", r_.title, r_.gpu)), left, body_);
  }

 private:
  static bool drawn(const RooflinePoint &p) { return p.why_not.empty() || p.dram || p.l2; }

  void take(double x) {
    if (x > 0) x0_ = std::min(x0_, x), x1_ = std::max(x1_, x);
  }
  void reach(double y) {
    if (y > 0) y0_ = std::min(y0_, y);
  }
  double x(double intensity) const {
    return left + (std::log10(intensity) - x0_) / (x1_ - x0_) * (width - left - right);
  }
  double y(double gflops) const {
    return height - bottom - (std::log10(gflops) - y0_) / (y1_ - y0_) * (height - top - bottom);
  }
  void text(double at_x, double at_y, std::string_view words, std::string_view anchor,
            std::string_view fill = "#222") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", at_x,
                         at_y, anchor, fill, words);
  }
  void line(double xa, double ya, double xb, double yb, std::string_view style) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", xa, ya, xb,
                         yb, style);
  }

  void grid() {
    for (double e = x0_; e <= x1_; ++e) {
      line(x(std::pow(10, e)), top, x(std::pow(10, e)), height - bottom, "stroke=\"#ddd\"");
      text(x(std::pow(10, e)), height - bottom + 16, figure(std::pow(10, e)), "middle");
    }
    for (double e = y0_; e <= y1_; ++e) {
      line(left, y(std::pow(10, e)), width - right, y(std::pow(10, e)), "stroke=\"#ddd\"");
      text(left - 6, y(std::pow(10, e)) + 4, figure(std::pow(10, e)), "end");
    }
    text((left + width - right) / 2, height - 12, "flops per byte", "middle");
    text(left, top - 6, "GFLOPS", "end");
  }

  void roof(double bandwidth) {
    const double corner = ridge(r_.peak_gflops, bandwidth), from = std::pow(10, x0_);
    line(x(from), y(bandwidth * from), x(corner), y(r_.peak_gflops), "stroke=\"#333\" stroke-width=\"1.5\"");
    line(x(corner), y(r_.peak_gflops), width - right, y(r_.peak_gflops),
         "stroke=\"#333\" stroke-width=\"1.5\"");
    const double label = std::sqrt(from * corner);
    text(x(label) - 6, y(bandwidth * label) - 4, fmt::format("{:.0f} GB/s", bandwidth), "end");
  }

  /// Hollow circle: requested; filled: compulsory; square: DRAM; diamond: L2. At what was measured, else
  /// at what was predicted (both circles hollow and dashed), else under the first roof.
  void mark(const RooflinePoint &p, int index) {
    const std::string fill = fmt::format("hsl({}, 65%, 40%)", index * 67 % 360);
    std::vector<double> places;
    for (const double intensity : {p.requested, p.compulsory, p.dram.value_or(0), p.l2.value_or(0)})
      if (intensity > 0) places.push_back(intensity);
    std::sort(places.begin(), places.end());
    line(x(places.front()), height_of(p, places.front()), x(places.back()), height_of(p, places.back()),
         fmt::format("stroke=\"{}\" stroke-dasharray=\"3 3\"", fill));
    const bool predicted = !p.gflops && p.predicted;
    const auto hollow = [&](double intensity) {
      body_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"white\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
          x(intensity), height_of(p, intensity), fill, predicted ? " stroke-dasharray=\"3 2\"" : "");
    };
    if (p.requested > 0) hollow(p.requested);
    if (p.compulsory > 0 && predicted)
      hollow(p.compulsory);
    else if (p.compulsory > 0)
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", x(p.compulsory),
                           height_of(p, p.compulsory), fill);
    if (p.dram) square(x(*p.dram), height_of(p, *p.dram), 0, fill);
    if (p.l2) square(x(*p.l2), height_of(p, *p.l2), 45, fill);
    text(x(places.front()) + 8, height_of(p, places.front()) + 14 + index % 3 * 11, for_xml(p.step), "start",
         fill);
  }
  double height_of(const RooflinePoint &p, double intensity) const {
    if (!p.gflops && p.predicted) return y(p.predicted->likely);
    return y(p.gflops.value_or(attainable(r_.peak_gflops, r_.bandwidths.front(), intensity)));
  }
  void square(double at_x, double at_y, int turned, const std::string &fill) {
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"{}\" transform=\"rotate({} {:.1f} "
        "{:.1f})\"/>\n",
        at_x - 4, at_y - 4, fill, turned, at_x, at_y);
  }

  void legend() {
    std::string words = "hollow: requested, filled: compulsory (simulator)";
    if (std::any_of(r_.points.begin(), r_.points.end(),
                    [](const RooflinePoint &p) { return p.dram || p.l2; }))
      words += "; square: DRAM bytes, diamond: L2 bytes (profiler)";
    if (std::any_of(r_.points.begin(), r_.points.end(),
                    [](const RooflinePoint &p) { return !p.gflops && p.predicted; }))
      words += "; hollow and dashed: predicted";
    text(width - right, top - 6, words, "end", "#666");
  }

  const Roofline &r_;
  double x0_ = 1e300, x1_ = 1e-300, y0_ = 1e300, y1_ = 0;
  std::string body_;
};

}  // namespace

std::string roofline_to_svg(const Roofline &r) {
  return Chart(r).render();
}

}  // namespace warpgrade::report
