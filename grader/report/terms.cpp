#include "report/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grading/terms.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

std::int64_t count_of(const problem::Terms &terms) {
  std::int64_t count = 0;
  for (const problem::TermRange &r : terms.ranges) count += r.last - r.first + 1;
  return count;
}

char sign_of_times(double times) {
  if (times == 0) return '.';
  return times > 0 && times < 10 && times == std::round(times)
             ? static_cast<char>('0' + static_cast<int>(times))
             : '*';
}

}  // namespace

std::string terms_in_words(const problem::Terms &terms, const std::string &shown_case) {
  return terms.at.empty() || terms.at == shown_case ? terms.sentence
                                                    : fmt::format("at {}, {}", terms.at, terms.sentence);
}

std::string smaller_in_words(const judge::CaseVerdict &c) {
  const judge::SmallestCase &s = *c.smallest;
  if (s.alone.empty()) return fmt::format("{} fails in the same way:", s.name);
  const std::string ones = fmt::format("1 in {} and 0 elsewhere", fmt::join(s.alone, " and "));
  return s.name == c.name ? fmt::format("the same case fails with {}, too:", ones)
                          : fmt::format("{} fails in the same way, even with {}:", s.name, ones);
}

std::string options_of_smallest(const judge::CaseVerdict &c) {
  const judge::SmallestCase &s = *c.smallest;
  return fmt::format("--case \"{}\" --seed {}{}", s.name, c.seed,
                     s.alone.empty() ? "" : fmt::format(" --ones \"{}\"", fmt::join(s.alone, ",")));
}

std::string terms_as_text(const problem::Terms &terms, std::size_t columns) {
  const std::int64_t count = count_of(terms);
  if (count == 0) return "";
  const auto shown = std::min(count, static_cast<std::int64_t>(std::max<std::size_t>(columns, 1)));
  std::string text(static_cast<std::size_t>(shown), ' ');
  std::int64_t at = 0;
  for (const problem::TermRange &r : terms.ranges) {
    const std::int64_t end = at + r.last - r.first + 1;
    for (std::int64_t i = at * shown / count; i < (end * shown + count - 1) / count; ++i) {
      char &sign = text[static_cast<std::size_t>(i)];
      sign = sign == ' ' || sign == sign_of_times(r.times) ? sign_of_times(r.times) : '~';
    }
    at = end;
  }
  return text;
}

std::string terms_to_svg(const problem::Terms &terms) {
  constexpr double width = 560, height = 26, left = 4;
  const std::int64_t count = count_of(terms);
  if (count == 0) return "";
  std::string svg = fmt::format(
      "<svg class=\"strip\" viewBox=\"0 0 {0} 46\" width=\"{0}\" height=\"46\" role=\"img\" font-size=\"11\" "
      "font-family=\"sans-serif\"><title>{1}</title>\n",
      width + 2 * left, for_xml(terms.sentence));
  std::int64_t at = 0;
  for (const problem::TermRange &r : terms.ranges) {
    const std::int64_t many = r.last - r.first + 1;
    const double x = left + width * static_cast<double>(at) / static_cast<double>(count),
                 wide = width * static_cast<double>(many) / static_cast<double>(count);
    const int level = r.times == 1 ? 0 : r.times == 0 ? 4 : 2;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"2\" width=\"{:.1f}\" height=\"{}\" class=\"h{}\"><title>{} {}: "
        "{}</title></rect>",
        x, std::max(wide - 1, 0.5), height, level, for_xml(terms.over),
        many == 1 ? std::to_string(r.first) : fmt::format("{} to {}", r.first, r.last),
        grading::times_in_words(r.times));
    if (r.times == 0)
      svg += fmt::format("<path class=\"all\" d=\"M{:.1f} {}L{:.1f} 2\"/>", x, height + 2,
                         x + std::max(wide - 1, 0.5));
    const std::string label = fmt::format("{}{}", terms.over == "k" ? "k = " : "", r.first);
    if (wide > 7 * static_cast<double>(label.size()))
      svg +=
          fmt::format("<text x=\"{:.1f}\" y=\"42\">{}: {}</text>", x, label,
                      wide > 130 ? grading::times_in_words(r.times) : std::string(1, sign_of_times(r.times)));
    at += many;
  }
  return svg + "</svg>";
}

}  // namespace warpgrade::report
