// A picture for a handout: a few shapes in a few paints, readable on paper without colours. Internal to
// report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::report {

/// The meaning of a shape. Paints differ in lightness, and a page may give them other colours for a dark
/// screen: the class of the shape is the name of its paint.
enum class Paint { blank, cell, first, second, third, several, pale, dark };

/// Draws in a box of `width` x `height`, in CSS pixels; y grows downwards.
class Svg {
 public:
  /// name   part of the ids of title and description, so that several pictures fit on one page
  Svg(std::string name, double width, double height);

  /// label   shown by a pointer over it; may be empty
  void rect(double x, double y, double w, double h, Paint paint, const std::string &label = {});
  /// The same without an outline: for shapes that are only a few pixels wide.
  void patch(double x, double y, double w, double h, Paint paint);
  /// Hides what is underneath.
  void clear(double x, double y, double w, double h);
  /// An outline of twice the thickness, without a filling.
  void frame(double x, double y, double w, double h);
  void line(double x1, double y1, double x2, double y2, bool faint = false, bool dashed = false);
  void arrow(double x1, double y1, double x2, double y2);
  void dot(double x, double y, double radius, bool filled);

  struct Words {
    char anchor = 's';  ///< s, m, e: the text's start, middle or end is at x
    double size = 11;   ///< in CSS pixels, at least `smallest`
    bool bold = false, faint = false;
    Paint on = Paint::blank;  ///< the background behind them
  };
  static constexpr double smallest = 10;
  /// Throws std::logic_error that names words which are too small to read.
  void text(double x, double y, std::string_view words, const Words &);
  void text(double x, double y, std::string_view words) { text(x, y, words, Words()); }

  /// Whether words would overlap existing words, or leave the picture.
  bool has_room(double x, double y, std::string_view words, const Words &) const;

  /// The whole picture. Throws std::logic_error that names words which overlap or leave it.
  std::string finish(const std::string &title, const std::string &description) const;

 private:
  struct Box {
    double left, top, right, bottom;
    std::string words;
  };
  static Box box_of(double x, double y, std::string_view words, const Words &);
  static bool overlap(const Box &, const Box &);

  std::string name_, body_;
  double width_, height_;
  std::vector<Box> words_;
};

}  // namespace warpgrade::report
