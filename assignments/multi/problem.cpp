// What several devices compute together. split_rows, split_k and product_allreduce: C = A B; they differ in
// which device holds what. halo: a stencil in three dimensions, several times. ring: the sum of the arrays of
// all devices, on each of them. solutions/multi/multi.h says who holds what.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "pieces.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;
using of_multi::Part;
using of_multi::part_of;
using of_multi::Piece;
using of_multi::Split;

namespace {

/// The number of devices: the first integer of every case.
const Integer devices_of_a_case = {
    .name = "devices", .least = 1, .most = plan::most_devices, .otherwise = 2, .size = false};

/// What the arrays of one name are on every device.
struct Shared {
  std::string name;
  bool is_output = false;
};

/// Arrays come once for each device: those of the first name on all devices, then those of the second.
class OnDevices : public ArrayProblem {
 public:
  using ArrayProblem::ArrayProblem;

 protected:
  static std::int64_t devices(const Case &c) { return c.integers.at(0); }
  static std::size_t number(std::int64_t i) { return static_cast<std::size_t>(i); }

  virtual std::vector<Shared> shared() const = 0;
  virtual Piece piece(const Case &, std::size_t name, std::int64_t device) const = 0;
  /// Whether each device has a whole of its own, with other numbers.
  virtual bool alone(std::size_t /*name*/) const { return false; }

  std::vector<Array> arrays(const Case &c) const override {
    std::vector<Array> all;
    const std::vector<Shared> names = shared();
    for (std::size_t n = 0; n < names.size(); ++n)
      for (std::int64_t d = 0; d < devices(c); ++d) {
        const Piece p = piece(c, n, d);
        all.push_back({.name = fmt::format("{}[{}]", names[n].name, d),
                       .elements = static_cast<std::uint64_t>(p.elements()),
                       .is_output = names[n].is_output,
                       .columns = p.pitch > 1 && p.elements() > 0 ? p.columns.size() : 0,
                       .device = static_cast<std::uint8_t>(d)});
      }
    return all;
  }
  /// The number of an element follows from its place in the whole: inputs do not depend on how they are
  /// split.
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    const std::size_t name = array / number(devices(c));
    const auto device = static_cast<std::int64_t>(array % number(devices(c)));
    const auto at = piece(c, name, device).in_whole(static_cast<std::int64_t>(i));
    return drawn(seed, alone(name) ? array : name, static_cast<std::uint64_t>(at));
  }
  virtual std::uint64_t drawn(std::uint64_t seed, std::size_t array, std::uint64_t i) const {
    return awkward_element(seed, array, i);
  }
  /// The whole whose parts are these arrays.
  std::vector<double> whole(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t name,
                            std::size_t elements) const {
    std::vector<double> all(elements);
    for (std::int64_t d = 0; d < devices(c); ++d) {
      const Piece p = piece(c, name, d);
      const auto part = in[name * number(devices(c)) + number(d)].as<float>();
      for (std::int64_t i = 0; i < p.elements(); ++i) all[number(p.in_whole(i))] = double{part[number(i)]};
    }
    return all;
  }
};

