#include "problem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plan/signature.hpp"
#include "problem/random.hpp"
#include "problem/registry.hpp"

namespace warpgrade::problem {

void add_problems_of_all_assignments(Registry &);  // generated: see CMakeLists.txt

namespace {
const std::vector<const Problem *> &all_problems() {
  static const Registry registry = [] {
    Registry all;
    add_problems_of_all_assignments(all);
    return all;
  }();
  return registry.all();
}
}  // namespace

void Registry::add(const Problem &problem) {
  const std::string name(problem.name());
  const auto same = [&](const Problem *p) { return p->name() == problem.name(); };
  if (std::any_of(all_.begin(), all_.end(), same))
    throw std::logic_error("two assignments define a problem called '" + name + "'; rename one of them");
  try {
    static_cast<void>(plan::Signature(problem.launcher()));
  } catch (const std::invalid_argument &e) {
    throw std::logic_error("the problem '" + name + "': " + e.what());
  }
  all_.push_back(&problem);
}

const Problem *find_problem(std::string_view name) {
  for (const Problem *p : all_problems())
    if (p->name() == name) return p;
  return nullptr;
}

std::string number_in_words(double value, int digits) {
  constexpr double all_exact = 1LL << 53;
  const bool whole = std::fabs(value) < all_exact && value == std::trunc(value);
  return whole ? fmt::format("{:.0f}", value + 0.0) : fmt::format("{:.{}g}", value, digits);
}

std::string name_of(Cell cell, char matrix) {
  return fmt::format("{}[{}, {}]", matrix, cell.row, cell.column);
}

std::string wrong_cell(char matrix, Cell cell, double got, double want) {
  return fmt::format("{} is {}, should be {}", name_of(cell, matrix), number_in_words(got),
                     number_in_words(want));
}

std::string wrong_elements(std::uint64_t wrong, std::uint64_t checked, const std::string &output,
                           const Mismatch &first) {
  return fmt::format("{} of {} elements of {} are wrong: {} is {}, should be {}", wrong, checked, output,
                     first.where, number_in_words(first.got), number_in_words(first.want));
}

std::string wrong_row(char matrix, std::int64_t row, double got, double want, double allowed) {
  return fmt::format("row {} of {} is wrong (a signed sum over it is {:g}, should be {:g} within {:g})", row,
                     matrix, got, want, allowed);
}

std::string Problem::element_name(const Case &c, std::size_t buffer, std::uint64_t element) const {
  return buffers(c).at(buffer).name + "[" + std::to_string(element) + "]";
}

std::uint8_t Problem::devices(const Case &c) const {
  std::uint8_t last = 0;
  for (const plan::Buffer &buffer : buffers(c)) last = std::max(last, buffer.device);
  return static_cast<std::uint8_t>(last + 1);
}

std::vector<Extent> Problem::extents(const Case &c) const {
  std::vector<Extent> all;
  if (const auto p = product(c)) {
    const auto extent = [](std::int64_t rows, std::int64_t cols, const Matrix &x) {
      const bool by_columns = x.column_stride != 1;
      return Extent{rows, cols, by_columns ? x.column_stride : x.row_stride, by_columns};
    };
    return {extent(p->m, p->k, p->a), extent(p->rows_of_b(), p->n, p->b), extent(p->m, p->n, p->c)};
  }
  for (const plan::Buffer &b : buffers(c)) {
    const auto elements = static_cast<std::int64_t>(b.bytes / sizeof(float));
    all.push_back({1, elements, elements, false});
  }
  return all;
}

std::vector<run::HostBuffer> with_exchanged_elements(const Problem &p, const Case &c,
                                                     std::vector<run::HostBuffer> inputs,
                                                     std::uint64_t seed) {
  std::uint64_t drawn = 0;
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    run::HostBuffer &buffer = inputs[b];
    const std::size_t size = buffer.element_bytes, elements = buffer.bytes.size() / size;
    if (buffer.role != run::Role::input || elements < 4 || !p.may_exchange(c, b)) continue;
    const auto element = [&](std::size_t i) {
      return buffer.bytes.begin() + static_cast<std::ptrdiff_t>(i * size);
    };
    const std::uint64_t inner = elements - 2, bits = random_bits(seed, 0, drawn++);
    const std::uint64_t one = (bits >> 32) % inner,
                        other = (one + 1 + (bits & 0xffffffffu) % (inner - 1)) % inner;
    std::swap_ranges(element(1 + one), element(2 + one), element(1 + other));
  }
  return inputs;
}

bool is_degenerate(const Problem &problem, const Case &c) {
  if (const auto p = problem.product(c)) return p->m < 2 || p->n < 2;
  return problem.outputs(c) < 2;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Problem *p : all_problems()) names.emplace_back(p->name());
  return names;
}

}  // namespace warpgrade::problem
