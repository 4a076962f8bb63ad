#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr int part = 14, left = 34, top = 18;

/// 0 for none wrong, 4 for all.
int shade(std::uint32_t wrong, std::int64_t elements) {
  if (wrong == 0) return 0;
  if (wrong == elements) return 4;
  return 1 + static_cast<int>(3 * wrong / static_cast<std::uint64_t>(elements));
}

std::string range(const char *what, std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{} {}", what, first) : fmt::format("{}s {} to {}", what, first, last);
}

}  // namespace

std::string map_to_svg(const problem::WrongMap &map, const std::string &words) {
  if (map.empty()) return {};
  const std::int64_t width = left + map.cols * part + 8, height = top + map.rows * part + 18;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" font-size=\"9\" "
      "font-family=\"sans-serif\"><title>{}</title>\n",
      width, height, for_xml(words));
  const auto text = [&](std::int64_t x, std::int64_t y, const char *anchor, std::int64_t n) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", x, y, anchor, n);
  };
  text(left, top - 5, "start", 0);
  if (map.width > 1) text(left + map.cols * part, top - 5, "end", map.width - 1);
  text(left - 4, top + 9, "end", 0);
  if (map.height > 1) text(left - 4, top + map.rows * part - 2, "end", map.height - 1);
  for (std::int64_t r = 0; r < map.rows; ++r)
    for (std::int64_t c = 0; c < map.cols; ++c) {
      const std::uint32_t wrong = map.wrong[static_cast<std::size_t>(r * map.cols + c)];
      const std::int64_t elements = map.elements(r, c), x = left + c * part, y = top + r * part;
      const int level = shade(wrong, elements);
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"h{}\"><title>{}, {}: {} of {} "
          "wrong</title></rect>",
          x, y, part - 1, part - 1, level,
          range("row", r * map.height / map.rows, (r + 1) * map.height / map.rows - 1),
          range("column", c * map.width / map.cols, (c + 1) * map.width / map.cols - 1), wrong, elements);
      if (level == 4) svg += fmt::format("<path class=\"all\" d=\"M{} {}l5 5m0 -5l-5 5\"/>", x + 4, y + 4);
    }
  return svg +
         fmt::format("<text x=\"{}\" y=\"{}\">{} x {}</text></svg>", left, height - 5, map.height, map.width);
}

}  // namespace warpgrade::report
