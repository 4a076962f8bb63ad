// What several devices compute together, computed here one after the other from what each of them holds.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "problem/problem.hpp"

namespace warpgrade::problem {
namespace {

constexpr double unit = 6e-8;
constexpr std::uint64_t seed_of_devices = 11;

using Buffers = std::vector<run::HostBuffer>;

const Problem &named(const char *name) {
  const Problem *p = find_problem(name);
  if (p == nullptr) throw std::logic_error(name);
  return *p;
}
std::int64_t start(std::int64_t all, std::int64_t d, std::int64_t devices) {
  return all * d / devices;
}

/// All parts of an array one after the other: rows of a matrix, planes of a box.
std::vector<float> gathered(const Buffers &all, std::size_t first, std::int64_t devices) {
  std::vector<float> whole;
  for (std::int64_t d = 0; d < devices; ++d)
    for (const float x : all[first + static_cast<std::size_t>(d)].as<float>()) whole.push_back(x);
  return whole;
}

/// In single precision, as a launcher would.
Buffers product(const Problem &p, std::int64_t devices, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Case c{{devices, m, n, k}, {}};
  Buffers all = p.inputs(c, seed_of_devices);
  const auto count = static_cast<std::size_t>(devices);
  const std::vector<float> b = gathered(all, count, devices);
  std::vector<float> a = gathered(all, 0, devices);
  if (p.name() != "split_rows")
    for (std::int64_t d = 0; d < devices; ++d) {
      const auto part = all[static_cast<std::size_t>(d)].as<float>();
      const std::int64_t first = start(k, d, devices), columns = start(k, d + 1, devices) - first;
      for (std::int64_t i = 0; i < m * columns; ++i)
        a[static_cast<std::size_t>(i / columns * k + first + i % columns)] =
            part[static_cast<std::size_t>(i)];
    }
  for (std::int64_t d = 0; d < devices; ++d) {
    const auto out = all[2 * count + static_cast<std::size_t>(d)].as<float>();
    const std::int64_t row = p.name() == "product_allreduce" ? 0 : start(m, d, devices);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = 0;
      for (std::int64_t q = 0; q < k; ++q)
        out[i] += a[static_cast<std::size_t>((row + static_cast<std::int64_t>(i) / n) * k + q)] *
                  b[static_cast<std::size_t>(q * n + static_cast<std::int64_t>(i) % n)];
    }
  }
  return all;
}

Comparison compared(const Problem &p, const Case &c, const Buffers &out) {
  const Buffers in = p.inputs(c, seed_of_devices);
  return p.compare(c, in, p.reference(c, in), out, unit);
}

TEST(SeveralDevices, AProductIsRightHoweverItIsSplit) {
  for (const char *name : {"split_rows", "split_k", "product_allreduce"})
    for (const auto &[devices, m, n, k] : {std::array<std::int64_t, 4>{2, 1, 1, 1},
                                           {2, 33, 17, 5},
                                           {3, 31, 18, 29},
                                           {4, 2, 70, 31},
                                           {4, 66, 5, 3}}) {
      const Case c{{devices, m, n, k}, {}};
      const Comparison found = compared(named(name), c, product(named(name), devices, m, n, k));
      EXPECT_EQ(found.wrong, 0U) << name << " " << named(name).case_name(c);
      EXPECT_TRUE(found.changed_inputs.empty());
    }
}

TEST(SeveralDevices, HoldTheSameMatricesHoweverTheyAreSplit) {
  for (const std::int64_t devices : {1, 2, 3, 8}) {
    const Buffers rows = named("split_rows").inputs({{devices, 6, 5, 7}, {}}, 3),
                  one = named("split_rows").inputs({{1, 6, 5, 7}, {}}, 3);
    EXPECT_EQ(gathered(rows, 0, devices), gathered(one, 0, 1));
    EXPECT_EQ(gathered(rows, static_cast<std::size_t>(devices), devices), gathered(one, 1, 1));
  }
}

TEST(SeveralDevices, EachHoldsItsPartsAlsoEmptyOnes) {
  const Case c{{4, 2, 70, 31}, {}};
  const auto buffers = named("split_rows").buffers(c);
  ASSERT_EQ(buffers.size(), 12U);
  EXPECT_EQ(buffers[0].name, "A[0]");
  EXPECT_EQ(buffers[0].bytes, 0U);
  EXPECT_EQ(buffers[1].bytes, 4U * 31);
  EXPECT_EQ(buffers[7].name, "B[3]");
  EXPECT_EQ(buffers[7].bytes, 4U * 8 * 70);
  for (std::size_t b = 0; b < buffers.size(); ++b) EXPECT_EQ(buffers[b].device, b % 4);
  EXPECT_EQ(named("split_rows").devices(c), 4);
}

TEST(SeveralDevices, APartThatIsMissingFromASumIsNamed) {
  const Problem &p = named("split_k");
  const Case c{{2, 8, 9, 10}, {}};
  const Buffers in = p.inputs(c, seed_of_devices);
  Buffers out = product(p, 2, 8, 9, 10);
  const auto a0 = in[0].as<float>(), b0 = in[2].as<float>();
  const auto c0 = out[4].as<float>();
  for (std::size_t i = 0; i < c0.size(); ++i) {
    c0[i] = 0;
    for (std::size_t q = 0; q < 5; ++q) c0[i] += a0[i / 9 * 5 + q] * b0[q * 9 + i % 9];
  }
  const auto a1 = in[1].as<float>(), b1 = in[3].as<float>();
  const auto c1 = out[5].as<float>();
  for (std::size_t i = 0; i < c1.size(); ++i) {
    c1[i] = 0;
    for (std::size_t q = 0; q < 5; ++q) c1[i] += a1[(4 + i / 9) * 5 + q] * b1[q * 9 + i % 9];
  }
  ASSERT_FALSE(p.mistakes(c, in, out, unit).empty());
  EXPECT_EQ(p.mistakes(c, in, out, unit).front(),
            "only the device's own part of the sum over k is in its C: nothing from other devices is added");
}

/// steps of the stencil; held: what a plane of another device counts as
Buffers relaxed(const Case &c, bool held) {
  const Problem &p = named("halo");
  const std::int64_t devices = c.integers[0], nx = c.integers[1], ny = c.integers[2], nz = c.integers[3];
  Buffers all = p.inputs(c, seed_of_devices);
  const auto count = static_cast<std::size_t>(devices);
  std::vector<float> x = gathered(all, 0, devices), y = x;
  const std::vector<float> first = x;
  const auto owner = [&](std::int64_t z) {
    std::int64_t d = 0;
    while (start(nz, d + 1, devices) <= z) ++d;
    return d;
  };
  for (std::int64_t step = 0; step < c.integers[4]; ++step) {
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i) {
          const auto at = [&](std::int64_t dz, std::int64_t dj, std::int64_t di) {
            const bool outside =
                z + dz < 0 || z + dz >= nz || j + dj < 0 || j + dj >= ny || i + di < 0 || i + di >= nx;
            if (outside) return 0.0f;
            const bool of_another = owner(z) != owner(z + dz);
            return (held && of_another ? first
                                       : x)[static_cast<std::size_t>(((z + dz) * ny + j + dj) * nx + i + di)];
          };
          y[static_cast<std::size_t>((z * ny + j) * nx + i)] =
              static_cast<float>(c.reals[0]) * at(0, 0, 0) +
              static_cast<float>(c.reals[1]) *
                  (at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1));
        }
    std::swap(x, y);
  }
  std::size_t from = 0;
  for (std::size_t d = 0; d < count; ++d)
    for (float &out : all[count + d].as<float>()) out = x[from++];
  return all;
}

