#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

const Problem &sgemm = *find_problem("sgemm");
constexpr double tolerance = 2e-6;

Case square(std::int64_t n, double alpha = 1, double beta = 0) {
  return {{n, n, n}, {alpha, beta}};
}

/// What a correct launcher leaves in the buffers.
std::vector<run::HostBuffer> correct(const Case &c, const std::vector<run::HostBuffer> &in) {
  auto out = in;
  const Reference ref = sgemm.reference(c, in);
  for (std::size_t e = 0; e < ref.want.size(); ++e) out[2].as<float>()[e] = static_cast<float>(ref.want[e]);
  return out;
}

Comparison compare(const Case &c, const std::vector<run::HostBuffer> &in,
                   const std::vector<run::HostBuffer> &out) {
  return sgemm.compare(c, in, sgemm.reference(c, in), out, tolerance);
}

TEST(Inputs, AreAFunctionOfCaseAndSeed) {
  const auto a = sgemm.inputs(square(65), 42), b = sgemm.inputs(square(65), 42),
             c = sgemm.inputs(square(65), 43);
  EXPECT_EQ(a[0].bytes, b[0].bytes);
  EXPECT_NE(a[0].bytes, c[0].bytes);
  EXPECT_NE(a[0].bytes, a[1].bytes);
}

TEST(Inputs, AreRandomSignedAndBetweenOneHalfAndOne) {
  const auto in = sgemm.inputs(square(129), 42);
  for (const run::HostBuffer &b : in) {
    std::size_t negative = 0;
    for (const float v : b.as<float>()) {
      EXPECT_GE(std::fabs(v), 0.5f);
      EXPECT_LT(std::fabs(v), 1.0f);
      negative += v < 0;
    }
    const double share = static_cast<double>(negative) / static_cast<double>(b.as<float>().size());
    EXPECT_NEAR(share, 0.5, 0.02) << b.name;  // 129 * 129 signs: one standard deviation is 0.004
  }
}

TEST(Reference, OfATwoByTwoProductIsTheOneDoneByHand) {
  const Case c{{2, 2, 2}, {2.0, 3.0}};
  const std::vector<run::HostBuffer> in = {run::host_buffer<float>("A", run::Role::input, {1, 2, 3, 4}),
                                           run::host_buffer<float>("B", run::Role::input, {5, 6, 7, -8}),
                                           run::host_buffer<float>("C", run::Role::in_out, {1, 1, 1, -1})};
  const Reference ref = sgemm.reference(c, in);
  // A B = [19, -10; 43, -14]; 2 A B + 3 C = [41, -17; 89, -31].
  EXPECT_EQ(ref.want, (std::vector<double>{41, -17, 89, -31}));
  // |A||B| = [19, 22; 43, 50]; 2 * that + 3 * 1.
  EXPECT_EQ(ref.scale, (std::vector<double>{41, 47, 89, 103}));
}

TEST(Reference, IsTheSameOnManyThreadsAsOnOne) {
  // 200^3 is above the size from which rows are shared out; every row is computed by one thread in one order.
  const Case big{{200, 200, 200}, {1.0, 0.5}};
  const auto in = sgemm.inputs(big, 1);
  EXPECT_EQ(sgemm.reference(big, in).want, sgemm.reference(big, in).want);
}

TEST(Compare, AcceptsTheCorrectlyRoundedResult) {
  const Case c = square(33, 0.5, 2);
  const auto in = sgemm.inputs(c, 42);
  const Comparison r = compare(c, in, correct(c, in));
  EXPECT_EQ(r.checked, 33u * 33u);
  EXPECT_EQ(r.wrong, 0u);
  EXPECT_LT(r.max_error, 0.05);  // one rounding: at most 2^-24 / 2e-6 = 0.03
}

TEST(Compare, NanIsNeverClose) {
  const Case c = square(5);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  out[2].as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  const Comparison r = compare(c, in, out);
  EXPECT_EQ(r.wrong, 1u);
  EXPECT_EQ(r.not_finite, 1u);
  EXPECT_TRUE(std::isinf(r.max_error));
  EXPECT_EQ(r.first.at(0).where, "C[1, 2]");
}

TEST(Compare, InfinityIsNeverClose) {
  const Case c = square(5);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  out[2].as<float>()[24] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare(c, in, out).not_finite, 1u);
}

TEST(Compare, AnElementThatWasNeverWrittenIsCountedAsSuch) {
  const Case c = square(9);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  out[2].as<float>()[80] = in[2].as<float>()[80];
  const Comparison r = compare(c, in, out);
  EXPECT_EQ(r.wrong, 1u);
  EXPECT_EQ(r.never_written, 1u);
}

