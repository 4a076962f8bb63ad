// The referee's own kernels, as compiled, run by the simulator: they deal what the problem draws and see what
// is wrong, and the simulator's checkers have nothing to say about them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "gpu/referee_sums.hpp"
#include "machine/device.hpp"
#include "problem/problem.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

std::shared_ptr<const ptx::Module> kernels() {
  static const auto module = [] {
    std::stringstream text;
    text << std::ifstream(WARPGRADE_REFEREE_PTX).rdbuf();
    return std::make_shared<const ptx::Module>(ptx::parse(text.str()));
  }();
  return module;
}

class RefereeKernels : public ::testing::Test {
 protected:
  RefereeKernels() { device_.load(kernels()); }

  template <typename T>
  simt::Address upload(const std::vector<T> &values, const char *name) {
    const auto at = device_.allocate(values.size() * sizeof(T), name);
    device_.write(at, std::as_bytes(std::span(values)));
    return at;
  }
  template <typename T>
  std::vector<T> download(simt::Address at, std::size_t count) {
    std::vector<T> values(count);
    device_.read(at, std::as_writable_bytes(std::span(values)));
    return values;
  }

  template <typename... Arguments>
  void launch(const char *kernel, std::uint32_t warps, const Arguments &...arguments) {
    simt::Launch launch;
    launch.kernel = kernel;
    launch.grid = {(warps + 7) / 8, 1, 1};
    launch.block = {256, 1, 1};
    (add(launch.arguments, arguments), ...);
    const auto result = device_.launch(launch);
    ASSERT_EQ(result.status, simt::Status::completed) << simt::to_text(result.diagnostics.back());
    EXPECT_TRUE(result.diagnostics.empty()) << simt::to_text(result.diagnostics.front());
  }

  simt::Device device_;

 private:
  template <typename T>
  static void add(std::vector<std::byte> &bytes, const T &value) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto more = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
};

TEST_F(RefereeKernels, DrawTheNumbersOfTheProblem) {
  const problem::Case shape{{37, 51, 29, 3}, {1, 0}};
  for (const char *name : {"sgemm", "hgemm", "hgemm_batched", "gemm_e4m3"}) {
    const auto &problem = *problem::find_problem(name);
    const auto product = problem.product(shape).value();
    const auto inputs = problem.inputs(shape, 12345);
    const problem::Matrix *matrices[] = {&product.a, &product.b, &product.c};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto &x = *matrices[i];
      const auto to = device_.allocate(x.bytes(), "to");
      launch("referee_fill", 8, to, x.elements, x.fill, x.fill.key(12345));
      EXPECT_EQ(download<std::byte>(to, x.bytes()), inputs[i].bytes) << name << " " << inputs[i].name;
    }
  }
}

TEST_F(RefereeKernels, CountTheWordsThatDiffer) {
  std::vector<std::uint16_t> x(5000, 7), y = x;
  y[0] = y[4999] = y[2500] = 8;
  const auto at_x = upload(x, "x"), at_y = upload(y, "y");
  const auto count = upload(std::vector<std::uint64_t>{0}, "count");
  launch("referee_compare", 16, at_x, at_y, std::uint64_t{x.size()}, count);
  EXPECT_EQ(download<std::uint64_t>(count, 1)[0], 3u);
}

