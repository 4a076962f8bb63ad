// A plot for a report that a student writes: lines over a few sizes, readable without colours.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::report {

struct Line {
  std::string label;
  std::vector<std::pair<double, double>> points;  ///< x ascending
};

struct Plot {
  std::string title, across, up;  ///< what stands on top and beside the axes
  std::vector<Line> lines;        ///< at least one point in all
  bool logarithmic = false;       ///< x
};

/// An SVG with a white ground, of its own: it can stand beside a Markdown file.
std::string plot_to_svg(const Plot &);

}  // namespace warpgrade::report
