// A plot for a student's report: lines over a few sizes, readable without colours.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::report {

struct Line {
  std::string label;
  std::vector<std::pair<double, double>> points;  ///< x ascending
};

struct Plot {
  std::string title, across, up;  ///< the title and the axis labels
  std::vector<Line> lines;        ///< at least one point in all
  bool logarithmic = false;       ///< x
};

/// A self-contained SVG with a white background, for use next to a Markdown file.
std::string plot_to_svg(const Plot &);

}  // namespace warpgrade::report
