// Cases whose numbers follow from each other.
#include <gtest/gtest.h>

#include <stdexcept>

#include "problem/problem.hpp"

namespace warpgrade::problem {
namespace {

/// Two sizes, a pitch that follows from n, and a grid that a step says.
class Strips : public Problem {
 public:
  std::string_view launcher() const override { return "int n"; }
  std::string_view name() const override { return "strips"; }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> known = {
        {"n", 1, 4096}, {"m", 1, 4096}, {"pad", 0, 64, 7, false}, {"grid", 1, 65535, {}, false}};
    return known;
  }
  const std::vector<Real> &reals() const override {
    static const std::vector<Real> known = {{"alpha", 1.5}};
    return known;
  }
  std::string case_name(const Case &) const override { return ""; }
  double flops(const Case &) const override { return 0; }
  double compulsory_bytes(const Case &) const override { return 0; }
  std::uint64_t outputs(const Case &) const override { return 0; }
  std::vector<plan::Buffer> buffers(const Case &) const override { return {}; }
  std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t) const override { return {}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &) const override { return {}; }
  Comparison compare(const Case &, const std::vector<run::HostBuffer> &, const Reference &,
                     const std::vector<run::HostBuffer> &, double) const override {
    return {};
  }
  std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &,
                                        const std::vector<run::HostBuffer> &, double,
                                        std::uint64_t) const override {
    return std::nullopt;
  }
};

const Strips strips;
const Formulas with = {{"grid", Formula("n/32")}};

std::string error(std::string_view text, const Formulas &formulas) {
  try {
    parse_case(strips, text, formulas);
  } catch (const std::invalid_argument &e) {
    return e.what();
  }
  return "";
}

TEST(Case, TakesWhatIsNotGivenFromItsStepOrFromTheProblem) {
  EXPECT_EQ(parse_case(strips, "n=64 m=3", with), (Case{{64, 3, 7, 2}, {1.5}}));
  EXPECT_EQ(parse_case(strips, "n=64 m=3 pad=0 grid=9 alpha=2", with), (Case{{64, 3, 0, 9}, {2}}));
}

TEST(Case, OfOneNumberSetsTheSizesAndNothingElse) {
  EXPECT_EQ(parse_case(strips, "96", with), (Case{{96, 96, 7, 3}, {1.5}}));
  EXPECT_EQ(complete(strips, all_sizes(strips, 96), with), (Case{{96, 96, 7, 3}, {1.5}}));
  EXPECT_EQ(complete(strips, sizes_of(strips, {{32, 64, 1, 4}, {3}}), with), (Case{{32, 64, 7, 1}, {3}}));
}

TEST(Case, SaysWhatIsMissingAndWhatDoesNotFit) {
  EXPECT_NE(error("n=64 m=3", {}).find("'grid' is missing"), std::string::npos);
  EXPECT_NE(error("n=65 m=3", with).find("grid = n/32 is 2.03125, should be a whole number from 1 to 65535"),
            std::string::npos)
      << error("n=65 m=3", with);
}

}  // namespace
}  // namespace warpgrade::problem
