#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

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
  constexpr std::int64_t side = 224, largest_part = 28, left = 40, top = 20;
  if (map.empty()) return {};
  // Drawn at its own size, so that words are as large in a map of 2 x 2 as in one of 1023 x 1023.
  const std::int64_t part = std::min(largest_part, side / std::max(map.rows, map.cols));
  const std::string size = fmt::format("{} x {}", map.height, map.width);
  const std::int64_t width = left + std::max(map.cols * part, 8 * static_cast<std::int64_t>(size.size())) + 8,
                     height = top + map.rows * part + 20;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" font-size=\"11\" "
      "font-family=\"sans-serif\"><title>{2}</title>\n",
      width, height, for_xml(words));
  const auto text = [&](std::int64_t x, std::int64_t y, const char *anchor, std::int64_t n) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", x, y, anchor, n);
  };
  text(left, top - 5, "start", 0);
  if (map.width > 1) text(left + map.cols * part, top - 5, "end", map.width - 1);
  text(left - 5, top + 10, "end", 0);
  if (map.height > 1) text(left - 5, top + map.rows * part - 3, "end", map.height - 1);
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
      if (level == 4)
        svg += fmt::format("<path class=\"all\" d=\"M{0} {1}l{2} {2}m0 -{2}l-{2} {2}\"/>", x + part / 3,
                           y + part / 3, part / 3);
    }
  return svg + fmt::format("<text x=\"{}\" y=\"{}\">{}</text></svg>", left, height - 6, size);
}

std::string map_to_svg_file(const problem::WrongMap &map, const std::string &words) {
  std::string svg = map_to_svg(map, words);
  constexpr std::string_view begin = "<svg ", title = "</title>\n";
  const std::size_t after = svg.find(title);
  if (after == std::string::npos) return svg;
  svg.insert(
      after + title.size(),
      "<style>.h0{fill:#eef1f4}.h1{fill:#f6c9c2}.h2{fill:#ec8f82}.h3{fill:#cf4b3c}.h4{fill:#7d130b}"
      ".all{stroke:#fff;stroke-width:1.2}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  return svg.insert(begin.size(), "xmlns=\"http://www.w3.org/2000/svg\" ");
}

}  // namespace warpgrade::report