/// A result is right if it is within 33 roundings of the sum of magnitudes, as in hw6 (docs/tolerance.md).
class Product final : public OnDevices {
 public:
  Product(std::string name, Split split)
      : OnDevices({.name = std::move(name),
                   .launcher = "int devices, int m, int n, int k, const float *const *A, "
                               "const float *const *B, float *const *C",
                   .integers = {devices_of_a_case, {"m", 1, 32768}, {"n", 1, 32768}, {"k", 1, 32768}}}),
        split_(split) {}
  double flops(const Case &c) const override {
    return 2.0 * static_cast<double>(m(c)) * static_cast<double>(n(c)) * static_cast<double>(k(c));
  }
  double work(const Case &c) const override { return flops(c); }
  std::string_view rate_unit() const override { return "GFLOPS"; }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return product(c, in, [](std::int64_t, std::int64_t) { return true; });
  }

 protected:
  std::vector<Shared> shared() const override { return {{"A"}, {"B"}, {"C", true}}; }
  Piece piece(const Case &c, std::size_t name, std::int64_t d) const override {
    return of_multi::piece_of_product(split_, devices(c), m(c), n(c), k(c), static_cast<int>(name), d);
  }
  bool alone(std::size_t name) const override { return name == 2 && split_ == Split::k_for_all; }

  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const std::int64_t all = devices(c);
    const auto without = [&](std::int64_t distance) {
      return product(c, in, [=](std::int64_t d, std::int64_t from) { return from != (d + distance) % all; });
    };
    return {{"only the device's own part of the sum over k is in its C: nothing from other devices is added",
             product(c, in, [](std::int64_t d, std::int64_t from) { return from == d; })},
            {"the device's own part of the sum over k is missing", without(0)},
            {"the part of the next device is missing from the sum over k", without(1)},
            {"the part of the device before is missing from the sum over k", without(all - 1)},
            {"the part of the last device is missing from the sum over k",
             product(c, in, [=](std::int64_t, std::int64_t from) { return from != all - 1; })},
            {"the part of device 0 is missing from the sum over k",
             product(c, in, [](std::int64_t, std::int64_t from) { return from != 0; })},
            {"the device's own part of the sum over k is added once for each device",
             product(
                 c, in, [](std::int64_t, std::int64_t) { return true; }, true)}};
  }

 private:
  static std::int64_t m(const Case &c) { return c.integers.at(1); }
  static std::int64_t n(const Case &c) { return c.integers.at(2); }
  static std::int64_t k(const Case &c) { return c.integers.at(3); }

  /// counts(device, from): whether the part of `from` is in the sums of that device
  template <typename Counts>
  Reference product(const Case &c, const std::vector<run::HostBuffer> &in, const Counts &counts,
                    bool own_each_time = false) const {
    constexpr double roundings = 33;
    const std::vector<double> a = whole(c, in, 0, number(m(c) * k(c))),
                              b = whole(c, in, 1, number(k(c) * n(c)));
    Reference ref;
    for (std::int64_t d = 0; d < devices(c); ++d) {
      const Part rows = piece(c, 2, d).rows;
      std::vector<double> sums(number(rows.size() * n(c))), magnitudes(sums.size());
      for (std::int64_t from = 0; from < devices(c); ++from)
        if (counts(d, from))
          add(c, a, b, rows, part_of(k(c), own_each_time ? d : from, devices(c)), sums, magnitudes);
      for (double &magnitude : magnitudes) magnitude *= roundings;
      ref.want.insert(ref.want.end(), sums.begin(), sums.end());
      ref.scale.insert(ref.scale.end(), magnitudes.begin(), magnitudes.end());
    }
    return ref;
  }
  static void add(const Case &c, const std::vector<double> &a, const std::vector<double> &b, const Part &rows,
                  const Part &of_k, std::vector<double> &sums, std::vector<double> &magnitudes) {
    const std::int64_t columns = n(c);
    on_all_cores(
        number(rows.size()),
        [&](std::size_t first, std::size_t end) {
          for (std::size_t row = first; row < end; ++row)
            for (std::int64_t q = of_k.first; q < of_k.end; ++q) {
              const double factor = a[(number(rows.first) + row) * number(k(c)) + number(q)];
              const double *const from = &b[number(q * columns)];
              for (std::size_t column = 0; column < number(columns); ++column) {
                const double term = factor * from[column];
                sums[row * number(columns) + column] += term;
                magnitudes[row * number(columns) + column] += std::fabs(term);
              }
            }
        },
        number(of_k.size() * columns));
  }

  Split split_;
};

