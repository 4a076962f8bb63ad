// Matrix products with gaps between their elements, or transposed.
#include <gtest/gtest.h>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

/// r = p q in columns of 5 floats, p 3 x 2, q 2 x 4 transposed.
class Gaps final : public MatrixProblem {
 public:
  std::string_view name() const override { return "gaps"; }
  std::string_view launcher() const override { return "const float *p, const float *q, float *r"; }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> none;
    return none;
  }
  const std::vector<Real> &reals() const override {
    static const std::vector<Real> none;
    return none;
  }
  std::string case_name(const Case &) const override { return "gaps"; }

 protected:
  MatrixProduct shape(const Case &) const override {
    MatrixProduct p;
    p.m = 3, p.n = 4, p.k = 2;
    p.a = column_major(5, 2, fill_a);
    p.b = row_major(4, 2, fill_b);
    std::swap(p.b.row_stride, p.b.column_stride);
    p.c = column_major(5, 4, fill_c);
    return p;
  }
  std::array<char, 3> names() const override { return {'p', 'q', 'r'}; }
};

constexpr double tolerance = 1e-6;

struct Worked {
  Gaps gaps;
  std::vector<run::HostBuffer> in = gaps.inputs({}, 42), out = in;
  Reference want = gaps.reference({}, in);
  Worked() {
    const auto p = in[0].as<float>(), q = in[1].as<float>();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) r()[j * 5 + i] = p[i] * q[j * 2] + p[5 + i] * q[j * 2 + 1];
  }
  std::span<float> r() { return out[2].as<float>(); }
  Comparison compare() const { return gaps.compare({}, in, want, out, tolerance); }
};

TEST(StridedProduct, IsAcceptedWhereTheElementsLie) {
  Worked w;
  EXPECT_EQ(w.in[2].bytes.size(), 20 * sizeof(float));
  EXPECT_EQ(w.compare().wrong, 0u);
  EXPECT_EQ(w.compare().checked, 12u);
  EXPECT_EQ(w.compare().changed_inputs, std::vector<std::string>{});
  EXPECT_EQ(w.gaps.spot_check({}, w.in, w.out, tolerance, 1), std::nullopt);
}

TEST(StridedProduct, DescribesTheLayoutOfItsMatricesForPictures) {
  const std::vector<Extent> extents = {{3, 2, 5, true}, {2, 4, 2, true}, {3, 4, 5, true}};
  EXPECT_EQ(Gaps().extents({}), extents);
}

TEST(StridedProduct, NamesAWrongElementAsTheLauncherCallsIt) {
  Worked w;
  w.r()[2 * 5 + 1] = 100;
  const Comparison c = w.compare();
  ASSERT_EQ(c.first.size(), 1u);
  EXPECT_EQ(c.first[0].where, "r[1, 2]");
  EXPECT_NE(w.gaps.spot_check({}, w.in, w.out, tolerance, 1).value_or("").find("r[1, 2] is 100"),
            std::string::npos);
}

TEST(StridedProduct, FindsWhatWasWrittenBetweenTheColumns) {
  Worked w;
  w.r()[3] = 1.25f;
  EXPECT_EQ(w.compare().wrong, 0u);
  EXPECT_EQ(w.compare().changed_inputs, std::vector<std::string>{"what is in the gaps of r (1 element)"});
}

TEST(StridedProduct, FindsAFactorThatWasChanged) {
  Worked w;
  w.out[1].as<float>()[7] = 0;
  EXPECT_EQ(w.compare().changed_inputs, std::vector<std::string>{"the read-only matrix q (1 element)"});
}

}  // namespace
}  // namespace warpgrade::problem
