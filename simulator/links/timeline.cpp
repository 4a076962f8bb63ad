#include "links/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"

namespace warpgrade::links {
namespace {

constexpr std::size_t most_drawn = 2000, most_listed = 2000;
constexpr double left = 150, right = 20, top = 34, row_height = 22, bar_height = 16, width = 1000;

std::string place_of(int place) {
  return place == host ? "host" : fmt::format("device {}", place);
}

/// Rows from the top: the work of each device, then each direction in which data moves.
struct Rows {
  std::map<int, std::size_t> of_device;
  std::map<std::pair<int, int>, std::size_t> of_pair;
  std::vector<std::string> names;
};

Rows rows_of(const std::vector<Operation> &operations, const Schedule &s) {
  Rows rows;
  std::map<int, int> devices;
  for (const Operation &one : operations) devices[one.device] = 0;
  for (const auto &[device, none] : devices) {
    rows.of_device[device] = rows.names.size();
    rows.names.push_back(place_of(device));
  }
  for (const auto &[pair, load] : s.of_pair) {
    rows.of_pair[pair] = rows.names.size();
    rows.names.push_back(place_of(pair.first) + " to " +
                         (pair.second == host ? "host" : fmt::format("{}", pair.second)));
  }
  return rows;
}

/// 1, 2 or 5 times a power of ten, so that about eight fit.
double step_for(double total) {
  const double rough = total / 8, power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-9))));
  for (const double one : {1.0, 2.0, 5.0})
    if (one * power >= rough) return one * power;
  return 10 * power;
}

class Drawing {
 public:
  Drawing(double total, std::size_t rows)
      : total_(std::max(total, 1e-3)), bottom_(top + row_height * double(rows)) {}

  double x(double us) const { return left + us / total_ * (width - left - right); }

  void bar(std::size_t row, const Span &span, const char *kind, const std::string &words) {
    const double begin = x(span.begin), length = std::max(x(span.end) - begin, 0.8);
    text_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{}\"><title>{}</title></rect>\n",
        kind, begin, y(row), length, bar_height, for_xml(words));
  }
  void name(std::size_t row, const std::string &words) {
    text_ += fmt::format("<text class=\"name\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", left - 8, y(row) + 12,
                         for_xml(words));
  }
  void axis() {
    const double step = step_for(total_);
    for (double at = 0; at <= total_ * 1.0001; at += step)
      text_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.2f}\" y1=\"{1}\" x2=\"{0:.2f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"tick\" x=\"{0:.2f}\" y=\"{3}\">{4:g}</text>\n",
          x(at), top - 4, bottom_, top - 10, at);
  }
  std::string picture(const std::string &title, const std::string &note) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
        "aria-label=\"{}\">\n"
        "<style>text{{font:11px "
        "system-ui,sans-serif;fill:#333}}.name{{text-anchor:end}}.tick{{text-anchor:middle}}"
        ".grid{{stroke:#ddd}}.kernel{{fill:#2a6f97}}.copy{{fill:#8a8f98}}.link{{fill:#c4622d}}"
        "@media (prefers-color-scheme:dark){{text{{fill:#ddd}}.grid{{stroke:#444}}.kernel{{fill:#5fa8d3}}"
        ".link{{fill:#e08a55}}}}</style>\n{}"
        "<text x=\"{}\" y=\"{:.1f}\">{}</text>\n</svg>\n",
        width, bottom_ + 24, for_xml(title), text_, left, bottom_ + 16, for_xml(note));
  }

 private:
  static double y(std::size_t row) { return top + row_height * static_cast<double>(row) + 3; }
  double total_, bottom_;
  std::string text_;
};

std::string words_of(const Transfer &t) {
  return fmt::format("{} bytes from {} to {}", t.bytes, place_of(t.from), place_of(t.to));
}

std::string headline(const Topology &topology, const Schedule &s) {
  return fmt::format(
             "predicted: {:.2f} us; {:.2f} us with data on its way between devices, {:.0f} % of that while "
             "kernels compute",
             s.total_us, s.communication_us, 100 * s.overlap()) +
         fmt::format(" ({})", topology.id);
}

}  // namespace

std::string timeline_svg(const Topology &topology, const std::vector<Operation> &operations,
                         const Schedule &s) {
  const Rows rows = rows_of(operations, s);
  const std::size_t drawn = std::min(operations.size(), most_drawn);
  double total = 0;
  for (std::size_t i = 0; i < drawn; ++i) total = std::max(total, s.operations[i].end);
  for (const Passage &one : s.passages)
    if (one.operation < drawn) total = std::max(total, one.span.end);
  Drawing drawing(total, rows.names.size());
  drawing.axis();
  for (std::size_t i = 0; i < rows.names.size(); ++i) drawing.name(i, rows.names[i]);
  for (std::size_t i = 0; i < drawn; ++i)
    drawing.bar(rows.of_device.at(operations[i].device), s.operations[i],
                operations[i].kernel ? "kernel" : "copy",
                fmt::format("{} in {}, {:.2f} to {:.2f} us", operations[i].what, operations[i].stream,
                            s.operations[i].begin, s.operations[i].end));
  for (const Passage &one : s.passages)
    if (one.operation < drawn)
      drawing.bar(rows.of_pair.at({one.transfer.from, one.transfer.to}), one.span, "link",
                  fmt::format("{}, {}, {:.2f} to {:.2f} us", operations[one.operation].what,
                              words_of(one.transfer), one.span.begin, one.span.end));
  const std::string note =
      drawn < operations.size()
          ? fmt::format("microseconds, predicted; the first {} of {} operations", drawn, operations.size())
          : "microseconds, predicted";
  return drawing.picture(headline(topology, s), note);
}

std::string timeline_html(const Topology &topology, const std::vector<Operation> &operations,
                          const Schedule &s, const std::string &program) {
  std::string table;
  for (std::size_t i = 0; i < std::min(operations.size(), most_listed); ++i) {
    std::string moved;
    for (const Passage &one : s.passages)
      if (one.operation == i) moved += (moved.empty() ? "" : "; ") + words_of(one.transfer);
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{:.2f}</td>"
        "<td class=\"n\">{:.2f}</td><td>{}</td></tr>\n",
        i + 1, place_of(operations[i].device), for_xml(operations[i].stream), for_xml(operations[i].what),
        s.operations[i].begin, s.operations[i].end, for_xml(moved));
  }
  if (operations.size() > most_listed)
    table += fmt::format("<tr><td colspan=\"7\">and {} more</td></tr>\n", operations.size() - most_listed);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: timeline</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;margin:2rem "
      "auto;max-width:70rem;"
      "padding:0 1rem}}table{{border-collapse:collapse;font-size:13px}}td,th{{padding:.15rem "
      ".6rem;text-align:left;"
      "border-bottom:1px solid #8884}}.n{{text-align:right}}.wide{{overflow-x:auto}}</style></head>\n"
      "<body><h1>{0}: timeline</h1>\n<p>{1}</p>\n<p>{2}. Figures: {3}</p>\n<div class=\"wide\" "
      "tabindex=\"0\">{4}</div>\n"
      "<h2>Operations</h2>\n<div class=\"wide\" "
      "tabindex=\"0\"><table><thead><tr><th>no.</th><th>device</th><th>stream</th>"
      "<th>what</th><th>begin, us</th><th>end, "
      "us</th><th>moves</th></tr></thead><tbody>\n{5}</tbody></table></div>\n"
      "</body></html>\n",
      for_xml(program), for_xml(headline(topology, s)), for_xml(topology.name), for_xml(topology.source),
      timeline_svg(topology, operations, s), table);
}

}  // namespace warpgrade::links