/// Each step rounds at most 8 times: seven terms, and their two products. What an element was off before, its
/// neighbours take over as they take its magnitude: after all steps, it is off by at most 8 * steps roundings
/// of the sum of magnitudes.
class Halo final : public OnDevices {
 public:
  Halo()
      : OnDevices({.name = "halo",
                   .launcher = "int devices, int nx, int ny, int nz, int steps, float centre, float side, "
                               "const float *const *in, float *const *out",
                   .integers = {devices_of_a_case,
                                {"nx", 1, 1024},
                                {"ny", 1, 1024},
                                {"nz", 1, 1024},
                                {.name = "steps", .least = 1, .most = 1000, .otherwise = 1, .size = false}},
                   .reals = {{"centre", 0.4}, {"side", 0.1}}}) {}
  double flops(const Case &c) const override {
    return 8.0 * static_cast<double>(c.integers.at(4)) * static_cast<double>(outputs(c));
  }
  /// Not bytes: several steps may share what they read.
  double work(const Case &c) const override { return flops(c); }
  std::string_view rate_unit() const override { return "GFLOPS"; }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return relaxed(c, in, {});
  }

 protected:
  std::vector<Shared> shared() const override { return {{"in"}, {"out", true}}; }
  Piece piece(const Case &c, std::size_t, std::int64_t d) const override {
    return of_multi::piece_of_box(devices(c), nx(c), ny(c), nz(c), d);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return {{"the planes of other devices count as 0: the halo is missing",
             relaxed(c, in, {.below = Seen::nothing, .above = Seen::nothing})},
            {"the plane below, of another device, counts as 0", relaxed(c, in, {.below = Seen::nothing})},
            {"the plane above, of another device, counts as 0", relaxed(c, in, {.above = Seen::nothing})},
            {"the halo is that of the step before",
             relaxed(c, in, {.below = Seen::last_step, .above = Seen::last_step})},
            {"the halo is sent once, before the first step",
             relaxed(c, in, {.below = Seen::first_step, .above = Seen::first_step})},
            {"the halo is the plane at the far end of the neighbour",
             relaxed(c, in, {.below = Seen::far_end, .above = Seen::far_end})},
            {"a device without planes counts as the end of the box: behind it are more",
             relaxed(c, in, {.below = Seen::next_device, .above = Seen::next_device})},
            {"the planes below and above are exchanged where they come from other devices",
             relaxed(c, in, {.below = Seen::exchanged, .above = Seen::exchanged})},
            {"there is one step too few", relaxed(c, in, {.steps = -1})},
            {"there is one step too many", relaxed(c, in, {.steps = 1})}};
  }

 private:
  static std::int64_t nx(const Case &c) { return c.integers.at(1); }
  static std::int64_t ny(const Case &c) { return c.integers.at(2); }
  static std::int64_t nz(const Case &c) { return c.integers.at(3); }

  /// What a device takes for a plane of another one.
  enum class Seen : std::uint8_t { all, nothing, last_step, first_step, far_end, next_device, exchanged };
  struct Variant {
    Seen below = Seen::all, above = Seen::all;
    std::int64_t steps = 0;  ///< how many more than there should be
  };
  using Box = std::vector<double>;

  Reference relaxed(const Case &c, const std::vector<run::HostBuffer> &in, const Variant &variant) const {
    const std::int64_t steps = c.integers.at(4) + variant.steps;
    const double centre = c.reals.at(0), side = c.reals.at(1);
    const std::size_t elements = number(nx(c) * ny(c) * nz(c));
    std::array<Box, 3> values;  // of the first step, the last one, and now
    values.fill(whole(c, in, 0, elements));
    std::array<Box, 3> magnitudes = values;
    for (Box &box : magnitudes)
      for (double &value : box) value = std::fabs(value);
    for (std::int64_t step = 0; step < steps; ++step) {
      advance(c, variant, centre, side, values);
      advance(c, variant, std::fabs(centre), std::fabs(side), magnitudes);
    }
    for (double &magnitude : magnitudes[2])
      magnitude *= 8.0 * static_cast<double>(std::max<std::int64_t>(steps, 1));
    return {std::move(values[2]), std::move(magnitudes[2])};
  }
  static void advance(const Case &c, const Variant &variant, double centre, double side,
                      std::array<Box, 3> &boxes) {
    const std::int64_t plane = nx(c) * ny(c);
    std::vector<std::int64_t> owner(number(nz(c)));
    for (std::int64_t d = 0; d < devices(c); ++d)
      for (std::int64_t z = part_of(nz(c), d, devices(c)).first; z < part_of(nz(c), d, devices(c)).end; ++z)
        owner[number(z)] = d;
    const Box &now = boxes[2];
    Box next(now.size());
    // The plane z + by, as the device that holds plane z sees it.
    const auto beside = [&](std::int64_t z, std::int64_t by, std::int64_t at) {
      const auto inside = [&](std::int64_t there) { return there >= 0 && there < nz(c); };
      if (!inside(z + by)) return 0.0;
      const Seen seen = owner[number(z)] == owner[number(z + by)] ? Seen::all
                        : by < 0                                  ? variant.below
                                                                  : variant.above;
      if (seen == Seen::nothing) return 0.0;
      if (seen == Seen::next_device && std::abs(owner[number(z)] - owner[number(z + by)]) > 1) return 0.0;
      if (seen == Seen::exchanged) return inside(z - by) ? now[number((z - by) * plane + at)] : 0.0;
      if (seen == Seen::far_end) {
        const Part other = part_of(nz(c), owner[number(z + by)], devices(c));
        return now[number((by < 0 ? other.first : other.end - 1) * plane + at)];
      }
      const Box &from = seen == Seen::first_step ? boxes[0] : seen == Seen::last_step ? boxes[1] : now;
      return from[number((z + by) * plane + at)];
    };
    on_all_cores(
        now.size(),
        [&](std::size_t first, std::size_t end) {
          for (std::size_t i = first; i < end; ++i) {
            const auto z = static_cast<std::int64_t>(i) / plane, at = static_cast<std::int64_t>(i) % plane;
            const std::int64_t x = at % nx(c), y = at / nx(c);
            double sum = beside(z, -1, at) + beside(z, 1, at);
            if (x > 0) sum += now[i - 1];
            if (x + 1 < nx(c)) sum += now[i + 1];
            if (y > 0) sum += now[i - number(nx(c))];
            if (y + 1 < ny(c)) sum += now[i + number(nx(c))];
            next[i] = centre * now[i] + side * sum;
          }
        },
        16);
    boxes[1] = std::exchange(boxes[2], std::move(next));
  }
};

