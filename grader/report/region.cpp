#include "report/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

using Part = grading::RegionRecord::Part;

constexpr std::size_t most_parts_named = 3;
constexpr std::uint64_t across_of_vector = 64;
constexpr std::int64_t most_rows_outside = 4;  // above and below the buffer

std::int64_t elements_of(const grading::RegionRecord &r) {
  return static_cast<std::int64_t>(r.rows * r.columns);
}

std::string name_of_element(const grading::RegionRecord &r, std::int64_t e) {
  const auto columns = static_cast<std::int64_t>(r.columns);
  if (r.rows == 1 || e < 0 || e >= elements_of(r)) return fmt::format("{}[{}]", r.buffer, e);
  return fmt::format("{}[{}][{}]", r.buffer, e / columns, e % columns);
}

std::string in_words(const grading::RegionRecord &r, const Part &p) {
  return fmt::format("{}{}{}", name_of_element(r, p.first),
                     p.first == p.last ? "" : fmt::format(" to {}", name_of_element(r, p.last)),
                     p.by.empty() ? "" : fmt::format(" ({})", p.by));
}

std::string listed(const grading::RegionRecord &r, const std::string &what,
                   const std::vector<const Part *> &parts) {
  if (parts.empty()) return "";
  std::string text = fmt::format(" {}: ", what);
  for (std::size_t i = 0; i < parts.size() && i < most_parts_named; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", in_words(r, *parts[i]));
  if (parts.size() > most_parts_named) text += fmt::format(" and {} more", parts.size() - most_parts_named);
  return text + ".";
}

std::string shape_of(const grading::RegionRecord &r) {
  return r.rows == 1 ? fmt::format("{} elements", r.columns)
                     : fmt::format("{} × {} elements", r.rows, r.columns);
}

/// What is wrong with the parts that somebody touches.
const char *wrong_in_words(const std::string &property) {
  if (property == "bounds") return "Outside it";
  return property == "races" ? "Touched by threads that race" : "Written more than once";
}

class RegionPicture {
 public:
  RegionPicture(const std::string &name, const std::string &property, const grading::RegionRecord &r)
      : property_(property),
        r_(r),
        across_(static_cast<std::int64_t>(r.rows > 1 ? r.columns : std::min(r.columns, across_of_vector))),
        first_(std::max(std::min<std::int64_t>(row_of(r.parts.front().first), 0), -most_rows_outside)),
        last_(std::min(std::max(row_of(r.parts.back().last), rows() - 1), rows() - 1 + most_rows_outside)),
        unit_(std::min(
            {16.0, width / static_cast<double>(across_), height / static_cast<double>(last_ - first_ + 1)})),
        svg_(name, width + 2 * margin,
             top + static_cast<double>(last_ - first_ + 1) * unit_ + static_cast<double>(20 * kinds()) +
                 margin) {}

  std::string draw() {
    svg_.text(margin, top - 12, fmt::format("{}: {}", r_.buffer, shape_of(r_)), {.size = 12, .bold = true});
    span(0, elements_of(r_) - 1, Paint::cell, "");
    for (const Part &p : r_.parts)
      span(p.first, p.last, paint_of(p),
           fmt::format("{}{}", in_words(r_, p), p.by.empty() ? ": written by nobody" : ""));
    legend();
    return svg_.finish(fmt::format("{} in the case that fails", r_.buffer), region_in_words(property_, r_));
  }

 private:
  static constexpr double width = 520, height = 320, margin = 8, top = 34;

  std::int64_t row_of(std::int64_t e) const { return e >= 0 ? e / across_ : -((-e + across_ - 1) / across_); }
  std::int64_t rows() const { return (elements_of(r_) + across_ - 1) / across_; }
  bool has(bool by_nobody) const {
    return std::any_of(r_.parts.begin(), r_.parts.end(),
                       [&](const Part &p) { return p.by.empty() == by_nobody; });
  }
  int kinds() const { return int{has(true)} + int{has(false)}; }
  Paint paint_of(const Part &p) const { return p.by.empty() ? Paint::third : Paint::first; }

  /// Elements side by side: the rest of a row, whole rows, the beginning of a row.
  void span(std::int64_t from, std::int64_t to, Paint paint, const std::string &label) {
    while (from <= to) {
      const std::int64_t row = row_of(from), column = from - row * across_;
      const std::int64_t whole = column == 0 ? (to - from + 1) / across_ : 0;
      const std::int64_t many = whole > 0 ? whole * across_ : std::min(to - from + 1, across_ - column);
      rect(row, column, std::max<std::int64_t>(whole, 1), whole > 0 ? across_ : many, paint, label);
      from += many;
    }
  }

  void rect(std::int64_t row, std::int64_t column, std::int64_t down, std::int64_t across, Paint paint,
            const std::string &label) {
    const std::int64_t begin = std::max(row, first_), end = std::min(row + down - 1, last_);
    if (begin > end) return;
    constexpr double least = 1.5;  // pixels
    svg_.rect(margin + static_cast<double>(column) * unit_, top + static_cast<double>(begin - first_) * unit_,
              std::max(static_cast<double>(across) * unit_, least),
              std::max(static_cast<double>(end - begin + 1) * unit_, least), paint, label);
  }

  void legend() {
    double y = top + static_cast<double>(last_ - first_ + 1) * unit_ + 20;
    const auto say = [&](Paint paint, const std::string &words) {
      svg_.rect(margin, y - 10, 13, 13, paint);
      svg_.text(margin + 20, y, words, {.size = 11});
      y += 20;
    };
    if (has(false)) say(Paint::first, wrong_in_words(property_));
    if (has(true)) say(Paint::third, "Written by nobody");
  }

  const std::string &property_;
  const grading::RegionRecord &r_;
  const std::int64_t across_, first_, last_;
  const double unit_;
  Svg svg_;
};

}  // namespace

std::string region_in_words(const std::string &property, const grading::RegionRecord &r) {
  std::vector<const Part *> touched, left_out;
  for (const Part &p : r.parts) (p.by.empty() ? left_out : touched).push_back(&p);
  return fmt::format("{} has {}.{}{}", r.buffer, shape_of(r), listed(r, wrong_in_words(property), touched),
                     listed(r, "Written by nobody", left_out));
}

std::string region_to_svg(const std::string &name, const std::string &property,
                          const grading::RegionRecord &r) {
  return r.parts.empty() || r.rows * r.columns == 0 ? "" : RegionPicture(name, property, r).draw();
}

}  // namespace warpgrade::report