TEST(Compare, AChangedInputIsNamedWithItsCount) {
  const Case c = square(4);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  out[0].as<float>()[3] = 0;
  out[1].as<float>()[0] = -out[1].as<float>()[0];
  out[1].as<float>()[1] = 0;
  EXPECT_EQ(compare(c, in, out).changed_inputs,
            (std::vector<std::string>{"the read-only matrix A (1 element)",
                                      "the read-only matrix B (2 elements)"}));
}

TEST(Compare, TheFirstFourMismatchesAreKeptInMemoryOrder) {
  const Case c = square(3);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  for (float &v : out[2].as<float>()) v += 1.0f;
  const Comparison r = compare(c, in, out);
  ASSERT_EQ(r.first.size(), 4u);
  EXPECT_EQ(r.first[0].where, "C[0, 0]");
  EXPECT_EQ(r.first[3].where, "C[1, 0]");
  EXPECT_NEAR(r.first[0].got - r.first[0].want, 1.0, 1e-5);
  EXPECT_EQ(r.located, "every element");
}

TEST(SpotCheck, AcceptsTheRightProduct) {
  const Case c{{130, 257, 63}, {1.0, 0.5}};
  const auto in = sgemm.inputs(c, 42);
  EXPECT_EQ(sgemm.spot_check(c, in, correct(c, in), tolerance, 9), std::nullopt);
}

TEST(SpotCheck, FindsOneWrongElementAnywhere) {
  const Case c = square(300);
  const auto in = sgemm.inputs(c, 42);
  const auto right = correct(c, in);
  for (const std::size_t e : {std::size_t{0}, std::size_t{12345}, std::size_t{50000}, std::size_t{89999}}) {
    auto out = right;
    out[2].as<float>()[e] = 0;  // about 10 away
    EXPECT_NE(sgemm.spot_check(c, in, out, tolerance, 9), std::nullopt) << "element " << e;
    out[2].as<float>()[e] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(sgemm.spot_check(c, in, out, tolerance, 9), std::nullopt) << "NaN at element " << e;
  }
}

TEST(SpotCheck, FindsAChangedInput) {
  const Case c = square(40);
  const auto in = sgemm.inputs(c, 42);
  auto out = correct(c, in);
  out[1].as<float>()[5] = 0;
  EXPECT_EQ(sgemm.spot_check(c, in, out, tolerance, 9), "the read-only matrix B was changed");
}

TEST(Sgemm, CaseNamesSayOnlyWhatDiffersFromAPlainProduct) {
  EXPECT_EQ(sgemm.case_name(square(129)), "m=n=k=129");
  EXPECT_EQ(sgemm.case_name({{67, 1, 129}, {0.5, 2}}), "m=67 n=1 k=129 alpha=0.5 beta=2");
}

TEST(ParseCase, ReadsWhatCaseNamesSay) {
  for (const Case &c : {square(129), Case{{67, 1, 129}, {0.5, 2}}, Case{{1, 2, 3}, {-1.25, 0.75}}})
    EXPECT_EQ(parse_case(sgemm, sgemm.case_name(c)), c) << sgemm.case_name(c);
}

TEST(ParseCase, TakesOneNumberForAllSizes) {
  EXPECT_EQ(parse_case(sgemm, "1000"), square(1000));
}

TEST(ParseCase, SaysWhatIsWrongAndWhatIsAccepted) {
  const auto error = [](const char *text) {
    try {
      parse_case(sgemm, text);
    } catch (const std::invalid_argument &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string accepted = R"(; accepted are 129, "m=n=k=129" or "m=n=k=129 alpha=1 beta=0")";
  EXPECT_EQ(error("m=3 k=4"), "'m=3 k=4' is not a case of sgemm: 'n' is missing" + accepted);
  EXPECT_EQ(error("m=n=k=0"),
            "'m=n=k=0' is not a case of sgemm: m must be a whole number from 1 to 1048576" + accepted);
  EXPECT_EQ(error("q=5"), "'q=5' is not a case of sgemm: there is no 'q'" + accepted);
  EXPECT_EQ(error("5 alpha=x"),
            "'5 alpha=x' is not a case of sgemm: alpha must be a number that a float can hold" + accepted);
  EXPECT_EQ(error(""), "'' is not a case of sgemm: 'm' is missing" + accepted);
}

TEST(Sgemm, CountsTwoFlopsAMultiplicationInMoreThan32Bits) {
  EXPECT_DOUBLE_EQ(sgemm.flops({{4096, 4096, 4096}, {1, 0}}), 137438953472.0);  // 2 * 2^36
}

}  // namespace
}  // namespace warpgrade::problem