/// Every sum is exact, in any order, so the result must be equal.
class Ring final : public OnDevices {
 public:
  Ring()
      : OnDevices({.name = "ring",
                   .launcher = "int devices, int n, const float *const *in, float *const *out",
                   .integers = {devices_of_a_case, {"n", 1, std::int64_t{1} << 28}},
                   .reals = {},
                   .routine = Routine::all_reduce}) {}
  double flops(const Case &c) const override {
    return static_cast<double>(n(c)) * static_cast<double>(devices(c) - 1);
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sums(c, in, [](std::int64_t, std::int64_t, std::int64_t) { return true; });
  }

 protected:
  std::vector<Shared> shared() const override { return {{"in"}, {"out", true}}; }
  Piece piece(const Case &c, std::size_t, std::int64_t) const override { return {{0, n(c)}, {0, 1}, 1}; }
  bool alone(std::size_t) const override { return true; }
  std::uint64_t drawn(std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return bits_of(of_multi::eighths(seed, array, i));
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const std::int64_t all = devices(c);
    const auto before = [all](std::int64_t i) { return (i + all - 1) % all; };
    return {
        {"every device has its own elements only: nothing is added",
         sums(c, in, [](std::int64_t d, std::int64_t from, std::int64_t) { return from == d; })},
        {"each chunk lacks the elements of one device: the reduce-scatter is a round short",
         sums(c, in,
              [=](std::int64_t, std::int64_t from, std::int64_t chunk) { return from != before(chunk); })},
        {"each chunk lacks the elements of the device where its way begins",
         sums(c, in, [](std::int64_t, std::int64_t from, std::int64_t chunk) { return from != chunk; })},
        {"one chunk of each device is only a part of the sum: the all-gather is a round short",
         sums(c, in,
              [=](std::int64_t d, std::int64_t from, std::int64_t chunk) {
                return chunk != (d + 2) % all || from != before(chunk);
              })},
        {"each chunk is the sum of the elements of two devices: sums that arrive are not passed on",
         sums(c, in, [=](std::int64_t, std::int64_t from, std::int64_t chunk) {
           return from == before(chunk) || from == before(before(chunk));
         })}};
  }

 private:
  static std::int64_t n(const Case &c) { return c.integers.at(1); }

  /// counts(device, from, chunk): whether the elements of `from` are in that chunk of that device's sum
  template <typename Counts>
  static Reference sums(const Case &c, const std::vector<run::HostBuffer> &in, const Counts &counts) {
    Reference ref;
    for (std::int64_t d = 0; d < devices(c); ++d)
      for (std::int64_t chunk = 0; chunk < devices(c); ++chunk)
        for (std::int64_t i = part_of(n(c), chunk, devices(c)).first;
             i < part_of(n(c), chunk, devices(c)).end; ++i) {
          double sum = 0;
          for (std::int64_t from = 0; from < devices(c); ++from)
            if (counts(d, from, chunk)) sum += double{in[number(from)].as<float>()[number(i)]};
          ref.want.push_back(sum);
        }
    ref.scale.assign(ref.want.size(), 0.0);
    return ref;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Product("split_rows", Split::rows), Product("split_k", Split::k),
                   Product("product_allreduce", Split::k_for_all), Halo(), Ring())