TEST(SeveralDevices, AHaloIsPassedOnInEveryStep) {
  for (const auto &[devices, nx, ny, nz, steps] : {std::array<std::int64_t, 5>{2, 1, 1, 1, 2},
                                                   {2, 5, 6, 9, 4},
                                                   {3, 9, 3, 1, 4},
                                                   {4, 7, 9, 2, 3},
                                                   {4, 8, 4, 16, 5}}) {
    const Case c{{devices, nx, ny, nz, steps}, {0.4, 0.1}};
    EXPECT_EQ(compared(named("halo"), c, relaxed(c, false)).wrong, 0U) << named("halo").case_name(c);
  }
  const Case c{{4, 8, 4, 16, 5}, {-0.5, 0.25}};
  const Buffers in = named("halo").inputs(c, seed_of_devices), out = relaxed(c, true);
  EXPECT_GT(compared(named("halo"), c, out).wrong, 0U);
  ASSERT_FALSE(named("halo").mistakes(c, in, out, unit).empty());
  EXPECT_EQ(named("halo").mistakes(c, in, out, unit).front(), "the halo is sent once, before the first step");
}

TEST(SeveralDevices, SumsOfARingAreExactInAnyOrder) {
  const Problem &p = named("ring");
  for (const std::int64_t devices : {1, 2, 3, 8})
    for (const std::int64_t n : {1, 2, 1000}) {
      const Case c{{devices, n}, {}};
      Buffers all = p.inputs(c, seed_of_devices);
      const auto count = static_cast<std::size_t>(devices);
      for (std::size_t d = 0; d < count; ++d)
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          float sum = 0;
          for (std::size_t e = 0; e < count; ++e) sum += all[(d + e) % count].as<float>()[i];
          all[count + d].as<float>()[i] = sum;
        }
      EXPECT_EQ(compared(p, c, all).wrong, 0U) << p.case_name(c);
      all[count].as<float>()[0] += 0x1p-20f;
      EXPECT_EQ(compared(p, c, all).wrong, 1U) << p.case_name(c);
    }
}

}  // namespace
}  // namespace warpgrade::problem
