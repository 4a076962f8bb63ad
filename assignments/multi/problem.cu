// split_rows, split_k, product_allreduce, halo and ring on the GPU; problem.cpp says what they are. The arrays of
// all devices are in the memory of one GPU here.
#include "pieces.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_multi {

template <Split split>
struct ProductOnDevices {
  static constexpr const char *name = split == Split::rows ? "split_rows"
                                      : split == Split::k  ? "split_k"
                                                           : "product_allreduce";

  WARPGRADE_ANYWHERE static Piece piece(const OnDeviceCase &c, int name, std::int64_t device) {
    return piece_of_product(split, c.integers[0], c.integers[1], c.integers[2], c.integers[3], name, device);
  }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    const int devices = static_cast<int>(c.integers[0]), which = array / devices;
    const std::int64_t at = piece(c, which, array % devices).in_whole(static_cast<std::int64_t>(i));
    const bool alone = split == Split::k_for_all && which == 2;
    return awkward_element(seed, static_cast<std::uint64_t>(alone ? array : which),
                           static_cast<std::uint64_t>(at));
  }

  /// A tile of results, which share what they read.
  struct Group {};
  static constexpr std::int64_t side = 4;
  WARPGRADE_ANYWHERE static std::int64_t tiles(std::int64_t all) { return (all + side - 1) / side; }
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) {
    return static_cast<std::uint64_t>(tiles(c.integers[1]) * tiles(c.integers[2]));
  }
  WARPGRADE_ANYWHERE static Group group(const OnDeviceCase &, const Arrays &, std::uint64_t) { return {}; }

  WARPGRADE_ANYWHERE static void want_group(const OnDeviceCase &c, const Arrays &in, const Group *,
                                            std::uint64_t g, Wants to) {
    const int devices = static_cast<int>(c.integers[0]);
    const std::int64_t m = c.integers[1], n = c.integers[2], k = c.integers[3];
    const std::int64_t row = static_cast<std::int64_t>(g) / tiles(n) * side,
                       column = static_cast<std::int64_t>(g) % tiles(n) * side;
    Wanted sums[side][side];
    for (int from = 0; from < devices; ++from) {
      const std::int64_t length = part_of(k, from, devices).size();
      const float *rows[side], *b = in.of<float>(devices + from) + column;
      for (std::int64_t i = 0; i < side; ++i) rows[i] = row_of_a(c, in, from, row + i < m ? row + i : row);
      for (std::int64_t q = 0; q < length; ++q, b += n) {
        double left[side], right[side];
        for (std::int64_t i = 0; i < side; ++i) {
          left[i] = static_cast<double>(rows[i][q]);
          right[i] = column + i < n ? static_cast<double>(b[i]) : 0.0;
        }
        for (std::int64_t r = 0; r < side; ++r)
          for (std::int64_t s = 0; s < side; ++s) {
            sums[r][s].value += left[r] * right[s];
            sums[r][s].scale += fabs(left[r] * right[s]);
          }
      }
    }
    constexpr double roundings = 33;
    for (std::int64_t r = 0; r < side && row + r < m; ++r)
      for (std::int64_t s = 0; s < side && column + s < n; ++s) {
        const Wanted wanted{sums[r][s].value, roundings * sums[r][s].scale};
        // The outputs of all devices follow each other: parts of one whole, or as many wholes.
        for (int d = 0; d < (split == Split::k_for_all ? devices : 1); ++d)
          to.put(static_cast<std::uint64_t>((d * m + row + r) * n + column + s), wanted);
      }
  }

 private:
  /// Where a row of A begins whose product with the part of B on device `from` is added up.
  WARPGRADE_ANYWHERE static const float *row_of_a(const OnDeviceCase &c, const Arrays &in, int from,
                                                  std::int64_t row) {
    const std::int64_t devices = c.integers[0], m = c.integers[1], k = c.integers[3];
    if (split == Split::rows) {
      std::int64_t owner = row * devices / m;  // or a later one
      while (row >= part_of(m, owner, devices).end) ++owner;
      return in.of<float>(static_cast<int>(owner)) + (row - part_of(m, owner, devices).first) * k +
             part_of(k, from, devices).first;
    }
    return in.of<float>(from) + row * part_of(k, from, devices).size();
  }
};

