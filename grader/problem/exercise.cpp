#include "problem/exercise.hpp"

#include <fmt/format.h>

#include <bit>

#include "problem/random.hpp"

namespace warpgrade::problem {

namespace {
constexpr std::int64_t threads = 256, shift = 8, spread = 8, terms = 4;
}

const std::vector<Integer> &Exercise::integers() const {
  static const std::vector<Integer> known = {{"n", threads, 1 << 20}};
  return known;
}

std::string Exercise::case_name(const Case &c) const {
  return fmt::format("n={}", c.integers.at(0));
}

/// a, b and c are read once, and the elements of d and e that change are written.
double Exercise::work(const Case &c) const {
  return 4.0 * static_cast<double>(c.integers.at(0) * (1 + 2 * terms + 2));
}

double Exercise::compulsory_bytes(const Case &c) const {
  return work(c);
}

std::vector<ExactProblem::Array> Exercise::arrays(const Case &c) const {
  const auto n = static_cast<std::uint64_t>(c.integers.at(0));
  return {{.name = "a", .elements = n, .is_float = true},
          {.name = "b", .elements = terms * n, .is_float = true},
          {.name = "c", .elements = terms * n, .is_float = true},
          {.name = "d", .elements = n + shift, .is_output = true, .is_float = true},
          {.name = "e", .elements = spread * n, .is_output = true, .is_float = true}};
}

std::uint32_t Exercise::element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const {
  return std::bit_cast<std::uint32_t>(awkward_float(random_bits(seed, array + 1, i), 1, 4));
}

Reference Exercise::reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const {
  const std::int64_t n = c.integers.at(0);
  const auto a = inputs.at(0).as<float>(), b = inputs.at(1).as<float>(), terms_c = inputs.at(2).as<float>();
  Reference ref;
  for (const float old : inputs.at(3).as<float>()) ref.want.push_back(old);
  for (const float old : inputs.at(4).as<float>()) ref.want.push_back(old);
  const std::int64_t e = n + shift;  // where its elements begin
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t block = i / threads, t = i % threads;
    const std::int64_t j = terms * t / threads, q = block * threads + terms * t % threads;
    ref.want[static_cast<std::size_t>(i + shift)] = a[static_cast<std::size_t>(i)];
    // One rounding, which is the same everywhere.
    const float sum =
        b[static_cast<std::size_t>(j * n + q)] + terms_c[static_cast<std::size_t>(terms * q + j)];
    ref.want[static_cast<std::size_t>(e + spread * i)] = sum;
  }
  ref.scale.assign(ref.want.size(), 0.0);
  return ref;
}

}  // namespace warpgrade::problem