/// A case of a product: C as it should be, in float from a sum in double, and what the kernels say of
/// it.
class RefereeSums : public RefereeKernels,
                    public ::testing::WithParamInterface<std::pair<const char *, problem::Case>> {
 protected:
  static constexpr double tolerance = 2e-6;
  static constexpr std::uint64_t seed = 99;
  static constexpr int cells = 64;

  RefereeSums()
      : problem_(*problem::find_problem(GetParam().first)),
        product_(problem_.product(GetParam().second).value()),
        inputs_(problem_.inputs(GetParam().second, 5)),
        right_(product_.c.elements) {
    const auto reference = problem_.reference(GetParam().second, inputs_);
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = static_cast<float>(reference.want[i]);
  }

  struct Seen {
    int wrong_rows = 0, wrong_cells = 0;
  };
  Seen look_at(const std::vector<float> &after) {
    const auto &p = product_;
    const auto a = upload(inputs_[0].bytes, "A"), b = upload(inputs_[1].bytes, "B"),
               before = upload(floats(inputs_[2]), "C before"), at = upload(after, "C");
    const auto sums = device_.allocate(static_cast<std::uint64_t>(2 * p.rows_of_b()) * 8, "sums");
    const auto rows = device_.allocate(static_cast<std::uint64_t>(p.m) * sizeof(RowSums), "rows");
    const auto sampled = device_.allocate(cells * sizeof(CellSums), "cells");
    launch("referee_sum_b", static_cast<std::uint32_t>(p.rows_of_b()), p, b, seed, sums);
    launch("referee_sum_rows", static_cast<std::uint32_t>(p.m), p, a, sums, before, at, seed, rows);
    launch("referee_sum_cells", cells, p, a, b, before, at, seed, cells, sampled);
    Seen seen;
    for (const RowSums &row : download<RowSums>(rows, static_cast<std::size_t>(p.m)))
      seen.wrong_rows +=
          !(std::fabs(row.got - row.want) <= problem::allowed_for_row(row.scale, tolerance, p.n));
    for (const CellSums &cell : download<CellSums>(sampled, cells))
      seen.wrong_cells += !(std::fabs(cell.got - cell.want) <= tolerance * cell.scale);
    return seen;
  }

  const problem::Problem &problem_;
  problem::MatrixProduct product_;
  std::vector<run::HostBuffer> inputs_;
  std::vector<float> right_;
};

TEST_P(RefereeSums, FindNothingWrongWithARightProduct) {
  const Seen seen = look_at(right_);
  EXPECT_EQ(seen.wrong_rows, 0);
  EXPECT_EQ(seen.wrong_cells, 0);
}

TEST_P(RefereeSums, SeeARowWithOneElementFarOff) {
  auto wrong = right_;
  wrong[wrong.size() / 2] += 1;
  EXPECT_EQ(look_at(wrong).wrong_rows, 1);
}

TEST_P(RefereeSums, SeeNaN) {
  auto wrong = right_;
  wrong.back() = std::numeric_limits<float>::quiet_NaN();
  const Seen seen = look_at(wrong);
  EXPECT_EQ(seen.wrong_rows, 1);
  EXPECT_GE(seen.wrong_cells, 1) << "the last cell is always among the sampled ones";
}

TEST_P(RefereeSums, SeeAMissingProduct) {
  const Seen seen = look_at(floats(inputs_[2]));
  EXPECT_EQ(seen.wrong_cells, cells);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RefereeSums,
                         ::testing::Values(std::pair{"sgemm", problem::Case{{33, 65, 40}, {1, 0}}},
                                           std::pair{"sgemm", problem::Case{{1, 100, 7}, {0.5, 2}}},
                                           std::pair{"sgemm", problem::Case{{70, 1, 129}, {-1.25, 0.75}}},
                                           std::pair{"sgemm", problem::Case{{1, 1, 1}, {1, 1}}},
                                           std::pair{"hgemm", problem::Case{{33, 65, 40}, {1, 0}}},
                                           std::pair{"hgemm", problem::Case{{7, 5, 11}, {-0.5, 3}}},
                                           std::pair{"hgemm_batched", problem::Case{{9, 20, 24, 3}, {1, 0}}},
                                           std::pair{"hgemm_batched", problem::Case{{7, 5, 11, 4}, {2, -1}}},
                                           std::pair{"gemm_e4m3", problem::Case{{33, 65, 48}, {0.5, 3}}}));

