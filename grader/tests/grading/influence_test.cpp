// What a wrong result depends on: programs on the host represent kernels.
#include "grading/influence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgrade::grading {
namespace {

using Buffers = std::vector<run::HostBuffer>;

/// y = A x with a sparse matrix; also(r, e): whether row r takes entry e, of whichever row.
struct Product {
  const problem::Problem &p = *problem::find_problem("spmv_csr");
  problem::Case c = problem::parse_case(p, "rows=6 columns=9 entries=20");
  Buffers inputs = p.inputs(c, 3);
  std::function<bool(int row, int owner, int entry, int begin, int end)> takes;
  mutable int runs = 0;

  Buffers run(const Buffers &in) const {
    ++runs;
    Buffers out = in;
    const auto start = in[0].as<std::int32_t>(), column = in[1].as<std::int32_t>();
    const auto value = in[2].as<float>(), x = in[3].as<float>();
    for (int r = 0; r < 6; ++r) {
      float sum = 0;
      for (int owner = 0; owner < 6; ++owner)
        for (int e = start[owner]; e < start[owner + 1]; ++e)
          if (takes(r, owner, e, start[owner], start[owner + 1])) sum += value[e] * x[column[e]];
      out[4].as<float>()[static_cast<std::size_t>(r)] = sum;
    }
    return out;
  }
  std::string said() const {
    return wrong_influence(p, c, inputs, run(inputs), 6e-8, [&](const Buffers &in) { return run(in); });
  }
};

/// The first row that has several entries and is followed by another one with entries.
int row_of(const Product &product) {
  const auto start = product.inputs[0].as<std::int32_t>();
  for (int r = 0; r < 5; ++r)
    if (start[r + 1] - start[r] > 1 && start[r + 2] > start[r + 1]) return r;
  return -1;
}

TEST(Influence, IsNotReportedForACorrectResult) {
  Product product;
  product.takes = [](int row, int owner, int, int, int) { return row == owner; };
  EXPECT_EQ(product.said(), "");
}

TEST(Influence, OmittedElementsAreNamed) {
  Product product;
  const int row = row_of(product);
  ASSERT_GE(row, 0);
  product.takes = [=](int r, int owner, int e, int, int end) {
    return r == owner && !(r == row && e == end - 1);
  };
  const int entry = product.inputs[0].as<std::int32_t>()[static_cast<std::size_t>(row) + 1] - 1;
  EXPECT_EQ(product.said(), "y[" + std::to_string(row) + "] does not change with value[" +
                                std::to_string(entry) + "], and should");
}

TEST(Influence, ElementsOfOthersAreNamedWithTheirOwner) {
  Product product;
  const int row = row_of(product);
  ASSERT_GE(row, 0);
  product.takes = [=](int r, int owner, int e, int begin, int) {
    return r == owner || (r == row && owner == row + 1 && e == begin);
  };
  const int entry = product.inputs[0].as<std::int32_t>()[static_cast<std::size_t>(row) + 1];
  EXPECT_EQ(product.said(), "y[" + std::to_string(row) + "] changes with value[" + std::to_string(entry) +
                                "], which belongs to y[" + std::to_string(row + 1) + "]");
  EXPECT_LE(product.runs, 26);  // at most 13 for each of two questions
}

TEST(Influence, AFailedRunShowsNothing) {
  Product product;
  product.takes = [](int, int, int, int, int) { return false; };
  EXPECT_EQ(wrong_influence(product.p, product.c, product.inputs, product.run(product.inputs), 6e-8,
                            [](const Buffers &) { return std::nullopt; }),
            "");
}

}  // namespace
}  // namespace warpgrade::grading
