#include "problem/problem.hpp"

#include <fmt/format.h>

#include "problem/exercise.hpp"
#include "problem/histogram.hpp"
#include "problem/pitched.hpp"
#include "problem/sgemm.hpp"
#include "problem/square.hpp"
#include "problem/tiled.hpp"

namespace warpgrade::problem {

namespace {
const std::vector<const Problem *> &all_problems() {
  static const Sgemm sgemm;
  static const Tiled tiled;
  static const Pitched pitched(false), pitched_transposed(true);
  static const Square square(Square::Kind::by_rows), square_by_columns(Square::Kind::by_columns),
      square_coarsened(Square::Kind::coarsened);
  static const Exercise exercise;
  static const Histogram histogram;
  static const std::vector<const Problem *> all = {
      &sgemm,    &pitched,  &pitched_transposed, &tiled, &square, &square_by_columns, &square_coarsened,
      &exercise, &histogram};
  return all;
}
}  // namespace

const Problem *find_problem(std::string_view name) {
  for (const Problem *p : all_problems())
    if (p->name() == name) return p;
  return nullptr;
}

std::string name_of(Cell cell, char matrix) {
  return fmt::format("{}[{}, {}]", matrix, cell.row, cell.column);
}

std::string wrong_cell(char matrix, Cell cell, double got, double want) {
  return fmt::format("{} is {:g}, should be {:g}", name_of(cell, matrix), got, want);
}

std::string wrong_row(char matrix, std::int64_t row, double got, double want, double allowed) {
  return fmt::format("row {} of {} is wrong (a signed sum over it is {:g}, should be {:g} within {:g})", row,
                     matrix, got, want, allowed);
}

std::vector<Extent> Problem::extents(const Case &c) const {
  std::vector<Extent> all;
  if (const auto p = product(c)) {
    const auto extent = [](std::int64_t rows, std::int64_t cols, const Matrix &x) {
      const bool by_columns = x.column_stride != 1;
      return Extent{rows, cols, by_columns ? x.column_stride : x.row_stride, by_columns};
    };
    return {extent(p->m, p->k, p->a), extent(p->k, p->n, p->b), extent(p->m, p->n, p->c)};
  }
  for (const plan::Buffer &b : buffers(c)) {
    const auto elements = static_cast<std::int64_t>(b.bytes / sizeof(float));
    all.push_back({1, elements, elements, false});
  }
  return all;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Problem *p : all_problems()) names.emplace_back(p->name());
  return names;
}

}  // namespace warpgrade::problem