struct HaloOnDevices {
  static constexpr const char *name = "halo";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    const int devices = static_cast<int>(c.integers[0]);
    const Piece piece =
        piece_of_box(devices, c.integers[1], c.integers[2], c.integers[3], array % devices);
    return awkward_element(seed, static_cast<std::uint64_t>(array / devices),
                           static_cast<std::uint64_t>(piece.in_whole(static_cast<std::int64_t>(i))));
  }

  /// The whole box after each step, in two copies that take turns, and its magnitudes.
  static int want_all(const OnDeviceCase &c, const Arrays &in, Wanted *wanted, void *stream) {
    static Kept kept;
    const std::int64_t devices = c.integers[0], nx = c.integers[1], ny = c.integers[2], nz = c.integers[3],
                       steps = c.integers[4], plane = nx * ny;
    const auto count = static_cast<std::uint64_t>(plane * nz);
    auto *const boxes = static_cast<Wanted *>(kept.reserve(2 * count * sizeof(Wanted)));
    if (boxes == nullptr) return no_memory;
    int error = 0;
    for (std::int64_t d = 0; d < devices && error == 0; ++d) {
      const Part planes = part_of(nz, d, devices);
      const float *const from = in.of<float>(static_cast<int>(d));
      Wanted *const to = boxes + planes.first * plane;
      error = each(static_cast<std::uint64_t>(planes.size() * plane), stream,
                   [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
                     to[i] = {static_cast<double>(from[i]), fabs(static_cast<double>(from[i]))};
                   });
    }
    const double centre = c.reals[0], side = c.reals[1];
    for (std::int64_t step = 0; step < steps && error == 0; ++step) {
      const Wanted *const now = boxes + (step % 2 == 0 ? 0 : count);
      Wanted *const next = boxes + (step % 2 == 0 ? count : 0);
      error = each(count, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
        const auto at = static_cast<std::int64_t>(i), z = at / plane, y = at % plane / nx, x = at % nx;
        double sum = 0, size = 0;
        const auto add = [&](bool inside, std::int64_t there) {
          if (!inside) return;
          sum += now[at + there].value;
          size += now[at + there].scale;
        };
        add(z > 0, -plane);
        add(z + 1 < nz, plane);
        add(x > 0, -1);
        add(x + 1 < nx, 1);
        add(y > 0, -nx);
        add(y + 1 < ny, nx);
        next[i] = {centre * now[i].value + side * sum, fabs(centre) * now[i].scale + fabs(side) * size};
      });
    }
    if (error != 0) return error;
    const Wanted *const last = boxes + (steps % 2 == 0 ? 0 : count);
    const double roundings = 8.0 * static_cast<double>(steps > 1 ? steps : 1);
    return each(count, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      wanted[i] = {last[i].value, roundings * last[i].scale};
    });
  }
};

struct RingOnDevices {
  static constexpr const char *name = "ring";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return bits_of(eighths(seed, static_cast<std::uint64_t>(array), i));
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    double sum = 0;
    for (int from = 0; from < c.integers[0]; ++from)
      sum += static_cast<double>(in.of<float>(from)[i % static_cast<std::uint64_t>(c.integers[1])]);
    return {sum, 0};
  }
};

}  // namespace of_multi
using namespace of_multi;

WARPGRADE_ON_DEVICE(ProductOnDevices<Split::rows>, ProductOnDevices<Split::k>,
                    ProductOnDevices<Split::k_for_all>, HaloOnDevices, RingOnDevices)
