// Launching the kernels of ptx/sgemm.ptx with fresh data and a reference.
#pragma once

#include <cmath>

#include "harness.hpp"

namespace warpgrade::simt::testing {

struct Sgemm {
  int m, n, k;
  std::vector<float> a, b, c, want;
  Device device;
  Address at_a = 0, at_b = 0, at_c = 0;

  Sgemm(int m_, int n_, int k_, Options options = {}, std::uint64_t short_c = 0)
      : m(m_), n(n_), k(k_), device(options) {
    std::uint32_t state = 7;
    const auto fill = [&state](std::vector<float> &matrix, int rows, int columns) {
      for (int i = 0; i < rows * columns; ++i) {
        state = state * 1664525 + 1013904223;
        matrix.push_back(static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
      }
    };
    fill(a, m, k), fill(b, k, n), fill(c, m, n);
    want = c;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int p = 0; p < k; ++p)
          sum = std::fma(a[static_cast<std::size_t>(i * k + p)], b[static_cast<std::size_t>(p * n + j)], sum);
        float &at = want[static_cast<std::size_t>(i * n + j)];
        at = std::fma(1.5f, sum, 0.5f * at);
      }
    device.load(parse(read_text("ptx/sgemm.ptx")));
    at_a = upload(a, "A", 0), at_b = upload(b, "B", 0), at_c = upload(c, "C", short_c);
  }
  Address upload(const std::vector<float> &matrix, const char *name, std::uint64_t less) {
    const std::uint64_t bytes = matrix.size() * 4 - less;
    const Address at = device.allocate(bytes, name);
    device.write(at, std::as_bytes(std::span(matrix)).first(bytes));
    return at;
  }
  Launch launch(const char *kernel, Dim3 grid, Dim3 block) const {
    Launch l{kernel, grid, block, 0, std::vector<std::byte>(48)};
    const float alpha = 1.5f, beta = 0.5f;
    std::memcpy(&l.arguments[0], &m, 4), std::memcpy(&l.arguments[4], &n, 4),
        std::memcpy(&l.arguments[8], &k, 4);
    std::memcpy(&l.arguments[12], &alpha, 4), std::memcpy(&l.arguments[32], &beta, 4);
    std::memcpy(&l.arguments[16], &at_a, 8), std::memcpy(&l.arguments[24], &at_b, 8),
        std::memcpy(&l.arguments[40], &at_c, 8);
    return l;
  }
  Launch tile32() const {
    return launch("tile32",
                  {static_cast<std::uint32_t>(n + 31) / 32, static_cast<std::uint32_t>(m + 31) / 32, 1},
                  {32, 32, 1});
  }
  Launch naive() const {
    return launch("naive",
                  {static_cast<std::uint32_t>(m + 31) / 32, static_cast<std::uint32_t>(n + 7) / 8, 1},
                  {32, 8, 1});
  }
  std::vector<float> result() const {
    std::vector<float> got(want.size());
    device.read(at_c, std::as_writable_bytes(std::span(got)));
    return got;
  }
};

}  // namespace warpgrade::simt::testing
