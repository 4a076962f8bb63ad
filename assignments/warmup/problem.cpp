// vector_add: z = x + y. saxpy: y = a x + y. grey: a colour image in shades of grey.
#include <cmath>

#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 26;

double value(const run::HostBuffer &buffer, std::size_t i) {
  return buffer.as<float>()[i];
}

/// z[i] for each i, exact, from z(i).
template <typename Element>
Reference exactly(std::size_t elements, const Element &element) {
  Reference ref;
  ref.want.resize(elements);
  ref.scale.assign(elements, 0.0);
  on_all_cores(elements, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) ref.want[i] = element(i);
  });
  return ref;
}

class VectorAdd final : public ArrayProblem {
 public:
  VectorAdd()
      : ArrayProblem({.name = "vector_add",
                      .launcher = "int n, const float *x, const float *y, float *z",
                      .integers = {{"n", 0, longest}},
                      .routine = Routine::copy}) {}
  /// A sum of two floats has one rounding, which is the same everywhere.
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return exactly(size(c), [&](std::size_t i) { return in[0].as<float>()[i] + in[1].as<float>()[i]; });
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size(c)},
            {.name = "y", .elements = size(c)},
            {.name = "z", .elements = size(c), .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const std::size_t n = size(c);
    return {{"it is x, without y", exactly(n, [&](std::size_t i) { return value(in[0], i); })},
            {"only whole blocks are computed: the number of blocks must be rounded up",
             exactly(n, [&](std::size_t i) {
               return i < n / 256 * 256 ? double{in[0].as<float>()[i] + in[1].as<float>()[i]}
                                        : value(in[2], i);
             })}};
  }

 private:
  static std::size_t size(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
};

/// With one rounding (a fused multiplication and addition) or two: each is at most 2^-24 of its result, and
/// so less than 2^-23 of |a x| + |y| both together. The assignment's tolerance is that.
class Saxpy final : public ArrayProblem {
 public:
  Saxpy()
      : ArrayProblem({.name = "saxpy",
                      .launcher = "int n, float a, const float *x, float *y",
                      .integers = {{"n", 0, longest}},
                      .reals = {{"a", 2.5}},
                      .routine = Routine::copy}) {}
  /// y is read and written.
  double compulsory_bytes(const Case &c) const override {
    return 12.0 * static_cast<double>(c.integers.at(0));
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return scaled(c, in, [](double ax, double y) { return ax + y; });
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers.at(0));
    return {{.name = "x", .elements = n}, {.name = "y", .elements = n, .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const double a = static_cast<float>(c.reals.at(0));
    return {{"it is a x, without y", scaled(c, in, [](double ax, double) { return ax; })},
            {"it is x + y, without a", scaled(c, in, [&](double ax, double y) { return ax / a + y; })},
            {"a is rounded to a whole number: it must stay a float",
             scaled(c, in, [&](double ax, double y) { return ax / a * std::trunc(a) + y; })},
            {"it is a (x + y)", scaled(c, in, [&](double ax, double y) { return ax + a * y; })},
            {"a x is added twice: elements are computed more than once",
             scaled(c, in, [](double ax, double y) { return 2 * ax + y; })}};
  }

 private:
  template <typename Of>
  static Reference scaled(const Case &c, const std::vector<run::HostBuffer> &in, const Of &of) {
    const double a = static_cast<float>(c.reals.at(0));
    const std::size_t n = in[0].as<float>().size();
    Reference ref{std::vector<double>(n), std::vector<double>(n)};
    on_all_cores(n, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        const double ax = a * value(in[0], i), y = value(in[1], i);
        ref.want[i] = of(ax, y);
        ref.scale[i] = std::fabs(ax) + std::fabs(y);
      }
    });
    return ref;
  }
};

/// grey[r, c] = (77 red + 150 green + 29 blue) / 256, rounded down; a pixel of `rgb` is three bytes.
class Grey final : public ArrayProblem {
 public:
  Grey()
      : ArrayProblem({.name = "grey",
                      .launcher = "int height, int width, const unsigned char *rgb, unsigned char *grey",
                      .integers = {{"height", 1, 16384}, {"width", 1, 16384}},
                      .routine = Routine::copy}) {}
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return from_colours(c, in, 0, 1, 2);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::int64_t height = c.integers.at(0), width = c.integers.at(1);
    const auto pixels = static_cast<std::uint64_t>(height * width);
    return {{.name = "rgb", .elements = 3 * pixels, .type = Type::u8, .columns = 3 * width},
            {.name = "grey", .elements = pixels, .type = Type::u8, .is_output = true, .columns = width}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return random_bits(seed, array + 1, i) >> 56;
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto pixels = static_cast<std::size_t>(c.integers.at(0) * c.integers.at(1));
    const auto rgb = in[0].as<std::uint8_t>();
    return {{"red and blue are exchanged", from_colours(c, in, 2, 1, 0)},
            {"the sum of 77 red + 150 green + 29 blue does not fit the type that it is computed in",
             exactly(pixels, [](std::size_t) { return 0.0; })},
            {"a pixel is treated as one byte, not three", exactly(pixels, [&](std::size_t i) {
               return double((77 * rgb[i] + 150 * rgb[i + 1] + 29 * rgb[i + 2]) / 256);
             })}};
  }

 private:
  static Reference from_colours(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t red,
                                std::size_t green, std::size_t blue) {
    const auto rgb = in[0].as<std::uint8_t>();
    return exactly(static_cast<std::size_t>(c.integers.at(0) * c.integers.at(1)), [&](std::size_t i) {
      return double((77 * rgb[3 * i + red] + 150 * rgb[3 * i + green] + 29 * rgb[3 * i + blue]) / 256);
    });
  }
};

}  // namespace

WARPGRADE_PROBLEMS(VectorAdd(), Saxpy(), Grey())