/// Where something is done to each element at the end, all of them are looked at: the first wrong one is found.
TEST_F(RefereeKernels, FindTheFirstWrongElementOfAFinishedProduct) {
  const problem::Case shape{{9, 21, 12}, {-1.25, 0.75}};
  for (const char *name : {"sgemm_positive", "sgemm_columns_magnitude_minus"}) {
    const auto &problem = *problem::find_problem(name);
    const auto p = problem.product(shape).value();
    const auto inputs = problem.inputs(shape, 5);
    const auto reference = problem.reference(shape, inputs);
    const auto a = upload(inputs[0].bytes, "A"), b = upload(inputs[1].bytes, "B"),
               before = upload(inputs[2].bytes, "C before");
    std::vector<float> right(p.c.elements);
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        right[static_cast<std::size_t>(p.c.at(i, j))] =
            static_cast<float>(reference.want[static_cast<std::size_t>(i * p.n + j)]);
    const std::uint64_t none = static_cast<std::uint64_t>(p.m * p.n);
    const auto first_wrong = [&](const std::vector<float> &after) {
      const auto least = upload(std::vector<std::uint64_t>{none}, "least");
      launch("referee_every_cell", 2, p, a, b, before, upload(after, "C"), 2e-6, least);
      return download<std::uint64_t>(least, 1)[0];
    };
    EXPECT_EQ(first_wrong(right), none) << name;
    auto wrong = right;
    for (const problem::Cell cell : {problem::Cell{3, 4}, problem::Cell{8, 20}})
      wrong[static_cast<std::size_t>(p.c.at(cell.row, cell.column))] = -1e-3f;
    EXPECT_EQ(first_wrong(wrong), 3u * 21 + 4) << name;
    const auto sums = device_.allocate(sizeof(CellSums), "sums");
    launch("referee_one_cell", 1, p, a, b, before, upload(wrong, "C"), problem::Cell{3, 4}, sums);
    const CellSums seen = download<CellSums>(sums, 1)[0];
    EXPECT_EQ(seen.got, double{-1e-3f});
    EXPECT_NEAR(seen.want, reference.want[3 * 21 + 4], 1e-9);
    EXPECT_GE(seen.want, 0);
  }
}

/// C = A Bᵀ, stored by columns, with gaps: strides are all there is to a matrix.
TEST_F(RefereeKernels, FollowAnyStrides) {
  problem::MatrixProduct p;
  p.m = 5, p.n = 6, p.k = 7;
  p.alpha = 2, p.beta = 1;
  p.a = {7 * 8, 1, 8, {1, 3, 4}};  // by columns, 8 apart
  p.b = {6 * 9, 1, 9, {2, 1, 2}};
  p.c = {6 * 10, 1, 10, {3, 1, 4}};
  const auto drawn = [](const problem::Matrix &x) {
    std::vector<float> values(x.elements);
    for (std::uint64_t i = 0; i < x.elements; ++i)
      values[i] = std::bit_cast<float>(x.fill.bits(x.fill.key(1), i));
    return values;
  };
  const auto a = drawn(p.a), b = drawn(p.b), before = drawn(p.c);
  auto after = before;
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::int64_t q = 0; q < p.k; ++q)
        sum += double{a[static_cast<std::size_t>(p.a.at(i, q))]} * b[static_cast<std::size_t>(p.b.at(q, j))];
      float &cell = after[static_cast<std::size_t>(p.c.at(i, j))];
      cell = static_cast<float>(2 * sum + cell);
    }
  const auto cells = device_.allocate(32 * sizeof(CellSums), "cells");
  launch("referee_sum_cells", 32, p, upload(a, "A"), upload(b, "B"), upload(before, "before"),
         upload(after, "after"), std::uint64_t{3}, 32, cells);
  for (const CellSums &cell : download<CellSums>(cells, 32))
    EXPECT_LE(std::fabs(cell.got - cell.want), 1e-6 * cell.scale) << cell.row << " " << cell.column;
}

}  // namespace
}  // namespace warpgrade::gpu
