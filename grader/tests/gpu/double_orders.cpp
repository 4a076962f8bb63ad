#include "tests/gpu/double_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

namespace warpgrade::gpu {
namespace {

using simt::tensor::Case;
using simt::tensor::Element;
using simt::tensor::Place;
using Factors = std::vector<std::pair<double, double>>;

struct Order {
  std::string name;
  std::function<double(const Factors &, double)> sum;
  std::size_t agrees = 0;
};

double exact(const Factors &factors, std::size_t first, std::size_t last, double c) {
  __float128 sum = c;
  for (std::size_t i = first; i < last; ++i)
    sum += static_cast<__float128>(factors[i].first) * static_cast<__float128>(factors[i].second);
  return static_cast<double>(sum);
}

/// All products, or those of every group, by one fused multiply-add after the other in this order of k.
Order chain(const std::string &name, std::vector<std::size_t> order) {
  return {name, [order](const Factors &factors, double c) {
            for (const std::size_t k : order) c = std::fma(factors[k].first, factors[k].second, c);
            return c;
          }};
}

std::vector<Order> orders(std::size_t k) {
  std::vector<Order> made;
  std::set<std::vector<std::size_t>> seen;
  const auto add = [&](const std::string &name, const std::vector<std::size_t> &order) {
    if (seen.insert(order).second) made.push_back(chain(name, order));
  };
  std::vector<std::size_t> four(4);
  std::iota(four.begin(), four.end(), std::size_t{0});
  do {
    const std::string name = fmt::format("fused, k = {} {} {} {}", four[0], four[1], four[2], four[3]);
    std::vector<std::size_t> up, down, apart;
    for (std::size_t group = 0; group < k; group += 4)
      for (const std::size_t i : four) up.push_back(group + i), down.push_back(k - 4 - group + i);
    for (const std::size_t i : four)
      for (std::size_t group = 0; group < k; group += 4) apart.push_back(group + i);
    add(name + " of each four", up);
    add(name + " of each four, last four first", down);
    add(name + ", each of all fours", apart);
  } while (std::ranges::next_permutation(four).found);
  made.push_back({"fused in order of k, C at last", [](const Factors &f, double c) {
                    double sum = f[0].first * f[0].second;
                    for (std::size_t i = 1; i < f.size(); ++i) sum = std::fma(f[i].first, f[i].second, sum);
                    return sum + c;
                  }});
  made.push_back({"rounded products, in order of k", [](const Factors &f, double c) {
                    for (const auto &[a, b] : f) {
                      volatile double product = a * b;
                      c += product;
                    }
                    return c;
                  }});
  for (const bool last : {false, true})
    made.push_back({fmt::format("pairs, and pairs of pairs, {}", last ? "C at last" : "then C for each four"),
                    [last](const Factors &f, double c) {
                      double all = 0;
                      for (std::size_t i = 0; i < f.size(); i += 4) {
                        const auto pair = [&](std::size_t at) {
                          volatile double product = f[at].first * f[at].second;
                          return std::fma(f[at + 1].first, f[at + 1].second, product);
                        };
                        const double group = pair(i) + pair(i + 2);
                        if (last)
                          all += group;
                        else
                          c += group;
                      }
                      return last ? all + c : c;
                    }});
  for (const std::size_t group : {2u, 4u, 8u, 16u})
    if (group <= k)
      made.push_back({fmt::format("exact sums of {} products and C, rounded", group),
                      [group](const Factors &f, double c) {
                        for (std::size_t i = 0; i < f.size(); i += group) c = exact(f, i, i + group, c);
                        return c;
                      }});
  return made;
}

double number(const std::vector<std::uint32_t> &words, std::size_t fragment, std::size_t registers,
              std::uint32_t reg, std::uint32_t lane) {
  double value;
  std::memcpy(&value, &words[2 * ((fragment * registers + reg) * 32 + lane)], sizeof value);
  return value;
}

}  // namespace

std::string compare_orders(const Case &of, const std::vector<std::vector<std::uint32_t>> &operands,
                           const std::vector<std::uint32_t> &got, std::size_t count) {
  const simt::tensor::Product &p = of.product.one;
  std::vector<Order> all = orders(p.k);
  std::size_t results = 0, nans = 0;
  std::set<std::uint64_t> kinds;
  std::vector<Factors> factors(std::size_t{p.m} * 8, Factors(p.k));
  for (std::size_t f = 0; f < std::min<std::size_t>(count, 2000); ++f) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t r = 0; r < p.a_registers(); ++r) {
        const Place at = simt::tensor::place_in_a(Element::f64, lane, r);
        for (std::size_t n = 0; n < 8; ++n)
          factors[at.row * 8 + n][at.column].first = number(operands[0], f, p.a_registers(), r, lane);
      }
      for (std::uint32_t r = 0; r < p.b_registers(); ++r) {
        const Place at = simt::tensor::place_in_b(Element::f64, lane, r);
        for (std::size_t m = 0; m < p.m; ++m)
          factors[m * 8 + at.column][at.row].second = number(operands[1], f, p.b_registers(), r, lane);
      }
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t r = 0; r < p.d_registers(); ++r) {
        const double result = number(got, f, p.d_registers(), r, lane),
                     c = number(operands[2], f, p.c_registers(), r, lane);
        if (result != result) {
          ++nans;
          if (kinds.size() < 6) kinds.insert(std::bit_cast<std::uint64_t>(result));
          continue;
        }
        ++results;
        const Place at = simt::tensor::place_in_c(lane, r);
        for (Order &order : all)
          order.agrees += std::bit_cast<std::uint64_t>(order.sum(factors[at.row * 8 + at.column], c)) ==
                          std::bit_cast<std::uint64_t>(result);
      }
  }
  std::ranges::sort(all, std::greater<>(), &Order::agrees);
  std::string text = fmt::format("{}: of {} results that are numbers, these orders give the same bits:\n",
                                 of.kernel, results);
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 8); ++i)
    text += fmt::format("  {:>8}  {}\n", all[i].agrees, all[i].name);
  text += fmt::format("  {} results are NaN:", nans);
  for (const std::uint64_t bits : kinds) text += fmt::format(" {:#x}", bits);
  return text;
}

}  // namespace warpgrade::gpu
