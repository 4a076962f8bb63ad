// Inputs with two elements exchanged: what may change places, and what must not.
#include <gtest/gtest.h>

#include <algorithm>

#include "problem/arrays.hpp"

namespace warpgrade::problem {
namespace {

/// y = x taken at indices: `at` is an array of indices, x one of numbers.
class Gather : public ArrayProblem {
 public:
  Gather()
      : ArrayProblem({.name = "gather",
                      .launcher = "int n, const int *at, const int *x, int *y",
                      .integers = {{"n", 0, 1000}}}) {}
  Reference reference(const Case &, const std::vector<run::HostBuffer> &) const override { return {}; }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers[0]);
    return {{.name = "at", .elements = n, .type = Type::i32, .exchangeable = false},
            {.name = "x", .elements = n, .type = Type::i32},
            {.name = "y", .elements = n, .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t, std::size_t, std::uint64_t i) const override {
    return i;
  }
};

TEST(ExchangedElements, AreTwoInnerOnesOfEachInputAndNoneOfAnOutput) {
  const Gather gather;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Case c{{static_cast<std::int64_t>(4 + seed % 7)}, {}};
    const auto before = gather.inputs(c, 1);
    const auto after = with_exchanged_elements(gather, c, before, seed);
    EXPECT_EQ(before[2].bytes, after[2].bytes) << "seed " << seed;
    const auto x = before[1].as<const std::int32_t>(), y = after[1].as<const std::int32_t>();
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != y[i]) moved.push_back(i);
    ASSERT_EQ(moved.size(), 2U) << "seed " << seed;
    EXPECT_GT(moved[0], 0U) << "seed " << seed;
    EXPECT_LT(moved[1], x.size() - 1) << "seed " << seed;
    EXPECT_EQ(x[moved[0]], y[moved[1]]) << "seed " << seed;
  }
}

TEST(ExchangedElements, LeaveIndicesAlone) {
  const Gather gather;
  const Case c{{100}, {}};
  const auto before = gather.inputs(c, 1);
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    EXPECT_EQ(with_exchanged_elements(gather, c, before, seed)[0].bytes, before[0].bytes) << "seed " << seed;
}

TEST(ExchangedElements, DoNotExistInInputsOfFewerThanFour) {
  const Gather gather;
  for (const std::int64_t n : {0, 1, 3}) {
    const Case c{{n}, {}};
    EXPECT_EQ(with_exchanged_elements(gather, c, gather.inputs(c, 1), 7)[1].bytes,
              gather.inputs(c, 1)[1].bytes);
  }
}

}  // namespace
}  // namespace warpgrade::problem
