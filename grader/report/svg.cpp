#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "report/text.hpp"

namespace warpgrade::report {

namespace {

struct Colors {
  const char *name, *fill, *words;
};
Colors colors_of(Paint paint) {
  switch (paint) {
    case Paint::blank:
      return {"blank", "none", "#1b1f24"};
    case Paint::cell:
      return {"cell", "#ffffff", "#1b1f24"};
    case Paint::first:
      return {"first", "#153e63", "#ffffff"};
    case Paint::second:
      return {"second", "#6fa5d4", "#10151a"};
    case Paint::third:
      return {"third", "#f6dd94", "#10151a"};
    case Paint::several:
      return {"several", "#d9d2e3", "#10151a"};
    case Paint::pale:
      return {"pale", "#dde3e9", "#10151a"};
    case Paint::dark:
      return {"dark", "#153e63", "#ffffff"};
  }
  return {"blank", "none", "#1b1f24"};
}

}  // namespace

Svg::Svg(std::string name, double width, double height)
    : name_(std::move(name)), width_(width), height_(height) {}

void Svg::rect(double x, double y, double w, double h, Paint paint, const std::string &label) {
  const Colors c = colors_of(paint);
  const std::string shape = fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
      "stroke=\"#8b95a0\" stroke-width=\"0.6\"",
      c.name, x, y, w, h, c.fill);
  body_ += shape + (label.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", for_xml(label)));
}

void Svg::patch(double x, double y, double w, double h, Paint paint) {
  const Colors c = colors_of(paint);
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
      c.name, x, y, w, h, c.fill);
}

void Svg::clear(double x, double y, double w, double h) {
  body_ += fmt::format(
      "<rect class=\"paper\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"#ffffff\"/>\n",
      x, y, w, h);
}

void Svg::frame(double x, double y, double w, double h) {
  body_ += fmt::format(
      "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#1b1f24\" stroke-width=\"1.6\"/>\n",
      x, y, w, h);
}

void Svg::line(double x1, double y1, double x2, double y2, bool faint, bool dashed) {
  body_ += fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{}\"{}/>\n",
      faint ? "rule" : "stroke", x1, y1, x2, y2, faint ? "#c9d0d7" : "#1b1f24", faint ? "0.7" : "1.3",
      dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::arrow(double x1, double y1, double x2, double y2) {
  const double length = std::hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  line(x1, y1, x2 - 5 * ux, y2 - 5 * uy);
  body_ += fmt::format(
      "<polygon class=\"head\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"#1b1f24\"/>\n", x2,
      y2, x2 - 8 * ux - 3.5 * uy, y2 - 8 * uy + 3.5 * ux, x2 - 8 * ux + 3.5 * uy, y2 - 8 * uy - 3.5 * ux);
}

void Svg::dot(double x, double y, double radius, bool filled) {
  body_ += fmt::format(
      "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"#153e63\" "
      "stroke-width=\"1.6\"/>\n",
      filled ? "dark dot" : "hollow dot", x, y, radius, filled ? "#153e63" : "#ffffff");
}

Svg::Box Svg::box_of(double x, double y, std::string_view words, const Words &how) {
  const double width = static_cast<double>(columns_of(words)) * how.size * (how.bold ? 0.6 : 0.54);
  const double left = how.anchor == 'm' ? x - width / 2 : how.anchor == 'e' ? x - width : x;
  return {left, y - 0.74 * how.size, left + width, y + 0.2 * how.size, std::string(words)};
}

bool Svg::overlap(const Box &a, const Box &b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

void Svg::text(double x, double y, std::string_view words, const Words &how) {
  if (how.size < smallest)
    throw std::logic_error(fmt::format("figure '{}': '{}' is written in {} px", name_, words, how.size));
  words_.push_back(box_of(x, y, words, how));
  body_ += fmt::format(
      "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\"{}{} fill=\"{}\">{}</text>\n",
      how.faint ? "faint" : fmt::format("on-{}", colors_of(how.on).name), x, y, how.size,
      how.anchor == 'm'   ? " text-anchor=\"middle\""
      : how.anchor == 'e' ? " text-anchor=\"end\""
                          : "",
      how.bold ? " font-weight=\"bold\"" : "", how.faint ? "#59636e" : colors_of(how.on).words,
      for_xml(words));
}

bool Svg::has_room(double x, double y, std::string_view words, const Words &how) const {
  const Box box = box_of(x, y, words, how);
  return box.left >= 0 && box.top >= 0 && box.right <= width_ && box.bottom <= height_ &&
         std::none_of(words_.begin(), words_.end(), [&](const Box &other) { return overlap(box, other); });
}

std::string Svg::finish(const std::string &title, const std::string &description) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Box &a = words_[i];
    if (a.left < 0 || a.top < 0 || a.right > width_ || a.bottom > height_)
      throw std::logic_error(fmt::format("figure '{}': '{}' leaves the picture", name_, a.words));
    for (std::size_t k = 0; k < i; ++k)
      if (overlap(a, words_[k]))
        throw std::logic_error(fmt::format("figure '{}': '{}' covers '{}'", name_, a.words, words_[k].words));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" "
      "font-family=\"Liberation Sans, Arial, Helvetica, sans-serif\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-text\">\n<title id=\"{2}-title\">{3}</title>\n<desc "
      "id=\"{2}-text\">{4}</desc>\n{5}</svg>\n",
      width_, height_, for_xml("figure-" + name_), for_xml(title), for_xml(description), body_);
}

}  // namespace warpgrade::report
