#include "problem/histogram.hpp"

#include <fmt/format.h>

#include "problem/random.hpp"

namespace warpgrade::problem {

namespace {

struct Numbers {
  std::int64_t n, bins, crowded;
};
Numbers numbers(const Case &c) {
  return {c.integers.at(0), c.integers.at(1), c.integers.at(2)};
}

/// The upper half of `bits` as a number below `below`, each about as often.
std::uint32_t drawn(std::uint64_t bits, std::int64_t below) {
  return static_cast<std::uint32_t>((bits >> 32) * static_cast<std::uint64_t>(below) >> 32);
}

enum Stream : std::uint64_t { value = 1, whether_crowded = 2, crowd = 3, before = 4 };

}  // namespace

const std::vector<Integer> &Histogram::integers() const {
  constexpr std::int64_t most_numbers = std::int64_t{1} << 28, most_bins = 4096;
  static const std::vector<Integer> known = {
      {"n", 1, most_numbers},
      {.name = "bins", .least = 1, .most = most_bins, .otherwise = 256, .size = false},
      {.name = "crowded", .least = 0, .most = 100, .otherwise = 0, .size = false}};
  return known;
}

std::string Histogram::case_name(const Case &c) const {
  const Numbers x = numbers(c);
  std::string name = fmt::format("n={} bins={}", x.n, x.bins);
  if (x.crowded > 0) name += fmt::format(" crowded={}", x.crowded);
  return name;
}

double Histogram::work(const Case &c) const {
  return 4.0 * static_cast<double>(numbers(c).n);
}

double Histogram::compulsory_bytes(const Case &c) const {
  return work(c) + 4.0 * static_cast<double>(numbers(c).bins);
}

std::vector<std::int64_t> Histogram::arguments(const Case &c) const {
  return {numbers(c).n, numbers(c).bins};
}

std::vector<ExactProblem::Array> Histogram::arrays(const Case &c) const {
  const Numbers x = numbers(c);
  return {{"x", static_cast<std::uint64_t>(x.n)},
          {.name = "counts", .elements = static_cast<std::uint64_t>(x.bins), .is_output = true}};
}

std::uint32_t Histogram::element(const Case &c, std::uint64_t seed, std::size_t array,
                                 std::uint64_t i) const {
  const Numbers x = numbers(c);
  if (array == 1) return static_cast<std::uint32_t>(random_bits(seed, before, i));
  if (x.crowded > 0 && drawn(random_bits(seed, whether_crowded, i), 100) < x.crowded)
    return drawn(random_bits(seed, crowd, 0), x.bins);
  return drawn(random_bits(seed, value, i), x.bins);
}

Reference Histogram::reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(numbers(c).bins));
  for (const std::uint32_t x : inputs.at(0).as<std::uint32_t>())
    if (x < counts.size()) ++counts[x];
  return {{counts.begin(), counts.end()}, std::vector<double>(counts.size())};
}

}  // namespace warpgrade::problem
